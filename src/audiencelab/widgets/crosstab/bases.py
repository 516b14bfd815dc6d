"""Several bases side by side in one grid: a crosstab for each, one after another, as one stream.

A crosstab has one base. So a query of several is as many queries, whose columns stand under a head
for each base; an index in a part is against that part's base, as the service told it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from audiencelab.analysis.concat import base_beside, columns_beside, copy_cells
from audiencelab.expressions import Audience
from audiencelab.results.crosstab import CrosstabResult
from audiencelab.widgets.crosstab.lines import Lines
from audiencelab.widgets.crosstab.query import GridQuery

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.client.streams import CrosstabStream
    from audiencelab.widgets.crosstab.fetch import TableStream

__all__ = ["SideBySide", "columns_in", "open_stream"]


def open_stream(client: Client, query: GridQuery) -> TableStream:
    """The table of a query, coming in."""
    return SideBySide(client, query) if query.bases else _open(client, query)


def columns_in(query: GridQuery) -> Lines:
    """The columns of a query of several bases as they stand in the table: all of them in each."""
    asked = query.columns or Lines()
    audiences, heads = columns_beside(
        (base.name, base, asked, asked.heads) for base in _bases(query)
    )
    return Lines(audiences, heads, asked.nets * len(query.parts) if asked else None)


class SideBySide:
    """The stream of a query of several bases: iterate over it, read `result` at any time.

    Each base is asked when the one before it is complete. A `TableStream`.
    """

    def __init__(self, client: Client, query: GridQuery) -> None:
        self._client = client
        self._queries = query.parts
        self._part = _open(client, self._queries[0])
        self._closed = False
        columns = columns_in(query)
        first = self._part.result
        base = base_beside((base.name, base) for base in _bases(query))
        self.result = CrosstabResult(
            rows=first.rows if first.rows_requested else (base,),
            columns=tuple(columns),
            base_audience=base,
            rows_requested=first.rows_requested,
            columns_requested=True,
            provenance=dict(first.provenance),
            row_heads=first.row_heads,
            column_heads=columns.heads,
        )

    def __iter__(self) -> Iterator[Any]:
        width = len(self.result.columns) // len(self._queries)
        for number, query in enumerate(self._queries):
            if number:
                self._part = _open(self._client, query)
            # Only now: a part that was opened while somebody closed has to be closed as well.
            if self._closed:
                self._part.close()
                return
            for update in self._part:
                copy_cells(update.result, update.rows, update.columns, self.result, number * width)
                yield update
        base = self.result.base_audience
        self.result.provenance |= self._part.result.provenance
        self.result.provenance["base_audience"] = base.name if base else None

    def close(self) -> None:
        """Call the rest off; what has arrived stays in `result`."""
        self._closed = True
        self._part.close()


def _open(client: Client, query: GridQuery) -> CrosstabStream[CrosstabResult]:
    return client.crosstab_stream(
        rows=query.rows and query.rows.to_side(),
        columns=query.columns and query.columns.to_side(),
        base_audience=query.base_audience,
        waves=query.waves,
        locations=query.locations,
    )


def _bases(query: GridQuery) -> list[Audience]:
    return [part.base_audience or Audience("All") for part in query.parts]
