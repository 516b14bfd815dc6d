"""What a column is for, guessed from its name, its label and its values.

Each guess has a reason that people can judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from audiencelab.ingest.codebook import canonical_value
from audiencelab.ingest.draft.profile import ColumnProfile
from audiencelab.ingest.draft.weights import share_of

_WAVES = (
    "wave", "waves", "survey_wave", "wave_no", "wave_number", "waveno", "round", "survey_round",
    "round_no", "essround", "idround", "sweep", "s002", "s002vs", "s002evs", "sddsrvyr",
)  # fmt: skip
"""Of columns that say nothing else than the wave, whatever their values."""

_YEARS = ("survey_year", "surveyyear", "syear", "svyyear", "vcf0004", "year", "quarter", "week")
"""Of columns that may tell waves by a year or a number of them; dates in them are dates."""
_DATES = re.compile(
    r"(date|start|end|interview|field|record|submit|complet|day|time|month|quarter)", re.IGNORECASE
)
_BIRTH = re.compile(r"(birth|born|dob)", re.IGNORECASE)
_PLACES = ("country", "nation", "market", "region", "state", "st", "province", "county", "location")
_Patterns = tuple[re.Pattern[str], re.Pattern[str]]
"""Of a column's name, and of its label."""
_OF_SAMPLE = r"(^|[_. ])(v|var|sdmv|pseudo|samp|sample|design)?_?"
_NUMBERED = r"_?(id|no|nr|num|number|code|pri)?\d*"
_STRATA: _Patterns = (
    re.compile(
        rf"{_OF_SAMPLE}(strat|stra|str|stratum|strata|estrato){_NUMBERED}$|"
        # BRFSS, NSDUH, MEPS, NHIS, ANES, DHS
        r"^([_x]*ststr|vestr|vestr_c|varstr|pstrat|v200010d|v240107d|h?v022|h?v023)$",
        re.IGNORECASE,
    ),
    re.compile(r"(?=.*\bstrat(um|a)\b).*\b(sampl\w*|variance|design)\b", re.IGNORECASE),
)
_CLUSTERS: _Patterns = (
    re.compile(
        rf"{_OF_SAMPLE}(psu|clusters?|clust|secu|conglomerado|upm){_NUMBERED}$|"
        # NSDUH, NHIS, ANES, DHS, Afrobarometer and others that draw enumeration areas
        r"^(verep|ppsu|v200010c|v240107c|h?v021|ea|ea_?(id|no|nr|code|numb)|"
        r"(sampling|sample)_?(point|pt)(_?(id|no|nr))?)$",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(primary sampling unit|sampl\w* cluster|cluster number|sampling point)\b", re.IGNORECASE
    ),
)
_ID = re.compile(
    r"^(|id|.*_id|ids?_.*|.*id|uuid|guid|serial|.*serial.*|case|caseno|record.*|respondent.*|"
    r"index|row|rownum|unnamed.*|key|scram)$",
    re.IGNORECASE,
)
_SURE_ID = re.compile(
    r"(.*[_. ])?(id|uid|uuid|guid|idno|seqn|serial_?(no|nr|num|number)?)|"
    r"(case|resp|respondent|person|pers|house|household|hh|p|h|user|member|interviewer|int|subject|"
    r"surveyist|student|school|family|record|response|session|sample|cps)_?"
    r"(idp?|no|nr|num|number)",
    re.IGNORECASE,
)
_SAYS_ID = re.compile(
    r"\b(identif\w*|(respondent|case|serial|questionnaire|interview|household|record)'?s? "
    r"(id|no|nr|number))\b",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"(^|[\W_])(zip|zip_?code|zip_?5|post_?code|postal_?code|plz|postleitzahl|code_?postal|"
    r"codigo_?postal|fips|fips_?code|phone|telephone|area_?code)(?=$|[\W_\d])",
    re.IGNORECASE,
)
_SEPARATORS = (";", "|", ",")

_MOST_TEXTS = 300
_FEWEST_IDS = 40
_FEWEST_IN_ROW = 200
_MOST_PARTS = 200


@dataclass(frozen=True)
class Guess:
    """A column, and why it was taken for what it is taken for."""

    column: str
    reason: str


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
    by = _named_by(column, patterns)
    if by is None or _unfit_design(column):
        return None
    number = len(column.answers) + column.others
    return Guess(
        column.name, f"{what}: {column.name}, by its {by}; {number:,} values, none missing"
    )


def _named_by(column: ColumnProfile, patterns: _Patterns) -> str | None:
    by_name, by_label = patterns
    if by_name.search(column.name):
        return "name"
    return "label" if by_label.search(column.variable.label) else None


