"""Tables by whichever engine can map a function over names of partitions and add up what it gives.

Dask has one of its own (`tabulator`), which streams and recovers. This one is the least that any
other engine needs: a function from partitions and a query to the sum of their partial tables.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING

from audiencelab.engine.binding import Node
from audiencelab.engine.distributed.partitions import RESPONDENTS, Partition, partitions_of
from audiencelab.engine.distributed.queries import PartialTable, TableQuery
from audiencelab.engine.sums import StripeSums
from audiencelab.engine.waves import WaveOrder

if TYPE_CHECKING:
    from audiencelab.survey import Survey

__all__ = ["SpreadTabulator", "stripe_bounds"]

Total = Callable[[Sequence[Partition], TableQuery], PartialTable]
"""The sum of `partial_table(partition, query)` over partitions, in any order."""

_FIRST_STRIPE = 32
_LAST_STRIPE = 512
"""Stripes of 32, 128, 512, 512 … rows: each is a round of tasks, so fewer than on one machine."""


class SpreadTabulator:
    """Adds up a survey's partitions by a function that spreads them; a `Tabulator`.

    total: called once for each stripe, in the thread that asks for it.
    respondents: how many a partition holds at most.
    """

    def __init__(self, survey: Survey, total: Total, *, respondents: int = RESPONDENTS) -> None:
        self._total = total
        self._waves = WaveOrder(survey.waves).codes
        self._partitions = partitions_of(survey, respondents)

    def stripes(
        self, base: Node, rows: Sequence[Node], columns: Sequence[Node], places: tuple[int, ...]
    ) -> Generator[StripeSums]:
        """As `Tabulator.stripes`."""
        query = TableQuery(base, tuple(rows), tuple(columns), places)
        waves = {self._waves[place] for place in places}
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
