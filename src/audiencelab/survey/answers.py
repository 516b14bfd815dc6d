"""Answers of one wave: as arrays on their way into a survey, as packed bits in it; the design.

Bits: respondent i is bit i % 64 of word i // 64, little-endian. The bits past the last respondent
are 0 in every row, so that counting needs no mask.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from audiencelab.expressions.codes import ASKED
from audiencelab.survey.catalogue import SurveyQuestion
from audiencelab.survey.errors import SurveyError

Bits = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.signedinteger[Any]]

MOST_OF_PANELS = 2**53
"""Numbers of persons, strata and clusters of a panel are smaller, as float64 holds them."""

WORD = np.dtype("<u8")
"""A word in a file; the same as uint64 on every machine this runs on today."""

_BLOCK = 64 << 12
"""Respondents whose answers are unpacked at a time, a byte for each answer; whole words."""


def words_for(respondents: int) -> int:
    """The number of words in a row of that many respondents."""
    return -(-respondents // 64)


def pack(flags: Flags) -> Bits:
    """`bool[…, n]` as `uint64[…, words]`."""
    respondents = flags.shape[-1]
    octets = np.packbits(flags, axis=-1, bitorder="little")
    packed = np.zeros((*flags.shape[:-1], words_for(respondents) * 8), np.uint8)
    packed[..., : octets.shape[-1]] = octets
    return packed.view(WORD)


def unpack(bits: Bits, respondents: int) -> Flags:
    """`uint64[…, words]` as `bool[…, n]`."""
    octets = np.ascontiguousarray(bits, dtype=WORD).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=respondents, bitorder="little").view(np.bool_)


@dataclass(frozen=True, slots=True)
class Answers:
    """What n respondents answered, with k datapoints and s suffixes in catalogue order.

    values: single: int[n], the position of the datapoint, -1 for none. Multiple: bool[n, k]. Grid:
    int[n, k], the position of the suffix of each datapoint, -1 for none; or bool[n, k, s].
    asked: bool[n]; None means everyone. Respondents who were not asked cannot have answered.
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
        where = f"Wave {wave}, {question.canonical}"
        self._check_shape(where, question, respondents)
        if self.asked is not None and self.asked.shape != (respondents,):
            raise SurveyError(f"{where}: `asked` must have one flag for each respondent.")
        if self.values.dtype != np.bool_:
            most = len(question.suffixes) or len(question.datapoints)
            if self.values.size and not -1 <= self.values.min() <= self.values.max() < most:
                raise SurveyError(f"{where}: positions must be from -1 (none) to {most - 1}.")
        if self.asked is not None:
            given: Flags = self.values if self.values.dtype == np.bool_ else self.values >= 0
            answered = given.reshape(len(given), -1).any(axis=1)
            if odd := np.count_nonzero(answered & ~self.asked):
                raise SurveyError(f"{where}: {odd:,} respondents answered without being asked.")

    def _check_shape(self, where: str, question: SurveyQuestion, respondents: int) -> None:
        n, k, s = respondents, len(question.datapoints), len(question.suffixes)
        allowed = {
            "single": {False: (n,)},
            "multiple": {True: (n, k)},
            "grid": {False: (n, k), True: (n, k, s)},
        }[question.kind]
        flags = self.values.dtype == np.bool_
        if self.values.shape != allowed.get(flags) or not (
            flags or np.issubdtype(self.values.dtype, np.signedinteger)
        ):
            wanted = " or ".join(
                f"{'bool' if flags else 'int'}{list(shape)}" for flags, shape in allowed.items()
            )
            raise SurveyError(
                f"{where}: the answers to a {question.kind} question must be {wanted}; got "
                f"{self.values.dtype}{list(self.values.shape)}."
            )


def answer_rows(question: SurveyQuestion, answers: Answers, order: npt.NDArray[Any]) -> Flags:
    """The rows of a question in a wave's file, respondents in `order`: bool[rows, n]."""
    values = answers.values[order]
    if values.dtype == np.bool_:
        return values.reshape(len(values), question.rows).T
    if question.kind == "single":
        return np.arange(question.rows)[:, None] == values
    positions = np.arange(len(question.suffixes))
    return (values.T[:, None, :] == positions[None, :, None]).reshape(question.rows, len(values))


def location_order(answers: Answers, question: SurveyQuestion) -> npt.NDArray[np.intp]:
    """The order of respondents by location; those without one come last."""
    positions = np.where(answers.values < 0, len(question.datapoints), answers.values)
    return np.argsort(positions, kind="stable")


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