def _unfit_design(column: ColumnProfile) -> str | None:
    """Why a column cannot say how the sample was drawn; None where it can."""
    number = len(column.answers) + column.others
    if column.is_date:
        return "it holds dates"
    if not _is_full(column):
        without = share_of(column.rows - column.answered, column.rows)
        return f"{without} have none; name it under [design] if these are whole waves"
    if number < 2:
        return "it is the same for everybody"
    if number > 0.9 * column.rows:
        return "it differs for nearly every respondent"
    return None


def refused_design(columns: Iterable[ColumnProfile]) -> list[Guess]:
    """Columns that are called strata or clusters and are not taken for any, and why."""
    found: list[Guess] = []
    for column in columns:
        for what, patterns in (("strata", _STRATA), ("clusters", _CLUSTERS)):
            if not column.answers or _named_by(column, patterns) is None:
                continue
            why = _unfit_design(column)
            if why is None and what == "clusters" and column.labels:
                why = "its values have labels, as those of a segmentation have"
            if why is not None:
                found.append(Guess(column.name, f"{what}: not {column.name}: {why}"))
    return found


def is_wave_name(name: str) -> bool:
    """Whether a column is called a wave, and not a date or a part of one."""
    return name.lower() in _WAVES


def find_wave_columns(columns: Iterable[ColumnProfile]) -> list[Guess]:
    """Columns that number or name the waves, the likeliest first.

    A date makes waves only if the caller asks for it, unless its column is named like a wave.
    """
    named = {name: place for place, name in enumerate((*_WAVES, *_YEARS))}
    found = [
        column
        for column in columns
        if column.name.lower() in named
        and _is_full(column)
        and 2 <= len(column.answers) <= 60
        and (not column.is_date or is_wave_name(column.name))
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
    """The sign between several values in the cells of a column; None where cells hold one."""
    if column.is_date or column.numbers is not None:
        return None
    return next((sign for sign in _SEPARATORS if _separates(sign, column.answers)), None)


def _separates(sign: str, values: Iterable[str]) -> bool:
    """Whether cells are lists of few parts that are repeated in other cells."""
    parts: set[str] = set()
    several = longest = 0
    for value in values:
        cell = [canonical_value(part) for part in value.split(sign) if part.strip()]
        parts.update(cell)
        # Free text has many parts after a few cells, and is not read to its end.
        if len(parts) > _MOST_PARTS or len(set(cell)) < len(cell):
            return False
        several += len(cell) > 1
        longest = max(longest, len(cell))
    if not several:
        return False
    if all(part.isdecimal() for part in parts):
        # "1,5" may be a number with a decimal comma; a list of codes is seldom of two alone.
        return sign != "," or longest > 2
    # Prose has commas too; words that are repeated alone or with others are answers.
    return sign != "," and len(parts) <= 60 and several >= len(parts) / 2


def is_code(column: ColumnProfile) -> bool:
    """Whether a column holds postcodes or the like: digits that are not an amount."""
    return bool(_CODE.search(column.name) or _CODE.search(column.variable.label))


def _is_id(column: ColumnProfile, distinct: int) -> bool:
    """Whether a column numbers respondents, households or interviewers."""
    is_plain = column.is_whole or column.numbers is None
    if distinct <= _FEWEST_IDS or not is_plain or is_location(column):
        return False
    if _SURE_ID.fullmatch(column.name) or _SAYS_ID.search(column.variable.label):
        return True
    numbers = column.numbers
    if numbers is None or column.others or distinct < _FEWEST_IN_ROW or distinct < column.filled:
        return False
    return max(numbers) - min(numbers) + 1 == distinct


def why_left_out(column: ColumnProfile) -> str | None:
    """Why a column makes no question; None where it does."""
    if not column.answers:
        return "no values"
    distinct = len(column.answers) + column.others
    if column.is_date:
        return "a date; name it under [wave] to make waves of it"
    if column.labels:
        return None
    return _why_only_codes(column, distinct) or _why_free_text(column, distinct)


def _why_free_text(column: ColumnProfile, distinct: int) -> str | None:
    if column.numbers is not None or separator_of(column):
        return None
    if distinct > _MOST_TEXTS or (distinct > 20 and distinct > 0.5 * column.filled):
        return f"free text: {distinct:,} different texts"
    if max(map(len, column.answers)) > 200:
        return "free text: some of it is longer than any answer"
    return None


def _why_only_codes(column: ColumnProfile, distinct: int) -> str | None:
    if _ID.match(column.name) and distinct > 50 and distinct > 0.9 * column.filled:
        return "an identification: different for every respondent"
    if _is_id(column, distinct):
        return f"an identification: {distinct:,} different values"
    if is_code(column) and distinct > _MOST_TEXTS:
        return f"codes, and not amounts: {distinct:,} different values"
    return None
