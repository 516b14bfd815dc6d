"""Keys of respondents: what names them in their file, by which columns find their way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from audiencelab.survey import layout
from audiencelab.survey.reader import Survey, WaveData
from audiencelab.survey.text_files import is_closed
from audiencelab.survey.texts import Texts

ROW = "row"
"""The name of keys that are the numbers of rows in a file, from 1."""

KEY = "key"
"""The name of keys that have another name in each wave."""

_DIGITS = 18
"""Of integers that int64 holds for sure."""


class WaveKeys(NamedTuple):
    """The keys of a wave, and what they are called."""

    name: str
    values: Texts


def keys_of(survey: Survey, wave: WaveData) -> WaveKeys | None:
    """The keys of a wave's respondents, in their order.

    None for a survey that was made before there were any or not by an import, for a copy without
    its columns of text, and where another user may not read these. Raises `SurveyError` for files
    that are damaged.
    """
    names = [each.name for each in survey.texts if each.is_key and each.name in wave.text_names]
    if not names or is_closed(survey.folder, f"{layout.TEXT}/"):
        return None
    found = wave.text(names[0])
    return None if found is None else WaveKeys(names[0], found)


def key_name(names: Sequence[str]) -> str:
    """The name of the keys of several waves."""
    return names[0] if len({*names}) == 1 else KEY


def as_column(keys: Sequence[str | None]) -> npt.NDArray[Any]:
    """Keys as a column of a frame: int64 where all are integers, else objects; None for none."""
    if all(each is not None and _is_integer(each) for each in keys):
        return np.array([int(each or 0) for each in keys], np.int64)
    column = np.empty(len(keys), object)
    column[:] = keys
    return column


def _is_integer(text: str) -> bool:
    """Whether a text is an integer as Python writes it: 1, and not 01."""
    digits = text.removeprefix("-")
    plain = digits.isascii() and digits.isdecimal() and len(digits) <= _DIGITS
    return plain and (digits == "0" if digits[0] == "0" else True) and text != "-0"
