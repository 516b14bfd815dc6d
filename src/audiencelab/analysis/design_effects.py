"""Design effects of a table, computed from its respondents by the engine.

They know more than a number: the correlation of two columns in a row, of a column and the rest,
and the degrees of freedom of each test.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.proportions import CellEstimates, Proportions, column_id
from audiencelab.figures import figure
from audiencelab.hidden_members import hide_members
from audiencelab.markup import (
    COLUMN_CAP,
    ROW_CAP,
    Content,
    card,
    element,
    muted,
    note,
    table,
)
from audiencelab.results.arrow import HasFrame
from audiencelab.results.made import Made
from audiencelab.results.provenance import waves_fact, waves_words, weight_fact
from audiencelab.results.record import metadata_of, record_of, sourced
from audiencelab.results.record_text import csv_head
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.schema.local import Linearised, Precision

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]

DesignMethod = Literal["auto", "replicates", "taylor", "kish"]
DESIGN_METHODS: tuple[str, ...] = get_args(DesignMethod)

Lonely = Literal["adjust", "certainty", "fail"]
LONELY: tuple[str, ...] = get_args(Lonely)
"""How a stratum with a single cluster is treated, which has no variance of its own."""

_LONELY_WORDS = {"adjust": "adjusted", "certainty": "taken for certain"}

PAIRED = "persons paired across waves"
"""That a result rests on several waves of a panel, as the engine's notes have it."""
POINTS = "sampling points in common across waves"
"""The same of waves that were drawn from the same clusters."""

KISH = "Kish's design effects, from the weights alone"

_TITLE = "Design effects"

_ROUNDING = 1e-10
"""A design effect below this is the rounding of a proportion that the design fixes."""

_OTHER_TABLE = (
    "These design effects are of another table. Make them of the very result that they are for: "
    "effects = client.design_effects(result), and then result.intervals(design=effects)."
)


@hide_members("lonely", "made", "method", "refused")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DesignEffects(HasFrame):
    """How much larger the variance of each proportion is than in a simple random sample.

    table: the proportions. precision: what the engine computed of the respondents.
    effects: float64[rows, columns], the variance of each proportion, divided by that of as many
        respondents drawn at random. At 0 and 100% it is Kish's, which follows from the weights
        alone; 0 where the design fixes the proportion; NaN where all respondents of a column are
        in one cluster, and in an empty column.
    method_note: how they were made, in a sentence. lonely: how strata of one cluster were treated.
    made: the same as code, for `to_code`.
    """

    table: Proportions
    precision: Precision
    effects: Floats
    method_note: str
    lonely: Lonely = "adjust"
    made: Made = None

    @property
    def refused(self) -> str:
        """Why the declared design shows no variance; "" where it does, or none is declared."""
        return self.precision.refused

    @property
    def method(self) -> DesignMethod:
        """From replicate weights, by strata and clusters ("taylor"), or by the weights alone."""
        found = self.precision.linearised
        if found is None:
            return "kish"
        return "taylor" if found.replicates is None else "replicates"

    @property
    def degrees_of_freedom(self) -> int | None:
        """Clusters less strata, in the cell that rests on fewest; None by the weights alone."""
        found = self.precision.linearised
        return None if found is None else found.degrees_of_freedom

    @property
    def standard_errors(self) -> Floats:
        """Of the percentages, in points, float64[rows, columns]; 0 where nothing varies."""
        return 100 * np.sqrt(_simple_variance(self.table.cells) * self.effects)

    def to_frame(self) -> pd.DataFrame:
        """A long frame, one line a cell, rows first.

        `percentage` with its `standard_error` in points, `design_effect`, `sample` respondents
        in the column, and the `base` that they are worth. `attrs` hold provenance and method note.

        >>> effects = client.design_effects(client.crosstab("Gender", "Age", waves="latest 1"))
        >>> effects.to_frame()["design_effect"].round(2).tolist()[:2]
        [1.3, 1.42]
        """
        import pandas as pd

        cells = self.table.cells
        rows, columns = (each.ravel() for each in np.indices(self.table.shape))
        figures = {
            "percentage": 100 * cells.value,
            "standard_error": self.standard_errors,
            "design_effect": self.effects,
            "sample": cells.sample,
            "base": cells.sample / self.effects,
        }
        named = self.table.rows.frame_columns(rows) | self.table.columns.frame_columns(columns)
        frame = pd.DataFrame(named | {name: values.ravel() for name, values in figures.items()})
        frame.attrs.update(self.table.provenance, method_note=self.method_note)
        return frame

    def __repr__(self) -> str:
        rows, columns = self.table.shape
        size = f"{plural(rows, 'row')} × {plural(columns, 'column')}"
        effects, waves = effect_words(self.effects), waves_words(self.table.provenance)
        return f"<DesignEffects {size}, {effects}{waves}: {self.method_note}>"

    def _repr_html_(self) -> str:
        rows, columns = self.table.rows.names, self.table.columns.names
        header: list[Content] = ["", *columns[:COLUMN_CAP]]
        lines: list[list[Content]] = [
            [name, *(figure(value, 2) for value in values[:COLUMN_CAP])]
            for name, values in zip(rows[:ROW_CAP], self.effects.tolist(), strict=False)
        ]
        numeric, hidden = range(1, len(header)), len(rows) - len(lines)
        more = max(0, len(columns) - COLUMN_CAP)
        listed = table(header, lines, numeric=numeric, hidden=hidden, hidden_columns=more)
        known = self.table.provenance
        facts = [effect_words(self.effects), waves_fact(known), weight_fact(known)]
        method = element("div", muted(f"{self.method_note}."), style="max-width:60em")
        source = note(sourced(known).line())
        said = " · ".join(filter(None, facts))
        return str(card(_TITLE, listed, method, source, subtitle=said))

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        shown = {"text/plain": repr(self), "text/html": self._repr_html_()}
        return shown, metadata_of(self, title=_TITLE)

    def _csv_head(self) -> str:
        return csv_head(record_of(self, title=_TITLE))


