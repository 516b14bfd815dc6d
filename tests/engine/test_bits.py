"""Packed operations against the same operations on plain booleans."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.engine.bitset import full_mask, hold_at_least, pad_weights
from audiencelab.survey.answers import words_for


def pack(flags: np.ndarray) -> np.ndarray:
    padded = np.zeros((*flags.shape[:-1], words_for(flags.shape[-1]) * 64), dtype=bool)
    padded[..., : flags.shape[-1]] = flags
    return np.packbits(padded, axis=-1, bitorder="little").view(np.uint64)


@pytest.mark.parametrize("respondents", [1, 63, 64, 65, 128, 1000])
def test_the_full_mask_is_everyone(respondents: int) -> None:
    everyone = full_mask(respondents)
    assert int(np.bitwise_count(everyone).sum()) == respondents


@given(st.integers(1, 9), st.integers(1, 200), st.integers(0, 10), st.integers(0, 2**32 - 1))
def test_at_least_counts_like_a_sum(masks: int, respondents: int, count: int, seed: int) -> None:
    flags = np.random.default_rng(seed).random((masks, respondents)) < 0.5
    wanted = pack(flags.sum(axis=0) >= max(count, 1))
    assert np.array_equal(hold_at_least(count, list(pack(flags))), wanted)


def test_padded_weights_stand_at_their_bits() -> None:
    padded = pad_weights(np.arange(1.0, 71.0), 2)
    assert padded.shape == (2, 64)
    assert padded[1, :7].tolist() == [65.0, 66.0, 67.0, 68.0, 69.0, 70.0, 0.0]
