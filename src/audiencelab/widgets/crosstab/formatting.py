"""The display settings of a crosstab: metrics, heat map, significance, number format, density.

They are traits of the widget and one value, `Looks`. The page paints by them
(`js/src/crosstab/table/displaySettings.ts`); the static form and the frames follow.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from typing import Any, Generic, TypeGuard, TypeVar, cast, get_args

from audiencelab.analysis.options import Versus, checked_level
from audiencelab.results.arrangement import LOW_BASE, VERY_LOW_BASE, ArrangementOptions
from audiencelab.results.metrics import FROM_TESTS, IN_GRID, METRICS, crosstab_name
from audiencelab.results.undefined import checked_fewest
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.crosstab.protocol import Base, Density, Heat, Significance, Units

T = TypeVar("T")

MAX_METRICS = 4
"""Maximum number of metrics in one cell."""

MAX_DECIMALS = 4

HEATS: tuple[str, ...] = get_args(Heat)
"""What colours may show."""

UNITS: tuple[str, ...] = get_args(Units)
"""How sizes may be written: 1.2M, 1,234.5K, or 1,234,500."""

SIGNIFICANCE: tuple[str, ...] = get_args(Significance)
"""Tests beside the values: arrows against the rest of the base or the wave before, letters between
columns."""

ARROWS_AGAINST: dict[str, Versus] = {"arrows": "rest", "previous wave": "previous wave"}
"""What each column is compared with where arrows are shown."""

LEVELS = (0.90, 0.95, 0.99)
"""Confidence levels of the tests in the cells."""

DENSITIES: tuple[str, ...] = get_args(Density)

BASES: tuple[str, ...] = get_args(Base)
"""The bases beside the names of rows and columns."""


@dataclass(frozen=True, slots=True)
class Looks:
    """The display settings as one value; see `Crosstab`."""

    metrics: tuple[str, ...] = ("column_percentage",)
    heat: str = "index"
    bars: bool = False
    decimals: int | None = None
    units: str = "short"
    stars: tuple[int, int] = (LOW_BASE, VERY_LOW_BASE)
    hide_under: float = 0
    significance: str = "arrows"
    level: float = 0.95
    density: str = "auto"
    show_bases: tuple[str, ...] = BASES

    @property
    def arrangement(self) -> ArrangementOptions:
        """What files of the grid take of it: which values are hidden and marked, and decimals."""
        numbers = [each.name for each in METRICS.values() if each.kind not in ("size", "sample")]
        decimals = None if self.decimals is None else dict.fromkeys(numbers, self.decimals)
        return {"hide_under": self.hide_under, "stars": self.stars, "decimals": decimals}

    @property
    def code(self) -> list[str]:
        """Python that shows the metrics and the letters that were chosen, of a `table`."""
        shown = [each for each in self.metrics if each not in FROM_TESTS]
        hidden = f", hide_under={self.hide_under:g}" if self.hide_under else ""
        found: list[str] = []
        if shown and (tuple(shown) != Looks().metrics or hidden):
            names = repr(shown[0] if len(shown) == 1 else shown)
            found.append(f"table.to_wide({names}{hidden})")
        return [*found, f"table.test(levels={self.level:g})"] if self.letters else found

    @property
    def letters(self) -> bool:
        """Whether letters are shown, beside the values or as a metric."""
        return self.significance == "letters" or "letters" in self.metrics

    @property
    def tests(self) -> bool:
        """Whether cells show tests against the rest of the base."""
        return (
            self.significance in ARROWS_AGAINST
            or self.heat == "z"
            or not {*FROM_TESTS}.isdisjoint(self.metrics)
        )

    @property
    def saved(self) -> dict[str, Any]:
        """The settings for a saved table. A reader leaves out the marks that it does not have.

        Those that a reader assumes are left out; for metrics that is the index, as in 1.0.
        """
        defaults = {**asdict(Looks()), "metrics": ["index"]}
        settings = {**asdict(self), "metrics": list(self.metrics)}
        return {name: value for name, value in settings.items() if value != defaults[name]}


LOOKS = tuple(field.name for field in fields(Looks))
"""The settings, as arguments of the grid and as its traits."""

SETTINGS = (*LOOKS, "transposed")
"""Traits of the grid that define how its table looks."""

EARLIER_LOOKS = {"blank_under": "hide_under", "low_base": "stars"}
"""Settings by their names in documents and notebooks of 1.0 and 2.0."""


class Checked(traitlets.TraitType[T, Any], Generic[T]):
    """A trait whose values pass through a function that returns the value to keep or raises."""

    def __init__(self, check: Callable[[Any], T], default: T) -> None:
        super().__init__(default)
        self._check = check

    def validate(self, obj: Any, value: Any) -> T:
        """The checked value."""
        return self._check(value)


def check_metric(value: object) -> str:
    """One of `IN_GRID`, also by its name in other tables: "column" or "total_percentage"."""
    return _one_of(IN_GRID, crosstab_name(value), "metric")


def check_metrics(value: object) -> tuple[str, ...]:
    """One to four different metrics."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise traitlets.TraitError(f"metrics must be a list of names: metrics=[{value!r}].")
    names = tuple(check_metric(name) for name in cast("Iterable[object]", value))
    if not 1 <= len(names) <= MAX_METRICS or len(set(names)) < len(names):
        raise traitlets.TraitError(
            f"metrics must be one to {MAX_METRICS} different names; got {len(names)}: "
            f"{', '.join(names) or 'none'}."
        )
    return names


