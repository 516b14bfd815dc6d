"""`al.open`: every kind of source gives the figures that pandas computes, and is imported once."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.cli import main
from audiencelab.ingest import Codebook, cache, draft_codebook
from audiencelab.ingest.codebook import CodedQuestion, WeightColumn
from audiencelab.survey import SurveyError, SurveyExistsError
from tests.messages import fails

RESPONDENTS = 400
GENDERS = {1: "Man", 2: "Woman"}


pytestmark = pytest.mark.usefixtures("own_cache")


def respondents() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "gender": rng.integers(1, 3, RESPONDENTS).astype(float),
            "quarter": rng.choice(
                ["2024-Q1", "2024-Q2", "2024-Q3", "2024-Q4", "2025-Q1"], RESPONDENTS
            ),
            "uses_1": rng.integers(0, 2, RESPONDENTS).astype(float),
            "uses_2": rng.integers(0, 2, RESPONDENTS).astype(float),
            "wgt": rng.uniform(0.5, 2, RESPONDENTS).round(3),
        }
    )


@pytest.fixture
def frame() -> pd.DataFrame:
    return respondents()


def write_sav(frame: pd.DataFrame, path: Path) -> Path:
    pyreadstat.write_sav(
        frame,
        str(path),
        column_labels={"gender": "Gender", "uses_1": "Uses: A", "uses_2": "Uses: B"},
        variable_value_labels={"gender": GENDERS},
    )
    return path


def write_por(frame: pd.DataFrame, path: Path) -> Path:
    pyreadstat.write_por(frame, str(path))
    return path


def written(write: Callable[..., Any], *options: Any, **named: Any) -> Callable[..., Path]:
    def to(frame: pd.DataFrame, path: Path) -> Path:
        write(frame, path, *options, **named)
        return path

    return to


def as_is(kind: Callable[[pd.DataFrame], Any]) -> Callable[[pd.DataFrame, Path], Any]:
    return lambda frame, _: kind(frame)


SOURCES: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    ".sav": write_sav,
    ".zsav": written(lambda frame, path: pyreadstat.write_sav(frame, str(path), compress=True)),
    ".por": write_por,
    ".dta": written(lambda frame, path: pyreadstat.write_dta(frame, str(path))),
    ".xpt": written(lambda frame, path: pyreadstat.write_xport(frame, str(path))),
    ".csv": written(pd.DataFrame.to_csv, index=False),
    ".xlsx": written(pd.DataFrame.to_excel, index=False),
    ".parquet": written(pd.DataFrame.to_parquet),
    ".feather": written(pd.DataFrame.to_feather),
    "pandas": as_is(lambda frame: frame),
    "polars": as_is(pl.from_pandas),
    "a lazy frame": as_is(lambda frame: pl.from_pandas(frame).lazy()),
    "arrow": as_is(pa.Table.from_pandas),
    "duckdb": as_is(lambda frame: duckdb.from_df(frame)),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_figures_of_every_source_are_those_of_pandas(
    kind: str, frame: pd.DataFrame, tmp_path: Path
) -> None:
    source = SOURCES[kind](frame, tmp_path / f"study{kind if kind[0] == '.' else ''}")
    # A portable file has names in capitals.
    named = (lambda name: name.upper()) if kind == ".por" else (lambda name: name)
    client = al.open(source, weight=named("wgt"), wave=named("quarter"), quiet=True)
    found = client.crosstab(named("gender")).to_frame()
    # The size of an audience over several waves is the mean of their sizes.
    expected = frame.groupby(["quarter", "gender"]).wgt.sum().unstack().mean()
    assert found["size"].to_numpy() == pytest.approx(expected.to_numpy(), rel=1e-9)
    assert found["sample"].tolist() == frame.gender.value_counts().sort_index().tolist()


def test_names_come_from_the_labels_of_a_file(frame: pd.DataFrame, tmp_path: Path) -> None:
    client = al.open(write_sav(frame, tmp_path / "study.sav"), weight="wgt", quiet=True)
    wide = client.crosstab("Gender", "Uses").to_wide("sample")
    expected = frame.groupby("gender")[["uses_1", "uses_2"]].sum()
    assert wide.index.get_level_values("row").tolist() == list(GENDERS.values())
    assert wide.to_numpy().tolist() == expected.to_numpy().tolist()


def test_what_was_assumed_is_printed_in_one_screen(
    frame: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_sav(frame, tmp_path / "study.sav")
    al.open(path)
    first = capsys.readouterr().out
    assert "wgt: named like a weight, from 0.5" in first
    assert f"al.open('{path}', weight=None)" in " ".join(first.split())
    assert "quarter: by its name" in first
    assert "uses: one stem; 1 is taken as chosen" in first
    assert len(first.splitlines()) <= 12
    al.open(path)
    assert capsys.readouterr().out == first


def test_a_doubtful_weight_is_listed_and_not_used(
    frame: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    client = al.open(frame.assign(final_weight=frame.wgt * 1.1))
    printed = " ".join(capsys.readouterr().out.split())
    assert "! weight no weight, all weigh 1: several columns may be the weight" in printed
    assert "or wgt: from 0.5" in printed
    assert "or final_weight: from" in printed
    assert 'al.open(frame, weight="wgt")' in printed
    size = client.crosstab(waves="all").to_frame()["size"].item()
    assert size == frame.groupby("quarter").size().mean()


def test_weight_none_weighs_everybody_alike(frame: pd.DataFrame) -> None:
    client = al.open(frame.drop(columns="quarter"), weight=None, quiet=True)
    assert client.crosstab().to_frame()["size"].item() == RESPONDENTS


def test_calls_take_all_waves_unless_they_name_others(frame: pd.DataFrame) -> None:
    client = al.open(frame, quiet=True)
    assert client.crosstab("gender").to_frame()["sample"].sum() == RESPONDENTS
    latest = (frame.quarter == "2025-Q1").sum()
    assert client.crosstab("gender", waves="2025").to_frame()["sample"].sum() == latest
    narrow = al.open(frame, waves="latest 1", quiet=True)
    assert narrow.crosstab("gender").to_frame()["sample"].sum() == latest
    assert narrow.stats("gender").waves == ("quarter_2025-Q1",)


def test_a_codebook_declares_everything(frame: pd.DataFrame) -> None:
    labels = {"1": "Men", "2": "Women"}
    question = CodedQuestion("sex", "Sex", column="gender", labels=labels)
    book = Codebook(questions=(question,), weight=WeightColumn("wgt"))
    client = al.open(frame, codebook=book, quiet=True)
    men = frame.wgt[frame.gender == 1].sum()
    assert client.crosstab("Sex").to_frame()["size"][0] == pytest.approx(men)
    unweighted = al.open(frame, codebook=book, weight=None, quiet=True)
    assert unweighted.crosstab("Sex").to_frame()["size"][0] == (frame.gender == 1).sum()
    with fails(SurveyError):
        al.open(frame, codebook=book, missing=[9])


def test_a_call_has_other_waves_than_its_codebook(frame: pd.DataFrame) -> None:
    """`wave=` replaces them as `weight=` replaces the weight; the questions are the codebook's."""
    frame = frame.assign(half=np.where(frame["quarter"] < "2024-Q3", "2024-H1", "2024-H2"))
    book = draft_codebook(frame, wave="quarter").codebook
    by_quarter = al.open(frame, codebook=book, wave="quarter", quiet=True)
    assert len(by_quarter.service.survey.waves) == 5
    by_half = al.open(frame, codebook=book, wave="half", quiet=True).service.survey
    rows = frame["half"].value_counts().sort_index()
    assert {each.name: each.respondents for each in by_half.waves} == rows.to_dict()
    assert len(al.open(frame, codebook=book, wave=None, quiet=True).service.survey.waves) == 1


