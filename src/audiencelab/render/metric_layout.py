"""Results of the nine metrics as a `Tabulation`: stats queries and charts that were calculated.

Their long frames are spread out: answers, or a chart's groups, down; segments over audiences
across. Crosstabs, which are tables already, are laid out in `tabulating`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.render.table_layout import Head, Measure, Tabulation, under_group
from audiencelab.results.chart_result import ChartCalculationResult, failure_of
from audiencelab.results.provenance import (
    base_sentence,
    coverage_facts,
    definitions,
    provenance_pairs,
    source_line,
)
from audiencelab.results.stats import Provenance, StatsResult
from audiencelab.results.undefined import respondents_under

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["calculation_tabulation", "stats_tabulation"]

Floats = NDArray[np.float64]


def stats_tabulation(result: StatsResult, metrics: Sequence[str]) -> Tabulation:
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


def calculation_tabulation(result: ChartCalculationResult, metrics: Sequence[str]) -> Tabulation:
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
