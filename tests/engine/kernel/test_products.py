"""Products keep to one core while somebody is inside, and to what was set before afterwards.

The setting is the process's, and in that of all tests others may be inside: so each of these has a
process of its own.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from audiencelab.engine.kernel import numpy_kernel
from audiencelab.engine.kernel.numpy_kernel import blas_on_one_core


def threads() -> list[int]:
    """Of numpy's library; what others loaded later, such as scipy's own, takes no part."""
    known = numpy_kernel._blas().info()
    return [each["num_threads"] for each in known if each["user_api"] == "blas"]


def the_last_one_out_puts_back_what_was_there() -> None:
    before = threads()
    with blas_on_one_core():
        with blas_on_one_core():
            assert set(threads()) <= {1}
        assert set(threads()) <= {1}
    assert threads() == before


def an_error_puts_it_back_too() -> None:
    before = threads()
    with pytest.raises(ValueError, match="mismatch"), blas_on_one_core():
        _ = np.ones((2, 3)) @ np.ones((2, 3))
    assert threads() == before


def a_table_leaves_nothing_behind() -> None:
    before = threads()
    masks = np.full((3, 2_000), 7, np.uint64)
    counts, _ = numpy_kernel.pair_tables(masks, masks, np.ones((2_000, 64)))
    assert counts.tolist() == [[6_000] * 3] * 3
    assert threads() == before


@pytest.mark.parametrize(
    "held",
    [
        the_last_one_out_puts_back_what_was_there,
        an_error_puts_it_back_too,
        a_table_leaves_nothing_behind,
    ],
    ids=lambda held: held.__name__,
)
def test_alone(held: Callable[[], None]) -> None:
    code = f"from {held.__module__} import {held.__name__}; {held.__name__}()"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
