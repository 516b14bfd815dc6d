"""A profile as data frames, rankings and a crosstab."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.analysis.adjusted import (
    POINT,
    adjusted_columns,
    adjusted_note,
    index_of,
    tests_of,
)
from audiencelab.analysis.compare import rest_plan
from audiencelab.analysis.highlights import check_limit
from audiencelab.analysis.options import is_number, require_choice
from audiencelab.analysis.run_tests import run_tests
from audiencelab.markup import shorten
from audiencelab.results.cells import PLACE
from audiencelab.results.crosstab import CrosstabData, cells_of
from audiencelab.results.dtypes import as_figures, text_column
from audiencelab.results.profile import (
    Adjustment,
    Direction,
    ProfileData,
    ProfilePoint,
    Ranking,
)
from audiencelab.results.undefined import (
    EMPTY_AUDIENCE,
    EMPTY_COLUMN,
    EMPTY_DATAPOINT,
    EMPTY_ROW,
    crosstab_notes,
)
from audiencelab.wording import plural

Floats = NDArray[np.float64]

_FIGURES = {
    "audience_percentage": "column_percentage",
    "base_percentage": "row_base_percentage",
    "index": "index",
    "size": "size",
    "sample": "sample",
    "audience_size": "column_size",
    "audience_sample": "column_sample",
    "datapoint_size": "row_size",
    "datapoint_sample": "row_sample",
    "base_size": "base_size",
    "base_sample": "base_sample",
}
"""Columns of a profile's frame, and the metrics of its crosstab."""

PROFILE_COLUMNS = (
    *POINT,
    "audience_percentage",
    "base_percentage",
    "difference",
    *list(_FIGURES)[2:],
    "note",
)
"""Columns of a profile's frame."""

_NOTES = {EMPTY_COLUMN: EMPTY_AUDIENCE, EMPTY_ROW: EMPTY_DATAPOINT}
"""Notes of a crosstab, in the terms of a profile."""

_QUESTION_LENGTH = 40


class _QuestionLine(NamedTuple):
    """A line of the summary by question."""

    question: str
    question_label: str
    answers: int
    largest_difference: float
    datapoint: str
    datapoint_label: str
    mean_difference: float


def profile_frame(result: ProfileData) -> pd.DataFrame:
    """See `ProfileResult.to_frame`."""
    frame = _lines(result, np.flatnonzero(result.table.arrived[:, 0]).tolist())
    return _with_notes(frame, result)


def ranked(
    result: ProfileData,
    kept: CrosstabData,
    by: Ranking,
    limit: int,
    side: Direction,
    *,
    min_sample: float,
    min_base: float,
    own: bool,
) -> pd.DataFrame:
    """See `ProfileResult.ranked`; kept: the answers to be ranked."""
    require_choice("by", by, get_args(Ranking))
    require_choice("side", side, get_args(Direction))
    check_limit(limit)
    rows = places_of(result, kept)
    distance = _distance(kept, by)
    if result.adjustment is not None:
        distance = _adjusted_distance(result, result.adjustment, by)[rows]
    wanted = {"both": ~np.isnan(distance), "over": distance > 0, "under": distance < 0}[side]
    furthest: list[float] = (-np.abs(distance)).tolist()

    def rank(line: int) -> tuple[float, str, str]:
        # Codes decide between equal distances, not the order of the catalogue.
        point = result.points[rows[line]]
        return furthest[line], point.question, point.datapoint

    order = sorted(np.flatnonzero(wanted).tolist(), key=rank)[:limit]
    found = _lines(result, [rows[line] for line in order])
    if by == "surprise":
        found.insert(list(found).index("index") + 1, "z", distance[order])
    found.index = pd.RangeIndex(1, len(found) + 1, name="rank")
    note = (
        f"Ranked by {by}; {len(result) - len(kept.rows):,} of {plural(len(result), 'answer')} left "
        f"out: given by fewer than {min_sample:g} respondents, or with fewer than {min_base:g} in "
        f"the audience{'' if own else ', or to a question that the audience is defined by'}."
    )
    if result.adjustment is not None:
        note = f"{note} {adjusted_note(result.adjustment)}"
    found.attrs.update(result.provenance, method_note=note)
    return found


def places_of(result: ProfileData, kept: CrosstabData) -> list[int]:
    """The positions of the answers that a crosstab of a profile has."""
    # By id, since several questions have an answer of the same name.
    row_of = {row.id: position for position, row in enumerate(result.table.rows)}
    return [row_of[row.id] for row in kept.rows]


def standouts(result: ProfileData, found: pd.DataFrame) -> pd.DataFrame:
    """The lines of `CrosstabResult.standouts` with the codes and names of their answers."""
    row_of = {row.id: position for position, row in enumerate(result.table.rows)}
    points = [result.points[row_of[each]] for each in found["row_id"].tolist()]
    made = found.drop(columns=["row_id", "row", "column_id", "column"])
    for position, name in enumerate(POINT, start=1):
        values = (str(getattr(point, name)) for point in points)
        made.insert(position, name, text_column(values, found.index))
    made.attrs.update(found.attrs)
    return made


def question_frame(result: ProfileData, *, own: bool) -> pd.DataFrame:
    """See `ProfileResult.by_question`."""
    difference = _difference(result.table)
    if result.adjustment is not None:
        difference = _adjusted_distance(result, result.adjustment, "difference")
    rows_of: dict[str, list[int]] = {}
    for row in np.flatnonzero(result.table.arrived[:, 0]).tolist():
        if own or not result.points[row].own:
            rows_of.setdefault(result.points[row].question, []).append(row)
    lines = [
        _question_line([result.points[row] for row in rows], difference[rows])
        for rows in rows_of.values()
    ]

    def rank(line: _QuestionLine) -> tuple[bool, float, str]:
        # NaN has no order: questions without values are put last.
        unknown = math.isnan(line.largest_difference)
        return unknown, 0.0 if unknown else -abs(line.largest_difference), line.question

    made = pd.DataFrame(sorted(lines, key=rank), columns=list(_QuestionLine._fields))
    return _with_notes(made, result)


