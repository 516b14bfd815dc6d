"""Results laid out as a `TableLayout`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis import marks as marked
from audiencelab.analysis.comparison import ComparisonData
from audiencelab.analysis.moving_averages import TOO_FEW, MovingAverageData
from audiencelab.analysis.overlap import in_reading_order, wording_of
from audiencelab.expressions.codes import WAVES
from audiencelab.render.arranging import arranged
from audiencelab.render.crosstab_layout import crosstab_layout
from audiencelab.render.gaps import Gap, gaps_in
from audiencelab.render.table_layout import (
    LARGEST_BASES,
    HeaderCell,
    Metric,
    TableLayout,
    have_own_bases,
    notes_on_bases,
    provenance_fields,
)
from audiencelab.results.arrangement import TableArrangement
from audiencelab.results.chart_result import ChartCalculationData, failure_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.dtypes import listed
from audiencelab.results.grid import SCALE
from audiencelab.results.metric_names import own_names
from audiencelab.results.metrics import IN_TABLES, unknown_metric
from audiencelab.results.overlap import OverlapData, in_any
from audiencelab.results.provenance import coverage_facts, definitions
from audiencelab.results.record import record_of
from audiencelab.results.stats import STATS_FIGURES, StatsData
from audiencelab.results.undefined import respondents_under
from audiencelab.results.who_counts import base_line
from audiencelab.schema.scales import Scale

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

_TESTED = "column_percentage"
"""The metric that comparisons test."""


def table_layout(
    result: CrosstabData | StatsData | ChartCalculationData | OverlapData | MovingAverageData,
    *,
    metrics: Sequence[str] | None = None,
    comparison: ComparisonData | None = None,
    row_groups: Sequence[str] = (),
    column_groups: Sequence[str] = (),
    arrangement: TableArrangement | None = None,
) -> TableLayout:
    """A result as a table to print.

    metrics: the metrics of each cell, by default the percentage and the index, with a comparison
    the percentage only; of an overlap the column percentage and the people, of a moving average
    the percentage and its change.
    comparison: tests between the table's columns, whose letters or arrows are shown.
    row_groups, column_groups: the group of each row or column, instead of those that a crosstab
        was queried with; neighbours of one group are shown together.
    arrangement: order, names and the like; by default none.

    Raises `ValueError` for a metric that the result does not have, for groups that are not one
    for each row or column, for a comparison of another table, and for an arrangement that names
    what the table does not have; `TypeError` for what is not a comparison.
    """
    added = 0
    if metrics is not None and not isinstance(result, OverlapData):
        metrics = own_names(result, metrics)
    if isinstance(result, CrosstabData):
        usual = ("column_percentage", "index") if comparison is None else ("column_percentage",)
        made = crosstab_layout(result, chosen_metrics(metrics, IN_TABLES, usual))
        # The column of everyone, where the table has none itself.
        added = len(made.banner) - len(result.columns)
    elif isinstance(result, OverlapData):
        known = ("column_percentage", "size", "sample")
        made = _overlap(result, chosen_metrics(metrics, known, known[:2]))
    elif isinstance(result, MovingAverageData):
        known = ("column_percentage", "change", "size", "sample", "column_size", "column_sample")
        made = _windows(result, chosen_metrics(metrics, known, known[:2]))
    else:
        chosen = chosen_metrics(metrics, tuple(STATS_FIGURES), ("column_percentage", "index"))
        made = _stats(result, chosen) if isinstance(result, StatsData) else _chart(result, chosen)
    made = replace(
        made,
        stub=_grouped(made.stub, row_groups, "row_groups"),
        banner=(
            *made.banner[:added],
            *_grouped(made.banner[added:], column_groups, "column_groups"),
        ),
    )
    made = made if comparison is None else _with_comparison(made, added, comparison)
    return made if arrangement is None else arranged(made, arrangement)


def chosen_metrics(
    metrics: Sequence[str] | None, known: Sequence[str], default: Sequence[str]
) -> tuple[str, ...]:
    """The metrics of a table, each once; raises `ValueError` for one that it does not have."""
    chosen = tuple(dict.fromkeys(default if metrics is None else listed(metrics)))
    if unknown := [name for name in chosen if name not in known]:
        raise unknown_metric(unknown[0], known)
    if not chosen:
        raise ValueError(f"A table needs figures. Choose among {', '.join(known)}.")
    return chosen


def _grouped(
    cells: tuple[HeaderCell, ...], groups: Sequence[str], what: str
) -> tuple[HeaderCell, ...]:
    if not groups:
        return cells
    given = cast("Collection[object] | str", groups)
    names = not isinstance(given, str) and all(isinstance(each, str) or not each for each in given)
    if not names or len(groups) != len(cells):
        raise ValueError(f"{what} must be {len(cells)} names, one for each in order.")
    pairs = zip(cells, groups, strict=True)
    return tuple(replace(cell, groups=(group,) if group else ()) for cell, group in pairs)


def _with_comparison(made: TableLayout, added: int, comparison: ComparisonData) -> TableLayout:
    """The same table with marks beside the percentages that were tested.

    added: columns before those of the result.
    """
    if not isinstance(cast(object, comparison), ComparisonData):
        kind = type(comparison).__name__
        raise TypeError(f"comparison must be what result.test(…) returned; got {kind}.")
    marks, letters = marked.shown_marks(comparison), marked.column_letters(comparison)
    # Not strict: the check of shapes below has a better message.
    rows = zip(made.stub, marked.row_letters(comparison), strict=False)
    whole, columns = made.banner[:added], made.banner[added:]
    if marks.shape != (len(made.stub), len(columns)):
        raise ValueError(
            f"The comparison is one of {marks.shape[0]} rows and {marks.shape[1]} columns, the "
            f"table has {len(made.stub)} and {len(columns)}: compare this very result."
        )
    if not any(each.name == _TESTED for each in made.metrics):
        raise ValueError(f"Percentages are compared: ask for {_TESTED} among them.")
    pairs = zip(columns, letters, strict=True)
    return replace(
        made,
        stub=tuple(replace(cell, letter=letter) for cell, letter in rows),
        banner=(*whole, *(replace(cell, letter=letter) for cell, letter in pairs)),
        # The total is not tested against its parts.
        marks=tuple(("",) * added + tuple(map(str, row)) for row in marks),
        compared=_TESTED,
        about=record_of(comparison, base=made.about.base),
        marks_label="Exceeds" if any(letters) or comparison.vs == "rows" else "Differs",
        notes=(*made.notes, f"{marked.legend(comparison)} {comparison.whole_note}"),
    )


# -- queries and calculations ---------------------------------------------------------------------


def _stats(result: StatsData, metrics: Sequence[str]) -> TableLayout:
    from audiencelab.results.to_pandas import stats_frame

    base = base_line(result)
    facts = [base, *coverage_facts({**result.provenance, "waves": result.waves})]
    if result.splitter:
        facts.append(f"Split by {result.labels.splitter or result.splitter}")
    frame = stats_frame(result)
    return TableLayout(
        title=result.labels.question or result.question,
        over_time=result.splitter == WAVES and len(result.audiences) < 2,
        facts=tuple(facts),
        definitions=definitions(
            Base=(result.base_audience,) if result.base_audience is not None else (),
            Audience=result.audiences,
        ),
        **provenance_fields(result, base, {**result.provenance, "waves": list(result.waves)}),
        **_spread(
            frame,
            metrics,
            keys=[row.datapoint for row in result.rows],
            names=frame["datapoint_label"].astype(str).tolist(),
            groups=[""] * len(frame),
            everyone=result.base_audience.name if result.base_audience is not None else "All",
            notes=notes_on_bases(result),
            # The scale of a grid is that of its columns.
            scale=None if result.splitter == SCALE else result.labels.scale,
            nets=result.provenance.get("nets", {}),
        ),
    )


def _windows(result: MovingAverageData, metrics: Sequence[str]) -> TableLayout:
    """A column for each window that has waves enough."""
    table, frame = result.table, result.frame
    frame = frame[frame["note"] != TOO_FEW].reset_index(drop=True)
    # The table shows no respondents with an answer of their own: windows are of all who were asked.
    frame = frame.assign(
        segment_label=frame["segment"].map(result.windows), row_size=np.nan, row_sample=np.nan
    )
    base = base_line(table)
    provenance = {**result.provenance, "waves": list(table.waves)}
    made = TableLayout(
        title=result.title,
        over_time=len(table.audiences) < 2,
        facts=(base, *coverage_facts(provenance), f"Moving average of {result.waves} waves"),
        definitions=definitions(
            Base=(table.base_audience,) if table.base_audience is not None else (),
            Audience=table.audiences,
        ),
        **provenance_fields(result, base, provenance),
        **_spread(
            frame,
            metrics,
            keys=frame["datapoint"].tolist(),
            names=frame["datapoint_label"].astype(str).tolist(),
            groups=[""] * len(frame),
            everyone="All",
            notes=notes_on_bases(table),
            scale=table.labels.scale,
            nets=table.provenance.get("nets", {}),
        ),
    )
    # Windows have bases of their own, which are above their columns.
    return replace(made, own_bases=False, notes=(*made.notes, result.method_note))


def _chart(result: ChartCalculationData, metrics: Sequence[str]) -> TableLayout:
    from audiencelab.results.to_pandas import calculation_frame

    frame = calculation_frame(result)
    labels = zip(
        frame["datapoint_label"], frame["suffix_label"], frame["question_label"], strict=True
    )
    return TableLayout(
        title=result.name or "Chart",
        facts=tuple(coverage_facts(result.provenance)),
        **provenance_fields(result, "", result.provenance),
        **_spread(
            frame,
            metrics,
            # A row for each group, also where two groups have the same attributes.
            keys=frame["group_id"].tolist(),
            names=[
                f"{answer}, {suffix}" if suffix else answer or question
                for answer, suffix, question in labels
            ],
            groups=frame["question_label"].astype(str).tolist(),
            everyone="All",
            failed=[bool(failure_of(group)) for group in result.groups for _ in group.data or [0]],
        ),
    )


def _spread(
    frame: pd.DataFrame,
    metrics: Sequence[str],
    *,
    keys: Sequence[Any],
    names: Sequence[str],
    groups: Sequence[str],
    everyone: str,
    failed: Sequence[bool] = (),
    notes: Sequence[str] = (),
    scale: Scale | None = None,
    nets: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """A long frame as stub, banner, metrics and notes: keys down, segments and audiences across.

    keys, names, groups: of the stub, for each row of the frame. failed: rows without values, which
    belong to no segment and no audience. notes: those before the reasons of missing values. scale:
    that of the keys. nets: the keys that a key which is a net adds up.
    """
    across = [
        frame[name].astype(str).tolist() if name in frame else [""] * len(frame)
        for name in ("segment", "audience")
    ]
    columns: list[tuple[str, ...]] = list(zip(*across, strict=True))
    valid = ~np.array(failed or [False] * len(frame), dtype=bool)
    down, across_at = _first_rows(keys, range(len(keys))), _first_rows(columns, valid.nonzero()[0])
    row_number = {key: number for number, key in enumerate(down)}
    column_number = {key: number for number, key in enumerate(across_at)}
    # Rows that failed are in the stub, but have no cells.
    kept = np.flatnonzero(valid)
    positions = (
        np.array([row_number[keys[at]] for at in kept.tolist()], dtype=np.intp),
        np.array([column_number[columns[at]] for at in kept.tolist()], dtype=np.intp),
    )

    def spread(name: str) -> Floats:
        table = np.full((len(down), len(across_at)), np.nan)
        table[positions] = frame[name].to_numpy(np.float64)[kept]
        return table

    sizes, samples = spread("row_size"), spread("row_sample")
    of_columns = spread("column_size"), spread("column_sample")
    notes_of = frame["note"].to_numpy(object)
    missing = np.full((len(down), len(across_at)), "", dtype=object)
    missing[positions] = notes_of[kept]
    values = {name: spread(name) for name in metrics}
    # A frame's note may be on a metric that is not shown, where there is no dash to explain.
    missing[~np.any([np.isnan(each) for each in values.values()], axis=0)] = ""
    failures = [(row_number[keys[at]], notes_of[at]) for at in np.flatnonzero(~valid).tolist()]
    base_sizes, base_samples = map(_common, of_columns)
    stub = [
        HeaderCell(
            names[at],
            (groups[at],) if groups[at] else (),
            *_widest(size, sample),
            base_size=base_size,
            base_sample=base_sample,
            codes=(str(key),),
            parts=tuple((nets or {}).get(key, ())),
            off_scale=scale is not None and key in scale.off,
            ordered=scale is not None and scale.is_ordered and key in scale.points,
        )
        for (key, at), size, sample, base_size, base_sample in zip(
            down.items(), sizes, samples, base_sizes, base_samples, strict=True
        )
    ]
    sizes, samples = (each.T for each in of_columns)
    labels = [frame[name] for name in ("segment_label", "audience_name") if name in frame]
    banner: list[HeaderCell] = []
    for (codes, at), size, sample in zip(across_at.items(), sizes, samples, strict=True):
        *above, name = [str(label.iloc[at]) for label in labels] or [everyone]
        own = tuple(code for code in codes if code)[-1:]
        banner.append(
            HeaderCell(name, tuple(above), *_widest(size, sample), codes=own, nested=bool(above))
        )
    return {
        "stub": tuple(stub),
        "banner": tuple(banner),
        "metrics": tuple(
            Metric(name, each, respondents_under(name, spread)) for name, each in values.items()
        ),
        "stub_bases": "row_percentage" in metrics,
        "own_bases": have_own_bases(stub),
        "notes": (*([LARGEST_BASES] if notes and _vary(of_columns[1]) else ()), *notes),
        "missing": (*gaps_in(missing), *_failed(failures)),
        "reasons": tuple(tuple(map(str, row)) for row in missing),
    }


def _first_rows(keys: Sequence[Any], rows: Any) -> dict[Any, int]:
    found: dict[Any, int] = {}
    for row in rows:
        found.setdefault(keys[row], int(row))
    return found


def _widest(sizes: Floats, samples: Floats) -> tuple[float, float]:
    """The bases of the cell with most respondents under it, as in a crosstab's margins."""
    if not samples.size or np.isnan(samples).all():
        return float("nan"), float("nan")
    at = int(np.nanargmax(samples))
    return float(sizes[at]), float(samples[at])


