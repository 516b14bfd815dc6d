"""A crosstab laid out as a `TableLayout`, with its rows of statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.boxes import answers_in
from audiencelab.analysis.compare_waves import one_waves
from audiencelab.analysis.computed import OF_STATISTICS, REASONS, notes_on
from audiencelab.expressions import Audience, Expression, Leaf
from audiencelab.figures import figure
from audiencelab.render.gaps import Gap, gaps_in
from audiencelab.render.table_layout import (
    LARGEST_BASES,
    LARGEST_SHARES,
    HeaderCell,
    Metric,
    TableLayout,
    have_own_bases,
    nets_note,
    notes_on_bases,
    provenance_fields,
    with_base,
)
from audiencelab.results import who_counts
from audiencelab.results.banner import Groups, full_name, is_nested
from audiencelab.results.crosstab import (
    CrosstabData,
    banner_bases,
    has_total,
    of_statistics_alone,
    shown_rows,
    title_of,
)
from audiencelab.results.metrics import METRICS
from audiencelab.results.provenance import coverage_facts, definitions
from audiencelab.results.statistic_rows import STATISTIC_FIGURES
from audiencelab.results.undefined import NOT_ASKED_ALL, WITHHELD, respondents_under
from audiencelab.wording import plural

Floats = NDArray[np.float64]


def crosstab_layout(result: CrosstabData, metrics: Sequence[str]) -> TableLayout:
    """A crosstab as a table to print, without a comparison."""
    stub, banner = stub_cells(result), column_cells(result)
    if of_statistics_alone(result):
        # A statistic is one value, shown at the metric that comparisons mark.
        own = [name for name in metrics if METRICS[name].of_statistics]
        others = [name for name in metrics if name not in own]
        shares = [name for name in others if name == "column_percentage"]
        metrics = [*(shares or others)[:1], *own]
    adds_total = not has_total(result)
    if adds_total:
        everyone = result.base_audience.name if result.base_audience is not None else "All"
        banner = (everyone_cell(result, everyone), *banner)
    base, missing = who_counts.base_line(result), missing_reasons(result, metrics)
    return TableLayout(
        title=title_of(result),
        stub=stub,
        banner=banner,
        metrics=tuple(crosstab_metric(result, name, adds_total) for name in metrics),
        total=True,
        over_time=all(each and not each.within for each in one_waves(result) or [None]),
        stub_bases="row_percentage" in metrics,
        own_bases=have_own_bases(stub),
        reasons=shown_reasons(result, _with_own_reasons(result, metrics, missing), adds_total),
        facts=(base, *coverage_facts(result.provenance)),
        notes=(*_crosstab_notes(result), *notes_on(result, metrics)),
        missing=missing_gaps(result, missing, len(banner) - len(result.columns)),
        definitions=definitions(
            result.labels,
            Base=(result.base_audience,) if result.base_audience is not None else (),
            Row=_full_names(result.rows, result.row_groups),
            Column=_full_names(result.columns, result.column_groups),
        ),
        **provenance_fields(result, base, result.provenance),
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
        statistics.kinds,
        strict=True,
    )
    others = [
        HeaderCell(
            *(row.name, groups, size, sample),
            decimals=row.decimals,
            kind=kind,
            base_size=size,
            base_sample=sample,
        )
        for row, groups, size, sample, kind in whole
    ]
    return tuple(
        others[place] if is_other else shares[place] for is_other, place in shown_rows(result)
    )


def with_statistics(result: CrosstabData, shares: NDArray[Any], others: NDArray[Any]) -> Any:
    """Rows of shares and of statistics, in the order in which they are shown."""
    return np.array([(others if other else shares)[at] for other, at in shown_rows(result)])


HIDDEN = "·"
"""Shown instead of a value that rests on fewer respondents than `hide_under`."""


def statistic_texts(result: CrosstabData, hide_under: float) -> list[tuple[str, list[str]]]:
    """The rows of statistics as texts: name, and the values of the base and of each column.

    A name says how many gave an amount, where these are fewer than the base above the columns.
    """
    statistics = result.statistics
    if statistics is None:
        return []
    # As in `STATISTIC_FIGURES`, the value is first and the respondents are last.
    value, *_, sample = statistics.figures
    return [
        (
            row.name if of >= result.base_sample else with_base(row.name, of),
            [
                HIDDEN if count < hide_under else figure(each, row.decimals)
                for each, count in zip(value[at].tolist(), sample[at].tolist(), strict=True)
            ],
        )
        for at, (row, of) in enumerate(zip(statistics.rows, sample[:, 0].tolist(), strict=True))
    ]


def row_cells(result: CrosstabData) -> tuple[HeaderCell, ...]:
    """The stub of a crosstab, without its rows of statistics."""
    sizes, samples = result.row_values("row_size"), result.row_values("row_sample")
    cells = _cells(result.rows, result.row_groups, sizes, samples)
    bases = (result.row_values(f"base_{kind}").tolist() for kind in ("size", "sample"))
    return tuple(
        replace(
            cell,
            net=audience.id in result.nets_of,
            parts=result.nets_of.get(audience.id or "", ()),
            base_size=size,
            base_sample=sample,
            **_on_scale(result, audience.expression),
        )
        for cell, audience, size, sample in zip(cells, result.rows, *bases, strict=True)
    )


def _on_scale(result: CrosstabData, answer: Expression | None) -> dict[str, bool]:
    """Whether a row is an answer off the scale of its question, or a point of it."""
    known = [
        (scale, points)
        for (question, item), points in answers_in(answer).items()
        # The scale of a grid is that of its items.
        if (scale := result.scales.get(question)) is not None
        and points
        and (item or result.kinds.get(question) != "grid")
    ]
    return {
        "off_scale": any(points <= scale.off for scale, points in known),
        "ordered": any(scale.is_ordered and points <= {*scale.points} for scale, points in known),
    }


def column_cells(result: CrosstabData) -> tuple[HeaderCell, ...]:
    """The banner of a crosstab."""
    sizes, samples = banner_bases(result)
    return _cells(result.columns, result.column_groups, sizes[1:], samples[1:])


def everyone_cell(result: CrosstabData, name: str) -> HeaderCell:
    """The column of everyone in the base."""
    size, sample = (float(each[0]) for each in banner_bases(result))
    return HeaderCell(name, (), size, sample)


def _cells(
    audiences: Sequence[Audience],
    groups: Sequence[Groups],
    sizes: Floats,
    samples: Floats,
) -> tuple[HeaderCell, ...]:
    columns = zip(audiences, groups, sizes.tolist(), samples.tolist(), strict=True)
    return tuple(
        HeaderCell(
            *(audience.name, group, size, sample),
            codes=_codes(audience),
            nested=is_nested(audience, group),
        )
        for audience, group, size, sample in columns
    )


def _codes(audience: Audience) -> tuple[str, ...]:
    """Its id, and the code of the answer if it is one."""
    leaf = audience.expression
    answer = (leaf.suffixes or leaf.datapoints) if isinstance(leaf, Leaf) else ()
    return (audience.id or "", *(answer if len(answer) == 1 else ()))


def _full_names(audiences: Sequence[Audience], groups: Sequence[Groups]) -> list[Audience]:
    return [
        replace(audience, name=full_name(group, audience.name))
        for audience, group in zip(audiences, groups, strict=True)
    ]


def crosstab_metric(result: CrosstabData, name: str, total: bool) -> Metric:
    """A metric of a crosstab with its rows of statistics; total: after that of everyone."""
    values = _values(result, name)
    under = respondents_under(name, result.values)
    if total:
        values = np.column_stack([of_all(result, name), values])
        whole = respondents_under(name, lambda sample: of_all(result, sample))
        under = None if under is None or whole is None else np.column_stack([whole, under])
    statistics = result.statistics
    if statistics is not None:
        # Column 0 of statistics is everyone in the base.
        first = 0 if total else 1
        value, sample = (
            statistics.figures[STATISTIC_FIGURES.index(figure), :, first:]
            for figure in ("value", "answered_sample")
        )
        if METRICS[name].of_statistics:
            own = OF_STATISTICS[name](result)
            everyone = np.full((len(own), 1 - first), np.nan)
            value = np.column_stack([everyone, own])
        # Rows of counts have no base that marks them; those of statistics have one.
        under = np.full_like(values, np.inf) if under is None else under
        under = with_statistics(result, under, sample)
        values = with_statistics(result, values, value)
    return Metric(name, values, under)


def of_all(result: CrosstabData, name: str) -> Floats:
    """A metric of everyone in the base of each row: their index is 100."""
    base = result.row_values("base_size")
    if whole := METRICS[name].of_all:
        return np.where(base > 0, result.row_values(whole), np.nan)
    if METRICS[name].computed:
        return np.full(len(base), np.nan)
    of = base if name == "column_base_percentage" else result.row_values("row_size")
    return np.where(of > 0, 100.0, np.nan)


def _values(result: CrosstabData, name: str) -> Floats:
    """A metric of the cells; counts within an empty base are missing like shares of it."""
    return np.where(result.values("base_size") == 0, np.nan, result.values(name))


def missing_reasons(result: CrosstabData, metrics: Sequence[str]) -> NDArray[np.object_]:
    """Why cells have no value of one of the metrics, object[rows, columns]; "" where they have."""
    reasons = who_counts.reasons(result)
    dashes = [np.isnan(_values(result, name)) for name in metrics]
    return np.where(np.any(dashes, axis=0), reasons, "")


def _with_own_reasons(
    result: CrosstabData, metrics: Sequence[str], missing: NDArray[np.object_]
) -> NDArray[np.object_]:
    """The same with why cells have none of a metric alone, which its note says."""
    for name in metrics:
        if name in REASONS:
            missing = np.where(missing == "", REASONS[name](result), missing)
    return missing


def shown_reasons(
    result: CrosstabData, missing: NDArray[np.object_], total: bool
) -> tuple[tuple[str, ...], ...]:
    """The same of the rows and columns that are shown."""
    if not (missing != "").any():
        return ()
    if total:
        # Everyone has a value as soon as one cell of the row has a base.
        of_row = np.where(result.row_values("base_size") == 0, missing[:, 0], "")
        missing = np.column_stack([of_row, missing])
    if result.statistics is not None:
        # Their values rest on those who gave an amount.
        others = np.full((len(result.statistics.rows), missing.shape[1]), "", dtype=object)
        missing = with_statistics(result, missing, others)
    return tuple(map(tuple, missing.tolist()))


def missing_gaps(result: CrosstabData, missing: NDArray[np.object_], added: int) -> tuple[Gap, ...]:
    """The reasons of `missing_reasons`, each with its rows or columns as they are shown.

    added: columns before those of the result.
    """
    if of_statistics_alone(result):
        return ()
    # Who counts says which rows these are.
    told = np.where(missing == NOT_ASKED_ALL, "", missing)
    places = {at: place for place, (other, at) in enumerate(shown_rows(result)) if not other}
    rows = [places[at] for at in range(len(result.rows))]
    return tuple(gap.moved(rows, added) for gap in gaps_in(told))


def table_notes(result: CrosstabData, on_bases: Sequence[str] | None = None) -> list[str]:
    """Who counts in a crosstab, and which bases are above its columns.

    on_bases: its notes on bases, where they are known.
    """
    mixed = result.statistics is not None and not of_statistics_alone(result)
    known = result.who.valid or result.statistics is not None
    own = known and have_own_bases(stub_cells(result))
    above = [LARGEST_SHARES if mixed else LARGEST_BASES] if own else []
    return [*above, *notes_on_bases(result, on_bases)]


def _crosstab_notes(result: CrosstabData) -> list[str]:
    notes: list[str] = list(result.provenance.get("notes", ()))
    if not result.complete:
        notes.append(f"{result.count:,} of {result.expected:,} cells had arrived.")
    unknown = int(np.count_nonzero(np.isnan(result.values("sample")) & result.arrived))
    if unknown:
        notes.append(f"{plural(unknown, 'cell')} {WITHHELD}.")
    notes += table_notes(result)
    if nets := nets_note(stub_cells(result)):
        notes.append(nets)
    if result.statistics is not None:
        notes.append(result.statistics_note)
    return notes
