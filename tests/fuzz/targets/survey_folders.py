"""What stands in a survey's folder as JSON: the manifest, and the catalogue beside it."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from audiencelab.survey import Survey, SurveyError
from audiencelab.survey.layout import CATALOGUE, MANIFEST
from tests.fuzz.mutating import mutated, mutated_json
from tests.fuzz.targets import Target, refused
from tests.ingest.sources import imported
from tests.survey.formats import accept

__all__ = ["Catalogues", "Manifests"]


class _SurveyFile(Target):
    """One file of a small survey, written anew for each input."""

    file: str

    def begin(self, folder: Path) -> None:
        super().begin(folder)
        self.survey = _small_survey(folder)
        self.sound = {name: (self.survey / name).read_bytes() for name in (MANIFEST, CATALOGUE)}
        for stray in folder.iterdir():
            if stray != self.survey:
                stray.unlink()

    def seeds(self) -> list[bytes]:
        with TemporaryDirectory() as folder:
            return [(_small_survey(Path(folder)) / self.file).read_bytes()]

    def made(self, random: Random, inputs: list[bytes]) -> bytes:
        data = random.choice(inputs)
        return (
            mutated_json(data, random) if random.random() < 0.7 else mutated(data, inputs, random)
        )


class Manifests(_SurveyFile):
    """`Survey.open` and `verify`: a survey that is taken for whole has every file as it was."""

    name = "manifests"
    share = 30
    file = MANIFEST

    def run(self, data: bytes) -> str:
        (self.survey / MANIFEST).write_bytes(data)
        try:
            survey = Survey.open(self.survey)
            assert repr(survey)
            survey.verify()
        except SurveyError as error:
            return refused(ValueError(str(error).replace(str(self.folder), "")))
        assert [wave.code for wave in survey.waves] == [
            each.wave.code for each in survey.manifest.waves
        ]
        return f"accepted {len(survey.waves)} waves, {min(len(survey.manifest.files), 9)} files"


class Catalogues(_SurveyFile):
    """`Survey.catalogue`, where the manifest agrees with whatever stands there."""

    name = "catalogues"
    share = 30
    file = CATALOGUE

    def run(self, data: bytes) -> str:
        (self.survey / CATALOGUE).write_bytes(data)
        (self.survey / MANIFEST).write_bytes(self.sound[MANIFEST])
        accept(self.survey, CATALOGUE)
        try:
            catalogue = Survey.open(self.survey).catalogue
        except SurveyError as error:
            return refused(ValueError(str(error).replace(str(self.folder), "")))
        for question in catalogue.questions:
            assert catalogue.question(question.canonical).canonical == question.canonical
        return f"accepted {min(len(catalogue.questions), 9)}"


def _small_survey(folder: Path) -> Path:
    survey = imported(folder).path
    kept = folder / "kept"
    shutil.move(survey, kept)
    return kept
