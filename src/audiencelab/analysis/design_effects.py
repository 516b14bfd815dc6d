"""Design effects of a table that were computed from its respondents.

Made by `client.design_effects(result)` where the survey is at hand, and taken by every
`design_effect=`. They know more than a number can say: what two columns of a row have to do with
one another, what a column has to do with its rest, and how many degrees of freedom there are.
Nothing is computed of respondents here: an engine has done that (`Precision`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.proportions import Cells, Shares, named_columns
from audiencelab.markup import COLUMN_CAP, ROW_CAP, Content, card, element, figure, muted, table
from audiencelab.results.arrow import HasFrame
from audiencelab.results.provenance import waves_fact
from audiencelab.schema import StatsRow
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

DesignMethod = Literal["taylor", "kish"]
DESIGN_METHODS: tuple[str, ...] = get_args(DesignMethod)

Lonely = Literal["adjust", "certainty", "fail"]
LONELY: tuple[str, ...] = get_args(Lonely)
"""What is done with a stratum of a single cluster, which tells nothing of its own variance."""

_LONELY_WORDS = {"adjust": "adjusted", "certainty": "taken for certain"}


class Linearised(Protocol):
    """Shares of 1 and their variances, float64[rows, columns]; what each is, the engine tells."""

    @property
    def share(self) -> Floats: ...
    @property
    def variance(self) -> Floats: ...
    @property
    def rest_variance(self) -> Floats: ...
    @property
    def rest_covariance(self) -> Floats: ...
    @property
    def index_variance(self) -> Floats: ...
    @property
    def covariance(self) -> Floats | None: ...
    @property
    def strata(self) -> int: ...
    @property
    def clusters(self) -> int | None: ...
    @property
    def lonely(self) -> int: ...
    @property
    def freedom(self) -> Floats: ...
    @property
    def degrees_of_freedom(self) -> int: ...
    def freedom_of(self, rows: Places, first: Places, second: Places) -> Floats: ...


class Precision(Protocol):
    """How sure the shares of a table are: Kish's design effects, and variances or none.

    sample, size: respondents and weight in each column. weighing: respondents of row, column and
    base whose weight is not 0, [3, rows, columns]; None where everyone's is. All other arrays are
    [rows, columns].
    """

    @property
    def sample(self) -> NDArray[np.int64]: ...
    @property
    def size(self) -> Floats: ...
    @property
    def kish(self) -> Floats: ...
    @property
    def rest_kish(self) -> Floats: ...
    @property
    def linearised(self) -> Linearised | None: ...
    @property
    def weighing(self) -> Floats | None: ...


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DesignEffects(HasFrame):
    """By how much each share of a table varies more than that of a simple random sample.

    shares: the table. precision: what was found of its respondents.
    effects: float64[rows, columns], the variance of each share, divided by that of as many
        respondents drawn at random. At 0 and 100 % it is Kish's, which follows from the weights
        alone; 0 where the design fixes the share; NaN where all respondents of a column are in
        one cluster, and where nobody is.
    recipe: how they were made, in a line. floored: whether none is below Kish's.
    """

    shares: Shares
    precision: Precision
    effects: Floats
    recipe: str
    floored: bool = False

    @classmethod
    def of(cls, shares: Shares, precision: Precision, lonely: str = "adjust") -> DesignEffects:
        """From what an engine found; lonely: what it did with strata of a single cluster."""
        found = precision.linearised
        variance = None if found is None else found.variance
        effects = _effects(shares.cells, variance, precision.kish)
        recipe = KISH if found is None else _taylor(found, lonely, shares.cells)
        return cls(shares, precision, effects, recipe)

    @property
    def method(self) -> DesignMethod:
        """With regard to strata and clusters ("taylor"), or by the weights alone ("kish")."""
        return "kish" if self.precision.linearised is None else "taylor"

    @property
    def degrees_of_freedom(self) -> int | None:
        """Clusters less strata, in the cell that rests on fewest; None by the weights alone."""
        found = self.precision.linearised
        return None if found is None else found.degrees_of_freedom

    @property
    def rest_freedom(self) -> Floats | None:
        """Degrees of freedom of each column and its rest together, float64[rows, columns]."""
        found = self.precision.linearised
        return None if found is None else found.freedom

    def pair_freedom(self, shares: Shares, first: Places, second: Places) -> Floats | None:
        """Degrees of freedom of pairs of columns: clusters less strata, of those in either.

        shares: the same result as a table. first, second: columns of that table, [rows, pairs].
        """
        found = self.precision.linearised
        if found is None:
            return None
        rows, columns = self._located(shares)
        one, other = (np.take_along_axis(columns, places, axis=1) for places in (first, second))
        return found.freedom_of(np.take_along_axis(rows, first, axis=1), one, other)

    def at_least_kish(self) -> DesignEffects:
        """The same, with no effect below Kish's but where the design fixes a share."""
        found = self.precision.linearised
        if found is None:
            return self
        return replace(self, effects=_floored(self.effects, self.precision.kish), floored=True)

    @property
    def standard_errors(self) -> Floats:
        """Of the shares, in points, float64[rows, columns]; 0 where nothing varies."""
        return 100 * np.sqrt(_simple(self.shares.cells) * self.effects)

    @property
    def index_errors(self) -> Floats | None:
        """Of the logarithm of each index, float64[rows, columns], where it is known."""
        found = self.precision.linearised
        return None if found is None else np.sqrt(found.index_variance)

    @property
    def correlations(self) -> Floats | None:
        """Of the shares of two columns in a row, float64[rows, columns, columns], if known."""
        found = self.precision.linearised
        if found is None or found.covariance is None:
            return None
        error = np.sqrt(found.variance)
        return _ratio(found.covariance, error[:, :, None] * error[:, None, :])

    @property
    def rest_correlations(self) -> Floats | None:
        """Of a column's share and that of its rest, float64[rows, columns], if known."""
        found = self.precision.linearised
        if found is None:
            return None
        return _ratio(found.rest_covariance, np.sqrt(found.variance * found.rest_variance))

    def of_rest(self, rest: Cells) -> Floats:
        """The design effects of those of the base who are not in the column of each cell."""
        found = self.precision.linearised
        kish = self.precision.rest_kish
        effects = _effects(rest, None if found is None else found.rest_variance, kish)
        return _floored(effects, kish) if self.floored else effects

    def of_table(self, shares: Shares) -> Floats:
        """The effects as the same result has its cells, or its trends over waves, in a table.

        Raises `ValueError` for another table.
        """
        down, across = self._located(shares)
        for known, given in zip(_figures(self.shares), _figures(shares), strict=True):
            if not np.array_equal(known[down, across], given, equal_nan=True):
                raise ValueError(_OTHER_TABLE)
        return self.effects[down, across]

    def _located(self, shares: Shares) -> tuple[Places, Places]:
        """Row and column here of each cell of the same result in a table."""
        if "wave" in shares.columns.columns:
            return self._places(_trend_keys(shares), shares.shape)
        if _ids(shares) == _ids(self.shares):
            down, across = np.indices(shares.shape)
            return down, across
        raise ValueError(_OTHER_TABLE)

    def of_lines(self, rows: Sequence[StatsRow]) -> Floats:
        """The effect of each line of a stats result; raises `ValueError` for another result."""
        keys = [(row.datapoint, _column_id(row.segment, row.audience)) for row in rows]
        down, across = self._places(keys, (len(rows),))
        sample = np.array([row.metrics.audience_sample for row in rows], dtype=np.float64)
        if not np.array_equal(self.shares.cells.sample[down, across], sample):
            raise ValueError(_OTHER_TABLE)
        return self.effects[down, across]

    def to_frame(self) -> pd.DataFrame:
        """A long frame, one line a cell, rows first.

        `percentage` with its `standard_error` in points, `design_effect`, `sample` respondents
        in the column, and the `base` that they are worth. `attrs` hold provenance and recipe.
        """
        import pandas as pd

        shares = self.shares
        rows, columns = (each.ravel() for each in np.indices(shares.shape))
        cells = shares.cells
        figures = {
            "percentage": 100 * cells.share,
            "standard_error": self.standard_errors,
            "design_effect": self.effects,
            "sample": cells.sample,
            "base": cells.sample / self.effects,
        }
        named = named_columns(shares.rows, rows) | named_columns(shares.columns, columns)
        made = pd.DataFrame(named | {name: values.ravel() for name, values in figures.items()})
        made.attrs.update(shares.provenance, recipe=self.recipe)
        return made

    def __repr__(self) -> str:
        rows, columns = self.shares.shape
        size = f"{plural(rows, 'row')} × {plural(columns, 'column')}"
        return f"<DesignEffects {size}, {effect_words(self.effects)}: {self.recipe}>"

    def _repr_html_(self) -> str:
        rows, columns = self.shares.rows.names, self.shares.columns.names
        heads: list[Content] = ["", *columns[:COLUMN_CAP]]
        lines: list[list[Content]] = [
            [name, *(figure(value, 2) for value in values[:COLUMN_CAP])]
            for name, values in zip(rows[:ROW_CAP], self.effects.tolist(), strict=False)
        ]
        listed = table(
            heads,
            lines,
            numeric=range(1, len(heads)),
            most=ROW_CAP,
            hidden=len(rows) - len(lines),
        )
        hidden = len(columns) - COLUMN_CAP
        waves = waves_fact(self.shares.provenance)
        facts = [effect_words(self.effects), *([waves] if waves else [])]
        facts += [f"… and {plural(hidden, 'more column')}"] if hidden > 0 else []
        recipe = element("div", muted(f"{self.recipe}."), style="max-width:60em")
        return str(card("Design effects", listed, recipe, subtitle=" · ".join(facts)))

    def _places(
        self, keys: Iterable[tuple[str, str]], shape: tuple[int, ...]
    ) -> tuple[Places, Places]:
        """Row and column of each cell that is called so, in the shape of what they are for."""
        down, across = ({each: at for at, each in enumerate(ids)} for ids in _ids(self.shares))
        try:
            places = [(down[row], across[column]) for row, column in keys]
        except KeyError:
            raise ValueError(_OTHER_TABLE) from None
        found = np.array(places, dtype=np.intp).reshape(*shape, 2)
        return found[..., 0], found[..., 1]


