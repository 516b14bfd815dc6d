"""Correspondence analysis: a crosstab's rows and columns as points, by how their profiles differ.

The formulas are those of M. Greenacre, *Correspondence Analysis in Practice* (3rd edition, 2017,
appendix A): the singular value decomposition of the table's standardised residuals. Points are
worked out here, drawn by `charts.correspondence`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience
from audiencelab.hidden_members import hide_members
from audiencelab.results.arrow import HasFrame
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.made import Made
from audiencelab.results.provenance import waves_words
from audiencelab.results.record import record_of
from audiencelab.results.record_text import csv_head
from audiencelab.results.stats import Provenance
from audiencelab.results.undefined import NO_WAVE
from audiencelab.results.who_counts import reasons
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

Scaling = Literal["symmetric", "row-principal", "column-principal"]
"""Which side has principal coordinates; the other one has standard ones, unless it is symmetric."""

_NOTHING = 1e-12
"""Inertia, as a share of 1, that is no more than the rounding of the decomposition."""

_TIE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """The points of one side: all of its audiences, in the table's order.

    active: bool[points], those that make the dimensions. placed: bool[points], those that have a
        place at all: an audience of nobody has none.
    sizes: float64[points], people, counted over the other side's active audiences.
    masses: float64[points], an active point's share of all people, NaN for the others.
    standard: float64[points, dimensions], coordinates whose weighted mean square is 1.
    distances: float64[points], squared chi-square distance from the average profile.
    """

    audiences: tuple[Audience, ...]
    active: Mask
    placed: Mask
    sizes: Floats
    masses: Floats
    standard: Floats
    distances: Floats


@hide_members("coordinates", "cos2", "made")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Correspondence(HasFrame):
    """What `CrosstabResult.correspondence()` gives: dimensions, and where everybody lies on them.

    table: what was analysed. rows, columns: the points.
    inertias: float64[dimensions], largest first; they add up to chi-square over the people.
    sharing: the sides on which people are in several audiences, "rows" or "columns" or both.
    method_note: what the figures depend on, in words. made: how it was made, for `to_code`.
    """

    table: CrosstabData
    rows: Cloud
    columns: Cloud
    inertias: Floats
    sharing: tuple[str, ...]
    method_note: str
    made: Made = None

    @property
    def percentages(self) -> Floats:
        """How much of the inertia each dimension shows, float64[dimensions], 0 to 100."""
        return 100 * self.inertias / self.inertias.sum()

    def coordinates(self, scaling: Scaling = "symmetric") -> tuple[Floats, Floats]:
        """Where rows and columns lie, float64[points, dimensions] each; NaN without a place.

        Principal coordinates are distances between profiles; standard ones are those of imaginary
        profiles that hold one answer alone. Raises `ValueError` for another scaling.

        >>> points = client.crosstab("Finding brands", "Age").correspondence()
        >>> [each.shape for each in points.coordinates("row-principal")]
        [(20, 6), (7, 6)]
        """
        if scaling not in get_args(Scaling):
            known = ", ".join(map(repr, get_args(Scaling)))
            raise ValueError(f"No scaling {scaling!r}. Choose one of {known}.")
        principal = np.sqrt(self.inertias)
        return (
            self.rows.standard * (1 if scaling == "column-principal" else principal),
            self.columns.standard * (1 if scaling == "row-principal" else principal),
        )

    def cos2(self, cloud: Cloud) -> Floats:
        """How much of each point's distance a dimension shows, float64[points, dimensions], 0 to 1.

        NaN where a point lies in the middle itself: there is nothing to show.

        >>> points = client.crosstab("Finding brands", "Age").correspondence()
        >>> points.cos2(points.rows).shape
        (20, 6)
        """
        away = np.where(cloud.distances > _NOTHING, cloud.distances, np.nan)[:, None]
        return cloud.standard**2 * self.inertias / away

    @property
    def provenance(self) -> Provenance:
        """Where the table's figures come from."""
        return self.table.provenance

    def to_frame(self, dimensions: int = 2, scaling: Scaling = "symmetric") -> pd.DataFrame:
        """A line for each row and column of the table.

        dimensions: how many to tell, from the first. scaling: of the coordinates.

        `size` is people, `mass` the share of all of them, `inertia` the point's share of the
        table's inertia, and `quality` how much of its distance from the middle these dimensions
        show together, all from 0 to 1. For each dimension k there are `dimension_k`, the
        coordinate; `cos2_k`, its part of the quality; and `contribution_k`, the point's part in
        making the dimension. Supplementary points have no mass and contribute nothing; what has
        no place is NaN, and `note` says why. `attrs` hold method_note and provenance.

        >>> client.crosstab("Finding brands", "Age").correspondence().to_frame().shape
        (27, 15)
        """
        import pandas as pd

        if dimensions < 1:
            raise ValueError(f"At least one dimension has to be told, not {dimensions}.")
        told = min(dimensions, len(self.inertias))
        sides = zip(
            ("row", "column"), (self.rows, self.columns), self.coordinates(scaling), strict=True
        )
        frame = pd.concat(
            [self._lines(side, cloud, places, told) for side, cloud, places in sides],
            ignore_index=True,
        )
        frame.attrs.update(
            self.table.provenance,
            method_note=self.method_note,
            inertias=self.inertias.tolist(),
            percentages=self.percentages.tolist(),
        )
        return frame

    def _lines(self, side: str, cloud: Cloud, places: Floats, dimensions: int) -> pd.DataFrame:
        import pandas as pd

        cos2 = self.cos2(cloud)
        contributions = cloud.masses[:, None] * cloud.standard**2
        frame = pd.DataFrame(
            {
                "side": side,
                "id": [audience.id or "" for audience in cloud.audiences],
                "name": [audience.name for audience in cloud.audiences],
                "supplementary": cloud.placed & ~cloud.active,
                "size": cloud.sizes,
                "mass": cloud.masses,
                "inertia": cloud.masses * cloud.distances / self.inertias.sum(),
                "quality": cos2[:, :dimensions].sum(axis=1),
            }
        )
        for place in range(dimensions):
            frame[f"dimension_{place + 1}"] = places[:, place]
            frame[f"cos2_{place + 1}"] = cos2[:, place]
            frame[f"contribution_{place + 1}"] = contributions[:, place]
        frame["note"] = np.where(cloud.placed, "", "nobody")
        return frame

    def _csv_head(self) -> str:
        return csv_head(record_of(self))

    def __repr__(self) -> str:
        rows, columns = int(self.rows.active.sum()), int(self.columns.active.sum())
        shown = ", ".join(f"{share:.1f}%" for share in self.percentages[:2])
        return (
            f"<Correspondence {plural(rows, 'row')} × {plural(columns, 'column')}, "
            f"dimensions of {shown}{waves_words(self.provenance)}>"
        )


