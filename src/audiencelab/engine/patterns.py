"""Respondents counted by which of several audiences they are in, as bits of a number."""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.masks import Masks
from audiencelab.engine.nodes import BoundTable
from audiencelab.survey.answers import unpack

MOST_AUDIENCES = 64
"""Audiences of one count: the bits of a number."""

Words = NDArray[np.uint64]


class Patterns(NamedTuple):
    """Respondents who could be in every audience, by which of them they are in.

    words: each combination that occurs, ascending; bit i is audience i. weights, samples: weight
    and respondents in exactly that one. divisor: what a sum of weights is divided by for a size.
    base_sample: respondents in the base. asked: of them, those who could be in each audience,
    int64[audiences]. offered: the audiences that some wave offered, bool[audiences].
    """

    words: Words
    weights: NDArray[np.float64]
    samples: NDArray[np.int64]
    divisor: int
    base_sample: int
    asked: NDArray[np.int64]
    offered: NDArray[np.bool_]


def patterns_of(masks: Masks, table: BoundTable) -> Patterns:
    """The patterns of the rows of a table within its base, over all of its waves.

    Sums of weights are exact in any order, so that sums of patterns are the figures of a crosstab.
    """
    words, weights = list[Words](), list[NDArray[np.float64]]()
    base_sample, asked = 0, np.zeros(len(table.rows), np.int64)
    for position in table.positions:
        frame = masks.frame(position)
        base = masks.counted(table.base, position)
        within = [masks.of(row.within, position) & base for row in table.rows]
        base_sample += int(np.bitwise_count(base).sum())
        asked += [int(np.bitwise_count(each).sum()) for each in within]
        counted = unpack(reduce(np.bitwise_and, within, base), frame.respondents)
        found = np.zeros(int(counted.sum()), np.uint64)
        for bit, row in enumerate(table.rows):
            inside = unpack(masks.of(row.node, position), frame.respondents)[counted]
            found |= inside.astype(np.uint64) << np.uint64(bit)
        words.append(found)
        weights.append(frame.weights.reshape(-1)[: frame.respondents][counted])
    every = np.concatenate([np.zeros(0, np.uint64), *words])
    different, which = np.unique(every, return_inverse=True)
    sums: NDArray[Any] = np.bincount(which, np.concatenate([np.zeros(0), *weights]), len(different))
    return Patterns(
        different,
        sums,
        np.bincount(which, minlength=len(different)),
        table.divisor(len(table.positions)),
        base_sample,
        asked,
        np.array([bool(row.offered & table.waves) for row in table.rows], np.bool_),
    )