KISH = "Kish's design effects, from the weights alone"

_NOTHING = 1e-10
"""A design effect below this is the rounding of a share that the design fixes."""

_OTHER_TABLE = (
    "These design effects are of another table. Make them of the very result that they are for: "
    "effects = client.design_effects(result), and then result.intervals(design_effect=effects)."
)


def design_words(given: object) -> str:
    """How design effects were made, where they were computed."""
    return given.recipe if isinstance(given, DesignEffects) else ""


def effect_words(effects: Floats) -> str:
    """The range of some design effects, as a recipe names it."""
    known = effects[~np.isnan(effects)]
    # A result with nothing in it has no design effect, and nothing to differ from it.
    low, high = (float(known.min()), float(known.max())) if known.size else (1.0, 1.0)
    if f"{low:.2f}" == f"{high:.2f}":
        return f"design effect {low:.3g}"
    return f"design effects {low:.2f} to {high:.2f}"


def _taylor(found: Linearised, lonely: str, cells: Cells) -> str:
    clusters = found.clusters
    parts = [
        "Taylor linearisation",
        f"{found.strata:,} {'stratum' if found.strata == 1 else 'strata'}",
        "each respondent a cluster" if clusters is None else plural(clusters, "cluster"),
        f"{plural(found.lonely, 'lonely cluster')} {_LONELY_WORDS[lonely]}" if found.lonely else "",
        "Kish's design effect at 0 and 100 %" if (_simple(cells) == 0).any() else "",
    ]
    return ", ".join(filter(None, parts))


