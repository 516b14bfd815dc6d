"""The files of columns of text: written, and read as a whole, on this machine or elsewhere."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from audiencelab.survey import layout
from audiencelab.survey.errors import DamagedSurveyError, SurveyError
from audiencelab.survey.remote import ODD_HEADER, READS_HEADER, Folder
from audiencelab.survey.texts import StoredText, Texts


def without_lost_texts(folder: Folder, manifest: layout.Manifest) -> layout.Manifest:
    """The manifest, without columns of text where their folder was left out of a copy."""
    if not manifest.texts or not isinstance(folder, Path) or (folder / layout.TEXT).exists():
        return manifest
    return replace(
        manifest,
        texts=(),
        waves=tuple(replace(each, texts={}) for each in manifest.waves),
        files={name: file for name, file in manifest.files.items() if not layout.is_text(name)},
    )


def is_closed(folder: Folder, name: str) -> bool:
    """Whether a file is text of a survey that another user made, which this one may not read."""
    if not layout.is_text(name) or not isinstance(folder, Path):
        return False
    return not os.access(folder / layout.TEXT, os.R_OK | os.X_OK)


class TextWriter:
    """Writes columns of text, wave by wave, into the folder of a survey that is being written.

    given: what is known of its columns.
    """

    def __init__(self, folder: Path, given: Iterable[StoredText]) -> None:
        self._folder = folder
        self._given = tuple(given)
        self._numbers = dict[str, int]()

    def wave(self, code: str, respondents: int, texts: Mapping[str, Texts]) -> dict[str, int]:
        """Write those of a wave, in the order of its respondents; returns their numbers."""
        for name in texts:
            found, number = texts[name], self._numbers.setdefault(name, 1 + len(self._numbers))
            if len(found) != respondents:
                raise SurveyError(
                    f"Text {name!r} of wave {code} is not valid: it has {len(found):,} values for "
                    f"{respondents:,} respondents."
                )
            for form, array in (
                (layout.TEXT_BYTES, found.utf8),
                (layout.TEXT_LENGTHS, found.lengths),
            ):
                path = self._folder / form.format(wave=code, number=number)
                path.parent.mkdir(parents=True, exist_ok=True)
                np.save(path, array)
        return {name: self._numbers[name] for name in texts}

    @property
    def written(self) -> tuple[StoredText, ...]:
        """The columns that some wave has; those that nothing describes by their names."""
        said = {each.name: each for each in self._given if each.name in self._numbers}
        return (*said.values(), *(StoredText(each) for each in self._numbers if each not in said))


def read_texts(
    folder: Folder, manifest: layout.Manifest, wave: layout.StoredWave, name: str
) -> Texts | None:
    """A column of text of a whole wave; None where the wave has none of that name.

    Raises `SurveyError` for files that are damaged, or that this user may not read.
    """
    number = wave.texts.get(name)
    if number is None:
        return None
    code, respondents = wave.wave.code, wave.wave.respondents
    lengths, utf8 = (
        _read(folder, manifest, form.format(wave=code, number=number), kind)
        for form, kind in ((layout.TEXT_LENGTHS, np.int32), (layout.TEXT_BYTES, np.uint8))
    )
    total = int(np.maximum(lengths, 0).sum(dtype=np.int64))
    if lengths.shape != (respondents,) or utf8.shape != (total,):
        raise DamagedSurveyError(
            f"{folder} is damaged: text {name!r} of wave {code} is not of {respondents:,} "
            "respondents. Import the survey again."
        )
    return Texts(lengths, utf8)


def _read(folder: Folder, manifest: layout.Manifest, name: str, kind: type[np.generic]) -> Any:
    path = folder / name
    try:
        held = path.read_bytes()
        if hashlib.sha256(held).hexdigest() != manifest.files[name].sha256:
            raise DamagedSurveyError(
                f"{path} is damaged: it differs from its checksum. Import the survey again."
            )
        with READS_HEADER:
            found = np.load(BytesIO(held), allow_pickle=False)
    except PermissionError:
        raise SurveyError(
            f"{path} cannot be read: open answers may be read only by the user who made the "
            "survey. Ask them for an import of your own, or for what you need of it."
        ) from None
    except (OSError, KeyError, *ODD_HEADER) as error:
        raise SurveyError(f"{path} is damaged ({error}). Import the survey again.") from None
    if found.dtype != kind:
        raise SurveyError(f"{path} is damaged (it is {found.dtype}). Import the survey again.")
    return found
