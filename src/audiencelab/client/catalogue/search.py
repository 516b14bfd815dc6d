"""Search of the catalogue by words and codes, the best matches first.

Every word must occur, by the rule of `matching`. Questions are ranked by what matched: a code, the
whole name, a whole answer, whole words of the name, beginnings of words, the text that describes
the question, its answers, and last letters within words. The page has the same in
`catalogue/search.ts`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from audiencelab.client.catalogue.matching import (
    Vocabulary,
    Word,
    corrections,
    fit_of,
    may_have,
    occurs,
    parts_of,
    query_words,
)
from audiencelab.client.catalogue.question import CatalogueQuestion
from audiencelab.client.catalogue.search_words import folded

CODE, NAME, ANSWER, WORDS, BEGINNINGS, TEXT, ANSWERS, PARTS = range(8)
"""What matched, the best first."""

_STEM = re.compile(r"([^\W\d_]{7})[^\W\d_]*")
"""A word, by the letters with which words of one stem begin: "zufriedenheit", "zufrieden"."""

_LEAST_LETTERS = 3
"""Shorter words are in too many texts to find a question by one of them."""


class Hit(NamedTuple):
    """A question that matches.

    whole: whether it has all words itself. answers: the positions of those that have the words, or
    those of the words that the question lacks.
    """

    rank: int
    question: CatalogueQuestion
    whole: bool
    answers: list[int]


class Found(NamedTuple):
    """What a search found, the best first.

    meant: the query that was searched because the typed one matches nothing. some: whether no
    question has all words, so that these have some of them.
    """

    hits: list[Hit]
    meant: str = ""
    some: bool = False


class _Entry(NamedTuple):
    """A question's folded texts: of its code, with a namespace and without, and of its name.

    own: all of its own. answers: of each. whole: all of these.
    """

    question: CatalogueQuestion
    codes: tuple[str, ...]
    name: str
    own: str
    answers: list[str]
    whole: str


class SearchIndex:
    """The folded texts of some questions."""

    def __init__(self, questions: Iterable[CatalogueQuestion]) -> None:
        self._entries = [_entry(question) for question in questions]
        own = [each.own for each in self._entries]
        answers = [_name(each) for entry in self._entries for each in entry.answers]
        self._vocabulary = Vocabulary(dict.fromkeys((*own, *answers)))

    def find(self, query: str) -> Found:
        """The questions that match; where none does, those of a correction, else of any word."""
        words = self._words(query)
        if not words:
            return Found([Hit(TEXT, entry.question, True, []) for entry in self._entries])
        if hits := self._scan(words):
            return Found(hits)
        for meant in corrections(words, self._vocabulary):
            if hits := self._scan(self._words(meant)):
                return Found(hits, meant)
        return Found(self._some(words), some=True)

    def _words(self, query: str) -> list[Word]:
        return [self._vocabulary.kept(word) for word in query_words(query)]

    def _scan(self, words: Sequence[Word]) -> list[Hit]:
        hits = (_hit(entry, words) for entry in self._entries)
        return sorted((hit for hit in hits if hit), key=lambda hit: hit.rank)

    def _some(self, words: Sequence[Word]) -> list[Hit]:
        """The questions whose own text has any of the words or their stems, the most first."""
        wanted = [word for word in words if len(word.text) >= _LEAST_LETTERS]
        stems = [found[1] if (found := _STEM.fullmatch(each.text)) else None for each in wanted]
        hits: list[Hit] = []
        for entry in self._entries:
            missing = sum(
                # One word of several is too little where it is within another.
                fit_of(entry.own, [word]) > 1 and (stem is None or stem not in entry.own)
                for word, stem in zip(wanted, stems, strict=True)
            )
            if missing < len(wanted):
                hits.append(Hit(PARTS + missing, entry.question, True, []))
        return sorted(hits, key=lambda hit: hit.rank)


def _entry(question: CatalogueQuestion) -> _Entry:
    record = question.record
    name = folded(record.name)
    paths = (each for path in question.paths for each in path)
    own = "\n".join((name, *map(folded, (question.canonical, record.description, *paths))))
    answers = [folded(f"{each.name}\n{each.code}") for each in question.datapoints]
    codes = (folded(question.canonical), folded(record.code))
    return _Entry(question, codes, name, own, answers, "\n".join((own, *answers)))


def _name(answer: str) -> str:
    return answer.partition("\n")[0]


def _hit(entry: _Entry, words: Sequence[Word]) -> Hit | None:
    # Most entries are ruled out by this. The ends of a range may be in two answers.
    if not all(
        may_have(entry.whole, *word.range) if word.range else occurs(entry.whole, word)
        for word in words
    ):
        return None
    missing = [word for word in words if not occurs(entry.own, word)]
    whole = not missing
    found, fit = _answers(entry, missing or words)
    if missing and not found:
        return None
    phrase = _phrase(words)
    rank = (ANSWERS if fit <= 1 else PARTS) if missing else _own_rank(entry, phrase, words)
    if rank >= TEXT and any(_is_exactly(entry.answers[at], phrase) for at in found):
        rank = ANSWER
    # Where all answers match, they add nothing (their codes repeat the question's code).
    telling = [] if whole and len(found) == len(entry.answers) else found
    return Hit(rank, entry.question, whole, telling)


def _answers(entry: _Entry, words: Sequence[Word]) -> tuple[list[int], float]:
    """The positions of the answers that have all words, and how well one of them has them.

    Beside an answer that is just the words, those that have them within others do not count: "male"
    is not a part of "Female".
    """
    parts = [_parts(entry, word) for word in words]
    fits: dict[int, float] = {}
    for at, text in enumerate(entry.answers):
        missing = [word for word, part in zip(words, parts, strict=True) if at not in part]
        if all(occurs(text, word) for word in missing):
            fits[at] = fit_of(text, missing)
    phrase = _phrase(words)
    if any(_is_exactly(entry.answers[at], phrase) for at in fits):
        fits = {at: fit for at, fit in fits.items() if fit <= 1}
    return [*fits], min(fits.values(), default=0)


def _phrase(words: Iterable[Word]) -> str:
    return " ".join(word.text for word in words)


def _is_exactly(answer: str, phrase: str) -> bool:
    """Whether a phrase is the whole name of an answer, or its code."""
    return phrase in answer.split("\n")


def _parts(entry: _Entry, word: Word) -> list[int]:
    return parts_of(*word.range, [*map(_name, entry.answers)]) if word.range else []


def _own_rank(entry: _Entry, phrase: str, words: Sequence[Word]) -> int:
    if phrase in entry.codes:
        return CODE
    if phrase == entry.name:
        return NAME
    fit = max(min(fit_of(entry.name, [word]), _code_fit(entry.codes, word.text)) for word in words)
    if fit <= 1:
        return BEGINNINGS if fit else WORDS
    return TEXT if fit_of(entry.own, words) <= 1 else PARTS


def _code_fit(codes: Sequence[str], typed: str) -> float:
    if typed in codes:
        return 0
    # The beginning of the whole code is a namespace, which many have.
    return 1 if codes[-1].startswith(typed) else math.inf
