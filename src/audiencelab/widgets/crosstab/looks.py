"""How the grid's cells look: which figures, colours, bars and numbers; as small traits.

A part of `CrosstabGrid`. The browser paints by the traits (`js/src/widgets/grid/showing.ts` reads
what this writes), the static form and the frames follow them. What the figures are is `measures`;
the one figure that the page cannot compute, the letters, it pulls from here.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, cast, get_args

from audiencelab.errors import AudienceError
from audiencelab.render.table_layout import LOW_BASE, VERY_LOW_BASE
from audiencelab.results.crosstab import CrosstabResult
from audiencelab.results.undefined import checked_fewest
from audiencelab.widgets.channel import Request
from audiencelab.widgets.crosstab.letters import LettersKept, LettersOf, letters_of_part
from audiencelab.widgets.crosstab.lines import Lines
from audiencelab.widgets.crosstab.measures import METRICS, wide
from audiencelab.widgets.crosstab.tiles import parse_places
from audiencelab.widgets.lab_widget import LabWidget
from audiencelab.widgets.libraries import traitlets

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.widgets.crosstab.fetch import Snapshot

__all__ = [
    "HEATS",
    "LOOKS",
    "MOST_METRICS",
    "UNITS",
    "CellLooks",
    "Heat",
    "Looks",
    "Units",
    "chosen_metrics",
]

MOST_METRICS = 4
"""Figures in one cell at most."""

Heat = Literal["index", "difference", "z", "none"]
HEATS: tuple[str, ...] = get_args(Heat)
"""What the colours may show."""

Units = Literal["short", "thousands", "full"]
UNITS: tuple[str, ...] = get_args(Units)
"""How sizes may be written: 1.2M, 1,234.5K, or 1,234,500."""

MOST_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Looks:
    """The settings as one value; see `CellLooks`."""

    metrics: tuple[str, ...] = ("index",)
    heat: str = "index"
    bars: bool = False
    decimals: int | None = None
    units: str = "short"
    low_base: tuple[int, int] = (LOW_BASE, VERY_LOW_BASE)
    blank_under: float = 0


class CellLooks(LabWidget):
    """A grid whose cells can be made to look otherwise at any time; nothing is counted for it.

    metrics: one to four of `METRICS`, in the order in which a cell stacks them.
    metric: the first of them; setting it leaves the others.
    heat: what colours show: "index", "difference", "z", or "none".
    bars: whether a bar is drawn of the first share among the metrics.
    decimals: 0 to 4 for all figures; None: each kind's own.
    units: how sizes are written: "short" (1.2M), "thousands" (1,234.5K), "full" (1,234,500).
    low_base: respondents in a denominator under which it is marked `*`, and `**`.
    blank_under: figures that rest on fewer respondents are not shown; 0 shows them all.
    """

    if TYPE_CHECKING:

        def _sides(self) -> tuple[Lines, Lines]: ...
        def _current(self, request: Request) -> Snapshot: ...

    metric = traitlets.Any("index").tag(sync=True)
    metrics = traitlets.Any(("index",)).tag(sync=True)
    heat = traitlets.Any("index").tag(sync=True)
    bars = traitlets.Bool(False).tag(sync=True)
    decimals = traitlets.Any(None, allow_none=True).tag(sync=True)
    units = traitlets.Any("short").tag(sync=True)
    low_base = traitlets.Any((LOW_BASE, VERY_LOW_BASE)).tag(sync=True)
    blank_under = traitlets.Any(0).tag(sync=True)

    @property
    def looks(self) -> Looks:
        """The settings as they are now."""
        return Looks(**{name: getattr(self, name) for name in LOOKS})

    def _tell_letters(self) -> None:
        """Answer what the page asks for letters; called once the channel is there."""
        self._letters = LettersKept()
        self.channel.on("letters", self._answer_letters)

    def _answer_letters(self, request: Request) -> object:
        result = self._current(request).result
        rows, columns = self._sides()
        row_places = parse_places(request.args.get("rows"), len(rows), "rows")
        column_places = parse_places(request.args.get("columns"), len(columns), "columns")
        letters = self._letters_of(result)
        if letters is None:
            raise AudienceError("The table has no letters until it is complete.")
        return letters_of_part(letters, row_places, column_places)

    def _letters_of(self, result: CrosstabResult | None) -> LettersOf | None:
        """The letters of a complete table; None while it is not."""
        if result is None or not result.complete:
            return None
        return self._letters.of(result, self._nets_in(result))

    def _nets_in(self, result: CrosstabResult) -> list[str]:
        """Ids of the lines that hold others: they are not compared."""
        rows, columns = self._sides()
        sides = ((result.rows, rows.nets), (result.columns, columns.nets))
        return [
            each.id or each.name
            for audiences, nets in sides
            for each, net in zip(audiences, nets, strict=True)
            if net
        ]

    def _wide(self, result: CrosstabResult, metric: str | Sequence[str] | None) -> pd.DataFrame:
        """A table of one metric or several, None being what the cells show."""
        shown = self.metrics if len(self.metrics) > 1 else self.metric
        return wide(result, metric or shown, self.blank_under, nets=self._nets_in(result))

    @traitlets.validate("metric")
    def _check_metric(self, proposal: dict[str, Any]) -> str:
        return _one_of(METRICS, proposal["value"], "metric")

    @traitlets.validate("metrics")
    def _check_metrics(self, proposal: dict[str, Any]) -> tuple[str, ...]:
        given = proposal["value"]
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise traitlets.TraitError(f"metrics is a list of names: metrics=[{given!r}].")
        names = tuple(_one_of(METRICS, name, "metric") for name in cast("Iterable[object]", given))
        if not 1 <= len(names) <= MOST_METRICS or len(set(names)) < len(names):
            raise traitlets.TraitError(
                f"A cell shows one to {MOST_METRICS} different metrics, not {len(names)}: "
                f"{', '.join(names) or 'none'}."
            )
        return names

    @traitlets.validate("heat")
    def _check_heat(self, proposal: dict[str, Any]) -> str:
        return _one_of(HEATS, proposal["value"] or "none", "heat")

    @traitlets.validate("units")
    def _check_units(self, proposal: dict[str, Any]) -> str:
        return _one_of(UNITS, proposal["value"], "units")

    @traitlets.validate("decimals")
    def _check_decimals(self, proposal: dict[str, Any]) -> int | None:
        given = proposal["value"]
        if given is None or (_is_whole(given) and 0 <= given <= MOST_DECIMALS):
            return given
        raise traitlets.TraitError(
            f"decimals is a whole number from 0 to {MOST_DECIMALS}, or None, not {given!r}."
        )

    @traitlets.validate("low_base")
    def _check_low_base(self, proposal: dict[str, Any]) -> tuple[int, int]:
        given = proposal["value"]
        if isinstance(given, list | tuple) and len(pair := cast("Sequence[object]", given)) == 2:
            low, very_low = pair
            if _is_whole(low) and _is_whole(very_low) and 0 <= very_low <= low:
                return low, very_low
        raise traitlets.TraitError(
            "low_base is two numbers of respondents, the larger first, such as (100, 30), "
            f"not {given!r}."
        )

    @traitlets.validate("blank_under")
    def _check_blank_under(self, proposal: dict[str, Any]) -> float:
        try:
            return checked_fewest(proposal["value"] or 0)
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None

    @traitlets.observe("metric")
    def _put_first(self, change: dict[str, Any]) -> None:
        first, metrics = change["new"], self.metrics
        if metrics[0] != first:
            others = [name for name in metrics if name != first]
            # One that was there already changes its place, another takes the first one's.
            self.metrics = (first, *(others if first in metrics else metrics[1:]))

    @traitlets.observe("metrics")
    def _tell_first(self, change: dict[str, Any]) -> None:
        self.metric = change["new"][0]


LOOKS = tuple(field.name for field in fields(Looks))
"""The settings, as arguments of the grid and as its traits."""


def chosen_metrics(metric: str | None, metrics: Iterable[str] | None) -> dict[str, object]:
    """The traits `metric` and `metrics` from what was given of them; `TypeError` for both."""
    if metric is not None and metrics is not None:
        raise TypeError("Give metric= for one figure in a cell, or metrics= for several, not both.")
    if metrics is None:
        return {} if metric is None else {"metric": metric, "metrics": (metric,)}
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] -- untyped callers
        return {"metrics": metrics}
    names = tuple(metrics)
    return {"metric": names[0], "metrics": names} if names else {"metrics": names}


def _one_of(choices: tuple[str, ...], given: object, what: str) -> str:
    if isinstance(given, str) and given in choices:
        return given
    near = difflib.get_close_matches(str(given), choices, n=1)
    meant = f" (did you mean {near[0]!r}?)" if near else ""
    raise traitlets.TraitError(f"No {what} {given!r}{meant}. Choose one of {', '.join(choices)}.")


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
