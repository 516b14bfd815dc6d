"""How differences are tested, checked once, and said in a line: the recipe.

Two programs that are given the same table disagree because they test differently. So every result
carries its recipe, and the recipe leaves out nothing that changes a figure.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, TypedDict, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import DesignEffects, effect_words
from audiencelab.analysis.effective_base import Base, DesignEffect, chosen_base, per_respondent
from audiencelab.analysis.proportions import Margin, Shares
from audiencelab.analysis.statistics import CORRECTION_NAMES, Correction, named_correction
from audiencelab.flags import flag

Floats = NDArray[np.float64]

F = TypeVar("F", bound=Callable[..., Any])

Family = Literal["row", "table"]

Against = Literal["rest", "base"]

ZeroOrFull = Literal["test", "skip"]
"""What is done with a share of 0 or 100 %: it is tested like others, or not at all."""

_NAMED_NETS = 3
"""As many nets are called by name in a recipe; more are counted."""

_NEGLIGIBLE = 1.5
"""Sizes that count more people for a respondent are no weights that average 1."""


class TestOptions(TypedDict, total=False):
    """Options of every test; `CrosstabResult.compare_columns` explains them."""

    base: Base | None
    design_effect: DesignEffect | None
    pooled: bool
    degrees_of_freedom: float | None
    nets: str | Sequence[str]
    min_base: float


class ProportionTestOptions(TestOptions, total=False):
    """Options of tests of percentages."""

    family: Family
    zero_or_full: ZeroOrFull


class Options(ProportionTestOptions, total=False):
    """All options of a test."""

    levels: float | Sequence[float]
    correction: Correction


_DEFAULTS: Options = {
    "levels": (0.95, 0.90),
    "correction": "none",
    "family": "row",
    "base": None,
    "design_effect": None,
    "pooled": True,
    "degrees_of_freedom": None,
    "nets": (),
    "min_base": 30,
    "zero_or_full": "test",
}


def takes_options(fields: type, **defaults: object) -> Callable[[F], F]:
    """Show the options of a method in its signature, and raise `TypeError` for others.

    fields: the `TypedDict` that the method unpacks. defaults: those that differ from the usual.
    """
    usual = {name: default for name, default in _DEFAULTS.items() if name in fields.__annotations__}
    usual |= defaults

    def decorate(method: F) -> F:
        signature = inspect.signature(method)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        options = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=fields.__annotations__[name].__forward_arg__,
            )
            for name, default in usual.items()
        ]
        shown = signature.replace(parameters=[*own, *options])

        @functools.wraps(method)
        def checked(*arguments: Any, **named: Any) -> Any:
            for name in named:
                if name not in shown.parameters:
                    raise TypeError(
                        f"{method.__name__}() got an unexpected keyword argument {name!r}"
                    )
            return method(*arguments, **{**usual, **named})

        vars(checked)["__signature__"] = shown
        return cast(F, checked)

    return decorate


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
    zero_or_full: ZeroOrFull

    @classmethod
    def of(cls, given: Options) -> Settings:
        """Settings from a caller's options; raises `ValueError` for one that is not valid."""
        options: Any = {**_DEFAULTS, **given}
        family = options["family"]
        if family not in ("row", "table"):
            raise ValueError(f"No family {family!r}. Choose one of row, table.")
        return cls(
            levels=_checked_levels(options["levels"]),
            correction=named_correction(options["correction"]),
            family=family,
            base=chosen_base(options["base"], options["design_effect"]),
            pooled=flag("pooled", options["pooled"]),
            degrees_of_freedom=checked_freedom(options["degrees_of_freedom"]),
            nets=_checked_nets(options["nets"]),
            min_base=_checked_min_base(options["min_base"]),
            zero_or_full=_checked_zero_or_full(options["zero_or_full"]),
        )

    def holding(self, margin: Margin) -> NDArray[np.bool_]:
        """Which of a margin hold others: nets, and what is called so."""
        found = np.array(margin.nets or (False,) * len(margin), dtype=bool)
        found[list(margin.places(self.nets))] = True
        return found

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
    outside: Sequence[str] = (),
    dependence: str = "",
    within_heads: bool = False,
    design: str = "",
    freedom: Floats | None = None,
) -> str:
    """Everything that a test's figures depend on, as one sentence.

    subject: who is tested, such as "every pair of columns". left_out: names of what is not
    tested. outside: of rows that are tested but not counted. dependence: what is taken for granted
    about respondents in both. within_heads: whether the columns under each head are a table of
    their own. design: how the design effects were made, or why there are none. freedom: the
    degrees of freedom of the tests, where they differ.
    """
    parts = [
        f"Two-sided {_test_words(settings, shares, freedom)} of {shares.figure}",
        f"{subject} under the same heads" if within_heads else subject,
        "pooled" if settings.pooled else "unpooled",
        base_words(settings.base, effects, per_respondent(shares.cells), design),
        _correction_words(settings, within_heads),
        " and ".join(percent_words(level) for level in settings.levels),
        f"bases under {settings.min_base:,g} respondents left out" if settings.min_base > 0 else "",
        _left_out_words(left_out),
        _outside_words(outside, settings),
        "shares of 0 and 100 % not tested" if settings.zero_or_full == "skip" else "",
        dependence,
    ]
    return f"{', '.join(filter(None, parts))}."


