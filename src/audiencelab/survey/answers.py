"""Answers of one wave: as arrays on their way into a survey, as packed bits in it; the design.

Bits: respondent i is bit i % 64 of word i // 64, little-endian. The bits past the last respondent
are 0 in every row, so that counting needs no mask.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from audiencelab.expressions.codes import ASKED
from audiencelab.survey.catalogue import SurveyQuestion, SurveyWave
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.wording import plural

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
    # `packbits` fills up to a whole byte only; words need up to seven more, of zeros.
    packed = np.zeros((*flags.shape[:-1], words_for(respondents) * 8), np.uint8)
    packed[..., : octets.shape[-1]] = octets
    return packed.view(WORD)


def unpack(bits: Bits, respondents: int) -> Flags:
    """`uint64[…, words]` as `bool[…, n]`."""
    # A part of a row is not contiguous, and cannot be seen as bytes without a copy.
    octets = np.ascontiguousarray(bits, dtype=WORD).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=respondents, bitorder="little").view(np.bool_)


@dataclass(frozen=True, slots=True)
class Answers:
    """What n respondents answered, with k datapoints and s suffixes in catalogue order.

    values: single: int[n], the position of the datapoint, -1 for none. Multiple: bool[n, k]. Grid:
    int[n, k], the position of the suffix of each datapoint, -1 for none; or bool[n, k, s].
    asked: bool[n]; None means everyone, or those who were asked any of the `items`. Respondents who
    were not asked cannot have answered.
    items: of a multiple question or grid, who was asked each item, bool[n, k]; None means all who
    were asked the question. An item without any was not offered.
    not_offered: codes of the datapoints that no respondent could give.
    """

    values: npt.NDArray[Any]
    asked: Flags | None = None
    items: Flags | None = None
    not_offered: Collection[str] = ()

    @classmethod
    def of(cls, given: Answers | npt.NDArray[Any]) -> Answers:
        """`given`, or an array as the answers of respondents who were all asked."""
        return given if isinstance(given, Answers) else cls(np.asarray(given))

    def asked_by(self, respondents: int) -> Flags:
        """Who was asked, bool[n]."""
        if self.asked is not None:
            return self.asked
        if self.items is not None:
            return np.logical_or.reduce(self.items, axis=1)
        return np.ones(respondents, np.bool_)

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
            answered = self._given().reshape(respondents, -1).any(axis=1)
            if odd := np.count_nonzero(answered & ~self.asked):
                raise SurveyError(f"{where}: {odd:,} respondents answered without being asked.")
        if self.items is not None:
            self._check_items(where, question, self.items)
        if self.not_offered:
            self._check_offered(where, question)

    def _given(self) -> Flags:
        """Who gave which answer: values as flags."""
        return self.values if self.values.dtype == np.bool_ else self.values >= 0

    def _check_items(self, where: str, question: SurveyQuestion, items: Flags) -> None:
        points = len(question.datapoints)
        shape = (len(self.values), points)
        if question.kind == "single" or items.shape != shape or items.dtype != np.bool_:
            wanted = f"bool{list(shape)}" if question.kind != "single" else "left out"
            raise SurveyError(f"{where}: `items` of a {question.kind} question must be {wanted}.")
        if self.asked is not None and (items & ~self.asked[:, None]).any():
            raise SurveyError(f"{where}: `items` has respondents who were not asked the question.")
        given = self._given().reshape(*shape, -1).any(axis=2)
        if (odd := np.count_nonzero(given & ~items, axis=0)).any():
            first = int(odd.argmax())
            raise SurveyError(
                f"{where}: {odd[first]:,} respondents answered {question.datapoints[first].code} "
                "without being asked it."
            )

    def _check_offered(self, where: str, question: SurveyQuestion) -> None:
        positions = question.datapoint_positions
        if unknown := [code for code in self.not_offered if code not in positions]:
            raise SurveyError(f"{where}: `not_offered` has unknown answers: {listed(unknown)}.")
        gave = self.values
        for code in self.not_offered:
            place = positions[code]
            column = gave == place if question.kind == "single" else self._given()[:, place]
            if column.any():
                raise SurveyError(f"{where}: {code} was given, so it was offered.")

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
        # -1, for no answer, equals no position.
        return np.arange(question.rows)[:, None] == values
    positions = np.arange(len(question.suffixes))
    # Item by item, and in each the points of the scale: the order of rows in the file.
    return (values.T[:, None, :] == positions[None, :, None]).reshape(question.rows, len(values))


def checked_numbers(
    wave: SurveyWave, question: SurveyQuestion, given: npt.ArrayLike
) -> npt.NDArray[np.float64]:
    """The numbers of a single question's answers; `SurveyError` for others, and for misfits."""
    numbers = np.asarray(given, dtype="<f8")
    where, respondents = f"Wave {wave.code}, {question.canonical}", wave.respondents
    if question.kind != "single":
        raise SurveyError(f"{where}: only a single question has numbers.")
    if numbers.shape != (respondents,) or np.isinf(numbers).any():
        raise SurveyError(
            f"{where}: numbers must be float64[{respondents}], each finite or NaN; got "
            f"{numbers.dtype}{list(numbers.shape)}."
        )
    return numbers


