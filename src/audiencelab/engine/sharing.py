"""How many respondents the figures of a table rest on, for services that withhold those on few."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from audiencelab.engine.bitset import Counts
from audiencelab.engine.nodes import BoundTable
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


def samples_of(tabulator: Tabulator, table: BoundTable) -> Samples:
    """The respondents behind each cell of a table."""
    parts = [
        [each.sample for each in (stripe.base, stripe.row, stripe.column, stripe.intersect)]
        for stripe in tabulate(tabulator, table)
    ]
    return Samples(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def shared_samples(tabulator: Tabulator, table: BoundTable) -> SharedSamples:
    """The respondents behind every two columns of a table in each row."""
    columns = table.columns
    # One table for each column: its pairs with all others, itself among them.
    found = [
        samples_of(tabulator, replace(table, columns=[one & each for each in columns]))
        for one in columns
    ]
    return SharedSamples(
        np.stack([each.column for each in found], axis=1),
        np.stack([each.cell for each in found], axis=1),
    )
