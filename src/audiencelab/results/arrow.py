"""The frame protocols of results: Arrow streams and narwhals.

`polars.DataFrame(result)`, `pyarrow.table(result)` and `duckdb.sql("from result")` ask for
`__arrow_c_stream__`; `alt.Chart(result)` and `narwhals.from_native(result)` ask for
`__narwhals_dataframe__`. Both return the result's own frame; column types do not depend on the
values in the frame.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_LISTS = ("suffixes", "waves")
"""Columns of tuples of codes, from left to right; a catalogue counts its suffixes instead."""


class HasFrame:
    """Mixin for classes with `to_frame()`: other libraries read the result as a data frame."""

    __slots__ = ()

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """The long frame."""

    def __narwhals_dataframe__(self) -> Any:
        """The frame as narwhals takes it; only narwhals calls this, so it is installed."""
        import narwhals

        frame: Any = narwhals.from_native(self.to_frame())
        return frame._compliant_frame

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The long frame as an Arrow stream, for `polars.DataFrame(result)` and the like.

        Columns are those of `to_frame`; NaN is null, labels are dictionaries, waves and suffixes
        are lists, and the schema's metadata hold the provenance. Raises `ImportError` without
        pyarrow.
        """
        stream: Any = arrow_table(self.to_frame())
        return stream.__arrow_c_stream__(requested_schema)


def arrow_table(frame: pd.DataFrame) -> pa.Table:
    """A result's frame as a table of pyarrow; numbers and codes are not copied."""
    try:
        import pyarrow as pa
    except ModuleNotFoundError:
        raise ImportError(
            'An Arrow stream is made with pyarrow: pip install "audiencelab[survey]"'
        ) from None
    lists = [name for name in _LISTS if name in frame and frame[name].dtype == object]
    # Named, not dropped from the frame: pandas 2 would copy what is left.
    plain: Any = [name for name in frame if name not in lists]
    table = pa.Table.from_pandas(frame, preserve_index=False, columns=plain)
    for name in lists:
        # A column of empty lists has no type that could be found in it; codes are text.
        values = pa.array([list(map(str, codes)) for codes in frame[name]], pa.list_(pa.string()))
        table = table.add_column(list(frame).index(name), name, values)
    metadata = table.schema.metadata or {}
    told = json.dumps(frame.attrs, ensure_ascii=False).encode()
    return table.replace_schema_metadata({**metadata, b"audiencelab": told})
