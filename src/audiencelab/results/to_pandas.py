"""Results as pandas frames: their columns, in type and order, are a contract.

pandas is imported at the top, so this module is imported only when a frame is requested.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.expressions import Audience, join_code
from audiencelab.expressions.codes import BASE_NAMESPACE
from audiencelab.results import undefined
from audiencelab.results.banner import Groups, joined, named_levels
from audiencelab.results.cells import FIGURES, Places
from audiencelab.results.chart_result import ChartCalculationData, failure_of
from audiencelab.results.crosstab import CrosstabData, of_statistics_alone, shown_rows
from audiencelab.results.dtypes import as_figures, listed, ordered, text_column
from audiencelab.results.grid import GridData
from audiencelab.results.metrics import frame_name, unknown_metric
from audiencelab.results.statistic_rows import STATISTIC_FIGURES, StatisticRows, row_order
from audiencelab.results.stats import STATS_FIGURES, StatsData
from audiencelab.results.who_counts import not_offered, reasons_by_place
from audiencelab.schema import CalcAttribute, CalcData, Metrics, StatsGroup, StatsRow

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]


def stats_frame(result: StatsData) -> pd.DataFrame:
    """See `StatsResult.to_frame`."""
    rows, labels = result.rows, result.labels
    question, datapoints = [result.question] * len(rows), [row.datapoint for row in rows]
    columns: dict[str, Any] = _coded("question", question, {result.question: labels.question})
    columns |= _coded("datapoint", datapoints, labels.datapoints)
    if result.splitter:
        columns |= _coded("segment", [row.segment or "" for row in rows], labels.segments)
    if result.audiences:
        names = {audience.id or "": audience.name for audience in result.audiences}
        ids = [row.audience or "" for row in rows]
        columns |= _coded("audience", ids, names, "audience_name")
    waves = [tuple(row.waves) for row in rows]
    columns["suffixes"] = _tuples([tuple(row.suffixes or ()) for row in rows])
    columns["waves"] = _tuples(waves)
    metrics = _metrics(rows)
    offered = not_offered(result)
    notes = undefined.blank_stats(metrics, waves, _empty_audience(result), offered)
    columns |= {name: as_figures(name, values) for name, values in metrics.items()}
    columns["note"] = text_column(notes)
    frame = pd.DataFrame(columns)
    frame.attrs.update(result.provenance)
    return frame


def calculation_frame(result: ChartCalculationData) -> pd.DataFrame:
    """See `ChartCalculationResult.to_frame`."""
    # A group without data is one line of empty metrics.
    lines = [(group, row) for group in result.groups for row in group.data or [CalcData(Metrics())]]
    groups, rows = [group for group, _ in lines], [row for _, row in lines]
    columns: dict[str, Any] = {
        "group_id": np.array([group.group_id for group in groups], dtype=np.int64)
    }
    columns |= _attribute_columns(groups)
    if any(row.segment is not None for row in rows):
        columns |= _coded("segment", [row.segment or "" for row in rows], result.segments)
    if any(row.audience is not None for row in rows):
        ids = [row.audience or "" for row in rows]
        columns |= _coded("audience", ids, result.audiences, "audience_name")
    waves = [tuple(row.waves) for row in rows]
    metrics = _metrics(rows)
    notes = undefined.blank_stats(metrics, waves, undefined.EMPTY_AUDIENCE)
    columns["waves"] = _tuples(waves)
    columns |= {name: as_figures(name, values) for name, values in metrics.items()}
    columns["code"] = np.array([group.code for group in groups], dtype=np.int64)
    columns["error_type"] = text_column(group.error_type or "" for group in groups)
    failures = map(failure_of, groups)
    columns["note"] = text_column(a or b for a, b in zip(failures, notes, strict=True))
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
    """The long frame of any result with metrics; see its `to_frame`."""
    if isinstance(result, CrosstabData):
        return crosstab_frame(result)
    if isinstance(result, StatsData):
        return stats_frame(result)
    return grid_frame(result) if isinstance(result, GridData) else calculation_frame(result)


def stats_wide(
    result: StatsData, metric: str | Sequence[str], *, labels: bool, hide_under: float
) -> pd.DataFrame:
    """See `StatsResult.to_wide`."""
    for each in listed(metric):
        if each not in STATS_FIGURES:
            raise unknown_metric(each, STATS_FIGURES)
    long = stats_frame(result)
    keys = [(row.segment, row.audience) for row in result.rows]
    down = {code: position for position, code in enumerate(result.datapoints)}
    across = {key: position for position, key in enumerate(dict.fromkeys(keys))}
    positions = [down[row.datapoint] for row in result.rows], [across[key] for key in keys]

    def table_of(name: str) -> Floats:
        table = np.full((len(down), len(across)), np.nan)
        table[positions] = long[name].to_numpy()
        return table

    names: Mapping[str, str] = result.labels.datapoints if labels else {}
    index = pd.Index([names.get(code) or code for code in down], name="datapoint")
    columns = _stats_columns(result, list(across), labels)
    return _wide(metric, table_of, index, columns, result.provenance, hide_under)


def crosstab_frame(result: CrosstabData) -> pd.DataFrame:
    """See `CrosstabResult.to_frame`."""
    made = share_frame(result)
    if result.statistics is not None:
        made = _with_statistics(made, result, result.statistics)
        made.attrs.update(result.provenance)
    return made


def share_frame(result: CrosstabData) -> pd.DataFrame:
    """The frame of a crosstab without its rows of statistics."""
    rows, columns = np.nonzero(result.arrived)
    # The service's positions: from 1 as requested, 0 for the base alone, -1 for a net.
    requested = ~np.array(result.row_nets, dtype=bool)
    index = np.where(requested, np.cumsum(requested) - 1 + int(result.rows_requested), -1)
    frame: dict[str, Any] = _side("row", result.rows, result.row_groups, index, rows)
    if any(result.row_nets):
        frame["row_net"] = np.array(result.row_nets)[rows]
    frame |= _column_side(result, columns)
    # A complete table is copied as it is in memory; otherwise cells are picked.
    whole = result.complete
    figures = {
        name: result.values(name).flatten() if whole else result.values(name)[rows, columns]
        for name in FIGURES
    }
    reasons, which = _reasons(result, figures)
    frame |= {frame_name(name): as_figures(name, values) for name, values in figures.items()}
    frame["note"] = text_column(reasons).array.take(which)
    made = pd.DataFrame(frame)
    made.attrs.update(result.provenance)
    return made


def _reasons(
    result: CrosstabData, figures: Mapping[str, Floats]
) -> tuple[tuple[str, ...], NDArray[np.int8]]:
    """The reasons for missing values, and which of them each line has."""
    # Other reasons than an empty base follow from the figures alone.
    if not (figures["base_size"] == 0).any():
        return undefined.crosstab_notes(figures)
    words, which = reasons_by_place({name: result.values(name) for name in FIGURES}, result)
    return words, which[result.arrived]


_OF_COLUMNS = ("column_size", "column_sample", "column_base_percentage", "base_size", "base_sample")


def _with_statistics(
    shares: pd.DataFrame, result: CrosstabData, statistics: StatisticRows
) -> pd.DataFrame:
    """The lines of a complete table with those of its statistics, which have no shares."""
    width, count = len(result.columns), len(statistics.rows)
    # Copies of the first row's lines, for what identifies the columns; the rest is replaced.
    lines = shares.iloc[np.tile(np.arange(width), count)].copy()
    shares, lines = shares.astype({"row": str}), lines.astype({"row": str})
    # -1 as for nets: these rows have no position in the service's table.
    lines["row_index"], lines["row_id"] = -1, ""
    lines["row"] = np.repeat([row.name for row in statistics.rows], width)
    if any(statistics.groups) or "row_group" in shares:
        place = list(shares).index("row")
        both = (shares, result.row_groups), (lines, statistics.groups)
        for each, groups in both:
            names = np.repeat(list(map(joined, groups)), width)
            if "row_group" in each:
                each["row_group"] = names
            else:
                each.insert(place, "row_group", names)
    for name in map(frame_name, FIGURES):
        # Where cells count those who answered, bases of another row are not those of amounts.
        if name not in _OF_COLUMNS or result.who.valid:
            lines[name] = np.nan
    shares["statistic"], lines["statistic"] = (
        "",
        np.repeat([row.kind for row in statistics.rows], width),
    )
    for name in STATISTIC_FIGURES:
        shares[name], lines[name] = np.nan, statistics.values(name).ravel()
    lines["note"] = np.where(lines["answered_size"] > 0, "", "no amounts")
    order = row_order([row.id for row in result.rows], statistics)
    # Statistics follow all shares in `made`; each row has a line for every column.
    starts = [(place + len(result.rows) * is_other) * width for is_other, place in order]
    made = pd.concat([shares, lines], ignore_index=True)
    made = made.iloc[np.add.outer(starts, np.arange(width)).ravel()].reset_index(drop=True)
    for name in ("row_group", "row"):
        if name in made:
            made[name] = ordered(made[name].tolist())
    return made


def column_lines(result: CrosstabData) -> pd.DataFrame:
    """One line for each column of a crosstab, with the columns that identify it."""
    return pd.DataFrame(_column_side(result, np.arange(len(result.columns))))


def _column_side(result: CrosstabData, columns: Places) -> dict[str, Any]:
    index = np.arange(len(result.columns)) + int(result.columns_requested)
    return _side("column", result.columns, result.column_groups, index, columns)


def crosstab_wide(
    result: CrosstabData,
    metric: str | Sequence[str],
    *,
    labels: bool,
    hide_under: float,
    own: Floats | None = None,
) -> pd.DataFrame:
    """See `CrosstabResult.to_wide`.

    own: the same metric of the rows of statistics, [rows, columns], where they have it.
    """
    statistics = None
    if isinstance(metric, str) and result.statistics is not None:
        if metric == "column_percentage" and of_statistics_alone(result):
            metric = "value"
        is_figure = metric in STATISTIC_FIGURES
        statistics = result.statistics if is_figure else result.statistics.named(metric)
    for each in listed(metric) if statistics is None else ():
        result.values(each)  # raises `ValueError` for other metrics

    def index_of(
        audiences: Sequence[Audience], groups: Sequence[Groups], name: str
    ) -> pd.Index[Any]:
        names = [audience.name if labels else audience.id or "" for audience in audiences]
        above = named_levels(groups, name)
        if not above:
            return pd.Index(names, name=name)
        return pd.MultiIndex.from_arrays([*above.values(), names], names=[*above, name])

    if statistics is not None:
        figure = metric if metric in STATISTIC_FIGURES else "value"
        rows = [Audience(row.name, id=row.name) for row in statistics.rows]
        frame = pd.DataFrame(
            statistics.values(figure),
            index=index_of(rows, statistics.groups, "row"),
            columns=index_of(result.columns, result.column_groups, "column"),
        )
        frame.attrs.update(result.provenance, metric=figure, method_note=result.statistics_note)
        return frame
    down = index_of(result.rows, result.row_groups, "row")
    across = index_of(result.columns, result.column_groups, "column")
    shares = _wide(metric, result.values, down, across, result.provenance, hide_under)
    if own is None or result.statistics is None:
        return shares
    # In the order in which they are shown, where rows of statistics come after all shares here.
    rows = [*result.rows, *(Audience(row.name, id=row.name) for row in result.statistics.rows)]
    groups = [*result.row_groups, *result.statistics.groups]
    order = [place + len(result.rows) * is_other for is_other, place in shown_rows(result)]
    whole = pd.DataFrame(
        np.concatenate([shares.to_numpy(), own])[order],
        index=index_of([rows[at] for at in order], [groups[at] for at in order], "row"),
        columns=across,
    )
    whole.attrs.update(shares.attrs)
    return whole


def _wide(
    metric: str | Sequence[str],
    table_of: Callable[[str], Floats],
    index: pd.Index[Any],
    across: pd.Index[Any] | None,
    provenance: Mapping[str, Any],
    hide_under: float,
) -> pd.DataFrame:
    """A table of one metric, or of several under each column of `across`."""
    fewest = undefined.checked_fewest(hide_under)

    def shown(name: str) -> Floats:
        under = undefined.respondents_under(name, table_of) if fewest else None
        return table_of(name) if under is None else np.where(under < fewest, np.nan, table_of(name))

    if isinstance(metric, str):
        columns = pd.Index([metric]) if across is None else across
        # A copy: a table's own values are read-only, and change while it fills.
        values, shown_metrics = shown(metric).copy(), frame_name(metric)
    else:
        shown_metrics = list(map(frame_name, metric))
        if not shown_metrics:
            raise ValueError("A table needs a metric.")
        columns = pd.Index(shown_metrics, name="metric")
        if across is not None:
            levels = [across.get_level_values(level) for level in range(across.nlevels)]
            repeated = [level.repeat(len(shown_metrics)) for level in levels]
            columns = pd.MultiIndex.from_arrays(
                [*repeated, shown_metrics * len(across)], names=[*across.names, "metric"]
            )
        planes = np.stack([shown(name) for name in metric], axis=2)
        values = planes.reshape(len(index), -1)
    frame = pd.DataFrame(values, index=index, columns=columns)
    frame.attrs.update(provenance, **({"hide_under": fewest} if fewest else {}))
    frame.attrs["metric"] = shown_metrics
    return frame


def _metrics(rows: Sequence[StatsRow] | Sequence[CalcData]) -> dict[str, Floats]:
    # One call for all metrics of a row, which is faster than one for each.
    pick = attrgetter(*(f"metrics.{name}" for name in STATS_FIGURES.values()))
    table = np.array([pick(row) for row in rows], dtype=np.float64).reshape(-1, len(STATS_FIGURES))
    return {name: table[:, position].copy() for position, name in enumerate(STATS_FIGURES)}


def _attribute_columns(groups: Sequence[StatsGroup]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name, code in (
        ("question", _question_code),
        ("datapoint", attrgetter("datapoint_code")),
        ("suffix", attrgetter("suffix_code")),
    ):
        codes = [_joined(group.attributes, code) for group in groups]
        labels = [_joined(group.attributes, attrgetter(f"{name}_label")) for group in groups]
        columns |= _coded(name, codes, dict(zip(codes, labels, strict=True)))
    return columns


def _joined(attributes: Sequence[CalcAttribute], part: Callable[[CalcAttribute], str]) -> str:
    return ", ".join(dict.fromkeys(map(part, attributes)))


def _question_code(attribute: CalcAttribute) -> str:
    """The code for expressions: with its namespace, unless that is the base one."""
    namespace, code = attribute.namespace_code, attribute.question_code
    return code if namespace in ("", BASE_NAMESPACE) else join_code(namespace, code)


def _empty_audience(result: StatsData) -> str:
    if result.who.valid and not (result.audiences or result.splitter):
        return undefined.NO_ANSWERS
    if result.audiences:
        return undefined.EMPTY_AUDIENCE
    return undefined.EMPTY_SEGMENT if result.splitter else undefined.EMPTY_BASE


def _stats_columns(
    result: StatsData, codes: list[tuple[str | None, str | None]], labels: bool
) -> pd.Index[Any] | None:
    """Segments, audiences, or both as two levels; None if there are only metrics."""
    names: Mapping[str, str] = result.labels.segments if labels else {}
    segments = [names.get(segment or "") or segment or "" for segment, _ in codes]
    audiences = [audience or "" for _, audience in codes]
    if labels:
        audiences = [result.audience_name(audience) for audience in audiences]
    if result.splitter and result.audiences:
        return pd.MultiIndex.from_arrays([segments, audiences], names=["segment", "audience"])
    if result.splitter:
        return pd.Index(segments, name="segment")
    return pd.Index(audiences, name="audience") if result.audiences else None


def _coded(
    name: str, codes: Sequence[str], names: Mapping[str, str], label: str = ""
) -> dict[str, Any]:
    """A column of codes and one of labels; a code without a name is its own label."""
    unique = {code: position for position, code in enumerate(dict.fromkeys(codes))}
    positions = np.array([unique[code] for code in codes], dtype=np.intp)
    labels = ordered([names.get(code) or code for code in unique], positions)
    return {name: text_column(codes), label or f"{name}_label": labels}


def _side(
    name: str,
    audiences: Sequence[Audience],
    groups: Sequence[Groups],
    index: Positions,
    positions: Positions,
) -> dict[str, Any]:
    # Text is made a column before it is repeated, which is faster than after.
    ids = text_column(audience.id or "" for audience in audiences)
    columns: dict[str, Any] = {
        f"{name}_index": index[positions],
        f"{name}_id": ids.array.take(positions),
    }
    if any(groups):
        columns[f"{name}_group"] = ordered(list(map(joined, groups)), positions)
    return columns | {name: ordered([audience.name for audience in audiences], positions)}


def _tuples(values: Sequence[tuple[Any, ...]]) -> pd.Series[Any]:
    """A column of tuples, equal ones shared: most rows rest on the same waves."""
    seen: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    return pd.Series([seen.setdefault(value, value) for value in values], dtype=object)
