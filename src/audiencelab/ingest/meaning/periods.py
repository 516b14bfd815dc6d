"""Names of waves in the order of time: by years, seasons and months, and numbers in them.

The words are in `periods.toml`, by language.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple, TypeAlias, cast

_WORD = re.compile(r"\d+|[^\W\d_]+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NEXT_YEAR = re.compile(r"(?<=(?:19|20)\d\d)([/–-])\d\d(?!\d)")
"""The second year of 2024/25."""
_SHORT_YEAR = re.compile(r"(.*[^\W\d_].*\D)(\d\d)")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th|er|re|ère|e|ème|eme|[ºª°])(?![^\W\d_])")
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")

_Key: TypeAlias = tuple[tuple[int, ...], ...]


class _Name(NamedTuple):
    """A name taken apart: years, months and other numbers in it, and the words that are left."""

    years: tuple[int, ...]
    months: tuple[int, ...]
    numbers: tuple[int, ...]
    rest: tuple[str, ...]


def in_time(names: Sequence[str]) -> list[int] | None:
    """The positions of names of waves in the order of time; None where they do not say it.

    names: in the order of the file, which decides where months have no years.

    >>> in_time(["Wave 10", "Wave 2", "Wave 1"]), in_time(["Autumn 2025", "Spring 2025"])
    ([2, 1, 0], [1, 0])
    >>> in_time(["Pre", "Post"])
    """
    found = _with_letters([*map(_parsed, _with_years(names))])
    first = found[0]
    shape = tuple(map(len, first[:3]))
    # Names of different forms, "Spring 2024" and "Wave 3", have no order in common.
    if any(each.rest != first.rest or tuple(map(len, each[:3])) != shape for each in found):
        return None
    if not first.years and first.months and first.numbers:
        # Months without a year may be those of two: "Wave 1, Nov", "Wave 2, Jan".
        by_number = _sorted(found, lambda each: (each.numbers,))
        by_month = _sorted(found, lambda each: (each.months, each.numbers))
        return by_month if by_number in (None, by_month) else None
    by_time = _sorted(found, lambda each: (each.years, each.months, each.numbers))
    if by_time and first.months and not first.years:
        return _over_the_year([each.months[0] for each in found], by_time)
    return by_time


def _over_the_year(months: Sequence[int], by_time: list[int]) -> list[int]:
    """Positions of months without years, by month; a winter is as in the file: Nov, Dec, Jan."""
    # Around the circle of the year: the widest gap is between the last wave and the first.
    gaps = [(months[place] - months[by_time[k - 1]]) % 12 for k, place in enumerate(by_time)]
    start = by_time.index(0)
    turned = [*by_time[start:], *by_time[:start]]
    is_widest = gaps[start] == max(gaps) and gaps.count(gaps[start]) == 1
    return turned if is_widest and turned == sorted(turned) else by_time


def _sorted(found: Sequence[_Name], key: Callable[[_Name], _Key]) -> list[int] | None:
    """Positions by a key; None where two have the same."""
    keys = [*map(key, found)]
    if len({*keys}) < len(keys):
        return None
    return sorted(range(len(keys)), key=keys.__getitem__)


def _with_years(names: Sequence[str]) -> list[str]:
    """Names in small letters, in which years have four digits: "Jan 25" as "jan 2025"."""
    texts = [_plain(each).replace("年", " ").strip() for each in names]
    texts = [_ORDINAL.sub("", _NEXT_YEAR.sub("", each)) for each in texts]
    short = [found for each in texts if (found := _SHORT_YEAR.fullmatch(each))]
    if len(short) < len(texts) or any(_parsed(each).years for each in texts):
        return texts
    before = [_parsed(found[1]) for found in short]
    if all(each.months or each.numbers for each in before):
        return [f"{found[1]} 20{found[2]}" for found in short]
    return texts


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _parsed(text: str) -> _Name:
    months = _months()
    years, parts, numbers = list[int](), list[int](), list[int]()
    rest: list[str] = []
    for word in _WORD.findall(text):
        if _YEAR.fullmatch(word):
            years.append(int(word))
        elif word.isdecimal():
            numbers.append(int(word))
        elif word in months:
            parts.append(months[word])
        else:
            rest.append(word)
    return _Name(tuple(years), tuple(parts), tuple(numbers), tuple(rest))


def _with_letters(found: list[_Name]) -> list[_Name]:
    """Names with their one different word as a number: "Wave A", "Wave B"; "Wave I", "Wave II"."""
    if len({len(each.rest) for each in found}) > 1 or not found[0].rest:
        return found
    different = [words for words in zip(*(e.rest for e in found), strict=True) if len({*words}) > 1]
    if len(different) != 1:
        return found
    [words] = different
    # With "i" among them: "v" and "x" alone may be letters of the alphabet.
    if all(word in _ROMAN for word in words) and "i" in words:
        sizes = [*map(_ROMAN.index, words)]
    elif all(len(word) == 1 and word.isascii() for word in words):
        sizes = [ord(word) for word in words]
    else:
        return found
    return [
        each._replace(numbers=(*each.numbers, size), rest=())
        for each, size in zip(found, sizes, strict=True)
    ]


@cache
def _months() -> Mapping[str, int]:
    """Months by their names in all languages, and by those of seasons."""
    return {
        word: month
        for language in month_words().values()
        for month, words in language.items()
        for word in words
    }


@cache
def month_words() -> Mapping[str, Mapping[int, Sequence[str]]]:
    """The words of each month by language, in small letters, with those of seasons."""
    return {
        language: {int(month): [*map(_plain, words)] for month, words in each.items()}
        for language, each in _read().items()
        if isinstance(each, dict)
    }


@cache
def season_words() -> frozenset[str]:
    """Those of them that are seasons."""
    return frozenset(map(_plain, cast("list[str]", _read()["seasons"])))


@cache
def _read() -> dict[str, dict[str, list[str]] | list[str]]:
    raw = files("audiencelab.ingest.meaning").joinpath("periods.toml").read_text("utf-8")
    return cast("dict[str, dict[str, list[str]] | list[str]]", tomllib.loads(raw))
