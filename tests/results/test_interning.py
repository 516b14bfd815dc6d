"""Tables of the same figures need the memory of one, and neither changes with the other."""

from __future__ import annotations

import gc
import weakref

import numpy as np

import audiencelab as al
from audiencelab.results.cells import FIGURES
from audiencelab.results.crosstab import cells_of, share_cells
from audiencelab.tables import CrosstabResult


def named() -> tuple[al.Audience, ...]:
    return tuple(al.Audience(f"A{n}", None, f"a{n}") for n in range(4))


NAMES = named()


def table(value: float, rows: tuple[al.Audience, ...] = NAMES) -> CrosstabResult:
    made = CrosstabResult(rows, NAMES[:2])
    rows, columns = (places.ravel() for places in np.indices(made.shape))
    cells_of(made).store(rows, columns, np.full((len(rows), len(FIGURES)), value))
    return made


def test_equal_tables_share_their_figures_and_others_do_not() -> None:
    one, same, other = table(1.5), table(1.5), table(2.5)
    for each in (one, same, other):
        share_cells(each)
        share_cells(each)
    assert np.shares_memory(one.values("size"), same.values("size"))
    assert not np.shares_memory(one.values("size"), other.values("size"))
    np.testing.assert_array_equal(other.values("size"), 2.5)


def test_equal_tables_share_what_their_lines_are_and_others_keep_theirs() -> None:
    one, same = table(4.5, named()), table(4.5, named())
    renamed = table(4.5, tuple(each.renamed(f"{each.name}!") for each in NAMES))
    for each in (one, same, renamed):
        share_cells(each)
    assert same.rows is one.rows
    assert same.row_groups is one.row_groups
    assert same.arrived is one.arrived
    assert [row.name for row in renamed.rows] == ["A0!", "A1!", "A2!", "A3!"]


def test_nothing_is_kept_that_nobody_else_holds() -> None:
    gone = table(5.5)
    share_cells(gone)
    figures = weakref.ref(gone.values("size").base)
    assert figures() is not None
    del gone
    gc.collect()
    assert figures() is None


def test_what_is_stored_into_one_is_not_in_the_other() -> None:
    one, same = table(3.5), table(3.5)
    share_cells(one)
    share_cells(same)
    here = np.array([0]), np.array([1])
    cells_of(same).withdraw(*here)
    assert np.isnan(same.values("size")[0, 1])
    assert one.complete
    assert one.arrived.all()
    assert same.missing() == [(0, 1)]
    cells_of(same).store(*here, np.full((1, len(FIGURES)), 7.0))
    assert same.values("size")[0, 1] == 7.0
    np.testing.assert_array_equal(one.values("size"), 3.5)


def test_an_empty_table_can_be_shared() -> None:
    empty = CrosstabResult((), NAMES)
    share_cells(empty)
    assert empty.values("size").shape == (0, 4)
