"""Tables of the same rows and columns by several weights as one, with a group for each weight."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from audiencelab.render.gaps import Gap
from audiencelab.render.table_layout import HeaderCell, Metric, TableLayout

_LETTERS = "Letters and arrows compare columns of one weight."


def by_weight(layouts: Mapping[str, TableLayout]) -> TableLayout:
    """The tables beside each other, the columns of each in a group of its name.

    layouts: by the names of their weights, before they are arranged. Rows have one unweighted base
    for all weights, where it is the same; a weighted one is in none of them.
    """
    parts = list(layouts.values())
    first = parts[0]
    if len(parts) == 1:
        return first
    labels = (each.weighted_base for each in parts if each.weighted_base)
    return replace(
        first,
        stub=tuple(map(_common_row, zip(*(each.stub for each in parts), strict=True))),
        banner=tuple(
            replace(cell, groups=(weight, *cell.groups))
            for weight, each in layouts.items()
            for cell in each.banner
        ),
        repeated=len(parts),
        metrics=tuple(map(_beside, zip(*(each.metrics for each in parts), strict=True))),
        own_bases=any(each.own_bases for each in parts),
        weighted_base=next(labels, ""),
        marks=_joined([each.marks for each in parts], parts),
        reasons=_joined([each.reasons for each in parts], parts),
        facts=tuple(fact for fact in first.facts if all(fact in each.facts for each in parts)),
        notes=(
            *_said(layouts, [each.notes for each in parts]),
            *([_LETTERS] if any(each.marks for each in parts) else []),
        ),
        missing=_missing(parts),
        about=replace(first.about, weight=", ".join(layouts)),
    )


def _common_row(cells: Sequence[HeaderCell]) -> HeaderCell:
    """A row with the bases that it has by every weight."""
    first = cells[0]
    bases = {
        name: getattr(first, name)
        if len({getattr(each, name) for each in cells}) == 1
        else float("nan")
        for name in ("size", "sample", "base_size", "base_sample")
    }
    return replace(first, **bases)


def _beside(metrics: Sequence[Metric]) -> Metric:
    under = [each.under for each in metrics if each.under is not None]
    return replace(
        metrics[0],
        values=np.hstack([each.values for each in metrics]),
        under=np.hstack(under) if len(under) == len(metrics) else None,
    )


def _joined(
    blocks: Sequence[tuple[tuple[str, ...], ...]], parts: Sequence[TableLayout]
) -> tuple[tuple[str, ...], ...]:
    """Words of the cells beside each other, "" for those of a table without any."""
    if not any(blocks):
        return ()
    filled = [
        block or tuple(("",) * len(each.banner) for _ in each.stub)
        for block, each in zip(blocks, parts, strict=True)
    ]
    return tuple(sum(rows, ()) for rows in zip(*filled, strict=True))


def _said(weights: Iterable[str], notes: Sequence[Sequence[str]]) -> list[str]:
    """Each note once; one that is not about all weights with those that it is about."""
    said: list[str] = []
    for note in dict.fromkeys(note for each in notes for note in each):
        about = [weight for weight, each in zip(weights, notes, strict=True) if note in each]
        said.append(note if len(about) == len(notes) else f"{', '.join(about)}: {note}")
    return said


def _missing(parts: Sequence[TableLayout]) -> tuple[Gap, ...]:
    found: dict[str, list[tuple[int | None, int | None]]] = {}
    before = 0
    for each in parts:
        for gap in each.missing:
            moved = gap.moved(range(len(each.stub)), before)
            found.setdefault(gap.reason, []).extend(moved.cells)
        before += len(each.banner)
    return tuple(Gap(reason, tuple(dict.fromkeys(cells))) for reason, cells in found.items())
