"""Options of tests: their types, defaults and checks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal, TypedDict, cast, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import DesignEffects, effects_of_table
from audiencelab.analysis.proportions import Proportions, TableItems
from audiencelab.analysis.statistics import Correction
from audiencelab.flags import flag
from audiencelab.lines import one_of
from audiencelab.results.crosstab import CrosstabData

Floats = NDArray[np.float64]

Base = Literal["unweighted", "weighted", "effective"]
Family = Literal["row", "table"]
Versus = Literal["columns", "rest", "total", "previous wave", "rows"]

ZeroOrFull = Literal["test", "skip"]
"""Whether proportions of 0 and 100% are tested like others, or not at all."""

DesignEffect = (
    float
    | Sequence[float]
    | Sequence[Sequence[float]]
    | Mapping[str, float]
    | Floats
    | DesignEffects
)
"""One number for all; one for each column, in order or by name or id; one for each cell,
[rows, columns]; or the result of `client.design_effects(result)`."""

Design = Literal["auto"] | DesignEffect | None
"""Design effects, "auto" to compute them of the respondents, or None for none."""


class DesignOptions(TypedDict, total=False):
    """Options of tests and of `standouts`; `TestOptions` documents them."""

    base: Base | None
    design: Design
    pooled: bool | None
    degrees_of_freedom: float | Literal["pair"] | None
    nets: str | Sequence[str]
    min_base: float


class CommonTestOptions(DesignOptions, total=False):
    """Options of tests against anything; `TestOptions` documents them."""

    levels: float | Sequence[float]
    correction: Correction
    family: Family
    zero_or_full: ZeroOrFull
    across_breaks: bool


class TestOptions(CommonTestOptions, total=False):
    """The options of `test`, all of them optional.

    levels: one or two confidence levels, by default 0.95 and 0.90. Marks are capital letters or
        filled arrows at the stricter level, small letters or hollow arrows at the other.
    correction: of p-values for the number of tests: "none", "bonferroni", "holm", or
        "benjamini-hochberg" (also "fdr").
    family: the tests that belong together: those of a "row" (of a column where rows are compared),
        or of the whole "table".
    design: "auto" takes the sample's own design: replicate weights, or linearised errors by
        strata, clusters, a panel and weights. For a service that is not one of audiencelab bases
        are unweighted, and the method note says "design unknown". Or one
        design effect, one for each column (in order, or by name or id), one for each cell, what
        `client.design_effects(result)` computed, or None for a simple random sample.
    base: what a test counts: "unweighted" respondents; "effective" ones, divided by the design
        effect; or "weighted" people, right only for weights that average 1. By default effective
        if a design effect is known.
    pooled: whether both percentages share one error, as in a score test, which is the default. Of
        means, True is Student's t test and False Welch's, which is the default.
    degrees_of_freedom: of a t distribution instead of the normal one, for all tests, or "pair": the
        two bases of each pair less 2, as in Quantum and cr.cube. By default clusters (or
        respondents) less strata of those in either column, against rest and total of the smaller
        side, if errors are linearised; and those of the bases for means.
    nets: names or ids of rows and columns that include others. Such columns are not compared; such
        rows, and those of `nets()`, are tested but not counted in a family. Totals are always left
        out.
    min_base: no test with a column of fewer respondents, by default 30 (weight 0 not counted);
        `note` says so.
    across_breaks: whether columns are compared although a question is another one since a wave
        between theirs (a break), which is otherwise a figure and a note.
    zero_or_full: whether 0 and 100% are tested ("test") or left out ("skip"), as in SPSS.
    overlap: if columns share respondents and are compared with each other, the crosstab of the
        columns against themselves: `client.crosstab(rows=columns, columns=columns)`. Only a service
        that is not one of audiencelab needs it: others know who is in both.
    within_groups: whether only columns (or rows) of the same group are compared with each other;
        letters and the families of a row then begin again with each group.
    """

    overlap: CrosstabData | None
    within_groups: bool


DEFAULTS: TestOptions = {
    "levels": (0.95, 0.90),
    "correction": "none",
    "family": "row",
    "base": None,
    "design": "auto",
    "pooled": None,
    "degrees_of_freedom": None,
    "nets": (),
    "min_base": 30,
    "zero_or_full": "test",
    "across_breaks": False,
    "overlap": None,
    "within_groups": True,
}
"""The options that are not given."""


@dataclass(frozen=True, slots=True)
class TestSettings:
    """The options, checked.

    levels: one or two confidence levels, the stricter first.
    correction, family: for how many tests p-values allow, and which tests belong together.
    pooled, pooled_means: whether both sides share one error, where they are shares, and means.
    by_pair: whether each pair has the degrees of freedom of its own bases.
    across_breaks: whether columns on both sides of a break are compared.
    """

    levels: tuple[float, ...]
    correction: str
    family: Family
    base: Base
    pooled: bool
    pooled_means: bool
    degrees_of_freedom: float | None
    by_pair: bool
    nets: tuple[str, ...]
    min_base: float
    zero_or_full: ZeroOrFull
    across_breaks: bool = False

    @classmethod
    def of(cls, given: CommonTestOptions, base: Base) -> TestSettings:
        """Settings from a caller's options; raises `ValueError` for one that is not valid.

        base: what tests count.
        """
        options: Any = {**DEFAULTS, **given}
        correction = options["correction"]
        require_choice("correction", correction, get_args(Correction))
        correction = "benjamini-hochberg" if correction == "fdr" else correction
        require_choice("family", options["family"], get_args(Family))
        require_choice("zero_or_full", options["zero_or_full"], get_args(ZeroOrFull))
        given_pooled = options["pooled"]
        pooled = None if given_pooled is None else flag("pooled", given_pooled)
        min_base = options["min_base"]
        if not (is_number(min_base) and 0 <= min_base < math.inf):
            raise ValueError(f"min_base must be a number of respondents from 0; got {min_base!r}.")
        nets, freedom = options["nets"], options["degrees_of_freedom"]
        by_pair = freedom == "pair"
        if not isinstance(cast(object, nets), Iterable):
            raise ValueError(f"nets must be names or ids of rows and columns; got {nets!r}.")
        return cls(
            levels=_checked_levels(options["levels"]),
            correction=correction,
            family=options["family"],
            base=base,
            # None is the default of both: pooled for shares (score test), not for means (Welch's).
            pooled=pooled is not False,
            pooled_means=pooled is True,
            degrees_of_freedom=None if by_pair else _checked_freedom(freedom),
            by_pair=by_pair,
            nets=(nets,) if isinstance(nets, str) else tuple(nets),
            min_base=min_base,
            zero_or_full=options["zero_or_full"],
            across_breaks=flag("across_breaks", options["across_breaks"]),
        )

    def of_means(self, *, own: bool) -> TestSettings:
        """Those of rows of statistics; own: whether errors are those of the sample's design."""
        return replace(
            self,
            base="effective" if own else self.base,
            pooled=self.pooled_means and not own,
            # `nets=` names rows of shares; rows of statistics include no others.
            nets=(),
            zero_or_full="test",
        )

    def is_net(self, axis: TableItems) -> NDArray[np.bool_]:
        """Which rows, or columns, are nets, or were named as such."""
        found = np.array(axis.nets or (False,) * len(axis), dtype=bool)
        found[list(axis.positions(self.nets))] = True
        return found

    def check_nets(self, *axes: TableItems) -> None:
        """Raise `ValueError` for a net that is not the name of any row or column."""
        for net in self.nets:
            if not any(axis.positions([net]) for axis in axes):
                known = ", ".join(dict.fromkeys(name for axis in axes for name in axis.names))
                raise ValueError(f"No row or column is called {net!r}. There are: {known}.")


