"""Results in other libraries: polars, Arrow, CSV, and the protocols by which frames are read.

`polars.DataFrame(result)`, `pyarrow.table(result)` and `duckdb.sql("from result")` ask for
`__arrow_c_stream__`; `alt.Chart(result)` and `narwhals.from_native(result)` ask for
`__narwhals_dataframe__`. Both return the result's own frame; column types do not depend on the
values in the frame.
"""

from __future__ import annotations

import csv
import json
import os
from abc import abstractmethod
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast, overload

from audiencelab.csv_injection import defused_field
from audiencelab.files import put
from audiencelab.flags import flag
from audiencelab.results.table_code import table_code
from audiencelab.unknown_names import OtherWords

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

_LISTS = {"suffixes": " ", "waves": " ", "items": " + "}
"""Columns of tuples, from left to right, and what separates their parts in text; a catalogue counts
its suffixes instead."""


class HasFrame(OtherWords):
    """Mixin for classes with `to_frame()`: other libraries read the result as a data frame."""

    __slots__ = ()

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """The long frame.

        >>> client.stats("Gender").to_frame()["datapoint_label"].tolist()
        ['Male', 'Female', 'Non-binary or another identity']
        """

    def to_code(self) -> str:
        """Python that makes the same again, given `client` and `audiencelab` as `al`.

        `client.to_code()` connects to the survey. "" for a result of a call that has no code, such
        as one that was put together by hand.

        >>> client.crosstab("Pets", "Gender", waves="latest 1").test(vs="rest").to_code()
        "client.crosstab('Pets', 'Gender', waves=['q4_2025']).test(vs='rest')"
        """
        return table_code(self)

    def to_polars(self) -> pl.DataFrame:
        """The long frame as a frame of polars; NaN is null, labels are ordered categories.

        Raises `ImportError` without polars or pyarrow.

        >>> client.stats("Gender").to_polars().columns[:3]
        ['question', 'question_label', 'datapoint']
        """
        polars: Any = _required("polars", "A polars frame")
        return polars.DataFrame(self)

    def to_arrow(self) -> pa.Table:
        """The long frame as a pyarrow table; NaN is null, labels are dictionaries.

        `waves` and `suffixes` are lists, and the schema's metadata hold the provenance. Raises
        `ImportError` without pyarrow.

        >>> client.stats("Gender").to_arrow().num_rows
        3
        """
        return arrow_table(self.to_frame())

    @overload
    def to_csv(self, file: None = None, *, source: bool = False) -> str: ...
    @overload
    def to_csv(self, file: str | os.PathLike[str] | IO[bytes], *, source: bool = False) -> None: ...
    def to_csv(
        self, file: str | os.PathLike[str] | IO[bytes] | None = None, *, source: bool = False
    ) -> str | None:
        """The long frame as CSV (UTF-8, full precision); as text without a file.

        file: a path, or a file open for bytes, which begins with a byte order mark, so that Excel
            reads it as UTF-8. Several waves are separated by spaces, and text that a spreadsheet
            would calculate as a formula begins with an apostrophe.
        source: True begins the file of a result with lines that say what it is of: title, base,
            waves, weight, source, and all of it as JSON. `pandas.read_csv(file, comment="#")` and
            `read.csv(file, comment.char="#")` of R leave them out.

        Raises `ValueError` for a file that ends in .xlsx or .pptx.

        >>> client.stats("Gender").to_csv().splitlines()[1][:19]
        'q2,Gender,q2_1,Male'
        >>> client.stats("Gender").to_csv(source=True).splitlines()[0]
        '# Gender'
        """
        head = self._csv_head() if flag("source", source) else ""
        if isinstance(file, str | os.PathLike):
            written = {".xlsx": "to_excel", ".pptx": "to_pptx"}.get(Path(file).suffix.lower())
            if written is not None:
                raise ValueError(
                    f"{os.fspath(file)!r} is not valid: to_csv writes text. "
                    f"Write table.{written}({os.fspath(file)!r})."
                )
        frame = self.to_frame()
        for name in frame.select_dtypes(exclude=["number", "bool"]):
            separator = _LISTS.get(str(name), " ")
            frame[name] = [defused_field(_plain(each, separator)) for each in frame[name]]
        # The columns of an overlap are named after its audiences.
        heads = [defused_field(str(each)) for each in frame]
        # Readers that leave comments out cut lines at a sign that is not within quotes.
        quoting = csv.QUOTE_NONNUMERIC if head else csv.QUOTE_MINIMAL
        text: str = head + frame.to_csv(index=False, header=heads, quoting=quoting)
        if file is None:
            return text
        data = text.encode("utf-8-sig")
        if isinstance(file, str | os.PathLike):
            put(os.fspath(file), data)
        else:
            file.write(data)
        return None

    def _csv_head(self) -> str:
        """What a CSV file begins with that says what it is of; nothing of a list."""
        return ""

    def __narwhals_dataframe__(self) -> Any:
        """The frame as narwhals takes it; only narwhals calls this, so it is installed."""
        import narwhals

        frame: Any = narwhals.from_native(self.to_frame())
        # The protocol asks for narwhals' inner frame, which it wraps itself.
        return frame._compliant_frame

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The long frame as an Arrow stream, for `polars.DataFrame(result)` and the like.

        Columns are those of `to_arrow`. Raises `ImportError` without pyarrow.
        """
        stream: Any = arrow_table(self.to_frame())
        return stream.__arrow_c_stream__(requested_schema)


def arrow_table(frame: pd.DataFrame) -> pa.Table:
    """A result's frame as a table of pyarrow; numbers and codes are not copied."""
    pa: Any = _required("pyarrow", "An Arrow table")
    lists = [name for name in _LISTS if name in frame and frame[name].dtype == object]
    # Named, not dropped from the frame: pandas 2 would copy what is left.
    plain: Any = [name for name in frame if name not in lists]
    table = pa.Table.from_pandas(frame, preserve_index=False, columns=plain)
    for name in lists:
        # A column of empty lists has no type that could be found in it; codes are text.
        values = pa.array([list(map(str, codes)) for codes in frame[name]], pa.list_(pa.string()))
        table = table.add_column(list(frame).index(name), name, values)
    metadata: dict[bytes, bytes] = table.schema.metadata or {}
    told = json.dumps(frame.attrs, ensure_ascii=False).encode()
    return table.replace_schema_metadata({**metadata, b"audiencelab": told})


def _plain(value: object, separator: str) -> str:
    several = isinstance(value, tuple)
    return separator.join(map(str, cast("tuple[object, ...]", value))) if several else str(value)


def _required(package: str, made: str) -> Any:
    try:
        return import_module(package)
    except ModuleNotFoundError:
        raise ImportError(f"{made} needs {package}: pip install {package}") from None