def test_a_drafted_codebook_gives_the_same_survey(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = write_sav(frame, tmp_path / "study.sav")
    saved = draft_codebook(path).save(tmp_path / "survey.toml")
    drafted, edited = al.open(path, quiet=True), al.open(path, codebook=saved, quiet=True)
    pd.testing.assert_frame_equal(
        drafted.crosstab("Gender").to_frame(), edited.crosstab("Gender").to_frame()
    )


def imports() -> set[tuple[Path, int]]:
    """The surveys in the cache; one that is imported again is another."""
    found = [each.folder / each.entry.survey / "panel.json" for each in cache.cached_surveys()]
    return {(path, path.stat().st_mtime_ns) for path in found}


def test_folders_that_name_columns_tell_equal_files_apart(tmp_path: Path) -> None:
    seasons = ("spring", "autumn")
    files = [tmp_path / f"season={season}" / "region=a" / "study.csv" for season in seasons]
    for file in files:
        file.parent.mkdir(parents=True)
        file.write_text("gender\n1\n2\n1\n")
    clients = [al.open(file, wave="season", quiet=True) for file in files]
    waves = [client.stats("gender").waves for client in clients]
    assert waves == [("season_spring",), ("season_autumn",)]


def test_the_same_source_is_imported_once(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = write_sav(frame, tmp_path / "study.sav")
    for _ in range(2):
        al.open(path, quiet=True)
        al.open(frame, quiet=True)
        assert len(imports()) == 2
    first = imports()
    al.open(path, weight=None, quiet=True)
    assert imports() > first
    assert len(imports()) == 3
    # Another content in the same place, of the same size and time of change.
    before = path.stat()
    write_sav(frame.assign(gender=3 - frame.gender), path)
    client = al.open(path, quiet=True)
    assert len(imports()) == 4
    assert client.crosstab("Gender").to_frame()["sample"][0] == (frame.gender == 2).sum()
    assert before.st_size == path.stat().st_size


def test_a_frame_with_one_changed_cell_is_another_source(
    frame: pd.DataFrame,
) -> None:
    al.open(frame, quiet=True)
    changed = frame.copy()
    changed.loc[3, "gender"] = 3 - changed.loc[3, "gender"]
    al.open(changed, quiet=True)
    al.open(frame.rename(columns={"gender": "sex"}), quiet=True)
    assert len(imports()) == 3


def test_a_damaged_entry_is_imported_again(frame: pd.DataFrame) -> None:
    al.open(frame, quiet=True)
    before = imports()
    [entry] = cache.cached_surveys()
    shutil.rmtree(entry.folder / entry.entry.survey / "waves")
    client = al.open(frame, quiet=True)
    assert len(imports() - before) == 1
    assert client.crosstab("gender").to_frame()["sample"].sum() == RESPONDENTS


def test_a_folder_of_your_own(frame: pd.DataFrame, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    al.open(frame, to=folder, quiet=True)
    again = al.open(frame, to=folder, quiet=True)
    assert again.crosstab("gender").to_frame()["sample"].sum() == RESPONDENTS
    assert cache.cached_surveys() == []
    with fails(SurveyExistsError):
        al.open(frame.head(10), to=folder)
    opened = al.open(folder)
    assert opened.crosstab("gender").to_frame()["sample"].sum() == RESPONDENTS
    with fails(SurveyError):
        al.open(folder, wave="quarter")


def test_code_opens_the_same_survey(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = write_sav(frame, tmp_path / "study.sav")
    for client in (
        al.open(path, weight="wgt", wave="quarter", quiet=True),
        al.open(path, weight=None, waves="latest 2", quiet=True),
        al.open(frame, quiet=True),
        al.open(frame, waves=None, quiet=True),
    ):
        again = eval(client.to_code(), {"al": al})
        assert repr(again) == repr(client)
        expected = client.crosstab("gender").to_frame()
        pd.testing.assert_frame_equal(again.crosstab("gender").to_frame(), expected)


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    with fails(SurveyError):
        al.open(tmp_path / "none.sav")
    with fails(SurveyError):
        al.open("https://survey.example/a.sav")
    with fails(SurveyError):
        al.open({"a": [1]})
    broken = tmp_path / "broken.xlsx"
    broken.write_bytes(b"no workbook")
    with fails(SurveyError):
        al.open(broken)


def test_the_command_line_lists_and_clears_the_cache(
    frame: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    al.open(write_sav(frame, tmp_path / "study.sav"), quiet=True)
    assert main(["cache", "list"]) == 0
    listed = capsys.readouterr().out
    assert "study  " in listed
    assert str(cache.imports_folder()) in listed
    assert main(["cache", "clear"]) == 0
    assert "Removed 1 survey and 0 catalogues." in capsys.readouterr().out
    assert main(["cache", "list"]) == 0
    assert "Nothing is kept." in capsys.readouterr().out
