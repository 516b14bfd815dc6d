"""The answers to a derived question in one wave, and whose answers to it can be known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from audiencelab.survey.answers import Bits, QuestionBits
from audiencelab.survey.catalogue import SurveyQuestion
from audiencelab.survey.derivations import DERIVED_FLAG, Bands, Cross, Definition, Net, codes_in


def derived_bits(
    definition: Definition, question: SurveyQuestion, sources: Sequence[QuestionBits]
) -> QuestionBits:
    """Who was asked all sources, who gave each datapoint, and of whom that can be known.

    A datapoint counts among those who answered what it is made from: of a question with several
    answers those who were asked all of its items that the wave offered, of a grid those with an
    answer to each, else those with an answer to the question.
    """
    asked: Bits = np.bitwise_and.reduce([source.asked for source in sources], axis=0)
    parts = list(_parts(definition, sources, asked))
    codes = [point.code for point in question.datapoints]
    return QuestionBits(
        question,
        np.vstack([asked, *(given for given, _, _ in parts)]),
        {code: known for code, (_, known, _) in zip(codes, parts, strict=True)},
        tuple(code for code, (_, _, offered) in zip(codes, parts, strict=True) if not offered),
    )


_Part = tuple[Bits, Bits, bool]
"""Who gave a datapoint, of whom that can be known, and whether the wave offered it."""


def _parts(definition: Definition, sources: Sequence[QuestionBits], asked: Bits) -> Iterator[_Part]:
    if isinstance(definition, Cross):
        first, second = (
            [
                (each.datapoint(point.code), *_known(each, [point.code]))
                for point in each.question.datapoints
            ]
            for each in sources
        )
        for given, known, offered in first:
            for other, of_other, also in second:
                yield given & other, known & of_other & asked, offered and also
        return
    [source] = sources
    if isinstance(definition, Bands):
        groups = [(codes_in(source.question, band), ()) for band in definition.datapoints]
    else:
        groups = [(point.any, point.suffixes) for point in definition.datapoints]
    rows = [_any_of(source, codes, suffixes) for codes, suffixes in groups]
    for row, (codes, _) in zip(rows, groups, strict=True):
        yield row, *_known(source, codes)
    if isinstance(definition, Net) and definition.rest:
        used = list(dict.fromkeys(code for codes, _ in groups for code in codes))
        known, _ = _known(source, used)
        # Who was asked and is in no group, also without any answer; `known` leaves those out of
        # bases.
        yield asked & ~np.bitwise_or.reduce(rows, axis=0), known, True


def _any_of(source: QuestionBits, codes: Sequence[str], suffixes: Sequence[str] = ()) -> Bits:
    found = [source.datapoint(code, suffixes) for code in codes]
    return np.bitwise_or.reduce(found, axis=0)


def _known(source: QuestionBits, codes: Sequence[str]) -> tuple[Bits, bool]:
    """Of whom it is known whether they gave any of some answers; whether the wave offered any."""
    question, offered = source.question, [code for code in codes if code not in source.not_offered]
    is_derived, is_single = DERIVED_FLAG in question.flags, question.kind == "single"
    if is_single and not is_derived:
        return np.bitwise_or.reduce(source.matrix, axis=0), bool(offered)
    if question.kind == "grid":
        # Of a grid it is known only if each item has an answer.
        rows = [source.datapoint(code) for code in offered]
    else:
        rows = [source.asked_of(code) for code in offered or codes]
    return np.bitwise_and.reduce(rows or [np.zeros_like(source.asked)], axis=0), bool(offered)
