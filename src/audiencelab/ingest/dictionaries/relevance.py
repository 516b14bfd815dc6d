"""Conditions of LimeSurvey under which a question is shown, as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from audiencelab.ingest.codebook import AskedCondition
from audiencelab.ingest.columns import Variable
from audiencelab.ingest.dictionaries.conditions import simple_conditions, unwrapped

_SIGNS = {"==": "=", "eq": "=", "!=": "≠", "ne": "≠", ">=": "≥", "ge": "≥", "<=": "≤", "le": "≤"}
_TERM = re.compile(
    r"(?P<name>[A-Za-z]\w*|\d+X\d+X\d+\w*)(?P<property>\.\w+)?\s*"
    r"(?P<sign>==|!=|>=|<=|<|>|\beq\b|\bne\b|\bge\b|\ble\b)\s*"
    r"(?:(?P<quote>[\"'])(?P<text>[^\"']*)(?P=quote)|(?P<number>-?\d+(?:\.\d+)?)\b)"
)
_ALONE = re.compile(r"\(\s*(\x00\d+\x01)\s*\)")
_AND = re.compile(r"\s*(?:&&|\band\b)\s*", re.IGNORECASE)
_OR = re.compile(r"\s*(?:\|\||\bor\b)\s*", re.IGNORECASE)
_READABLE = re.compile(r"(?:\x00\d+\x01| and | or |[()])+")
_LONGEST_CONDITION = 2_000
_LONGEST = 60
"""The longest text of a question that is written in place of its name."""


class Relevance:
    """Writes conditions as text. columns: what is known of them, by all their names."""

    def __init__(self, columns: Mapping[str, Variable]) -> None:
        self._columns = columns
        self._names = {id(column): name for name, column in reversed([*columns.items()])}

    def completed(self, variable: Variable, condition: str) -> Variable:
        """A column with who was asked."""
        if not condition:
            return variable
        asked_of = simple_conditions(condition, self._condition)
        return replace(variable, universe=self.text(condition), asked_of=asked_of)

    def _condition(self, text: str) -> AskedCondition | None:
        """A comparison of a column with an answer; of other properties of it, none."""
        term = _TERM.fullmatch(text)
        if (
            term is None
            or _SIGNS.get(term["sign"]) != "="
            or term["name"].lower() not in self._columns
        ):
            return None
        value = term["text"] if term["number"] is None else term["number"]
        is_answer = term["property"] in (None, ".NAOK", ".code")
        if not value or not is_answer:
            return None
        # Conditions may call a column by several of its names.
        column = self._columns.get(term["name"].lower())
        return AskedCondition(self._names.get(id(column), term["name"]), (value,))

    def text(self, condition: str) -> str:
        """Comparisons with the texts of questions and answers; any other condition as it is.

        >>> sex = Variable("Sex", {"F": "Woman"})
        >>> Relevance({"sex": sex}).text('((sex.NAOK == "F")) and (age > 17)')
        'Sex = Woman and age > 17'
        """
        if len(condition) > _LONGEST_CONDITION:
            return " ".join(condition.split())
        terms: list[str] = []

        def kept(term: re.Match[str]) -> str:
            terms.append(self._words(term))
            return f"\x00{len(terms) - 1}\x01"

        found = _OR.sub(" or ", _AND.sub(" and ", _TERM.sub(kept, condition)))
        before = ""
        while before != found:
            before, found = found, _ALONE.sub(r"\1", found)
        found = unwrapped(found)
        if not _READABLE.fullmatch(found):
            return " ".join(unwrapped(condition).split())
        return re.sub(r"\x00(\d+)\x01", lambda place: terms[int(place[1])], found)

    def _words(self, term: re.Match[str]) -> str:
        name, value = term["name"], term["text"] if term["number"] is None else term["number"]
        sign = _SIGNS.get(term["sign"], term["sign"])
        column = self._columns.get(name.lower())
        if column is None:
            return f"{name} {sign} {value or 'no answer'}"
        stem, dash, item = column.label.rpartition(" - ")
        if dash and column.stem and not column.labels and value == "Y":
            return f"{_short(stem, column.stem)}: {'' if sign == '=' else 'not '}{item}"
        shown = column.labels.get(value, value) or "no answer"
        return f"{_short(column.label, name)} {sign} {shown}"


def _short(text: str, name: str) -> str:
    return text if len(text) <= _LONGEST else name