def location_order(answers: Answers, question: SurveyQuestion) -> npt.NDArray[np.intp]:
    """The order of respondents by location; those without one come last."""
    positions = np.where(answers.values < 0, len(question.datapoints), answers.values)
    # Stable, so that the same file always gives the same survey and the same seal.
    return np.argsort(positions, kind="stable")


class QuestionBits:
    """The answers to one question in one wave.

    asked: `uint64[words]`, who was asked.
    matrix: `uint64[k, words]`, one row for each datapoint, or each datapoint × suffix (the
    suffixes of the first datapoint first). Rows are views of the file, and read-only.
    rows: both together, `uint64[1 + k, words]`.
    items: who was asked an item, `uint64[words]` by its code, where that is not who was asked the
    question; all 0 for an item that the wave did not offer. Those of a derived question hold whose
    answers it can be known of.
    not_offered: codes of the answers or items that the wave did not offer.
    """

    __slots__ = ("asked", "items", "matrix", "not_offered", "question", "rows")

    def __init__(
        self,
        question: SurveyQuestion,
        rows: Bits,
        items: Mapping[str, Bits] | None = None,
        not_offered: Collection[str] = (),
    ) -> None:
        self.question = question
        self.not_offered: Collection[str] = not_offered
        self.items: Mapping[str, Bits] = items or {}
        if not_offered and question.kind != "single":
            none_asked: Bits = np.zeros_like(rows[0])
            self.items = {**self.items, **dict.fromkeys(not_offered, none_asked)}
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


