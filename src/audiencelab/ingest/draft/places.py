"""Which column has the respondents' location: countries, or parts of one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import NamedTuple
from unicodedata import combining, normalize

from audiencelab.ingest.meaning.guess import Guess, quoted
from audiencelab.ingest.meaning.profile import ColumnProfile

_PLACES = ("country", "nation", "market", "region", "state", "st", "province", "county", "location")
"""Words in the names of columns of locations, the likeliest first."""

_COUNTRIES = re.compile(
    # Eurobarometer and EVS, ESS, ISSP, WVS; and "country" in other languages.
    r"isocntry|ctry|t?ns?cntry|cntry_?(an|id|code|iso)?|c_alphan|s003a?|v2a|"
    r"pa[ií]s|pays|paese|land|l[aä]nder|kraj|iso_?(country|2|3|alpha_?[23])"
)
"""Names of columns of countries, where their values are countries."""

_CERTAIN = re.compile(r"isocntry|cntry|c_alphan|s003|b_country(_alpha)?")
"""Names of columns of countries, also where these are numbers without labels."""

_NOT_OF_NOW = re.compile(
    r"(birth|born|origin|citizen|nationalit|mother|father|parent|ancest|visit|travel|destination|"
    r"previous|before|heard|brand|product)",
    re.I,
)
"""In names and labels: countries other than that of the interview."""

_PART = r"(east(ern)?|west(ern)?|north(ern)?|south(ern)?|ost|est|ouest|of|the|republic|old|new)"
_CODE = re.compile(r"([A-Z]{2,3})[-_ .:–].*|([A-Za-z]{2,3})")
"""The code of a country, and what follows it; in small letters alone."""

_FEWEST_CODES = 3
"""Codes of countries, NA among them, of which NA is one."""

_MOST_PLACES = 300
_ENOUGH = 0.75
"""The part of answers that are countries in a column of countries."""


class FoundLocation(NamedTuple):
    """The column of the respondents' location.

    said: how it was found. others: columns of countries that were not taken.
    """

    column: ColumnProfile
    said: str
    others: tuple[str, ...] = ()


def find_location(columns: Iterable[ColumnProfile]) -> FoundLocation | None:
    """The column that most likely has the respondents' locations.

    Of several columns of countries the one that names them, then the one with most of them (East
    and West Germany, for example), then the first.
    """
    found = [each for each in columns if is_location(each)]
    if not found:
        return None
    of_countries = [each for each in found if are_countries(each)]
    if not of_countries:
        column = min(found, key=_rank)
        return FoundLocation(column, f"by its name; {_counted(column)}")
    column = min(of_countries, key=lambda each: (not _is_named(each), -len(each.answers)))
    others = tuple(each.name for each in of_countries if each is not column)
    return FoundLocation(column, f"by its name and its values; {_counted(column)}", others)


def with_namibia(
    columns: Mapping[str, ColumnProfile],
) -> tuple[dict[str, ColumnProfile], list[Guess]]:
    """The columns, of which those of countries have NA as the code of Namibia; and which these are.

    NA is that where the other countries have codes of two letters. A caller who says what is
    missing in such a column is believed.
    """
    found, guesses = dict(columns), list[Guess]()
    for name, column in columns.items():
        value = next((each for each in ("NA", "na") if each in column.answers), None)
        if value is None or column.labels or column.given_codes is not None or _rank(column):
            continue
        others = [each for each in column.answers if len(each) == len(value) and is_country(each)]
        if len(others) <= len(column.answers) / 2 or len(others) < _FEWEST_CODES:
            continue
        found[name] = replace(column, given_codes=frozenset())
        said = f"{value!r} ({column.answers[value]:,}) taken as the code of Namibia"
        code = f'al.open(…, missing={{{quoted(name)}: ["{value}"]}})'
        guesses.append(Guess(name, "missing", f"{said}, not as a missing code", code, 1))
    return found, guesses


def _counted(column: ColumnProfile) -> str:
    return f"{len(column.answers)} places, none missing"


def is_location(column: ColumnProfile) -> bool:
    """Whether a column has one of some locations for every respondent."""
    is_code = bool(column.labels) or column.numbers is None or column.is_whole
    may_be = 2 <= len(column.answers) <= _MOST_PLACES and not column.variable.no_question
    return may_be and is_code and column.is_full and _rank(column) < len(_PLACES)


def _rank(column: ColumnProfile) -> int:
    """The index of a column in `_PLACES`; their number for one that has no locations."""
    name = column.name.lower()
    words = re.split(r"[^a-z]+", name)
    rank = next((rank for rank, each in enumerate(_PLACES) if each in words), len(_PLACES))
    if _PLACES[rank:] and _PLACES[rank] not in ("country", "nation"):
        return rank
    is_called = rank < len(_PLACES) or _COUNTRIES.fullmatch(name)
    if not is_called or column.calls(_NOT_OF_NOW):
        return len(_PLACES)
    # Numbers without labels say nothing, and the name decides.
    is_bare = column.numbers is not None and not column.labels
    is_one = (rank == 0 or _CERTAIN.fullmatch(name)) if is_bare else are_countries(column)
    return 0 if is_one else len(_PLACES)


def are_countries(column: ColumnProfile) -> bool:
    """Whether nearly all answers of a column are countries or parts of them, by name or code."""
    answers = [*column.answers]
    known = sum(is_country(column.label(each)) or is_country(each) for each in answers)
    return known >= _ENOUGH * len(answers)


def _is_named(column: ColumnProfile) -> bool:
    """Whether answers are shown as names, and not as codes."""
    shown = [column.label(each) for each in column.answers]
    return sum(len(each) > len("GB-GBN") for each in shown) > len(shown) / 4


def is_country(text: str) -> bool:
    """Whether a text is a country: its name, its code, or both, with a part of it perhaps.

    >>> [is_country(each) for each in ("France", "DE-W", "FR - France", "Germany East", "rural")]
    [True, True, True, True, False]
    """
    codes, names = _countries()
    found = _CODE.fullmatch(text.strip())
    if found and (found[1] or found[2].upper()) in codes:
        return True
    folded = _folded(text)
    return folded in names or _without_parts(folded) in names


@cache
def _countries() -> tuple[frozenset[str], frozenset[str]]:
    """Codes, and names without accents in small letters."""
    raw = files("audiencelab.ingest.draft").joinpath("countries.toml").read_text("utf-8")
    content: dict[str, Sequence[str]] = tomllib.loads(raw)["countries"]
    codes = {*content, *(code for code, *_ in content.values())}
    names = {_folded(name) for _, *names in content.values() for name in names}
    return frozenset(codes), frozenset(names | {_without_parts(each) for each in names})


def _without_parts(folded: str) -> str:
    return " ".join(re.sub(rf"\b{_PART}\b", "", folded).split()) or folded


def _folded(text: str) -> str:
    plain = "".join(each for each in normalize("NFKD", text.casefold()) if not combining(each))
    return " ".join(re.findall(r"[^\W\d_]+", plain))
