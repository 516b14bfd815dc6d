"""The table of one partition: one pure function, for whichever engine spreads the work.

`partial_table` opens a partition by its name, evaluates the masks there, and adds up with the
same kernel as on one machine. What it gives are two plain vectors, so that the tables of two
partitions add up by adding the vectors, exactly (see `engine.kernel`), in any order.

What a process has opened it keeps for the next query, within `KEPT_BYTES`. Nothing here knows
of Dask: a thread pool, or Spark's `mapInArrow`, can call it as well.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, cast

from audiencelab.engine.binding import AllOf, Answers, AnyOf, Node, Not
from audiencelab.engine.distributed.partitions import Partition
from audiencelab.engine.distributed.queries import PartialTable, TableQuery
from audiencelab.engine.local import LocalTabulator
from audiencelab.engine.masks import Masks
from audiencelab.engine.waves import WaveOrder
from audiencelab.survey import Survey, SurveyError

if TYPE_CHECKING:
    from audiencelab.survey import Catalogue, WaveData

__all__ = ["KEPT_BYTES", "partial_table"]

KEPT_BYTES = 128 << 20
"""What a process keeps of the partitions it has opened: masks, weights, and rows it fetched."""

_KEPT_MASK_BYTES = 64 << 20
"""What one partition keeps of that for masks."""

_KEPT_SURVEYS = 4


def partial_table(partition: Partition, query: TableQuery) -> PartialTable:
    """The table of one partition's respondents.

    Pure: the same partition and query give the same table, wherever and however often. The survey
    is read at the partition's address. Safe to use from many threads.
    Raises `SurveyError` if the partition cannot be read, or another version stands there.
    """
    try:
        return _opened.partition(partition).table(query)
    finally:
        _opened.keep_within(KEPT_BYTES)


class _Opened:
    """The surveys and partitions that this process has open, the last used last."""

    def __init__(self) -> None:
        self._surveys: OrderedDict[tuple[str, str], Survey] = OrderedDict()
        self._partitions: OrderedDict[Partition, _OpenPartition] = OrderedDict()
        self._lock = Lock()

    def partition(self, named: Partition) -> _OpenPartition:
        with self._lock:
            if (found := self._partitions.get(named)) is not None:
                self._partitions.move_to_end(named)
                return found
        # Two threads may open the same one; they open it alike, and one of the two is kept.
        made = _OpenPartition(named, self._survey(named))
        with self._lock:
            return self._partitions.setdefault(named, made)

    def keep_within(self, limit: int) -> None:
        """Let go of the partitions used longest ago until the rest fits; the last one stays."""
        with self._lock:
            held = {named: each.bytes_held for named, each in self._partitions.items()}
            total = sum(held.values())
            for named in list(held)[:-1]:
                if total <= limit:
                    return
                total -= held[named]
                del self._partitions[named]

    def _survey(self, named: Partition) -> Survey:
        key = (named.survey, named.checksum)
        with self._lock:
            if (found := self._surveys.get(key)) is not None:
                self._surveys.move_to_end(key)
                return found
        survey = Survey.open(named.survey)
        if survey.checksum != named.checksum:
            raise SurveyError(
                f"{named.survey} is another version than the one asked for. If it was replaced, "
                "connect again; if every machine has a copy of its own, copy the same version to "
                "all of them."
            )
        with self._lock:
            found = self._surveys.setdefault(key, survey)
            while len(self._surveys) > _KEPT_SURVEYS:
                self._surveys.popitem(last=False)
            return found


class _OpenPartition:
    """One partition at hand: its respondents, and the masks that were made of them."""

    def __init__(self, named: Partition, survey: Survey) -> None:
        self.wave = survey.part(named.wave, named.start, named.stop)
        order = WaveOrder(survey.waves)
        self._place = order.codes.index(named.wave)
        # Masks ask a survey for its waves, of which there is one here, and for what was asked.
        alone = cast(Survey, _Alone(survey.catalogue, self.wave))
        self._masks = Masks(alone, order, _KEPT_MASK_BYTES)

    @property
    def bytes_held(self) -> int:
        weights = self.wave.words * 64 * 8
        return weights + self._masks.cache.bytes_held + self.wave.fetched_bytes

    def table(self, query: TableQuery) -> PartialTable:
        """The table of these respondents; empty for a query that leaves their wave out."""
        table = query.nothing()
        if self._place not in query.places:
            return table
        self.wave.fetch(_questions((query.base, *query.rows, *query.columns)))
        stripes = LocalTabulator(self._masks, hurries=False).stripes(
            query.base, query.rows, query.columns, (self._place,)
        )
        wave = query.places.index(self._place)
        counts, sums = query.sides(table.counts), query.sides(table.sums)
        for stripe in stripes:
            rows = slice(stripe.start, stripe.stop)
            for of, total in ((counts, "counts"), (sums, "sums")):
                of.base[:, wave] = getattr(stripe.base, total)[:, 0]
                of.row[rows, wave] = getattr(stripe.row, total)[:, 0]
                of.column[:, wave] = getattr(stripe.column, total)[:, 0]
                of.cells[rows] = getattr(stripe, total)
            self.wave.release()
        return table


@dataclass(frozen=True, slots=True)
class _Alone:
    """A survey of which only one wave, or a part of it, is at hand."""

    catalogue: Catalogue
    at_hand: WaveData

    def wave(self, code: str) -> WaveData:
        if code != self.at_hand.code:
            raise KeyError(code)  # pragma: no cover - a partition is asked for its own wave
        return self.at_hand


def _questions(nodes: Iterable[Node]) -> Iterator[str]:
    """The questions whose answers some nodes rest on; some more than once."""
    for node in nodes:
        match node:
            case Answers():
                yield node.question
            case AllOf() | AnyOf():
                yield from _questions(node.children)
            case Not():
                yield from _questions((node.child,))
            case _:
                pass


_opened = _Opened()