def require_choice(name: str, given: object, known: Iterable[str]) -> None:
    """Raise `ValueError` for an argument that is not one of the known words."""
    choices = list(known)
    if given not in choices:
        raise ValueError(f"{name}={given!r} is not valid. {one_of(given, choices)}")


def is_number(given: object) -> bool:
    """Whether it is a real number of any type, and not a flag."""
    return not isinstance(given, bool) and isinstance(given, Real)


def _checked_levels(levels: float | Sequence[float]) -> tuple[float, ...]:
    several = isinstance(levels, Iterable) and not isinstance(levels, str)
    given = cast(Iterable[float], levels if several else (levels,))
    found = tuple(sorted({checked_level(level) for level in given}, reverse=True))
    if not 1 <= len(found) <= 2:
        raise ValueError("Give one level or two: capital letters for the stricter, small ones.")
    return found


def checked_level(level: float) -> float:
    """A confidence level, also in per cent; `ValueError` suggests the level that was meant."""
    if is_number(level) and 0.5 < level < 1:
        return float(level)
    if is_number(level) and 50 < level < 100:
        # Without rounding 99.9 / 100 is not 0.999.
        return round(level / 100, 12)
    # 0.05 is taken for a risk, whose confidence is 0.95.
    meant = round(1 - level, 12) if is_number(level) and 0 < level < 0.5 else 0.95
    raise ValueError(
        f"Level {level!r} is not valid: a level is a confidence level between 0.5 and 1. "
        f"Write {meant:g}."
    )