def _test_words(settings: Settings, shares: Shares, freedom: Floats | None) -> str:
    settled = settings.degrees_of_freedom
    if settled is not None and not math.isinf(settled):
        return f"t test ({settled:,g} degrees of freedom)"
    if settled is None and freedom is not None and shares.cells.deviation is None:
        return f"t test ({freedom_words(freedom)})"
    if shares.cells.deviation is None:
        return "z test"
    return "t test (Student's)" if settings.pooled else "t test (Welch's)"


def freedom_words(freedom: Floats) -> str:
    """The range of some degrees of freedom, as a recipe names it."""
    known = freedom[~np.isnan(freedom)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    words = f"{low:,g}" if low == high else f"{low:,g} to {high:,g}"
    return f"{words} degrees of freedom"


def base_words(base: Base, effects: Floats, people: float = math.nan, design: str = "") -> str:
    """Which bases, as the recipe names them.

    people: how many stand behind one respondent. design: how the design effects were made, or why
    there are none.
    """
    if base == "weighted":
        if people > _NEGLIGIBLE:
            return f"weighted bases ({people:,.0f} people a respondent: p-values are far too small)"
        return "weighted bases"
    if base == "unweighted":
        return f"unweighted bases ({design or effect_words(effects)})"
    return f"{base} bases ({'; '.join(filter(None, (effect_words(effects), design)))})"


def percent_words(level: float) -> str:
    """A level of confidence in percent: "95 %", "99.9 %"."""
    return f"{100 * level:.10g} %"


def checked_level(level: float) -> float:
    """A level of confidence as it was given, if it is one; `ValueError` says what was meant."""
    if _is_number(level) and 0.5 < level < 1:
        return float(level)
    meant = 0.95
    if _is_number(level) and 0 < level < 0.5:
        meant = round(1 - level, 12)
    elif _is_number(level) and 50 < level < 100:
        meant = round(level / 100, 12)
    raise ValueError(
        f"Level {level!r} is not valid: a level is a confidence level between 0.5 and 1. "
        f"Write {meant:g}."
    )


def checked_freedom(freedom: float | None) -> float | None:
    """Degrees of freedom as they were given, if they are some; no end of them make a z test."""
    if freedom is None:
        return None
    if not (_is_number(freedom) and freedom > 0):
        raise ValueError(f"Degrees of freedom are a positive number, or None, not {freedom!r}.")
    return freedom


def chosen_freedom(freedom: float | None, design_effect: object) -> float | None:
    """Degrees of freedom as they were given; otherwise those of the design, where it is known."""
    if freedom is None and isinstance(design_effect, DesignEffects):
        return design_effect.degrees_of_freedom
    checked = checked_freedom(freedom)
    # With no end of them the t distribution is the normal one, as other programs write it.
    return None if checked is None or math.isinf(checked) else checked


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


def _checked_zero_or_full(chosen: str) -> ZeroOrFull:
    if chosen not in ("test", "skip"):
        raise ValueError(f"zero_or_full={chosen!r} is not valid. Write 'test' or 'skip'.")
    return chosen


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


def _outside_words(names: Sequence[str], settings: Settings) -> str:
    """Which rows are judged by a family's threshold and not counted in it."""
    if not names or settings.family == "row" or settings.correction == "none":
        return ""
    named = ", ".join(names) if len(names) <= _NAMED_NETS else f"{len(names)} nets"
    return f"{named} tested but not counted"


def _left_out_words(names: Sequence[str]) -> str:
    if not names:
        return ""
    if len(names) > _NAMED_NETS:
        return f"{len(names)} nets and totals left out"
    return f"without {', '.join(names)}"
