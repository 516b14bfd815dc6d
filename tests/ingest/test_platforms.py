"""Exports of survey platforms give the figures that pandas computes from the plain table."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.cli import main
from audiencelab.ingest import draft_codebook
from audiencelab.survey import SourceError

EXAMPLES = Path("tests/data/platforms").absolute()
BRANDS = ["Alba", "Brio", "Cima, the new one"]
TIMES = ["Morning", "Evening"]
GENDER = "What is your gender?"
KNOWN = "Which brands do you know?"
SATISFIED = "How satisfied are you, overall?"
OFTEN = "How often do you drink tea?"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def truth() -> pd.DataFrame:
    return pd.read_csv(EXAMPLES / "respondents.csv", keep_default_na=False)


def check_figures(client: Any, truth: pd.DataFrame, other: str) -> None:
    """Brands and satisfaction by gender, and frequencies. other: the name of another brand."""
    found = client.crosstab([KNOWN, SATISFIED], GENDER).to_frame().set_index(["row", "column"])
    chosen = {brand: truth[brand] == 1 for brand in BRANDS} | {other: truth.other != ""}
    levels = {each: truth.satisfaction == each for each in truth.satisfaction.unique()}
    assert {row for row, _ in found.index} == chosen.keys() | levels.keys()
    for (row, gender), cell in found.iterrows():
        weights = truth.weight[(chosen | levels)[row] & (truth.gender == gender)]
        assert cell["sample"] == len(weights), (row, gender)
        assert cell["size"] == pytest.approx(weights.sum(), rel=1e-9), (row, gender)
    grid = client.grid(OFTEN).to_frame().set_index(["datapoint_label", "suffix_label"])
    assert len(grid) == len(TIMES) * truth.Morning.nunique()
    for (time, often), cell in grid.iterrows():
        weights = truth.weight[truth[time] == often]
        assert cell["positive_sample"] == len(weights), (time, often)
        assert cell["positive_size"] == pytest.approx(weights.sum(), rel=1e-9), (time, often)


# ---- triple-S ----


@pytest.mark.parametrize("name", ["triple_s.sss", "triple_s_csv.xml"])
def test_triple_s_has_the_figures_of_the_plain_table(name: str, truth: pd.DataFrame) -> None:
    client = al.open(EXAMPLES / name, quiet=True)
    check_figures(client, truth, "Other brand")
    old = client.crosstab("65 or older").to_frame().set_index("row")["size"]
    assert old["Yes"] == pytest.approx(truth.weight[truth.age >= 65].sum())
    shown = client.crosstab([al.answered("brands"), al.asked("brands")]).to_frame()
    known = (truth[BRANDS] == 1).any(axis=1) | (truth.other != "")
    assert shown["sample"].tolist() == [known.sum(), truth.asked.sum()]


def test_what_triple_s_defines_is_in_the_draft() -> None:
    drafted = draft_codebook(EXAMPLES / "triple_s_csv.xml")
    assert drafted.codebook.study.name == "Drinks"
    assert drafted.codebook.weight is not None
    assert drafted.codebook.weight.column == "wgt"
    assert drafted.left_out["number"] == "an identification: 150 different values"
    assert drafted.left_out["day"].startswith("a date")
    [brands] = [each for each in drafted.codebook.questions if each.code == "brands"]
    assert (brands.kind, brands.column, brands.separator) == ("multiple", "brands", ";")
    [source] = [each for each in drafted.reasons["source"] if "triple-S" in each]
    assert source.endswith("triple-S 2.0, 11 variables, data in triple_s_csv.csv")


def copied(folder: Path, name: str = "triple_s") -> Path:
    """A copy of the definitions with their data beside them."""
    for each in EXAMPLES.glob(f"{name}.*"):
        shutil.copy(each, folder)
    return folder / f"{name}.sss"


def test_other_data_beside_the_same_definitions_are_imported_again(tmp_path: Path) -> None:
    path = copied(tmp_path)
    assert al.open(path, quiet=True).crosstab(GENDER).to_frame()["sample"].sum() == 150
    data = path.with_suffix(".asc")
    data.write_bytes(b"".join(data.read_bytes().splitlines(keepends=True)[:40]))
    assert al.open(path, quiet=True).crosstab(GENDER).to_frame()["sample"].sum() == 40


def test_a_triple_s_file_in_another_encoding_is_read(tmp_path: Path) -> None:
    path = copied(tmp_path)
    path.write_text(path.read_text().replace("UTF-8", "windows-1251").replace("Alba", "Алба"),
                    "windows-1251")  # fmt: skip
    data = path.with_suffix(".asc")
    data.write_bytes(data.read_text().replace("Dovo", "Дово").encode("windows-1251"))
    names = {q.name: [p.name for p in q.points] for q in draft_codebook(path).codebook.questions}
    assert "Алба" in names[KNOWN]
    assert "Дово" in names["Which other brand?"]


@pytest.mark.parametrize(
    ("definitions", "problem"),
    [
        ("SSS\nVERSION 1.0\n", "is of triple-S 1.0, which is not XML"),
        ("<html/>", "is XML, but not triple-S"),
        ("<sss", "is not XML"),
        ("<sss><survey><record/><record/></survey></sss>", "describes 2 records of a hierarchy"),
        ("<sss><survey><record href='gone.asc'/></survey></sss>", "there is no gone.asc"),
        (
            "<sss><survey><record><variable ident='7' type='single'/></record></survey></sss>",
            "the variable 7 has no name or position",
        ),
    ],
)
def test_definitions_that_cannot_be_read_say_why(
    tmp_path: Path, definitions: str, problem: str
) -> None:
    path = copied(tmp_path)
    path.write_text(definitions)
    if "gone.asc" in definitions:
        path.with_suffix(".asc").unlink()
    with pytest.raises(SourceError, match=problem):
        draft_codebook(path)


def test_a_row_with_too_few_cells_is_named(tmp_path: Path) -> None:
    for each in EXAMPLES.glob("triple_s_csv.*"):
        shutil.copy(each, tmp_path)
    data = tmp_path / "triple_s_csv.csv"
    data.write_text(data.read_text() + "151,20240301\n")
    with pytest.raises(SourceError, match=r"row 151: it has 2 cells; the definitions name 11"):
        draft_codebook(tmp_path / "triple_s_csv.xml")


def test_the_command_line_imports_triple_s(tmp_path: Path) -> None:
    source = str(EXAMPLES / "triple_s.sss")
    book = tmp_path / "drinks.toml"
    assert main(["codebook", source, "-o", str(book), "-q"]) == 0
    out = tmp_path / "drinks"
    assert main(["import", source, "--codebook", str(book), "-o", str(out), "-q"]) == 0
    assert al.open(out).crosstab(GENDER).to_frame()["sample"].sum() == 150
