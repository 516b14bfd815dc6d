"""Conditions as people write them in a shell: `gender=Female and age>=35`.

`read_condition` also takes the signs of pandas, R and SPSS: `==`, `<>`, `&`, `in [4, 5]`, `%in%`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.names import find_waves
from audiencelab.client.written_answers import compared, is_answer_of
from audiencelab.errors import AudienceError
from audiencelab.expressions import CodeError, Expression, Q, all_of, any_of, read_code
from audiencelab.expressions.codes import WAVES
from audiencelab.lines import near

_LISTED = r"(?:\bnot\s+in|\bin|%in%)(?=\s*(?:c\s*\(|[\[({]))"
_WORDS = {"eq": "=", "ne": "!=", "ge": ">=", "gt": ">", "le": "<=", "lt": "<", "is": "="}
_SPELT = rf"(?<=\s)(?:is\s+not|{'|'.join(_WORDS)})(?=\s)"
_OPERATOR = re.compile(rf"\s*(==|=>|=<|=|!=|<>|>=|<=|>|<|{_LISTED}|\.isin(?=\()|{_SPELT})\s*", re.I)
_MISSING = ("missing", "na", "null", "none", "nan", "blank")
_SIGNS = {
    "==": "=",
    "<>": "!=",
    "=>": ">=",
    "=<": "<=",
    "%in%": "=",
    "in": "=",
    ".isin": "=",
    **_WORDS,
    "not in": "!=",
    "is not": "!=",
}
_AND = re.compile(r"\s*(?:&&?|,|;|\band\b)\s*", re.I)
_OR = re.compile(r"\s*(?:\|\|?|\bor\b)\s*", re.I)
_BETWEEN_VALUES = re.compile(r"\s*[,|;]\s*")
_OR_COMMA = re.compile(rf"{_OR.pattern}|\s*,\s*", re.I)
_NOT = re.compile(r"\s*(?:not\b|~|!(?!=))\s*", re.I)
_END = re.compile(r"\s*(?:$|[|,;&)\]}]|(?<=\s)(?:and|or)(?=\s))", re.I)
_QUOTED = re.compile(r"""\s*("[^"]*"|'[^']*'|`[^`]*`)\s*""")
_OPENED = re.compile(r"\s*(?:(?:c\s*)?\(|\[|\{)\s*", re.I)
_CLOSED = re.compile(r"\s*[\])}]\s*")
_NUMBER = r"-?\d+(?:\.\d+)?"
_TWO_SIDED = re.compile(
    rf"\s*(?P<low>{_NUMBER})\s*(?P<from><=?)\s*(?P<name>[^<>=|&]+?)\s*(?P<to><=?)\s*"
    rf"(?P<high>{_NUMBER})\s*"
)
_BETWEEN = re.compile(
    rf"\s*(?P<name>[^<>=|&,()]+?)(?:\s+between\s+|\.between\(\s*)(?P<low>{_NUMBER})"
    rf"\s*(?:,|\band\b|\bto\b)\s*(?P<high>{_NUMBER})\s*\)?\s*",
    re.I,
)
_ANSWERED = re.compile(
    r"\s*(?:(?P<no>!?\s*is\.?na|isnull|missing|sysmis)|answered|valid|notna|notnull)\s*"
    r"\(\s*(?P<name>[^()]+?)\s*\)|\s*(?P<of>[^<>=|&,()]+?)\.(?P<not>isna|isnull|notna|notnull)\(\s*\)",
    re.I,
)
_CODE = re.compile(r"\s*(?:~\s*)?\(*\s*(?:client\[|(?:al\.)?Q\()")


_MOST = 3
"""Questions that are named for an answer."""


class ConditionError(AudienceError, ValueError):
    """A condition that cannot be read; the message marks what is wrong in its text."""


def read_condition(client: Any, text: str) -> Expression:
    """The expression that a text means, of a client's questions and answers by names or codes.

    `gender=Female`, `age>=35`, `q1=Alba and region=North`, `gender=Female,region=North|South`,
    `not q5=1|2`, `(…) or (…)`, `18<=age<=34`, `wave=4`, and `q8` for everyone who answered it. A
    number is one that respondents gave, a point of a scale, or the code of an answer. Quotes hold
    names with a sign or a word of these in them. Python of expressions is read as well.

    Raises `ConditionError`, and the errors of the catalogue's request.

    >>> from audiencelab.client.written_conditions import read_condition
    >>> read_condition(client, "Gender=Female and Age=55 to 64|65 and over").to_code()
    "al.Q('q2').any('q2_2') & al.Q('q4').any('q4_6', 'q4_7')"
    """
    if _CODE.match(text):
        try:
            [found] = read_code(text, lambda name: client[name])
        except (CodeError, ValueError) as error:
            raise ConditionError(str(error)) from None
        return found if isinstance(found, Expression) else all_of(found)
    reader = _Reader(client, text)
    found = reader.any_of_these()
    if reader.at < len(text):
        reader.fail("The condition ends here. Join another with and, or with or", reader.at)
    return found


