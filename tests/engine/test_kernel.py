"""The kernel: the same counts and sums as plain loops, exact in any order of blocks."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiencelab.engine import kernel
from audiencelab.engine.bitset import pad_weights
from audiencelab.engine.kernel import numpy_kernel, parallel
from tests.engine.test_bits import pack

Ways = list[kernel.Kernel]


@pytest.fixture(scope="module")
def ways() -> Ways:
    """Every way there is: numpy's, and the compiled one where numba is installed."""
    compiled = kernel.wait_for_compiled()
    return [numpy_kernel] if compiled is None else [numpy_kernel, compiled]


@settings(max_examples=40)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 300), st.integers(0, 2**32 - 1))
def test_pairs_are_what_loops_find(
    ways: Ways, rows: int, columns: int, respondents: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    left = random.random((rows, respondents)) < random.random((rows, 1))
    right = random.random((columns, respondents)) < 0.6
    weights = random.integers(0, 10_000, respondents) / 16
    words = pack(left).shape[1]
    for way in ways:
        counts, sums = way.pair_tables(pack(left), pack(right), pad_weights(weights, words))
        for row in range(rows):
            for column in range(columns):
                both = left[row] & right[column]
                assert counts[row, column] == both.sum()
                assert sums[row, column] == weights[both].sum()


@pytest.mark.parametrize("words", [1, 31, 33, 2_500])
def test_every_way_gives_the_same_bits(ways: Ways, words: int) -> None:
    random = np.random.default_rng(words)
    # From masks of nobody to masks of everybody: the compiled way treats the fuller ones apart.
    shares = np.linspace(0, 1, 9)[:, np.newaxis]
    masks = pack(random.random((9, words * 64)) < shares)
    weights = random.integers(1, 2**30, (words, 64)) / 2**20
    expected = numpy_kernel.pair_tables(masks, masks[2:7], weights)
    for way in ways:
        found = way.pair_tables(masks, masks[2:7], weights)
        assert np.array_equal(found[0], expected[0])
        assert np.array_equal(found[1], expected[1])


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 1.0])
def test_a_base_of_any_size_changes_no_bit(ways: Ways, share: float) -> None:
    random = np.random.default_rng(11)
    people = random.random(60 * 64) < share
    flags = random.random((7, 60 * 64)) < np.linspace(0.05, 1, 7)[:, np.newaxis]
    weights = random.integers(1, 2**30, (60, 64)) / 2**20
    rows, columns = flags & people, flags[::-1]
    for way in ways:
        counts, sums = way.pair_tables(pack(rows), pack(columns), weights)
        flat = weights.reshape(-1)
        for row, column in np.ndindex(counts.shape):
            both = rows[row] & columns[column]
            assert counts[row, column] == both.sum()
            assert sums[row, column] == flat[both].sum()


@pytest.mark.parametrize("cores", [1, 2, 3, 7])
def test_sharing_among_cores_changes_no_bit(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = pytest.importorskip("audiencelab.engine.kernel.numba_kernel", reason="no numba")
    random = np.random.default_rng(5)
    masks = pack(random.random((6, 300 * 64)) < 0.3)
    weights = random.integers(1, 2**34, (300, 64)) / 2**20
    monkeypatch.setattr(parallel, "_LEAST_BITS", 1)
    monkeypatch.setattr(parallel, "available_cores", lambda: cores)
    found = compiled.pair_tables(masks, masks, weights)
    expected = numpy_kernel.pair_tables(masks, masks, weights)
    assert np.array_equal(found[0], expected[0])
    assert np.array_equal(found[1], expected[1])


@pytest.mark.parametrize("budget", [1, 100_000, 1 << 30])
def test_block_length_changes_no_bit_of_any_sum(
    budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(3)
    flags = random.random((12, 20_000)) < 0.3
    # On a grid of 2^-20 with a total under 2^53 grid steps, as every survey's weights are.
    weights = random.integers(1, 2**34, 20_000) / 2**20
    masks = pack(flags)
    padded = pad_weights(weights, masks.shape[1])
    expected = numpy_kernel.pair_tables(masks, masks, padded)
    monkeypatch.setattr(numpy_kernel, "_UNPACKED_BYTES", budget)
    monkeypatch.setattr(numpy_kernel, "_COUNT_WORDS", max(1, budget % 97))
    found = numpy_kernel.pair_tables(masks, masks, padded)
    assert np.array_equal(found[0], expected[0])
    assert np.array_equal(found[1], expected[1])
    shuffled = random.permutation(masks.shape[1])
    turned = numpy_kernel.pair_tables(masks[:, shuffled], masks[:, shuffled], padded[shuffled])
    assert np.array_equal(turned[1], expected[1])


def test_no_words_give_zeros(ways: Ways) -> None:
    nothing = np.zeros((2, 0), dtype=np.uint64)
    for way in ways:
        counts, sums = way.pair_tables(nothing, nothing, np.zeros((0, 64)))
        assert not counts.any()
        assert not sums.any()


@pytest.mark.parametrize("setting", ["", "numpy"])
def test_the_compiled_way_is_made_where_it_is_worth_it_and_may_be_declined(setting: str) -> None:
    code = """
import sys
from audiencelab.engine import kernel
from audiencelab.engine.kernel import prepare
with prepare(1_000_000, 10, 10):
    pass
assert kernel._loading is None
with prepare(1_000_000, 100, 100):
    assert kernel._loading is None
assert kernel._loading is not None
with prepare(1_000_000, 1_000, 1_000):
    print(kernel._compiled is not None)
"""
    shown = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, kernel.KERNEL_VARIABLE: setting},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = setting != "numpy" and find_spec("numba") is not None
    assert shown.stdout.strip() == str(expected)


def test_no_more_cores_are_taken_than_are_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    def granted(limit: str) -> int:
        monkeypatch.setenv("OMP_NUM_THREADS", limit)
        return parallel.available_cores.__wrapped__()

    every = granted("")
    assert granted("1") == 1
    assert granted("1000") == granted("0") == granted("many") == every >= 1


def test_a_compiled_way_that_cannot_be_made_is_done_without_and_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # As with a numba that does not fit the processor: it is there, and cannot be imported.
    monkeypatch.setitem(sys.modules, "audiencelab.engine.kernel.numba_kernel", None)
    monkeypatch.delenv(kernel.KERNEL_VARIABLE, raising=False)
    monkeypatch.setattr(kernel, "_loading", None)
    monkeypatch.setattr(kernel, "_compiled", None)
    assert kernel.wait_for_compiled() is None
    expected = ["The compiled kernel could not be loaded; numpy is used."]
    assert caplog.messages == (expected if find_spec("numba") else [])
