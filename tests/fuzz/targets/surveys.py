"""Survey files of every format that an import reads: real ones, damaged."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat

from audiencelab.ingest import draft_codebook
from audiencelab.ingest.codebook import Source, canonical_value
from audiencelab.ingest.columns import MISSING
from audiencelab.ingest.readers import ReadColumns, open_file, read_columns
from audiencelab.survey import SurveyError
from tests.fuzz.mutating import mutated
from tests.fuzz.targets import Target, refused
from tests.ingest.sources import ROWS

__all__ = ["DelimitedFiles", "SurveyFiles"]


def _read(path: Path) -> ReadColumns:
    file = open_file(path, Source())
    table = read_columns(file, file.header)
    for column in table.columns.values():
        assert len(column.codes) == table.rows
        assert not table.rows or column.codes.min() >= MISSING
        assert not table.rows or column.codes.max() < len(column.values)
        assert len(set(column.values)) == len(column.values)
        assert all(column.values)
    return table


class DelimitedFiles(Target):
    """A CSV file: the cells are those that Python's `csv` finds."""

    name = "csv files"
    share = 14

    def seeds(self) -> list[bytes]:
        texts = (ROWS, "a,b\n1,2\n3,4\n", 'a,b\r\n"x, ""y""",1.0\r\n,2\r\n', "é,b\n€,😀\n")
        return [text.encode() for text in texts]

    def run(self, data: bytes) -> str:
        path = self.folder / "survey.csv"
        path.write_bytes(data)
        try:
            table = _read(path)
        except SurveyError as error:
            return refused(ValueError(str(error).replace(str(path), "")))
        _confirm(table, data.decode("utf-8-sig"))
        return f"accepted {min(table.rows, 4)} of {min(len(table.source.header), 4)}"


def _confirm(table: ReadColumns, text: str) -> None:
    header, *rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    names = table.source.header
    assert len(set(names)) == len(names) == len(header)
    assert table.rows == len(rows), (table.rows, rows)
    for place, (name, own) in enumerate(zip(names, header, strict=True)):
        assert name == own or name.startswith(f"{own or '(no name)'} ("), (name, own)
        column = table.columns[name]
        found: list[str] = ["" if code == MISSING else column.values[code] for code in column.codes]
        assert found == [canonical_value(row[place]) for row in rows], (name, found)


class SurveyFiles(Target):
    """Files of SPSS, Stata, SAS, Parquet, Arrow and packed CSV; a first line says which."""

    name = "survey files"
    share = 6
    most_answers = 80

    def seeds(self) -> list[bytes]:
        with TemporaryDirectory() as folder:
            return [
                path.suffix.encode() + b"\n" + path.read_bytes()
                for path in _real_files(Path(folder))
            ]

    def made(self, random: Random, inputs: list[bytes]) -> bytes:
        suffix, _, data = random.choice(inputs).partition(b"\n")
        same = [each.partition(b"\n")[2] for each in inputs if each.startswith(suffix + b"\n")]
        return suffix + b"\n" + mutated(data, same, random)

    def run(self, data: bytes) -> str:
        suffix, _, octets = data.partition(b"\n")
        ending = suffix.decode("ascii", "replace").replace("/", "")
        path = self.folder / f"survey{'.csv' if ending == '.gz' else ''}{ending}"
        path.write_bytes(octets)
        try:
            table = _read(path)
            draft_codebook(path)
        except SurveyError as error:
            return f"{ending} {refused(ValueError(str(error).replace(str(path), '')))}"
        finally:
            path.unlink()
        return f"accepted {ending} {min(table.rows, 4)} of {min(len(table.source.header), 4)}"


def _real_files(folder: Path) -> list[Path]:
    """The same little survey in every format."""
    # The stubs of pandas and of pyreadstat know different frames.
    frame: Any = pd.DataFrame(
        {
            "sex": [1.0, 2.0, np.nan, 1.0] * 5,
            "town": ["North", "Süd", "", "x" * 90] * 5,
            "weight": [0.5, 1.0, 1.5, 1e9] * 5,
        }
    )
    labels = {"sex": {1.0: "Male", 2.0: "Female"}}
    paths = [
        folder / f"survey.{end}" for end in ("sav", "zsav", "dta", "xpt", "parquet", "feather")
    ]
    sav, zsav, dta, xpt, parquet, feather = paths
    for path, packed in ((sav, False), (zsav, True)):
        pyreadstat.write_sav(
            frame,
            path,
            variable_value_labels=labels,
            missing_ranges={"sex": [{"lo": 8, "hi": 9}]},
            compress=packed,
        )
    pyreadstat.write_dta(frame, dta, variable_value_labels=labels)
    pyreadstat.write_xport(frame, xpt)
    frame.to_parquet(parquet)
    frame.to_feather(feather, compression="uncompressed")
    packed = folder / "survey.csv.gz"
    frame.to_csv(packed, index=False)
    return [*paths, packed]