def check_heat(value: object) -> str:
    """What colours show; None is "none"."""
    return _one_of(HEATS, value or "none", "heat")


def check_units(value: object) -> str:
    """How sizes are written."""
    return _one_of(UNITS, value, "units")


def check_decimals(value: object) -> int | None:
    """0 to 4 decimals, or None."""
    if value is None or (_is_int(value) and 0 <= value <= MAX_DECIMALS):
        return value
    raise traitlets.TraitError(f"decimals must be 0 to {MAX_DECIMALS}, or None; got {value!r}.")


def check_stars(value: object) -> tuple[int, int]:
    """Two numbers of respondents, the larger first; None, for no marks, is zeros."""
    if value is None:
        return 0, 0
    if isinstance(value, list | tuple) and len(pair := cast("Sequence[object]", value)) == 2:
        low, very_low = pair
        if _is_int(low) and _is_int(very_low) and 0 <= very_low <= low:
            return low, very_low
    raise traitlets.TraitError(
        "stars must be two numbers of respondents, the larger first, such as (100, 30), or None; "
        f"got {value!r}."
    )


def check_hide_under(value: object) -> float:
    """A number of respondents; None is 0."""
    try:
        return checked_fewest(cast("float", value or 0))
    except ValueError as error:
        raise traitlets.TraitError(str(error)) from None


def check_significance(value: object) -> str:
    """The tests beside the values; None is "none"."""
    return _one_of(SIGNIFICANCE, value or "none", "significance")


def check_level(value: object) -> float:
    """One of `LEVELS`, also in per cent."""
    with suppress(ValueError):
        if (level := checked_level(cast("float", value))) in LEVELS:
            return level
    levels = ", ".join(f"{level:g}" for level in LEVELS)
    raise traitlets.TraitError(f"level must be one of {levels}; got {value!r}.")


def check_density(value: object) -> str:
    """One of `DENSITIES`."""
    return _one_of(DENSITIES, value, "density")


def check_show_bases(value: object) -> tuple[str, ...]:
    """Which bases are shown: True for both, False for none, or names of `BASES`."""
    if isinstance(value, bool) or value is None:
        return BASES if value else ()
    names = (value,) if isinstance(value, str) else tuple(cast("Iterable[object]", value))
    chosen = {_one_of(BASES, name, "show_bases") for name in names}
    return tuple(name for name in BASES if name in chosen)


def check_switch(value: object) -> bool:
    """True or False."""
    if isinstance(value, bool):
        return value
    raise traitlets.TraitError(f"A switch is True or False; got {value!r}.")


CHECKS: dict[str, Callable[[Any], Any]] = {
    "transposed": check_switch,
    "metrics": check_metrics,
    "heat": check_heat,
    "bars": check_switch,
    "decimals": check_decimals,
    "units": check_units,
    "stars": check_stars,
    "hide_under": check_hide_under,
    "significance": check_significance,
    "level": check_level,
    "density": check_density,
    "show_bases": check_show_bases,
}
"""What checks each setting."""


def chosen_metrics(metric: str | None, metrics: Iterable[str] | None) -> Iterable[str]:
    """The trait `metrics` of the arguments; `TypeError` if both are given."""
    if metric is not None and metrics is not None:
        raise TypeError("Use metric= for one metric in a cell, or metrics= for several, not both.")
    if metrics is not None:
        return metrics
    return Looks().metrics if metric is None else (metric,)


def with_first_metric(metrics: tuple[str, ...], first: str) -> tuple[str, ...]:
    """The metrics with another one first: moved there, or instead of the first one."""
    others = tuple(name for name in metrics if name != first)
    return (first, *(others if first in metrics else metrics[1:]))


def _one_of(choices: tuple[str, ...], value: object, name: str) -> str:
    if isinstance(value, str) and value in choices:
        return value
    near = difflib.get_close_matches(str(value), choices, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise traitlets.TraitError(f"{name} must be one of {', '.join(choices)}; got {value!r}.{hint}")


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
