"""An exported SPSS file makes the same tables again, and other programs read its labels."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from audiencelab.cli import main
from audiencelab.ingest import import_survey
from audiencelab.survey import Survey, SurveyExistsError
from audiencelab.survey.answers import unpack
from audiencelab.survey.demo import build_demo_survey
from audiencelab.survey.export import Exported, export_survey
from audiencelab.survey.spss_files import SpssResponseSet, syntax, variable_name
from tests.messages import fails
from tests.survey.test_export import assert_same_tables

pyreadstat: Any = pytest.importorskip("pyreadstat")


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    return build_demo_survey(tmp_path_factory.mktemp("demo") / "survey", 600)


@pytest.fixture(scope="module")
def files(survey: Survey, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return export_survey(survey, tmp_path_factory.mktemp("out") / "answers.sav")


def test_the_same_tables_come_back(survey: Survey, files: Exported, tmp_path: Path) -> None:
    again = import_survey([files.respondents], files.codebook, tmp_path / "again")
    assert_same_tables(survey, again)


def test_labels_and_missing_values_are_in_the_file(survey: Survey, files: Exported) -> None:
    frame, meta = pyreadstat.read_sav(files.respondents, user_missing=True)
    assert len(frame) == files.rows == 600
    assert meta.column_names_to_labels["q2"] == "Gender"
    assert meta.variable_value_labels["q2"] == {
        0.0: "No answer",
        1.0: "Male",
        2.0: "Female",
        3.0: "Non-binary or another identity",
    }
    assert meta.missing_ranges["q2"] == [{"lo": 0.0, "hi": 0.0}]
    assert meta.variable_value_labels["q17_1"] == {0.0: "Not selected", 1.0: "Selected"}
    assert "q17_1" not in meta.missing_ranges
    # Respondents who were not asked have no value at all.
    waves = [survey.wave(wave.code) for wave in survey.waves]
    found = [(wave.question("core.q9"), wave.respondents) for wave in waves]
    asked = sum(int(unpack(each.asked, n).sum()) for each, n in found if each is not None)
    assert int(frame["q9_1"].notna().sum()) == asked


def test_the_syntax_defines_the_sets_of_questions_with_several_answers(files: Exported) -> None:
    text = files.respondents.with_suffix(".sps").read_text("utf-8")
    assert "GET FILE='answers.sav'." in text
    assert "WEIGHT BY weight." in text
    assert max(map(len, text.splitlines())) <= 255
    found = re.findall(
        r"NAME=\$(\w+) LABEL='(.+)'\n.*VARIABLES=\n((?:    .+\n)+?)    VALUE=1", text
    )
    sets = {name: (label, names.split()) for name, label, names in found}
    columns = set(pyreadstat.read_sav(files.respondents, metadataonly=True)[1].column_names)
    assert sets["q17"][0] == "Pets"
    assert all(set(names) <= columns for _, names in sets.values())
    assert len(sets["q17"][1]) == 8


def test_r_reads_it(files: Exported) -> None:
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("R is not installed")
    code = r"""
    if (!requireNamespace("haven", quietly = TRUE)) quit(status = 3)
    data <- haven::read_sav(commandArgs(TRUE)[1], user_na = TRUE)
    sizes <- tapply(data$weight, haven::as_factor(data$q2), sum)
    cat(attr(data$q2, "label"), "\n")
    cat(names(sizes), sep = "\n")
    cat(format(sizes, digits = 15, scientific = FALSE), sep = "\n")
    """
    script = files.respondents.parent / "read.R"
    script.write_text(code)
    command = [rscript, str(script), str(files.respondents)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 3:
        pytest.skip("R has no haven")
    assert done.returncode == 0, done.stderr
    label, *lines = (line.strip() for line in done.stdout.splitlines())
    assert label == "Gender"
    half = len(lines) // 2
    read = dict(zip(lines[:half], lines[half:], strict=True))
    frame = pyreadstat.read_sav(files.respondents)[0]
    for number, name in ((1, "Male"), (2, "Female")):
        expected = frame.loc[frame["q2"] == number, "weight"].sum()
        assert float(read[name]) == pytest.approx(expected, rel=1e-12)


def test_names_are_what_spss_takes() -> None:
    taken: list[str] = []
    for name in ("q1", "Q1", "1st", "a b", "with", "x" * 80, "x" * 90, "é"):
        made = variable_name(name, taken)
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_.@#$]{0,63}", made)
        assert made.lower() not in map(str.lower, taken)
        taken.append(made)
    assert taken[:4] == ["q1", "Q1_2", "v_1st", "a_b"]


def test_labels_cannot_end_a_command() -> None:
    made = syntax("it's.sav", "weight", [SpssResponseSet("q1", "Who's\nthere. ERASE", ["a", "b"])])
    assert "FILE='it''s.sav'" in made
    assert "LABEL='Who''s there. ERASE'" in made


def test_the_command_line_writes_all_three_and_replaces_none(
    survey: Survey, tmp_path: Path
) -> None:
    out = tmp_path / "answers.sav"
    assert main(["survey", "export", str(survey.path), "-o", str(out)]) == 0
    assert {each.suffix for each in tmp_path.iterdir()} == {".sav", ".toml", ".sps"}
    out.unlink()
    with fails(SurveyExistsError):
        export_survey(survey, out)