class _Part(NamedTuple):
    """A piece of the text, and where it begins and ends."""

    text: str
    start: int
    end: int


class _Reader:
    """Reads a text from the left; at: the next character."""

    def __init__(self, client: Any, text: str) -> None:
        self._client, self._text, self.at = client, text, 0
        self._catalogue = client.catalogue

    def any_of_these(self) -> Expression:
        parts = [self._all_of_these()]
        while self._takes(_OR):
            parts.append(self._all_of_these())
        return parts[0] if len(parts) == 1 else any_of(*parts)

    def _all_of_these(self) -> Expression:
        parts = [self._one()]
        while self._takes(_AND):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else all_of(*parts)

    def _one(self) -> Expression:
        if self._takes(_NOT):
            return ~self._one()
        start = self.at
        if self._text[start:].lstrip().startswith("("):
            self._takes(_OPENED)
            found = self.any_of_these()
            if not self._takes(_CLOSED):
                self.fail("A bracket is not closed", start)
            return found
        if answered := _ANSWERED.match(self._text, start):
            return self._answered(answered)
        if ends := _TWO_SIDED.match(self._text, start) or _BETWEEN.match(self._text, start):
            return self._between(ends)
        name, sign = self._name()
        if name.text.casefold() in ("wave", WAVES) and name.text not in self._catalogue:
            return self._of_waves(name, sign)
        question = self._question(name)
        if not sign:
            return question.any()
        values = self._values(name, sign, question)
        first = values[0].text
        if sign in ("=", "!=") and first.casefold() in _MISSING and first not in question:
            return question.any() if sign == "!=" else ~question.any()
        return self._compared(question, sign, values)

    def _answered(self, found: re.Match[str]) -> Expression:
        """`answered(q8)`, `!is.na(q8)` and `q8.notna()`, or those who did not answer."""
        group = "name" if found["name"] else "of"
        name = _Part(found[group], found.start(group), found.end(group))
        self.at = found.end()
        question = self._question(name)
        negated = found["not"] in ("isna", "isnull") if found["of"] else bool(found["no"])
        negated = negated and not (found["no"] or "").startswith("!")
        return ~question.any() if negated else question.any()

    def _between(self, ends: re.Match[str]) -> Expression:
        name = _Part(ends["name"].strip("`\"' "), ends.start("name"), ends.end("name"))
        question, found = self._question(name), ends.groupdict()
        self.at = ends.end()
        return all_of(
            *(
                self._compared(question, sign, [_Part(ends[end], ends.start(end), ends.end(end))])
                for end, sign in (
                    ("low", (found.get("from") or "<=").replace("<", ">")),
                    ("high", found.get("to") or "<="),
                )
            )
        )

    def _name(self) -> tuple[_Part, str]:
        """The name of a question and the sign behind it; "" where there is none."""
        text, start = self._text, self.at
        if quoted := _QUOTED.match(text, start):
            name = _Part(quoted[1][1:-1], quoted.start(1), quoted.end(1))
            self.at = quoted.end()
            sign = _OPERATOR.match(text, self.at)
        else:
            signs = [*_OPERATOR.finditer(text, start)]
            # The label of a question may have such a sign or word in it.
            known = (
                each for each in signs if self._part(start, each.start()).text in self._catalogue
            )
            sign = next(known, next(iter(signs), None))
            name = self._part(start, sign.start() if sign else len(text))
            ended = _END.search(text, start)
            if ended and ended.start() < name.end and name.text not in self._catalogue:
                # Without a sign: everyone who answered the question.
                name, sign = self._part(start, ended.start()), None
            self.at = name.end
        if not name.text:
            self.fail("A question is missing: write gender=Female", start)
        if sign is None:
            return name, ""
        self.at = sign.end()
        word = " ".join(sign[1].casefold().split())
        return name, _SIGNS.get(word, word)

    def _values(self, name: _Part, sign: str, question: CatalogueQuestion | None) -> list[_Part]:
        """The answers behind a sign, one or several."""
        opened = 0
        while self._takes(_OPENED):
            opened += 1
        values = [self._value(name, question)]
        single = question is None or question.record.kind != "multiple"
        separator = _BETWEEN_VALUES if opened else _OR_COMMA if single else _OR
        while (after := separator.match(self._text, self.at)) and (
            opened or self._goes_on(after.end(), question)
        ):
            self.at = after.end()
            values.append(self._value(name, question))
        for _ in range(opened):
            if not self._takes(_CLOSED):
                self.fail("A list is not closed", values[-1].end)
        return values

    def _goes_on(self, at: int, question: CatalogueQuestion | None) -> bool:
        """Whether another answer is there, and not another condition."""
        if question is not None and self._known_answer(at, question):
            return True
        if self._text[at:].lstrip().lower().startswith(("(", "not ", "~", "!")):
            return False
        ended = _END.search(self._text, at + len(self._text[at:]) - len(self._text[at:].lstrip()))
        segment = self._text[at : ended.start() if ended else None].strip()
        return not _OPERATOR.search(segment) and segment not in self._catalogue

    def _value(self, name: _Part, question: CatalogueQuestion | None) -> _Part:
        text = self._text
        if quoted := _QUOTED.match(text, self.at):
            self.at = quoted.end()
            return _Part(quoted[1][1:-1], quoted.start(1), quoted.end(1))
        if question is not None and (known := self._known_answer(self.at, question)):
            self.at = known.end
            return known
        ended = _END.search(text, self.at)
        value = self._part(self.at, ended.start() if ended else len(text))
        if not value.text:
            self.fail(f"An answer is missing: write {name.text}=…", self.at)
        self.at = value.end
        return value

    def _known_answer(self, at: int, question: CatalogueQuestion) -> _Part | None:
        """An answer of the question whose name is here, such as "55 and over"."""
        start = at + len(self._text[at:]) - len(self._text[at:].lstrip())
        names = [each.name or each.code for each in question.datapoints]
        for name in sorted(names, key=len, reverse=True):
            end = start + len(name)
            same = self._text[start:end].casefold() == name.casefold()
            if name and same and _END.match(self._text, end):
                return _Part(self._text[start:end], start, end)
        return None

    def _question(self, name: _Part) -> CatalogueQuestion:
        if name.text not in self._catalogue:
            self.fail(self._unknown(name), name.start, name.end)
        return self._tried(name, lambda: self._client[name.text])

    def _unknown(self, name: _Part) -> str:
        known = {each.code: each.name for each in self._catalogue}
        close = near(name.text, [*known, *known.values()])
        advice = f"Did you mean {close!r}?" if close else "audiencelab survey info lists them."
        before = self._text[: name.start].rstrip().removesuffix(",")
        if before != self._text[: name.start].rstrip() and not close:
            advice = f"Any of several answers: {before}|{name.text}. All of them: with and."
        elif of := self._questions_with(name.text):
            advice = f"Did you mean {f'{of[0]}={name.text}'!r}?"
            if len(of) > 1:
                advice = f"It is an answer of {', '.join(of)}: write {of[0]}={name.text}."
        return f"There is no question {name.text!r}. {advice}"

    def _questions_with(self, answer: str) -> list[str]:
        """The questions that have an answer of this name."""
        return [each.code for each in self._catalogue if answer in each][:_MOST]

    def _compared(
        self, question: CatalogueQuestion, sign: str, values: Sequence[_Part]
    ) -> Expression:
        at = _Part("", values[0].start, values[-1].end)
        for each in values if len(values) > 1 else ():
            # Each by itself, so that the mark is below the one that is not there.
            self._tried(each, lambda each=each: is_answer_of(question, each.text))
        return self._tried(at, lambda: compared(question, sign, [each.text for each in values]))

    def _of_waves(self, name: _Part, sign: str) -> Expression:
        waves = {each.code: each.name for each in self._client.waves()}
        numbers = {code.rpartition("_")[2]: code for code in waves}
        if not sign:
            return Q(WAVES).any(list(waves))
        values = self._values(name, sign, None)
        chosen: list[str] = []
        for each in values:
            code = numbers.get(each.text, each.text)
            found = self._tried(each, lambda code=code: find_waves([code], waves))
            if unknown := [code for code in found if code not in waves]:
                listed = ", ".join(waves.values())
                self.fail(f"There is no wave {unknown[0]!r}: {listed}", each.start, each.end)
            chosen += found
        order = [*waves]
        first, last = order.index(chosen[0]), order.index(chosen[-1])
        chosen = {
            ">=": order[first:],
            ">": order[last + 1 :],
            "<=": order[: last + 1],
            "<": order[:first],
            "!=": [code for code in order if code not in chosen],
        }.get(sign, chosen)
        if not chosen:
            self.fail("No wave is left", name.start, values[-1].end)
        return Q(WAVES).any(chosen)

    def _part(self, start: int, end: int) -> _Part:
        text = self._text[start:end]
        start += len(text) - len(text.lstrip())
        return _Part(text.strip(), start, start + len(text.strip()))

    def _takes(self, pattern: re.Pattern[str]) -> bool:
        if not (found := pattern.match(self._text, self.at)):
            return False
        self.at = found.end()
        return True

    def _tried(self, part: _Part, make: Callable[[], Any]) -> Any:
        """What is made, an error with its position in the text."""
        try:
            return make()
        except (AudienceError, ValueError) as error:
            self.fail(str(error), part.start, part.end)

    def fail(self, message: str, start: int, end: int | None = None) -> NoReturn:
        marks = " " * start + "^" * max(1, (end or start) - start)
        stop = "" if message.endswith((".", "?", "…")) else "."
        raise ConditionError(f"{message}{stop}\n  {self._text}\n  {marks}")
