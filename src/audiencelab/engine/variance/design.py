"""The sample that a table rests on: strata and clusters of its waves, and degrees of freedom.

Only the first stage of the sampling, with replacement unless the survey knows how many units there
are (fpc): what was drawn within a cluster shows in the cluster's totals. In a wave without clusters
each respondent was drawn alone; one without strata is a single stratum. Each wave is a sample of
its own, except those of a panel, in which persons are in several, and those that were drawn from
the same clusters: these are one sample, whose units are its clusters, or its persons, over all of
its waves. Both are called a panel here.

Degrees of freedom are those of R's `degf(subset(design, …))`: of the base, and of each two columns
together; only respondents whose weight is not 0 count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.bitset import Words
from audiencelab.engine.kernel import pair_counts
from audiencelab.engine.masks import WaveFrame
from audiencelab.schema.local import VarianceError as VarianceError
from audiencelab.survey.answers import Design, unpack

if TYPE_CHECKING:
    from audiencelab.survey import WaveData

Places = NDArray[np.intp]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

Lonely = Literal["adjust", "certainty", "fail"]
PAIRED = "persons paired across waves"
"""How notes put that a table rests on several waves of a panel."""
POINTS = "sampling points in common across waves"
"""The same of waves that were drawn from the same clusters."""

_SAME = 1e-9
"""Weights that are nearer to each other than this part of the largest are equal."""

LONELY: tuple[str, ...] = get_args(Lonely)
"""What is done with a stratum of a single cluster, which shows no variance of its own: compare it
with the whole sample, take it as drawn for certain, or fail."""


@dataclass(frozen=True, slots=True)
class WaveDesign:
    """Strata and clusters of a wave's n respondents, numbered from 0.

    The other arrays are those of all waves of a panel.

    stratum: intp[n], of each respondent. cluster: intp[n], the same, or None where each respondent
        was drawn alone; those of a stratum have numbers in a row.
    stratum_of: intp[units], of each cluster, or of each respondent.
    scale: float64[strata], n_h ÷ (n_h - 1) with n_h the units of the stratum.
    centre: float64[strata], what of a squared stratum total is taken off: scale ÷ n_h.
    lonely: how many strata have a single unit.
    not_drawn: which part of the units of the population was not drawn, on average of respondents.
    panel: whether it is a wave of a panel, with the strata and clusters of its other waves.
    """

    stratum: Places
    cluster: Places | None
    stratum_of: Places
    scale: Floats
    centre: Floats
    lonely: int
    not_drawn: float = 1.0
    panel: bool = False

    @classmethod
    def all_of(cls, waves: Sequence[WaveData], lonely: Lonely) -> list[WaveDesign]:
        """The designs of some waves; raises `VarianceError` for lonely clusters that are to fail.

        Strata and clusters that some waves of a panel lack are left out in all of them.
        """
        panel, found = panel_of(waves), dict[str, WaveDesign]()
        for wave in waves:
            if wave not in panel:
                found[wave.code] = cls._of([wave], wave.design, lonely)
        if panel:
            designs = [wave.design for wave in panel]
            columns = [design.columns() for design in designs]
            joined = {
                name: np.concatenate([each[name] for each in columns])
                for name in ("strata", "clusters", "persons")
                # A column that only some waves have would put the others into a stratum or a
                # cluster of their own.
                if all(name in each for each in columns)
            }
            sizes = [design.fpc for design in designs if design.fpc is not None]
            fpc = np.concatenate(sizes) if len(sizes) == len(designs) else None
            # The larger unit where both are known, as persons are drawn within clusters.
            units = joined["clusters"] if "clusters" in joined else joined["persons"]
            whole = cls._of(panel, Design(joined.get("strata"), units, fpc), lonely)
            assert whole.cluster is not None
            ends = np.cumsum([wave.respondents for wave in panel])[:-1]
            parts = np.split(whole.stratum, ends), np.split(whole.cluster, ends)
            for wave, stratum, cluster in zip(panel, *parts, strict=True):
                found[wave.code] = replace(whole, stratum=stratum, cluster=cluster, panel=True)
        return [found[wave.code] for wave in waves]

    @classmethod
    def _of(cls, waves: Sequence[WaveData], design: Design, lonely: Lonely) -> WaveDesign:
        respondents = sum(wave.respondents for wave in waves)
        name = f"Wave{'s' * (len(waves) > 1)} {', '.join(wave.code for wave in waves)}"
        stratum = np.zeros(respondents, dtype=np.intp)
        if design.strata is not None:
            stratum = np.unique(design.strata, return_inverse=True)[1].reshape(-1)
        cluster, stratum_of = None, stratum
        if design.clusters is not None:
            # One number in two strata is two clusters: each stratum was drawn from by itself.
            number = np.unique(design.clusters, return_inverse=True)[1].reshape(-1)
            within = stratum * (number.max(initial=0) + 1) + number
            # Sorted by stratum first, so the clusters of a stratum get numbers in a row.
            _, first, cluster = np.unique(within, return_index=True, return_inverse=True)
            stratum_of = stratum[first]
        units = np.bincount(stratum_of)
        alone = units == 1
        if lonely == "fail" and alone.any():
            count = int(alone.sum())
            strata_have = "1 stratum has" if count == 1 else f"{count:,} strata have each"
            raise VarianceError(
                f"{name}: {strata_have} a single cluster, which shows no variance. "
                "Merge such strata, or choose lonely='adjust' or 'certainty'."
            )
        scale, not_drawn = units / np.maximum(units - 1, 1), np.ones(len(units))
        if design.fpc is not None:
            not_drawn = _not_drawn(name, design.fpc, stratum, units)
        scale = scale * not_drawn
        if lonely == "certainty":
            scale[alone] = 0.0
        # Σ (a - ā)² is computed as Σ a² - (Σ a)² ÷ n. A lonely cluster is not centred: what
        # respondents add to a share sums to 0 over the whole sample.
        centre = np.where(alone, 0.0, scale / units)
        left = float(not_drawn[stratum].mean()) if len(stratum) else 1.0
        return cls(stratum, cluster, stratum_of, scale, centre, int(alone.sum()), left)

    @property
    def strata(self) -> int:
        return len(self.scale)

    @property
    def units(self) -> int:
        """Clusters, or respondents where there are none."""
        return len(self.stratum_of)

    @property
    def unit_of(self) -> tuple[Places, int]:
        """The cluster of each respondent, and how many there are; strata where there are none."""
        if self.cluster is None:
            return self.stratum, self.strata
        return self.cluster, self.units


def panel_of(waves: Sequence[WaveData]) -> list[WaveData]:
    """The waves of a panel among some: those with persons, if any person is in two of them.

    Or those whose clusters recur, if any is in two of them.
    """
    known = [(wave, wave.in_common) for wave in waves if wave.in_common is not None]
    pairs = combinations([numbers for _, numbers in known], 2)
    return [wave for wave, _ in known] if any(_meet(*pair) for pair in pairs) else []


def in_common_words(waves: Sequence[WaveData]) -> str:
    """What the waves of a panel among some have in common; "" where there are none."""
    panel = panel_of(waves)
    if not panel:
        return ""
    return PAIRED if any(wave.design.persons is not None for wave in panel) else POINTS


def _meet(one: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    """Whether two ascending lists have a number in common."""
    # Most panels show it by their first persons.
    for some in (one[:100], one):
        at = np.searchsorted(other, some)
        inside = at < len(other)
        if bool((other[at[inside]] == some[inside]).any()):
            return True
    return False


def is_simple(waves: Sequence[WaveData]) -> bool:
    """Whether they are one simple random sample of equal weights, as far as is known.

    Several waves are samples of their own, and so strata.
    """
    if len(waves) != 1:
        return not waves
    [wave] = waves
    design, weights = wave.design, wave.weights[wave.weights > 0]
    parts = design.strata, design.clusters, design.fpc, design.raking
    if any(part is not None for part in parts):
        return False
    return not len(weights) or bool(weights.max() - weights.min() <= _SAME * weights.max())


def _not_drawn(name: str, fpc: Floats, stratum: Places, units: NDArray[np.intp]) -> Floats:
    """1 - n_h ÷ N_h: which part of the units of each stratum was not drawn, float64[strata].

    Raises `VarianceError` for strata that are not of one size, or smaller than the sample.
    """
    size = np.zeros(len(units))
    size[stratum] = fpc
    if (size[stratum] != fpc).any():
        raise VarianceError(f"{name}: respondents of one stratum differ in fpc.")
    # As in R, an fpc of at most 1 is the part of the population that was drawn.
    drawn = np.where(size <= 1, size, units / size)
    if (drawn > 1).any():
        raise VarianceError(
            f"{name}: a stratum of {int(size[drawn > 1][0]):,} units in the population "
            "has more in the sample. The fpc counts clusters where these were drawn."
        )
    return 1 - drawn


class Sample:
    """The waves of a table.

    by_row, by_column: 1 where a row, or a column, rests on a wave, else 0: float64[…, waves].
    designs: of every wave. is_panel: whether some are waves of a panel; has_points: whether these
    have clusters in common, and no persons.
    choice: what is done with strata of a single cluster.
    not_drawn: as of each wave, on average of their respondents.
    strata, clusters, lonely: of those that some cell rests on. clusters: None where respondents
        were drawn one by one; in a wave without clusters each respondent counts as one.

    Raises `VarianceError` where no cell rests on a wave, or one on nothing that varies.
    """

    def __init__(
        self, waves: Sequence[WaveData], by_row: Floats, by_column: Floats, lonely: Lonely
    ) -> None:
        self.choice: Lonely = lonely
        self.designs = WaveDesign.all_of(waves, lonely)
        self.is_panel = any(design.panel for design in self.designs)
        self.has_points = in_common_words(waves) == POINTS
        drawn = np.array([each.units - each.strata for each in self.designs], np.float64)
        # Clusters less strata, in each cell that rests on some wave.
        resting = by_cell(drawn, by_row, by_column)[by_row @ by_column.T > 0]
        if not resting.size:
            raise VarianceError("No cell of the table rests on any wave: there is no sample.")
        if resting.min() < 1:
            raise VarianceError(
                "Every stratum has a single cluster, so that nothing shows how clusters vary. "
                "Merge strata in the survey's design, or take Kish's design effect (method='kish')."
            )
        some = np.flatnonzero(by_row.any(axis=0) & by_column.any(axis=0))
        used = [self.designs[at] for at in some if not self.designs[at].panel]
        # The waves of a panel share one design; it is counted once.
        used += [self.designs[at] for at in some if self.designs[at].panel][:1]
        clustered = any(design.cluster is not None for design in used)
        self.strata = sum(design.strata for design in used)
        self.clusters = sum(design.units for design in used) if clustered else None
        self.lonely = sum(design.lonely for design in used)
        respondents = [len(design.stratum) for design in used]
        self.not_drawn = float(np.average([each.not_drawn for each in used], weights=respondents))


def by_cell(by_wave: Floats, by_row: Floats, by_column: Floats) -> Floats:
    """A figure of each wave, added up over the waves of each cell: float64[rows, columns]."""
    return (by_row * by_wave) @ by_column.T


@dataclass(frozen=True, slots=True)
class WaveFreedom:
    """One wave. Units are clusters, or respondents where these were drawn one by one.

    units, rest_units: float64[columns], units with anybody of a column, and of its rest.
    own, rest: float64[columns], the degrees of freedom of each: units less their strata.
    pairs: float64[columns, columns], those of every two columns together; None where they are not
        asked for.
    """

    units: Floats
    rest_units: Floats
    own: Floats
    rest: Floats
    pairs: Floats | None

    @classmethod
    def of(
        cls, frame: WaveFrame, design: WaveDesign, base: Words, columns: Words, *, pairs: bool
    ) -> WaveFreedom:
        """Of a base, uint64[words], and of columns within it, uint64[columns, words]."""
        units, rest_units = (_units(frame, design, each) for each in (columns, base & ~columns))
        strata, rest_strata = (_strata(frame, design, each) for each in (columns, base & ~columns))
        together = _pairs(frame, design, columns) if pairs else None
        return cls(units, rest_units, units - strata, rest_units - rest_strata, together)


def _units(frame: WaveFrame, design: WaveDesign, masks: Words) -> Floats:
    if design.cluster is None:
        return np.bitwise_count(masks).sum(axis=1).astype(np.float64)
    present = (_present(frame, design.cluster, design.units, mask) for mask in masks)
    return np.array([each.sum() for each in present], np.float64)


def _strata(frame: WaveFrame, design: WaveDesign, masks: Words) -> Floats:
    present = (_present(frame, design.stratum, design.strata, mask) for mask in masks)
    return np.array([each.sum() for each in present], np.float64)


def _pairs(frame: WaveFrame, design: WaveDesign, masks: Words) -> Floats:
    def together(units: Places, number: int) -> Floats:
        """Of every two sets, the units that have anybody of either."""
        present = np.array([_present(frame, units, number, mask) for mask in masks], np.float64)
        return _union(present @ present.T)

    strata = together(design.stratum, design.strata)
    if design.cluster is not None:
        return together(design.cluster, design.units) - strata
    return _union(pair_counts(masks, masks).astype(np.float64)) - strata


def _union(shared: Floats) -> Floats:
    each = np.diag(shared)
    return each[:, None] + each - shared


def _present(frame: WaveFrame, units: Places, number: int, mask: Words) -> Flags:
    """In which units there is anybody of a set: bool[number]."""
    # One stratum is the usual case, and needs no unpacked mask.
    if number == 1:
        return np.array([mask.any()])
    members = np.flatnonzero(unpack(mask, frame.respondents))
    return np.bincount(units[members], minlength=number) > 0
