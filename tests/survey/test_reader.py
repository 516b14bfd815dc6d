"""Opening a survey: quick, checked, and clear about what is wrong with a folder."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audiencelab.survey import Survey, SurveyError
from tests.messages import fails
from tests.survey.test_builder import built, simple


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return built(tmp_path / "p", simple()).path


def edit_manifest(folder: Path, **changes: Any) -> None:
    path = folder / "panel.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with fails(SurveyError):
        Survey.open(tmp_path / "nowhere")


def test_a_folder_that_is_no_survey_says_so(tmp_path: Path) -> None:
    with fails(SurveyError):
        Survey.open(tmp_path)


def test_a_newer_format_asks_for_an_upgrade(folder: Path) -> None:
    edit_manifest(folder, version=99, waves="told in another way")
    with fails(SurveyError):
        Survey.open(folder)


def test_another_json_file_is_no_manifest(folder: Path) -> None:
    edit_manifest(folder, format="something else")
    with fails(SurveyError):
        Survey.open(folder)


def test_a_manifest_that_is_no_json_is_named(folder: Path) -> None:
    (folder / "panel.json").write_text("{")
    with fails(SurveyError):
        Survey.open(folder)


def test_a_manifest_of_brackets_alone_is_named(folder: Path) -> None:
    (folder / "panel.json").write_text('{"x":' + "[" * 9_000 + "]" * 9_000 + "}")
    with fails(SurveyError):
        Survey.open(folder)


def test_a_lost_file_is_named(folder: Path) -> None:
    (folder / "waves/w1/weights.npy").unlink()
    with fails(SurveyError):
        Survey.open(folder)


def test_a_file_cut_short_is_named(folder: Path) -> None:
    bits = folder / "waves/w1/bits.npy"
    bits.write_bytes(bits.read_bytes()[:-8])
    with fails(SurveyError):
        Survey.open(folder)


@pytest.mark.parametrize(("place", "sign"), [(10, b"("), (21, b","), (1, b"M")])
def test_a_damaged_header_is_named(folder: Path, place: int, sign: bytes) -> None:
    bits = folder / "waves/w1/bits.npy"
    octets = bits.read_bytes()
    bits.write_bytes(octets[:place] + sign + octets[place + 1 :])
    with fails(SurveyError):
        Survey.open(folder).wave("w1")


def test_one_changed_bit_is_found_by_its_checksum(folder: Path) -> None:
    survey = Survey.open(folder)
    survey.verify()
    bits = folder / "waves/w1/bits.npy"
    octets = bytearray(bits.read_bytes())
    octets[-1] ^= 1
    bits.write_bytes(octets)
    with fails(SurveyError):
        Survey.open(folder).verify()


def test_what_is_read_cannot_be_written(folder: Path) -> None:
    data = Survey.open(folder).wave("w1")
    found = data.question("one")
    assert found is not None
    for array in (data.weights, found.asked, found.matrix, found.datapoint("one_1")):
        with fails(ValueError):
            array[0] = 1


def test_threads_share_one_survey(folder: Path) -> None:
    survey = Survey.open(folder)
    seen: list[Any] = []
    start = threading.Barrier(8)

    def read() -> None:
        start.wait()
        found = survey.wave("w1").question("one")
        assert found is not None
        seen.append((survey.wave("w1"), found, int(np.bitwise_count(found.matrix).sum())))

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(wave) for wave, _, _ in seen}) == 1
    assert len({id(question) for _, question, _ in seen}) == 1
    assert [count for _, _, count in seen] == [100] * 8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"wave": {"code": "../elsewhere"}}, "'../elsewhere' cannot be a wave's code"),
        ({"rows": 10**9}, r"wave w1 has no files of 100 respondents in 1,000,000,000 rows"),
        ({"questions": {"core.one": -1}}, r"wave w1 has questions outside its \d+ rows"),
    ],
)
def test_a_manifest_that_would_be_read_elsewhere_is_refused(
    folder: Path, change: dict[str, Any], message: str
) -> None:
    (stored,) = json.loads((folder / "panel.json").read_text())["waves"]
    if "wave" in change:
        change = {"wave": stored["wave"] | change["wave"]}
    edit_manifest(folder, waves=[stored | change])
    with pytest.raises(SurveyError, match=message):
        Survey.open(folder)
