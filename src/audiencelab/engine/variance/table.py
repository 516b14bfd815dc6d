"""The variances of a table within one base, row by row, in no more memory than figures need.

Waves add up, because each is a sample of its own (`variance.panel` has the others). A column is
empty in waves that did not ask it, so what is about columns alone can be summed over the waves of
the row; only the base has to be narrowed to those of each column, and is kept by wave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from hashlib import blake2b

import numpy as np
from msgspec import structs

from audiencelab.engine.bitset import Words
from audiencelab.engine.kernel import blas_on_one_core, pair_counts, prepare
from audiencelab.engine.masks import Masks
from audiencelab.engine.nodes import BoundTable, Node, indicator, intersection
from audiencelab.engine.variance.design import (
    PAIRED,
    POINTS,
    Flags,
    Floats,
    Lonely,
    Places,
    Sample,
    WaveFreedom,
    in_common_words,
    is_simple,
)
from audiencelab.engine.variance.panel import PanelWave, panel_freedom, panel_row
from audiencelab.engine.variance.pooled import TableSums, pooled_pairs, pooled_rest
from audiencelab.engine.variance.raking import is_accounted_for
from audiencelab.engine.variance.replicates import (
    WaveReplicates,
    add_up,
    figures,
    most_of,
    replaced,
    replaced_together,
    replicates_words,
)
from audiencelab.engine.variance.scores import Drawn
from audiencelab.engine.variance.totals import (
    BaseTotals,
    RowTotals,
    RowVariances,
    WaveTotals,
    Weighing,
    row_variances,
)
from audiencelab.schema.local import Linearised
from audiencelab.survey.answers import unpack

_MOST_TOGETHER = 200
"""Columns whose covariances are computed: a row's matrix has their square."""

_MOST_COVARIANCES = 4_000_000
"""Covariances of two columns, in all rows: 32 MB. A larger table has none."""

_ROW_COVARIANCES = 20_000
"""Covariances of two columns that are computed at once: rows are taken together up to this."""

_MOST_CLUSTER_TOTALS = 16_000_000
"""Totals of columns by cluster that are in memory at once: 128 MB, twice over."""

_BLOCK = 8
"""Columns taken together where no covariances are computed."""


