"""A crosstab laid out as a `TableLayout`, with its rows of statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience
from audiencelab.markup import figure
from audiencelab.render.table_layout import HeaderCell, Metric, TableLayout, provenance_fields
from audiencelab.results.banner import Groups, full_name
from audiencelab.results.crosstab import CrosstabData, has_total, shown_rows, title_of
from audiencelab.results.provenance import (
    base_sentence,
    coverage_facts,
    definitions,
)
from audiencelab.results.statistic_rows import STATISTIC_FIGURES, StatisticRows
from audiencelab.results.undefined import WITHHELD, respondents_under
from audiencelab.wording import plural

Floats = NDArray[np.float64]

_OF_ALL = {
    "size": "row_size",
    "sample": "row_sample",
    "percentage": "row_base_percentage",
    "column_percentage": "row_base_percentage",
    "row_size": "row_size",
    "row_sample": "row_sample",
    "row_base_percentage": "row_base_percentage",
}
"""A metric of everyone in the base, as a metric of the rows."""


def crosstab_layout(result: CrosstabData, metrics: Sequence[str]) -> TableLayout:
    """A crosstab as a table to print, without a comparison."""
    stub, banner = stub_cells(result), column_cells(result)
    adds_total = not has_total(result)
    if adds_total:
        everyone = result.base_audience.name if result.base_audience is not None else "All"
        banner = (HeaderCell(everyone, (), result.base_size, result.base_sample), *banner)
    base = base_sentence(result.base_audience)
    return TableLayout(
        title=title_of(result),
        stub=stub,
        banner=banner,
        metrics=tuple(_crosstab_metric(result, name, adds_total) for name in metrics),
        total=True,
        stub_bases="row_percentage" in metrics,
        facts=(base, *coverage_facts(result.provenance)),
        notes=tuple(_crosstab_notes(result)),
        definitions=definitions(
            result.labels,
            Base=(result.base_audience,) if result.base_audience is not None else (),
            Row=_full_names(result.rows, result.row_groups),
            Column=_full_names(result.columns, result.column_groups),
        ),
        **provenance_fields(result.provenance, base),
    )


def stub_cells(result: CrosstabData) -> tuple[HeaderCell, ...]:
    """The stub of a crosstab, with its rows of statistics."""
    shares, statistics = row_cells(result), result.statistics
    if statistics is None:
        return shares
    whole = zip(
        statistics.rows,
        statistics.groups,
        statistics.base("answered_size").tolist(),
        statistics.base("answered_sample").tolist(),
        strict=True,
    )
    others = [
        HeaderCell(row.name, groups, size, sample, decimals=row.decimals)
        for row, groups, size, sample in whole
    ]
    return tuple(
        others[place] if is_other else shares[place] for is_other, place in shown_rows(result)
    )


def with_statistics(result: CrosstabData, shares: NDArray[Any], others: NDArray[Any]) -> Any:
    """Rows of shares and of statistics, in the order in which they are shown."""
    return np.array([(others if other else shares)[at] for other, at in shown_rows(result)])


HIDDEN = "·"
"""Shown instead of a value that rests on fewer respondents than `blank_under`."""


def statistic_texts(statistics: StatisticRows, blank_under: float) -> list[tuple[str, list[str]]]:
    """The rows of statistics as texts: name, and the values of the base and of each column."""
    value, *_, sample = statistics.figures
    return [
        (
            row.name,
            [
                HIDDEN if count < blank_under else figure(each, row.decimals)
                for each, count in zip(value[at].tolist(), sample[at].tolist(), strict=True)
            ],
        )
        for at, row in enumerate(statistics.rows)
    ]


def row_cells(result: CrosstabData) -> tuple[HeaderCell, ...]:
    """The stub of a crosstab, without its rows of statistics."""
    sizes, samples = result.row_values("row_size"), result.row_values("row_sample")
    return _cells(result.rows, result.row_groups, sizes, samples, result.row_nets)


def column_cells(result: CrosstabData) -> tuple[HeaderCell, ...]:
    """The banner of a crosstab."""
    sizes, samples = result.column_values("column_size"), result.column_values("column_sample")
    return _cells(result.columns, result.column_groups, sizes, samples, [False] * len(sizes))


def _cells(
    audiences: Sequence[Audience],
    groups: Sequence[Groups],
    sizes: Floats,
    samples: Floats,
    nets: Sequence[bool],
) -> tuple[HeaderCell, ...]:
    columns = zip(audiences, groups, sizes.tolist(), samples.tolist(), nets, strict=True)
    return tuple(
        HeaderCell(audience.name, group, size, sample, net=net)
        for audience, group, size, sample, net in columns
    )


def _full_names(audiences: Sequence[Audience], groups: Sequence[Groups]) -> list[Audience]:
    return [
        replace(audience, name=full_name(group, audience.name))
        for audience, group in zip(audiences, groups, strict=True)
    ]


def _crosstab_metric(result: CrosstabData, name: str, total: bool) -> Metric:
    values = result.values(name)
    under = respondents_under(name, result.values)
    if total:
        values = np.column_stack([_of_all(result, name), values])
        whole = respondents_under(name, lambda sample: _of_all(result, sample))
        under = None if under is None or whole is None else np.column_stack([whole, under])
    statistics = result.statistics
    if statistics is not None:
        first = 0 if total else 1
        value, sample = (
            statistics.figures[STATISTIC_FIGURES.index(figure), :, first:]
            for figure in ("value", "answered_sample")
        )
        # Rows of counts have no base that marks them; those of statistics have one.
        under = np.full_like(values, np.inf) if under is None else under
        under = with_statistics(result, under, sample)
        values = with_statistics(result, values, value)
    return Metric(name, values, under)


def _of_all(result: CrosstabData, name: str) -> Floats:
    """A metric of everyone in the base, for each row: their index is 100."""
    if name in _OF_ALL:
        return result.row_values(_OF_ALL[name])
    if name.startswith("base") or name in ("column_size", "column_sample"):
        whole = result.base_sample if name.endswith("sample") else result.base_size
        return np.full(len(result.rows), whole)
    of = result.row_values("row_size")
    if name == "column_base_percentage":
        of = np.full(len(result.rows), result.base_size)
    return np.where(of > 0, 100.0, np.nan)


def _crosstab_notes(result: CrosstabData) -> list[str]:
    notes: list[str] = []
    if not result.complete:
        notes.append(f"{result.count:,} of {result.expected:,} cells had arrived.")
    unknown = int(np.count_nonzero(np.isnan(result.values("sample")) & result.arrived))
    if unknown:
        notes.append(f"{plural(unknown, 'cell')} {WITHHELD}.")
    if result.base_varies:
        notes.append(
            "Cells rest on the waves that their questions share; bases are those of the widest."
        )
    if nets := result.provenance.get("nets"):
        parts = "; ".join(f"{name}: {', '.join(rows)}" for name, rows in nets.items())
        notes.append(f"Rows in italics hold others. {parts}.")
    if result.statistics is not None:
        notes.append(result.statistics.note)
    return notes
