"""Operations on packed masks: one bit a respondent, 64 to a `uint64` word, little-endian.

A mask of n respondents has ceil(n / 64) words; the bits past the last respondent are 0 in every
mask, and every operation here keeps them so. Which mask means what is for `masks` to know.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audiencelab.survey.answers import words_for

__all__ = ["Words", "complement", "full_mask", "hold_at_least", "pad_weights"]

Words = NDArray[np.uint64]

_ALL_ONES = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


def full_mask(respondents: int) -> Words:
    """The mask of everyone; padding bits are 0."""
    words = np.full(words_for(respondents), _ALL_ONES, dtype=np.uint64)
    if spare := -respondents % 64:
        words[-1] >>= np.uint64(spare)
    return words


def complement(mask: Words, full: Words) -> Words:
    """Everyone in `full` who is not in `mask`."""
    return full & ~mask


def hold_at_least(count: int, masks: Sequence[Words]) -> Words:
    """Respondents who are in at least `count` of the masks; of a single mask, the mask itself.

    Adds the masks up in binary counters laid across bit planes, 64 respondents at a time, then
    compares the planes with `count`: n masks cost about n × log2(n) word operations, and no
    integer is ever stored for a respondent.
    """
    if count > len(masks):
        return np.zeros_like(masks[0])
    if len(masks) == 1:
        return masks[0]
    if count <= 1:
        return np.bitwise_or.reduce(masks, axis=0)
    if count == len(masks):
        return np.bitwise_and.reduce(masks, axis=0)
    return _planes_at_least(count, _count_planes(masks))


def _count_planes(masks: Sequence[Words]) -> list[Words]:
    """Plane i holds bit i of every respondent's number of masks."""
    planes = [np.zeros_like(masks[0]) for _ in range(len(masks).bit_length())]
    for mask in masks:
        carry = mask.copy()
        for plane in planes:
            overflow = plane & carry
            plane ^= carry
            carry = overflow
    return planes


def _planes_at_least(count: int, planes: list[Words]) -> Words:
    """Compare from the highest bit down: above so far, or equal so far."""
    above = np.zeros_like(planes[0])
    equal = np.full_like(planes[0], _ALL_ONES)
    for bit in reversed(range(len(planes))):
        if count >> bit & 1:
            equal &= planes[bit]
        else:
            above |= equal & planes[bit]
            equal &= ~planes[bit]
    # `equal` began with padding bits set; those respondents have a count of 0, below any count.
    return above | equal


def pad_weights(weights: NDArray[np.float64], words: int) -> NDArray[np.float64]:
    """The weights as float64[words, 64], zero for the padding bits of the last word."""
    padded = np.zeros(words * 64, dtype=np.float64)
    padded[: len(weights)] = weights
    return padded.reshape(words, 64)
