"""A survey in partitions named by address, and their partial tables, which add up exactly.

`partial_table` is one pure function for any engine that spreads work: it opens a partition, adds it
up with the same kernel as on one machine, and gives two plain vectors (see `engine.kernel`). What a
process has opened it keeps for the next query, within `KEPT_BYTES`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from threading import Lock
from types import SimpleNamespace
from typing import cast

import numpy as np

from audiencelab.engine.binder import WaveOrder
from audiencelab.engine.bitset import Counts, Sums
from audiencelab.engine.masks import Masks
from audiencelab.engine.nodes import AllOf, AnyOf, InAnswers, Node, Not, Valid
from audiencelab.engine.tabulator import LocalTabulator, StripeSums
from audiencelab.survey import Survey, SurveyError
from audiencelab.survey.answers import words_for
from audiencelab.survey.blocks import PIECE
from audiencelab.survey.reweighted import ReweightedSurvey

RESPONDENTS = 4 * PIECE
"""Respondents of a partition at most, by default."""

FEWEST_RESPONDENTS = PIECE
"""Below, sending a task and adding up its table costs more than sharing the work saves."""

KEPT_BYTES = 128 << 20
"""What a process keeps of the partitions it has opened: masks, weights, and rows it fetched."""

_KEPT_MASK_BYTES = 64 << 20
"""What one partition keeps of that for masks."""

_KEPT_SURVEYS = 4

_FIRST_STRIPE = 32
_LAST_STRIPE = 512
"""Stripes of 32, 128, 512, 512 … rows: each is a round of tasks, so fewer than on one machine."""


@dataclass(frozen=True, slots=True)
class Partition:
    """Some respondents of a survey, by address; strings and numbers only.

    survey: the survey's address: an absolute path on every worker, or what fsspec reads.
    seal: of the survey (`Survey.seal`).
    wave: the wave's code. start, stop: its 64-bit words, `stop` exclusive.
    """

    survey: str
    seal: str
    wave: str
    start: int
    stop: int

    def __str__(self) -> str:
        return f"{self.survey}, wave {self.wave}, words {self.start:,} to {self.stop:,}"


def partitions_of(survey: Survey, respondents: int = RESPONDENTS) -> tuple[Partition, ...]:
    """The partitions of a survey, the earliest wave first; none is empty, and none overlap.

    respondents: of a partition at most. Waves are cut into about equal parts of whole pieces, whose
    checksums a worker can compare, and into none of fewer than `FEWEST_RESPONDENTS`.

    Raises `SurveyError` for a survey with another of its weights.
    """
    if isinstance(survey, ReweightedSurvey):
        # A worker opens the address, where the usual weight counts.
        weight = survey.manifest.provenance["weight"]
        raise SurveyError(
            f"weight {weight} is not valid: partitions are counted by the usual weight of "
            f"{survey.name}. Count another one on one machine, with the engine's own tabulator."
        )
    return tuple(
        Partition(survey.address, survey.seal, wave.code, start, stop)
        for wave in survey.waves
        for start, stop in _cuts(words_for(wave.respondents), words_for(respondents))
    )


def _cuts(words: int, at_most: int) -> list[tuple[int, int]]:
    piece = words_for(PIECE)
    pieces = -(-words // piece)
    # Enough parts for `at_most` of each, but none smaller than a piece; a short wave is one part.
    parts = max(1, min(-(-pieces // max(1, at_most // piece)), words // piece))
    return list(pairwise(min(words, pieces * part // parts * piece) for part in range(parts + 1)))


@dataclass(frozen=True, slots=True)
class TableQuery:
    """A requested table: rows × columns within the base, as `Tabulator.stripes` has them.

    positions: the waves, by order of date.
    """

    base: Node
    rows: tuple[Node, ...]
    columns: tuple[Node, ...]
    positions: tuple[int, ...]

    def part(self, start: int, stop: int) -> TableQuery:
        """The same table with some of its rows."""
        return TableQuery(self.base, self.rows[start:stop], self.columns, self.positions)

    def nothing(self) -> PartialTable:
        """The table of no respondents: zeros."""
        length = len(self.rows) * len(self.columns)
        return PartialTable(np.zeros(length, np.int64), np.zeros(length, np.float64))

    def stripe(self, table: PartialTable, start: int = 0) -> StripeSums:
        """A table of this query as sums; `start` is its first row's position in a larger one."""
        counts, sums = self.cells(table)
        return StripeSums(start, start + len(self.rows), counts, sums)

    def cells(self, table: PartialTable) -> tuple[Counts, Sums]:
        """Counts and sums of a table as views of its vectors, [rows, columns]."""
        shape = len(self.rows), len(self.columns)
        return table.counts.reshape(shape), table.sums.reshape(shape)


@dataclass(frozen=True, slots=True)
class PartialTable:
    """The table of some respondents, as two vectors; those of two partitions add up.

    counts: int64 and sums: float64 of the same length: the cells, row by row.
    """

    counts: Counts
    sums: Sums

    def __add__(self, other: PartialTable) -> PartialTable:
        return PartialTable(self.counts + other.counts, self.sums + other.sums)


