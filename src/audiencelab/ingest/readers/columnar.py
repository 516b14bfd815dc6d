"""Reading Parquet, Feather and Arrow files: a few columns and a few rows at a time."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers.bounds import check_rows
from audiencelab.ingest.readers.reader import (
    SurveyFile,
    arrow_pieces,
    ordered_names,
    ordered_variables,
)
from audiencelab.ingest.tables import Piece, Progress
from audiencelab.survey.errors import SourceError, SourcePlace

__all__ = ["ArrowFile", "ParquetFile", "told"]

_COLUMNS_AT_ONCE = 16


class ParquetFile(SurveyFile):
    """A Parquet file."""

    is_columnar = True

    def __init__(self, path: Path, options: Source) -> None:
        super().__init__(path)
        from pyarrow import parquet

        with told(path, "Parquet"), parquet.ParquetFile(path) as file:
            self.header = tuple(file.schema_arrow.names)
            kinds: Sequence[Any] = file.schema_arrow.types
            self._texts = {
                name for name, kind in zip(self.header, kinds, strict=True) if _is_text(kind)
            }
            self.rows = int(file.metadata.num_rows)
            ordered = ordered_names(file.schema_arrow)
            if ordered and file.num_row_groups:
                group = file.read_row_group(0, columns=ordered)
                self.variables = ordered_variables({name: group.column(name) for name in ordered})
        check_rows(path, self.rows)

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        from pyarrow import parquet

        # One long text may stand for millions of cells, and is written out once and no more.
        once = [name for name in columns if name in self._texts]
        with (
            told(self.path, "Parquet"),
            parquet.ParquetFile(self.path, read_dictionary=once) as file,
        ):
            # A few columns at a time, a row group at a time: memory for those, not for the file.
            groups = file.num_row_groups
            for first in range(0, len(columns), _COLUMNS_AT_ONCE):
                names = list(columns[first : first + _COLUMNS_AT_ONCE])
                for group in range(groups):
                    piece = file.read_row_group(group, columns=names, use_threads=True)
                    for name in names:
                        yield from arrow_pieces(name, piece.column(name))
                    done = first * groups + len(names) * (group + 1)
                    progress.at(self.octets * done // (len(columns) * groups))


class ArrowFile(SurveyFile):
    """A Feather (version 2) or Arrow file: record batches, mapped and not read whole."""

    is_columnar = True

    def __init__(self, path: Path, options: Source) -> None:
        super().__init__(path)
        import pyarrow as pa

        with told(path, "Arrow"), pa.memory_map(str(path)) as file:
            reader = pa.ipc.open_file(file)
            self.header = tuple(reader.schema.names)
            ordered = ordered_names(reader.schema)
            if ordered and reader.num_record_batches:
                batch = reader.get_batch(0)
                batch.validate(full=True)
                self.variables = ordered_variables({name: batch.column(name) for name in ordered})

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        import pyarrow as pa

        with told(self.path, "Arrow"), pa.memory_map(str(self.path)) as file:
            reader = pa.ipc.open_file(file)
            self.rows = 0
            for place in range(reader.num_record_batches):
                batch = reader.get_batch(place)
                # It is mapped as it is: a damaged offset would be followed out of the file.
                batch.validate(full=True)
                self.rows += batch.num_rows
                check_rows(self.path, self.rows)
                for name in columns:
                    yield from arrow_pieces(name, batch.column(name))
                progress.at(self.octets * (place + 1) // reader.num_record_batches)


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_string(kind) or pa.types.is_binary(kind)


@contextmanager
def told(path: Path, kind: str) -> Generator[None]:
    """What the reader does not like of a file becomes an error that names it."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        # Values are looked at last: text that is no UTF-8, days that no calendar has.
        detail = (str(error).splitlines() or [type(error).__name__])[0]
        raise SourceError(SourcePlace(str(path)), f"cannot be read as {kind}: {detail}") from None
