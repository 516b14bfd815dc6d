"""Files of a grid's table and chart for the page: downloaded, or written beside a notebook."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import msgspec

from audiencelab.errors import AudienceError
from audiencelab.files import put_new, unused_path
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.charts import ChartSource, chart_positions, picture
from audiencelab.widgets.crosstab.export import Exporter
from audiencelab.widgets.crosstab.export_cells import ExportCells
from audiencelab.widgets.crosstab.file_formats import FORMATS, file_name
from audiencelab.widgets.crosstab.formatting import Looks
from audiencelab.widgets.crosstab.protocol import (
    ChartArgs,
    ExportArgs,
    FileHeader,
    FilePart,
    Generation,
)
from audiencelab.widgets.crosstab.session import QuerySession
from audiencelab.widgets.rpc_types import AnswerWithBuffers, PageRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

G = TypeVar("G", bound=Generation)

PART_BYTES = 900_000
"""Bytes of one part: a message may have at most a million in total."""

MAX_PAGE_CELLS = 1_000_000
"""Maximum values in a file that a page requests; Python writes larger ones."""

_KEPT_FILES = 2
"""Files that are kept until they are fetched: one for each of two views."""

_SETTLE_SECONDS = 0.2
"""Between two looks at whether the page still waits."""

_PICTURES: dict[str, tuple[Literal["png", "svg"], str]] = {
    "chart_png": ("png", "image/png"),
    "chart_svg": ("svg", "image/svg+xml"),
}
"""Charts as they are in the chart's pane, on white whatever the theme of the page."""


class SentGrid(ChartSource, Protocol):
    """The part of a `Crosstab` that files are made of."""

    chart_style: Any

    @property
    def looks(self) -> Looks: ...


class Exports:
    """Files that a page fetches in parts."""

    def __init__(self) -> None:
        self._held: dict[int, bytes] = {}
        self._last = 0
        self._lock = threading.Lock()

    def add(self, data: bytes) -> int:
        """Keep a file until it is fetched; returns its number."""
        with self._lock:
            self._last += 1
            self._held[self._last] = data
            for older in list(self._held)[:-_KEPT_FILES]:
                del self._held[older]
            return self._last

    def part(self, number: int, start: int) -> bytes:
        """The part at `start`; the last one drops the file. `AudienceError` if it is gone."""
        with self._lock:
            data = self._held.get(number)
            if data is None:
                raise AudienceError("This file is no longer available: save it again.")
            end = start + PART_BYTES
            if end >= len(data):
                del self._held[number]
        return data[start:end]

    def deliver(
        self, data: bytes, name: str, media_type: str, *, beside: bool
    ) -> AnswerWithBuffers[FileHeader]:
        """A file with its first part.

        beside: whether it is also written into the working directory, under a name that is free.
        """
        if beside:
            stem, dot, ending = name.rpartition(".")
            path = unused_path(stem, f"{dot}{ending}", Path.cwd())
            put_new(path, data)
            name = path.name
        number = self.add(data)
        header = FileHeader(number, name, media_type, len(data), beside)
        return AnswerWithBuffers(header, [self.part(number, 0)])


class GridFiles:
    """Answers the page of a grid that wants its table, or the chart of it, as a file."""

    def __init__(self, grid: SentGrid, session: QuerySession, exporter: Exporter) -> None:
        self._grid, self._session, self._exporter = grid, session, exporter
        self.files = Exports()

    def complete(self, request: PageRequest[G]) -> CrosstabResult:
        """The complete table that a request is about; waits for it.

        Raises `AudienceError` where it could not be counted, or was stopped: figures of another
        query, or some of them, are never sent.
        """
        if self._session.snapshot_for(request).error is None:
            # At once where there is nothing yet, as for all that needs a table.
            self._session.result_for(request)
        while not self._session.loader.settle(_SETTLE_SECONDS):
            request.check()
        snapshot = self._session.snapshot_for(request)
        if snapshot.error is not None:
            raise AudienceError(
                f"The table could not be counted, so there is nothing new to send: "
                f"{snapshot.error} Press Count again first."
            )
        if snapshot.phase == "cancelled":
            raise AudienceError("Counting was stopped. Press Count again, then send the table.")
        return self._session.result_for(request)

    def answer_export(self, request: PageRequest[ExportArgs]) -> AnswerWithBuffers[FileHeader]:
        """A file of the visible or selected cells: its header and its first part."""
        args, result = request.args, self.complete(request)
        if args.format in _PICTURES:
            return self._picture(request, result)
        rows, columns = self._positions(args)
        cells = self._cells(result, rows, columns)
        request.check()
        chosen, values = FORMATS[args.format], cells.result.expected * len(cells.planes)
        if values > MAX_PAGE_CELLS and not chosen.media_type.startswith("image/"):
            raise AudienceError(
                f"{values:,} values are too many for a page (at most {MAX_PAGE_CELLS:,}). "
                "Select fewer cells, or write the file in Python with grid.to_excel(path) or "
                "grid.to_frame().to_csv(path)."
            )
        data = chosen.write(cells)
        request.check()
        name = file_name(cells.result, chosen.suffix)
        return self.files.deliver(data, name, chosen.media_type, beside=args.beside)

    def answer_part(self, request: PageRequest[FilePart]) -> AnswerWithBuffers[None]:
        """A later part of a file."""
        return AnswerWithBuffers(None, [self.files.part(request.args.number, request.args.start)])

    def _positions(self, args: ExportArgs) -> tuple[Sequence[int], Sequence[int]]:
        """The cells of a file; of a chart those that it shows, as its pane does."""
        is_chart = args.format.startswith("chart_")
        if is_chart and not args.rows and not args.columns:
            return self._grid.shown_positions()
        rows, columns = self._exporter.positions(args)
        down, across = map(len, self._session.axes)
        return chart_positions((rows, columns), (down, across)) if is_chart else (rows, columns)

    def _cells(
        self, result: CrosstabResult, rows: Sequence[int], columns: Sequence[int]
    ) -> ExportCells:
        grid = self._grid
        return self._exporter.cells(
            *(result, rows, columns, grid.looks),
            transposed=grid.transposed,
            style=grid.chart_style,
        )

    def _picture(
        self, request: PageRequest[ExportArgs], result: CrosstabResult
    ) -> AnswerWithBuffers[FileHeader]:
        args = request.args
        kind, media_type = _PICTURES[args.format]
        rows, columns = map(
            tuple, self._positions(args) if args.rows and args.columns else ((), ())
        )
        style = msgspec.structs.asdict(self._grid.chart_style)
        # On white, whatever the theme of the page.
        asked = ChartArgs(format=kind, width=args.width, rows=rows, columns=columns, **style)
        _, image = picture(self._grid, asked)
        request.check()
        name = file_name(result, f"-chart.{kind}")
        return self.files.deliver(image, name, media_type, beside=args.beside)
