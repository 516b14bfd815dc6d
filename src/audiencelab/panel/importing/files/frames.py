"""Frames that Python already holds, as sources: pandas, polars, pyarrow, all that speaks Arrow."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any, cast

import numpy as np

from audiencelab.panel.errors import PanelError, SourceError, SourcePlace
from audiencelab.panel.importing.files.columnar import told
from audiencelab.panel.importing.files.reader import (
    SurveyFile,
    arrow_pieces,
    canonical_text,
    nested_text,
    widened,
)
from audiencelab.panel.importing.tables import Piece, Progress

__all__ = ["frame_source"]

_NAME = "the frame"


def frame_source(frame: Any) -> SurveyFile:
    """A frame as a source; `PanelError` for what is none."""
    if hasattr(frame, "columns") and hasattr(frame, "iloc"):
        return _PandasFrame(frame)
    if hasattr(frame, "__arrow_c_stream__"):
        return _ArrowFrame(frame)
    raise PanelError(
        f"A {type(frame).__name__} is no frame: give one of pandas, polars or pyarrow (or anything "
        "else with __arrow_c_stream__)."
    )


class _Frame(SurveyFile):
    """A source that is no file: changed today, and as many bytes as it holds."""

    def __init__(self, header: Sequence[Any], rows: int, octets: int) -> None:
        super().__init__(Path(_NAME))
        if odd := [name for name in header if not isinstance(name, str)]:
            raise PanelError(
                f"The frame's columns need names that are text; {odd[0]!r} is none "
                "(frame.columns = frame.columns.astype(str))."
            )
        self.header = tuple(header)
        self.rows = rows
        self._octets = octets

    @property
    def dated(self) -> date:
        return date.today()

    @property
    def octets(self) -> int:
        return self._octets


class _PandasFrame(_Frame):
    """Column by column, since one of objects may hold values of several types."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        header = list(frame.columns)
        for name in header:
            with _whole_characters(name):
                str(name).encode()
        super().__init__(header, len(frame), int(frame.memory_usage().sum()))

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        for place, name in enumerate(columns, start=1):
            with _whole_characters(name):
                codes, values = self._coded(name)
            yield Piece(name, codes, values)
            progress.at(self.octets * place // len(columns))

    def _coded(self, name: str) -> tuple[Any, list[str | None]]:
        try:
            codes, found = self._frame[name].factorize()
        except TypeError:  # lists and dictionaries cannot be looked up as they are
            codes, found = self._frame[name].map(_flat, na_action="ignore").factorize()
        listed = found.tolist()
        if str(found.dtype).lower() == "float32":
            listed = map(widened, listed)
        values = [canonical_text(value) for value in listed]
        for value in values:
            (value or "").encode()
        return codes, values


@contextmanager
def _whole_characters(column: object) -> Generator[None]:
    """Half a character, which Python's text may hold and no file does, as `SourceError`."""
    try:
        yield
    except UnicodeEncodeError as error:
        name = str(column).encode("utf-8", "backslashreplace").decode()
        half = error.object[error.start : error.end]
        raise SourceError(
            SourcePlace(_NAME, column=name, value=error.object),
            f"{half!r} in it is half a character (a lone surrogate), and no text. Replace it.",
        ) from None


def _flat(value: Any) -> Any:
    """A list or a structure as text; any other value as it is."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    elif isinstance(value, set):
        value = sorted(cast(set[Any], value), key=str)
    return nested_text(value) if isinstance(value, list | dict) else value


class _ArrowFrame(_Frame):
    """By way of an arrow table, without a copy where the frame's own memory is arrow's."""

    def __init__(self, frame: Any) -> None:
        import pyarrow as pa

        self._table = pa.table(frame)
        table = self._table
        super().__init__(table.column_names, table.num_rows, table.nbytes)

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        for place, name in enumerate(columns, start=1):
            with told(self.path, f"Arrow (column {name})"):
                yield from arrow_pieces(name, self._table.column(name))
            progress.at(self.octets * place // len(columns))
