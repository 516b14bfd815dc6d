"""Read Parquet, Feather and Arrow files, and Arrow arrays, a few columns and rows at a time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.columns import Piece, Progress, Variable
from audiencelab.ingest.readers.base import (
    SurveyFile,
    canonical_text,
    nested_text,
    widened,
)
from audiencelab.ingest.readers.contents import unreadable
from audiencelab.survey.errors import SourceError, SourcePlace

_COLUMNS_AT_ONCE = 16


class ParquetFile(SurveyFile):
    """A Parquet file."""

    def __init__(self, path: Path, options: Source) -> None:
        super().__init__(path)
        import pyarrow as pa
        from pyarrow import parquet

        with arrow_errors(path, "Parquet"), parquet.ParquetFile(path) as file:
            own: Sequence[str] = file.schema_arrow.names
            self.name_columns(own)
            self._own = dict(zip(self.header, own, strict=True))
            kinds: Sequence[Any] = file.schema_arrow.types
            self._texts = {
                name
                for name, kind in zip(own, kinds, strict=True)
                if pa.types.is_string(kind) or pa.types.is_binary(kind)
            }
            self.rows = int(file.metadata.num_rows)
            ordered = ordered_names(file.schema_arrow)
            if ordered and file.num_row_groups:
                # The order of categories is in the dictionary, which only data have in Parquet.
                group = file.read_row_group(0, columns=ordered)
                self.variables = ordered_variables(
                    {name: group.column(own) for name, own in self._own.items() if own in ordered}
                )

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        from pyarrow import parquet

        # Dictionaries hold a text once that repeats in millions of cells.
        texts = [each for name in columns if (each := self._own[name]) in self._texts]
        with (
            arrow_errors(self.path, "Parquet"),
            parquet.ParquetFile(self.path, read_dictionary=texts) as file,
        ):
            # A few columns of one row group at a time bound the memory.
            groups = file.num_row_groups
            for first in range(0, len(columns), _COLUMNS_AT_ONCE):
                names = list(columns[first : first + _COLUMNS_AT_ONCE])
                for group in range(groups):
                    wanted = [*dict.fromkeys(self._own[name] for name in names)]
                    piece = file.read_row_group(group, columns=wanted, use_threads=True)
                    for name in names:
                        yield from arrow_pieces(name, piece.column(self._index(name, piece)))
                    done = first * groups + len(names) * (group + 1)
                    progress.at(self.octets * done // (len(columns) * groups))

    def _index(self, name: str, piece: Any) -> int:
        """Where a column is in a piece, which has all columns of its name in the file."""
        own = self._own[name]
        alike = [each for each, other in self._own.items() if other == own]
        return piece.schema.get_all_field_indices(own)[alike.index(name)]


class ArrowFile(SurveyFile):
    """A Feather (version 2) or Arrow file, memory-mapped record batches."""

    def __init__(self, path: Path, options: Source) -> None:
        super().__init__(path)
        import pyarrow as pa

        with arrow_errors(path, "Arrow"), pa.memory_map(str(path)) as file:
            reader = pa.ipc.open_file(file)
            self.name_columns(reader.schema.names)
            ordered = ordered_names(reader.schema)
            if ordered and reader.num_record_batches:
                batch = reader.get_batch(0)
                batch.validate(full=True)
                named = zip(self.header, reader.schema.names, strict=True)
                self.variables = ordered_variables(
                    {name: batch.column(own) for name, own in named if own in ordered}
                )

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        import pyarrow as pa

        with arrow_errors(self.path, "Arrow"), pa.memory_map(str(self.path)) as file:
            reader = pa.ipc.open_file(file)
            self.rows = 0
            for index in range(reader.num_record_batches):
                batch = reader.get_batch(index)
                # A damaged offset in a mapped file would be followed out of it.
                batch.validate(full=True)
                self.rows += batch.num_rows
                for name in columns:
                    yield from arrow_pieces(name, batch.column(self.header.index(name)))
                progress.at(self.octets * (index + 1) // reader.num_record_batches)


def arrow_pieces(name: str, array: Any) -> Iterator[Piece]:
    """An Arrow array of any type, chunked or not, as pieces of a column.

    Lists and structures become text, as in `nested_text`.
    """
    import pyarrow as pa

    for chunk in getattr(array, "chunks", [array]):
        flat: Any = _stored(chunk) if isinstance(chunk.type, pa.BaseExtensionType) else chunk
        if pa.types.is_nested(chunk.type):
            texts = [None if each is None else nested_text(each) for each in chunk.to_pylist()]
            flat = pa.array(texts)
        # Different values once: a survey has few of them and many rows.
        plain = flat if hasattr(flat, "dictionary") else flat.dictionary_encode()
        # Unsigned indices have no -1.
        indices = plain.indices.cast("int64").fill_null(-1)
        codes = indices.to_numpy(zero_copy_only=False).astype(np.int32)
        yield Piece(name, codes, _dictionary(plain))


def _stored(array: Any) -> Any:
    """An array of a type that databases add to those of Arrow, as one of Arrow's own types."""
    import pyarrow as pa

    kind = array.type.extension_name
    if kind == "arrow.uuid":
        return pa.array(list(map(canonical_text, array.to_pylist())), pa.string())
    if kind == "arrow.json":
        return pa.array(list(map(_of_json, array.storage.to_pylist())), pa.string())
    if getattr(array.type, "type_name", "") == "numeric":
        # PostgreSQL writes 2 as 2.00 in a column of two decimals.
        numbers = (each and canonical_text(Decimal(each)) for each in array.storage.to_pylist())
        return pa.array(list(numbers), pa.string())
    return array.storage


