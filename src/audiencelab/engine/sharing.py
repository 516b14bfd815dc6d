"""How many respondents the figures of a table rest on, for services that withhold those on few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from audiencelab.engine.bitset import Counts
from audiencelab.engine.nodes import Counted, Node, WaveSet
from audiencelab.engine.tabulator import Tabulator, tabulate


class Samples(NamedTuple):
    """Respondents in the base, the row, the column and both, int64[rows, columns]."""

    base: Counts
    row: Counts
    column: Counts
    cell: Counts


class SharedSamples(NamedTuple):
    """Respondents in every two columns, and of these in the row; int64[rows, columns, columns]."""

    columns: Counts
    cell: Counts


def samples_of(
    tabulator: Tabulator,
    rows: Sequence[Counted],
    columns: Sequence[Counted],
    base: Node,
    waves: WaveSet,
) -> Samples:
    """The respondents behind each cell of a table."""
    stripes = tabulate(tabulator, rows, columns, base, waves)
    parts = [
        [each.sample for each in (stripe.base, stripe.row, stripe.column, stripe.intersect)]
        for stripe in stripes
    ]
    return Samples(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def shared_samples(
    tabulator: Tabulator,
    rows: Sequence[Counted],
    columns: Sequence[Counted],
    base: Node,
    waves: WaveSet,
) -> SharedSamples:
    """The respondents behind every two columns of a table in each row."""
    found = [
        samples_of(tabulator, rows, [one & each for each in columns], base, waves)
        for one in columns
    ]
    return SharedSamples(
        np.stack([each.column for each in found], axis=1),
        np.stack([each.cell for each in found], axis=1),
    )
