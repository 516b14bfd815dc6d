"""A profile as data frames, rankings and a crosstab."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.analysis.compare import compare_to_rest
from audiencelab.markup import shorten
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.dtypes import as_figures
from audiencelab.results.profile import Direction, ProfileData, ProfilePoint, Ranking
from audiencelab.results.undefined import (
    EMPTY_AUDIENCE,
    EMPTY_COLUMN,
    EMPTY_DATAPOINT,
    EMPTY_ROW,
    crosstab_notes,
)
from audiencelab.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

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
"""What the figures of a crosstab are called where the column is the audience."""

_POINT = ("question", "question_label", "datapoint", "datapoint_label")

PROFILE_COLUMNS = (
    *_POINT,
    "audience_percentage",
    "base_percentage",
    "difference",
    *list(_FIGURES)[2:],
    "note",
)
"""Columns of a profile's frame."""


class _QuestionLine(NamedTuple):
    """A line of the summary by question."""

    question: str
    question_label: str
    answers: int
    largest_difference: float
    datapoint: str
    datapoint_label: str
    mean_difference: float


_SAID = {EMPTY_COLUMN: EMPTY_AUDIENCE, EMPTY_ROW: EMPTY_DATAPOINT}
"""What is empty, by the name that it has here."""

_QUESTION_LENGTH = 40


def profile_frame(result: ProfileData) -> pd.DataFrame:
    """See `ProfileResult.to_frame`."""
    frame = _lines(result, np.flatnonzero(result.table.arrived[:, 0]).tolist())
    frame.attrs.update(result.provenance)
    return frame


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
    if by not in get_args(Ranking):
        raise ValueError(f"No ranking {by!r}. Choose one of {', '.join(get_args(Ranking))}.")
    if side not in get_args(Direction):
        raise ValueError(f"No side {side!r}. Choose one of {', '.join(get_args(Direction))}.")
    if not isinstance(cast(object, limit), int) or limit < 1:
        raise ValueError(f"The limit is how many lines to give, at least 1, not {limit!r}.")
    apart = _apart(kept, by)
    wanted = {"both": ~np.isnan(apart), "over": apart > 0, "under": apart < 0}[side]
    far: list[float] = (-np.abs(apart)).tolist()
    places = _places(result, kept)
    points = [result.points[place] for place in places]
    order = sorted(
        np.flatnonzero(wanted).tolist(),
        # Codes decide where distances are equal, so that no order of a catalogue does.
        key=lambda line: (far[line], points[line].question, points[line].datapoint),
    )[:limit]
    found = _lines(result, [places[line] for line in order])
    if by == "surprise":
        found.insert(list(found).index("index") + 1, "z", apart[order])
    found.index = pd.RangeIndex(1, len(found) + 1, name="rank")
    found.attrs.update(
        result.provenance,
        method_note=f"Ranked by {by}; {len(result) - len(kept.rows):,} of "
        f"{plural(len(result), 'answer')} left out: given by fewer than {min_sample:g} "
        f"respondents, or with fewer than {min_base:g} in the audience"
        f"{'' if own else ', or to a question that the audience is defined by'}.",
    )
    return found


def standouts(result: ProfileData, found: pd.DataFrame) -> pd.DataFrame:
    """The lines of `CrosstabResult.standouts` with the codes and names of their answers."""
    place_of = {row.id: place for place, row in enumerate(result.table.rows)}
    points = [result.points[place_of[each]] for each in found["row_id"].tolist()]
    made = found.drop(columns=["row_id", "row", "column_id", "column"])
    for position, name in enumerate(_POINT, start=1):
        made.insert(
            position, name, _texts([str(getattr(each, name)) for each in points], found.index)
        )
    made.attrs.update(found.attrs)
    return made


