"""One writer at a time, and nothing lost or left when a writer is killed: real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from audiencelab.survey import Survey, SurveyError
from audiencelab.survey.demo import build_demo_survey
from audiencelab.survey.errors import SurveyBusyError
from audiencelab.survey.locks import WriterLock

WRITER = """
import sys
from pathlib import Path
from audiencelab.survey import SurveyBuilder
from audiencelab.survey.demo.questionnaire import load_questionnaire

with SurveyBuilder(sys.argv[1], load_questionnaire().catalogue) as builder:
    print("at work", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that writes the survey `p` until it is told to stop."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "p")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "at work\n"
        yield process
        process.kill()


def test_a_second_writer_is_told_who_is_at_work(
    writer: subprocess.Popen[str], tmp_path: Path
) -> None:
    with pytest.raises(
        SurveyBusyError, match=rf"by process {writer.pid} on .*, since 20"
    ) as caught:
        WriterLock(tmp_path / "p")
    assert str(tmp_path / "p") in str(caught.value)
    WriterLock(tmp_path / "another").release()


def test_a_writer_that_may_wait_gets_its_turn(
    writer: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert writer.stdin is not None
    writer.stdin.close()
    WriterLock(tmp_path / "p", wait=60).release()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_writer_left_is_cleared_by_the_next(
    writer: subprocess.Popen[str], tmp_path: Path
) -> None:
    neighbour = tmp_path / ".p.two.abcdefgh.building"
    neighbour.mkdir()
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    assert len(list(tmp_path.glob(".p.????????.building"))) == 1
    build_demo_survey(tmp_path / "p", 96)
    assert sorted(path.name for path in tmp_path.iterdir()) == [neighbour.name, "p"]


def test_a_replacement_that_was_interrupted_is_undone(tmp_path: Path) -> None:
    build_demo_survey(tmp_path / "p", 96)
    # As it stands between the two renames of a replacement.
    (tmp_path / "p").rename(tmp_path / ".p.abcdefgh.replaced")
    (tmp_path / ".p.abcdefgh.building").mkdir()
    with pytest.raises(SurveyError, match=r"interrupted.*\.p\.abcdefgh\.replaced"):
        Survey.open(tmp_path / "p")
    WriterLock(tmp_path / "p").release()
    Survey.open(tmp_path / "p").verify()
    assert [path.name for path in tmp_path.iterdir()] == ["p"]


def test_readers_are_not_kept_waiting(tmp_path: Path) -> None:
    build_demo_survey(tmp_path / "p", 96)
    lock = WriterLock(tmp_path / "p")
    Survey.open(tmp_path / "p").verify()
    lock.release()
    lock.release()


def test_a_survey_that_was_replaced_while_open_gives_no_mixed_figures(tmp_path: Path) -> None:
    build_demo_survey(tmp_path / "p", 96)
    survey = Survey.open(tmp_path / "p")
    first, last = survey.waves[0].code, survey.waves[-1].code
    before = survey.wave(first).size
    build_demo_survey(tmp_path / "p", 192, replace=True)
    assert survey.wave(first).size == before, "what is mapped stays"
    with pytest.raises(SurveyError, match=r"replaced.*Open it again"):
        survey.wave(last)
    assert Survey.open(tmp_path / "p").wave(last).respondents == 16


REVISER = """
import os, signal, sys
from audiencelab.survey import Net, NetPoint, Survey, SurveyBuilder, derive

def killed(self, report=None):
    os.kill(os.getpid(), signal.SIGKILL)

SurveyBuilder.finish = killed
survey = Survey.open(sys.argv[1])
code = survey.catalogue.question("q2").datapoints[0].code
derive(survey, Net(code="n", name="N", question="q2", datapoints=(NetPoint("n", (code,)),)))
"""


def test_a_survey_survives_the_death_of_who_was_changing_it(tmp_path: Path) -> None:
    before = build_demo_survey(tmp_path / "p", 96).manifest
    done = subprocess.run([sys.executable, "-c", REVISER, str(tmp_path / "p")], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob(".p.*.building/waves/*/bits.npy"))) == 12, "it was nearly done"
    survey = Survey.open(tmp_path / "p")
    survey.verify()
    assert survey.manifest == before
    WriterLock(tmp_path / "p").release()
    assert [path.name for path in tmp_path.iterdir()] == ["p"]


def test_a_writer_that_has_not_said_who_it_is_is_somebody_all_the_same(
    writer: subprocess.Popen[str], tmp_path: Path
) -> None:
    (lock,) = (path for path in tmp_path.iterdir() if path.suffix == ".json" or path.is_file())
    lock.write_text("")
    with pytest.raises(SurveyBusyError, match="being written by another process"):
        WriterLock(tmp_path / "p")
