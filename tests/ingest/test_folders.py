"""Folders, patterns and parts of one table."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audiencelab.cli import main
from audiencelab.ingest import Codebook, Progress, draft_codebook, import_survey, parse_codebook
from audiencelab.survey import SourceError, Survey, SurveyError
from tests.messages import fails

ROWS = 700
WAVES = ("2024-01", "2024-04", "2024-07")


def respondents(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    brands = [rng.permutation(5)[: rng.integers(5)] for _ in range(rows)]
    answers = rng.choice([1, 2, 3, None], (150, rows), p=[0.4, 0.3, 0.2, 0.1])
    return pd.DataFrame(
        {
            "weight": rng.uniform(0.2, 4, rows).round(3),
            "place": rng.choice(["north", "south", "west"], rows),
            **{f"q{column}": answers[column] for column in range(150)},
            "brands": [";".join(map(str, each)) for each in brands],
        }
    )


def codebook(**more: Any) -> Codebook:
    labels = {"1": "Yes", "2": "No"}  # and 3 is a value that it does not know
    return parse_codebook(
        {
            "study": {"name": "Many files", "location": "place"},
            "weight": {"column": "weight"},
            "questions": [
                {"code": "place", "name": "Place", "column": "place"},
                *(
                    {"code": f"q{each}", "name": f"Q{each}", "column": f"q{each}", "labels": labels}
                    for each in range(150)
                ),
                {
                    "code": "brands",
                    "name": "Brands",
                    "kind": "multiple",
                    "column": "brands",
                    "separator": ";",
                    "labels": {str(each): f"Brand {each}" for each in range(5)},
                },
            ],
        }
        | more
    )


BY_FOLDER = {"wave": {"column": "wave"}}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files for each of three waves, the wave in the name of their folder."""
    folder = tmp_path_factory.mktemp("lake") / "study"
    for place, wave in enumerate(WAVES):
        inside = folder / f"wave={wave}"
        inside.mkdir(parents=True)
        for part in range(2):
            frame = respondents(ROWS + part, 10 * place + part)
            frame.to_parquet(inside / f"part-{part}.parquet", row_group_size=300)
        (inside / "_SUCCESS").touch()
    return folder


def checksums(survey: Survey) -> dict[str, str]:
    return {name: stored.sha256 for name, stored in survey.manifest.files.items()}


def test_the_names_of_folders_are_columns(lake: Path, tmp_path: Path) -> None:
    survey = import_survey([lake], codebook(**BY_FOLDER), tmp_path / "survey")
    assert [(wave.code, wave.respondents) for wave in survey.waves] == [
        (wave, 2 * ROWS + 1) for wave in WAVES
    ]
    assert survey.import_report is not None
    read = [source["file"] for source in survey.import_report["sources"]]
    assert read == [f"wave={wave}/part-{part}.parquet" for wave in WAVES for part in range(2)]


def test_one_table_in_parts_is_that_table(lake: Path, tmp_path: Path) -> None:
    """Parts, a pattern, or the whole in one file, by rows or by columns: the same answers."""
    parts = sorted(lake.glob("*/*.parquet"))
    whole = pd.concat([pd.read_parquet(part).assign(wave=part.parent.name[5:]) for part in parts])
    whole.to_parquet(tmp_path / "whole.parquet", row_group_size=1_000)
    whole.to_csv(tmp_path / "whole.csv", index=False)
    book = codebook(**BY_FOLDER)
    given = {
        "files": parts,
        "pattern": [f"{lake}/*/*.parquet"],
        "parquet": [tmp_path / "whole.parquet"],
        "csv": [tmp_path / "whole.csv"],
    }
    made = [
        checksums(import_survey(sources, book, tmp_path / name)) for name, sources in given.items()
    ]
    for each in made:
        each.pop("import.json")  # which files were read
    assert all(each == made[0] for each in made)


def test_a_column_of_the_file_goes_before_that_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "study" / "wave=2020-01"
    folder.mkdir(parents=True)
    respondents(50, 1).assign(wave="2024-02").to_parquet(folder / "part.parquet")
    survey = import_survey([tmp_path / "study"], codebook(**BY_FOLDER), tmp_path / "survey")
    assert [wave.code for wave in survey.waves] == ["2024-02"]