def _of_json(text: str | None) -> str | None:
    """A JSON value as canonical text: of a list as in `nested_text`, of an object its own text."""
    try:
        value = None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(value, list):
        return nested_text(value)
    return text if isinstance(value, dict) else canonical_text(value)


def unreadable_variables(kinds: Iterable[tuple[str, Any]]) -> dict[str, Variable]:
    """Metadata of columns, by name and Arrow type, of which Arrow has only bytes.

    PostgreSQL's inet is such a type.
    """
    import pyarrow as pa

    return {
        name: Variable(
            no_question=f"{kind.type_name} of {kind.vendor_name}, of which Arrow has only bytes: "
            f"select {name}::text"
        )
        for name, kind in kinds
        if getattr(kind, "extension_name", "") == "arrow.opaque"
        and pa.types.is_binary(kind.storage_type)
    }


def ordered_names(schema: Any) -> list[str]:
    """The columns of an Arrow schema that hold ordered categories, if named once."""
    import pyarrow as pa

    times = Counter(str(name) for name in schema.names)
    return [
        field.name
        for field in schema
        if times[field.name] == 1 and pa.types.is_dictionary(field.type) and field.type.ordered
    ]


def ordered_variables(columns: Mapping[str, Any]) -> dict[str, Variable]:
    """Metadata of Arrow arrays of ordered categories, chunked or not."""
    first = {
        name: next(iter(getattr(each, "chunks", [each])), None) for name, each in columns.items()
    }
    return {
        name: Variable(order=tuple(filter(None, _dictionary(chunk))))
        for name, chunk in first.items()
        if chunk is not None
    }


@contextmanager
def arrow_errors(path: Path, kind: str) -> Generator[None]:
    """Raise errors of the reader as `SourceError` that names the file."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        # Values are decoded last: text that is not UTF-8, days that no calendar has.
        detail = (str(error).splitlines() or [type(error).__name__])[0]
        said = f"cannot be read as {kind}: {detail}"
        said = unreadable(path, detail) if path.is_file() else said
        raise SourceError(SourcePlace(str(path)), said) from None


def _dictionary(array: Any) -> list[str | None]:
    values = array.dictionary.to_pylist()
    if str(array.dictionary.type) == "float":
        values = map(widened, values)
    return [canonical_text(value) for value in values]