def pack_answers(
    question: SurveyQuestion, answers: Answers, order: npt.NDArray[Any]
) -> QuestionBits:
    """A question's bits, respondents in `order`."""
    bits = np.zeros((1 + question.rows, words_for(len(order))), WORD)
    asked = answers.asked_by(len(order))
    for first in range(0, len(order), _BLOCK):
        some = order[first : first + _BLOCK]
        words = slice(first // 64, first // 64 + words_for(len(some)))
        bits[0, words] = pack(asked[some])
        bits[1:, words] = pack(answer_rows(question, answers, some))
    gone, items = dict.fromkeys(answers.not_offered), dict[str, Bits]()
    if answers.items is not None:
        for place, point in enumerate(question.datapoints):
            row = pack(answers.items[order, place])
            # No respondent was asked the item, although some were asked the question: it was not
            # offered.
            if not row.any() and bits[0].any():
                gone[point.code] = None
            elif not np.array_equal(row, bits[0]):
                items[point.code] = row
    return QuestionBits(question, bits, items, tuple(gone))


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
        """Raise `SurveyError` unless all weights and scales are finite numbers of at least 0.

        Each replicate has a scale, and some weight above 0.
        """
        count = len(self.scales)
        if self.weights.shape != (count, respondents) or count < 2:
            raise SurveyError(
                f"Wave {wave}: replicate weights must be two or more for each of the "
                f"{respondents:,} respondents, with a scale each; got weights"
                f"{list(self.weights.shape)} and {plural(count, 'scale')}."
            )
        if not (np.isfinite(self.scales).all() and (self.scales >= 0).all() and self.scales.any()):
            raise SurveyError(f"Wave {wave}: scales of replicates must be numbers of at least 0.")
        sound = np.isfinite(self.weights) & (self.weights >= 0)
        wrong = ~sound.all(axis=1) | ~self.weights.any(axis=1)
        if wrong.any():
            raise SurveyError(
                f"Wave {wave}: replicate weights must be finite numbers of at least 0, not all of "
                f"them 0; replicate {int(wrong.argmax()) + 1:,} of {count:,} is not."
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

    def ordered(self, order: npt.NDArray[Any]) -> Raking:
        """The same for the respondents in another order."""
        return Raking(self.weights[order], self.categories[:, order])


@dataclass(frozen=True, slots=True)
class Design:
    """Strata and primary sampling units of n respondents; None where they are not known.

    fpc: float64[n], how many units the stratum of each has in the population, or (up to 1) which
        part of them was drawn. replicates: replicate weights. raking: what they were raked to.
    persons: int64[n], the same number for the same person in all waves.

    strata, clusters: int32[n], any numbers of at least 0, the same for respondents of the same
    stratum or cluster. Clusters of different strata have different numbers. Where persons are
    known, or clusters recur, they are int64[n], and a stratum or cluster has one number in all
    waves. recur: whether several waves were drawn from the same clusters.
    """

    strata: Codes | None = None
    clusters: Codes | None = None
    fpc: npt.NDArray[np.float64] | None = None
    replicates: Replicates | None = None
    raking: Raking | None = None
    persons: Codes | None = None
    recur: bool = False

    @property
    def in_common(self) -> Codes | None:
        """What may be in several waves: persons, or clusters that recur; None for neither."""
        return self.clusters if self.recur and self.persons is None else self.persons

    def columns(self) -> dict[str, Codes]:
        """The columns that are known, by name."""
        every = {"strata": self.strata, "clusters": self.clusters, "persons": self.persons}
        return {name: codes for name, codes in every.items() if codes is not None}

    def check(self, wave: str, respondents: int) -> None:
        """Raise `SurveyError` unless there is one number of at least 0 for each respondent."""
        most = 2**31 if self.in_common is None else MOST_OF_PANELS
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

    def check_population(self, wave: str) -> None:
        """Raise `SurveyError` for an `fpc` that is not the size of the respondents' strata."""
        if misfit := self.population_error():
            raise SurveyError(f"Wave {wave}: `fpc` is not valid: {misfit}.")

    def population_error(self) -> str:
        """Why `fpc` is not the size of the respondents' strata; "" where it may be."""
        if self.fpc is None:
            return ""
        stratum = np.zeros(len(self.fpc), np.intp)
        if self.strata is not None:
            stratum = np.unique(self.strata, return_inverse=True)[1].reshape(-1)
        strata = int(stratum.max(initial=0)) + 1
        size = np.zeros(strata)
        # The last respondent's of each stratum, with which all others are compared.
        size[stratum] = self.fpc
        if differing := np.unique(stratum[size[stratum] != self.fpc]).size:
            have = "stratum has" if differing == 1 else "strata have"
            return (
                f"{differing:,} {have} respondents with different sizes of the population. Give "
                "all of a stratum the same"
            )
        units, word = stratum, "respondents"
        if self.clusters is not None:
            units, word = np.unique(np.stack([stratum, self.clusters]), axis=1)[0], "clusters"
        drawn = np.bincount(units, minlength=strata)
        if (below := (size > 1) & (size < drawn)).any():
            first = int(below.argmax())
            return (
                f"a stratum of {size[first]:,g} in the population has {drawn[first]:,} {word} in "
                f"the sample. Give how many {word} the stratum has in the population"
            )
        return ""

    def ordered(self, order: npt.NDArray[Any]) -> Design:
        """The same for the respondents in another order."""
        # Numbers of a panel are made of the values themselves, to be the same in all waves, and
        # take 53 bits.
        kind = np.int32 if self.in_common is None else np.int64
        found = {name: codes[order].astype(kind) for name, codes in self.columns().items()}
        fpc = None if self.fpc is None else self.fpc[order]
        replicates = self.replicates
        if replicates is not None:
            replicates = replace(replicates, weights=replicates.weights[:, order])
        raking = self.raking
        if raking is not None:
            raking = raking.ordered(order)
        recur = self.recur
        return Design(**found, fpc=fpc, replicates=replicates, raking=raking, recur=recur)
