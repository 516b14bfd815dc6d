"""How differences are tested, checked once, and said in a line: the recipe.

Two programs that are given the same table disagree because they test differently. So every result
carries its recipe, and the recipe leaves out nothing that changes a figure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Literal, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.flags import flag
from audiencelab.frames.significance.bases import Base, DesignEffect, chosen_base, per_respondent
from audiencelab.frames.significance.corrections import CORRECTION_NAMES, named_correction
from audiencelab.frames.significance.design import DesignEffects, effect_words
from audiencelab.frames.significance.shares import Margin, Shares

__all__ = [
    "Family",
    "Options",
    "Settings",
    "base_words",
    "checked_level",
    "chosen_freedom",
    "percent_words",
    "recipe",
]

Floats = NDArray[np.float64]

Family = Literal["row", "table"]

_NAMED_NETS = 3
"""As many nets are called by name in a recipe; more are counted."""

_NEGLIGIBLE = 1.5
"""Sizes that count more people for a respondent are no weights that average 1."""


class Options(TypedDict):
    """What whoever tests may choose, as the methods of the results take it."""

    levels: float | Sequence[float]
    correction: str
    family: Family
    base: Base | None
    design_effect: DesignEffect | None
    pooled: bool
    degrees_of_freedom: float | None
    nets: str | Sequence[str]
    min_base: float


@dataclass(frozen=True, slots=True)
class Settings:
    """The options, checked.

    levels: one or two levels of confidence, the stricter first, whatever order they came in.
    correction, family: for how many tests the p-values allow, and which of them belong together.
    """

    levels: tuple[float, ...]
    correction: str
    family: Family
    base: Base
    pooled: bool
    degrees_of_freedom: float | None
    nets: tuple[str, ...]
    min_base: float

    @classmethod
    def of(cls, options: Options) -> Settings:
        """Settings from what a caller wrote; raises `ValueError` for what cannot be."""
        family = options["family"]
        if family not in ("row", "table"):
            raise ValueError(f"No family {family!r}. Choose one of row, table.")
        return cls(
            levels=_checked_levels(options["levels"]),
            correction=named_correction(options["correction"]),
            family=family,
            base=chosen_base(options["base"], options["design_effect"]),
            pooled=flag("pooled", options["pooled"]),
            degrees_of_freedom=chosen_freedom(
                options["degrees_of_freedom"], options["design_effect"]
            ),
            nets=_checked_nets(options["nets"]),
            min_base=_checked_min_base(options["min_base"]),
        )

    def left_out(self, margin: Margin) -> NDArray[np.bool_]:
        """Which of a margin are nets or totals."""
        places = margin.places(self.nets)
        return np.array(
            [total or place in places for place, total in enumerate(margin.totals)], dtype=bool
        )

    def check_nets(self, *margins: Margin) -> None:
        """Raise `ValueError` for a net that no row and no column is called by."""
        for net in self.nets:
            if not any(margin.places([net]) for margin in margins):
                known = ", ".join(dict.fromkeys(name for each in margins for name in each.names))
                raise ValueError(f"No row or column is called {net!r}. There are: {known}.")


def recipe(
    settings: Settings,
    shares: Shares,
    effects: Floats,
    *,
    subject: str,
    left_out: Sequence[str] = (),
    dependence: str = "",
    within_heads: bool = False,
    computed: DesignEffects | None = None,
) -> str:
    """Everything that a test's figures depend on, as one sentence.

    subject: who is tested, such as "every pair of columns". left_out: names of nets and totals.
    dependence: what is taken for granted about respondents in both. within_heads: whether the
    columns under each head are a table of their own. computed: the effects' own words, where they
    were computed of the respondents.
    """
    parts = [
        f"Two-sided {_test_words(settings, shares)} of {shares.figure}",
        f"{subject} under the same heads" if within_heads else subject,
        "pooled" if settings.pooled else "unpooled",
        base_words(settings.base, effects, per_respondent(shares.cells), given=computed),
        _correction_words(settings, within_heads),
        " and ".join(percent_words(level) for level in settings.levels),
        f"bases under {settings.min_base:,g} respondents left out" if settings.min_base > 0 else "",
        _left_out_words(left_out),
        dependence,
    ]
    return f"{', '.join(filter(None, parts))}."


def _test_words(settings: Settings, shares: Shares) -> str:
    freedom = settings.degrees_of_freedom
    if freedom is not None:
        return f"t test ({freedom:,g} degrees of freedom)"
    if shares.cells.deviation is None:
        return "z test"
    return "t test (Student's)" if settings.pooled else "t test (Welch's)"


def base_words(base: Base, effects: Floats, people: float = math.nan, given: object = None) -> str:
    """Which bases, as the recipe names them.

    people: how many stand behind one respondent. given: the design effects as the caller gave
    them; those that were computed say how.
    """
    if base == "weighted":
        if people > _NEGLIGIBLE:
            return f"weighted bases ({people:,.0f} people a respondent: p-values are far too small)"
        return "weighted bases"
    computed = f"; {given.recipe}" if isinstance(given, DesignEffects) else ""
    return f"{base} bases ({effect_words(effects)}{computed})"


def percent_words(level: float) -> str:
    """A level of confidence in percent: "95 %", "99.9 %"."""
    return f"{100 * level:.10g} %"


def checked_level(level: float) -> float:
    """A level of confidence as it was given, if it is one."""
    if not (_is_number(level) and 0 < level < 1):
        raise ValueError(
            f"A level of confidence is a number between 0 and 1, such as 0.95, not {level!r}."
        )
    return float(level)


def checked_freedom(freedom: float | None) -> float | None:
    """Degrees of freedom as they were given, if they are some; None for no end of them."""
    if freedom is None:
        return None
    if not (_is_number(freedom) and freedom > 0):
        raise ValueError(f"Degrees of freedom are a positive number, or None, not {freedom!r}.")
    # With no end of them the t distribution is the normal one, as other programs write it.
    return None if math.isinf(freedom) else freedom


def chosen_freedom(freedom: float | None, design_effect: object) -> float | None:
    """Degrees of freedom as they were given; otherwise those of the design, where it is known."""
    if freedom is None and isinstance(design_effect, DesignEffects):
        return design_effect.degrees_of_freedom
    return checked_freedom(freedom)


def _checked_levels(levels: float | Sequence[float]) -> tuple[float, ...]:
    several = isinstance(levels, Iterable) and not isinstance(levels, str)
    given = cast(Iterable[float], levels if several else (levels,))
    found = tuple(sorted({checked_level(level) for level in given}, reverse=True))
    if not 1 <= len(found) <= 2:
        raise ValueError("Give one level or two: capital letters for the stricter, small ones.")
    return found


def _checked_nets(nets: str | Sequence[str]) -> tuple[str, ...]:
    if isinstance(nets, str):
        return (nets,)
    if not isinstance(cast(object, nets), Iterable):
        raise ValueError(f"Nets are told by their names or ids, not by {nets!r}.")
    return tuple(nets)


def _checked_min_base(min_base: float) -> float:
    if not (_is_number(min_base) and 0 <= min_base < math.inf):
        raise ValueError(f"min_base is a number of respondents, 0 or more, not {min_base!r}.")
    return min_base


def _is_number(given: object) -> bool:
    """Whether people wrote a number, of whichever type; they may write a text, or None."""
    return not isinstance(given, bool) and isinstance(given, Real)


def _correction_words(settings: Settings, within_heads: bool) -> str:
    name = CORRECTION_NAMES[settings.correction]
    if settings.correction == "none":
        return name
    if settings.family == "table":
        return f"{name} over the table"
    return f"{name} within each row{' and head' if within_heads else ''}"


def _left_out_words(names: Sequence[str]) -> str:
    if not names:
        return ""
    if len(names) > _NAMED_NETS:
        return f"{len(names)} nets and totals left out"
    return f"without {', '.join(names)}"
