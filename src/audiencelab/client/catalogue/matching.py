"""The rule by which names and labels are searched, the same as that of the page (`matching.ts`).

Each typed word must occur in a text: literally, without regard to case and accents; as a synonym,
also of another language ("women", "Frauen"); in the singular; or as the same range of numbers
("18-34", "18 to 34"). Where no text has all words, `corrections` replaces those that no text has by
similar ones. `tests/data/search_cases.json` holds both halves to it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from audiencelab.client.catalogue.search_words import folded, range_pattern, synonyms

_TRIES = 2
"""Corrections of one query."""
_FIRST_WITHOUT_BLANKS = "\u2e80"
_AROUND = ".,;:!?()[]\"'“”„«»"
"""Signs around a word, which say nothing."""
_LOOSE = 7
"""Letters of synonyms that count within longer words as well: "einkommen" in German compounds."""
_LETTERS = re.compile(r"[^\W\d_]+")
_ENDINGS = (("ies", "y", 4), ("es", "", 5), ("s", "", 4), ("en", "", 6), ("n", "", 5))
"""Endings of plurals, what is there in the singular, and letters of the shortest such word."""


class Range(NamedTuple):
    """Numbers from the first to the last, both included; a single number is not a range."""

    first: int
    last: float
    is_single: bool
    start: int
    end: int


class Word(NamedTuple):
    """One word of a query: as typed, which may be a part of a longer word; its synonyms; a range.

    others: matched as whole words, unless they are long. is_number: found where a number begins.
    """

    text: str
    others: tuple[str, ...]
    range: tuple[int, float] | None = None
    is_number: bool = False


def query_words(query: str) -> list[Word]:
    """The words of a query, each once. A range of numbers is one word, however it is written."""
    typed = folded(query)
    for found in reversed(ranges_in(typed)):
        if not found.is_single and found.first < found.last:
            last = "+" if found.last == math.inf else f"-{found.last}"
            typed = f"{typed[: found.start]} {found.first}{last} {typed[found.end :]}"
    plain = (each.strip(_AROUND) for each in typed.split())
    return [_word(text) for text in dict.fromkeys(filter(None, plain))]


def ranges_in(text: str) -> list[Range]:
    """The ranges and numbers of a folded text, in order."""
    return [_range(found) for found in _ranges().finditer(text)]


@cache
def _ranges() -> re.Pattern[str]:
    return re.compile(range_pattern())


def _range(found: re.Match[str]) -> Range:
    over, first, last, plus = found.groups()
    low = _number(first)
    is_open = last is None and bool(over or plus)
    high = math.inf if is_open else _number(last or first)
    return Range(low, high, last is None and not is_open, found.start(), found.end())


def _number(text: str) -> int:
    return int(re.sub(r"[.,']", "", text))


@lru_cache(maxsize=1_000)
def _word(text: str) -> Word:
    if found := re.fullmatch(r"([0-9]+)(?:-([0-9]+)|[+])", text):
        return Word(text, (), (int(found[1]), int(found[2]) if found[2] else math.inf))
    others = dict.fromkeys((*_synonyms(text), *_numbers(text)))
    is_number = re.fullmatch("[0-9]+", text) is not None
    return Word(text, tuple(each for each in others if each != text), is_number=is_number)


def _synonyms(word: str) -> Iterable[str]:
    for group in _groups():
        if any(word in language for language in group):
            for language in group:
                yield from (
                    each for each, is_own in language.items() if word in language or not is_own
                )


@cache
def _groups() -> tuple[tuple[dict[str, bool], ...], ...]:
    """By group and language: each word, and whether it counts in its own language only."""
    return tuple(
        tuple(
            {word.removeprefix("="): word.startswith("=") for word in language.split("|")}
            for language in group.split(";")
        )
        for group in synonyms()
    )


def _numbers(word: str) -> Iterable[str]:
    """The singular of a possible plural, and the plural in "ies"."""
    if not re.fullmatch("[a-z]{3,}", word) or word == "news":
        return
    if word.endswith("y"):
        yield f"{word[:-1]}ies"
    for ending, instead, least in _ENDINGS:
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            yield word.removesuffix(ending) + instead


def occurs(within: str, word: Word) -> bool:
    """Whether a word occurs in a folded text."""
    if word.text in within and (not word.is_number or _begins(within, word.text, "_")):
        return True
    return any(_has(within, other) for other in word.others) or (
        word.range is not None and _has_range(within, *word.range)
    )


def is_about(text: str, words: Iterable[str]) -> bool:
    """Whether a text has one of some folded words, as a synonym counts in a search."""
    within = folded(text)
    return any(_has(within, each) for each in words)


def _has(within: str, other: str) -> bool:
    return other in within if _is_loose(other) else whole_at(within, other) >= 0


def _is_loose(word: str) -> bool:
    return word >= _FIRST_WITHOUT_BLANKS or (len(word) >= _LOOSE and " " not in word)


def _begins(within: str, text: str, also_inner: str = "") -> bool:
    """Whether a word begins with these letters."""
    at = within.find(text)
    while at > 0 and (_inner(within[at - 1]) or within[at - 1] in also_inner):
        at = within.find(text, at + 1)
    return at >= 0


def _has_range(within: str, first: int, last: float) -> bool:
    return may_have(within, first, last) and any(
        (each.first, each.last) == (first, last) and not each.is_single
        for each in ranges_in(within)
    )


def may_have(within: str, first: int, last: float) -> bool:
    """Whether a text has the numbers of a range, which is quicker to see than to read it."""
    return _has_number(within, first) and (last == math.inf or _has_number(within, int(last)))


def _has_number(within: str, number: int) -> bool:
    # Where there may be a sign between its digits, the first is enough.
    digits = str(number) if number < 1_000 else str(number)[0]
    at = within.find(digits)
    while at >= 0 and number < 1_000:
        end = at + len(digits)
        if not within[at - 1 : at].isdigit() and not within[end : end + 1].isdigit():
            return True
        at = within.find(digits, at + 1)
    return at >= 0


def parts_of(first: int, last: float, names: Sequence[str]) -> list[int]:
    """The positions of answers that make up a range, such as "18 to 24" and "25 to 34".

    None where these have a gap, overlap or exceed it.
    """
    parts: list[int] = []
    upcoming: float = first
    for at, name in enumerate(names):
        if upcoming > last:
            break
        if not _has_number(name, int(upcoming)) or not (found := ranges_in(name)):
            continue
        each = found[0]
        # "Brand 18" is not a number of years.
        is_named = each.is_single and (each.start, each.end) != (0, len(name))
        if each.first == upcoming and each.last <= last and not is_named:
            parts.append(at)
            upcoming = each.last + 1
    return parts if upcoming == last + 1 else []


def whole_at(within: str, word: str, start: int = 0) -> int:
    """Where a text has these letters as a whole word, or -1."""
    at = within.find(word, start)
    while at >= 0:
        end = at + len(word)
        if not _inner(within[at - 1 : at]) and not _inner(within[end : end + 1]):
            return at
        at = within.find(word, at + 1)
    return -1


def _inner(letter: str) -> bool:
    """Whether a letter beside a word belongs to it; not in languages without blanks."""
    return letter.isalnum() and letter < _FIRST_WITHOUT_BLANKS


def fit_of(within: str, words: Iterable[Word]) -> float:
    """How well words match a folded text: 0 as whole words, 1 at beginnings, 2 within words."""
    return max((_fit(within, word) for word in words), default=0)


def _fit(within: str, word: Word) -> float:
    if whole_at(within, word.text) >= 0 or any(_has(within, each) for each in word.others):
        return 0
    if word.range is not None and _has_range(within, *word.range):
        return 0
    if word.text not in within:
        return math.inf
    return 1 if _begins(within, word.text) else 2


# ---- typing errors ----


def corrections(words: Sequence[Word], vocabulary: Vocabulary) -> list[str]:
    """Queries in which unknown words are replaced by similar ones, the most similar first."""
    choices: list[list[str]] = []
    for word in words:
        similar = [word.text] if vocabulary.has(word) else vocabulary.similar(word.text)
        if not similar:
            return []
        choices.append(similar)
    queries = [
        " ".join(each[at] if at < len(each) else each[0] for each in choices)
        for at in range(_TRIES)
    ]
    typed = " ".join(word.text for word in words)
    return [each for each in dict.fromkeys(queries) if each != typed]


class Vocabulary:
    """The distinct words of folded texts, and the synonyms by which one of them is found."""

    def __init__(self, texts: Iterable[str]) -> None:
        words = dict.fromkeys(_LETTERS.findall("\n".join(texts)))
        self._words = words
        self._joined = "\n".join(words)
        known = [each for each in words if len(each) >= 3]
        for group in _groups():
            phrases = [each for language in group for each in language]
            if any(map(self._may_have, phrases)):
                known += [each for each in phrases if " " not in each and len(each) >= 3]
        self._known = [(each, frozenset(each)) for each in dict.fromkeys(known)]

    def kept(self, word: Word) -> Word:
        """The word with those of its synonyms that may be in the texts, which saves time."""
        return word._replace(others=tuple(filter(self._may_have, word.others)))

    def has(self, word: Word) -> bool:
        """Whether a word needs no correction. Numbers and codes are never corrected."""
        return (
            not _LETTERS.fullmatch(word.text)
            or word.text in self._joined
            or any(map(self._may_have, word.others))
        )

    def _may_have(self, phrase: str) -> bool:
        if _is_loose(phrase):
            return phrase in self._joined
        return all(part in self._words for part in _LETTERS.findall(phrase))

    def similar(self, typed: str) -> list[str]:
        """Words similar to a mistyped one, the most similar first."""
        most = 0 if len(typed) < 4 else 1 if len(typed) < 7 else 2
        found: list[tuple[float, str]] = []
        for word, letters in self._known if most else ():
            # Each error adds at most one letter that the word lacks.
            if (
                len(word) < len(typed) - most
                or sum(letter not in letters for letter in typed) > most
            ):
                continue
            cost = _cost(typed, word, most)
            if cost < math.inf:
                # A word of the texts is more likely than a synonym of one.
                found.append((cost + (0 if word in self._words else 1.5), word))
        return [word for _, word in sorted(found, key=lambda each: each[0])]


def _cost(typed: str, word: str, most: int) -> float:
    """The number of typing errors: letters omitted, added, replaced, or swapped with a neighbour.

    The beginning of a longer word costs slightly more than a complete word; more than `most` errors
    cost infinity.
    """
    width = min(len(word), len(typed) + most)
    before: list[int] = []
    row = [*range(width + 1)]
    for i, letter in enumerate(typed, 1):
        following = [i]
        for j in range(1, width + 1):
            errors = min(row[j - 1] + (letter != word[j - 1]), row[j] + 1, following[j - 1] + 1)
            if i > 1 < j and letter == word[j - 2] and typed[i - 2] == word[j - 1]:
                errors = min(errors, before[j - 2] + 1)
            following.append(errors)
        if min(following) > most:
            return math.inf
        before, row = row, following
    ended = row[width] if len(word) == width else math.inf
    cost = min(ended, min(row) + 0.5)
    if cost > most + 0.5:
        return math.inf
    # With equally many errors, words of the same length and first letter are most likely.
    return cost + abs(len(word) - len(typed)) * 0.01 + (word[0] != typed[0]) * 0.1
