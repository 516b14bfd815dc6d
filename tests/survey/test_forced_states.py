"""States of a survey that take long or a large file to come, forced by replacing a constant."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

import fsspec
import numpy as np
import pytest

from audiencelab.survey import Survey, SurveyError, background_check, derive
from audiencelab.survey import remote as remote_module
from audiencelab.survey.background_check import BackgroundCheck
from audiencelab.survey.reweighted import weighted_by
from tests.engine.studies import random_study
from tests.survey.formats import flip, to_format_1
from tests.survey.test_blocks import MEN, full


def until(condition: Callable[[], object]) -> None:
    for _ in range(200):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("it did not happen")


def test_a_survey_of_format_1_is_compared_in_the_background(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    survey = full(tmp_path / "survey")
    monkeypatch.setattr(background_check, "_DELAY", 0.0)
    to_format_1(survey.path)
    flip(survey.path / "waves/w1/bits.npy", -3)
    opened = Survey.open(survey.path)
    assert opened.wave("w1").question("grid") is not None, "its blocks have no checksums"
    message = r"survey: changed since it was written: waves/w1/bits\.npy"

    def refuses() -> bool:
        try:
            opened.check_in_background()
        except SurveyError:
            return True
        return False

    with caplog.at_level(logging.ERROR, "audiencelab"):
        until(refuses)
    assert "changed since it was written: waves/w1/bits.npy" in caplog.text
    for each in (opened, weighted_by(opened, None)):
        with pytest.raises(SurveyError, match=message):
            each.check_in_background()


def test_what_is_sound_or_was_replaced_is_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = full(tmp_path / "survey")
    monkeypatch.setattr(background_check, "_DELAY", 0.0)
    to_format_1(survey.path)
    opened = Survey.open(survey.path)
    for change in (None, MEN):
        if change is not None:
            derive(opened, change)
        check = BackgroundCheck(opened.changes, lambda: opened.is_current)
        until(lambda check=check: check.has_ended)
        assert check.found == ""


def test_what_was_fetched_is_let_go_of_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = random_study(tmp_path / "study", seed=1, respondents=900)
    files = fsspec.filesystem("memory")
    files.put(str(study.survey.path), "/bounded/study", recursive=True)
    remote = Survey.open("memory://bounded/study")
    monkeypatch.setattr(remote_module, "_CACHE_BYTES", 700)
    wave = remote.wave("q4_2023")
    for question in (*remote.catalogue.questions, *remote.catalogue.questions):
        expected = study.survey.wave("q4_2023").question(question.code)
        found = wave.question(question.code)
        assert wave.fetched_bytes <= 700
        if expected is not None and found is not None:
            assert np.array_equal(found.rows, expected.rows)
