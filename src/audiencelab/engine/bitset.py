"""Operations on packed masks: one bit per respondent, 64 to a little-endian `uint64` word.

A mask of n respondents has ceil(n / 64) words; the padding bits past the last respondent are 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audiencelab.survey.answers import words_for

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]
Sums = NDArray[np.float64]

_ALL_ONES = np.uint64(0xFFFF_FFFF_FFFF_FFFF)

_SHIFTS = tuple(np.uint64(1 << step) for step in range(6))
"""Moves of 1, 2, 4 … 32 bits; together they reach any distance within a word."""

_MASKS_AT_A_TIME = 16
"""Masks compacted together: few enough to stay in a second-level cache."""


def full_mask(respondents: int) -> Words:
    """The mask of all respondents."""
    words = np.full(words_for(respondents), _ALL_ONES, dtype=np.uint64)
    if spare := -respondents % 64:
        words[-1] >>= np.uint64(spare)
    return words


def pad_weights(weights: NDArray[np.float64], words: int) -> NDArray[np.float64]:
    """The weights as float64[words, 64], zero for the padding bits of the last word."""
    padded = np.zeros(words * 64, dtype=np.float64)
    padded[: len(weights)] = weights
    return padded.reshape(words, 64)


def hold_at_least(count: int, masks: Sequence[Words]) -> Words:
    """Respondents who are in at least `count` of the masks; of a single mask, the mask itself.

    The masks are added in bit-sliced counters, 64 respondents at a time: n masks cost about
    n × log2(n) word operations, and no integer is stored per respondent.
    """
    if count > len(masks):
        return np.zeros_like(masks[0])
    if len(masks) == 1:
        return masks[0]
    if count <= 1:
        return np.bitwise_or.reduce(masks, axis=0)
    if count == len(masks):
        return np.bitwise_and.reduce(masks, axis=0)
    # Plane i holds bit i of every respondent's number of masks.
    planes = [np.zeros_like(masks[0]) for _ in range(len(masks).bit_length())]
    for mask in masks:
        carry = mask
        for at, plane in enumerate(planes):
            # A half adder for 64 respondents at once; the last plane leaves no carry.
            planes[at], carry = plane ^ carry, plane & carry
    # The numbers are compared with `count` from the highest bit down.
    above, equal = np.zeros_like(masks[0]), np.full_like(masks[0], _ALL_ONES)
    for bit in reversed(range(len(planes))):
        if count >> bit & 1:
            equal &= planes[bit]
        else:
            above |= equal & planes[bit]
            equal &= ~planes[bit]
    # Padding bits have a count of 0, below any count that gets here.
    return above | equal


class MaskCompactor:
    """Shortens masks to the respondents of one base, which keep their order.

    Everything that a table does with a mask takes time by its length, so a small base makes a
    table cheap. Counts and sums are those of the long masks, bit for bit.

    base: the base's own mask, as short as the others will be.
    """

    def __init__(self, wide: Words) -> None:
        self._wide = wide
        members = np.bitwise_count(wide).astype(np.int64)
        self.respondents = int(members.sum())
        self.base: Words = full_mask(self.respondents)
        first = np.cumsum(members) - members
        # A word's bits begin in one of the short words, and may run over into the next one.
        self._shift = (first % 64).astype(np.uint64)
        self._rest = np.uint64(63) - self._shift
        self._target, self._run = np.unique(first // 64, return_index=True)
        self._moves = _compress_moves(wide)

    def masks(self, wide: Words) -> Words:
        """The masks uint64[masks, words], within the base: uint64[masks, words of the base]."""
        words = len(self.base)
        # Two words more: the last piece may begin past the end, and its upper part one word later.
        short = np.zeros((len(wide), words + 2), dtype=np.uint64)
        for start in range(0, len(wide) if len(self._run) else 0, _MASKS_AT_A_TIME):
            block = slice(start, start + _MASKS_AT_A_TIME)
            pieces = self._compress(wide[block])
            # `reduceat` joins the pieces that begin in the same short word; their bits do not
            # overlap.
            low = np.bitwise_or.reduceat(pieces << self._shift, self._run, axis=1)
            # Shifted by 64 - shift, in two steps: a shift by 64 at once is not defined.
            high = np.bitwise_or.reduceat(pieces >> np.uint64(1) >> self._rest, self._run, axis=1)
            short[block, self._target] |= low
            short[block, self._target + 1] |= high
        return short[:, :words]

    def weights(self, wide: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights float64[words, 64] of the base's respondents, in as many words as `base`."""
        octets = np.ascontiguousarray(self._wide).view(np.uint8)
        members = np.unpackbits(octets, bitorder="little").view(np.bool_)
        return pad_weights(wide.reshape(-1)[members], len(self.base))

    def _compress(self, wide: Words) -> Words:
        """The base's bits of each word, moved to its lower end."""
        short = wide & self._wide
        moved = np.empty_like(short)
        for shift, moves in zip(_SHIFTS, self._moves, strict=True):
            np.bitwise_and(short, moves, out=moved)
            short ^= moved
            moved >>= shift
            short |= moved
        return short


def _compress_moves(wide: Words) -> list[Words]:
    """Which bits of each word move down in each step, so that those of the base close ranks.

    Warren, Hacker's Delight, section 7-4: a bit moves by the number of gaps below it.
    """
    moves: list[Words] = []
    left, gaps = wide.copy(), ~wide << np.uint64(1)
    for step in _SHIFTS:
        odd = gaps.copy()
        for shift in _SHIFTS:
            # Bit i becomes the parity of the gaps at or below it: the prefix XOR in six steps.
            odd ^= odd << shift
        moving = odd & left
        moves.append(moving)
        left = (left ^ moving) | (moving >> step)
        gaps &= ~odd
    return moves
