"""What a column shows in one wave: its answers with labels and counts, and its missing codes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property

from audiencelab.ingest.codebook import natural, number_of
from audiencelab.ingest.drift.asked import WhoWasAsked
from audiencelab.ingest.meaning.evidence import Answer, evidence_of
from audiencelab.ingest.meaning.own_codes import possible_codes, without_own_codes
from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.ingest.meaning.words import is_off_scale

MOST_POINTS = 11
"""Points of a scale, as of the draft."""
_MOST_ANSWERS = 100
"""Different texts that may be answers; of more they are texts that respondents wrote."""
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"[^\W\d]{0,3}\d+[a-z]?")
_CLOSE = 0.6
"""From here on two texts are close matches, by the documentation of `difflib`."""


@dataclass(frozen=True)
class Seen:
    """A column in a wave, or in several files of one.

    counts: respondents by value, of answers. labels: of answers, also of those without respondents.
    missing: values that are not answers, declared or certain, with their labels. declared: those of
    them that the file declares. text: of the question; is_part: whether it is the text of an item
    alone. others: respondents with further values, of which there are too many. asked: who was
    asked, where that is known. profile: what it was made of.
    """

    name: str
    counts: Mapping[str, int]
    labels: Mapping[str, str]
    missing: Mapping[str, str]
    declared: frozenset[str] = frozenset()
    missing_counts: Mapping[str, int] | None = None
    text: str = ""
    is_part: bool = False
    others: int = 0
    is_date: bool = False
    asked: WhoWasAsked | None = None
    profile: ColumnProfile | None = None

    @classmethod
    def of(cls, column: ColumnProfile) -> Seen:
        """Of a profile, before codes of its own are taken out."""
        column = without_own_codes(column)
        variable = column.variable
        known = dict.fromkeys([*column.counts, *variable.labels, *variable.missing])
        declared = frozenset(value for value in known if value and variable.is_missing(value))
        missing = {
            value: variable.labels.get(value, "")
            for value in known
            if value and (value in declared or value in column.counts.keys() - column.answers)
        }
        return cls(
            column.name,
            column.answers,
            column.labels,
            missing,
            declared,
            {value: count for value in missing if (count := column.counts.get(value, 0))},
            variable.text or variable.label,
            others=column.others,
            is_date=column.is_date,
            profile=column,
        )

    def without(self, values: Collection[str]) -> Seen:
        """The same with some values as missing codes that are not in doubt."""
        found = {*values} & {*self.counts, *self.labels, *self.missing}
        if not found:
            return self
        counts = {value: count for value, count in self.counts.items() if value not in found}
        labels = {value: label for value, label in self.labels.items() if value not in found}
        missing = {value: label for value, label in self.missing.items() if value not in found}
        return replace(self, counts=counts, labels=labels, missing=missing)

    def read_as(self, reads: Mapping[str, str]) -> Seen:
        """The same with its values read as others."""
        counts: dict[str, int] = {}
        for value, count in self.counts.items():
            read = reads.get(value, value)
            counts[read] = counts.get(read, 0) + count
        labels = {reads.get(value, value): label for value, label in self.labels.items()}
        return replace(self, counts=counts, labels=labels)

    @cached_property
    def answered(self) -> int:
        """How many respondents gave an answer."""
        return sum(self.counts.values()) + self.others

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known of its answers."""
        return not self.answered and not self.labels

    @property
    def largest(self) -> str:
        """Its most frequent answer with its share."""
        most = max(self.counts, key=self.counts.__getitem__, default="")
        return f"{self.named(most)} {self.share(most)}" if most else "no answers"

    @cached_property
    def values(self) -> list[str]:
        """Its answers, given or labelled, in order."""
        return sorted({*self.counts, *self.labels}, key=natural)

    @cached_property
    def numbers(self) -> dict[float, int]:
        """Its answers as numbers; empty where one is not a number."""
        found = {value: number_of(value) for value in self.counts}
        if any(number is None or number != number for number in found.values()):
            return {}
        return {number: self.counts[v] for v, number in found.items() if number is not None}

    @cached_property
    def form(self) -> str:
        """What it holds: "numbers", "texts" that respondents wrote, "dates" or "answers"."""
        if self.is_date:
            return "dates"
        labelled = sum(value in self.labels for value in self.counts)
        if self.numbers and (self.others or len(self.counts) > MOST_POINTS):
            return "answers" if labelled * 2 > len(self.counts) else "numbers"
        is_free = self.others or len(self.counts) > max(_MOST_ANSWERS, 2 * labelled)
        return "texts" if is_free and not self.numbers else "answers"

    @cached_property
    def apart(self) -> frozenset[str]:
        """Numbers without labels far from the others, as missing codes are."""
        return frozenset(() if self.profile is None else possible_codes(self.profile))

    @cached_property
    def off(self) -> frozenset[str]:
        """Its answers that are off the scale by their labels."""
        return frozenset(v for v in self.values if is_off_scale(self.label(v)))

    @cached_property
    def is_scale(self) -> bool:
        """Whether the words of its answers are those of a scale."""
        if not 2 < len(self.values) <= MOST_POINTS + len(self.off):
            return False
        found = evidence_of([Answer(self.label(v), v) for v in self.values])
        return found.by == "words" and found.top in ("first", "last")

    @cached_property
    def has_scale_words(self) -> bool:
        """Whether its answers are the words of a scale, whatever their order."""
        answers = [Answer(self.label(value), value) for value in self.points]
        return 2 < len(answers) <= MOST_POINTS and evidence_of(answers).by == "words"

    @cached_property
    def has_ends(self) -> bool:
        """Whether only the ends of a scale of numbers have labels."""
        points = self.points
        named = [value for value in points if value in self.labels]
        return len(points) > 2 and 1 <= len(named) < len(points) and points[-1] in named

    @property
    def points(self) -> list[str]:
        """Its answers without those that are off the scale."""
        return [value for value in self.values if value not in self.off]

    def label(self, value: str) -> str:
        """The label of an answer, else its value."""
        return self.labels.get(value) or value

    def share(self, value: str) -> str:
        """The part of respondents with an answer who gave it."""
        if not self.answered:
            return "0%"
        percent = 100 * self.counts.get(value, 0) / self.answered
        return f"{percent:.0f}%" if percent >= 1 or not percent else "<1%"

    def named(self, value: str) -> str:
        """An answer in a sentence: 1 'Very good'."""
        label = self.labels.get(value)
        return f"{value} {label!r}" if label and label != value else repr(value)


