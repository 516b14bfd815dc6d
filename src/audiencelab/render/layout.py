"""Results laid out as a `TableLayout`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience
from audiencelab.render.table_layout import Comparison, Head, Measure, Tabulation, under_group
from audiencelab.results.banner import Heads, full_name, table_title
from audiencelab.results.chart_result import ChartCalculationData, failure_of
from audiencelab.results.crosstab import FIGURES, CrosstabData
from audiencelab.results.dtypes import listed
from audiencelab.results.provenance import (
    base_sentence,
    coverage_facts,
    definitions,
    provenance_pairs,
    source_line,
)
from audiencelab.results.stats import Provenance, StatsData
from audiencelab.results.undefined import respondents_under
from audiencelab.schema import METRICS

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


_TESTED = ("column_percentage", "audience_percentage")
"""What comparisons are made of."""

_OF_ALL = {
    "size": "row_size",
    "sample": "row_sample",
    "percentage": "row_base_percentage",
    "column_percentage": "row_base_percentage",
    "row_size": "row_size",
    "row_sample": "row_sample",
    "row_base_percentage": "row_base_percentage",
}
"""A figure of everyone in the base, as the result tells it of the rows."""


def tabulate(
    result: CrosstabData | StatsData | ChartCalculationData,
    *,
    metrics: Sequence[str] | None = None,
    comparison: Comparison | None = None,
    row_groups: Sequence[str] = (),
    column_groups: Sequence[str] = (),
    blank_under: float = 0,
) -> Tabulation:
    """A result as a table to print.

    metrics: what stands in its cells, the percentage and the index unless said otherwise.
    comparison: tests between the table's columns, whose letters or arrows are to be shown.
    row_groups, column_groups: what stands above each row's or column's name, in place of the heads
        that a crosstab was asked for with; neighbours of one group stand together.
    blank_under: the respondents that a figure must rest on to be shown at all.

    Raises `ValueError` for a metric that the result does not have, for groups that are not one
    for each row or column, and for a comparison of another table; `TypeError` for what is none.
    """
    if isinstance(result, CrosstabData):
        made = _crosstab(result, _chosen(metrics, FIGURES, ("column_percentage", "index")))
        added = len(made.banner) - len(result.columns)
    else:
        added = 0
        chosen = _chosen(metrics, METRICS, ("audience_percentage", "audience_index"))
        if isinstance(result, StatsData):
            made = stats_tabulation(result, chosen)
        else:
            made = calculation_tabulation(result, chosen)
    made = _with_groups(made, added, row_groups, column_groups).blanked(blank_under)
    return made if comparison is None else _with_comparison(made, added, comparison)


def _chosen(
    metrics: Sequence[str] | None, known: Sequence[str], usual: Sequence[str]
) -> tuple[str, ...]:
    if metrics is None:
        return tuple(usual)
    chosen = tuple(dict.fromkeys(listed(metrics)))
    if unknown := [name for name in chosen if name not in known]:
        raise ValueError(f"No figure {unknown[0]!r}. Choose among {', '.join(known)}.")
    if not chosen:
        raise ValueError(f"A table needs figures. Choose among {', '.join(known)}.")
    return chosen


def _crosstab(result: CrosstabData, metrics: Sequence[str]) -> Tabulation:
    stub = _margin(
        result.rows,
        result.row_heads,
        result.row_values("row_size"),
        result.row_values("row_sample"),
        result.row_nets,
    )
    banner = _margin(
        result.columns,
        result.column_heads,
        result.column_values("column_size"),
        result.column_values("column_sample"),
    )
    adds_total = not result.has_total
    if adds_total:
        everyone = result.base_audience.name if result.base_audience else "All"
        banner = (Head(everyone, (), result.base_size, result.base_sample), *banner)
    facts = [
        base_sentence(result.base_audience),
        *coverage_facts(result.provenance),
    ]
    return Tabulation(
        title=table_title(result.row_heads, result.column_heads),
        stub=stub,
        banner=banner,
        measures=tuple(_crosstab_measure(result, name, adds_total) for name in metrics),
        total=True,
        stub_bases="row_percentage" in metrics,
        facts=tuple(facts),
        notes=tuple(_crosstab_notes(result)),
        source=source_line(result.provenance),
        provenance=provenance_pairs(result.provenance, base_sentence(result.base_audience)),
        definitions=definitions(
            result.labels,
            Base=(result.base_audience,) if result.base_audience else (),
            Row=_in_full(result.rows, result.row_heads),
            Column=_in_full(result.columns, result.column_heads),
        ),
        asked_at=str(result.provenance.get("asked_at", "")),
    )


def _in_full(audiences: Sequence[Audience], heads: Sequence[Heads]) -> list[Audience]:
    """The audiences with their heads in their names."""
    return [
        replace(audience, name=full_name(above, audience.name))
        for audience, above in zip(audiences, heads, strict=True)
    ]


def _margin(
    audiences: Sequence[Audience],
    heads: Sequence[Heads],
    sizes: Floats,
    samples: Floats,
    nets: Sequence[bool] = (),
) -> tuple[Head, ...]:
    names = [audience.name for audience in audiences]
    bases = (heads, sizes.tolist(), samples.tolist())
    return tuple(
        Head(name, above, size, sample, net=net)
        for name, above, size, sample, net in zip(
            names, *bases, nets or [False] * len(names), strict=True
        )
    )


def _crosstab_measure(result: CrosstabData, name: str, total: bool) -> Measure:
    values = result.values(name)
    under = respondents_under(name, result.values)
    if total:
        values = np.column_stack([_of_all(result, name), values])
        whole = respondents_under(name, lambda sample: _of_all(result, sample))
        under = None if under is None or whole is None else np.column_stack([whole, under])
    return Measure(name, values, under)


def _of_all(result: CrosstabData, name: str) -> Floats:
    """A figure of everyone in the base, for each row: everyone is as everyone is."""
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
    if result.base_varies:
        notes.append(
            "Cells rest on the waves that their questions share; bases are those of the widest."
        )
    if nets := result.provenance.get("nets"):
        told = "; ".join(f"{name}: {', '.join(rows)}" for name, rows in nets.items())
        notes.append(f"Rows in italics hold others. {told}.")
    return notes


def _with_groups(
    made: Tabulation, added: int, row_groups: Sequence[str], column_groups: Sequence[str]
) -> Tabulation:
    """The same table in groups; added: columns before those that the result has."""

    def named(heads: tuple[Head, ...], groups: Sequence[str], what: str) -> tuple[Head, ...]:
        if not groups:
            return heads
        if not _are_names(groups) or len(groups) != len(heads):
            raise ValueError(f"{what} must be {len(heads)} names, one for each in order.")
        return tuple(
            replace(head, above=under_group(group))
            for head, group in zip(heads, groups, strict=True)
        )

    whole, columns = made.banner[:added], made.banner[added:]
    return replace(
        made,
        stub=named(made.stub, row_groups, "row_groups"),
        banner=(*whole, *named(columns, column_groups, "column_groups")),
    )


def _are_names(groups: object) -> bool:
    """Whether they are several texts; one alone is none, and nothing at all is no group."""
    if isinstance(groups, str) or not isinstance(groups, Collection):
        return False
    return all(isinstance(each, str) or not each for each in cast("Collection[object]", groups))


def _with_comparison(made: Tabulation, added: int, comparison: Comparison) -> Tabulation:
    """The same table with marks beside the percentages that were tested; added: see above."""
    if not callable(getattr(cast(object, comparison), "marks", None)):
        kind = type(comparison).__name__
        raise TypeError(f"comparison is what result.compare_columns(…) returned, not {kind}.")
    marks, letters = comparison.marks(), comparison.column_letters()
    whole, columns = made.banner[:added], made.banner[added:]
    if marks.shape != (len(made.stub), len(columns)):
        raise ValueError(
            f"The comparison is one of {marks.shape[0]} rows and {marks.shape[1]} columns, the "
            f"table has {len(made.stub)} and {len(columns)}: compare this very result."
        )
    tested = [each.name for each in made.measures if each.name in _TESTED]
    if not tested:
        raise ValueError(f"Percentages are compared: ask for {' or '.join(_TESTED)} among them.")
    return replace(
        made,
        banner=(
            *whole,
            *(replace(head, letter=each) for head, each in zip(columns, letters, strict=True)),
        ),
        # Nobody tests a whole against its parts.
        marks=tuple(("",) * len(whole) + tuple(map(str, line)) for line in marks),
        compared=tested[0],
        marks_label="Exceeds" if any(letters) else "Differs",
        notes=(*made.notes, f"{comparison.legend} {comparison.method_note}"),
    )


def stats_tabulation(result: StatsData, metrics: Sequence[str]) -> Tabulation:
    """The answers of a stats query, by segments, audiences or both."""
    from audiencelab.results.to_pandas import stats_frame

    base = base_sentence(result.base_audience)
    facts = [base]
    facts += coverage_facts({**result.provenance, "waves": result.waves})
    if result.splitter:
        facts.append(f"Split by {result.labels.splitter or result.splitter}")
    return _spread(
        stats_frame(result),
        metrics,
        title=result.labels.question or result.question,
        lines=[row.datapoint for row in result.rows],
        line_names=("", "datapoint_label"),
        everyone=result.base_audience.name if result.base_audience else "All",
        facts=facts,
        base=base,
        provenance={**result.provenance, "waves": list(result.waves)},
        defined=definitions(
            Base=(result.base_audience,) if result.base_audience else (),
            Audience=result.audiences,
        ),
    )


def calculation_tabulation(result: ChartCalculationData, metrics: Sequence[str]) -> Tabulation:
    """The groups of a chart, failed ones among them, by segments, audiences or both."""
    from audiencelab.results.to_pandas import calculation_frame

    frame = calculation_frame(result)
    frame["line"] = [
        f"{answer}, {suffix}" if suffix else answer or question
        for answer, suffix, question in zip(
            frame["datapoint_label"], frame["suffix_label"], frame["question_label"], strict=True
        )
    ]
    # A line for each group, also where two groups ask the same.
    return _spread(
        frame,
        metrics,
        title=result.name or "Chart",
        lines=frame["group_id"].tolist(),
        line_names=("question_label", "line"),
        everyone="All",
        facts=coverage_facts(result.provenance),
        base="",
        provenance=result.provenance,
        failed=[bool(failure_of(group)) for group in result.groups for _ in group.data or [0]],
    )


def _spread(
    frame: pd.DataFrame,
    metrics: Sequence[str],
    *,
    title: str,
    lines: Sequence[Any],
    line_names: tuple[str, str],
    everyone: str,
    facts: Sequence[str],
    base: str,
    provenance: Provenance,
    defined: tuple[tuple[str, str, str, str], ...] = (),
    failed: Sequence[bool] = (),
) -> Tabulation:
    """A long frame of the nine metrics as a table: `lines` down, segments and audiences across.

    line_names: the columns that hold a line's group and name. failed: lines without figures, that
    belong to no segment and no audience.
    """
    across = list(zip(_codes(frame, "segment"), _codes(frame, "audience"), strict=True))
    stands = [not each for each in failed] or [True] * len(frame)
    columns = list(dict.fromkeys(key for key, fine in zip(across, stands, strict=True) if fine))
    stub = list(dict.fromkeys(lines))
    standing = np.flatnonzero(stands)
    places = _places(lines, stub)[standing], _places(across, columns)[standing]

    def spread(name: str) -> Floats:
        table = np.full((len(stub), len(columns)), np.nan)
        table[places] = frame[name].to_numpy(np.float64)[standing]
        return table

    first_of = {line: place for place, line in reversed(list(enumerate(lines)))}
    groups = [str(group) for group in frame[line_names[0]]] if line_names[0] else [""] * len(frame)
    sizes, samples = spread("datapoint_size"), spread("datapoint_sample")
    return Tabulation(
        title=title,
        stub=tuple(
            Head(
                str(frame[line_names[1]].iloc[first_of[line]]),
                under_group(groups[first_of[line]]),
                *_widest(sizes[place], samples[place]),
            )
            for place, line in enumerate(stub)
        ),
        banner=_banner(frame, across, columns, everyone, spread),
        measures=tuple(
            Measure(name, spread(name), respondents_under(name, spread)) for name in metrics
        ),
        stub_bases="datapoint_percentage" in metrics,
        facts=tuple(facts),
        notes=_reasons(frame, line_names[1]),
        source=source_line(provenance),
        provenance=provenance_pairs(provenance, base),
        definitions=defined,
        asked_at=str(provenance.get("asked_at", "")),
    )


def _places(keys: Sequence[Any], among: Sequence[Any]) -> NDArray[np.intp]:
    """Where each key stands; 0 for one that stands nowhere."""
    place = {key: position for position, key in enumerate(among)}
    return np.array([place.get(key, 0) for key in keys], dtype=np.intp)


def _codes(frame: pd.DataFrame, name: str) -> list[str]:
    return frame[name].astype(str).tolist() if name in frame else [""] * len(frame)


def _banner(
    frame: pd.DataFrame,
    across: Sequence[tuple[str, str]],
    columns: Sequence[tuple[str, str]],
    everyone: str,
    spread: Callable[[str], Floats],
) -> tuple[Head, ...]:
    """Segments over audiences, or the one of them that was asked for, or everyone."""
    first_of = {key: place for place, key in reversed(list(enumerate(across)))}
    sizes, samples = spread("audience_size"), spread("audience_sample")
    heads: list[Head] = []
    for place, key in enumerate(columns):
        names = [
            str(frame[label].iloc[first_of[key]])
            for label in ("segment_label", "audience_name")
            if label in frame
        ]
        *above, name = names or [everyone]
        heads.append(Head(name, tuple(above), *_widest(sizes[:, place], samples[:, place])))
    return tuple(heads)


def _widest(sizes: Floats, samples: Floats) -> tuple[float, float]:
    """The bases of the cell with most respondents under it, as a crosstab's margins are taken."""
    if not samples.size or np.isnan(samples).all():
        return float("nan"), float("nan")
    place = int(np.nanargmax(samples))
    return float(sizes[place]), float(samples[place])


def _reasons(frame: pd.DataFrame, label: str) -> tuple[str, ...]:
    """Why figures are missing, each reason once, with the lines that it is true of."""
    told: dict[str, dict[str, None]] = {}
    for line, note in zip(frame[label].astype(str), frame["note"], strict=True):
        if note:
            told.setdefault(str(note), {})[line] = None
    return tuple(
        f"– {reason}: {', '.join(list(lines)[:3])}{' and others' if len(lines) > 3 else ''}"
        for reason, lines in told.items()
    )
