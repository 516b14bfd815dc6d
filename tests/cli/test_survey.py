"""The command line: what it prints, and its exit codes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from audiencelab.cli import main
from audiencelab.ingest import load_codebook
from audiencelab.survey import Survey
from audiencelab.survey.demo import build_demo_survey
from tests.ingest.sources import CODEBOOK, ROWS, imported, write
from tests.survey.test_asked import made


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    source = write(tmp_path, "survey.csv", ROWS.replace("1,north,1", "1,north,7"))
    codebook = write(tmp_path, "codebook.toml", CODEBOOK)
    return [str(source), "--codebook", str(codebook), "--out", str(tmp_path / "survey")]


def test_an_import_tells_what_it_read_and_dropped(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", *files]) == 0
    told = capsys.readouterr()
    assert "Import of survey.csv: 5 respondents" in told.out
    assert "core.sex: '7' in sex: 1 respondent, first at row 1" in told.out
    assert main(["survey", "info", str(tmp_path / "survey"), "--report"]) == 0
    whole = capsys.readouterr().out
    assert "survey.csv: 5 rows, 11 of 12 columns used" in whole
    assert "w1: 3 respondents, 3 weighted, 6 questions" in whole
    assert f"--survey {tmp_path / 'survey'}" in told.out
    assert told.err == "", "no progress bar where nobody watches"
    assert Survey.open(tmp_path / "survey").name == "Tea and coffee"


def test_an_import_can_be_quiet_and_named(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", *files, "--quiet", "--name", "Mine"]) == 0
    assert capsys.readouterr().out == ""
    assert Survey.open(tmp_path / "survey").name == "Mine"


def test_an_existing_folder_is_replaced_only_on_request(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", *files]) == 0
    assert main(["import", *files]) == 2
    told = capsys.readouterr().err
    assert "exists already" in told
    assert "--replace" in told
    assert told.count("\n") == 1, "one line"
    assert main(["import", *files, "--replace"]) == 0


def test_two_commands_lead_from_a_strange_file_to_a_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "survey.csv", ROWS)
    assert main(["import", "survey.csv", "--out", "survey"]) == 0
    told = capsys.readouterr().out
    assert "wrote     survey.toml: edit it, and import again with --codebook survey.toml" in told
    assert "weight: named like a weight" in told, "what was guessed is not kept secret"
    assert "audiencelab lab --survey survey" in told
    made = Survey.open(tmp_path / "survey").catalogue
    edited = (tmp_path / "survey.toml").read_text().replace("# ", "#  ", 1)
    (tmp_path / "survey.toml").write_text(edited)
    assert main(["import", "survey.csv", "--out", "survey", "--replace"]) == 2
    assert "may be the codebook that you edited: add --codebook" in capsys.readouterr().err
    again = ["import", "survey.csv", "--codebook", "survey.toml", "--out", "survey", "--replace"]
    assert main(again) == 0
    assert Survey.open(tmp_path / "survey").catalogue == made


def test_the_same_draft_is_used_again_and_another_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "survey.csv", ROWS)
    command = ["import", "survey.csv", "--out", "survey"]
    assert main(command) == 0
    book = tmp_path / "survey.toml"
    first = book.read_text()
    assert main([*command, "--replace"]) == 0
    write(tmp_path, "survey.csv", ROWS.replace("tea,", "cocoa,"))
    assert main([*command, "--replace"]) == 2
    assert book.read_text() == first
    book.unlink()
    assert main([*command, "--replace"]) == 0
    assert '"cocoa"' in book.read_text()
    assert load_codebook(book).questions
    shutil.rmtree(tmp_path / "survey")
    assert main(command) == 2, "without --replace nothing is replaced"


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("[[questions]]", "[[questions]] # mine", 1),
        lambda text: text + "# mine\n",
        lambda text: "# mine\n" + text,
        lambda text: text.rpartition("\n# ")[0],
        lambda text: text.removesuffix("\n"),
        lambda text: "",
    ],
)
def test_no_edited_draft_is_ever_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edit: Callable[[str], str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "survey.csv", ROWS)
    assert main(["import", "survey.csv", "--out", "survey", "--quiet"]) == 0
    book = tmp_path / "survey.toml"
    book.write_text(mine := edit(book.read_text()))
    assert main(["import", "survey.csv", "--out", "survey", "--replace"]) == 2
    assert book.read_text() == mine


def test_an_import_that_cannot_be_drafts_nothing(tmp_path: Path) -> None:
    source = write(tmp_path, "survey.csv", ROWS)
    (tmp_path / "survey").mkdir()
    assert main(["import", str(source), "--out", str(tmp_path / "survey")]) == 2
    assert {path.name for path in tmp_path.iterdir()} == {"survey.csv", "survey"}


def test_a_codebook_is_drafted_to_be_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = ROWS.replace(";", "/").replace(",", ";").replace("north", "nörd")
    write(tmp_path, "my survey.csv", rows, "latin-1")
    assert main(["codebook", "my survey.csv", "--out", "book.toml"]) == 0
    told = capsys.readouterr().out
    assert "Drafted from my survey.csv" in told
    assert "wrote     book.toml: audiencelab import 'my survey.csv' --codebook book.toml" in told
    drafted = load_codebook(tmp_path / "book.toml")
    assert (drafted.source.encoding, drafted.source.delimiter) == ("windows-1252", ";")
    assert main(["codebook", "my survey.csv", "--out", "book.toml"]) == 2
    assert "may have been edited" in capsys.readouterr().err
    quiet = ["codebook", "my survey.csv", "--out", "other.toml", "--quiet", "--delimiter", "|"]
    assert main(quiet) == 0
    assert capsys.readouterr().out == ""
    assert load_codebook(tmp_path / "other.toml").source.delimiter == "|"


MISTAKES = {
    "no file to draft from": (["import", "x.csv", "--out", "y"], "x.csv: there is no such file"),
    "nothing to draft from": (["codebook", "x.csv"], "x.csv: there is no such file"),
    "no such file": (["import", "x.csv", "--codebook", "c.toml", "--out", "y"], "c.toml"),
    "no such survey": (["survey", "info", "nowhere"], "no such folder"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line_and_exit_code_2(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments, word = MISTAKES[name]
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert word in told
    assert "Traceback" not in told
    assert told.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_info_tells_waves_weights_and_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build_demo_survey(tmp_path / "demo", 960)
    assert main(["survey", "info", str(tmp_path / "demo"), "--verify"]) == 0
    told = capsys.readouterr().out
    assert "77 questions with 838 datapoints" in told
    assert "location: core.s2" in told
    assert "q1_2023  Q1 2023  2023-01-06  2023-02-24           80" in told
    # The first line of each, since later tables have more of some questions.
    rows = {line.split()[0]: line for line in reversed(told.splitlines()) if line}
    assert rows["core.q4"].split() == ["core.q4", "Age", "7", "all"]
    assert rows["media.m46"].endswith("q1_2025, q2_2025, q3_2025, q4_2025")
    assert "Every file is as it was written." in told


def test_info_tells_who_counts_and_the_items_with_a_base_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made(tmp_path / "p")
    assert main(["survey", "info", str(tmp_path / "p")]) == 0
    told = capsys.readouterr().out
    assert (
        "base: those who answered, by question; all waves; weighted sizes are sums over waves"
    ) in told
    rows = [line.split() for line in told.splitlines() if line.startswith(("core.many", "core.o"))]
    assert ["core.many", "many_1", "all", "78", "39"] in rows
    assert ["core.many", "many_5", "w2", "48", "24"] in rows
    assert ["core.one", "one_4", "w2", "120", "15"] in rows
    assert not any("one_1" in row for row in rows)


def test_info_names_the_weight(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    imported(tmp_path)
    assert main(["survey", "info", str(tmp_path / "survey")]) == 0
    told = capsys.readouterr().out
    assert "weight: weight; weights in steps of" in told


def test_the_codebook_that_made_a_survey_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported(tmp_path)
    assert main(["survey", "codebook", str(tmp_path / "survey")]) == 0
    written = write(tmp_path, "again.toml", capsys.readouterr().out)
    assert load_codebook(written) == load_codebook(tmp_path / "codebook.toml")
