"""The kernels: the same counts and sums as plain loops, bit for bit, in any order of blocks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from audiencelab.engine import kernel
from audiencelab.engine.bitset import pad_weights
from audiencelab.engine.kernel import blas_on_one_core
from audiencelab.survey.answers import pack

GRID = 2.0**-20


@dataclass(frozen=True)
class Table:
    """Masks of rows and columns as booleans, and the weights of the respondents, on the grid."""

    rows: np.ndarray
    columns: np.ndarray
    weights: np.ndarray

    def naive(self) -> tuple[list[list[int]], list[list[float]]]:
        """Counts, and sums in whole steps of the grid, which Python adds without any rounding."""
        steps = [int(weight / GRID) for weight in self.weights.tolist()]
        both = [[row & column for column in self.columns] for row in self.rows]
        counts = [[int(cell.sum()) for cell in cells] for cells in both]
        sums = [[sum(steps[who] for who in np.flatnonzero(c)) * GRID for c in cs] for cs in both]
        return counts, sums

    def part(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        """The table of some respondents, by the kernel in use."""
        rows, columns = pack(self.rows[:, start:stop]), pack(self.columns[:, start:stop])
        weights = pad_weights(self.weights[start:stop], rows.shape[1])
        counts, sums = kernel.totals(rows, weights)
        paired = kernel.pair_tables(rows, pack(np.ones((1, stop - start), bool)), weights)
        assert counts.tolist() == paired[0][:, 0].tolist()
        assert sums.tolist() == paired[1][:, 0].tolist()
        return kernel.pair_tables(rows, columns, weights)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    respondents = draw(st.integers(1, 1_500))
    rows, columns = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    density = draw(st.sampled_from([0.02, 0.3, 0.6, 1.0]))
    return Table(
        random.random((rows, respondents)) < random.random((rows, 1)) * density,
        random.random((columns, respondents)) < random.random((columns, 1)) * density,
        random.integers(0, 2**32, respondents) * GRID,
    )


@contextmanager
def using(way: object, cores: int = 1, block: int = 512) -> Iterator[None]:
    """Within: that kernel (None: numpy's), on so many cores, in blocks of that length."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "_compiled", way)
        patch.setattr(kernel, "available_cores", lambda: cores)
        patch.setattr(kernel, "_LEAST_BITS", 1)
        patch.setattr(kernel, "_COUNT_WORDS", block)
        patch.setattr(kernel, "_UNPACKED_BYTES", block * 10_000)
        yield


@settings(max_examples=40)
@given(tables(), st.sampled_from([1, 2, 3, 5]), st.sampled_from([1, 7, 512]), st.data())
def test_every_kernel_gives_the_naive_table(
    table: Table, cores: int, block: int, data: st.DataObject
) -> None:
    counts, sums = table.naive()
    respondents = len(table.weights)
    cut = data.draw(st.integers(0, respondents), label="where the respondents are divided")
    for way in {None, kernel.wait_for_compiled()}:
        with using(way, cores, block):
            whole = table.part(0, respondents)
            parts = table.part(0, cut), table.part(cut, respondents)
        assert whole[0].tolist() == counts
        assert whole[1].tolist() == sums
        assert (parts[0][0] + parts[1][0]).tolist() == counts
        assert (parts[0][1] + parts[1][1]).tolist() == sums


@pytest.mark.parametrize("words", [0, 1, 33, 2_500])
def test_the_kernels_agree_on_any_number_of_words(words: int) -> None:
    random = np.random.default_rng(words)
    # From masks of nobody to masks of everybody: the compiled kernel treats the fuller ones apart.
    masks = pack(random.random((9, words * 64)) < np.linspace(0, 1, 9)[:, np.newaxis])
    weights = random.integers(1, 2**30, (words, 64)) / 2**20
    found = []
    for way in (None, kernel.wait_for_compiled()):
        with using(way):
            tables = kernel.totals(masks, weights), kernel.pair_tables(masks, masks[2:7], weights)
            found.append([array.tobytes() for table in tables for array in table])
    assert found[0] == found[1]


@pytest.mark.parametrize("setting", ["", "numpy"])
def test_the_compiled_kernel_is_loaded_where_it_is_worth_it_and_may_be_declined(
    setting: str,
) -> None:
    code = """
import sys
from audiencelab.engine import kernel
with kernel.prepare(1_000_000, 10, 10):
    pass
assert "numba" not in sys.modules
with kernel.prepare(1_000_000, 1_000, 1_000):
    print("numba" in sys.modules)
"""
    environment = {**os.environ, kernel.KERNEL_VARIABLE: setting}
    expected = setting != "numpy" and find_spec("numba") is not None
    assert run_python(code, environment).strip() == str(expected)


def test_a_compiled_kernel_that_cannot_be_loaded_is_reported() -> None:
    # As with a numba that does not fit the processor: it is installed, and cannot be imported.
    told = run_python(
        """
import logging, sys
logging.basicConfig(stream=sys.stdout, format="%(message)s")
sys.modules["audiencelab.engine.kernel.numba_kernel"] = None
from audiencelab.engine import kernel
assert kernel.wait_for_compiled() is None
""",
        {name: value for name, value in os.environ.items() if name != kernel.KERNEL_VARIABLE},
    )
    expected = ["The compiled kernel could not be loaded; numpy is used."]
    assert told.splitlines()[:1] == (expected if find_spec("numba") else [])


def test_no_more_cores_are_taken_than_are_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    def granted(limit: str) -> int:
        monkeypatch.setenv("OMP_NUM_THREADS", limit)
        return kernel.available_cores.__wrapped__()

    every = granted("")
    assert granted("1") == 1
    assert granted("1000") == granted("0") == granted("many") == every >= 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    """Threads are not copied: work given to those of the first process would never begin."""
    run_python("""
import os, signal
from audiencelab.engine import kernel

def table():
    return sum(kernel._by_core(lambda start, stop: stop - start, 1_000_000, 10))

kernel.available_cores = lambda: 2
assert table() == 1_000_000
child = os.fork()
if not child:
    signal.alarm(20)
    os._exit(0 if table() == 1_000_000 else 1)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
assert code == 0, f"the child ended with {code}"
""")


def blas_threads() -> list[int]:
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]


def the_last_one_out_restores_the_setting() -> None:
    before = blas_threads()
    with blas_on_one_core():
        with blas_on_one_core():
            assert set(blas_threads()) <= {1}
        assert set(blas_threads()) <= {1}
    assert blas_threads() == before


def an_error_restores_it_too() -> None:
    before = blas_threads()
    with pytest.raises(ValueError, match="mismatch"), blas_on_one_core():
        _ = np.ones((2, 3)) @ np.ones((2, 3))
    assert blas_threads() == before


def a_table_leaves_nothing_behind() -> None:
    before = blas_threads()
    masks = np.full((3, 2_000), 7, np.uint64)
    counts, _ = kernel.pair_tables(masks, masks, np.ones((2_000, 64)))
    assert counts.tolist() == [[6_000] * 3] * 3
    assert blas_threads() == before


@pytest.mark.parametrize(
    "check",
    [
        the_last_one_out_restores_the_setting,
        an_error_restores_it_too,
        a_table_leaves_nothing_behind,
    ],
    ids=lambda check: check.__name__,
)
def test_blas_on_one_core(check: Callable[[], None]) -> None:
    """In a process of its own: the setting is the process's, and other tests may be inside."""
    run_python(f"from {check.__module__} import {check.__name__}; {check.__name__}()")


def run_python(code: str, environment: dict[str, str] | None = None) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout
