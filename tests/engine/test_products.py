"""Products keep to one core while somebody is inside, and to what was set before afterwards."""

from __future__ import annotations

import numpy as np
import pytest

from audiencelab.engine.kernel import blocked, products
from audiencelab.engine.kernel.products import on_one_core


def threads() -> list[int]:
    """Of numpy's library; what others loaded later, such as scipy's own, takes no part."""
    known = products._products().info()
    return [each["num_threads"] for each in known if each["user_api"] == "blas"]


def test_the_last_one_out_puts_back_what_was_there() -> None:
    before = threads()
    with on_one_core():
        with on_one_core():
            assert set(threads()) <= {1}
        assert set(threads()) <= {1}
    assert threads() == before


def test_an_error_puts_it_back_too() -> None:
    before = threads()
    with pytest.raises(ValueError, match="mismatch"), on_one_core():
        _ = np.ones((2, 3)) @ np.ones((2, 3))
    assert threads() == before


def test_a_table_leaves_nothing_behind() -> None:
    before = threads()
    masks = np.full((3, 2_000), 7, np.uint64)
    counts, _ = blocked.pair_tables(masks, masks, np.ones((2_000, 64)))
    assert counts.tolist() == [[6_000] * 3] * 3
    assert threads() == before