def question_frame(result: ProfileData, *, own: bool) -> pd.DataFrame:
    """See `ProfileResult.by_question`."""
    difference = _difference(result.table)
    places_of: dict[str, list[int]] = {}
    for place in np.flatnonzero(result.table.arrived[:, 0]).tolist():
        if own or not result.points[place].own:
            places_of.setdefault(result.points[place].question, []).append(place)
    lines = [
        _question_line([result.points[place] for place in places], difference[places])
        for places in places_of.values()
    ]
    made = pd.DataFrame(sorted(lines, key=_furthest_first), columns=list(_QuestionLine._fields))
    made.attrs.update(result.provenance)
    return made


def named_crosstab(
    result: ProfileData, min_sample: float, min_base: float, *, own: bool
) -> CrosstabData:
    """See `ProfileResult.to_crosstab`."""
    for name, fewest in (("min_sample", min_sample), ("min_base", min_base)):
        if isinstance(fewest, bool) or not isinstance(cast(object, fewest), Real) or fewest < 0:
            raise ValueError(f"{name} is a number of respondents, 0 or more, not {fewest!r}.")
    table = result.table
    keep = (
        table.arrived[:, 0]
        & (table.values("row_sample")[:, 0] >= min_sample)
        & (table.values("column_sample")[:, 0] >= min_base)
        & np.array([own or not point.own for point in result.points], dtype=bool)
    )
    places = np.flatnonzero(keep)
    made = replace(
        table,
        rows=tuple(
            replace(table.rows[place], name=_row_name(result.points[place]))
            for place in places.tolist()
        ),
        provenance=dict(table.provenance),
        row_heads=(),
    )
    column = np.zeros(len(places), dtype=np.intp)
    made.store(np.arange(len(places)), column, table.figures(places, column))
    return made


def _lines(result: ProfileData, places: list[int]) -> pd.DataFrame:
    """The lines of some answers, by place."""
    points = [result.points[place] for place in places]
    whole = {of: result.table.values(of)[:, 0] for of in _FIGURES.values()}
    # What is missing in one line alone has another reason than what is missing in all of them.
    reasons, which = crosstab_notes(whole)
    columns: dict[str, Any] = {
        name: _texts([str(getattr(point, name)) for point in points]) for name in _POINT
    }
    columns |= {name: as_figures(name, whole[of][places]) for name, of in _FIGURES.items()}
    columns["difference"] = _difference(result.table)[places]
    said = [_SAID.get(reason, reason) for reason in reasons]
    columns["note"] = _texts([said[int(each)] for each in which[places]])
    return pd.DataFrame(columns)[list(PROFILE_COLUMNS)]


def _apart(kept: CrosstabData, by: Ranking) -> Floats:
    """How far the audience is from the base in each row: above 0 where it is over."""
    if by == "index":
        return kept.values("index")[:, 0] - 100
    if by == "difference" or not kept.rows:
        return _difference(kept)
    return compare_to_rest(kept, min_base=0).outcome.z[:, 0]


def _difference(kept: CrosstabData) -> Floats:
    """The share of the audience less that of the base, in points."""
    return kept.values("column_percentage")[:, 0] - kept.values("row_base_percentage")[:, 0]


def _places(result: ProfileData, kept: CrosstabData) -> list[int]:
    """Where the rows of a part stand in the profile."""
    place_of = {row.id: place for place, row in enumerate(result.table.rows)}
    return [place_of[row.id] for row in kept.rows]


def _row_name(point: ProfilePoint) -> str:
    return f"{shorten(point.question_label, _QUESTION_LENGTH)} – {point.datapoint_label}"


def _question_line(points: Sequence[ProfilePoint], difference: Floats) -> _QuestionLine:
    """The line of one question from its answers and how many points each differs by."""
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


def _furthest_first(line: _QuestionLine) -> tuple[bool, float, str]:
    unknown = math.isnan(line.largest_difference)
    return unknown, 0.0 if unknown else -abs(line.largest_difference), line.question


def _texts(values: Sequence[str], index: Any = None) -> pd.Series[Any]:
    return pd.Series(list(values), index=index, dtype=str)
