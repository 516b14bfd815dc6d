"""What a search of names and labels takes for one another: words of one meaning, and ranges.

The words are in `search_words.toml` beside those by which answers are read, which have those of
ages, of how often and of ranges. The page gets them with the catalogue.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

_HOW_OFTEN = {"daily": 365, "weekly": 52, "monthly": 12, "yearly": 1}
_YEARS = "525960"
"""Minutes, by which `numbers.toml` names the unit."""
_SHORT = 3
_FIRST_WITHOUT_BLANKS = "\u2e80"
_BETWEEN_SIGNS = "[-\u2010-\u2015~\u301c]"
_MONEY = "[$€£¥]?"
_NUMBER = r"([0-9]{1,3}(?:[.,'][0-9]{3})+|[0-9]{1,9})(?![0-9])"


PLAIN = {"ß": "ss", "œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ı": "i"}
"""Letters that are not one of the alphabet with an accent."""
_NOT_PLAIN = str.maketrans(PLAIN)


def folded(text: str) -> str:
    """A text for comparisons: in lower case, letters without accents, signs of full width plain.

    >>> folded("Größe: Été １８")
    'grosse: ete 18'
    """
    if text.isascii():
        return text.lower()
    plain = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", plain).lower().translate(_NOT_PLAIN)


@cache
def synonyms() -> tuple[str, ...]:
    """Groups of folded words: of a language between bars, and the languages between semicolons.

    A word after "=" counts beside those of its own language only.
    """
    groups: dict[str, Mapping[str, str]] = dict(_read("search_words"))
    more: Mapping[str, str] = groups.pop("often")
    scales = _read("scale_words")
    listed = [[*each.values()] for each in groups.values()]
    listed.append([", ".join(each["ages"]) for each in _read("words").values() if "ages" in each])
    for name, times in _HOW_OFTEN.items():
        keys = [each["rates"].get(f"per-year {times}", "") for each in scales.values()]
        # The phrases of all languages are long enough not to be words of another.
        listed.append([*filter(None, keys), more[name]])
    return tuple(";".join("|".join(_marked(each)) for each in group) for group in listed)


@cache
def words_about(*topics: str) -> frozenset[str]:
    """Folded words of some groups in any language, such as "gender"; "age" has those of ages.

    >>> "geschlecht" in words_about("gender")
    True
    """
    groups: dict[str, Mapping[str, str]] = _read("search_words")
    listed = [text for topic in topics if topic != "age" for text in groups[topic].values()]
    if "age" in topics:
        listed += [", ".join(each["ages"]) for each in _read("words").values() if "ages" in each]
    words = (each.strip().removeprefix("=") for text in listed for each in text.split(","))
    return frozenset(map(folded, words))


def _marked(words: str) -> Iterable[str]:
    for word in dict.fromkeys(folded(each.strip()) for each in words.split(",")):
        is_short = len(word) <= _SHORT and word < _FIRST_WITHOUT_BLANKS
        yield f"={word}" if is_short and not word.startswith("=") else word


@cache
def range_pattern() -> str:
    """A regular expression of ranges in folded texts, as Python and JavaScript both read it.

    Its groups: a word before the number, such as "over"; the number; the second number; and what
    says that there is no upper end, such as "+" or "and over".

    >>> re.search(range_pattern(), "18 to 24 years").groups()
    (None, '18', '24', None)
    """
    read = _read("numbers")
    units = read.pop("units")[_YEARS]
    read.pop("times")

    def words(key: str) -> list[str]:
        return [each for language in read.values() for each in language[key]]

    between = rf"(?:{_BETWEEN_SIGNS}|{_any(words('between'))})"
    more = _any(words("more"))
    unit = rf"(?: *(?:[$€£¥]|{_any(units)}))?"
    return (
        rf"(?:(?<![a-z])({more}) +)?(?<![0-9a-z_.,]){_MONEY}{_NUMBER}{unit}"
        rf"(?: *{between} *{_MONEY}{_NUMBER}| *(\+|(?:{between} *)?{more}))?"
    )


def _any(words: Sequence[str]) -> str:
    """Any of some words, the longest first; Latin ones where no letter is beside them."""
    listed = sorted({folded(each) for each in words}, key=lambda each: (-len(each), each))
    # None has a sign of regular expressions; `re.escape` would make a third more of them.
    latin = [each for each in listed if each < _FIRST_WITHOUT_BLANKS and each != "~"]
    other = [each for each in listed if each >= _FIRST_WITHOUT_BLANKS]
    return f"(?:(?:{'|'.join(latin)})(?![a-z])|{'|'.join(other)})"


def _read(name: str) -> dict[str, Any]:
    # Not by the package, which a client of a service does without.
    file = files("audiencelab").joinpath("ingest", "meaning", f"{name}.toml")
    return tomllib.loads(file.read_text("utf-8"))