def correspondence(table: CrosstabData, supplementary: str | Sequence[str] = ()) -> Correspondence:
    """See `CrosstabResult.correspondence`."""
    sizes = _sizes(table)
    named = _named(table, supplementary)
    # Totals and nets include others, so they are shown but make no dimension.
    down, across = ~(named[0] | _whole(table, "row")), ~(named[1] | _whole(table, "column"))
    # Whoever is empty beside the active others has no profile; each side is judged by the other.
    down, across = _peopled(sizes, down, across)
    if down.sum() < 2 or across.sum() < 2:
        raise ValueError(
            "A correspondence analysis needs two rows and two columns at least that hold people, "
            f"not {int(down.sum())} × {int(across.sum())}: totals and supplementary ones make no "
            "dimension."
        )
    inertias, rows, columns = _decomposed(sizes[np.ix_(down, across)])
    row_cloud = _cloud(table.rows, sizes[:, across], down, columns, inertias)
    column_cloud = _cloud(table.columns, sizes[down].T, across, rows, inertias)
    sharing = _sharing(table, down, across)
    method_note = _method_note(table, row_cloud, column_cloud, sharing)
    return Correspondence(table, row_cloud, column_cloud, inertias, sharing, method_note)


def _sizes(table: CrosstabData) -> Floats:
    """People in each cell; `ValueError` where one has not come, or cannot be known."""
    if not table.complete:
        raise ValueError(
            f"{table.expected - table.count:,} of {table.expected:,} cells have not arrived: a "
            "correspondence analysis needs all of them."
        )
    unknown = table.values("base_sample") == 0
    # A row that nobody was asked about is left out like one of nobody; a hole cannot be.
    holes = unknown & ~unknown.all(axis=1, keepdims=True) & ~unknown.all(axis=0)
    if holes.any():
        row, column = (int(places[0]) for places in np.nonzero(holes))
        valid = table.who.valid
        reason = f"no figure ({reasons(table)[row, column]})" if valid else NO_WAVE
        raise ValueError(
            f"The row {table.rows[row].name!r} and the column {table.columns[column].name!r} have "
            f"{reason}, so how many are in both is not known. Leave one of them "
            "out, or ask for waves in which both were asked."
        )
    return table.values("size")


def _named(table: CrosstabData, supplementary: str | Sequence[str]) -> tuple[Mask, Mask]:
    """Which rows and columns are meant, by name or id, and nets; `ValueError` for another name."""
    if not isinstance(cast(object, supplementary), Iterable):
        raise TypeError(
            f"Supplementary rows and columns are told by name or id, not by {supplementary!r}."
        )
    names = [supplementary] if isinstance(supplementary, str) else list(supplementary)
    sides = (table.rows, table.columns)
    known = {each for side in sides for audience in side for each in (audience.id, audience.name)}
    for name in names:
        if name not in known:
            raise ValueError(f"No row or column is called {name!r}, by its name or by its id.")
    down, across = (
        np.array([audience.id in names or audience.name in names for audience in side], dtype=bool)
        for side in sides
    )
    return down | np.array(table.row_nets, dtype=bool), across