def partial_table(partition: Partition, query: TableQuery) -> PartialTable:
    """The table of one partition's respondents.

    Pure: the same partition and query give the same table, wherever and however often. The survey
    is read at the partition's address. Thread-safe.
    Raises `SurveyError` if the partition cannot be read, or its survey is another version.
    """
    try:
        return _opened.partition(partition).table(query)
    finally:
        # After the query, when it is known what its masks take; also after an error.
        _opened.keep_within(KEPT_BYTES)


class _Opened:
    """The partitions that this process has open, the last used last."""

    def __init__(self) -> None:
        self._partitions: OrderedDict[Partition, _OpenPartition] = OrderedDict()
        self._lock = Lock()

    def partition(self, named: Partition) -> _OpenPartition:
        with self._lock:
            if (found := self._partitions.get(named)) is not None:
                self._partitions.move_to_end(named)
                return found
        # Two threads may open the same one; they open it alike, and one of the two is kept.
        made = _OpenPartition(named, _open_survey(named.survey, named.seal))
        with self._lock:
            return self._partitions.setdefault(named, made)

    def keep_within(self, limit: int) -> None:
        """Close the partitions used longest ago until the rest fits; the last one stays."""
        with self._lock:
            held = {named: each.bytes_held for named, each in self._partitions.items()}
            total = sum(held.values())
            # The last used is kept even if it is too large alone: the next stripe needs it again.
            for named in list(held)[:-1]:
                if total <= limit:
                    return
                total -= held[named]
                del self._partitions[named]


@lru_cache(_KEPT_SURVEYS)
def _open_survey(address: str, seal: str) -> Survey:
    survey = Survey.open(address)
    # A worker may read another copy, whose figures would be added up with those of this version.
    if survey.seal != seal:
        raise SurveyError(
            f"{address} is another version than the one requested. If it was replaced, connect "
            "again; if every machine has its own copy, copy the same version to all of them."
        )
    return survey


class _OpenPartition:
    """The respondents of one partition, and the masks that were made of them."""

    def __init__(self, named: Partition, survey: Survey) -> None:
        self.data = data = survey.part(named.wave, named.start, named.stop)
        order = WaveOrder(survey).codes
        self._position = order.index(named.wave)
        # Masks ask a survey only for its waves; here there is a part of one.
        only = SimpleNamespace(wave={named.wave: data}.__getitem__)
        self._masks = Masks(cast(Survey, only), order, _KEPT_MASK_BYTES)

    @property
    def bytes_held(self) -> int:
        weights = self.data.words * 64 * 8
        return weights + self._masks.cache.bytes_held + self.data.fetched_bytes

    def table(self, query: TableQuery) -> PartialTable:
        """The table of these respondents; empty for a query that leaves their wave out."""
        table = query.nothing()
        if self._position not in query.positions:
            return table
        # All at once, which saves a wait for each question.
        self.data.fetch(_questions((query.base, *query.rows, *query.columns)))
        stripes = LocalTabulator(self._masks, hurries=False).stripes(
            query.base, query.rows, query.columns, (self._position,)
        )
        counts, sums = query.cells(table)
        for stripe in stripes:
            counts[stripe.start : stripe.stop] = stripe.counts
            sums[stripe.start : stripe.stop] = stripe.sums
            # The masks of this stripe are made; what was fetched may be freed before the next one.
            self.data.release()
        return table


def _questions(nodes: Iterable[Node]) -> Iterator[str]:
    """The questions whose answers some nodes rest on; some more than once."""
    for node in nodes:
        if isinstance(node, InAnswers | Valid):
            yield node.question
        elif isinstance(node, AllOf | AnyOf):
            yield from _questions(node.children)
        elif isinstance(node, Not):
            yield from _questions((node.child,))


_opened = _Opened()


Total = Callable[[Sequence[Partition], TableQuery], PartialTable]
"""The sum of `partial_table(partition, query)` over partitions, in any order."""


class SpreadTabulator:
    """Adds up a survey's partitions by a function that spreads them; a `Tabulator`.

    The least that an engine other than Dask needs.

    total: called once for each stripe, in the caller's thread.
    respondents: of a partition at most.
    """

    def __init__(self, survey: Survey, total: Total, *, respondents: int = RESPONDENTS) -> None:
        self._total = total
        self._waves = WaveOrder(survey).codes
        self._partitions = partitions_of(survey, respondents)

    def stripes(
        self, base: Node, rows: Sequence[Node], columns: Sequence[Node], positions: tuple[int, ...]
    ) -> Generator[StripeSums]:
        """As `Tabulator.stripes`."""
        query = TableQuery(base, tuple(rows), tuple(columns), positions)
        waves = {self._waves[position] for position in positions}
        partitions = [each for each in self._partitions if each.wave in waves]
        for start, stop in stripe_bounds(len(rows)):
            part = query.part(start, stop)
            table = self._total(partitions, part) if partitions else part.nothing()
            yield part.stripe(table, start)


def stripe_bounds(rows: int) -> Iterator[tuple[int, int]]:
    """Start and stop of each stripe of a table of that many rows."""
    start, height = 0, _FIRST_STRIPE
    while start < rows:
        yield start, min(rows, start + height)
        start, height = start + height, min(_LAST_STRIPE, height * 4)
