"""An overlap as a short HTML table for notebooks, and as a table to print or put into Excel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.overlap import combinations_frame, in_reading_order, wording_of
from audiencelab.markup import QUIET, ROW_CAP, Html, card, element, figure, people, percent, table
from audiencelab.render.table_layout import (
    LOW_BASE,
    VERY_LOW_BASE,
    Head,
    Measure,
    Tabulation,
    low_base_mark,
)
from audiencelab.results.dtypes import listed
from audiencelab.results.overlap import OverlapData, in_any
from audiencelab.results.provenance import (
    base_sentence,
    coverage_facts,
    definitions,
    provenance_pairs,
    source_line,
)

LOW_COMBINATION_NOTE = (
    f"* fewer than {LOW_BASE} respondents in the combination, ** fewer than {VERY_LOW_BASE}"
)
"""What the stars mean here: a number of people is as sure as those it is counted of."""

_METRICS = ("column_percentage", "size", "sample")
_DEFAULT = ("column_percentage", "size")


def overlap_html(result: OverlapData) -> str:
    """The combinations that hold anyone, the largest first."""
    union = result.union
    frame = combinations_frame(result)
    inside = frame[(frame["count"] > 0) & (frame["sample"] > 0)]
    shown = inside.sort_values("size", ascending=False, kind="stable").head(ROW_CAP)
    marks = [low_base_mark(sample) for sample in shown["sample"]]
    figures = shown[["combination", "size", "sample", "percentage", "union_percentage"]]
    lines = [
        [name, people(size) + mark, figure(sample, 0), percent(of_base), percent(of_union)]
        for (name, size, sample, of_base, of_union), mark in zip(
            figures.itertuples(index=False), marks, strict=True
        )
    ]
    heads = ["In exactly these", "People", "Respondents", "% of base", "% of union"]
    listed = table(heads, lines, numeric=range(1, 5), hidden=len(inside) - len(shown))
    facts = [
        f"in any of them {people(union.size)} people, {percent(union.percentage)} of the base",
        base_sentence(result.base_audience),
        *coverage_facts({"waves": result.provenance.get("waves")}),
    ]
    title = f"Overlap of {len(result.audiences)} audiences"
    under = _under(result, any(marks))
    return str(card(title, listed, *under, subtitle=" · ".join(facts)))


def _under(result: OverlapData, low: bool) -> list[Html]:
    source = source_line(result.provenance, dated=False)
    told = " · ".join(filter(None, [LOW_COMBINATION_NOTE if low else "", source]))
    return [element("div", each, style=QUIET) for each in (*result.notes, told) if each]


def overlap_tabulation(result: OverlapData, metrics: Sequence[str] | None) -> Tabulation:
    """Combinations down; the base, the union and each audience across, with their own shares.

    Raises `ValueError` for other figures than column percentages, sizes and samples.
    """
    chosen = tuple(listed(metrics or _DEFAULT))
    if unknown := [name for name in chosen if name not in _METRICS]:
        raise ValueError(
            f"No figure {unknown[0]!r} of an overlap. Choose among {', '.join(_METRICS)}."
        )
    order, members = in_reading_order(result), result.members
    columns = [np.ones(len(members), dtype=bool), in_any(members), *members.T]
    whole = [result.people(inside) for inside in columns]
    names = [
        result.base_audience.name if result.base_audience else "All",
        "Any of them",
        *result.names,
    ]
    stub = tuple(
        Head(wording_of(result, place), (), float(result.sizes[place]), result.samples[place])
        for place in order
    )
    base = base_sentence(result.base_audience)
    return Tabulation(
        title=f"Overlap of {len(result.audiences)} audiences",
        stub=stub,
        banner=tuple(
            Head(name, (), each.size, each.sample) for name, each in zip(names, whole, strict=True)
        ),
        measures=tuple(_measure(result, name, columns, order) for name in chosen),
        total=True,
        facts=(base, *coverage_facts(result.provenance)),
        notes=("Each line is who is in exactly these audiences.", *result.notes),
        source=source_line(result.provenance),
        provenance=provenance_pairs(result.provenance, base),
        definitions=definitions(
            Base=(result.base_audience,) if result.base_audience else (),
            Audience=result.audiences,
        ),
        asked_at=str(result.provenance.get("asked_at", "")),
    )


def _measure(
    result: OverlapData, name: str, columns: Sequence[NDArray[np.bool_]], order: Sequence[int]
) -> Measure:
    """One figure of each combination within each column; NaN where it lies outside."""
    inside = np.column_stack(columns)[order]
    figures = (result.samples if name == "sample" else result.sizes)[order, None]
    if name != "column_percentage":
        return Measure(name, np.where(inside, figures, np.nan))
    whole = [result.people(each) for each in columns]
    sizes = np.array([each.size or np.nan for each in whole])
    samples = np.array([each.sample for each in whole])
    shares = np.where(inside, 100 * figures / sizes, np.nan)
    return Measure(name, shares, np.broadcast_to(samples, inside.shape))