def _whole(table: CrosstabData, side: str) -> Mask:
    everyone = (table.values(f"{side}_size") == table.values("base_size")) & (
        table.values(f"{side}_sample") == table.values("base_sample")
    )
    return everyone.all(axis=1 if side == "row" else 0)


def _peopled(sizes: Floats, down: Mask, across: Mask) -> tuple[Mask, Mask]:
    # A row whose people are all in columns that are left out is empty here, too.
    within = sizes * np.outer(down, across)
    return within.sum(axis=1) > 0, within.sum(axis=0) > 0


def _decomposed(sizes: Floats) -> tuple[Floats, Floats, Floats]:
    """Inertias, and the standard coordinates of rows and columns, float64[points, dimensions].

    sizes: float64[rows, columns] without an empty row or column.
    """
    shares = sizes / sizes.sum()
    down, across = shares.sum(axis=1), shares.sum(axis=0)
    expected = np.outer(down, across)
    # Greenacre's S, the standardised residuals: its singular values squared are the inertias.
    left, singular, right = np.linalg.svd(
        (shares - expected) / np.sqrt(expected), full_matrices=False
    )
    # Residuals have one dimension fewer than the shorter side; the last one is rounding alone.
    singular = singular[: min(sizes.shape) - 1]
    singular = singular[singular**2 > _NOTHING]
    if not singular.size:
        raise ValueError(
            "All rows have the same profile: there is no difference that could be analysed."
        )
    rows = left[:, : len(singular)] / np.sqrt(down)[:, None]
    columns = right[: len(singular)].T / np.sqrt(across)[:, None]
    turn = _turns(right[: len(singular)].T)
    return singular**2, rows * turn, columns * turn


def _turns(vectors: Floats) -> Floats:
    """±1 for each dimension, so that the column that makes most of it lies on its positive side.

    The decomposition leaves signs open; without a rule a map could be mirrored on another machine.
    """
    size = np.abs(vectors)
    # With a tolerance, since rounding may order equal columns differently on another machine.
    first = (size >= size.max(axis=0) - _TIE).argmax(axis=0)
    return np.sign(vectors[first, np.arange(vectors.shape[1])])


def _cloud(
    audiences: tuple[Audience, ...],
    sizes: Floats,
    active: Mask,
    others: Floats,
    inertias: Floats,
) -> Cloud:
    """A side's points, supplementary ones among them, by the transition formula.

    sizes: float64[points, active points of the other side]; others: their standard coordinates.
    A profile lies at the average of the other side's standard coordinates that it is weighted by.
    """
    totals = sizes.sum(axis=1)
    placed = totals > 0
    profiles = np.full(sizes.shape, np.nan)
    profiles[placed] = sizes[placed] / totals[placed, None]
    average = sizes[active].sum(axis=0) / sizes[active].sum()
    return Cloud(
        audiences,
        active,
        placed,
        sizes=totals,
        masses=np.where(active, totals / totals[active].sum(), np.nan),
        standard=profiles @ others / np.sqrt(inertias),
        distances=((profiles - average) ** 2 / average).sum(axis=1),
    )


def _sharing(table: CrosstabData, down: Mask, across: Mask) -> tuple[str, ...]:
    """The sides of which the active audiences hold more respondents together than there are."""
    cells = table.values("sample")[np.ix_(down, across)]
    # Samples, not sizes: services round sizes, which may add up to more by themselves.
    in_columns = table.values("column_sample")[:, across].max(axis=0)
    in_rows = table.values("row_sample")[down].max(axis=1)
    more = {
        "rows": bool((cells.sum(axis=0) > in_columns).any()),
        "columns": bool((cells.sum(axis=1) > in_rows).any()),
    }
    return tuple(side for side, shared in more.items() if shared)


def _method_note(table: CrosstabData, rows: Cloud, columns: Cloud, sharing: Sequence[str]) -> str:
    active = f"{plural(int(rows.active.sum()), 'row')} × {int(columns.active.sum())} columns"
    said = [f"Correspondence analysis (Greenacre) of the people in {active}."]
    said += [
        f"{side.capitalize()} share people, so that masses count answers, not people."
        for side in sharing
    ]
    clouds = (rows, columns)
    if names := _names(clouds, [cloud.placed & ~cloud.active for cloud in clouds]):
        said.append(f"Supplementary, without a part in the dimensions: {names}.")
    if names := _names(clouds, [~cloud.placed for cloud in clouds]):
        said.append(f"Left out, since nobody is in them: {names}.")
    if table.base_varies:
        said.append(f"Cells rest on different {'bases' if table.who.valid else 'waves'}.")
    return " ".join(said)


def _names(clouds: Sequence[Cloud], chosen: Sequence[Mask]) -> str:
    return ", ".join(
        cloud.audiences[place].name
        for cloud, mask in zip(clouds, chosen, strict=True)
        for place in np.flatnonzero(mask)
    )
