"""How many respondents a share is worth: the base of its test or interval.

A weighted share of n respondents varies more than one of n unweighted ones, by the design effect.
Dividing by it gives the effective base, which formulas for simple samples can take as their n.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.analysis.proportions import Cells, Margin, Shares

Floats = NDArray[np.float64]

Base = Literal["unweighted", "weighted", "effective"]
BASES: tuple[str, ...] = get_args(Base)

DesignEffect = (
    float
    | Sequence[float]
    | Sequence[Sequence[float]]
    | Mapping[str, float]
    | Floats
    | DesignEffects
)
"""One number for all; one for each column, in their order or by name or id; one for each cell,
[rows, columns]; or what `client.design_effects(result)` computed."""


def chosen_base(base: Base | None, design_effect: DesignEffect | None) -> Base:
    """The base to test on: effective where a design effect is known, otherwise unweighted.

    Raises `ValueError` for a base that is none, and for one that does not go with what is given.
    """
    if base is None:
        return "unweighted" if design_effect is None else "effective"
    if base not in BASES:
        raise ValueError(f"No base {base!r}. Choose one of {', '.join(BASES)}.")
    if base == "effective" and design_effect is None:
        raise ValueError(
            "Effective bases need the design effect: design_effect=1.5, one for each column, or "
            "client.design_effects(result) where the survey is at hand."
        )
    if base != "effective" and design_effect is not None:
        raise ValueError(
            f"A design effect makes bases effective: leave out base={base!r}, or design_effect."
        )
    return base


def table_effects(given: DesignEffect | None, shares: Shares) -> Floats:
    """A design effect for each cell of a table; see `design_effects`."""
    if isinstance(given, DesignEffects):
        return given.of_table(shares)
    return design_effects(given, shares.shape, shares.columns)


def design_effects(
    given: float | Sequence[Any] | Mapping[str, float] | Floats | None,
    shape: tuple[int, int],
    columns: Margin | None = None,
) -> Floats:
    """A design effect for each cell, float64[rows, columns]; 1 where none is given.

    Raises `ValueError` for numbers that are not positive, or are not as many as they have to be.
    """
    if given is None:
        return np.ones(shape)
    if isinstance(given, Mapping):
        given = _by_name(given, columns)
    numbers = _numbers(given)
    if numbers.shape not in ((), shape[1:], shape):
        raise ValueError(
            f"Give one design effect, one for each of the {shape[1]} columns, or one for each "
            f"cell ({shape[0]} × {shape[1]}), not {' × '.join(map(str, numbers.shape))}."
        )
    return np.broadcast_to(numbers, shape)


def per_respondent(cells: Cells) -> float:
    """How many people stand behind one respondent, on the whole; NaN without any."""
    known = np.isfinite(cells.size) & (cells.sample > 0)
    people, respondents = cells.size[known].sum(), cells.sample[known].sum()
    return float(people / respondents) if respondents else float("nan")


def _numbers(given: Any) -> Floats:
    wrong = (
        "A design effect is a positive number, 1 for a simple random sample, or what "
        "client.design_effects(result) computes."
    )
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):  # texts, or lines of different lengths
        raise ValueError(wrong) from None
    if not bool(np.all(np.isfinite(numbers) & (numbers > 0))):
        raise ValueError(wrong)
    return numbers


def _by_name(given: Mapping[str, float], columns: Margin | None) -> list[float]:
    if columns is None:
        raise ValueError("Give the design effects in the order of the lines, not by name.")
    unknown = [name for name in given if not columns.places([name])]
    called = list(zip(columns.names, *columns.columns.values(), strict=True))
    named = [set(names) & set(given) for names in called]
    missing = [names[0] for names, keys in zip(called, named, strict=True) if not keys]
    twice = [names[0] for names, keys in zip(called, named, strict=True) if len(keys) > 1]
    if unknown or missing or twice:
        faults = [f"no column is called {name!r}" for name in unknown]
        faults += [f"none is given for {name!r}" for name in missing]
        faults += [f"{name!r} has two, one by its name and one by its id" for name in twice]
        raise ValueError(f"Design effects by column: {'; '.join(faults)}.")
    return [next(given[name] for name in names if name in given) for names in called]
