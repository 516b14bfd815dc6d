"""Numbers inside the texts of answers: "$25,000 to $49,999", "unter 18", "1 000 et plus", 5'10".

The words beside numbers are in `numbers.toml`, by language.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, cast

_LATIN = "a-zà-ɏ"
_DIGITS = re.compile(
    # Groups of three digits, the same sign between them; else digits with a decimal sign.
    rf"(?<![{_LATIN}_\d.,])([1-9]\d{{0,2}}([.,' ])\d{{3}}(?:\2\d{{3}})*(?:[.,]\d{{1,2}})?"
    r"|\d+(?:[.,]\d+)?)(?![\d_])"
)
_GROUPED = re.compile(r"([1-9]\d{0,2}(?:([.,' ])\d{3})(?:\2\d{3})*)([.,]\d+)?")
_FEET = re.compile(
    r"(?<!\d)(\d)\s?(?:'|ft\.?|feet|foot)\s?(\d{1,2})?\s?(?:\"|''|in\.?|inches)?(?![\d'])"
)
_PLUS = re.compile(r"(\d[\d.,' ]*(?:k\b)?)\+")
_SIGNS = {"<": "less", "≤": "less", "=<": "less", ">": "more", "≥": "more", "+": "more"}
_NO_WORD = re.compile(r"[^\w]+")
_WORD = re.compile(rf"[{_LATIN}]+")
_MOST_LETTERS = 80
"""Longer texts are sentences, whose numbers are not amounts."""


@dataclass(frozen=True, slots=True)
class Amount:
    """What one answer says: from low to high, both the same for a single number.

    low, high: None where the amount has no such end. unit: "" or what the numbers count, as a
    factor of minutes. rest: the other words. leads: whether a word is before the number, as in
    "Brand 2". numbers: those that are written.
    """

    low: float | None
    high: float | None
    numbers: tuple[float, ...]
    unit: str = ""
    rest: tuple[str, ...] = ()
    leads: bool = False

    @property
    def is_open(self) -> bool:
        """Whether one end is missing: "150,000+"."""
        return self.low is None or self.high is None

    @property
    def middle(self) -> float | None:
        """The number that it counts as; None of an open one."""
        if self.low is None or self.high is None:
            return None
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class Amounts:
    """The amounts of all answers of a question, by position.

    ranks: their order by size. scores: a number for each, none for an open one; empty where most
    have none, the units differ, or numbers are parts of names ("Brand 1"). is_quantity:
    whether more is more.
    """

    each: tuple[Amount, ...]
    ranks: tuple[float, ...]
    scores: Mapping[int, float]
    is_quantity: bool


def amounts_of(labels: Sequence[str]) -> Amounts | None:
    """The amounts that all of some labels say; None where one does not, or kinds are mixed.

    >>> found = amounts_of(["150,000+", "$0", "Less than $25,000", "$25,000 to $149,999"])
    >>> found.ranks, found.scores
    ((3.0, 0.0, 1.0, 2.0), {1: 0.0, 3: 87499.5})
    """
    # Most questions have no amounts: three labels show that without parsing all of them.
    if len(labels) < 2 or not any(map(_may_count, labels[:3])):
        return None
    found: list[Amount] = []
    for label in labels:
        if (amount := amount_of(label)) is None:
            return None
        found.append(amount)
    # Two labels without a digit, such as "None" and "One", are words rather than amounts.
    if not any(any(map(str.isdigit, label)) for label in labels) and len(labels) < 3:
        return None
    if not _are_alike([each.rest for each in found]):
        return None
    # Nothing has no unit of its own: "None" beside "1 hour" and "2 hours".
    units = {each.unit for each in found if each.numbers != (0.0,)}
    if len(units - {""}) > 1 and "" in units:
        return None
    keys = _keys(found, is_mixed=len(units) > 1)
    if keys is None:
        return None
    ranked = sorted({*keys})
    ranks = tuple(float(ranked.index(key)) for key in keys)
    is_band = any(each.is_open or each.low != each.high for each in found)
    is_quantity = is_band or not any(each.leads for each in found)
    scores: dict[int, float] = {}
    if is_quantity and len(units - {""}) <= 1 and "feet" not in units:
        middles = ((place, each.middle) for place, each in enumerate(found))
        scores = {place: middle for place, middle in middles if middle is not None}
    if len(scores) < max(2, len(found) / 2):
        # A mean of one band of three would say nothing.
        scores = {}
    return Amounts(tuple(found), ranks, scores, is_quantity)


def _may_count(label: str) -> bool:
    return any(map(str.isdigit, label)) or amount_of(label) is not None


def _keys(found: Sequence[Amount], *, is_mixed: bool) -> list[tuple[float, ...]] | None:
    """What amounts are sorted by; None where two of them are the same."""

    def size(number: float, amount: Amount) -> float:
        return number * (float(amount.unit) if is_mixed and amount.unit not in ("", "feet") else 1)

    has_negative = any(number < 0 for each in found for number in each.numbers)
    least = float("-inf") if has_negative else 0.0
    keys: list[tuple[float, ...]] = []
    for each in found:
        if each.low is None:
            # Below every other but nothing at all.
            keys.append((least, 0.5, size(each.high or 0.0, each)))
        else:
            low = size(each.low, each)
            high = float("inf") if each.high is None else size(each.high, each)
            # A single number comes before a band that begins with it: "1" before "1 to 3".
            keys.append((low, 0.0 if high == low else 1.0, high))
    return keys if len({*keys}) == len(keys) else None


def _are_alike(rests: Iterable[tuple[str, ...]]) -> bool:
    """Whether words beside numbers are the same, but for endings and where there are none."""
    known = [*dict.fromkeys(filter(None, rests))]
    return all(
        len(one) == len(other) and all(map(_is_form, one, other)) for one, other in pairwise(known)
    )


def _is_form(one: str, other: str) -> bool:
    """Whether two words are forms of one: "child", "children"."""
    shorter, longer = sorted((one, other), key=len)
    return one == other or (
        len(shorter) > 2 and len(longer) - len(shorter) < 4 and longer.startswith(shorter[:-1])
    )


# ---- one text ----


@lru_cache(maxsize=20_000)
def amount_of(label: str) -> Amount | None:
    """The amount that a text says; None where it says none, or more than one.

    >>> amount_of("65 oder älter")
    Amount(low=65.0, high=None, numbers=(65.0,), unit='', rest=(), leads=False)
    """
    if len(label) > _MOST_LETTERS:
        return None
    # Full-width digits and signs become plain ones.
    text = unicodedata.normalize("NFKC", label).casefold().strip()
    for written, plain in (("’", "'"), ("′", "'"), ("”", '"'), ("″", '"'), ("\u2212", "-")):
        text = text.replace(written, plain)
    # Before its number, so that a unit follows it: "6+ hours".
    text = _PLUS.sub(r">\1 ", text)
    if not any(map(str.isdigit, text)):
        text = _words().in_digits(text)
    unit = ""
    if feet := [*_FEET.finditer(text)]:
        text, unit = _FEET.sub(_inches, text), "feet" if len(feet) < 3 else ""
    found = [*_DIGITS.finditer(text)]
    if not found:
        return _nothing(text)
    # Three numbers are a date or a list, and not an amount.
    return _amount(text, found, unit) if len(found) < 3 else None


def _inches(found: re.Match[str]) -> str:
    return f"{12 * int(found[1]) + int(found[2] or 0)} "


def _nothing(text: str) -> Amount | None:
    """Nothing at all: "None", "No children"."""
    words = _words()
    for phrase in words.nothing:
        if text == phrase or text.startswith(f"{phrase} "):
            rest = _rest([text.removeprefix(phrase)])
            return Amount(0.0, 0.0, (0.0,), rest=rest)
    return None


def _amount(text: str, found: Sequence[re.Match[str]], unit: str) -> Amount | None:
    words = _words()
    numbers: list[float] = []
    units: list[str] = []
    parts: list[str] = []
    place = 0
    for each in found:
        parts.append(text[place : each.start()])
        end, times, own = words.after(text, each.end())
        numbers.append(_number(each[0]) * times)
        units.append(own)
        place = end
    parts.append(text[place:])
    if len(found) == 2:
        numbers, units = _as_the_second(numbers, units, found)
    is_negative = parts[0].strip() == "-"
    if is_negative:
        numbers[0], parts[0] = -numbers[0], ""
    if len(numbers) == 2 and words.between_negative(parts[1]):
        numbers[1], parts[1] = -numbers[1], parts[1].rstrip()[:-1]
    unit = unit or next(filter(None, units), "")
    outer = [parts[0], parts[-1]]
    rest, leads = _rest(outer), bool(_rest(outer[:1]))
    known = tuple(numbers)
    if len(numbers) == 2:
        low, high = numbers
        if low > high or len({*units} - {""}) > 1 or not words.is_between(parts[1]):
            return _of_two_units(numbers, units, rest, parts[1])
        return Amount(low, high, known, unit, rest, leads)
    if not unit and len(rest) == 1 and rest[0] in words.units:
        # Behind words of its side: "65 y más años".
        unit, rest = words.units[rest[0]], ()
    side = words.side(outer)
    low, high = (None if side == "less" else known[0]), (None if side == "more" else known[0])
    return Amount(low, high, known, unit, rest, leads)


def _of_two_units(
    numbers: Sequence[float], units: Sequence[str], rest: tuple[str, ...], between: str
) -> Amount | None:
    """A band such as "30 minutes to 1 hour", in the second unit."""
    if not all(units) or not _words().is_between(between):
        return None
    low = numbers[0] * float(units[0]) / float(units[1])
    return Amount(low, numbers[1], (low, numbers[1]), units[1], rest) if low <= numbers[1] else None


def _as_the_second(
    numbers: list[float], units: list[str], found: Sequence[re.Match[str]]
) -> tuple[list[float], list[str]]:
    """The first of two numbers with the times and the unit of the second: "25-50k"."""
    written, second = _number(found[0][0]), _number(found[1][0])
    if numbers[0] == written and numbers[1] != second and written < second and second:
        numbers = [written * numbers[1] / second, numbers[1]]
    return numbers, [units[0] or units[1], units[1] or units[0]]


def _number(text: str) -> float:
    """1,000 and 1.000 as a thousand, 1,5 and 1.5 as one and a half."""
    if found := _GROUPED.fullmatch(text):
        decimals = (found[3] or "").replace(",", ".")
        return float(re.sub(r"\D", "", found[1]) + decimals)
    return float(text.replace(",", "."))


def _rest(parts: Iterable[str]) -> tuple[str, ...]:
    """The words of some parts that say nothing of sizes, and are not signs of money."""
    left: list[str] = []
    for part in parts:
        plain = _words().sides.sub(" ", part)
        left += _words().beside.sub(" ", _NO_WORD.sub(" ", plain)).split()
    return tuple(left)


# ---- the words ----


@dataclass(frozen=True)
class _Words:
    """The words of all languages, those of more letters first."""

    side_of: Mapping[str, str]
    sides: re.Pattern[str]
    connector: re.Pattern[str]
    beside: re.Pattern[str]
    nothing: tuple[str, ...]
    numbers: Mapping[str, int]
    times: Mapping[str, float]
    units: Mapping[str, str]
    times_here: re.Pattern[str]
    units_here: re.Pattern[str]

    def side(self, parts: Sequence[str]) -> str:
        """Which side of a number is meant, "less" or "more"; "" where it has no open end."""
        for part in parts:
            if found := self.sides.search(part):
                return self.side_of[found[0]]
        return ""

    def is_between(self, text: str) -> bool:
        """Whether a text joins the two numbers of a band: " to ", "–", " bis unter "."""
        plain = self.connector.sub(" ", self.sides.sub(" ", text))
        joined = bool(text.strip()) and not _NO_WORD.sub("", self.beside.sub(" ", plain))
        # These signs join dates, ratios and times: 1/2, 10:30.
        return joined and not set(text) & set("_/.,:|")

    def between_negative(self, text: str) -> bool:
        """Whether a text before a number ends with a minus: " to -"."""
        front = text.rstrip()
        return front.endswith("-") and bool(front[:-1].strip()) and self.is_between(front[:-1])

    def after(self, text: str, place: int) -> tuple[int, float, str]:
        """What follows a number: where it ends, how many times it is, and its unit."""
        times = 1.0
        if found := self.times_here.match(text, place):
            times, place = self.times[found[1]], found.end()
        if found := self.units_here.match(text, place):
            return found.end(), times, self.units[found[1]]
        return place, times, ""

    def in_digits(self, text: str) -> str:
        """A text whose number is spelled out, with digits: "two or more"."""
        for found in _WORD.finditer(text):
            if found[0] in self.numbers:
                number = str(self.numbers[found[0]])
                return text[: found.start()] + number + text[found.end() :]
        return text


@cache
def _words() -> _Words:
    raw = files("audiencelab.ingest.meaning").joinpath("numbers.toml").read_text("utf-8")
    read = cast(dict[str, dict[str, Any]], tomllib.loads(raw))
    times, units = read.pop("times"), read.pop("units")
    languages = [*read.values()]

    def joint(key: str) -> list[str]:
        return sorted({each for words in languages for each in words[key]}, key=len, reverse=True)

    side_of = dict.fromkeys(joint("more"), "more") | dict.fromkeys(joint("less"), "less") | _SIGNS
    numbers = {w: at for words in languages for at, w in enumerate(words.get("numbers", ()))}
    by_times = {word: float(factor) for factor, words in times.items() for word in words}
    by_unit = {word: factor for factor, words in units.items() for word in words}
    return _Words(
        side_of=side_of,
        sides=_pattern(side_of),
        connector=_pattern(joint("between")),
        beside=_pattern(joint("beside")),
        nothing=tuple(joint("nothing")),
        numbers=numbers,
        times=by_times,
        units=by_unit,
        times_here=_pattern(by_times, lambda every: rf"\s?({every})"),
        units_here=_pattern(by_unit, lambda every: rf"[\s-]*({every})"),
    )


def _pattern(
    words: Iterable[str], around: Callable[[str], str] = lambda every: every
) -> re.Pattern[str]:
    """Any of some words, the longest first; Latin ones where no letter is beside them."""
    listed = sorted(words, key=len, reverse=True)
    latin = [word for word in listed if _WORD.match(word)]
    other = [word for word in listed if not _WORD.match(word)]
    every = "|".join(
        [rf"(?<![{_LATIN}])(?:{'|'.join(map(re.escape, latin))})(?![{_LATIN}])"] * bool(latin)
        + list(map(re.escape, other))
    )
    return re.compile(around(f"(?:{every})"))
