"""Shares that show moved codes, and changes of opinion that do not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from audiencelab.ingest.drift.shares import moved_codes


def drawn(shares: Sequence[float], rows: int, seed: int) -> dict[str, int]:
    found = np.random.default_rng(seed).multinomial(rows, shares)
    return {f"{code}": int(count) for code, count in enumerate(found, start=1) if count}


@pytest.mark.parametrize("rows", [100, 1_000, 30_000])
@pytest.mark.parametrize("points", [2, 5, 11])
def test_a_change_of_ten_points_is_not_moved_codes(rows: int, points: int) -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        old = 0.1 / points + 0.9 * rng.dirichlet(np.ones(points))
        new = old.copy()
        most = int(old.argmax())
        new[most] -= 0.1
        new[(most + 1 + seed) % points if points > 2 else 1 - most] += 0.1
        new = np.abs(new) / np.abs(new).sum()
        for is_labelled in (False, True):
            found = moved_codes(
                drawn(old.tolist(), rows, seed),
                drawn(new.tolist(), rows, seed + 99),
                is_labelled=is_labelled,
            )
            assert found is None


@pytest.mark.parametrize(("rows", "is_labelled"), [(200, False), (2_000, False), (2_000, True)])
def test_a_scale_from_its_other_end_is_named(rows: int, is_labelled: bool) -> None:
    shares = (0.62, 0.15, 0.1, 0.05, 0.08)
    found = moved_codes(
        drawn(shares, rows, 1), drawn(shares[::-1], rows, 2), is_labelled=is_labelled
    )
    assert found is not None
    assert found.is_turned
    assert (found.reads["1"], found.reads["5"]) == ("5", "1")


@pytest.mark.parametrize("is_labelled", [False, True])
@pytest.mark.parametrize(
    ("old", "new"),
    [((46, 26, 8, 17, 3), (27, 7, 44, 18, 3)), ((5, 11, 20, 41, 22), (28, 35, 22, 8, 6))],
)
def test_an_order_that_explains_a_change_of_thirty_points_is_named(
    old: Sequence[int], new: Sequence[int], is_labelled: bool
) -> None:
    before, now = ({f"{c}": 6 * n for c, n in enumerate(each, start=1)} for each in (old, new))
    found = moved_codes(before, now, is_labelled=is_labelled)
    assert found is not None
    assert found.is_turned == (old[0] == 5)


@pytest.mark.parametrize("rows", [100, 600, 10_000])
def test_a_change_of_fifteen_points_along_a_scale_is_not_moved_codes(rows: int) -> None:
    for seed in range(20):
        old = np.random.default_rng(seed).dirichlet(np.ones(5) * 2)
        # A part of those who gave each answer give the next one.
        part = 0.15 / (1 - old[-1])
        new = old * (1 - part)
        new[1:] += part * old[:-1]
        new[-1] += part * old[-1]
        counts = [drawn(each.tolist(), rows, seed) for each in (old, new)]
        assert moved_codes(*counts, is_labelled=False) is None
        assert moved_codes(*counts, is_labelled=True) is None


def test_shares_that_are_alike_from_both_ends_show_nothing() -> None:
    shares = (0.2, 0.28, 0.24, 0.18, 0.1)
    old, new = drawn(shares, 1_000, 1), drawn(shares[::-1], 1_000, 2)
    assert moved_codes(old, new, is_labelled=False) is None