class TablePart:
    """Some rows and columns of a table, all of them counted within one base.

    by_row, by_column: whether one rests on a wave, float64[nodes, waves], 0 or 1; the waves are
    those of the whole table.
    """

    def __init__(self, masks: Masks, table: BoundTable, rows: Places, columns: Places) -> None:
        self._masks, self.table = masks, table
        self._rows: list[Node] = [table.rows[at].node for at in rows.tolist()]
        self._columns: list[Node] = [table.columns[at].node for at in columns.tolist()]
        self._base = table.base
        self._positions = table.positions
        self._frames = [masks.frame(position) for position in self._positions]
        self.by_row = indicator([each.coverage for each in self._rows], self._positions)
        self.by_column = indicator([each.coverage for each in self._columns], self._positions)

    @classmethod
    def whole(cls, masks: Masks, table: BoundTable) -> TablePart:
        """All rows and columns, within the base of the table."""
        return cls(masks, table, np.arange(len(table.rows)), np.arange(len(table.columns)))

    def part(self, rows: Places, columns: Places, *within: Node) -> TablePart:
        """Some of a whole table, within some of the base."""
        found = TablePart(self._masks, self.table, rows, columns)
        found._base = reduce(intersection, within, self._base)
        return found

    @property
    def shape(self) -> tuple[int, int]:
        return len(self._rows), len(self._columns)

    def sample(self, lonely: Lonely) -> Sample:
        """Raises `VarianceError` where the sample's design shows no variance."""
        waves = [frame.wave for frame in self._frames]
        return Sample(waves, self.by_row, self.by_column, lonely)

    def people(self, node: Node) -> bytes:
        """The same for nodes that hold for the same people of the base; b"" where for all of them.

        Questions of which everyone answers one count within the same people.
        """
        found, is_all = blake2b(digest_size=16), True
        for position in self._positions:
            base = self._masks.counted(self._base, position)
            members = self._masks.of(node, position) & base
            found.update(members.tobytes())
            is_all = is_all and np.array_equal(members, base)
        return b"" if is_all else found.digest()

    def weighings(self) -> tuple[Weighing, Weighing]:
        """Of the column and of the base of each cell, [rows, columns]."""
        nodes = [self._base, *self._columns]
        by_wave = Weighing.of(self._masks, nodes, self._base, self._positions)
        return by_wave.map(lambda wave: self.by_row @ wave[1:].T), by_wave.map(
            lambda wave: (self.by_row * wave[0]) @ self.by_column.T
        )

    @property
    def is_simple(self) -> bool:
        """Whether the waves are simple random samples of equal weights."""
        return is_simple([frame.wave for frame in self._frames])

    @property
    def has_replicates(self) -> bool:
        """Whether every wave has replicate weights."""
        designs = [frame.wave.design for frame in self._frames]
        return bool(designs) and all(each.replicates is not None for each in designs)

    def shared(self) -> tuple[Floats, Places]:
        """Respondents in every two columns, float64[sets, columns, columns], and the set of a row.

        A set is of the waves that a row rests on.
        """
        size = self.shape[1]
        by_wave = np.zeros((len(self._positions), size, size))
        for at, position in enumerate(self._positions):
            columns = self._within_base(self._columns, position)
            by_wave[at] = pair_counts(columns, columns)
        sets, set_of = self._sets_of_waves()
        return np.tensordot(sets, by_wave, 1), set_of

    def with_pooled(self, found: Linearised) -> Linearised:
        """With the variances of differences under the pooled share."""
        shape, covariance = self.shape, found.covariance
        sums = TableSums(*shape, pairs=covariance is not None)
        for at, (frame, position) in enumerate(zip(self._frames, self._positions, strict=True)):
            rows = np.stack([self._masks.of(row, position) for row in self._rows])
            columns = self._within_base([self._base, *self._columns], position)
            sums.add(frame, rows, columns, self.by_row[:, at], self.by_column[:, at])
        apart = found.variance + found.rest_variance - 2 * found.rest_covariance
        of_pairs = None
        if covariance is not None:
            of_pairs = pooled_pairs(sums, found.variance, covariance)
        return structs.replace(found, rest_pooled=pooled_rest(sums, apart), pooled=of_pairs)

    def replicated(self, *, pairs: bool) -> Linearised:
        """The variances that replicate weights show."""
        waves = [
            WaveReplicates(
                frame,
                np.stack([self._masks.of(row, position) for row in self._rows]),
                self._within_base([self._base, *self._columns], position),
                self.by_row[:, at],
                self.by_column[:, at],
            )
            for at, (frame, position) in enumerate(zip(self._frames, self._positions, strict=True))
        ]
        rows, columns = len(self._rows), len(self._columns)
        whole = add_up([wave.whole for wave in waves])
        known = figures(whole)
        covariance = np.zeros((rows, columns, columns)) if pairs else None
        variance, rest, both, index, odds = np.zeros((5, rows, columns))
        samples = replaced_together([frame.wave for frame in self._frames])
        for sample in samples:
            for replicate, scale in enumerate(waves[sample[0]].replicates.scales):
                totals = whole
                # Only this sample's weights are replaced: the others stay those of the whole.
                for at in sample:
                    totals = replaced(totals, waves[at].whole, waves[at].of(replicate))
                found = figures(totals)
                # A replicate without anybody of a column shows nothing of its share.
                share, other = (
                    np.nan_to_num(now - before)
                    for now, before in zip(found[:2], known[:2], strict=True)
                )
                variance += scale * share**2
                rest += scale * other**2
                both += scale * share * other
                # A cell without anyone has no index and no odds: the logarithm of 0.
                with np.errstate(divide="ignore", invalid="ignore"):
                    index += scale * (found.log_index - known.log_index) ** 2
                    moved = _log_odds(found.share) - _log_odds(known.share)
                    odds += scale * np.where(np.isnan(found.share), 0.0, moved) ** 2
                if covariance is not None:
                    covariance += scale * share[:, :, None] * share[:, None, :]
        empty, everyone = np.isnan(known.share), np.isnan(known.rest)
        # `nan_to_num` made 0 of what has no share in the sample itself.
        variance[empty] = rest[everyone] = both[empty | everyone] = np.nan
        of_waves = [wave.freedom(pairs=pairs) for wave in waves]
        own, of_rest = (
            most_of(samples, [self._at(at) * each for at, each in enumerate(of_columns)])
            for of_columns in ([one.own for one in of_waves], [one.rest for one in of_waves])
        )
        sets, set_of = self._sets_of_waves()
        known_pairs = [
            sets[:, at, None, None] * each.pairs
            for at, each in enumerate(of_waves)
            if each.pairs is not None
        ]
        freedom = np.where(empty, np.nan, own)
        several = any(len(sample) > 1 for sample in samples)
        common = in_common_words([frame.wave for frame in self._frames]) if several else ""
        return Linearised(
            known.share,
            variance,
            rest,
            both,
            np.full_like(variance, np.nan),
            index,
            log_odds_variance=np.where(np.isfinite(odds), odds, np.nan),
            covariance=covariance,
            pooled=None,
            strata=0,
            clusters=None,
            lonely=0,
            freedom=freedom,
            # The smaller side of a column and its rest; NaN does not count.
            rest_freedom=np.fmin(freedom, np.where(everyone, np.nan, of_rest)),
            degrees_of_freedom=0 if empty.all() else int(np.nanmin(freedom)),
            set_of=tuple(set_of.tolist()),
            pairs=most_of(samples, known_pairs) if pairs else None,
            replicates=replicates_words([wave.replicates for wave in waves]),
            paired=common == PAIRED,
            common_points=common == POINTS,
        )

    def linearised(self, sample: Sample, *, pairs: bool) -> Linearised:
        """By the sample's design; pairs: also of every two columns."""
        if sample.is_panel:
            return self._paired(sample, pairs=pairs)
        shape = self.shape
        figures = np.full((5, *shape), np.nan)
        covariance = np.zeros((*shape, shape[1])) if pairs else None
        respondents = sum(frame.respondents for frame in self._frames)
        size = respondents, shape[0] * (shape[1] + 1), shape[1] + 1
        with prepare(*size), blas_on_one_core():
            # One column less, for the base is computed with every block.
            most = _MOST_CLUSTER_TOTALS // (sample.clusters or 1) - 1
            # Covariances of every two columns need all of them in one block.
            step = shape[1] if covariance is not None else max(1, min(_BLOCK, most))
            for start in range(0, shape[1], step):
                block = slice(start, min(start + step, shape[1]))
                for rows, found in self._rows_of(block, sample):
                    figures[:, rows, block] = found[:5]
                    if covariance is not None:
                        covariance[rows] = found.covariance
        freedom = self._freedom(sample, pairs=pairs)
        self._omit_single(figures, freedom)
        own, of_rest = (
            self.by_row @ (np.array(each) * self.by_column.T)
            for each in ([one.own for one in freedom], [one.rest for one in freedom])
        )
        # An empty column has no share, and so no degrees of freedom.
        own[np.isnan(figures[0])] = np.nan
        known = np.array([each.pairs for each in freedom if each.pairs is not None], np.float64)
        known = known.reshape(-1, shape[1], shape[1])
        sets, set_of = self._sets_of_waves()
        return _linearised(
            figures,
            covariance=covariance,
            sample=sample,
            freedom=own,
            rest_freedom=np.fmin(own, of_rest),
            set_of=set_of,
            pairs=None if covariance is None else np.tensordot(sets, known, 1),
            raked=any(is_accounted_for(frame.wave) for frame in self._frames),
        )

    def _paired(self, sample: Sample, *, pairs: bool) -> Linearised:
        """Of several waves of a panel."""
        drawn = Drawn(self._frames, sample.choice)
        shape = self.shape
        figures, freedom = np.full((5, *shape), np.nan), np.full((2, *shape), np.nan)
        single = np.zeros((2, *shape), dtype=bool)
        asked, asked_of = self._sets_of_waves()
        covariance = np.zeros((*shape, shape[1])) if pairs else None
        both = np.zeros((len(asked), shape[1], shape[1])) if pairs else None
        step = shape[1] if pairs else _BLOCK
        with blas_on_one_core():
            for start in range(0, shape[1], step):
                block = slice(start, min(start + step, shape[1]))
                waves = self._panel_waves(block)
                for row in range(shape[0]):
                    found = panel_row(drawn, waves, self._members(row, waves))
                    figures[:, row, block] = found[:5]
                    if covariance is not None:
                        covariance[row] = found.covariance
                for number, each in enumerate(asked):
                    units, own, together = panel_freedom(drawn, waves, each)
                    rows = asked_of == number
                    single[:, rows, block] = (units == 1)[:, None]
                    freedom[:, rows, block] = own[:, None]
                    if both is not None:
                        both[number] = together
        _omit(figures, *single)
        own = np.where(np.isnan(figures[0]), np.nan, freedom[0])
        return _linearised(
            figures,
            covariance=covariance,
            sample=sample,
            freedom=own,
            rest_freedom=np.fmin(own, freedom[1]),
            set_of=asked_of,
            pairs=both,
            raked=any(is_accounted_for(frame.wave) for frame in self._frames),
            paired=not sample.has_points,
            common_points=sample.has_points,
        )

    def _at(self, wave: int) -> Floats:
        """1 where a cell rests on a wave, else 0: float64[rows, columns]."""
        return np.outer(self.by_row[:, wave], self.by_column[:, wave])

    def _sets_of_waves(self) -> tuple[Floats, Places]:
        """The sets of waves that rows rest on, float64[sets, waves], and which one each row has."""
        # Rows mostly rest on the same waves: what depends on waves alone is kept once for each set.
        sets, set_of = np.unique(self.by_row, axis=0, return_inverse=True)
        return sets, set_of.reshape(-1)

    def _panel_waves(self, block: slice) -> list[PanelWave]:
        nodes = [self._base, *self._columns[block]]
        return [
            PanelWave.of(frame, self._within_base(nodes, position), self.by_column[block, at] > 0)
            for at, (frame, position) in enumerate(zip(self._frames, self._positions, strict=True))
        ]

    def _members(self, row: int, waves: Sequence[PanelWave]) -> list[Flags | None]:
        """Who of the base is in a row, by wave; None where a wave did not ask it."""
        return [
            unpack(self._masks.of(self._rows[row], position), frame.respondents)[wave.chosen]
            if self.by_row[row, at]
            else None
            for at, (frame, position, wave) in enumerate(
                zip(self._frames, self._positions, waves, strict=True)
            )
        ]

    def _freedom(self, sample: Sample, *, pairs: bool) -> list[WaveFreedom]:
        """Of the base and the columns, wave by wave."""
        return [
            WaveFreedom.of(
                frame,
                design,
                self._masks.counted(self._base, position),
                self._within_base(self._columns, position),
                pairs=pairs,
            )
            for frame, position, design in zip(
                self._frames, self._positions, sample.designs, strict=True
            )
        ]

    def _omit_single(self, figures: Floats, freedom: Sequence[WaveFreedom]) -> None:
        """Omit the variances of shares, and of rests, that lie in a single cluster."""
        # A column is empty in waves that did not ask it; its rest has to be narrowed to the others.
        columns = self.by_row @ np.array([each.units for each in freedom])
        rests = self.by_row @ (np.array([each.rest_units for each in freedom]) * self.by_column.T)
        _omit(figures, columns == 1, rests == 1)

    def has_pairs(self, sample: Sample | None = None) -> bool:
        """Whether the covariances of every two columns are computed.

        sample: the design that they are by; None: replicate weights.
        In memory are, for each column, the totals of clusters of a share; for persons who are in
        several waves also those of its rest, and of an index.
        """
        rows, columns = self.shape
        totals = 0 if sample is None else (sample.clusters or 0) * (3 if sample.is_panel else 1)
        return (
            columns <= _MOST_TOGETHER
            and rows * columns**2 <= _MOST_COVARIANCES
            # One more for the base, which is computed with the columns.
            and (columns + 1) * totals <= _MOST_CLUSTER_TOTALS
        )

    def _rows_of(self, block: slice, sample: Sample) -> Iterator[tuple[slice, RowVariances]]:
        """Some columns' variances in some rows, from the waves that any of them rests on."""
        nodes = [self._base, *self._columns[block]]
        by_column = self.by_column[block]
        # Waves that none of these columns rests on need no totals.
        resting = np.flatnonzero(by_column.any(axis=0))
        waves = {
            int(at): WaveTotals(
                self._frames[at], sample.designs[at], self._within_base(nodes, self._positions[at])
            )
            for at in resting
        }
        nobody = RowTotals.none(len(nodes))
        step = max(1, _ROW_COVARIANCES // len(nodes) ** 2)
        for start in range(0, len(self._rows), step):
            rows = slice(start, start + step)
            by_wave = [
                RowTotals.stacked(
                    # A wave that did not ask the row need not be looked at.
                    wave.row(self._masks.of(row, self._positions[at])) if asked[at] else nobody
                    for row, asked in zip(self._rows[rows], self.by_row[rows], strict=True)
                )
                for at, wave in waves.items()
            ]
            size = len(self._rows[rows])
            base = BaseTotals.of(by_wave, size, by_column[:, resting])
            yield rows, row_variances(RowTotals.add_up(by_wave, size, len(nodes)), base)

    def _within_base(self, nodes: Sequence[Node], position: int) -> Words:
        masks = np.stack([self._masks.of(node, position) for node in nodes])
        return masks & self._masks.counted(self._base, position)


def _linearised(
    figures: Floats,
    *,
    covariance: Floats | None,
    sample: Sample,
    freedom: Floats,
    rest_freedom: Floats,
    set_of: Places,
    pairs: Floats | None,
    raked: bool,
    paired: bool = False,
    common_points: bool = False,
) -> Linearised:
    share, variance, rest_variance, rest_covariance, index_variance = figures
    return Linearised(
        share,
        variance,
        rest_variance,
        rest_covariance,
        np.full_like(share, np.nan),
        index_variance,
        log_odds_variance=None,
        covariance=covariance,
        pooled=None,
        strata=sample.strata,
        clusters=sample.clusters,
        lonely=sample.lonely,
        freedom=freedom,
        rest_freedom=rest_freedom,
        degrees_of_freedom=0 if np.isnan(freedom).all() else int(np.nanmin(freedom)),
        set_of=tuple(set_of.tolist()),
        pairs=pairs,
        raked=raked,
        paired=paired,
        common_points=common_points,
        not_drawn=sample.not_drawn,
    )


def _log_odds(share: Floats) -> Floats:
    return np.log(share) - np.log1p(-share)


def _omit(figures: Floats, single: Flags, rest_single: Flags) -> None:
    """Make unknown what lies in a single cluster: of columns, and of their rests."""
    _, variance, rest_variance, rest_covariance, index_variance = figures
    variance[single] = rest_variance[rest_single] = np.nan
    # An index and a difference need the variance of both sides.
    either = single | rest_single
    rest_covariance[either] = index_variance[either] = np.nan
