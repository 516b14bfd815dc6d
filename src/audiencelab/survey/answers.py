"""Answers of one wave to one question, on their way into a survey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from audiencelab.survey.bits import WORD, Bits, Flags, pack, words_for
from audiencelab.survey.catalogue import SurveyQuestion
from audiencelab.survey.errors import SurveyError

__all__ = ["Answers", "answer_rows", "location_order", "pack_answers"]

_BLOCK = 64 << 12
"""Respondents whose answers are spread out at a time, a byte for each answer; whole words."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What n respondents answered, with k datapoints and s suffixes in catalogue order.

    values: single: int[n], the place of the datapoint, -1 for none. Multiple: bool[n, k]. Grid:
    int[n, k], the place of the suffix that each datapoint got, -1 for none; or bool[n, k, s].
    asked: bool[n]; None means everyone. Who was not asked cannot have answered.
    """

    values: npt.NDArray[Any]
    asked: Flags | None = None

    @classmethod
    def of(cls, given: Answers | npt.NDArray[Any]) -> Answers:
        """`given`, or an array as the answers of respondents who were all asked."""
        return given if isinstance(given, Answers) else cls(np.asarray(given))

    def asked_by(self, respondents: int) -> Flags:
        """Who was asked, bool[n]."""
        return np.ones(respondents, np.bool_) if self.asked is None else self.asked

    def check(self, wave: str, question: SurveyQuestion, respondents: int) -> None:
        """Raise `SurveyError` unless these answers fit the question and the wave."""
        place = f"Wave {wave}, {question.canonical}"
        self._check_shape(place, question, respondents)
        if self.asked is not None and self.asked.shape != (respondents,):
            raise SurveyError(f"{place}: `asked` must hold one flag for each respondent.")
        if self.values.dtype != np.bool_:
            most = len(question.suffixes) or len(question.datapoints)
            if self.values.size and not -1 <= self.values.min() <= self.values.max() < most:
                raise SurveyError(f"{place}: places must run from -1 (none) to {most - 1}.")
        if self.asked is not None and (odd := np.count_nonzero(self._answered() & ~self.asked)):
            raise SurveyError(f"{place}: {odd:,} respondents answered without being asked.")

    def _check_shape(self, place: str, question: SurveyQuestion, respondents: int) -> None:
        points, suffixes = len(question.datapoints), len(question.suffixes)
        shape, flags = self.values.shape, self.values.dtype == np.bool_
        allowed = {
            "single": (not flags and shape == (respondents,), f"int[{respondents}]"),
            "multiple": (
                flags and shape == (respondents, points),
                f"bool[{respondents}, {points}]",
            ),
            "grid": (
                shape == ((respondents, points, suffixes) if flags else (respondents, points)),
                f"int[{respondents}, {points}] or bool[{respondents}, {points}, {suffixes}]",
            ),
        }
        fits, wanted = allowed[question.kind]
        if not fits or not (flags or np.issubdtype(self.values.dtype, np.signedinteger)):
            raise SurveyError(
                f"{place}: a {question.kind} question wants {wanted}, "
                f"not {self.values.dtype}{list(shape)}."
            )

    def _answered(self) -> Flags:
        given: Flags = self.values if self.values.dtype == np.bool_ else self.values >= 0
        return np.any(given.reshape(len(given), -1), axis=1)


def answer_rows(question: SurveyQuestion, answers: Answers, order: npt.NDArray[Any]) -> Flags:
    """The rows of a question in a wave's file, respondents in `order`: bool[rows, n]."""
    values = answers.values[order]
    if values.dtype == np.bool_:
        return values.reshape(len(values), question.rows).T
    if question.kind == "single":
        return np.arange(question.rows)[:, None] == values
    places = np.arange(len(question.suffixes))
    return (values.T[:, None, :] == places[None, :, None]).reshape(question.rows, len(values))


def location_order(answers: Answers, question: SurveyQuestion) -> npt.NDArray[np.intp]:
    """The order of respondents by location; those without one come last."""
    places = np.where(answers.values < 0, len(question.datapoints), answers.values)
    return np.argsort(places, kind="stable")


def pack_answers(question: SurveyQuestion, answers: Answers, order: npt.NDArray[Any]) -> Bits:
    """A question's bits, respondents in `order`: uint64[1 + rows, words], who was asked first."""
    bits = np.zeros((1 + question.rows, words_for(len(order))), WORD)
    asked = answers.asked_by(len(order))
    for first in range(0, len(order), _BLOCK):
        some = order[first : first + _BLOCK]
        words = slice(first // 64, first // 64 + words_for(len(some)))
        bits[0, words] = pack(asked[some])
        bits[1:, words] = pack(answer_rows(question, answers, some))
    return bits
