"""Numbers of text files with signs between thousands."""

from __future__ import annotations

import random
from pathlib import Path
from statistics import fmean

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.readers import open_file, read_columns
from audiencelab.ingest.readers.csv_dialect import dialect_of

_RANDOM = random.Random(7)
AMOUNTS = [round(_RANDOM.uniform(1_000, 9_000), 2) for _ in range(40)]


def read(
    path: Path, *columns: list[str], sep: str = ";"
) -> tuple[dict[str, list[str]], list[Guess]]:
    """The values of columns q1, q2 … of a file that has them, and what is told of them."""
    names = ["answer", *(f"q{index}" for index, _ in enumerate(columns, start=1))]
    columns = (["yes"] * len(columns[0]), *columns)
    quoted = [
        [f'"{cell}"' if sep in cell else cell for cell in row] for row in zip(*columns, strict=True)
    ]
    lines = [sep.join(names), *map(sep.join, quoted)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    file = open_file(path, dialect_of([path]).options)
    table = read_columns(file, file.header)
    found = {
        name: [column.values[code] for code in map(int, column.codes)]
        for name, column in table.columns.items()
    }
    return found, list(file.guesses)


def written(number: float, mark: str, decimal: str = "", places: int = 0) -> str:
    text = f"{number:,.{places}f}"
    return text.replace(",", "_").replace(".", decimal).replace("_", mark)


@pytest.mark.parametrize("mark", [".", " ", "\u00a0", "\u202f", "'", "’"])
def test_numbers_with_decimal_commas_and_signs_between_thousands(tmp_path: Path, mark: str) -> None:
    cells = [written(each, mark, ",", 2) for each in AMOUNTS]
    found, _ = read(tmp_path / "a.csv", cells)
    assert [float(each) for each in found["q1"]] == AMOUNTS


def test_points_between_thousands_beside_decimal_commas(tmp_path: Path) -> None:
    whole = [round(each) for each in AMOUNTS]
    cells = [written(each, ".") for each in whole[:-2]] + ["650", "keine Angabe"]
    found, told = read(tmp_path / "a.csv", cells, ["0,5", "2,25"] * 20)
    assert found["q1"] == [*map(str, whole[:-2]), "650", "keine Angabe"]
    assert found["q2"][:2] == ["0.5", "2.25"]
    assert [(each.about, each.severity) for each in told] == [("q1", 2)]


@pytest.mark.parametrize("sep", [",", "\t", ";"])
def test_commas_between_thousands(tmp_path: Path, sep: str) -> None:
    whole = [round(each) for each in AMOUNTS]
    cells = [written(each, ",") for each in whole]
    found, _ = read(tmp_path / "a.csv", cells, ["0.5", "2.25"] * 20, sep=sep)
    assert found["q1"] == [*map(str, whole)]
    found, _ = read(tmp_path / "b.csv", ["1,234.56", "921.5"] * 2, sep=sep)
    assert found["q1"] == ["1234.56", "921.5"] * 2


def test_a_tab_is_between_english_numbers(tmp_path: Path) -> None:
    cells = [written(each, ",") for each in AMOUNTS]
    found, _ = read(tmp_path / "a.tsv", cells, sep="\t")
    assert found["q1"] == [cell.replace(",", "") for cell in cells]


def test_points_before_three_digits_alone_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    whole = [*map(round, AMOUNTS)]
    cells = [written(each, ".") for each in whole]
    found, told = read(path, cells)
    assert [float(each) for each in found["q1"]] == [float(cell) for cell in cells]
    assert [each.severity for each in told] == [0]
    frame = eval(told[0].code.removeprefix("al.open").strip(), {"pandas": pd})
    assert frame["q1"].tolist() == whole


def test_commas_before_three_digits_alone_are_told(tmp_path: Path) -> None:
    found, told = read(tmp_path / "a.csv", ["1,475", "2,310", "3,250"])
    assert found["q1"] == ["1.475", "2.310", "3.250"]
    assert [each.severity for each in told] == [0]
    assert 'thousands=",", decimal="."' in told[0].code


def test_the_way_back_reads_numbers_as_they_are(tmp_path: Path) -> None:
    cells = [written(each, ".") for each in AMOUNTS]
    _, told = read(tmp_path / "a.csv", cells, ["0,5", "2,25"] * 20)
    frame = eval(told[0].code.removeprefix("al.open").strip(), {"pandas": pd})
    assert frame["q1"].tolist() == cells
    assert frame["q2"].tolist() == [0.5, 2.25] * 20


@pytest.mark.parametrize(
    "cells",
    [
        ["1.475", "2.3", "1.10", "3.999"],  # versions
        ["12.345.678", "123.456.789", "192.168.1.20"],  # addresses
        ["01.02.2024", "12.345", "13.12.2023"],  # dates
        ["0.475", "1.310", "2.975"],  # weights of three places
        ["123 45", "118 20", "113 301"],  # postcodes
        ["612 345 678", "655 123 987", "699 111 222"],  # telephones
        ["1,5", "1,200", "3"],  # lists of codes
        ["101,102", "101,105,109", "102"],
        ["1,000", "5,000", "10,000"] * 5,  # a few answers, as they are written
    ],
)
def test_what_is_no_number_with_groups_stays(tmp_path: Path, cells: list[str]) -> None:
    found, told = read(tmp_path / "a.csv", cells, sep=",")
    assert found["q1"] == cells or [*map(float, found["q1"])] == [*map(float, cells)]
    assert not told


def test_a_later_block_may_say_that_points_are_decimal_signs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audiencelab.ingest.readers.csv._BLOCK", 128)
    grouped = ["1.475", "2.310"] * 100
    for cells in ([*grouped, "2.5"], ["2.5"] * 100 + grouped):
        found, _ = read(tmp_path / "a.csv", cells, ["0,5"] * len(cells))
        assert [*map(float, found["q1"])] == [*map(float, cells)]
    cells = ["650"] * 100 + grouped
    found, _ = read(tmp_path / "a.csv", cells, ["0,5"] * len(cells))
    assert found["q1"] == [cell.replace(".", "") for cell in cells]


def test_a_weight_with_points_between_thousands(tmp_path: Path) -> None:
    path = tmp_path / "survey.csv"
    cells = [written(each, ".", ",", 2) for each in AMOUNTS]
    rows = zip(["ja", "nein"] * 20, cells, strict=True)
    path.write_text("Antwort;Gewicht\n" + "".join(f"{a};{w}\n" for a, w in rows), "utf-8")
    client = al.open(path, weight="Gewicht")
    share = sum(AMOUNTS[::2]) / sum(AMOUNTS)
    found = client.stats("Antwort")["column"].iloc[0, 0]
    assert found == pytest.approx(share * 100, abs=0.06)
    assert draft_codebook(path).codebook.weight is not None


def test_the_mean_of_amounts(tmp_path: Path) -> None:
    path = tmp_path / "survey.csv"
    whole = [round(each) for each in AMOUNTS]
    lines = (f"{written(each, ',')!r},x\n".replace("'", '"') for each in whole)
    path.write_text("Inc,a\n" + "".join(lines), "utf-8")
    averages = al.open(path).stats("Inc").averages()
    assert float(averages["mean"].iloc[0]) == pytest.approx(fmean(whole), rel=0.01)
