"""Weights fitted to margins: the arithmetic of raking, on arrays alone.

Iterative proportional fitting (Deming and Stephan 1940): the weights are scaled to each margin in
turn until all of them hold. With limits, weights are cut to them within every step, so that what
is cut goes to the other respondents of the category and all margins hold at the end: the weights
w = min(max(d·f, least), most) of R's `calibrate(…, calfun = "raking", bounds.const = TRUE)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from audiencelab.survey.weights import Weights

ITERATIONS = 1000
_TOLERANCE = 1e-9
"""The most that a margin may differ from its target, as a share of the whole."""

_EXACT = 1e-13
"""Where fitting ends: nothing but rounding is left."""

_SOLVING = 200

Categories = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
FittedMargin = tuple[Categories, Floats]
"""The category of each respondent, intp[n], and the target of each category, float64[k]."""


@dataclass(frozen=True, slots=True)
class FittedWeights:
    """Fitted weights. errors: the largest difference of each margin from its target, as a share."""

    weights: Weights
    iterations: int
    errors: tuple[float, ...]

    @property
    def max_error(self) -> float:
        """The largest difference of a margin from its target, as a share."""
        return max(self.errors)

    @property
    def converged(self) -> bool:
        """Whether the weights meet every target within the tolerance."""
        return self.max_error <= _TOLERANCE


def rake_weights(
    weights: Weights,
    margins: Sequence[FittedMargin],
    *,
    min_weight: float = 0.0,
    max_weight: float | None = None,
    iterations: int = ITERATIONS,
) -> FittedWeights:
    """Fit weights to margins.

    weights: float64[n]; weights of 0 stay 0.
    margins: for each, the category of each respondent, intp[n], and the target sum of the
        weights of each category, float64[k]. The targets of all margins have the same sum, and
        every category with a target has some weight.
    min_weight, max_weight: the limits of the weights.
    iterations: the most iterations.
    """
    most = np.inf if max_weight is None else max_weight
    cells = _Cells(weights.astype(np.float64), margins, min_weight, most)
    done, errors = 0, [np.inf]
    # Margins that contradict each other never converge, so the rounds are limited.
    while max(errors) > _EXACT and done < iterations and cells.reach():
        done += 1
        for margin in range(len(margins)):
            cells.scale(margin)
        # After the whole round: fitting a later margin moves the sums of the earlier ones.
        before, errors = errors, cells.errors()
        # Rounding does not become less, and ends the rounds where nothing else is left.
        if max(errors) <= _TOLERANCE and max(errors) >= max(before):
            break
    return FittedWeights(cells.fitted(), done, tuple(cells.errors()))


class _Cells:
    """Respondents of the same categories, whose weights have the same factor at every step.

    With limits they have the same weight too, since limits act on the weight of a respondent.
    """

    def __init__(
        self, weights: Weights, margins: Sequence[FittedMargin], least: float, most: float
    ) -> None:
        self._weights, self._least, self._most = weights, least, most
        self._people: Floats
        self._start: Floats
        self._limited = least > 0 or most < np.inf
        number = np.zeros(len(weights), np.int64)
        parts = [categories for categories, _ in margins]
        own = [np.unique(weights, return_inverse=True)[1]] if self._limited else []
        for part in [*parts, *own]:
            # Numbered again in each step, so that they stay below the square of the respondents.
            number = np.unique(number * (int(part.max()) + 1) + part, return_inverse=True)[1]
        _, first, self._cell, people = np.unique(
            number, return_index=True, return_inverse=True, return_counts=True
        )
        self._categories = [part[first] for part in parts]
        self._targets = [targets for _, targets in margins]
        self._total = float(self._targets[0].sum())
        if self._limited:
            self._people, self._start = people.astype(np.float64), weights[first]
        else:
            # The weight of a cell as a whole.
            self._people = np.ones(len(first))
            self._start = np.bincount(self._cell, weights, len(first)).astype(np.float64)
        self._factors = np.ones(len(first))

    def fitted(self) -> Weights:
        """The weights of all respondents."""
        return self._held(self._weights, self._weights * self._factors[self._cell])

    def errors(self) -> list[float]:
        """The largest difference of each margin from its target, as a share of the whole."""
        sums = self._people * self._held(self._start, self._start * self._factors)
        return [
            float(np.abs(np.bincount(categories, sums, len(targets)) - targets).max()) / self._total
            for categories, targets in zip(self._categories, self._targets, strict=True)
        ]

    def reach(self) -> bool:
        """Whether limits leave every target within reach; factors are finite then."""
        if not self._limited:
            return True
        room = _TOLERANCE * self._total
        able = self._people * (self._start > 0)
        for categories, targets in zip(self._categories, self._targets, strict=True):
            people = np.bincount(categories, able, len(targets))
            most = np.where(people > 0, np.maximum(people, 1) * self._most, 0)
            if (targets > most + room).any() or (targets < people * self._least - room).any():
                return False
        return True

    def scale(self, margin: int) -> None:
        """Scale the weights to one margin."""
        categories, targets = self._categories[margin], self._targets[margin]
        now = self._start * self._factors
        sums = np.bincount(categories, self._people * now, len(targets))
        factors = np.divide(targets, sums, out=np.zeros_like(targets), where=sums > 0)
        if self._limited:
            factors = self._limited_factors(now, categories, targets, factors)
        self._factors *= factors[categories]

    def _limited_factors(
        self, now: Floats, categories: Categories, targets: Floats, factors: Floats
    ) -> Floats:
        """The factors by which the weights within the limits sum to the targets.

        A sum grows in straight pieces with its factor: Newton's steps, and halves where one leaves
        the bounds that are known. On the right piece a step is exact.
        """
        k = len(targets)
        low, high, before = np.zeros(k), np.full(k, np.inf), np.empty(0)
        exact = np.zeros(k, np.bool_)
        for _ in range(_SOLVING):
            tried = now * factors[categories]
            held = self._held(self._start, tried)
            piece = np.sign(tried - held)
            if exact.all() and np.array_equal(piece, before):
                break
            before = piece
            found = np.bincount(categories, self._people * held, k)
            high = np.where(found > targets, np.minimum(high, factors), high)
            low = np.where(found < targets, np.maximum(low, factors), low)
            free = np.bincount(categories, self._people * now * (piece == 0), k)
            fixed = np.bincount(categories, self._people * held * (piece != 0), k)
            step = np.divide(targets - fixed, free, out=np.full(k, np.nan), where=free > 0)
            # Rounding moves a step that is exact by a hair, perhaps out of its bounds.
            exact = (step >= low * (1 - _EXACT)) & (step <= high * (1 + _EXACT))
            # A category that is cut as a whole meets its target, or has a factor of more bounds.
            exact |= (free == 0) & (np.abs(found - targets) <= _EXACT * self._total)
            middle = np.where(np.isinf(high), 2 * factors + (factors == 0), (low + high) / 2)
            factors = np.where(exact, np.where(free > 0, step, factors), middle)
        return factors

    def _held(self, start: Weights, weights: Weights) -> Weights:
        """Weights within the limits; those of 0 stay."""
        if not self._limited:
            return weights
        return np.where(start > 0, np.clip(weights, self._least, self._most), 0.0)


def trimmed(weights: Weights, most: float) -> Weights:
    """Weights cut to `most`, and what is cut spread over the others in equal parts.

    As R's `trimWeights(…, strict = TRUE)`. Margins hold about, not exactly.
    """
    found = weights.copy()
    while (over := found > most).any():
        cut = float((found[over] - most).sum())
        found[over] = most
        others = ~over & (found > 0)
        if not others.any():
            break
        found[others] += cut / np.count_nonzero(others)
    return found


def limits_that_fit(
    weights: Weights, margins: Sequence[FittedMargin], *, least: float
) -> tuple[float, float] | None:
    """The smallest `most` with that `least`; or, with no `most`, the largest `least`.

    None where no weights meet the margins, or where scipy is not there, as in a browser.
    """
    try:
        from scipy.optimize import linprog
        from scipy.sparse import coo_array, hstack, identity, vstack
    except ImportError:  # pragma: no cover - scipy is there on every system but in a browser
        return None
    able = weights > 0
    cells, counts = np.unique(
        np.stack([categories[able] for categories, _ in margins]), axis=1, return_counts=True
    )
    count, people = len(counts), counts.astype(np.float64)
    sums: list[Any] = [
        coo_array((np.ones(count), (part, np.arange(count))), shape=(len(targets), count))
        for part, (_, targets) in zip(cells, margins, strict=True)
    ]
    total = float(margins[0][1].sum())
    wanted = np.concatenate([targets for _, targets in margins]) / total
    # The last variable is the limit of a respondent's weight, and in no margin.
    held: Any = hstack([vstack(sums), coo_array((len(wanted), 1))])

    def solved(sign: float, floor: float) -> float | None:
        """The least limit above all weights (sign 1), or the largest below them (-1)."""
        limit: Any = hstack([sign * identity(count), coo_array(-sign * people[:, None])])
        found: Any = linprog(
            np.append(np.zeros(count), sign),
            A_ub=limit,
            b_ub=np.zeros(count),
            A_eq=held,
            b_eq=wanted,
            bounds=[*((floor / total * each, None) for each in people), (0, None)],
        )
        return float(found.x[-1]) * total if found.status == 0 else None

    if (most := solved(1.0, least)) is not None:
        return least, most
    possible = solved(-1.0, 0.0)
    return None if possible is None else (possible, np.inf)
