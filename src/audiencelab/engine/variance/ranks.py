"""Degrees of freedom by replicate weights: of some respondents, the rank of their weights, less 1.

As R's `degf` of a subset, which takes the rank of `qr(weights, tol = 1e-5)`: replicate by
replicate, one counts if what the earlier ones do not explain of it is at least 1e-5 of its length.
What is left of the squared lengths are the pivots of a Cholesky factor of the replicates' products,
which add up over respondents, so those of two sets together are had from those of each.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from audiencelab.engine.masks import WaveFrame
from audiencelab.engine.variance.design import Flags, Floats, Places

_DEPENDENT = 1e-10
"""The part of a squared length at which what is left of a replicate is rounding, as in R."""

_BLOCK = 64
"""Replicates whose pivots are computed together."""

_MORE = 50
"""Of so many respondents more than replicates, the rank is mostly that of all."""

_AT_A_TIME = 1 << 22
"""Weights that are multiplied together: 32 MB."""

_MOST_PRODUCTS = 1 << 24
"""Products of replicates, of all sets whose pairs are computed, in memory at once: 128 MB."""

_MOST_STEPS = 3e10
"""Multiplications for the ranks of pairs, about 3 seconds."""


def freedom_of(frame: WaveFrame, inside: Flags) -> Floats:
    """Of sets of a wave's respondents, bool[sets, respondents]: float64[sets]. Empty: 0."""
    sets, which = _different(inside)
    return np.maximum(_Sets(frame, sets).ranks - 1.0, 0.0)[which]


def freedom_of_pairs(frame: WaveFrame, inside: Flags) -> Floats:
    """Of every two sets together, float64[sets, sets].

    Where sets are too many, two of them have the degrees of freedom of the larger, which is fewer
    than they may have.
    """
    sets, which = _different(inside)
    found = _Sets(frame, sets, pairs=True).pairs()
    return np.maximum(found - 1.0, 0.0)[np.ix_(which, which)]


def _different(inside: Flags) -> tuple[Flags, Places]:
    """The different ones of some sets, and which of them each set is."""
    keys = [each.tobytes() for each in np.packbits(inside, axis=1)]
    places = {key: at for at, key in enumerate(dict.fromkeys(keys))}
    first = [keys.index(key) for key in places]
    return inside[first], np.array([places[key] for key in keys], np.intp)


class _Sets:
    """Different sets of respondents, and the rank of each: float64[sets]."""

    def __init__(self, frame: WaveFrame, sets: Flags, *, pairs: bool = False) -> None:
        replicates = frame.wave.design.replicates
        assert replicates is not None
        self._weights = np.asarray(replicates.weights)
        # Squares of tiny weights would be 0.
        self._scale = float(self._weights.max(initial=0)) or 1.0
        self._sets = sets
        count = len(self._weights)
        if frame.rank is None:
            frame.rank, _ = self._rank(np.ones(frame.respondents, dtype=bool), count)
        self._most, _ = self._rank(np.logical_or.reduce(sets), frame.rank)
        self.ranks = np.zeros(len(sets))
        self._known: dict[int, Floats] = {}
        for at, members in enumerate(sets):
            rank, products = self._rank(members, self._most)
            self.ranks[at] = rank
            # To one of the rank of all together no other adds anything.
            room = (len(self._known) + 1) * count**2 <= _MOST_PRODUCTS
            if products is not None and pairs and rank < self._most and room:
                self._known[at] = products

    def pairs(self) -> Floats:
        """Of every two sets together, float64[sets, sets]."""
        found = np.maximum(self.ranks[:, None], self.ranks)
        for one, other in self._unknown():
            products = self._known[one] + self._known[other]
            both = np.flatnonzero(self._sets[one] & self._sets[other])
            if both.size:
                products = products - self._products(both)
            most = min(self._most, int(self.ranks[one] + self.ranks[other]))
            found[one, other] = found[other, one] = _rank(products, most)
        return found

    def _unknown(self) -> Iterator[tuple[int, int]]:
        sets, steps = list(self._known), 0.0
        for place, one in enumerate(sets):
            for other in sets[:place]:
                steps += len(self._weights) ** 3
                if steps > _MOST_STEPS:
                    return
                yield one, other

    def _rank(self, inside: Flags, most: int) -> tuple[int, Floats | None]:
        """Of some respondents, with the products where they were needed; most: an upper bound."""
        members = np.flatnonzero(inside)
        most = min(most, len(members))
        some = members[:: max(1, len(members) // (_MORE + len(self._weights)))]
        if len(some) < len(members) and _rank(self._products(some), most) == most:
            return most, None
        products = self._products(members)
        return _rank(products, most), products

    def _products(self, members: Places) -> Floats:
        """Of every two replicates, float64[replicates, replicates]."""
        count = len(self._weights)
        found, step = np.zeros((count, count)), max(1, _AT_A_TIME // count)
        for start in range(0, len(members), step):
            some = self._weights[:, members[start : start + step]] / self._scale
            found += some @ some.T
        return found


def _rank(products: Floats, most: int) -> int:
    """How many replicates are not explained by earlier ones; most: an upper bound."""
    lengths = np.sqrt(np.diag(products))
    some = lengths > 0
    left = products if some.all() else products[np.ix_(some, some)]
    left = left / lengths[some] / lengths[some, None]
    found = 0
    while True:
        # What is left of a replicate only falls, so that one which is explained stays so.
        some = np.diag(left) >= _DEPENDENT
        if not some.all():
            left = left[np.ix_(some, some)]
        if not len(left):
            return found
        factor = _independent(left[: most - found, : most - found])
        size = len(factor)
        found += size
        if found == most:
            return found
        explained = np.linalg.solve(factor, left[:size, size:])
        left = left[size:, size:] - explained.T @ explained


def _independent(left: Floats) -> Floats:
    """The Cholesky factor of the first replicates, none of which the ones before it explain."""
    size = min(_BLOCK, len(left))
    while size > 1:
        try:
            factor: Floats = np.linalg.cholesky(left[:size, :size]).astype(np.float64)
        except np.linalg.LinAlgError:
            size //= 2
            continue
        if (np.diag(factor) ** 2 >= _DEPENDENT).all():
            return factor
        size //= 2
    return np.sqrt(left[:1, :1])
