"""What a column is for, guessed from its name, its label and its values.

Each guess is a function of its own and gives its reason in words, for people to judge it by.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from audiencelab.panel.importing.codebook import canonical_value
from audiencelab.panel.importing.drafting.profile import ColumnProfile, is_number
from audiencelab.panel.importing.waves import MOST_WEIGHT

__all__ = [
    "Guess",
    "find_clusters",
    "find_dates",
    "find_locations",
    "find_strata",
    "find_wave_columns",
    "find_weights",
    "is_location",
    "refused_weights",
    "separator_of",
    "why_left_out",
]

_WEIGHT = re.compile(
    r"(^|[_. ])(p|h|hh|person|final|post|survey|case|sample)?_?"
    r"(weights?|wei|wts?|wgts?|wght|wtg|wgtv|weighting|gewicht|poids|peso)(?=$|[_. \d(])",
    re.IGNORECASE,
)
_BODY = re.compile(r"\b(kgs?|kilos?|lbs?|pounds?|stones?|body|birth|weigh)\b", re.IGNORECASE)
_WAVES = ("wave", "round", "sweep", "survey_wave", "waves", "week", "month", "quarter", "year")
_DATES = re.compile(
    r"(date|start|end|interview|field|record|submit|complet|day|time|month|quarter)", re.IGNORECASE
)
_BIRTH = re.compile(r"(birth|born|dob)", re.IGNORECASE)
_PLACES = ("country", "nation", "market", "region", "state", "st", "province", "county", "location")
_Patterns = tuple[re.Pattern[str], re.Pattern[str]]
"""Of a column's name, and of its label."""
_OF_SAMPLE = r"(^|[_. ])(v|var|sdmv|pseudo|samp|sample|design)?_?"
_NUMBERED = r"_?(id|no|nr|num|number|code)?\d*"
_STRATA: _Patterns = (
    re.compile(rf"{_OF_SAMPLE}(strat|stra|stratum|strata|estrato){_NUMBERED}$", re.IGNORECASE),
    re.compile(r"(?=.*\bstrat(um|a)\b).*\b(sampl\w*|variance|design)\b", re.IGNORECASE),
)
_CLUSTERS: _Patterns = (
    re.compile(rf"{_OF_SAMPLE}(psu|cluster|clust|secu|conglomerado){_NUMBERED}$", re.IGNORECASE),
    re.compile(r"\b(primary sampling unit|sampl\w* cluster|cluster number)\b", re.IGNORECASE),
)
_ID = re.compile(
    r"^(|id|.*_id|ids?_.*|.*id|uuid|guid|serial|.*serial.*|case|caseno|record.*|respondent.*|"
    r"index|row|rownum|unnamed.*|key|scram)$",
    re.IGNORECASE,
)
_SEPARATORS = (";", "|", ",")

_MOST_TEXTS = 300
_MOST_PARTS = 200


@dataclass(frozen=True)
class Guess:
    """A column, and why it was taken for what it is taken for."""

    column: str
    reason: str


def find_weights(columns: Iterable[ColumnProfile]) -> list[Guess]:
    """The columns that may be weights, those that weigh most respondents first."""
    found = [column for column in columns if _is_weight(column)]
    # A person's own weight before the household's.
    found.sort(key=lambda column: (-column.filled, column.name.lower().startswith("h")))
    return [Guess(column.name, _weight_reason(column)) for column in found]


def refused_weights(columns: Iterable[ColumnProfile]) -> list[str]:
    """Why columns that are called weights are not taken for any."""
    named = [each for each in columns if _WEIGHT.search(each.name) and _is_plain(each)]
    return [f"not {each.name}: {why}" for each in named if (why := _unfit_weight(each))]


def _is_weight(column: ColumnProfile) -> bool:
    named = _WEIGHT.search(column.name) or _WEIGHT.search(column.variable.label)
    return bool(named) and _is_plain(column) and _unfit_weight(column) is None


def _is_plain(column: ColumnProfile) -> bool:
    """Whether its values are what they say, and not codes, dates, or what somebody weighs."""
    says_other = column.labels or column.is_date or _BODY.search(column.variable.label)
    return bool(column.answers) and not says_other


def _unfit_weight(column: ColumnProfile) -> str | None:
    """Why nobody could be weighed by a column; None if everybody could."""
    numbers = column.numbers
    if numbers is None:
        odd = next(value for value in column.answers if not is_number(value))
        return f"it holds {odd[:40]!r}, which is no number"
    if min(numbers) < 0 or max(numbers) > MOST_WEIGHT:
        odd = min(numbers) if min(numbers) < 0 else max(numbers)
        return f"it holds {odd:,.6g}, which no weight can be"
    if len(numbers) < 2:
        return f"it is {min(numbers):,.6g} for everybody"
    if column.is_whole and len(numbers) < 5:
        return f"it holds {len(numbers)} whole numbers alone, like a code"
    return None


def _weight_reason(column: ColumnProfile) -> str:
    numbers = column.numbers or {}
    total = sum(number * count for number, count in numbers.items())
    words = (
        f"{column.name}: named like a weight, from {min(numbers):,.6g} to {max(numbers):,.6g}, "
        f"about {total / max(1, sum(numbers.values())):,.4g} on average"
    )
    without = column.rows - column.filled
    return words + (f"; {without:,} respondents have none, and are left out" if without else "")


