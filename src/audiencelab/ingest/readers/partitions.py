"""Columns that stand in the names of folders, such as `wave=2024q1/part-0.parquet`.

So data lakes keep them. Such a column has one value in all rows of a file. A column of the file
itself goes before one of the same name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from audiencelab.ingest.codebook import canonical_value
from audiencelab.ingest.readers.reader import SurveyFile
from audiencelab.ingest.tables import Piece, Progress

__all__ = ["PartitionedFile", "columns_above"]

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def columns_above(path: Path) -> dict[str, str]:
    """The columns that a file's folders name, with their values; "" where there is none."""
    named = [folder.partition("=") for folder in path.parts[:-1]]
    return {
        unquote(name): "" if value == _NO_VALUE else unquote(value)
        for name, sign, value in named
        if name and sign
    }


class PartitionedFile(SurveyFile):
    """A file, with the columns that its folders name."""

    def __init__(self, file: SurveyFile, above: Mapping[str, str]) -> None:
        super().__init__(file.path)
        self._file = file
        self._above = {name: value for name, value in above.items() if name not in file.header}
        self.header = (*file.header, *self._above)
        self.rows = file.rows
        self.variables = file.variables
        self.sets = file.sets
        self.title = file.title
        self.declared_weight = file.declared_weight
        self.encoding = file.encoding
        self.heading = file.heading
        self.is_columnar = file.is_columnar

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        yield from self._file.pieces(
            [each for each in columns if each not in self._above], progress
        )
        self.rows = self._file.rows
        for name in columns:
            if name in self._above:
                codes = np.zeros(self.rows, np.int8)
                yield Piece(name, codes, [canonical_value(self._above[name])])
