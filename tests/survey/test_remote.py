"""Surveys by address: the same survey wherever it stands, and no more fetched than is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZipFile

import fsspec
import numpy as np
import pytest

from audiencelab.survey import Survey, SurveyError, derive
from tests.engine.studies import Study, random_study
from tests.messages import fails

ADDRESS = "memory://bucket/study"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return random_study(tmp_path_factory.mktemp("study") / "study", seed=1, respondents=900)


@pytest.fixture
def files(study: Study) -> Iterator[fsspec.AbstractFileSystem]:
    """A file system in memory, which holds the survey for one test."""
    files = fsspec.filesystem("memory")
    files.put(str(study.survey.path), "/bucket/study", recursive=True)
    yield files
    files.rm("/bucket", recursive=True)


@pytest.fixture
def remote(files: fsspec.AbstractFileSystem) -> Survey:
    return Survey.open(ADDRESS)


def test_it_is_the_same_survey(remote: Survey, study: Study) -> None:
    assert remote.address == ADDRESS
    assert remote.manifest == study.survey.manifest
    assert remote.seal == study.survey.seal
    assert remote.catalogue.questions == study.survey.catalogue.questions
    remote.verify()
    for wave in study.survey.waves:
        here, there = study.survey.wave(wave.code), remote.wave(wave.code)
        assert there.respondents == here.respondents
        assert np.array_equal(there.weights, here.weights)
        for question in remote.catalogue.questions:
            asked, found = here.question(question.code), there.question(question.code)
            assert (asked is None) == (found is None)
            if asked is not None and found is not None:
                assert np.array_equal(found.rows, asked.rows)


def test_a_part_holds_the_respondents_of_its_words(remote: Survey, study: Study) -> None:
    whole = study.survey.wave("q4_2023")
    answers = whole.question("q9")
    assert answers is not None
    for survey in (remote, study.survey):
        for start, stop in ((0, whole.words), (0, 5), (5, whole.words), (3, 4)):
            part = survey.part("q4_2023", start, stop)
            assert part.respondents == min(64 * stop, whole.respondents) - 64 * start
            assert np.array_equal(part.weights, whole.weights[64 * start : 64 * stop])
            found = part.question("q9")
            assert found is not None
            assert np.array_equal(found.rows, answers.rows[:, start:stop])


def test_only_what_is_asked_for_is_fetched(remote: Survey) -> None:
    wave = remote.part("q4_2023", 2, 6)
    wave.fetch(["q2", "q9", "q30"])  # q30 was not asked in this wave
    rows = 1 + 2 + 1 + 6
    assert wave.fetched_bytes == rows * 4 * 8
    wave.question("q9")
    assert wave.fetched_bytes == rows * 4 * 8
    wave.question("q4")
    assert wave.fetched_bytes == (rows + 1 + 5) * 4 * 8


def test_a_survey_that_was_replaced_is_noticed(files, remote: Survey) -> None:
    manifest = files.cat_file("/bucket/study/panel.json")
    files.pipe_file("/bucket/study/panel.json", manifest + b"\n")
    with fails(SurveyError):
        remote.wave("q4_2023")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda octets: octets[:-8], "cut short"),
        (lambda octets: b"no array" + octets[8:], "magic string"),
        (lambda octets: octets[:6] + b"\2" + octets[7:], "its header has version"),
        (lambda octets: octets.replace(b"False", b"True ", 1), "it is not an array of a survey"),
        (lambda octets: octets.replace(b"False", b"(((((", 1), ""),
        (None, "missing"),
    ],
)
def test_a_damaged_file_is_named(files, remote: Survey, damage, message: str) -> None:
    name = "/bucket/study/waves/q4_2023/bits.npy"
    octets = files.cat_file(name)
    files.rm_file(name)
    if damage is not None:
        files.pipe_file(name, damage(octets))
    with pytest.raises(SurveyError, match=rf"memory://\S*q4_2023/bits.npy is damaged.*{message}"):
        remote.wave("q4_2023").question("q20")


def test_a_file_that_changes_between_two_questions_is_noticed(files, remote: Survey) -> None:
    name = "/bucket/study/waves/q4_2023/bits.npy"
    wave = remote.wave("q4_2023")
    assert wave.question("q2") is not None
    octets = files.cat_file(name)
    files.pipe_file(name, octets)
    with fails(SurveyError):
        wave.question("q9")
    files.rm_file(name)
    with fails(SurveyError):
        wave.question("q20")


def test_what_a_file_system_says_of_its_own_is_told(study: Study, tmp_path: Path) -> None:
    packed = tmp_path / "study.zip"
    with ZipFile(packed, "w") as archive:
        archive.write(study.survey.path / "panel.json", "panel.json")
    octets = packed.read_bytes()
    packed.write_bytes(octets.replace(b'"format"', b'"Format"', 1))
    with fails(SurveyError):
        Survey.open(f"zip://::{packed.as_uri()}")


def test_without_fsspec_the_extra_is_named(not_installed: Callable[[str], None]) -> None:
    not_installed("upath")
    with fails(SurveyError):
        Survey.open(ADDRESS)


def test_a_remote_survey_is_not_written(remote: Survey) -> None:
    with fails(SurveyError):
        derive(remote)


def test_a_file_address_is_a_folder(study: Study) -> None:
    assert Survey.open(study.survey.path.as_uri()).path == study.survey.path


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("memory://bucket/nothing", "memory://bucket/nothing is not a survey"),
        ("nosuch://bucket/survey", "nosuch://bucket/survey cannot be read"),
        ("ftp://me:secret@host/survey", "must not contain a password"),
        ("memory://[bucket/survey", r"memory://\[bucket/survey (is not a survey|cannot be read)"),
        ("ftp://127.0.0.1:1/survey", "ftp://127.0.0.1:1/survey cannot be read: .*refused"),
    ],
)
def test_an_address_that_leads_nowhere_is_told(address: str, message: str) -> None:
    with pytest.raises(SurveyError, match=message) as caught:
        Survey.open(address)
    assert "secret" not in str(caught.value)


def test_a_relative_folder_has_an_absolute_address(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(study.survey.path.parent)
    assert Path(Survey.open("study").address) == study.survey.path
