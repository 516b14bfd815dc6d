"""Bits of respondents: respondent i is bit i % 64 of word i // 64, little-endian.

The bits past the last respondent are 0 in every row, so that counting needs no mask.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["WORD", "Bits", "Flags", "pack", "unpack", "words_for"]

Bits = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]

WORD = np.dtype("<u8")
"""How a word stands in a file; the same as uint64 on every machine this runs on today."""


def words_for(respondents: int) -> int:
    """Words that a row of that many respondents takes."""
    return -(-respondents // 64)


def pack(flags: Flags) -> Bits:
    """`bool[…, n]` as `uint64[…, words]`."""
    respondents = flags.shape[-1]
    octets = np.packbits(flags, axis=-1, bitorder="little")
    packed = np.zeros((*flags.shape[:-1], words_for(respondents) * 8), np.uint8)
    packed[..., : octets.shape[-1]] = octets
    return packed.view(WORD)


def unpack(bits: Bits, respondents: int) -> Flags:
    """`uint64[…, words]` as `bool[…, n]`."""
    octets = np.ascontiguousarray(bits, dtype=WORD).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=respondents, bitorder="little").view(np.bool_)
