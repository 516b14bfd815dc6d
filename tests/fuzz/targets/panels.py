"""What stands in a panel's folder as JSON: the manifest, and the catalogue beside it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from audiencelab.panel import Panel, PanelError
from audiencelab.panel.layout import CATALOGUE, MANIFEST
from tests.fuzz.mutating import mutated, mutated_json
from tests.fuzz.targets import Target, refused
from tests.panel.sources import imported

__all__ = ["Catalogues", "Manifests"]


class _PanelFile(Target):
    """One file of a small panel, written anew for each input."""

    file: str

    def begin(self, folder: Path) -> None:
        super().begin(folder)
        self.panel = _small_panel(folder)
        self.sound = {name: (self.panel / name).read_bytes() for name in (MANIFEST, CATALOGUE)}
        for stray in folder.iterdir():
            if stray != self.panel:
                stray.unlink()

    def seeds(self) -> list[bytes]:
        with TemporaryDirectory() as folder:
            return [(_small_panel(Path(folder)) / self.file).read_bytes()]

    def made(self, random: Random, inputs: list[bytes]) -> bytes:
        data = random.choice(inputs)
        return (
            mutated_json(data, random) if random.random() < 0.7 else mutated(data, inputs, random)
        )


class Manifests(_PanelFile):
    """`Panel.open` and `verify`: a panel that is taken for whole has every file as it was."""

    name = "manifests"
    share = 30
    file = MANIFEST

    def run(self, data: bytes) -> str:
        (self.panel / MANIFEST).write_bytes(data)
        try:
            panel = Panel.open(self.panel)
            assert repr(panel)
            panel.verify()
        except PanelError as error:
            return refused(ValueError(str(error).replace(str(self.folder), "")))
        assert [wave.code for wave in panel.waves] == [
            each.wave.code for each in panel.manifest.waves
        ]
        return f"accepted {len(panel.waves)} waves, {min(len(panel.manifest.files), 9)} files"


class Catalogues(_PanelFile):
    """`Panel.catalogue`, where the manifest agrees with whatever stands there."""

    name = "catalogues"
    share = 30
    file = CATALOGUE

    def run(self, data: bytes) -> str:
        (self.panel / CATALOGUE).write_bytes(data)
        manifest = json.loads(self.sound[MANIFEST])
        manifest["files"][CATALOGUE]["octets"] = len(data)
        (self.panel / MANIFEST).write_text(json.dumps(manifest))
        try:
            catalogue = Panel.open(self.panel).catalogue
        except PanelError as error:
            return refused(ValueError(str(error).replace(str(self.folder), "")))
        for question in catalogue.questions:
            assert catalogue.question(question.canonical).canonical == question.canonical
        return f"accepted {min(len(catalogue.questions), 9)}"


def _small_panel(folder: Path) -> Path:
    panel = imported(folder).path
    kept = folder / "kept"
    shutil.move(panel, kept)
    return kept