def effects_of(
    table: Proportions, precision: Precision, lonely: Lonely = "adjust"
) -> DesignEffects:
    """Design effects by the engine's precision; lonely: how strata of one cluster were treated."""
    found = precision.linearised
    if precision.refused:
        # A design that cannot be used leaves no errors: another one would be too small.
        unknown = np.full_like(precision.kish, np.nan, dtype=np.float64)
        note = f"no test and no interval: {precision.refused.partition(chr(10))[0]}"
        return DesignEffects(table, precision, unknown, note.rstrip("."))
    variance = None if found is None else found.variance
    effects = _effects(table.cells, variance, precision.kish)
    note = KISH if found is None else _taylor_note(found, lonely, table.cells)
    return DesignEffects(table, precision, effects, note, lonely=lonely)


def effects_of_rest(effects: DesignEffects, rest: CellEstimates) -> Floats:
    """The design effects of the rest of the base, for each cell."""
    found, kish = effects.precision.linearised, effects.precision.rest_kish
    return _effects(rest, None if found is None else found.rest_variance, kish)


def effects_of_table(effects: DesignEffects, table: Proportions) -> Floats:
    """The effects of the same result, or of its trends over waves, as a table has its cells.

    Raises `ValueError` for another table.
    """
    down, across = located(effects, table)
    known, given = effects.table.cells, table.cells
    # Tables of other waves or of another base have the same ids, but not the same figures.
    for one, other in ((known.value, given.value), (known.sample, given.sample)):
        if not np.array_equal(one[down, across], other, equal_nan=True):
            raise ValueError(_OTHER_TABLE)
    return effects.effects[down, across]


