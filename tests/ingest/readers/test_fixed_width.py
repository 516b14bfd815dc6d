"""Lines with cells at fixed positions: values, short lines, encodings, and what is refused."""

from __future__ import annotations

import gzip
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from audiencelab.ingest.columns import ColumnBuilder, Progress
from audiencelab.ingest.readers import fixed_width
from audiencelab.ingest.readers.fixed_width import LineField, fixed_width_pieces, number
from audiencelab.survey.errors import SourceError
from tests.messages import fails

CELLS = (LineField("sex", 0, 1), LineField("age", 1, 4), LineField("town", 4, 10, is_text=True))
LINES = ("1018Bath  ", "2007York  ", "   -Köln  ")


def read(
    path: Path, cells: Sequence[LineField] = CELLS, encoding: str = "utf-8", skipped: int = 0
) -> dict[str, list[str]]:
    """The values of all rows of each column."""
    made = {cell.name: ColumnBuilder() for cell in cells}
    for name, codes, values in fixed_width_pieces(
        path, encoding, cells, Progress(), skipped=skipped
    ):
        made[name].add(codes, values)
    columns = {name: each.finish() for name, each in made.items()}
    return {
        name: [each.values[code] if code >= 0 else "" for code in each.codes.tolist()]
        for name, each in columns.items()
    }


def written(folder: Path, data: str | bytes, name: str = "answers.dat") -> Path:
    path = folder / name
    octets = data if isinstance(data, bytes) else data.encode()
    path.write_bytes(gzip.compress(octets) if name.endswith(".gz") else octets)
    return path


def test_lines_are_those_that_pandas_reads(tmp_path: Path) -> None:
    chosen = random.Random(7)
    names = [f"c{place}" for place in range(12)]
    ends = np.cumsum([chosen.choice([1, 1, 2, 3, 9]) for _ in names]).tolist()
    cells = [
        LineField(name, start, stop)
        for name, start, stop in zip(names, [0, *ends], ends, strict=False)
    ]
    rows = [
        "".join(
            chosen.choice(["", str(chosen.randrange(10 ** (cell.stop - cell.start)))]).rjust(
                cell.stop - cell.start
            )
            for cell in cells
        )
        for _ in range(500)
    ]
    path = written(tmp_path, "\n".join(rows))
    whole = pd.read_fwf(path, colspecs=[cell[1:3] for cell in cells], names=names, dtype=str)
    assert read(path, cells) == whole.fillna("").to_dict("list")


@pytest.mark.parametrize(
    ("begin", "between", "end"),
    [
        ("", "\n", ""),
        ("", "\r\n", "\r\n"),
        ("", "\r", "\n"),
        ("\ufeff", "\n", "\n"),
        ("", "\n", "\n\x1a"),
        ("", "\r\n\r\n", "\r\n          \r\n"),
        ("", "   \n", ""),
    ],
    ids=["no end", "crlf", "cr", "mark", "ctrl-z", "blank lines", "longer lines"],
)
@pytest.mark.parametrize("name", ["answers.dat", "answers.dat.gz"])
@pytest.mark.parametrize("block", [7, 1 << 20])
def test_ends_of_lines_are_no_part_of_a_cell(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    begin: str,
    between: str,
    end: str,
    name: str,
    block: int,
) -> None:
    monkeypatch.setattr(fixed_width, "_BLOCK", block)
    found = read(written(tmp_path, begin + between.join(LINES) + end, name))
    assert found == {
        "sex": ["1", "2", ""],
        "age": ["18", "7", "-"],
        "town": ["Bath", "York", "Köln"],
    }


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16", "cp1252", "shift_jis"])
def test_positions_count_characters_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    towns = ["東京  ", "ﾄﾖﾀ "] if encoding == "shift_jis" else ["Köln", "Åre "]
    path = written(
        tmp_path, "".join(f"{town}{row}\n" for row, town in enumerate(towns, 1)).encode(encoding)
    )
    cells = (LineField("town", 0, 4, is_text=True), LineField("row", 4, 5))
    assert read(path, cells, encoding) == {
        "town": [town.strip() for town in towns],
        "row": ["1", "2"],
    }


def test_letters_beyond_one_byte_are_whole_characters(tmp_path: Path) -> None:
    path = written(tmp_path, "1Łódź 😀7\n2Bath  8\n")
    cells = (
        LineField("town", 1, 6, is_text=True),
        LineField("face", 6, 7, is_text=True),
        LineField("n", 7, 8),
    )
    assert read(path, cells) == {"town": ["Łódź", "Bath"], "face": ["😀", ""], "n": ["7", "8"]}