def _checked_freedom(freedom: float | None) -> float | None:
    if freedom is not None and not (is_number(freedom) and freedom > 0):
        raise ValueError(f"degrees_of_freedom must be a positive number or None; got {freedom!r}.")
    return freedom


def chosen_freedom(freedom: float | None, design_effect: object) -> float | None:
    """Degrees of freedom as given, otherwise those of a computed design; None is the normal one."""
    if freedom is None and isinstance(design_effect, DesignEffects):
        return design_effect.degrees_of_freedom
    checked = _checked_freedom(freedom)
    return None if checked is None or math.isinf(checked) else checked


# -- bases and design effects ---------------------------------------------------------------------


def chosen_base(base: Base | None, design_effect: DesignEffect | None) -> Base:
    """The base to test on: effective if a design effect is known, otherwise unweighted."""
    if base is None:
        return "unweighted" if design_effect is None else "effective"
    require_choice("base", base, get_args(Base))
    if base == "effective" and design_effect is None:
        raise ValueError(
            "Effective bases need design effects: design=1.5, one for each column, or "
            "client.design_effects(result) where the survey is in this process."
        )
    if base != "effective" and design_effect is not None:
        raise ValueError(
            f"A design effect makes bases effective: leave out base={base!r}, or design."
        )
    return base


def table_effects(given: DesignEffect | None, table: Proportions) -> Floats:
    """A design effect for each cell of a table; see `design_effects`."""
    if isinstance(given, DesignEffects):
        return effects_of_table(given, table)
    return design_effects(given, table.shape, table.columns)


def design_effects(
    given: float | Sequence[Any] | Mapping[str, float] | Floats | None,
    shape: tuple[int, int],
    columns: TableItems | None = None,
) -> Floats:
    """A design effect for each cell, float64[rows, columns]; 1 by default.

    Raises `ValueError` for numbers that are not positive, or for a wrong number of them.
    """
    if given is None:
        return np.ones(shape)
    if isinstance(given, Mapping):
        given = _by_name(given, columns)
    wrong = (
        "A design effect is a positive number, 1 for a simple random sample, or what "
        "client.design_effects(result) computes."
    )
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):  # text, or rows of different lengths
        raise ValueError(wrong) from None
    if not bool(np.all(np.isfinite(numbers) & (numbers > 0))):
        raise ValueError(wrong)
    if numbers.shape not in ((), shape[1:], shape):
        raise ValueError(
            f"Give one design effect, one for each of the {shape[1]} columns, or one for each "
            f"cell ({shape[0]} × {shape[1]}), not {' × '.join(map(str, numbers.shape))}."
        )
    return np.broadcast_to(numbers, shape)


def _by_name(given: Mapping[str, float], columns: TableItems | None) -> list[float]:
    if columns is None:
        raise ValueError("Give the design effects in the order of the rows, not by name.")
    # A column's name and its codes, each of which may be the key of its effect.
    names = list(zip(columns.names, *columns.columns.values(), strict=True))
    found = [{name for name in known if name in given} for known in names]
    errors = [f"no column is called {name!r}" for name in given if not columns.positions([name])]
    for known, keys in zip(names, found, strict=True):
        if not keys:
            errors.append(f"none is given for {known[0]!r}")
        elif len(keys) > 1:
            errors.append(f"{known[0]!r} has two, one by its name and one by its id")
    if errors:
        raise ValueError(f"Design effects by column: {'; '.join(errors)}.")
    return [given[keys.pop()] for keys in found]
