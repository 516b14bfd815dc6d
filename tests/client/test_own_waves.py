"""A client adds waves to its survey: in its folder, in the cache, in a snapshot and to the end."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.cli import main
from audiencelab.ingest import add_wave
from audiencelab.ingest.drift import Decide
from audiencelab.ingest.report import ImportReport
from audiencelab.schema.breaks import breaks_of
from audiencelab.survey import Survey, SurveyError
from tests.ingest.test_tracker import rows, written
from tests.messages import fails

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def first(tmp_path: Path) -> Path:
    return written(tmp_path, "w1.csv", rows(1))


@pytest.fixture
def second(tmp_path: Path) -> Path:
    return written(tmp_path, "w2.csv", rows(2, 50))


def test_a_wave_is_added_and_shown(
    first: Path, second: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client = al.open(first, to=tmp_path / "survey", quiet=True)
    assert client.add_wave(second) is client
    assert "w2.csv: 50 respondents added as w2.csv" in capsys.readouterr().out
    expected = pd.read_csv(second)["tea"].value_counts()
    table = client.crosstab("tea", waves="w2.csv", weight=None).to_wide("sample")
    assert table.sum().sum() == expected.sum()
    assert len(client.waves()) == 2
    # Run again, a cell changes nothing.
    client.add_wave(second)
    assert "the survey has it already" in capsys.readouterr().out
    assert len(client.waves()) == 2


def test_a_survey_in_the_cache_stays_what_it_was_made_of(first: Path, second: Path) -> None:
    client = al.open(first, quiet=True)
    assert f".add_wave({str(second)!r})" in client.add_wave(second, quiet=True).to_code()
    assert len(client.waves()) == 2
    assert len(al.open(first, quiet=True).waves()) == 1
    again = al.open(first, quiet=True).add_wave(second, quiet=True)
    assert len(again.waves()) == 2


def test_a_dry_run_returns_what_would_be_added(first: Path, second: Path) -> None:
    client = al.open(first, quiet=True)
    report = client.add_wave(second, dry_run=True)
    assert isinstance(report, ImportReport)
    assert report.waves[0].respondents == 50
    assert "w2.csv" in repr(report)
    assert len(client.waves()) == 1


def test_a_snapshot_answers_for_a_wave_whose_file_is_gone(
    first: Path, second: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "snapshot.jsonl"
    client = al.open(first, quiet=True)
    with client.recording(kept):
        expected = client.add_wave(second, quiet=True).crosstab("tea", "gender").to_frame()
    second.unlink()
    replayed = al.open(first, quiet=True, snapshot=kept).add_wave(second)
    pd.testing.assert_frame_equal(replayed.crosstab("tea", "gender").to_frame(), expected)
    with fails(LookupError):
        replayed.add_wave(second, dry_run=True)


def test_values_that_were_decided_are_a_part_of_requests_and_snapshots(
    first: Path, tmp_path: Path
) -> None:
    codes = [1] * 30 + [2] * 20 + [3] * 10
    paths = [written(tmp_path, f"w{n}.csv", rows(n, tea=codes)) for n in (1, 2)]
    kept = tmp_path / "snapshot.jsonl"
    decided: Decide = {"tea": {1: 3, 3: 1}}
    client = al.open(paths[0], to=tmp_path / "survey", quiet=True)
    with client.recording(kept):
        added = client.add_wave(paths[1], decide=decided, quiet=True)
        expected = added.crosstab("tea", "waves", weight=None).to_wide("sample")
    assert expected.to_numpy().tolist() == [[30, 10], [20, 20], [10, 30]]
    replayed = al.open(kept, quiet=True)
    replayed.add_wave(paths[1], decide=decided, quiet=True)
    again = replayed.crosstab("tea", "waves", weight=None).to_wide("sample")
    pd.testing.assert_frame_equal(again, expected)


def test_the_command_adds_tries_and_tells(
    first: Path, second: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    survey = tmp_path / "survey"
    al.open(first, to=survey, quiet=True)
    command = ["survey", "add-wave", str(survey), str(second)]
    assert main([*command, "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert "50 respondents would be added as w2.csv" in told
    assert "--wave w2.csv" in told
    assert len(Survey.open(survey).waves) == 1
    assert main([*command, "--wave", "Q1 2026", "--no-weight"]) == 0
    assert Survey.open(survey).waves[-1].name == "Q1 2026"
    assert main(command) == 0
    assert "the survey has it already" in capsys.readouterr().out
    other = written(tmp_path, "w3.csv", rows(3).drop(columns="weight"))
    assert main(["survey", "add-wave", str(survey), str(other)]) == 2
    assert "--weight COLUMN" in capsys.readouterr().err


def labelled(path: Path, frame: Any, labels: dict[int, str]) -> None:
    values: dict[int | float, str] = {**labels}
    pyreadstat.write_sav(frame, str(path), variable_value_labels={"tea": values})


def turned(first: Path, folder: Path) -> Path:
    """A survey with a labelled scale, and a file of which the labels are turned, not the codes."""
    labels = {1: "Often", 2: "Sometimes", 3: "Rarely", 4: "Never"}
    codes = [1] * 30 + [2] * 15 + [3] * 10 + [4] * 5
    for name, named in (
        ("a.sav", labels),
        ("b.sav", dict(zip(labels, [*reversed(labels.values())], strict=True))),
    ):
        frame = rows(1, tea=codes)
        labelled(folder / name, frame, named)
    al.open(folder / "a.sav", to=folder / "survey", quiet=True)
    return folder / "b.sav"


def test_what_changes_the_meaning_of_a_figure_is_decided_first(
    tmp_path: Path, first: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = turned(first, tmp_path)
    client = al.open(tmp_path / "survey")
    before = Survey.open(tmp_path / "survey").manifest
    with fails(SurveyError):
        client.add_wave(file)
    report = client.add_wave(file, dry_run=True)
    assert [(each.question, each.refuses) for each in report.drift] == [("tea", True)]
    command = ["survey", "add-wave", str(tmp_path / "survey"), str(file)]
    assert main([*command, "--dry-run"]) == 1
    assert "--decide tea=labels" in capsys.readouterr().out
    assert main(command) == 2
    assert "--decide tea=labels" in capsys.readouterr().err
    assert Survey.open(tmp_path / "survey").manifest == before
    assert main([*command, "--decide", "tea=break", "--wave", "Q1 2026"]) == 0
    client = al.open(tmp_path / "survey")
    survey = Survey.open(tmp_path / "survey")
    wave = survey.waves[-1].code
    [found] = breaks_of(survey.catalogue.question("tea").flags)
    assert found.wave == wave
    assert client.import_report.drift[-1].is_break
    # As the file says it: its code 4 is "Often".
    table = client.crosstab("tea", waves=wave).to_wide("sample")
    assert table.to_numpy().ravel().tolist() == [5, 10, 15, 30]


def test_moved_codes_are_read_by_their_labels(tmp_path: Path, first: Path) -> None:
    turned(first, tmp_path)
    labels = {4: "Often", 3: "Sometimes", 2: "Rarely", 1: "Never"}
    frame = rows(1, tea=[4] * 30 + [3] * 15 + [2] * 10 + [1] * 5)
    labelled(tmp_path / "c.sav", frame, labels)
    client = al.open(tmp_path / "survey").add_wave(tmp_path / "c.sav", quiet=True)
    table = client.crosstab("tea", "waves").to_wide("sample")
    assert table.to_numpy().tolist() == [[30, 30], [15, 15], [10, 10], [5, 5]]
    assert [each.kind for each in client.import_report.drift] == ["turned scale"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kill -9")
def test_a_survey_is_whole_whenever_adding_is_killed(
    first: Path, second: Path, tmp_path: Path
) -> None:
    survey = tmp_path / "survey"
    al.open(first, to=survey, quiet=True)
    before = Survey.open(survey).manifest
    start = time.monotonic()
    add_wave(survey, second, out=tmp_path / "other")
    lasts = time.monotonic() - start
    moments = random.Random(1)
    for _ in range(10):
        if (child := os.fork()) == 0:
            add_wave(survey, second)
            os._exit(0)
        time.sleep(moments.uniform(0, lasts))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if not survey.exists():
            # The moment between two renames: the next writer restores the survey first.
            add_wave(survey, second)
        found = Survey.open(survey)
        found.verify()
        assert found.manifest == before or len(found.waves) == 2
        if len(found.waves) == 2:
            # With what a kill between two renames left: it would be restored in place of the first.
            for folder in (survey, *tmp_path.glob(".survey.*.replaced")):
                shutil.rmtree(folder)
            al.open(first, to=survey, quiet=True)
            before = Survey.open(survey).manifest
    survey.rename(tmp_path / ".survey.1.replaced")
    assert len(add_wave(survey, second).survey.waves) == 2
    assert not [*tmp_path.glob(".survey*")], "what was left is cleared away"
