"""Results as pandas frames: which column holds what, in which type and order.

The columns are a contract (`STATS_COLUMNS`, `CROSSTAB_COLUMNS`), tested as one. pandas is
imported here at the top: nothing imports this module before a frame is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.expressions import Audience, join_code
from audiencelab.expressions.codes import BASE_NAMESPACE
from audiencelab.results import undefined as denominators
from audiencelab.results.banner import Heads, joined, named_levels
from audiencelab.results.chart_result import ChartCalculationData, failure_of
from audiencelab.results.crosstab import FIGURES, CrosstabData
from audiencelab.results.dtypes import as_figures, listed
from audiencelab.results.grid import GridData
from audiencelab.results.stats import StatsData
from audiencelab.schema import METRICS, CalcAttribute, CalcData, Metrics, StatsGroup, StatsRow

STATS_COLUMNS = (
    "question",
    "question_label",
    "datapoint",
    "datapoint_label",
    "segment",
    "segment_label",
    "audience",
    "audience_name",
    "suffixes",
    "waves",
    *METRICS,
    "note",
)
"""Columns of a stats frame; the segment's only with a splitter, the audience's only with some."""

CROSSTAB_COLUMNS = (
    "row_index",
    "row_id",
    "row",
    "column_index",
    "column_id",
    "column",
    *FIGURES,
    "note",
)
"""Columns of a crosstab frame; with heads over a side, `row_head` or `column_head` before its
names, and with nets, `row_net` after those of the rows."""

CALCULATION_COLUMNS = (
    "group_id",
    "question",
    "question_label",
    "datapoint",
    "datapoint_label",
    "suffix",
    "suffix_label",
    "segment",
    "segment_label",
    "audience",
    "audience_name",
    "waves",
    *METRICS,
    "code",
    "error_type",
    "note",
)
"""Columns of a chart calculation's frame; segment's and audience's only where there are some."""

Floats = NDArray[np.float64]


def stats_frame(result: StatsData) -> pd.DataFrame:
    """See `StatsResult.to_frame`."""
    rows, labels = result.rows, result.labels
    columns: dict[str, Any] = {
        "question": _texts([result.question] * len(rows)),
        "question_label": _labels(
            [result.question] * len(rows), {result.question: labels.question}
        ),
        "datapoint": _texts([row.datapoint for row in rows]),
        "datapoint_label": _labels([row.datapoint for row in rows], labels.datapoints),
    }
    if result.splitter:
        segments = [row.segment or "" for row in rows]
        columns |= {
            "segment": _texts(segments),
            "segment_label": _labels(segments, labels.segments),
        }
    if result.audiences:
        ids = [row.audience or "" for row in rows]
        names = {audience.id or "": audience.name for audience in result.audiences}
        columns |= {"audience": _texts(ids), "audience_name": _labels(ids, names)}
    waves = _tuples(row.waves for row in rows)
    suffixes = _tuples(row.suffixes or () for row in rows)
    columns |= {"suffixes": _objects(suffixes), "waves": _objects(waves)}
    metrics = _metrics(result.rows)
    notes = denominators.blank_stats(metrics, waves, _empty_audience(result))
    columns |= {name: as_figures(name, values) for name, values in metrics.items()}
    frame = pd.DataFrame(columns | {"note": _texts(notes)})
    frame.attrs.update(result.provenance)
    return frame


def calculation_frame(result: ChartCalculationData) -> pd.DataFrame:
    """See `ChartCalculationResult.to_frame`."""
    # A group without figures is a line all the same, of a row that says nothing.
    lines = [(group, row) for group in result.groups for row in group.data or [CalcData(Metrics())]]
    groups, rows = [group for group, _ in lines], [row for _, row in lines]
    columns: dict[str, Any] = {
        "group_id": np.array([group.group_id for group in groups], dtype=np.int64)
    }
    columns |= _attribute_columns(groups)
    if any(row.segment is not None for row in rows):
        segments = [row.segment or "" for row in rows]
        columns |= {
            "segment": _texts(segments),
            "segment_label": _labels(segments, result.segments),
        }
    if any(row.audience is not None for row in rows):
        ids = [row.audience or "" for row in rows]
        columns |= {"audience": _texts(ids), "audience_name": _labels(ids, result.audiences)}
    waves = _tuples(row.waves for row in rows)
    metrics = _metrics(rows)
    notes = denominators.blank_stats(metrics, waves, denominators.EMPTY_AUDIENCE)
    columns |= {"waves": _objects(waves)}
    columns |= {name: as_figures(name, values) for name, values in metrics.items()}
    columns |= {
        "code": np.array([group.code for group in groups], dtype=np.int64),
        "error_type": _texts([group.error_type or "" for group in groups]),
        "note": _texts(
            [failure_of(group) or note for group, note in zip(groups, notes, strict=True)]
        ),
    }
    frame = pd.DataFrame(columns)
    frame.attrs.update(result.provenance)
    return frame


def grid_frame(result: GridData) -> pd.DataFrame:
    """See `GridResult.to_frame`."""
    named = {"segment": "suffix", "segment_label": "suffix_label"}
    return stats_frame(result.table).drop(columns="suffixes").rename(columns=named)


