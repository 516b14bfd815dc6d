"""The words of answer scales in `scale_words.toml`, and labels taken apart into them."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple, TypeAlias

PLAIN = 3.0
"""The value of a pole without a degree: "Satisfied"."""

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_GENDER = re.compile(r"(?<=\w)(?:\((?:e|s|es|a|o|as|os|in|innen|y)\)|/(?:a|o|e|as|os|in|y)\b)")
_ASIDE = re.compile(r"\s*[(\[（【][^()\[\]（）【】]*[)\]）】]")
_CODE = re.compile(r"^\s*[(\[]?-?\d+\s*[)\].:=–—-]\s*(?=[^\W\d_])")
_LEADING_CODE = re.compile(r"^\s*[(\[]?-?\d+\s*(?:[)\].:=–—-]\s*|\s+)(?=[^\W\d_])")
_NUMBER = re.compile(r"^\d+(?:[.,]\d+)?$")
_WORD = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+")
_PIECE = re.compile(r"\d+(?:[.,]\d+)?|[a-z]+|.")


Family: TypeAlias = Literal["grades", "rates"]
"""Words of degree, amount and attitude, or of how often."""


class LexiconItem(NamedTuple):
    """A word or phrase of a label: what it does, how much, and for poles: of which pairs."""

    kind: str
    value: float = 0.0
    poles: Mapping[str, float] = {}


class Parsed(NamedTuple):
    """A label in one language: its known words in order, and what is left of it."""

    items: tuple[LexiconItem, ...]
    rest: str


class Lexicon:
    """The phrases of one language by their first word; `stems` match the beginnings of words."""

    def __init__(self) -> None:
        self.phrases: dict[str, list[tuple[tuple[str, ...], LexiconItem]]] = {}
        self.stems: dict[str, list[tuple[str, LexiconItem]]] = {}

    def add(self, phrase: str, item: LexiconItem) -> None:
        if phrase.endswith("*"):
            stem = phrase[:-1]
            # By two letters, so that a word is compared with a few stems instead of all.
            self.stems.setdefault(stem[:2], []).append((stem, item))
            return
        # The words are written as `words_of` has them, but for apostrophes and CJK text.
        is_plain = phrase.isascii() and "'" not in phrase and "-" not in phrase
        words = tuple(phrase.split()) if is_plain else words_of(phrase)
        known = self.phrases.setdefault(words[0], [])
        for place, (other, old) in enumerate(known):
            if other == words:
                # The first meaning holds; as a pole, a word has its meaning beside that.
                known[place] = (words, old._replace(poles={**old.poles, **item.poles}))
                return
        known.append((words, item))

    def match(self, words: Sequence[str], at: int) -> tuple[LexiconItem, int] | None:
        """The longest phrase that begins at one of the words, and how many words it has."""
        for phrase, item in self.phrases.get(words[at], ()):
            if tuple(words[at : at + len(phrase)]) == phrase:
                return item, len(phrase)
        best = ""
        found: LexiconItem | None = None
        for stem, item in self.stems.get(words[at][:2], ()):
            if words[at].startswith(stem) and len(stem) > len(best):
                best, found = stem, item
        return (found, 1) if found else None


@cache
def lexicons(family: Family) -> tuple[Lexicon, ...]:
    """The words of every language."""
    return tuple(_lexicon(entry, family) for entry in _languages().values())


@cache
def _languages() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    text = files("audiencelab.ingest.meaning").joinpath("scale_words.toml").read_text("utf-8")
    return tomllib.loads(text)


def _lexicon(entry: Mapping[str, Mapping[str, str]], family: Family) -> Lexicon:
    made = Lexicon()
    for key, words in (*entry[family].items(), *entry["both"].items()):
        kind, _, number = key.partition(" ")
        for phrase in _listed(words):
            made.add(phrase, LexiconItem(kind, float(number or 0)))
    for name, pair in entry["poles"].items() if family == "grades" else ():
        high, _, low = pair.partition("|")
        for side, plain in ((high, PLAIN), (low, -PLAIN)):
            for phrase in _listed(side):
                word, _, value = phrase.partition("=")
                made.add(word, LexiconItem("pole", 0.0, {name: float(value or plain)}))
    for phrases in made.phrases.values():
        # `match` takes the first that fits, and so the longest.
        phrases.sort(key=lambda each: -len(each[0]))
    return made


def _listed(words: str) -> Iterator[str]:
    return (word.strip() for word in words.split(",") if word.strip())


@lru_cache(maxsize=20_000)
def words_of(label: str) -> tuple[str, ...]:
    """The words of a label without case, codes, asides and signs; of CJK text, its characters."""
    plain = unicodedata.normalize("NFKC", label).casefold().replace("’", "'")
    plain = _GENDER.sub("", plain)
    # A label that is nothing but an aside keeps it.
    plain = _ASIDE.sub("", plain) or plain
    if _CJK.search(plain):
        return tuple(piece for word in _WORD.findall(plain) for piece in _PIECE.findall(word))
    return tuple(_WORD.findall(plain))


def without_code(label: str, family: Family) -> str:
    """A label without the code before it: "1 - Good" is "Good".

    So is "1 Good" of grades; of rates, "1 day a week" is not "day a week".
    """
    pattern = _CODE if family == "rates" else _LEADING_CODE
    return pattern.sub("", unicodedata.normalize("NFKC", label))


def number_in(word: str) -> float | None:
    """The number that a word is; None of any other."""
    return float(word.replace(",", ".")) if _NUMBER.match(word) else None


@cache
def _first_words(family: Family) -> tuple[dict[str, set[int]], dict[str, list[tuple[str, int]]]]:
    """The languages with a phrase that begins with a word; those with a stem, by two letters."""
    words: dict[str, set[int]] = {}
    stems: dict[str, list[tuple[str, int]]] = {}
    for place, lexicon in enumerate(lexicons(family)):
        for word, phrases in lexicon.phrases.items():
            # A filler such as an article does not show the language.
            if len(phrases) > 1 or phrases[0][1].kind != "filler":
                words.setdefault(word, set()).add(place)
        for start, found in lexicon.stems.items():
            stems.setdefault(start, []).extend((stem, place) for stem, _ in found)
    return words, stems


@lru_cache(maxsize=50_000)
def languages_of(label: str, family: Family) -> frozenset[int]:
    """The languages, by index of `lexicons(family)`, of which a label has a word."""
    words, stems = _first_words(family)
    found: set[int] = set()
    for word in words_of(label):
        found |= words.get(word, set())
        found.update(place for stem, place in stems.get(word[:2], ()) if word.startswith(stem))
    return frozenset(found)


@lru_cache(maxsize=50_000)
def parsed(label: str, family: Family, place: int) -> Parsed:
    """A label by the words of one language of `lexicons(family)`."""
    lexicon = lexicons(family)[place]
    words = words_of(label)
    items: list[LexiconItem] = []
    rest: list[str] = []
    at = 0
    while at < len(words):
        if found := lexicon.match(words, at):
            items.append(found[0])
            at += found[1]
            continue
        number = number_in(words[at]) if family == "rates" else None
        if number is not None:
            items.append(LexiconItem("number", number))
        else:
            rest.append(words[at])
        at += 1
    is_joined = bool(rest) and bool(_CJK.search("".join(rest)))
    # Five letters of a word: forms of one word that differ in their endings count as the same.
    return Parsed(tuple(items), "".join(rest) if is_joined else " ".join(w[:5] for w in rest))
