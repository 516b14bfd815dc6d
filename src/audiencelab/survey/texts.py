"""Columns of text: what respondents wrote, and keys that name them; kept apart from all answers.

They are in a folder of their own, which only the user who made the survey may read, and outside of
the survey's seal: no table rests on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from audiencelab.survey.errors import SurveyError
from audiencelab.wording import plural

_MOST_BYTES = 2**31 - 1
"""A length is an int32."""


class StoredText(msgspec.Struct, frozen=True, omit_defaults=True):
    """A column of text of a survey.

    label: its wording. question: the full code of the question that it belongs to, as "other:
    which?" does. is_key: whether it names respondents, and is not an open answer.
    """

    name: str
    label: str = ""
    question: str = ""
    is_key: bool = False


class Texts:
    """A column of text of one wave, in the order of its respondents; never changed.

    lengths: int32[n], the bytes of each text; 0 for an empty one, -1 where there is none.
    utf8: uint8[sum of the lengths], all texts in UTF-8, one after the other.

    >>> texts = Texts.of(["Tea", None, ""])
    >>> texts.to_list(), texts
    (['Tea', None, ''], <Texts: 3 respondents, 2 texts>)
    """

    def __init__(self, lengths: npt.NDArray[np.int32], utf8: npt.NDArray[np.uint8]) -> None:
        self.lengths = lengths
        self.utf8 = utf8

    @classmethod
    def of(cls, values: Iterable[str | None]) -> Texts:
        """The texts of respondents, None for those who have none.

        Half a surrogate pair, which UTF-8 cannot write, becomes a question mark.
        """
        pieces = [None if each is None else each.encode("utf-8", "replace") for each in values]
        return cls._of(pieces)

    @classmethod
    def _of(cls, pieces: list[bytes | None]) -> Texts:
        lengths = [-1 if each is None else len(each) for each in pieces]
        if max(lengths, default=0) > _MOST_BYTES:
            raise SurveyError("A text is not valid: it is longer than 2 GiB. Shorten it.")
        utf8 = b"".join(each for each in pieces if each)
        return cls(np.array(lengths, np.int32), np.frombuffer(utf8, np.uint8))

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Who has no text, bool[n]."""
        return self.lengths < 0

    def ordered(self, rows: npt.NDArray[Any]) -> Texts:
        """Those of some respondents: their positions, or bool[n]."""
        found = np.empty(len(self), object)
        found[:] = self._pieces()
        return self._of(found[rows].tolist())

    def to_list(self) -> list[str | None]:
        """The text of each respondent; None for those who have none."""
        return [None if each is None else each.decode() for each in self._pieces()]

    def _pieces(self) -> list[bytes | None]:
        utf8 = self.utf8.tobytes()
        ends = np.cumsum(np.maximum(self.lengths, 0), dtype=np.int64).tolist()
        lengths = self.lengths.tolist()
        return [
            None if length < 0 else utf8[end - length : end]
            for end, length in zip(ends, lengths, strict=True)
        ]

    def __repr__(self) -> str:
        texts = plural(int(np.count_nonzero(self.lengths >= 0)), "text")
        return f"<Texts: {plural(len(self), 'respondent')}, {texts}>"