def test_a_wave_is_found_by_the_folder_of_its_files(lake: Path, tmp_path: Path) -> None:
    waves = [
        {"code": f"w{place}", "starts": f"{wave}-01", "files": f"*{wave}/*"}
        for place, wave in enumerate(WAVES)
    ]
    survey = import_survey([lake], codebook(waves=waves), tmp_path / "survey")
    assert [wave.code for wave in survey.waves] == ["w0", "w1", "w2"]


def test_a_draft_reads_a_folder_too(lake: Path, tmp_path: Path) -> None:
    draft = draft_codebook(lake)
    assert draft.codebook.study.name == "study"
    assert draft.codebook.wave is not None
    assert draft.codebook.wave.column == "wave"
    parts = draft_codebook(lake / f"wave={WAVES[0]}")
    assert parts.codebook.waves == (), "the parts of one table are no waves"


def test_a_draft_dates_folders_of_quarters(tmp_path: Path) -> None:
    for name in ("2023q4", "2024q1"):
        folder = tmp_path / "study" / f"wave={name}"
        folder.mkdir(parents=True)
        respondents(20, 1).to_parquet(folder / "part.parquet")
    waves = draft_codebook(tmp_path / "study").codebook.waves
    assert [(wave.starts, wave.ends) for wave in waves] == [
        (date(2023, 10, 1), date(2023, 12, 31)),
        (date(2024, 1, 1), date(2024, 3, 31)),
    ]


# ---- what goes wrong ----


def test_parts_with_other_columns_are_told_by_file_and_column(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    respondents(20, 1).to_parquet(folder / "a.parquet")
    respondents(20, 2).drop(columns="q7").to_parquet(folder / "b.parquet")
    with fails(SourceError):
        import_survey([folder], codebook(), tmp_path / "survey")
    respondents(20, 2).assign(extra=1).to_parquet(folder / "b.parquet")
    with fails(SourceError):
        import_survey([folder], codebook(), tmp_path / "survey")
    # Named one by one they are waves, which need not ask the same.
    files = sorted(folder.iterdir())
    survey = import_survey(files, codebook(), tmp_path / "survey")
    assert [wave.respondents for wave in survey.waves] == [40]


def test_a_folder_must_mean_one_survey(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "notes.txt").write_text("to do")
    with fails(SurveyError):
        import_survey([folder], codebook(), tmp_path / "survey")
    with fails(SurveyError):
        import_survey([folder / "*.parquet"], codebook(), tmp_path / "survey")
    respondents(20, 1).to_parquet(folder / "a.parquet")
    respondents(20, 1).to_csv(folder / "a.csv")
    with fails(SurveyError):
        import_survey([folder], codebook(), tmp_path / "survey")
    with fails(SurveyError):
        import_survey([folder / "a.*", folder / "a.csv"], codebook(), tmp_path / "survey")


def test_the_first_faulty_file_is_named(lake: Path, tmp_path: Path) -> None:
    files = sorted(lake.glob("*/*.parquet"))
    for name in ("b", "a"):
        (tmp_path / f"{name}.csv").write_text("weight,place,q1\n1,north,1\n1,north,1,2,3\n")
    sources = [*files, tmp_path / "b.csv", tmp_path / "a.csv"]
    with fails(SourceError):
        import_survey(sources, codebook(), tmp_path / "surveys" / "survey")
    assert not (tmp_path / "surveys").exists(), "not even the folder around it"


class Interrupted(Progress):
    """A user who presses Ctrl-C once the work is under way."""

    def at(self, octets: int) -> None:
        if octets:
            raise KeyboardInterrupt


def test_an_interrupted_import_leaves_no_files(lake: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        import_survey([lake], codebook(), tmp_path / "survey", progress=Interrupted())
    assert not list(tmp_path.iterdir())


# ---- the command ----


def test_the_command_imports_a_folder(
    lake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(lake), "--out", str(tmp_path / "survey")]) == 0
    assert "Import of " in capsys.readouterr().out
    waves = Survey.open(tmp_path / "survey").waves
    assert [wave.respondents for wave in waves] == [2 * ROWS + 1] * 3
