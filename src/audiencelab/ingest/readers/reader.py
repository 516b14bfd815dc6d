"""What every source of columns has in common, whatever its format.

A `SurveyFile` knows its header once it is opened, says what the file says of its columns, and
gives the values in pieces. Nothing is interpreted here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import numpy as np

from audiencelab.ingest.codebook import canonical_value
from audiencelab.ingest.tables import Piece, Progress, ResponseSet, Variable
from audiencelab.survey.errors import SourceError, SourcePlace

__all__ = [
    "SurveyFile",
    "arrow_pieces",
    "canonical_text",
    "nested_text",
    "ordered_names",
    "ordered_variables",
    "widened",
]


class SurveyFile(ABC):
    """An opened source.

    header: its columns in order. rows: how many it has; known after `pieces`, at the latest.
    variables, sets, title: what the file says of its columns and itself; empty for files that say
    nothing. declared_weight: the column that it weighs by, as an SPSS file may say; "" for none.
    heading: what is said of its header, where that is more than one row.
    is_columnar: some of its columns are read without the others.
    """

    variables: Mapping[str, Variable] = {}
    sets: tuple[ResponseSet, ...] = ()
    title: str = ""
    declared_weight: str = ""
    encoding: str = ""
    heading: str = ""
    is_columnar = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self.place = str(path)
        self.name = path.name
        self.header: tuple[str, ...] = ()
        self.rows = 0

    @property
    def dated(self) -> date:
        """The day the source was last changed."""
        return date.fromtimestamp(self.path.stat().st_mtime)

    @property
    def octets(self) -> int:
        """Its size in bytes, against which progress is told."""
        return self.path.stat().st_size

    @abstractmethod
    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        """The values of some of the header's columns; the pieces of one column are in row order.

        Raises `SourceError` for a file that is damaged or cannot be understood.
        """

    def present(self, columns: Sequence[str]) -> list[str]:
        """The wanted columns that the file has, in its own order; none may be there twice."""
        wanted = set(columns)
        found = [name for name in self.header if name in wanted]
        if len(set(found)) < len(found):
            twice = next(name for name, times in Counter(found).items() if times > 1)
            place = SourcePlace(self.place, column=twice)
            raise SourceError(place, "the header names this column twice.")
        return found


def arrow_pieces(name: str, array: Any) -> Iterator[Piece]:
    """An arrow array of any type, chunked or not, as pieces of a column.

    Lists and structures are text, as `nested_text` has them.
    """
    for chunk in getattr(array, "chunks", [array]):
        flat = _flat(chunk)
        plain = flat if hasattr(flat, "dictionary") else flat.dictionary_encode()
        # Indices may be unsigned, and then have no -1.
        indices = plain.indices.cast("int64").fill_null(-1)
        codes = indices.to_numpy(zero_copy_only=False).astype(np.int32)
        yield Piece(name, codes, _dictionary(plain))


def ordered_names(schema: Any) -> list[str]:
    """The columns of an arrow schema that hold categories with an order, if named once."""
    import pyarrow as pa

    times = Counter(str(name) for name in schema.names)
    return [
        field.name
        for field in schema
        if times[field.name] == 1 and pa.types.is_dictionary(field.type) and field.type.ordered
    ]


def ordered_variables(columns: Mapping[str, Any]) -> dict[str, Variable]:
    """What arrow arrays of ordered categories, chunked or not, say of their columns."""
    first = {
        name: next(iter(getattr(each, "chunks", [each])), None) for name, each in columns.items()
    }
    return {
        name: Variable(order=tuple(filter(None, _dictionary(chunk))))
        for name, chunk in first.items()
        if chunk is not None
    }


def _dictionary(array: Any) -> list[str | None]:
    values = array.dictionary.to_pylist()
    if str(array.dictionary.type) == "float":
        values = map(widened, values)
    return [canonical_text(value) for value in values]


def widened(number: float | None) -> float | None:
    """What a number of four bytes was before it was put into them: 1.1, not 1.100000023841858.

    Else neither a codebook's 1.1 nor the end of a band at 1.1 would meet it. Whole numbers are
    what they are, however long.
    """
    if number is None or number.is_integer():
        return number
    return float(str(np.float32(number)))


def _flat(array: Any) -> Any:
    """An array of lists or of structures as one of text; any other as it is."""
    import pyarrow as pa

    if not pa.types.is_nested(array.type):
        return array
    return pa.array([None if value is None else nested_text(value) for value in array.to_pylist()])


def nested_text(value: Any) -> str:
    """A list as text with a semicolon behind each value; a structure, or what else, as it prints.

    So a list of no values differs from no list.
    """
    if not isinstance(value, list):
        return str(value)
    parts = (canonical_text(part) for part in cast(list[Any], value))
    return "".join(f"{part};" for part in parts if part) or ";"


def canonical_text(value: Any) -> str | None:
    """A cell's value as canonical text; None for an empty one."""
    if value is None or value != value:  # NaN is an empty cell
        return None
    if isinstance(value, (str, bool, int, float)):
        return canonical_value(value)
    if isinstance(value, bytes):
        return canonical_value(value.decode("utf-8", "replace"))
    if isinstance(value, Decimal):
        return canonical_value(_plain(value))
    # A day is often held as its midnight.
    return str(value).removesuffix(" 00:00:00")


def _plain(number: Decimal) -> str:
    """A decimal number as a float of that value prints: 3 for 3.00, and 1.5 for 1.50."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
