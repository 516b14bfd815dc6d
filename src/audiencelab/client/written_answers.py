"""Answers of a question as a condition in text names them: by name, code, or number."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.catalogue.file_codes import by_code_or_score, file_code
from audiencelab.client.catalogue.labels import find_by_code_or_name
from audiencelab.client.catalogue.numbers import spans_of
from audiencelab.expressions import Expression
from audiencelab.lines import near
from audiencelab.schema.scales import keeps_numbers, scale_of

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_CHOSEN = {"1": True, "yes": True, "true": True, "0": False, "no": False, "false": False}
_SPAN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:-|–|to|\.\.)\s*(\d+(?:\.\d+)?)\s*")
_MOST = 12


class WrittenAnswerError(ValueError):
    """An answer that a question does not have, or that may be one of two."""


def is_answer_of(question: CatalogueQuestion, text: str) -> bool:
    """Whether a text is an answer or a number of a question; raises `WrittenAnswerError`."""
    _meant(question, text)
    return True


def compared(question: CatalogueQuestion, sign: str, texts: Sequence[str]) -> Expression:
    """Everyone whose answer, or number, compares so with any of these.

    Raises `WrittenAnswerError` for an answer that is not there, for a number that is the code of
    one answer and the score of another, and for `<` of a question without numbers or an order.
    """
    if sign in _COMPARE:
        if len(texts) > 1:
            raise WrittenAnswerError(f"{sign} is followed by one number or answer")
        return _ordered(question, sign, texts[0])
    if len(texts) == 1 and (numbers := _from_to(question, texts[0])) is not None:
        return ~numbers if sign == "!=" else numbers
    found = [_meant(question, each) for each in texts]
    if question.item_of is not None and question.record.kind == "multiple":
        chosen = question.any()
        held = chosen if any(each is not False for each in found) else ~chosen
    else:
        held = question.any(found)
    return ~held if sign == "!=" else held


def _from_to(question: CatalogueQuestion, text: str) -> Expression | None:
    """Numbers from one to another, "18-34", unless an answer is called so."""
    ends = _SPAN.fullmatch(text)
    if ends is None or not keeps_numbers(question.record) or text in question:
        return None
    return question.between(float(ends[1]), float(ends[2]))


def answer_codes(question: CatalogueQuestion, texts: Sequence[str]) -> list[str]:
    """The codes of answers, of a grid of points of its scale; raises `WrittenAnswerError`."""
    return [_code(question, each) for each in texts]


def _code(question: CatalogueQuestion, text: str) -> str:
    listed = question.suffixes or question.datapoints
    value, found = _number(text), find_by_code_or_name(text, listed)
    if found is not None:
        return found.code
    try:
        coded = "" if value is None or question.suffixes else by_code_or_score(question, value)
    except ValueError as error:
        raise WrittenAnswerError(str(error)) from None
    if not coded:
        raise _unknown(question, text)
    return coded


def _meant(question: CatalogueQuestion, text: str) -> str | float | bool:
    """The code of an answer, or a number that the survey keeps of its respondents."""
    if question.suffixes:
        items = ", ".join(each.code for each in question.datapoints[:_MOST])
        raise WrittenAnswerError(
            f"{_title(question)} has an answer for each of its items: write one of {items}"
        )
    is_item = question.item_of is not None and question.record.kind == "multiple"
    if is_item and text.casefold() in _CHOSEN:
        return _CHOSEN[text.casefold()]
    value = _number(text)
    if value is not None and keeps_numbers(question.record):
        return value
    return _code(question, text)


def _ordered(question: CatalogueQuestion, sign: str, text: str) -> Expression:
    compare, value = _COMPARE[sign], _number(text)
    if question.suffixes:
        _meant(question, text)
    if value is None:
        found = find_by_code_or_name(text, question.datapoints)
        if found is None:
            raise _unknown(question, text)
        try:
            return compare(question, found.code)
        except TypeError:
            raise _no_order(question, sign) from None
    if keeps_numbers(question.record):
        return compare(question, value)
    return _by_codes(question, sign, value)


def _by_codes(question: CatalogueQuestion, sign: str, value: float) -> Expression:
    """The answers on the scale whose codes in the file compare so, unless amounts differ."""
    compare, off = _COMPARE[sign], scale_of(question.record).off
    listed = [each for each in question.datapoints if each.code not in off]
    coded = {each.code: code for each in listed if (code := file_code(each)) is not None}
    if question.record.kind == "multiple" or len(coded) < len(listed):
        raise _no_order(question, sign)
    spans = spans_of(question.datapoints)
    if spans and any(spans.get(code) != (each, each) for code, each in coded.items()):
        if not min(coded.values()) <= value <= max(coded.values()):
            return compare(question, value)
        raise WrittenAnswerError(
            f"{value:g} may be a code of {_title(question)} or an amount. Write its answers: "
            f"{_listed(question)}"
        )
    codes = [code for code, each in coded.items() if compare(each, value)]
    if not codes:
        raise WrittenAnswerError(f"No answer of {_title(question)} has such a code")
    return question.any(codes)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _title(question: CatalogueQuestion) -> str:
    own = question.code == question.name
    return question.code if own else f"{question.code} ({question.name})"


def _listed(question: CatalogueQuestion) -> str:
    names = [repr(each.name or each.code) for each in question.suffixes or question.datapoints]
    return ", ".join(names[:_MOST]) + (", …" if len(names) > _MOST else "")


def _unknown(question: CatalogueQuestion, text: str) -> WrittenAnswerError:
    names = [each.name or each.code for each in question.suffixes or question.datapoints]
    folded = {name.casefold(): name for name in names}
    close = folded.get(near(text.casefold(), folded), "")
    advice = f"Did you mean {close!r}?" if close else f"It has {_listed(question)}."
    return WrittenAnswerError(f"{_title(question)} has no answer {text!r}. {advice}")


def _no_order(question: CatalogueQuestion, sign: str) -> WrittenAnswerError:
    several = [each.name or each.code for each in question.datapoints[:2]]
    return WrittenAnswerError(
        f"The answers of {_title(question)} have no order for {sign}. List those that you mean: "
        f"{question.code}={'|'.join(several)}"
    )
