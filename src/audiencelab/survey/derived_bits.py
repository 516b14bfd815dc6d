"""The answers to a derived question in one wave, and whose answers to it can be known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from audiencelab.survey.answers import Bits, QuestionBits
from audiencelab.survey.catalogue import SurveyQuestion
from audiencelab.survey.conditions import Answered, Evaluation, known_of
from audiencelab.survey.derivations import Bands, Cross, Grouping, Net, codes_in


def derived_bits(
    definition: Net | Bands | Cross, question: SurveyQuestion, sources: Sequence[QuestionBits]
) -> QuestionBits:
    """Who was asked all sources, who gave each datapoint, and of whom that can be known.

    A datapoint counts among those who answered what it is made from: of a question with several
    answers those who were asked all of its items that the wave offered, of a grid those with an
    answer to each, else those with an answer to the question.
    """
    asked: Bits = np.bitwise_and.reduce([source.asked for source in sources], axis=0)
    return _made(question, asked, list(_parts(definition, sources, asked)))


def group_bits(
    definition: Grouping, question: SurveyQuestion, wave: Answered
) -> QuestionBits | None:
    """The same of groups; None where the wave covers none of them.

    Groups that share respondents count each within those of whom its expression is known. Others
    are answers of one question, and have one base: who is in any of them, or in none for sure.
    """
    evaluation = Evaluation(wave)
    held = [*map(evaluation.counted, definition.expressions)]
    covered = [each for each in held if each.covered]
    if not covered:
        return None
    given: Bits = np.bitwise_or.reduce([each.given for each in covered], axis=0)
    known: Bits = np.bitwise_and.reduce([each.known for each in covered], axis=0)
    nobody: Bits = np.zeros_like(given)
    if not definition.several:
        # Who is outside of each group, whether all of its questions were asked or not.
        known = np.bitwise_and.reduce(
            [
                each.known | evaluation.outside(expression)
                for each, expression in zip(held, definition.expressions, strict=True)
                if each.covered
            ],
            axis=0,
        )
    one = None if definition.several else given | known
    parts: list[_Part] = []
    for each in held:
        base = each.known if one is None or not each.covered else one
        parts.append((each.given, base, each.offered))
    if definition.rest:
        # Where a wave does not cover a group, the rest is not known to be outside of it.
        is_known = len(covered) == len(held)
        base = known if one is None else one
        parts.append((known & ~given, base, True) if is_known else (nobody, nobody, False))
    asked: Bits = np.bitwise_or.reduce([base for _, base, _ in parts], axis=0)
    return _made(question, asked, parts)


def shared_by(rows: Bits) -> Bits:
    """Who is in two or more of some rows: uint64[words]."""
    seen, twice = np.zeros_like(rows[0]), np.zeros_like(rows[0])
    for row in rows:
        twice |= seen & row
        seen |= row
    return twice


def _made(question: SurveyQuestion, asked: Bits, parts: Sequence[_Part]) -> QuestionBits:
    codes = [point.code for point in question.datapoints]
    return QuestionBits(
        question,
        np.vstack([asked, *(given for given, _, _ in parts)]),
        {code: known for code, (_, known, _) in zip(codes, parts, strict=True)},
        tuple(code for code, (_, _, offered) in zip(codes, parts, strict=True) if not offered),
    )


_Part = tuple[Bits, Bits, bool]
"""Who gave a datapoint, of whom that can be known, and whether the wave offered it."""


def _parts(
    definition: Net | Bands | Cross, sources: Sequence[QuestionBits], asked: Bits
) -> Iterator[_Part]:
    if isinstance(definition, Cross):
        first, second = (
            [
                (each.datapoint(point.code), *known_of(each, [point.code]))
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
        yield row, *known_of(source, codes)
    if isinstance(definition, Net) and definition.rest:
        used = list(dict.fromkeys(code for codes, _ in groups for code in codes))
        known, _ = known_of(source, used)
        # Who was asked and is in no group, also without any answer; `known` leaves those out of
        # bases.
        yield asked & ~np.bitwise_or.reduce(rows, axis=0), known, True


def _any_of(source: QuestionBits, codes: Sequence[str], suffixes: Sequence[str] = ()) -> Bits:
    found = [source.datapoint(code, suffixes) for code in codes]
    return np.bitwise_or.reduce(found, axis=0)