def _simple(cells: Cells) -> Floats:
    """The variance of each share if its respondents had been drawn at random."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return cells.share * (1 - cells.share) / cells.sample


def _effects(cells: Cells, variance: Floats | None, kish: Floats) -> Floats:
    if variance is None:
        return kish
    simple = _simple(cells)
    # A share of 0 or 100 % has no variance, and one in a single cluster none that is known (NaN).
    effects = np.where(simple > 0, _ratio(variance, simple), kish)
    effects = np.where(effects < _NOTHING, 0.0, effects)
    return np.where(np.isnan(variance), np.nan, effects)


def _floored(effects: Floats, kish: Floats) -> Floats:
    return np.where(effects == 0, 0.0, np.maximum(effects, kish))


def _ratio(part: Floats, whole: Floats) -> Floats:
    """The quotient; 0 where there is nothing to divide by, as where a share does not vary."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _figures(shares: Shares) -> tuple[Floats, Floats]:
    return shares.cells.share, shares.cells.sample


def _ids(shares: Shares) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What rows and columns are told apart by: the first of the columns that name them."""
    rows, columns = (next(iter(each.columns.values())) for each in (shares.rows, shares.columns))
    return rows, columns


def _trend_keys(shares: Shares) -> Iterator[tuple[str, str]]:
    """Datapoint and column of each cell of a table of waves."""
    points, waves = _ids(shares)
    audiences = shares.rows.columns.get("audience", ("",) * len(points))
    return (
        (point, _column_id(wave, audience))
        for point, audience in zip(points, audiences, strict=True)
        for wave in waves
    )


def _column_id(segment: str | None, audience: str | None) -> str:
    return " ".join(filter(None, (segment, audience)))