def plain(text: str) -> str:
    """A text without what makes no difference: case, blanks and punctuation."""
    # A label of signs alone, such as "+" and "-", is compared by these.
    return "".join(filter(str.isalnum, text.casefold())) or text.strip()


def words_of(text: str) -> set[str]:
    """The words of a text."""
    return {*map(plain, _WORD.findall(text))}


def are_close(one: str, other: str) -> bool:
    """Whether two texts may be forms of one: close matches, or one in the other."""
    words = [{*filter(None, map(plain, text.split()))} for text in (one, other)]
    if words[0] <= words[1] or words[1] <= words[0]:
        return True
    return SequenceMatcher(None, plain(one), plain(other), autojunk=False).ratio() >= _CLOSE


def are_close_texts(one: str, other: str) -> bool:
    """Whether two texts of questions may be forms of one, by the words in which they differ.

    What a battery or two questions have in common shows nothing; nor does a number in front.
    """
    parts: list[list[str]] = [_WORD.findall(text.casefold()) for text in (one, other)]
    parts = [each[1:] if len(each) > 1 and _NUMBER.fullmatch(each[0]) else each for each in parts]
    for _ in range(2):
        while all(parts) and parts[0][-1] == parts[1][-1]:
            parts = [each[:-1] for each in parts]
        parts = [each[::-1] for each in parts]
    return not all(parts) or are_close(*map(" ".join, parts))


def distinct(labels: Mapping[str, str], values: Iterable[str]) -> dict[str, str]:
    """Values by their plain labels; labels that two values have are left out."""
    found: dict[str, list[str]] = {}
    for value in values:
        if label := labels.get(value):
            found.setdefault(plain(label), []).append(value)
    return {label: each[0] for label, each in found.items() if len(each) == 1}
