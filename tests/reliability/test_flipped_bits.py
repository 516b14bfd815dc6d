"""One bit that is not what was written, in any file of a survey, is found and its file named."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from audiencelab.cli import main
from audiencelab.survey import Survey, SurveyError
from tests.ingest.sources import imported

FLIPS = 60
"""Bits that are flipped in each file, one at a time."""


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_flipped_bit_is_found_in_every_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, chance = imported(tmp_path).path, random.Random(11)
    assert len(files(folder)) >= 8
    for path in files(folder):
        name, sound = path.relative_to(folder).as_posix(), path.read_bytes()
        for _ in range(FLIPS):
            place, bit = chance.randrange(len(sound)), 1 << chance.randrange(8)
            octets = bytearray(sound)
            octets[place] ^= bit
            path.write_bytes(octets)
            try:
                Survey.open(folder).verify()
            except SurveyError as error:
                found = str(error)
            else:
                # Of the seal's own name: then there is none, and all else is as it was written.
                assert name == "panel.json"
                assert b'"seal"' not in octets
                continue
            assert name in found or name == "panel.json"
        # The command too, for the last of them.
        assert main(["survey", "info", str(folder), "--verify"]) == 2
        assert str(folder) in capsys.readouterr().err
        path.write_bytes(sound)
    Survey.open(folder).verify()


@pytest.mark.parametrize("kept", [0.0, 0.5, 0.99])
def test_a_file_cut_short_is_told_before_a_figure_is_read(tmp_path: Path, kept: float) -> None:
    folder = imported(tmp_path).path
    for path in files(folder):
        sound = path.read_bytes()
        path.write_bytes(sound[: int(kept * len(sound))])
        with pytest.raises(SurveyError, match=path.name):
            Survey.open(folder)
        path.write_bytes(sound)


def test_a_survey_of_before_there_were_seals_is_verified_by_its_files(tmp_path: Path) -> None:
    folder = imported(tmp_path).path
    path = folder / "panel.json"
    manifest = json.loads(path.read_text())
    del manifest["seal"]
    path.write_text(json.dumps(manifest))
    survey = Survey.open(folder)
    assert survey.manifest.seal == ""
    survey.verify()