def located(effects: DesignEffects, table: Proportions) -> tuple[Positions, Positions]:
    """Where the cells of a table are among those that the effects are of, each [rows, columns].

    Raises `ValueError` for another table.
    """
    ids = table.rows.ids, table.columns.ids
    # A table by waves has audiences down; the effects have each wave × audience as a column.
    if "wave" in table.columns.columns:
        audiences = table.rows.columns.get("audience", ("",) * len(ids[0]))
        keys = (
            (point, column_id(wave, audience))
            for point, audience in zip(ids[0], audiences, strict=True)
            for wave in ids[1]
        )
        return _positions(effects, keys, table.shape)
    if ids != (effects.table.rows.ids, effects.table.columns.ids):
        raise ValueError(_OTHER_TABLE)
    down, across = np.indices(table.shape)
    return down, across


def _positions(
    effects: DesignEffects, keys: Iterable[tuple[str, str]], shape: tuple[int, ...]
) -> tuple[Positions, Positions]:
    down, across = (
        {each: position for position, each in enumerate(axis.ids)}
        for axis in (effects.table.rows, effects.table.columns)
    )
    try:
        pairs = [(down[row], across[column]) for row, column in keys]
    except KeyError:
        raise ValueError(_OTHER_TABLE) from None
    found = np.array(pairs, dtype=np.intp).reshape(*shape, 2)
    return found[..., 0], found[..., 1]


def design_words(given: object) -> str:
    """How design effects were made, if they were computed."""
    return given.method_note if isinstance(given, DesignEffects) else ""


def effect_words(effects: Floats) -> str:
    """The range of design effects, for a method note; "" where none is known."""
    known = effects[~np.isnan(effects)]
    if not known.size:
        return ""
    low, high = float(known.min()), float(known.max())
    if f"{low:.2f}" == f"{high:.2f}":
        return f"design effect {low:.3g}"
    return f"design effects {low:.2f} to {high:.2f}"


def _taylor_note(found: Linearised, lonely: str, cells: CellEstimates) -> str:
    if found.replicates is not None:
        return sample_words(found, lonely)
    of_ends = "Kish's design effect at 0 and 100%" if (_simple_variance(cells) == 0).any() else ""
    parts = "Taylor linearisation", sample_words(found, lonely), of_ends
    return ", ".join(filter(None, parts))


def sample_words(found: Linearised, lonely: str = "adjust") -> str:
    """What variances rest on: strata and clusters, or replicate weights.

    lonely: how strata of one cluster were treated.
    """
    paired = PAIRED if found.paired else POINTS if found.common_points else ""
    if found.replicates is not None:
        return ", ".join(filter(None, [found.replicates, paired]))
    clusters = found.clusters
    strata = f"{found.strata:,} {'stratum' if found.strata == 1 else 'strata'}"
    alone = "has" if found.lonely == 1 else "have"
    parts = [
        strata,
        "each respondent a cluster" if clusters is None else plural(clusters, "cluster"),
        f"{found.lonely:,} of {strata} {alone} one cluster ({_LONELY_WORDS[lonely]})"
        if found.lonely
        else "",
        "raking accounted for" if found.raked else "",
        paired,
    ]
    return ", ".join(filter(None, parts))


def _simple_variance(cells: CellEstimates) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return cells.value * (1 - cells.value) / cells.sample


def _effects(cells: CellEstimates, variance: Floats | None, kish: Floats) -> Floats:
    return effects_of_shares(cells.value, cells.sample, variance, kish)


def effects_of_shares(
    value: Floats, sample: Floats, variance: Floats | None, kish: Floats
) -> Floats:
    """Design effects of proportions of 1 from their variances; variance: None for Kish's.

    sample: respondents in the denominators. 0 where the design fixes the proportion.
    """
    if variance is None:
        return kish
    with np.errstate(divide="ignore", invalid="ignore"):
        simple = value * (1 - value) / sample
    # 0 and 100% have no variance; in a single cluster the variance is unknown (NaN).
    effects = np.where(simple > 0, _ratio(variance, simple), kish)
    # A share that the design fixes has a variance of 0 but for rounding.
    effects = np.where(effects < _ROUNDING, 0.0, effects)
    return np.where(np.isnan(variance), np.nan, effects)


def _ratio(part: Floats, whole: Floats) -> Floats:
    """The quotient; 0 where the divisor is 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
