"""Missing codes of one column by their numbers: 99 beside a scale of 1 to 5, -99 beside 0 to 3.

A number is certainly a missing code only where it is apart from a short scale. In amounts, such as
ages and hours, it may be an answer, and is reported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from audiencelab.ingest.meaning.profile import ColumnProfile, is_number
from audiencelab.ingest.meaning.words import names_amount

_CERTAIN = re.compile(r"[789]|77|88|9[789]|99[789]|-([189]|98|99)")
_POSSIBLE = re.compile(
    r"[789]|77{1,2}|88{1,2}|9+[789]|-([1789]|66{1,2}|77{1,2}|88{1,2}|9[5-9]|99\d|9999+)"
)
_WEEK = re.compile(
    r"\b(7|seven|sieben|sept|siete|sette)\b.{0,20}\b(days?|tagen?|jours?|d[ií]as|giorni)\b|"
    r"\bdays?\b.{0,20}\bweek\b",
    re.I,
)
"""What questions about the days of a week say, of which 7 is an answer."""
_MOST_POINTS = 11
_FEWEST_EACH = 10
"""Respondents for each point; with fewer, a point may be without any by chance."""


@dataclass(frozen=True)
class _Numbers:
    """The points of a column and the numbers apart from them that may be missing codes."""

    points: tuple[str, ...]
    codes: tuple[str, ...]


def without_own_codes(column: ColumnProfile) -> ColumnProfile:
    """A column without its certain missing codes; as it is where the caller says it has none."""
    codes = frozenset[str]() if column.given_codes == frozenset() else certain_codes(column)
    return replace(column, own_codes=column.own_codes | codes) if codes else column


def is_amount(column: ColumnProfile) -> bool:
    """Whether the name or the label of a column is that of ages, counts, money or hours."""
    return names_amount(column.name) or names_amount(column.variable.label)


def certain_codes(column: ColumnProfile) -> frozenset[str]:
    """The values of a column that are certainly missing codes, none of which has a label."""
    found = _divided(column)
    if found is None or is_amount(column) or not all(map(_CERTAIN.fullmatch, found.codes)):
        return frozenset()
    points = [int(value) for value in found.points]
    span = points[-1] - points[0] + 1
    is_row = span == len(points) <= _MOST_POINTS
    is_labelled = column.labels.keys() >= {*found.points} and len(points) <= _MOST_POINTS
    # 7, 8 and 9 are near the points of usual scales, and need more evidence than 99.
    if any(len(code) == 1 for code in found.codes):
        is_scale = is_labelled or (is_row and _has_seldom_codes(column, found))
    else:
        is_scale = is_labelled or span <= _MOST_POINTS
    return frozenset(found.codes) if is_scale else frozenset()


def _has_seldom_codes(column: ColumnProfile, found: _Numbers) -> bool:
    """Whether codes such as 9 are given by fewer people than a point, and all points by several.

    An answer that many give is one of a list, and a few people may leave a point of it out.
    """
    points = [column.answers.get(value, 0) for value in found.points]
    starts = found.points[0] == "1" or found.points == ("0", "1")
    enough = column.answered >= _FEWEST_EACH * len(points)
    return starts and enough and sum(column.answers[code] for code in found.codes) < max(points)


def possible_codes(column: ColumnProfile) -> list[str]:
    """The numbers of a column that may be missing codes, although nothing is certain."""
    found = _divided(column)
    if found is None:
        return _negative_amounts(column)
    counts = column.answers
    given = [counts[point] for point in found.points if counts.get(point)]
    negative = [code for code in found.codes if code.startswith("-")]
    others = [code for code in found.codes if code not in negative]
    # At the end of an amount, large numbers are rare.
    last = given[-1] if given else 0
    is_plausible = len(found.points) <= _MOST_POINTS or sum(map(counts.__getitem__, others)) > last
    return [*negative, *(others if is_plausible else ())]


def _negative_amounts(column: ColumnProfile) -> list[str]:
    """-9 and its like among amounts with decimals, of which no other is negative."""
    if column.is_whole or column.others or column.numbers is None:
        return []
    found = [value for value in column.answers if is_number(value) and float(value) < 0]
    are_codes = all(is_usual_code(f"{float(value):.15g}") for value in found)
    return found if are_codes and not any(value in column.labels for value in found) else []


def with_joint_codes(columns: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Columns of one stem, each with the missing codes of all; without those that one answers."""
    codes = frozenset[str]().union(*(column.own_codes for column in columns))
    if not codes:
        return [*columns]
    joint = frozenset(
        code for code in codes if all(_is_apart(code, column, codes) for column in columns)
    )
    return [replace(column, own_codes=joint & column.counts.keys()) for column in columns]


def _is_apart(code: str, column: ColumnProfile, codes: frozenset[str]) -> bool:
    if code not in column.counts or code in column.own_codes:
        return True
    if code in column.variable.answers:
        return False
    numbers = replace(column, own_codes=codes).numbers
    is_plain = code not in column.labels and numbers is not None and is_number(code)
    return is_plain and all(abs(int(code) - number) >= 2 for number in numbers or ())


def _divided(column: ColumnProfile) -> _Numbers | None:
    """Points and codes of a column of integers; None for any other, and where no codes are apart.

    Codes are at least 2 above the points, or negative and 2 below them, and have no labels.
    """
    answers = {*column.answers, *column.variable.answers}
    if not column.is_whole or column.others or len(answers) < 3:
        return None
    known = {*answers, *column.labels}
    if not all(re.fullmatch(r"-?\d{1,15}", value) for value in known):
        return None
    values = sorted(known, key=int)
    positive = [value for value in values if int(value) >= 0]
    negative = [value for value in values if int(value) < 0]
    if len(positive) < 2 or not all(_is_code(value, column) for value in negative):
        return None
    # -1 beside 0 is one step below it, as on a scale around 0.
    if negative and int(positive[0]) - int(negative[-1]) < 2:
        return None
    end = len(positive)
    # From the top down, as long as the numbers may be codes; two points are left at least.
    for place in range(len(positive) - 1, 1, -1):
        if not _is_code(positive[place], column):
            break
        if int(positive[place]) - int(positive[place - 1]) >= 2:
            end = place
    # All days of a week are an answer.
    if positive[0] == "0" and positive[end:] == ["7"] and column.calls(_WEEK):
        end += 1
    codes = (*negative, *positive[end:])
    return _Numbers(tuple(positive[:end]), codes) if codes else None


def _is_code(value: str, column: ColumnProfile) -> bool:
    is_answer = value in column.labels or value in column.variable.answers
    return not is_answer and is_usual_code(value)


def is_usual_code(value: str) -> bool:
    """Whether a number is one of those that are often missing codes: 9, 99, 998, -1."""
    return bool(_POSSIBLE.fullmatch(value))