def _common(bases: Floats) -> list[float]:
    """The base of each row that all its columns share; NaN where they have bases of their own."""
    if not bases.size:
        return [float("nan")] * len(bases)
    same = (bases == bases[:, :1]).all(axis=1)
    return np.where(same, bases[:, 0], np.nan).tolist()


def _vary(bases: Floats) -> bool:
    """Whether rows of one column have different bases."""
    # An empty base is not a different one.
    known = np.where(bases > 0, bases, np.nan)
    least, most = np.fmin.reduce(known, axis=0), np.fmax.reduce(known, axis=0)
    return bool((least < most).any())


def _failed(failures: Sequence[tuple[int, str]]) -> list[Gap]:
    """Why rows have no values at all."""
    return [
        Gap(reason, tuple((row, None) for row, each in failures if each == reason))
        for reason in dict.fromkeys(reason for _, reason in failures)
    ]


# -- overlaps -------------------------------------------------------------------------------------


def _overlap(result: OverlapData, metrics: Sequence[str]) -> TableLayout:
    order, members = in_reading_order(result), result.members
    columns = [np.ones(len(members), dtype=bool), in_any(members), *members.T]
    whole = [result.people(inside) for inside in columns]
    everyone = result.base_audience.name if result.base_audience is not None else "All"
    names = [everyone, "Any of them", *result.names]
    inside = np.column_stack(columns)[order]
    # An empty audience has no shares: NaN instead of a division by 0.
    sizes = np.array([each.size or np.nan for each in whole])
    samples = np.broadcast_to(np.array([each.sample for each in whole]), inside.shape)

    def metric(name: str) -> Metric:
        values = (result.samples if name == "sample" else result.sizes)[order, None]
        if name == "column_percentage":
            return Metric(name, np.where(inside, 100 * values / sizes, np.nan), samples)
        return Metric(name, np.where(inside, values, np.nan))

    base = base_line(result)
    return TableLayout(
        title=f"Overlap of {len(result.audiences)} audiences",
        stub=tuple(
            HeaderCell(
                *(wording_of(result, at), (), float(result.sizes[at]), result.samples[at]),
                codes=(str(at),),
                # "None of them" is the last combination, however many these are.
                off_scale=not members[at].any(),
            )
            for at in order
        ),
        banner=tuple(
            HeaderCell(name, (), each.size, each.sample)
            for name, each in zip(names, whole, strict=True)
        ),
        metrics=tuple(map(metric, metrics)),
        total=True,
        facts=(base, *coverage_facts(result.provenance)),
        notes=("Each line is who is in exactly these audiences.", *result.notes),
        definitions=definitions(
            Base=(result.base_audience,) if result.base_audience is not None else (),
            Audience=result.audiences,
        ),
        **provenance_fields(result, base, result.provenance),
    )