def test_a_mark_of_utf_8_overrules_another_encoding(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufeff1018Köln  \n")
    assert read(path, encoding="latin-1")["town"] == ["Köln"]


@pytest.mark.parametrize(
    ("text", "decimals", "value"),
    [
        ("007", 0, "7"),
        ("000", 0, "0"),
        (" 12 ", 0, "12"),
        ("+5", 0, "5"),
        ("-05", 0, "-5"),
        ("-0", 0, "0"),
        ("1.50", 0, "1.5"),
        ("1.0", 0, "1"),
        (".5", 0, "0.5"),
        ("5.", 0, "5"),
        ("0150", 2, "1.5"),
        ("7", 2, "0.07"),
        ("-7", 2, "-0.07"),
        ("0000", 4, "0"),
        ("1.5", 2, "1.5"),
        ("00015234567", 4, "1523.4567"),
        ("A1", 0, "A1"),
        (".", 2, "."),
        ("-", 0, "-"),
        ("1e5", 0, "1e5"),
    ],
)
def test_numbers_are_compared_without_zeros_that_say_nothing(
    text: str, decimals: int, value: str
) -> None:
    assert number(text, decimals) == value


def test_decimals_are_those_of_exact_arithmetic(tmp_path: Path) -> None:
    weights = [random.Random(3).randrange(10**10) for _ in range(300)]
    path = written(tmp_path, "".join(f"{each:010d}\n" for each in weights))
    found = read(path, [LineField("wt", 0, 10, decimals=4)])["wt"]
    assert [float(each) for each in found] == [each / 10_000 for each in weights]


def test_lines_before_the_first_respondent_are_skipped(tmp_path: Path) -> None:
    path = written(tmp_path, "\n".join(["header", "", "more", *LINES]))
    assert read(path, skipped=2)["age"] == ["18", "7", "-"]


def test_a_text_may_end_early_and_the_last_text_may_be_empty(tmp_path: Path) -> None:
    other = LineField("other", 10, 30, is_text=True)
    path = written(tmp_path, "1018Ba\n2007\n")
    assert read(path, [*CELLS, other])["town"] == ["Ba", ""]
    assert read(path, [other])["other"] == ["", ""]


def test_a_line_that_ends_inside_a_number_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "\n".join([*LINES, "", "101"]))
    with fails(SourceError) as caught:
        read(path)
    assert (caught.value.place.row, caught.value.place.column) == (5, "age")


@pytest.mark.parametrize(
    "cell", [LineField("income", 94, 103), LineField("other", 94, 103, is_text=True)]
)
def test_a_column_behind_all_lines_is_refused(tmp_path: Path, cell: LineField) -> None:
    with fails(SourceError):
        read(written(tmp_path, "\n".join(LINES)), [*CELLS, cell])


def test_two_numbers_in_a_cell_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "1 18 1\n2  7 1\n")
    with fails(SourceError) as caught:
        read(path, [LineField("sex", 0, 1), LineField("age", 1, 6)])
    assert (caught.value.place.row, caught.value.place.value) == (1, " 18 1")


@pytest.mark.parametrize(
    ("data", "name", "encoding"),
    [
        ("1018Köln  \n".encode("latin-1"), "answers.dat", "utf-8"),
        (b"1018Bath  \n", "answers.dat", "utf-42"),
        (b"", "gone.dat", "utf-8"),
    ],
    ids=["another encoding", "no encoding", "no file"],
)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, data: bytes, name: str, encoding: str
) -> None:
    path = tmp_path / name if not data else written(tmp_path, data, name)
    with fails(SourceError):
        read(path, encoding=encoding)


def test_a_gzip_file_that_is_cut_short_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "\n".join(LINES), "answers.dat.gz")
    path.write_bytes(path.read_bytes()[:-12])
    with fails(SourceError):
        read(path)


def test_a_file_without_line_ends_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fixed_width, "_BLOCK", 64)
    monkeypatch.setattr(fixed_width, "_LONGEST", 100)
    with fails(SourceError):
        read(written(tmp_path, "1018Bath  " * 40, "answers.dat.gz"))


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    assert read(written(tmp_path, "\n\n"))["sex"] == []
