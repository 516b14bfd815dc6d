"""The subcommands `crosstab` and `tab-book`: their figures are those of the client."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from pptx import Presentation

import audiencelab as al
from audiencelab.cli import main
from audiencelab.schema.scope import BaseOf


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(
        {
            "tea": ["yes", "no", "no", "yes", "yes", "no"] * 20,
            "gender": ["f", "m", "f", "f", "m", "m"] * 20,
            "age": ["young", "old"] * 60,
            "wgt": [1.5, 0.5, 1.0, 1.0, 0.75, 1.25] * 20,
        }
    )
    path = tmp_path / "answers.csv"
    frame.to_csv(path, index=False)
    return path


def table_of(source: Path) -> al.CrosstabResult:
    return al.open(source, quiet=True).crosstab("tea", ["gender", "age"])


def test_the_printed_table_has_the_figures_of_the_client(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["crosstab", str(source), "--rows", "tea", "--columns", "gender,age"]) == 0
    streams = capsys.readouterr()
    title, _, groups, header, _, *rows, respondents, _, facts, page, _, _ = streams.out.splitlines()
    assert title == "tea by gender, age"
    assert groups.split() == ["gender", "age"]
    assert header.split() == ["All", "f", "m", "old", "young"]
    assert respondents.split() == ["Base", "(n)", "120", "60", "60", "60", "60"]
    assert facts.startswith("Column %. Base: those who answered, by question.")
    assert "My numbers differ" in page
    wide = table_of(source)["column"]
    # * marks a denominator of fewer than 100.
    shown = {
        name: [float(each.rstrip("*")) for each in cells[1:]]
        for name, *cells in map(str.split, rows)
    }
    assert shown == {name: [round(each, 1) for each in row] for (_, name), row in rows_of(wide)}
    assert "weight" in streams.err


@pytest.mark.parametrize("who", ["valid", "everyone"])
def test_whom_a_table_counts_can_be_chosen(
    source: Path, capsys: pytest.CaptureFixture[str], who: BaseOf
) -> None:
    frame = pd.read_csv(source)
    frame.loc[frame["age"] == "old", "tea"] = None
    frame.to_csv(source, index=False)
    assert main(["crosstab", str(source), "--rows", "tea", "--base-of", who]) == 0
    shown = capsys.readouterr().out
    table = al.open(source, quiet=True).crosstab("tea", base_of=who)
    assert f"Base (n)  {table.base_sample:>4,.0f}" in shown
    for share in table.values("column_percentage")[:, 0]:
        assert f"{share:.1f}" in shown


def test_a_table_can_be_sorted_shortened_and_renamed(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["crosstab", str(source), "--rows", "tea", "--columns", "gender", "--sort", "f"]
    arranged = ["--top", "1", "--decimals", "0", "--rename", "f=Women"]
    assert main([*call, *arranged]) == 0
    shown = capsys.readouterr().out
    assert "1 of 2 rows is shown: the largest by Women." in shown
    # Weighted: 1.5 + 1.0 of 1.5 + 1.0 + 1.0 women.
    [row] = [line.split() for line in shown.splitlines() if line.startswith("yes")]
    assert row[2].rstrip("*") == "71"
    for wrong, said in ((["--rename", "f"], "OLD=NEW"), (["--decimals", "99"], "0 to 10")):
        assert main([*call, *wrong]) == 2
        assert said in capsys.readouterr().err


def rows_of(wide: pd.DataFrame) -> list[tuple[tuple[str, str], list[float]]]:
    return [(name, list(row)) for name, row in zip(wide.index, wide.to_numpy(), strict=True)]


def test_letters_stand_by_the_figures_that_they_belong_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["crosstab", "--rows", "Finding brands", "--columns", "Age", "--metrics", "column,n"]
    assert main([*words, "--test", "columns", "--levels", "95"]) == 0
    shown = capsys.readouterr().out
    with al.connect() as client:
        table = client.crosstab("Finding brands", "Age")
        row = table.test(levels=95).to_wide().iloc[0].tolist()
    line = next(line for line in shown.splitlines() if line.startswith("Search engines"))
    assert "  ".join(line.split()).partition("37.2  ")[2] == "  ".join("  ".join(row).split())
    assert "16 to 17 (A)" in shown
    assert "95%" in shown
    assert "90%" not in shown


def test_a_table_is_written_to_a_file(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["crosstab", str(source), "--rows", "tea", "--columns", "gender,age", "-q"]
    for name in ("tables.xlsx", "tables.csv", "tables.html"):
        assert main([*command, "-o", name]) == 0
    assert capsys.readouterr() == ("", "")
    table = table_of(source)
    rows = list(csv.DictReader(io.StringIO(Path("tables.csv").read_text())))
    assert [float(row["column_percentage"]) for row in rows] == pytest.approx(
        table.to_frame()["column_percentage"].tolist(), nan_ok=True
    )
    cells = {
        cell.value
        for row in openpyxl.load_workbook("tables.xlsx").worksheets[0].iter_rows()
        for cell in row
    }
    written = {round(cell, 9) for cell in cells if isinstance(cell, int | float)}
    assert {round(each, 9) for each in table["column"].to_numpy().ravel()} <= written
    assert Path("tables.html").read_text() == table.to_html(metrics=["column"], page=True)
    assert main([*command, "-o", "tables.csv"]) == 2
    assert "--replace" in capsys.readouterr().err
    assert main([*command, "-o", "tables.csv", "--replace"]) == 0


def test_the_weight_of_a_file_can_be_chosen_or_left_out(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found: list[str] = []
    for weight in (["--weight", "wgt"], ["--no-weight"]):
        assert main(["crosstab", str(source), "--rows", "tea", *weight, "--metrics", "size"]) == 0
        found.append(capsys.readouterr().out)
    frame = pd.read_csv(source)
    weighted = frame.groupby("tea")["wgt"].sum()
    assert [f"{weighted[name]:.0f}" in found[0] for name in ("yes", "no")] == [True, True]
    assert found[0] != found[1]
    assert found[1].count("60") >= 2


def slide_texts(file: str) -> list[str]:
    """All texts of the slides, those of tables among them."""
    shapes = [shape for slide in Presentation(file).slides for shape in slide.shapes]
    cells = [cell for shape in shapes if shape.has_table for cell in shape.table.iter_cells()]
    return [shape.text for shape in shapes if shape.has_text_frame] + [cell.text for cell in cells]


def test_slides_of_a_table(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["crosstab", str(source), "--rows", "tea", "--columns", "gender", "--test", "rest"]
    assert main([*command, "-q", "-o", "tables.pptx"]) == 0
    assert capsys.readouterr() == ("", "")
    with al.open(source, quiet=True) as client:
        table = client.crosstab("tea", "gender")
    table.to_pptx("same.pptx", metrics=["column"], comparison=table.test(vs="rest"))
    assert slide_texts("tables.pptx") == slide_texts("same.pptx")


def test_a_tab_book_of_a_file(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["tab-book", str(source), "--banner", "gender", "-q"]
    assert main([*command, "-o", "book.xlsx", "--metrics", "column,n", "--levels", "95"]) == 0
    sheets = openpyxl.load_workbook("book.xlsx").sheetnames
    assert sheets == ["Contents", "1 tea", "2 gender", "3 age", "Source"]
    assert main([*command, "-o", "book.html", "--questions", "tea", "--test", "none"]) == 0
    assert capsys.readouterr() == ("", "")
    with al.open(source, quiet=True) as client:
        book = client.tab_book("gender", ["tea"])
    assert Path("book.html").read_text() == book.to_html(vs=None)
    assert main([*command, "-o", "book.pptx", "--questions", "tea"]) == 0
    book.to_pptx("same.pptx")
    assert slide_texts("book.pptx") == slide_texts("same.pptx")
    assert main([*command, "-o", "book.html"]) == 2
    assert main(["tab-book", str(source), "-o", "other.html"]) == 2
    assert "--banner" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ([], "--rows"),
        (["--rows", "Gendr"], "Did you mean"),
        (["--rows", "Gender", "-o", "tables.pdf"], ".xlsx"),
        (["--rows", "Gender", "-o", "tables.csv", "--test", "rest"], ".xlsx"),
        (["--rows", "Gender", "--test", "columns", "--levels", "high"], "--levels"),
        (["--rows", "Gender", "--weight", "w"], "--weight is about a SOURCE"),
        (["--rows", "Gender", "--no-weight"], "--no-weight is about a SOURCE"),
        (["no-such-file.sav", "--rows", "q3"], "no-such-file.sav"),
    ],
)
def test_a_mistake_is_one_line_with_the_fix(
    words: list[str], advice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["crosstab", *words]) == 2
    shown = capsys.readouterr().err
    assert advice in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize("who", ["valid", "everyone"])
def test_an_import_writes_whom_a_survey_counts(source: Path, who: BaseOf) -> None:
    assert main(["import", str(source), "--base-of", who, "-q"]) == 0
    with al.open("answers") as client:
        assert client.default_base_of == who
    # The drafted codebook says it as well, where it is not the default.
    again = ["import", str(source), "--codebook", "answers.toml", "-o", "again", "-q"]
    assert main(again) == 0
    assert al.connect(survey="again").default_base_of == who
    assert main([*again, "--replace", "--base-of", "everyone"]) == 0
    assert al.connect(survey="again").default_base_of == "everyone"
