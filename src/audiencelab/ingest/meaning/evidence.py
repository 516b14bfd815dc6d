"""What the answers of a question mean: their order, top, ends, scores, and what is off the scale.

Words, numbers inside texts and codes are evidence. Two that agree decide; where they contradict
each other, the answers stay as the file has them, and the contradiction is a doubt.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from audiencelab.ingest.codebook import natural, number_of
from audiencelab.ingest.meaning.amounts import Amounts, amount_of, amounts_of
from audiencelab.ingest.meaning.known_scales import KnownScale, graded_in, known_scale
from audiencelab.ingest.meaning.words import is_negated, is_no_experience, is_off_scale
from audiencelab.schema.scales import Ends, Top

KnownTop: TypeAlias = Top | Literal["unknown"]
Source: TypeAlias = Literal["words", "numbers", "codes", "scores", ""]

_CODE = re.compile(r"\W?(-?\d{1,3})(?:\W*|\s*[-–=.):]\s*(?=[^\W\d])(.*))")
"""A text that begins with the code of its answer: "1 - Very good", "(2) Good", "3"."""
_FEWEST = 3
_MOST = 11
_MOST_WORDED = 25
_MOST_TEXTS = 100
"""Answers in more different words are not a scale; in more different texts, not bands."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: its label, its value in the file, and the number that it counts as in means."""

    label: str
    value: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Doubt:
    """What is not certain of some answers.

    kind: "contradiction" of words and the order of the file, "order" of texts that is not known,
    "top" of what looks like a scale, "codes" that contradict the words, "off scale" by its code
    alone. answers: the positions of those in it. has_order: whether these are in a certain order.
    """

    kind: Literal["contradiction", "order", "top", "codes", "off scale"]
    answers: tuple[int, ...]
    has_order: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of the answers of a question, by their positions.

    order: of all answers. top, ends: as a codebook has them; "unknown" where scores are codes of
    words, which do not show the top. off: answers that are off the scale. scores: numbers for
    means. open: bands without an end, which have no score. by: what decided.
    """

    order: tuple[int, ...]
    top: KnownTop | None = None
    ends: Ends | None = None
    off: frozenset[int] = frozenset()
    scores: Mapping[int, float] = field(default_factory=dict[int, float])
    open: tuple[int, ...] = ()
    by: Source = ""
    doubts: tuple[Doubt, ...] = ()

    def in_order(self) -> Evidence:
        """The same of the answers once they are in their order."""
        place_of = {place: number for number, place in enumerate(self.order)}
        return self.named(tuple(place_of[place] for place in range(len(self.order))))

    def named(self, places: Sequence[int]) -> Evidence:
        """The same, with another position for each of the answers."""

        def new(given: Iterable[int]) -> tuple[int, ...]:
            return tuple(places[place] for place in given)

        return Evidence(
            new(self.order),
            self.top,
            self.ends,
            frozenset(new(self.off)),
            {places[place]: score for place, score in self.scores.items()},
            new(self.open),
            self.by,
            tuple(replace(each, answers=new(each.answers)) for each in self.doubts),
        )


def evidence_of(
    answers: Sequence[Answer],
    *,
    is_free: bool = False,
    is_ordinal: bool = False,
    off: Collection[int] | None = None,
) -> Evidence:
    """What words, numbers and codes say of some answers, in the order of the file.

    is_free: they are texts of the data, in no order of their own. is_ordinal: the file declares
    that they have an order. off: those that are known to be off the scale.
    """
    given = _off_scale(answers) if off is None else frozenset(off)
    if is_free and (coded := _with_codes(answers, given)):
        codes = [natural(each.value) for each in coded]
        # Texts have no order of their own, so that of their codes is the order of a file.
        order = sorted(range(len(coded)), key=lambda place: (place in given, codes[place]))
        found = _Weighed([coded[place] for place in order], {order.index(each) for each in given})
        return found.listed(is_ordinal=True, positions=order)
    weighed = _Weighed(answers, given, is_settled=off is not None)
    return weighed.free() if is_free else weighed.listed(is_ordinal, range(len(answers)))


def text_order(values: Iterable[str]) -> list[str]:
    """Texts and numbers without labels in their order: of words, of size, else of the alphabet.

    Those off any scale, such as "Don't know", are last.
    """
    listed = [*values]
    texts = [value for value in listed if number_of(value) is None]
    # Many different texts are names or open answers, and not a scale.
    if not texts or len(listed) > _MOST_TEXTS:
        return sorted(listed, key=lambda value: (is_off_scale(value), natural(value)))
    found = evidence_of([Answer(value, value) for value in listed], is_free=True)
    return [listed[place] for place in found.order]


def _off_scale(answers: Sequence[Answer]) -> frozenset[int]:
    off = frozenset(place for place, each in enumerate(answers) if is_off_scale(each.label))
    # Where all answers are off the scale, they are what the question is about.
    return off if len(off) < len(answers) else frozenset()


def _with_codes(answers: Sequence[Answer], off: Collection[int]) -> list[Answer]:
    """Texts that begin with codes, each with its own as its value; [] where they do not."""
    if len(answers) > _MOST_TEXTS or not _CODE.fullmatch(answers[0].label):
        return []
    found = [_CODE.fullmatch(each.label.strip()) for each in answers]
    points = [each for place, each in enumerate(found) if place not in off]
    worded = sum(each is not None and bool(each[2]) for each in points)
    codes = {each[1] for each in points if each}
    if worded < 2 or not all(points) or len(codes) < len(points):
        return []
    return [
        Answer(each.label, code[1] if code else "", each.score)
        for each, code in zip(answers, found, strict=True)
    ]


class _Weighed:
    """The evidence for some answers, of which some are off the scale."""

    def __init__(
        self, answers: Sequence[Answer], off: Collection[int], *, is_settled: bool = False
    ) -> None:
        self.answers = answers
        self.off = frozenset(off)
        self.words = self._known(self._points())
        self.doubts: list[Doubt] = []
        if not is_settled:
            self._take_off()
        self.points = self._points()
        self.numbers: Amounts | None = None
        if len(self.points) <= _MOST_TEXTS:
            self.numbers = amounts_of([answers[place].label for place in self.points])
        if self.numbers and self.numbers.is_quantity:
            self.words = None

    def _points(self) -> list[int]:
        return [place for place in range(len(self.answers)) if place not in self.off]

    def _known(self, points: Sequence[int]) -> KnownScale | None:
        """The scale that the words of points make; a bare number has no rank."""
        labels = [self.answers[place].label for place in points]
        worded = [place for place, label in enumerate(labels) if number_of(label.strip()) is None]
        if not 2 <= len(worded) <= _MOST_WORDED:
            return None
        ranks: list[float | None] = [None] * len(labels)
        if known := known_scale(labels):
            ranks = [*known.ranks]
        elif len(worded) < len(labels) and (known := known_scale([labels[p] for p in worded])):
            for place, rank in zip(worded, known.ranks, strict=True):
                ranks[place] = rank
        else:
            return None
        placed = {place for place in worded if ranks[place] is not None}
        are_ends = worded[0] == 0 and worded[-1] == len(labels) - 1
        is_whole = placed.issuperset(worded) and (len(worded) == len(labels) or are_ends)
        return KnownScale(tuple(ranks), known.ends, known.has_top, is_whole)

    def _take_off(self) -> None:
        """Take answers off a scale that is whole without them, by their words or their codes."""
        points = self._points()
        bare = {place for place in points if is_no_experience(self.answers[place].label)}
        rest = self._known([place for place in points if place not in bare]) if bare else None
        # Among amounts without a "not at all", such an answer is the lowest.
        if rest and rest.is_whole and (rest.ends == "opposite" or min(_known(rest.ranks)) <= 0):
            self.off |= bare
        elif self.words and (apart := self._apart(self.words)):
            self.off |= {*apart}
            self.doubts.append(Doubt("off scale", apart))
        self.words = self._known(self._points())

    def _apart(self, words: KnownScale) -> tuple[int, ...]:
        """Answers whose words are not known, with codes apart from those of a whole scale."""
        points = self._points()
        numbers = {place: number_of(self.answers[place].value) for place in points}
        placed = [p for p, rank in zip(points, words.ranks, strict=True) if rank is not None]
        others = [place for place in points if place not in placed]
        known = [number for place in placed if (number := numbers[place]) is not None]
        if words.is_whole or len(placed) < _FEWEST or len(known) < len(placed) or not others:
            return ()
        whole = self._known(placed)
        low, high = min(known), max(known)
        are_apart = all(
            # The next code in the row may be one more point whose word is not known.
            (number := numbers[place]) is not None and (number > high + 1 or number < min(low, 0))
            for place in others
        )
        return tuple(others) if whole and whole.is_whole and are_apart else ()

    # ---- answers in no order ----

    def free(self) -> Evidence:
        """Texts of the data: in the order of words that are all known, else of their numbers."""
        words, numbers, points = self.words, self.numbers, self.points
        off = sorted(self.off, key=lambda place: natural(self.answers[place].label))
        alphabetical = sorted(points, key=lambda place: natural(self.answers[place].label))
        if words and words.is_whole and None not in words.ranks:
            ranks = dict(zip(points, map(_number, words.ranks), strict=True))
            is_scale = len(points) >= _FEWEST
            order = sorted(alphabetical, key=ranks.__getitem__) if is_scale else alphabetical
            top = _direction([ranks[place] for place in order]) if words.has_top else "none"
            return self._found((*order, *off), top, words.ends, "words")
        if words and (row := self._between_ends(words)):
            top = "last" if words.has_top else "none"
            return self._found((*row, *off), top, words.ends, "words", self._row_scores(row))
        if numbers:
            ranks = dict(zip(points, numbers.ranks, strict=True))
            order = sorted(points, key=ranks.__getitem__)
            if not numbers.is_quantity:
                return self._found((*order, *off), None, None, "")
            scores = {points[place]: score for place, score in numbers.scores.items()}
            return self._found((*order, *off), "last", "amount", "numbers", scores)
        numbered = sum(any(map(str.isdigit, self.answers[place].label)) for place in points)
        if self._may_be_scale(numbered):
            self.doubts.append(Doubt("order", tuple(alphabetical)))
        return self._found((*alphabetical, *off), None, None, "")

    def _may_be_scale(self, numbered: int = 0) -> bool:
        """Whether answers look like a scale that is not known, by numbers inside or by words."""
        labels = [self.answers[place].label for place in self.points]
        bare = sum(number_of(label) is not None for label in labels)
        if not _FEWEST <= len(labels) <= _MOST_WORDED or 2 * bare >= len(labels):
            return False
        placed = len(_known(self.words.ranks)) if self.words else 0
        return 2 * max(placed, graded_in(labels), numbered) >= len(labels)

    def _between_ends(self, words: KnownScale) -> list[int]:
        """Numbers between two ends that have words, the lower end first; [] of other answers."""
        ranks = dict(zip(self.points, words.ranks, strict=True))
        ends = sorted((p for p in ranks if ranks[p] is not None), key=lambda p: _number(ranks[p]))
        numbers = {p: number_of(self.answers[p].label) for p in ranks if p not in ends}
        if len(ends) != 2 or not numbers or None in numbers.values():
            return []
        return [ends[0], *sorted(numbers, key=lambda p: _number(numbers[p])), ends[1]]

    def _row_scores(self, row: Sequence[int]) -> dict[int, float]:
        """The numbers of a row whose ends have words; none where one of them is not there."""
        numbers = [_number(number_of(self.answers[place].label)) for place in row[1:-1]]
        low = numbers[0] - 1
        is_row = low in (0, 1) and numbers == [low + step for step in range(1, len(numbers) + 1)]
        return {place: low + step for step, place in enumerate(row)} if is_row else {}

    # ---- answers in the order of a file ----

    def listed(self, is_ordinal: bool, positions: Sequence[int]) -> Evidence:
        """Answers with labels, in the order of the file. positions: theirs in the file."""
        top, ends, by = self._top_by_words()
        numbers = self.numbers
        if not by and numbers and numbers.is_quantity:
            top, ends, by = _direction(numbers.ranks) or "unknown", "amount", "numbers"
            if top == "unknown":
                order = sorted(
                    self.points, key=lambda p: _number(numbers.ranks[self.points.index(p)])
                )
                self.doubts.append(Doubt("contradiction", tuple(order), has_order=True))
        scores = self._scores(is_ordinal)
        given = {place: each.score for place, each in enumerate(self.answers)}
        known = scores | {place: score for place, score in given.items() if score is not None}
        # Weaker evidence, and only where words and numbers showed nothing.
        if top is None:
            top = self._top_by_negation(known)
        if top is None and self._are_codes_of_words(known):
            top = "unknown"
        elif top is None and self._may_be_scale():
            self.doubts.append(Doubt("top", tuple(self.points)))
        found = self._found(tuple(range(len(self.answers))), top, ends, by, scores)
        return found.named(positions)

    def _top_by_words(self) -> tuple[KnownTop | None, Ends | None, Source]:
        words = self.words
        if words is None:
            return None, None, ""
        placed = [
            (place, rank)
            for place, rank in zip(self.points, words.ranks, strict=True)
            if rank is not None
        ]
        direction = _direction([rank for _, rank in placed])
        if not words.is_whole:
            # The words of both ends, and those between as far as they are known.
            others = {self.points[0], self.points[-1]} - {place for place, _ in placed}
            lowest = self.points[-1 if direction == "first" else 0]
            # Beside amounts, a denial at the lower end means zero: "I do not exercise".
            is_none = words.ends == "amount" and is_negated(self.answers[lowest].label)
            ends = others <= ({lowest} if is_none else set())
            if not (ends and direction and 2 * len(placed) >= len(self.points) >= _FEWEST):
                return None, None, ""
        if len({rank for _, rank in placed}) < 2:
            return None, None, ""
        if direction is None:
            order = [place for place, _ in sorted(placed, key=lambda each: each[1])]
            # Where most are in order, one of the others may be a word that is misread.
            row = _longest_row([rank for _, rank in placed])
            is_sure = words.is_whole and (len(placed) < 4 or 3 * row < 2 * len(placed))
            self.doubts.append(Doubt("contradiction", tuple(order), has_order=is_sure))
            return "unknown", words.ends, "words"
        return (direction if words.has_top else "none"), words.ends, "words"

    def _top_by_negation(self, scores: Mapping[int, float]) -> KnownTop | None:
        """The end opposite a negated one: "Not too happy" is not the top."""
        points = self.points
        if len(points) < _FEWEST or not scores.keys() >= {*points}:
            return None
        first, last = (is_negated(self.answers[points[end]].label) for end in (0, -1))
        # Neither end is negated, or both are: then negation does not show which is lower.
        if first == last:
            return None
        return "last" if first else "first"

    def _are_codes_of_words(self, scores: Mapping[int, float]) -> bool:
        """Whether scores are codes alone: 1 "Sad", 2 "Pretty happy", 3 "Very happy"."""
        numbers = [scores[place] for place in self.points if place in scores]
        if len(numbers) < max(2, len(self.points)) or numbers[0] not in (0, 1):
            return False
        is_row = numbers == [numbers[0] + step for step in range(len(numbers))]
        ends = [amount_of(self.answers[self.points[end]].label) for end in (0, -1)]
        return is_row and all(end is None or end.rest for end in ends)

    def _scores(self, is_ordinal: bool) -> dict[int, float]:
        """The numbers of answers: their codes where these are numbers, else what texts say."""
        labels = {place: self.answers[place].label for place in self.points}
        numbers = {place: number_of(self.answers[place].value) for place in self.points}
        codes = {place: number for place, number in numbers.items() if number is not None}
        if len(codes) == len(labels) >= _FEWEST:
            if (found := self._numbered(codes, labels)) is not None:
                return found
            if self._are_graded(codes, labels, is_ordinal):
                return codes
        if self.numbers and self.numbers.is_quantity:
            return {self.points[place]: score for place, score in self.numbers.scores.items()}
        return {}

    def _numbered(
        self, codes: Mapping[int, float], labels: Mapping[int, str]
    ) -> dict[int, float] | None:
        """Codes that labels repeat, perhaps with words at the ends; None where they do not."""
        plain = [p for p in codes if is_labelled_number(self.answers[p].value, labels[p])]
        if 2 * len(plain) < len(codes):
            return None
        ends = {min(codes, key=codes.__getitem__), max(codes, key=codes.__getitem__)}
        middle = codes.keys() - {*plain, *ends}
        return {} if any(any(map(str.isdigit, labels[p])) for p in middle) else dict(codes)

    def _are_graded(
        self, codes: Mapping[int, float], labels: Mapping[int, str], is_ordinal: bool
    ) -> bool:
        """Whether codes are the steps of a scale of words; one may be skipped in a known one."""
        is_known = self.words is not None and self.words.is_whole
        first, last = min(codes.values()), max(codes.values())
        # `is_known` counts as 1: a scale whose words are all known may skip one code.
        missed = {first + step for step in range(len(codes) + is_known)} - {*codes.values()}
        is_row = len(missed) <= is_known and last - first < len(codes) + is_known
        has_digits = any(any(map(str.isdigit, label)) for label in labels.values())
        is_distinct = len({*labels.values()}) == len(labels) <= _MOST
        if not is_row or has_digits or not is_distinct or self._is_contradicted:
            return False
        if _direction([*codes.values()]) is None and self.words:
            self.doubts.append(Doubt("codes", tuple(codes), has_order=is_known))
            return False
        return is_ordinal or is_known or graded_in([*labels.values()]) == len(labels)

    @property
    def _is_contradicted(self) -> bool:
        return any(doubt.kind == "contradiction" for doubt in self.doubts)

    def _found(
        self,
        order: tuple[int, ...],
        top: KnownTop | None,
        ends: Ends | None,
        by: Source,
        scores: Mapping[int, float] | None = None,
    ) -> Evidence:
        known = scores or {}
        are_bands = bool(self.numbers and self.numbers.is_quantity)
        without = [p for p in self.points if are_bands and known and p not in known]
        return Evidence(order, top, ends, self.off, known, tuple(without), by, tuple(self.doubts))


def _direction(ranks: Sequence[float | None]) -> Literal["first", "last"] | None:
    """Which end of some ranks is the highest; None where they rise and fall."""
    known = _known(ranks)
    if len({*known}) < 2:
        return None
    if known == sorted(known):
        return "last"
    return "first" if known == sorted(known, reverse=True) else None


def _number(rank: float | None) -> float:
    return 0.0 if rank is None else rank


def _known(ranks: Iterable[float | None]) -> list[float]:
    return [rank for rank in ranks if rank is not None]


def _longest_row(ranks: Sequence[float]) -> int:
    """How many of some ranks rise, or fall, one after the other where the others are left out."""
    best = 0
    for sign in (1, -1):
        lengths: list[int] = []
        for place, rank in enumerate(ranks):
            # The longest increasing subsequence, by the square of the length, which is short here.
            before = (n for at, n in enumerate(lengths) if sign * ranks[at] < sign * rank)
            lengths.append(1 + max(before, default=0))
            best = max(best, lengths[place])
    return best


def is_labelled_number(value: str, label: str) -> bool:
    """Whether a labelled value is the number that it looks like: 89 for "89 or older"."""
    number = number_of(value)
    found = None if number is None or is_off_scale(label) else amount_of(label)
    if number is None or found is None:
        return False
    # "Under 18" with the code 17.
    if found.low is None and len(found.numbers) == 1 and found.high == number + 1:
        return True
    return {abs(each) for each in found.numbers} == {abs(number)}