def _with_notes(frame: pd.DataFrame, result: ProfileData) -> pd.DataFrame:
    frame.attrs.update(result.provenance)
    if result.adjustment is not None:
        frame.attrs["method_note"] = adjusted_note(result.adjustment)
    return frame


def named_crosstab(
    result: ProfileData, min_sample: float, min_base: float, *, own: bool
) -> CrosstabData:
    """See `ProfileResult.to_crosstab`."""
    for name, fewest in (("min_sample", min_sample), ("min_base", min_base)):
        if not is_number(fewest) or fewest < 0:
            raise ValueError(f"{name} must be a number of respondents from 0; got {fewest!r}.")
    table = result.table
    keep = (
        table.arrived[:, 0]
        & (table.values("row_sample")[:, 0] >= min_sample)
        & (table.values("column_sample")[:, 0] >= min_base)
        & np.array([own or not point.own for point in result.points], dtype=bool)
    )
    kept = np.flatnonzero(keep)
    rows = tuple(
        replace(table.rows[row], name=_row_name(result.points[row])) for row in kept.tolist()
    )
    whole = None if table.whole is None else table.whole[:, kept]
    notes = [result.on_grids] if result.on_grids else []
    if result.adjustment is not None:
        notes.append(
            f"Shares are those of the audience as it is; those adjusted for "
            f"{result.adjustment.title} are in profile.to_frame() and profile.chart.profile()."
        )
    provenance = dict(table.provenance) | ({"notes": notes} if notes else {})
    made = replace(table, rows=rows, provenance=provenance, row_groups=(), whole=whole)
    column = np.zeros(len(kept), dtype=np.intp)
    cells_of(made).store(np.arange(len(kept)), column, cells_of(table).figures(kept, column))
    return made


def charted_crosstab(result: ProfileData, min_sample: float) -> CrosstabData:
    """The answers as charts draw them: of an adjusted profile with adjusted shares and indices."""
    made = named_crosstab(result, min_sample, 0, own=False)
    if (of := result.adjustment) is None or not made.rows:
        return made
    rows, column = places_of(result, made), np.zeros(len(made.rows), dtype=np.intp)
    figures = cells_of(made).figures(np.arange(len(rows)), column)
    share = of.figure("share", rows)
    figures[:, PLACE["index"]] = index_of(share, figures[:, PLACE["row_base_percentage"]] / 100)
    figures[:, PLACE["column_percentage"]] = 100 * share
    # A copy has no cells yet; those of `made` keep the first figures that were stored.
    drawn = replace(made)
    cells_of(drawn).store(np.arange(len(rows)), column, figures)
    return drawn


def _lines(result: ProfileData, rows: list[int]) -> pd.DataFrame:
    points = [result.points[row] for row in rows]
    whole = {metric: result.table.values(metric)[:, 0] for metric in _FIGURES.values()}
    # A value that is missing in all lines has another reason than one missing in some.
    reasons, which = crosstab_notes(whole)
    notes = [_NOTES.get(reason, reason) for reason in reasons]
    columns: dict[str, Any] = {
        name: text_column(str(getattr(point, name)) for point in points) for name in POINT
    }
    columns |= {name: as_figures(name, whole[metric][rows]) for name, metric in _FIGURES.items()}
    columns["difference"] = _difference(result.table)[rows]
    columns["note"] = text_column(notes[int(each)] for each in which[rows])
    names = list(PROFILE_COLUMNS)
    if result.adjustment is not None:
        more = adjusted_columns(result, result.adjustment, rows)
        columns |= more
        names[names.index("index") + 1 : names.index("index") + 1] = more
    return pd.DataFrame(columns)[names]


def _distance(kept: CrosstabData, by: Ranking) -> Floats:
    """How far the audience is from the base in each row: above 0 where it is over."""
    if by == "index":
        return kept.values("index")[:, 0] - 100
    if by == "difference" or not kept.rows:
        return _difference(kept)
    # The ranking has left out small bases by its own `min_base`.
    return run_tests(rest_plan(kept, "rest", None, {"min_base": 0})).z[:, 0]


def _adjusted_distance(result: ProfileData, of: Adjustment, by: Ranking) -> Floats:
    """The same of all answers, adjusted."""
    if by == "surprise":
        return tests_of(result, of, 0).z
    base = result.table.values("row_base_percentage")[:, 0] / 100
    share = of.figure("share")
    return index_of(share, base) - 100 if by == "index" else 100 * (share - base)


def _difference(kept: CrosstabData) -> Floats:
    return kept.values("column_percentage")[:, 0] - kept.values("row_base_percentage")[:, 0]


def _row_name(point: ProfilePoint) -> str:
    return f"{shorten(point.question_label, _QUESTION_LENGTH)} – {point.datapoint_label}"


def _question_line(points: Sequence[ProfilePoint], difference: Floats) -> _QuestionLine:
    question, label = points[0][:2]
    sizes = np.abs(difference)
    if np.isnan(sizes).all():
        return _QuestionLine(question, label, len(points), math.nan, "", "", math.nan)
    most = int(np.nanargmax(sizes))
    return _QuestionLine(
        question,
        label,
        len(points),
        float(difference[most]),
        points[most].datapoint,
        points[most].datapoint_label,
        float(np.nanmean(sizes)),
    )
