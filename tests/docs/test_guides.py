"""The code of the guides to grid, workbench and import runs as it stands."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import audiencelab as al

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"


def blocks(page: str, language: str = "python") -> list[str]:
    text = (HOW_TO / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"```{re.escape(language)}\n(.*?)```", text, re.DOTALL)


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    pytest.importorskip("anywidget")
    monkeypatch.chdir(tmp_path)
    return {"al": al, "client": al.connect()}


def test_the_guide_to_the_grid(names: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    client = names["client"]
    # What the page begins with is in its live widget.
    social = client.catalogue["q20"]
    names["apps"] = [social[each.name].named(each.name) for each in social.datapoints]
    names |= {n: client.catalogue.audiences(c) for n, c in (("genders", "q2"), ("ages", "q4"))}
    names["grid"] = al.Crosstab(client, names["apps"], columns=names["ages"][:2]).wait()
    for block in blocks("grid"):
        exec(block, names)
    assert (tmp_path / "apps.xlsx").stat().st_size > 0
    # What the page says of the cell that it talks about.
    said = al.Crosstab(client, names["apps"], names["genders"]).wait()
    assert round(said.drill("Corkboard", "Female").value("index")) == 138


def test_the_guide_to_the_first_table_of_a_paper(names: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    for block in blocks("summary-table"):
        exec(block, names)
    assert (tmp_path / "table1.xlsx").stat().st_size > 0
    page = (HOW_TO / "summary-table.md").read_text(encoding="utf-8")
    made = names["table"].to_markdown()
    assert made[made.index("|") : made.rindex("|") + 1] in page


def test_the_page_for_those_who_come_from_other_programs(
    names: dict[str, Any], tmp_path: Path
) -> None:
    for block in blocks("coming-from"):
        exec(block, names)
    assert (tmp_path / "tables.xlsx").stat().st_size > 0
    same = names["same"].xs("Short videos", level="row").iloc[0]
    assert names["by_hand"].tolist() == pytest.approx(same.tolist(), rel=1e-9)
    assert names["frame"].dtypes.loc[["video", "Age"]].tolist() == [float, float]
    assert len(names["frame"]) > 20_000


def test_the_code_in_the_tables_of_that_page_runs(names: dict[str, Any]) -> None:
    client = names["client"]
    shown = {"client": client, "table": client.crosstab("Finding brands", ["Gender", "Age"])}
    page = (HOW_TO / "coming-from.md").read_text(encoding="utf-8")
    cells = [line.split(" | ")[-1] for line in page.splitlines() if line.startswith("| ")]
    code = [each for cell in cells for each in re.findall(r"`((?:client|table)[.\[][^`]+)`", cell)]
    whole = [each for each in code if "…" not in each and not each.startswith("table.to_")]
    for each in whole:
        eval(each, dict(shown))
    assert len(whole) > 25


def said(page: str, line: str) -> list[float]:
    """The numbers of a line of a table of a guide."""
    text = (HOW_TO / f"{page}.md").read_text(encoding="utf-8")
    [found] = re.findall(rf"^\| {line} \| (.*) \|$", text, re.MULTILINE)
    return [float(each.replace(",", "")) for each in found.split(" | ")]


@pytest.fixture
def small(names: dict[str, Any]) -> list[str]:
    """The table that every program makes: its file, and the names of its columns."""
    [block] = [each for each in blocks("coming-from") if "people.csv" in each]
    exec(block, names)
    return [each.name for each in names["small"].columns]


def test_the_table_of_all_programs_is_ours(names: dict[str, Any], small: list[str]) -> None:
    table = names["small"]
    shares, samples = (
        table[metric].iloc[0].round(2).tolist() for metric in ("column", "column_sample")
    )
    assert said("coming-from", "Column % here, in R, Excel and PSPP") == shares
    assert said("coming-from", "Respondents here and in Excel") == samples
    errors = names["client"].design_effects(table, "taylor").standard_errors[0]
    assert said("coming-from", "Standard error here and in R") == errors.round(3).tolist()


def test_the_table_of_all_programs_is_that_of_r(small: list[str]) -> None:
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("Rscript is not installed")
    [code] = [each for each in blocks("coming-from", "{code-block} r") if "people.csv" in each]
    *before, last = code.strip().splitlines()
    lines = [
        'if (!requireNamespace("survey", quietly = TRUE)) quit(status = 3)',
        "suppressMessages(library(survey))",
        *before,
        f"write.csv({last}, row.names = FALSE)",
    ]
    made = subprocess.run([rscript, "-e", "\n".join(lines)], capture_output=True, text=True)
    if made.returncode == 3:
        pytest.skip("R has no survey")
    found = pd.read_csv(io.StringIO(made.stdout), index_col=0).loc[small]
    assert said("coming-from", "Column % here, in R, Excel and PSPP") == [
        *found.iloc[:, 0].round(2)
    ]
    assert said("coming-from", "Standard error here and in R") == [*found.iloc[:, 1].round(3)]


def test_the_table_of_all_programs_is_that_of_a_spreadsheet(
    small: list[str], tmp_path: Path
) -> None:
    soffice = shutil.which("soffice")
    if soffice is None:
        pytest.skip("LibreOffice is not installed")
    openpyxl = pytest.importorskip("openpyxl")
    [formulas] = [each for each in blocks("coming-from", "{code-block} text") if "SUMIFS" in each]
    book = openpyxl.Workbook()
    sheet, people = book.active, book.create_sheet("people")
    frame = pd.read_csv("people.csv")
    for values in ([*frame], *map(list, frame.itertuples(index=False))):
        people.append(values)
    sheet.append(["Gender"])
    for row, name in enumerate(small, 2):
        sheet.append([name, *formulas.replace("$A2", f"$A{row}").split()])
    book.save("book.xlsx")
    command = [soffice, f"-env:UserInstallation={(tmp_path / 'office').as_uri()}", "--headless"]
    command += ["--convert-to", "csv", "book.xlsx"]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    found = pd.read_csv("book.csv", header=None).dropna().set_index(0).loc[small]
    assert said("coming-from", "Column % here, in R, Excel and PSPP") == [*found[1].round(2)]
    assert said("coming-from", "Respondents here and in Excel") == [*found[2]]


def test_the_table_of_all_programs_is_that_of_pspp(small: list[str], tmp_path: Path) -> None:
    pspp = shutil.which("pspp")
    if pspp is None:
        pytest.skip("PSPP is not installed")
    [syntax] = [each for each in blocks("coming-from", "{code-block} text") if "GET DATA" in each]
    (tmp_path / "table.sps").write_text(syntax)
    command = [pspp, "-O", "format=csv", str(tmp_path / "table.sps")]
    made = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = [line.split(",") for line in made.splitlines()]
    [heading] = [line for line in lines if set(small) < set(line)]
    [shares] = [line for line in lines if "True" in line]
    found = dict(zip(heading, shares, strict=True))
    expected = said("coming-from", "Column % here, in R, Excel and PSPP")
    # It writes one decimal.
    assert [float(found[name].rstrip("%")) for name in small] == pytest.approx(expected, abs=0.05)


def test_what_the_guide_says_of_edits_from_python(names: dict[str, Any]) -> None:
    client = names["client"]
    grid = al.Crosstab(client, rows=client.catalogue.audiences("q4"), columns=[al.Audience("All")])
    text = (HOW_TO / "grid.md").read_text(encoding="utf-8")
    for call in re.findall(r"`(grid\.(?:rows\.add|columns\.nest|ask|undo)\([^`…]*\))`", text):
        exec(call, {"grid": grid})
    assert grid.wait(60).result is not None


def test_the_guide_to_the_workbench(names: dict[str, Any], tmp_path: Path) -> None:
    for block in blocks("workbench"):
        exec(block.replace("bench.grid.to_wide()", "bench.grid.wait(60).to_wide()"), names)
    assert (tmp_path / "study.audiencelab.json").stat().st_size < 20_000


def test_the_guide_to_imports_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers").mkdir()
    for file in ("survey.csv", "answers/survey.csv"):
        (tmp_path / file).write_text(blocks("import", "text")[0], encoding="utf-8")
    (tmp_path / "drinks.toml").write_text(blocks("import", "toml")[0], encoding="utf-8")
    names: dict[str, Any] = {"frame": pd.read_csv("survey.csv")}
    [block] = blocks("import")
    exec(block, names)
    assert sum(wave.respondents for wave in names["survey"].waves) == 4


def test_the_guide_to_filters(names: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    page = (HOW_TO / "filter.md").read_text(encoding="utf-8")
    for block in blocks("filter"):
        exec(block, names)
    printed = capsys.readouterr().out
    for text in blocks("filter", "text"):
        assert text in printed
    client = names["client"]
    a, b = client["Gender"] == "Female", client["Pets"] == "Cat"
    rows = re.findall(r"^\| (`client\.filter.*?) \| ", page, re.MULTILINE)
    codes = [code.replace("\\|", "|") for row in rows for code in re.findall(r"`(.+?)`", row)]
    assert len(codes) == 11
    samples = {code: eval(code, names | {"a": a, "b": b}).size().sample for code in codes}
    both = client.size(a & b).sample
    joined = [samples[code] for code in codes if "a, b" in code or "a & b" in code]
    assert joined == [both] * 3
    assert samples["client.filter(a | b)"] == client.size(a | b).sample
    assert samples['client.filter(q2="Female")'] == client.size(a).sample
    ages = client["Age"].isin(["18 to 24", "25 to 34"])
    text = next(code for code in codes if "and Age" in code)
    assert samples[text] == client.size(a & ages).sample
    last = next(code for code in codes if "wave=" in code)
    assert samples[last] == client.size(waves="latest 1").sample