def find_strata(columns: Iterable[ColumnProfile]) -> list[Guess]:
    """Columns that may name the strata of the sample, in the order of the file."""
    return [guess for column in columns if (guess := _design(column, "strata", _STRATA))]


def find_clusters(columns: Iterable[ColumnProfile]) -> list[Guess]:
    """Columns that may number its primary sampling units, in the order of the file."""
    # One with labels is more likely a segmentation.
    plain = [column for column in columns if not column.labels]
    return [guess for column in plain if (guess := _design(column, "clusters", _CLUSTERS))]


def _design(column: ColumnProfile, what: str, patterns: _Patterns) -> Guess | None:
    """A guess, if every respondent has one of several values and the column is named like it."""
    number = len(column.answers) + column.others
    if not 2 <= number <= 0.9 * column.rows or not _is_full(column) or column.is_date:
        return None
    by_name, by_label = patterns
    if by_name.search(column.name):
        by = "name"
    elif by_label.search(column.variable.label):
        by = "label"
    else:
        return None
    return Guess(
        column.name, f"{what}: {column.name}, by its {by}; {number:,} values, none missing"
    )


def find_wave_columns(columns: Iterable[ColumnProfile]) -> list[Guess]:
    """Columns that number or name the waves, the likeliest first."""
    named = {name: place for place, name in enumerate(_WAVES)}
    found = [
        column
        for column in columns
        if column.name.lower() in named and _is_full(column) and 2 <= len(column.answers) <= 60
    ]
    found.sort(key=lambda column: named[column.name.lower()])
    return [
        Guess(
            column.name, f"{column.name}: by its name; {len(column.answers)} values, none missing"
        )
        for column in found
    ]


def find_dates(columns: Iterable[ColumnProfile]) -> list[Guess]:
    """Columns of dates on which respondents may have been interviewed."""
    return [
        Guess(column.name, f"{column.name}: everybody has a date in it")
        for column in columns
        if column.is_date
        and _is_full(column)
        and (_DATES.search(column.name) or _DATES.search(column.variable.label))
        and not (_BIRTH.search(column.name) or _BIRTH.search(column.variable.label))
    ]


def find_locations(columns: Iterable[ColumnProfile]) -> list[Guess]:
    """Columns that may tell where respondents live, the likeliest first."""
    found = [column for column in columns if is_location(column)]
    found.sort(key=lambda column: _place_rank(column) or 0)
    return [
        Guess(
            column.name, f"{column.name}: by its name; {len(column.answers)} places, none missing"
        )
        for column in found
    ]


def is_location(column: ColumnProfile) -> bool:
    """Whether a column has everybody's place, one of some."""
    few = 2 <= len(column.answers) <= _MOST_TEXTS
    named = column.labels or column.numbers is None or column.is_whole
    return few and bool(named) and _is_full(column) and _place_rank(column) is not None


def _place_rank(column: ColumnProfile) -> int | None:
    words = re.split(r"[^a-z]+", column.name.lower())
    return next((place for place, name in enumerate(_PLACES) if name in words), None)


def _is_full(column: ColumnProfile) -> bool:
    return column.answered == column.rows


def separator_of(column: ColumnProfile) -> str | None:
    """What stands between several values in the cells of a column; None where they hold one."""
    if column.is_date or column.numbers is not None:
        return None
    return next((sign for sign in _SEPARATORS if _separates(sign, list(column.answers))), None)


def _separates(sign: str, values: Sequence[str]) -> bool:
    """Whether cells are lists of few parts that come again in other cells."""
    cells = [
        [canonical_value(part) for part in value.split(sign) if part.strip()] for value in values
    ]
    parts = {part for cell in cells for part in cell}
    several = sum(len(cell) > 1 for cell in cells)
    if not several or len(parts) > _MOST_PARTS or any(len(set(cell)) < len(cell) for cell in cells):
        return False
    if all(part.isdecimal() for part in parts):
        # "1,5" may be a number with a decimal comma; a list of codes is seldom of two alone.
        return sign != "," or any(len(cell) > 2 for cell in cells)
    # Prose has commas too; words that come again alone or with others are answers.
    return sign != "," and len(parts) <= 60 and several >= len(parts) / 2


def why_left_out(column: ColumnProfile) -> str | None:
    """Why a column makes no question; None where it does."""
    if not column.answers:
        return "no values"
    distinct = len(column.answers) + column.others
    if column.is_date:
        return "a date; name it under [wave] to make waves of it"
    if column.labels:
        return None
    if _ID.match(column.name) and distinct > 50 and distinct > 0.9 * column.filled:
        return "an identification: different for every respondent"
    if column.numbers is None:
        if separator_of(column):
            return None
        if distinct > _MOST_TEXTS or (distinct > 20 and distinct > 0.5 * column.filled):
            return f"free text: {distinct:,} different texts"
        if max(map(len, column.answers)) > 200:
            return "free text: some of it is longer than any answer"
    return None
