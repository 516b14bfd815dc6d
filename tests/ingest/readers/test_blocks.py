"""A long statistical file is read in blocks, which are small here."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.columns import Progress
from audiencelab.ingest.readers import open_file, read_columns, spss_stata_sas
from tests.ingest.readers.test_statistical_files import values


def test_a_long_file_is_read_in_pieces_and_told_as_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []

    class Told(Progress):
        def at(self, octets: int) -> None:
            told.append(octets)

    path = tmp_path / "long.sav"
    n = 3_500
    pyreadstat.write_sav(pd.DataFrame({"x": range(n), "y": [1.0] * n}), path)
    monkeypatch.setattr(spss_stata_sas, "_BLOCK", 16_000)
    table = read_columns(spss_stata_sas.SpssFile(path, Source()), ["x"], Told())
    assert values(table, "x") == [str(number) for number in range(n)]
    assert len(told) == 2
    assert told == sorted(told)
    assert told[-1] == path.stat().st_size


def test_values_of_several_blocks_are_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "survey.sav"
    texts = ["a", "b", "", "c", "a"] * 20
    frame: Any = pd.DataFrame({"n": range(100), "text": texts})
    pyreadstat.write_sav(frame, path)
    whole = read_columns(open_file(path, Source()), ["n", "text"])
    monkeypatch.setattr(spss_stata_sas, "_BLOCK", 160)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    pieces = read_columns(open_file(path, Source()), ["n", "text"])
    for name, column in whole.columns.items():
        assert column.values == pieces.columns[name].values
        assert column.codes.tolist() == pieces.columns[name].codes.tolist()
