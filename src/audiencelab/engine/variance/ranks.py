"""Degrees of freedom by replicate weights: of some respondents, the rank of their weights, less 1.

As R's `degf` of a subset, which takes the rank of `qr(weights, tol = 1e-5)`: replicate by
replicate, one counts if what the earlier ones do not explain of it is at least 1e-5 of its length.
What is left of the squared lengths are the pivots of a Cholesky factor of the replicates' products,
which add up over respondents, so those of two sets together are had from those of each.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from itertools import combinations, islice

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

_MOST_KEPT = 1 << 16
"""Ranks that a wave keeps."""

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
    found = _Sets(frame, sets).pairs()
    return np.maximum(found - 1.0, 0.0)[np.ix_(which, which)]


def _different(inside: Flags) -> tuple[Flags, Places]:
    """The different ones of some sets, and which of them each set is."""
    keys = [each.tobytes() for each in np.packbits(inside, axis=1)]
    places = {key: at for at, key in enumerate(dict.fromkeys(keys))}
    first = [keys.index(key) for key in places]
    return inside[first], np.array([places[key] for key in keys], np.intp)


class _Sets:
    """Different sets of respondents, and the rank of each: float64[sets]."""

    def __init__(self, frame: WaveFrame, sets: Flags) -> None:
        replicates = frame.wave.design.replicates
        assert replicates is not None
        self._weights = np.asarray(replicates.weights)
        # Squares of tiny weights would be 0.
        self._scale = float(self._weights.max(initial=0)) or 1.0
        self._kept = frame.ranks
        self._products: dict[int, Floats] = {}
        self._sets = sets
        everyone = np.ones(frame.respondents, dtype=bool)
        self._most = self._rank(everyone, len(self._weights))
        self._most = self._rank(np.logical_or.reduce(sets), self._most)
        self.ranks = np.array([self._rank(each, self._most) for each in sets], np.float64)

    def pairs(self) -> Floats:
        """Of every two sets together, float64[sets, sets]."""
        found = np.maximum(self.ranks[:, None], self.ranks)
        # To a set of the rank of all together no other adds anything.
        some = np.flatnonzero(self.ranks < self._most).tolist()
        most = int(_MOST_STEPS / len(self._weights) ** 3)
        # Each rank takes steps of the order of the cube of the number of replicates.
        for one, other in islice(combinations(some, 2), most):
            both = self._sets[one] | self._sets[other]
            rank = self._once(both, lambda one=one, other=other: self._of_both(one, other))
            found[one, other] = found[other, one] = rank
        return found

    def _of_both(self, one: int, other: int) -> int:
        for at in (one, other):
            if at not in self._products:
                self._products[at] = self._multiply(np.flatnonzero(self._sets[at]))
        products = self._products[one] + self._products[other]
        both = np.flatnonzero(self._sets[one] & self._sets[other])
        if both.size:
            # Who is in both sets was multiplied twice.
            products = products - self._multiply(both)
        # Two sets together have at most the rank of both added up.
        return _rank(products, min(self._most, int(self.ranks[one] + self.ranks[other])))

    def _rank(self, inside: Flags, most: int) -> int:
        """Of some respondents; most: an upper bound."""

        def computed() -> int:
            members = np.flatnonzero(inside)
            bound = min(most, len(members))
            some = members[:: max(1, len(members) // (_MORE + len(self._weights)))]
            # Fewer respondents never have a higher rank, so a part that reaches the bound settles
            # it.
            if len(some) < len(members) and _rank(self._multiply(some), bound) == bound:
                return bound
            return _rank(self._multiply(members), bound)

        return self._once(inside, computed)

    def _once(self, inside: Flags, compute: Callable[[], int]) -> int:
        """A rank, which the wave keeps."""
        key = blake2b(np.packbits(inside).tobytes(), digest_size=16).digest()
        rank = self._kept.get(key)
        if rank is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            rank = self._kept[key] = compute()
        return rank

    def _multiply(self, members: Places) -> Floats:
        """Products of every two replicates, float64[replicates, replicates]."""
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
    # Of length 1 each, so that what is left is the part of it which earlier replicates do not
    # explain.
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
        # The Schur complement: what the replicates of this block do not explain of the later ones.
        left = left[size:, size:] - explained.T @ explained


def _independent(left: Floats) -> Floats:
    """The Cholesky factor of the first replicates, none of which the ones before it explain."""
    size = min(_BLOCK, len(left))
    while size > 1:
        try:
            factor: Floats = np.linalg.cholesky(left[:size, :size]).astype(np.float64)
        except np.linalg.LinAlgError:
            # Half as many: the block goes on to a replicate that earlier ones explain.
            size //= 2
            continue
        if (np.diag(factor) ** 2 >= _DEPENDENT).all():
            return factor
        size //= 2
    return np.sqrt(left[:1, :1])
