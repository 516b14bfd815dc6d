"""Masks within a small base, made short: only the bits of the base's respondents, side by side.

Everything that a table does with a mask costs its length, so a base of few respondents makes a
table cheap once its masks are squeezed. Respondents keep their order, and the weights are taken
by the same rule: counts and sums are those of the long masks, bit for bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.bits import Words, full_mask, pad_weights

__all__ = ["Squeeze"]

_STEPS = tuple(np.uint64(1 << step) for step in range(6))
"""Bits of a word move down by 1, 2, 4 … 32: together by any number of places."""

_MASKS_AT_A_TIME = 16
"""Masks that take every step together: few enough to stay in a second-level cache."""


class Squeeze:
    """Takes masks from all respondents to those of one base.

    base: the mask of all respondents of the base, as short as the others will be.
    """

    def __init__(self, wide: Words) -> None:
        self._wide = wide
        members = np.bitwise_count(wide).astype(np.int64)
        self.respondents = int(members.sum())
        self.base: Words = full_mask(self.respondents)
        first = np.cumsum(members) - members
        # A word's bits begin in one of the squeezed words, and may run over into the next one.
        self._shift = (first % 64).astype(np.uint64)
        self._rest = np.uint64(63) - self._shift
        self._target, self._run = np.unique(first // 64, return_index=True)
        self._moves = _moves(wide)

    def masks(self, wide: Words) -> Words:
        """The masks uint64[masks, words], within the base: uint64[masks, words of the base]."""
        words = len(self.base)
        squeezed = np.zeros((len(wide), words + 2), dtype=np.uint64)
        for start in range(0, len(wide), _MASKS_AT_A_TIME):
            stop = start + _MASKS_AT_A_TIME
            self._append(self._within_words(wide[start:stop]), squeezed[start:stop])
        return squeezed[:, :words]

    def weights(self, wide: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights of the base, as `kernel.pair_tables` takes them."""
        octets = np.ascontiguousarray(self._wide).view(np.uint8)
        members = np.unpackbits(octets, bitorder="little").view(np.bool_)
        return pad_weights(wide.reshape(-1)[members], len(self.base))

    def _within_words(self, wide: Words) -> Words:
        """The base's bits of each word at its lower end."""
        squeezed = wide & self._wide
        moved = np.empty_like(squeezed)
        for step, moves in zip(_STEPS, self._moves, strict=True):
            np.bitwise_and(squeezed, moves, out=moved)
            squeezed ^= moved
            moved >>= step
            squeezed |= moved
        return squeezed

    def _append(self, pieces: Words, squeezed: Words) -> None:
        """The pieces of all words one behind the other."""
        if not len(self._run):
            return
        here = np.bitwise_or.reduceat(pieces << self._shift, self._run, axis=1)
        # Shifted by 64 - shift, in two steps: a shift by 64 at once is not defined.
        beyond = np.bitwise_or.reduceat(pieces >> np.uint64(1) >> self._rest, self._run, axis=1)
        squeezed[:, self._target] |= here
        squeezed[:, self._target + 1] |= beyond


def _moves(wide: Words) -> list[Words]:
    """Which bits of each word move down in each step, so that those of the base close ranks.

    Warren, Hacker's Delight, section 7-4: a bit moves by the number of gaps below it.
    """
    moves: list[Words] = []
    left, gaps = wide.copy(), ~wide << np.uint64(1)
    for step in _STEPS:
        odd = gaps.copy()
        for shift in _STEPS:
            odd ^= odd << shift
        moving = odd & left
        moves.append(moving)
        left = (left ^ moving) | (moving >> step)
        gaps &= ~odd
    return moves
