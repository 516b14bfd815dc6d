"""Search of the catalogue by words and codes, the best matches first.

Every word must occur. Questions are ranked by what matched: a code, the whole name, whole words
of the name, beginnings of words, any text that describes the question, and last its datapoints.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from audiencelab.client.catalogue.labels import lowered
from audiencelab.client.catalogue.question import CatalogueQuestion
from audiencelab.schema import Datapoint

CODE, NAME, ANSWER, WORDS, BEGINNINGS, TEXT, ANSWERS = range(7)
"""What matched, the best first."""

_WORD = re.compile(r"\w+")

_STEM = 7
"""Letters with which two words begin that have one stem."""

_LEAST_LETTERS = 3
"""Shorter words are in too many texts to find a question by one of them."""


class Hit(NamedTuple):
    """A question that matches; `datapoints` are those that matched, None if none was needed."""

    rank: int
    question: CatalogueQuestion
    datapoints: list[Datapoint] | None


class _Entry(NamedTuple):
    """A question's texts in lower case: its own, one for each datapoint, and all of them."""

    question: CatalogueQuestion
    codes: tuple[str, ...]
    name: str
    own: str
    answers: list[str]
    whole: str


class SearchIndex:
    """The texts of some questions, in lower case."""

    def __init__(self, questions: Iterable[CatalogueQuestion]) -> None:
        self._entries = [_entry(question) for question in questions]

    def find(self, words: str) -> list[Hit]:
        """The questions in which every word occurs, the best first; equals keep their order."""
        wanted = lowered(words).split()
        # Most entries are ruled out by this one comparison a word.
        possible = (each for each in self._entries if all(word in each.whole for word in wanted))
        hits = (_hit(entry, wanted) for entry in possible)
        return sorted((hit for hit in hits if hit), key=lambda hit: hit.rank)

    def find_any(self, words: str) -> list[CatalogueQuestion]:
        """The questions whose own text has any of the words, those with most of them first."""
        wanted = {word for word in _WORD.findall(lowered(words)) if len(word) >= _LEAST_LETTERS}
        counted = (
            (sum(word in entry.own for word in wanted), entry.question) for entry in self._entries
        )
        found = sorted((each for each in counted if each[0]), key=lambda each: -each[0])
        return [question for _, question in found]

    def find_stems(self, words: str) -> list[CatalogueQuestion]:
        """The questions with a word of the same stem: "zufriedenheit" finds "zufrieden"."""
        stems = [word[:_STEM] for word in _WORD.findall(lowered(words)) if len(word) >= _STEM]
        return [each.question for each in self._entries if any(stem in each.own for stem in stems)]


def _entry(question: CatalogueQuestion) -> _Entry:
    record = question.record
    above = " ".join(name for path in question.paths for name in path)
    own = lowered(f"{question.canonical} {record.name} {record.description} {above}")
    answers = [lowered(f"{each.name} {each.code}") for each in question.datapoints]
    codes = (question.canonical.casefold(), record.code.casefold())
    return _Entry(question, codes, lowered(record.name), own, answers, "\n".join([own, *answers]))


def _hit(entry: _Entry, wanted: list[str]) -> Hit | None:
    phrase = " ".join(wanted)
    elsewhere = [word for word in wanted if word not in entry.own]
    rank = TEXT if elsewhere else _own_rank(entry, phrase, wanted)
    if rank < TEXT:
        return Hit(rank, entry.question, None)
    exact = _exact(entry, phrase) if phrase in entry.whole else []
    if not elsewhere:
        return Hit(ANSWER if exact else TEXT, entry.question, None)
    if exact:
        return Hit(ANSWER, entry.question, exact)
    datapoints, (first, *others) = entry.question.datapoints, elsewhere
    helpful = [
        datapoints[index]
        for index, text in enumerate(entry.answers)
        # Most answers are ruled out by the first word, which costs no generator.
        if first in text and all(word in text for word in others)
    ]
    return Hit(ANSWERS, entry.question, helpful) if helpful else None


def _exact(entry: _Entry, phrase: str) -> list[Datapoint]:
    """The datapoints whose code or whole name is the phrase."""
    datapoints = entry.question.datapoints
    found = [
        datapoints[index]
        for index, text in enumerate(entry.answers)
        if text.startswith(phrase) or text.endswith(phrase)
    ]
    return [each for each in found if phrase in (each.code.casefold(), lowered(each.name))]


def _own_rank(entry: _Entry, phrase: str, wanted: list[str]) -> int:
    if phrase in entry.codes:
        return CODE
    if phrase == entry.name:
        return NAME
    known = {*_WORD.findall(entry.name), *entry.codes}
    if all(word in known for word in wanted):
        return WORDS
    if all(any(each.startswith(word) for each in known) for word in wanted):
        return BEGINNINGS
    return TEXT
