"""Frames as sources: pandas, polars, pyarrow, DuckDB, all that speaks Arrow."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import numpy as np

from audiencelab.ingest.columns import Piece, Progress, Variable
from audiencelab.ingest.readers.arrow import (
    arrow_errors,
    arrow_pieces,
    ordered_names,
    ordered_variables,
    unreadable_variables,
)
from audiencelab.ingest.readers.base import (
    SurveyFile,
    canonical_text,
    nested_text,
    widened,
)
from audiencelab.ingest.readers.platforms import is_import_id, recognise
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError
from audiencelab.wording import articled

_NAME = "the frame"
_LOOKED_AT = 2
_FETCH = ("fetch_arrow_table", "to_arrow_table")
"""How cursors of databases return an Arrow table."""


def frame_source(frame: Any) -> SurveyFile:
    """A frame as a source; `SurveyError` for any other object."""
    if hasattr(frame, "to_frame") and not hasattr(frame, "columns"):  # a series
        raise SurveyError(f"{_a_kind(frame)} is one column. Write al.open(data.to_frame()).")
    if hasattr(frame, "iloc") and hasattr(frame, "columns"):
        _refuse_header_rows(frame.iloc[:_LOOKED_AT].to_numpy().tolist())
        source = PandasFrame(frame)
        recognise(source)
        return source
    if hasattr(frame, "__arrow_c_stream__"):
        source = _ArrowFrame(frame)
        _refuse_header_rows(source.first_rows(_LOOKED_AT))
        recognise(source)
        return source
    if hasattr(frame, "lazy") and hasattr(frame, "collect"):  # a LazyFrame of polars
        return frame_source(frame.collect())
    of_query = next((f"what its {each}() returns" for each in _FETCH if hasattr(frame, each)), "")
    if not of_query and hasattr(frame, "fetchall"):
        of_query = "pandas.read_sql(query, connection)"
    if of_query:
        raise SurveyError(f"{_a_kind(frame)} is not a frame: give {of_query}.")
    if isinstance(frame, Mapping | Set | Iterator) or hasattr(frame, "__array__"):
        raise SurveyError(
            f"{_a_kind(frame)} is not a frame. Write al.open(pandas.DataFrame(data))."
        )
    raise SurveyError(
        f"{_a_kind(frame)} is not a survey. Give the name of a file or folder, or a frame of "
        'pandas, polars or Arrow. Write al.open("survey.sav").'
    )


def _a_kind(given: Any) -> str:
    kind = articled(type(given).__name__)
    return f"{kind[0].upper()}{kind[1:]}"


def in_memory(source: Any) -> Any:
    """A stream of Arrow as a table, since some can be read once only; anything else as it is.

    A relation of DuckDB is a stream too, whose query runs each time that it is read.
    """
    if hasattr(source, "iloc") or not hasattr(source, "__arrow_c_stream__"):
        return source
    import pyarrow as pa

    if isinstance(source, pa.Table):
        return source
    if type(source).__module__.startswith("polars"):
        source = _without_objects(source)
    with arrow_errors(Path(_NAME), "Arrow"):
        table = pa.table(source)
    if not table.num_rows:
        raise SourceError(
            SourcePlace(_NAME),
            "has no rows. A stream of Arrow can be read once: if it was read before, run the query "
            "again, or keep its table, pyarrow.table(stream).",
        )
    return _with_enums(table, getattr(source, "types", ()))


def _without_objects(frame: Any) -> Any:
    """A frame of polars with the objects of Python in it as text: Arrow has their addresses."""
    import polars as pl

    def text(value: Any) -> str | None:
        return canonical_text(_flat(value))

    return frame.with_columns(pl.col(pl.Object).map_elements(text, return_dtype=pl.String))


def _with_enums(table: Any, kinds: Sequence[Any]) -> Any:
    """The table of a relation of DuckDB, whose enums have an order that it does not tell Arrow."""
    import pyarrow as pa

    for place, kind in enumerate(kinds):
        if getattr(kind, "id", "") == "enum":
            chunks: list[Any] = [
                pa.DictionaryArray.from_arrays(each.indices, each.dictionary, ordered=True)
                for each in table.column(place).chunks
            ]
            table = table.set_column(place, table.column_names[place], pa.chunked_array(chunks))
    return table


def _refuse_header_rows(rows: Sequence[Sequence[Any]]) -> None:
    for place, row in enumerate(rows, start=1):
        if is_import_id(row):
            lines = list(range(1, place + 1))
            raise SurveyError(
                f"The frame begins with {place} header rows of Qualtrics, which are not "
                f"respondents. Leave them out: frame.iloc[{place}:], or read the file with "
                f"pandas.read_csv(…, skiprows={lines})."
            )


class _Frame(SurveyFile):
    """A source that is not a file, and as large as its memory."""

    def __init__(self, header: Sequence[Any], rows: int, octets: int) -> None:
        super().__init__(Path(_NAME))
        if odd := [name for name in header if not isinstance(name, str)]:
            raise SurveyError(
                f"The frame's columns must have names of type str; got {odd[0]!r} "
                "(frame.columns = frame.columns.astype(str))."
            )
        self.name_columns(header)
        self.rows = rows
        self._octets = octets

    @property
    def octets(self) -> int:
        return self._octets

    def checksum(self) -> str:
        return ""


class PandasFrame(_Frame):
    """Column by column, since one of objects may hold values of several types."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        header = list(frame.columns)
        for name in header:
            with _whole_characters(name):
                str(name).encode()
        super().__init__(header, len(frame), int(frame.memory_usage().sum()))
        variables: dict[str, Variable] = {}
        for name, kind in zip(self.header, frame.dtypes, strict=True):
            categories = getattr(kind, "categories", None)
            # Categories that pandas derives are sorted, and that order means nothing.
            if categories is not None and (kind.ordered or not categories.is_monotonic_increasing):
                order = map(canonical_text, categories.tolist())
                variables[name] = Variable(order=tuple(filter(None, order)))
        arrow = [getattr(kind, "pyarrow_dtype", None) for kind in frame.dtypes]
        if any(kind is not None for kind in arrow):
            variables |= unreadable_variables(zip(self.header, arrow, strict=True))
        self.variables = variables

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        for place, name in enumerate(columns, start=1):
            with _whole_characters(name):
                yield from self._pieces_of(name)
            progress.at(self.octets * place // len(columns))

    def _pieces_of(self, name: str) -> Iterator[Piece]:
        column = self._frame.iloc[:, self.header.index(name)]
        if hasattr(column.dtype, "pyarrow_dtype"):
            with arrow_errors(self.path, f"Arrow (column {name})"):
                yield from arrow_pieces(name, column.array.__arrow_array__())
            return
        try:
            codes, found = column.factorize()
        except TypeError:  # lists and dictionaries cannot be looked up as they are
            codes, found = column.map(_flat, na_action="ignore").factorize()
        listed = found.tolist()
        if str(found.dtype).lower() == "float32":
            listed = map(widened, listed)
        values = [canonical_text(value) for value in listed]
        # Encoded here, so that a lone surrogate is reported with its column, and not when files are
        # written.
        for value in values:
            (value or "").encode()
        yield Piece(name, codes, values)


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
    elif isinstance(value, bytearray):
        value = bytes(value)
    return nested_text(value) if isinstance(value, list | dict) else value


class _ArrowFrame(_Frame):
    """By way of an arrow table, without a copy where the frame's own memory is arrow's."""

    def __init__(self, frame: Any) -> None:
        import pyarrow as pa

        self._table = table = pa.table(in_memory(frame))
        super().__init__(table.column_names, table.num_rows, table.nbytes)
        with arrow_errors(self.path, "Arrow"):
            kinds: Sequence[Any] = table.schema.types
            ordered = ordered_names(table.schema)
            named = zip(self.header, table.column_names, strict=True)
            self.variables = {
                **ordered_variables({n: table.column(own) for n, own in named if own in ordered}),
                **unreadable_variables(zip(self.header, kinds, strict=True)),
            }

    def first_rows(self, most: int) -> list[tuple[Any, ...]]:
        """The cells of the first rows, of columns of text alone."""
        import pyarrow as pa

        is_text = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
        kinds: Sequence[Any] = self._table.schema.types
        places = [place for place, kind in enumerate(kinds) if any(each(kind) for each in is_text)]
        texts = [self._table.column(place).slice(0, most) for place in places]
        with suppress(UnicodeDecodeError):  # Reading the column names it.
            return list(zip(*(each.to_pylist() for each in texts), strict=True))
        return []

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        for place, name in enumerate(columns, start=1):
            with arrow_errors(self.path, f"Arrow (column {name})"):
                yield from arrow_pieces(name, self._table.column(self.header.index(name)))
            progress.at(self.octets * place // len(columns))