def long_frame(
    result: CrosstabData | StatsData | ChartCalculationData | GridData,
) -> pd.DataFrame:
    """The long frame of any result of figures; see its `to_frame`."""
    if isinstance(result, CrosstabData):
        return crosstab_frame(result)
    if isinstance(result, StatsData):
        return stats_frame(result)
    return grid_frame(result) if isinstance(result, GridData) else calculation_frame(result)


def stats_wide(
    result: StatsData, metric: str | Sequence[str], *, labels: bool, blank_under: float
) -> pd.DataFrame:
    """See `StatsResult.to_wide`."""
    for each in listed(metric):
        if each not in METRICS:
            raise ValueError(f"No metric {each!r}. Choose one of {', '.join(METRICS)}.")
    long = stats_frame(result)
    down, across = (
        [row.datapoint for row in result.rows],
        [(row.segment, row.audience) for row in result.rows],
    )
    down_codes, across_codes = list(dict.fromkeys(down)), list(dict.fromkeys(across))
    down_place = {code: place for place, code in enumerate(down_codes)}
    across_place = {code: place for place, code in enumerate(across_codes)}
    places = [down_place[code] for code in down], [across_place[code] for code in across]

    def spread(name: str) -> Floats:
        table = np.full((len(down_codes), len(across_codes)), np.nan)
        table[places] = long[name].to_numpy()
        return table

    named: Mapping[str, str] = result.labels.datapoints if labels else {}
    index = pd.Index([named.get(code) or code for code in down_codes], name="datapoint")
    columns = _stats_across(result, across_codes, labels)
    return _wide(metric, spread, index, columns, result.provenance, blank_under)


def crosstab_frame(result: CrosstabData) -> pd.DataFrame:
    """See `CrosstabResult.to_frame`."""
    rows, columns = np.nonzero(result.arrived)
    frame: dict[str, Any] = _side("row", result.rows, result.row_heads, result.row_index(), rows)
    if any(result.row_nets):
        frame["row_net"] = np.array(result.row_nets)[rows]
    frame |= _side("column", result.columns, result.column_heads, result.column_index(), columns)
    # A whole table is copied as it lies; of one that is filling, the cells are picked.
    whole = result.complete
    figures = {
        name: result.values(name).flatten() if whole else result.values(name)[rows, columns]
        for name in FIGURES
    }
    notes = _take(*denominators.crosstab_notes(figures))
    frame |= {name: as_figures(name, values) for name, values in figures.items()}
    made = pd.DataFrame(frame | {"note": notes})
    made.attrs.update(result.provenance)
    return made


def column_lines(result: CrosstabData) -> pd.DataFrame:
    """One line for each column, with how a crosstab's frame calls it."""
    places, index = np.arange(len(result.columns)), result.column_index()
    return pd.DataFrame(_side("column", result.columns, result.column_heads, index, places))


def crosstab_wide(
    result: CrosstabData, metric: str | Sequence[str], *, labels: bool, blank_under: float
) -> pd.DataFrame:
    """See `CrosstabResult.to_wide`."""
    for each in listed(metric):
        result.values(each)  # raises `ValueError` for other metrics

    def margin(audiences: Sequence[Audience], heads: Sequence[Heads], name: str) -> pd.Index[Any]:
        names = [audience.name if labels else audience.id or "" for audience in audiences]
        above = named_levels(heads, name)
        if not above:
            return pd.Index(names, name=name)
        return pd.MultiIndex.from_arrays([*above.values(), names], names=[*above, name])

    down = margin(result.rows, result.row_heads, "row")
    across = margin(result.columns, result.column_heads, "column")
    return _wide(metric, result.values, down, across, result.provenance, blank_under)


def _wide(
    metric: str | Sequence[str],
    table_of: Callable[[str], Floats],
    index: pd.Index[Any],
    across: pd.Index[Any] | None,
    provenance: Mapping[str, Any],
    blank_under: float,
) -> pd.DataFrame:
    """A table of one metric, or of several beside each other under each head of `across`."""
    fewest = denominators.checked_fewest(blank_under)
    told = {**provenance, **({"blank_under": fewest} if fewest else {})}

    def shown(name: str) -> Floats:
        under = denominators.respondents_under(name, table_of) if fewest else None
        return table_of(name) if under is None else np.where(under < fewest, np.nan, table_of(name))

    if isinstance(metric, str):
        columns = pd.Index([metric]) if across is None else across
        frame = pd.DataFrame(shown(metric).copy(), index=index, columns=columns)
        frame.attrs.update(told, metric=metric)
        return frame
    if not (metrics := list(metric)):
        raise ValueError("A table needs a metric.")
    columns = pd.Index(metrics, name="metric")
    if across is not None:
        levels = [across.get_level_values(place) for place in range(across.nlevels)]
        columns = pd.MultiIndex.from_arrays(
            [*(level.repeat(len(metrics)) for level in levels), metrics * len(across)],
            names=[*across.names, "metric"],
        )
    beside = np.stack([shown(name) for name in metrics], axis=2)
    frame = pd.DataFrame(beside.reshape(len(index), -1), index=index, columns=columns)
    frame.attrs.update(told, metric=metrics)
    return frame