class QuestionBits:
    """The answers to one question in one wave.

    asked: `uint64[words]`, who was asked.
    matrix: `uint64[k, words]`, one row for each datapoint, or each datapoint × suffix (the
    suffixes of the first datapoint first). Rows are views of the file, and read-only.
    rows: both together, `uint64[1 + k, words]`.
    items: who was asked an item, `uint64[words]` by its code, where that is not who was asked the
    question; all 0 for an item that the wave did not offer.
    """

    __slots__ = ("asked", "items", "matrix", "question", "rows")

    def __init__(
        self, question: SurveyQuestion, rows: Bits, items: Mapping[str, Bits] | None = None
    ) -> None:
        self.question = question
        self.items: Mapping[str, Bits] = items or {}
        self.rows: Bits = rows
        self.asked: Bits = rows[0]
        self.matrix: Bits = rows[1:]

    def asked_of(self, item: str) -> Bits:
        """Who was asked an item of a multiple question or grid: `uint64[words]`, read-only."""
        return self.items.get(item, self.asked)

    def datapoint(self, code: str, suffixes: Sequence[str] = ()) -> Bits:
        """Who gave the datapoint with any of the suffixes (none listed: with any at all).

        code: of a datapoint; `ASKED` is who was asked.
        `uint64[words]`, read-only or fresh. `KeyError` for a code that is not the question's.
        """
        if code == ASKED:
            return self.asked
        position = self.question.datapoint_positions[code]
        width = max(1, len(self.question.suffixes))
        block = self.matrix[position * width : (position + 1) * width]
        if suffixes:
            block = block[[self.question.suffix_positions[suffix] for suffix in suffixes]]
        return block[0] if len(block) == 1 else np.bitwise_or.reduce(block, axis=0)


@dataclass(frozen=True, slots=True)
class Replicates:
    """R replicate weights of n respondents, for variances.

    weights: float64[R, n], each of a whole sample. scales: what each squared deviation counts,
        float64[R]. method: how they were made, for people.
    """

    weights: npt.NDArray[np.float64]
    scales: npt.NDArray[np.float64]
    method: str

    def check(self, wave: str, respondents: int) -> None:
        """Raise `SurveyError` unless all weights and scales are finite numbers of at least 0."""
        fits = self.weights.shape == (len(self.scales), respondents) and len(self.scales) > 1
        numbers = (self.weights, self.scales)
        if not fits or not all(np.isfinite(each).all() and (each >= 0).all() for each in numbers):
            raise SurveyError(
                f"Wave {wave}: replicate weights must be two or more finite numbers of at least 0 "
                f"for each of the {respondents:,} respondents, with a scale each."
            )


@dataclass(frozen=True, slots=True)
class Raking:
    """The margins that n respondents were raked to, for variances.

    weights: float64[n], before raking. categories: int32[margins, n], the number of each
        respondent's category, that no other margin has; -1 for those who were not raked.
    """

    weights: npt.NDArray[np.float64]
    categories: Codes

    def check(self, wave: str, respondents: int) -> None:
        """Raise `SurveyError` for weights that are not finite and at least 0, and for misfits."""
        fits = self.weights.shape == (respondents,) == self.categories.shape[1:]
        if not (fits and np.isfinite(self.weights).all() and (self.weights >= 0).all()):
            raise SurveyError(
                f"Wave {wave}: what it was raked to must have a weight of at least 0 and a number "
                f"in each margin for each of the {respondents:,} respondents."
            )


@dataclass(frozen=True, slots=True)
class Design:
    """Strata and primary sampling units of n respondents; None where they are not known.

    fpc: float64[n], how many units the stratum of each has in the population, or (up to 1) which
        part of them was drawn. replicates: replicate weights. raking: what they were raked to.
    persons: int64[n], the same number for the same person in all waves.

    strata, clusters: int32[n], any numbers of at least 0, the same for respondents of the same
    stratum or cluster. Clusters of different strata have different numbers. Where persons are
    known, they are int64[n], and a stratum or cluster has one number in all waves.
    """

    strata: Codes | None = None
    clusters: Codes | None = None
    fpc: npt.NDArray[np.float64] | None = None
    replicates: Replicates | None = None
    raking: Raking | None = None
    persons: Codes | None = None

    def columns(self) -> dict[str, Codes]:
        """The columns that are known, by name."""
        every = {"strata": self.strata, "clusters": self.clusters, "persons": self.persons}
        return {name: codes for name, codes in every.items() if codes is not None}

    def check(self, wave: str, respondents: int) -> None:
        """Raise `SurveyError` unless there is one number of at least 0 for each respondent."""
        most = 2**31 if self.persons is None else MOST_OF_PANELS
        for name, codes in self.columns().items():
            if codes.shape != (respondents,) or not np.issubdtype(codes.dtype, np.integer):
                raise SurveyError(
                    f"Wave {wave}: `{name}` must be an integer for each of the "
                    f"{respondents:,} respondents."
                )
            if codes.min() < 0 or codes.max() >= most:
                bits = most.bit_length() - 1
                raise SurveyError(f"Wave {wave}: `{name}` must be numbers from 0 to 2^{bits} - 1.")
        if self.fpc is not None and not (self.fpc.shape == (respondents,) and (self.fpc > 0).all()):
            raise SurveyError(f"Wave {wave}: `fpc` must be a number above 0 for each respondent.")
        for each in (self.replicates, self.raking):
            if each is not None:
                each.check(wave, respondents)

    def ordered(self, order: npt.NDArray[Any]) -> Design:
        """The same for the respondents in another order."""
        kind = np.int32 if self.persons is None else np.int64
        found = {name: codes[order].astype(kind) for name, codes in self.columns().items()}
        fpc = None if self.fpc is None else self.fpc[order]
        replicates = self.replicates
        if replicates is not None:
            replicates = replace(replicates, weights=replicates.weights[:, order])
        raking = self.raking
        if raking is not None:
            raking = Raking(raking.weights[order], raking.categories[:, order])
        return Design(**found, fpc=fpc, replicates=replicates, raking=raking)
