"""Conditions of LimeSurvey under which a question is shown, as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from audiencelab.ingest.columns import Variable

_SIGNS = {"==": "=", "eq": "=", "!=": "≠", "ne": "≠", ">=": "≥", "ge": "≥", "<=": "≤", "le": "≤"}
_TERM = re.compile(
    r"(?P<name>[A-Za-z]\w*|\d+X\d+X\d+\w*)(?:\.\w+)?\s*"
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

    def completed(self, variable: Variable, condition: str) -> Variable:
        """A column with who was asked."""
        return replace(variable, universe=self.text(condition)) if condition else variable

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
        found = _unwrapped(found)
        if not _READABLE.fullmatch(found):
            return " ".join(_unwrapped(condition).split())
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


def _unwrapped(text: str) -> str:
    """A condition without brackets around all of it."""
    text = text.strip()
    while text.startswith("(") and _end(text) == len(text) - 1:
        text = text[1:-1].strip()
    return text


def _end(text: str) -> int:
    """Where the bracket at the beginning of a text ends; -1 where it does not."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place
    return -1


def _short(text: str, name: str) -> str:
    return text if len(text) <= _LONGEST else name