def _metrics(rows: Sequence[StatsRow] | Sequence[CalcData]) -> dict[str, Floats]:
    pick = attrgetter(*(f"metrics.{name}" for name in METRICS))
    table = np.array([pick(row) for row in rows], dtype=np.float64)
    table = table.reshape(len(rows), len(METRICS))
    return {name: table[:, place].copy() for place, name in enumerate(METRICS)}


def _attribute_columns(groups: Sequence[StatsGroup]) -> dict[str, Any]:
    """Codes and labels of each group's attributes; several of one group are named together."""
    columns: dict[str, Any] = {}
    for name, code in (
        ("question", _question_code),
        ("datapoint", attrgetter("datapoint_code")),
        ("suffix", attrgetter("suffix_code")),
    ):
        codes = [_together(group.attributes, code) for group in groups]
        labels = [_together(group.attributes, attrgetter(f"{name}_label")) for group in groups]
        columns[name] = _texts(codes)
        columns[f"{name}_label"] = _labels(codes, dict(zip(codes, labels, strict=True)))
    return columns


def _together(attributes: Sequence[CalcAttribute], part: Callable[[CalcAttribute], str]) -> str:
    return ", ".join(dict.fromkeys(map(part, attributes)))


def _question_code(attribute: CalcAttribute) -> str:
    """The code to write in expressions: with its namespace, unless that is the base one."""
    namespace, code = attribute.namespace_code, attribute.question_code
    return code if namespace in ("", BASE_NAMESPACE) else join_code(namespace, code)


def _empty_audience(result: StatsData) -> str:
    if result.audiences:
        return denominators.EMPTY_AUDIENCE
    return denominators.EMPTY_SEGMENT if result.splitter else denominators.EMPTY_BASE


def _stats_across(
    result: StatsData, codes: list[tuple[str | None, str | None]], labels: bool
) -> pd.Index[Any] | None:
    """The margin across: segments, audiences, both as two levels, or nothing but metrics."""
    segment_names: Mapping[str, str] = result.labels.segments if labels else {}
    segments = [segment_names.get(segment or "") or segment or "" for segment, _ in codes]
    audiences = [audience or "" for _, audience in codes]
    if labels:
        audiences = [result.audience_name(audience) for audience in audiences]
    if result.splitter and result.audiences:
        return pd.MultiIndex.from_arrays([segments, audiences], names=["segment", "audience"])
    if result.splitter:
        return pd.Index(segments, name="segment")
    if result.audiences:
        return pd.Index(audiences, name="audience")
    return None


def _labels(codes: Sequence[str], names: Mapping[str, str]) -> pd.Categorical:
    """Names as an ordered categorical in the order met; a code without a name is its own."""
    order = list(dict.fromkeys(codes))
    unique = list(dict.fromkeys(names.get(code) or code for code in order))
    place = {name: position for position, name in enumerate(unique)}
    by_code = {code: place[names.get(code) or code] for code in order}
    return _ordered([by_code[code] for code in codes], unique)


def _side(
    name: str,
    audiences: Sequence[Audience],
    heads: Sequence[Heads],
    index: NDArray[np.intp],
    places: NDArray[np.intp],
) -> dict[str, Any]:
    """The columns that say which row, or which column, each line is about."""
    told: dict[str, Any] = {
        f"{name}_index": index[places],
        f"{name}_id": _take([audience.id or "" for audience in audiences], places),
    }
    if any(heads):
        told[f"{name}_head"] = _names(list(map(joined, heads)), places)
    return told | {name: _names([audience.name for audience in audiences], places)}


def _names(names: Sequence[str], places: NDArray[np.intp]) -> pd.Categorical:
    unique = list(dict.fromkeys(names))
    place = {name: position for position, name in enumerate(unique)}
    codes = np.array([place[name] for name in names], dtype=np.intp)
    return _ordered(codes[places], unique)


def _ordered(codes: Sequence[int] | NDArray[np.intp], categories: list[str]) -> pd.Categorical:
    kind = pd.CategoricalDtype(pd.Index(categories, dtype=str), ordered=True)
    return pd.Categorical.from_codes(np.asarray(codes, dtype=np.intp), dtype=kind)


def _take(values: Sequence[str], places: NDArray[np.integer[Any]]) -> Any:
    """Each place's text; made a column before it is repeated, which is cheaper than after."""
    return _texts(values).array.take(places)


def _texts(values: Sequence[str]) -> pd.Series[Any]:
    """A column of text, also where there is no line to tell it by."""
    return pd.Series(list(values), dtype=str)


def _objects(values: Sequence[tuple[Any, ...]]) -> pd.Series[Any]:
    """A column of tuples, also where there is none."""
    return pd.Series(list(values), dtype=object)


def _tuples(values: Iterable[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Lists as tuples, equal ones shared: a thousand rows mostly rest on the same waves."""
    seen: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    return [seen.setdefault(found, found) for found in map(tuple, values)]
