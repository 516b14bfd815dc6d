"""Who was asked each item of a question: how a survey stores it, and how it is read.

`record.json` names the row of `asked/<wave>.npy` of each item whose respondents are not those who
were asked its question, and what each wave did not offer. Most surveys need neither.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import msgspec
import numpy as np

from audiencelab.survey import layout
from audiencelab.survey.answers import WORD, Bits, Flags, QuestionBits, pack, unpack, words_for
from audiencelab.survey.array_files import ArrayFiles, RowsFile
from audiencelab.survey.catalogue import SurveyCatalogue
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.record import SurveyRecord
from audiencelab.survey.remote import Folder


class Rows(Protocol):
    """An array that is read by rows."""

    shape: tuple[int, ...]

    def __getitem__(self, rows: slice, /) -> Any:
        """The rows, as an array of two dimensions."""
        ...


class AskedItems:
    """Who was asked the items of one wave's questions.

    rows: those of the wave's file, uint64[rows, words]; None if it has none.
    """

    def __init__(self, record: SurveyRecord, wave: str, rows: Rows | None) -> None:
        self.rows = rows
        self._items = record.asked.get(wave, {})
        self._not_offered = record.not_offered.get(wave, {})

    def not_offered(self, question: str) -> tuple[str, ...]:
        """The answers or items of a question (full code) that the wave did not offer."""
        return self._not_offered.get(question, ())

    def of(self, question: str) -> Mapping[str, Bits]:
        """Who was asked an item, by its code, where that is not who was asked the question."""
        items = self._items.get(question)
        if not items or self.rows is None:
            return {}
        return {item: self.rows[row : row + 1][0] for item, row in items.items()}

    def blocks(self, question: str) -> Iterator[tuple[int, int]]:
        """The rows of a question's items, first and last (exclusive) of each."""
        return ((row, row + 1) for row in self._items.get(question, {}).values())

    def of_some(self, kept: Flags) -> AskedItems:
        """The same of some respondents, bool[n]."""
        found = AskedItems(SurveyRecord(), "", self.rows and SomeBits(self.rows, kept))
        found._items, found._not_offered = self._items, self._not_offered
        return found


class SomeBits:
    """Rows of bits of some respondents (kept: bool[n]), made from all when they are read."""

    def __init__(self, bits: Rows, kept: Flags) -> None:
        self._bits = bits
        self._kept = kept
        self.shape: tuple[int, ...] = (bits.shape[0], words_for(int(np.count_nonzero(kept))))

    def __getitem__(self, rows: slice) -> Bits:
        return pack(unpack(self._bits[rows], len(self._kept))[:, self._kept])


def checked_record(
    path: Folder, record: SurveyRecord, manifest: layout.Manifest, catalogue: SurveyCatalogue
) -> SurveyRecord:
    """The record in a file, if its waves, questions, items and rows are those of the survey.

    Raises `SurveyError` that names what is not there.
    """
    if fault := next(_record_faults(record, manifest, catalogue), ""):
        raise SurveyError(f"{path} is damaged: {fault}. Import the survey again.")
    return record


def _record_faults(
    record: SurveyRecord, manifest: layout.Manifest, catalogue: SurveyCatalogue
) -> Iterator[str]:
    files = {
        stored.wave.code: manifest.files.get(layout.ASKED.format(wave=stored.wave.code))
        for stored in manifest.waves
    }
    named = [*record.not_offered.items(), *record.asked.items()]
    for wave, questions in named:
        if wave not in files:
            yield f"there is no wave {wave!r}"
        for question, items in questions.items():
            yield from _unknown_items(catalogue, wave, question, items)
    for wave, questions in record.asked.items():
        file = files[wave]
        count = 0 if file is None else len(file.crc32)
        rows = {(q, item): row for q, items in questions.items() for item, row in items.items()}
        for (question, item), row in rows.items():
            # A negative row would count from the end: the respondents of another item.
            if not 0 <= row < count:
                name = layout.ASKED.format(wave=wave)
                yield f"{question}, {item}: there is no row {row} among the {count:,} of {name}"
        # A row of two items, or of none, would show that record and file belong to different
        # surveys.
        if len({*rows.values()}) < len(rows) or len(rows) < count:
            yield f"wave {wave}: each row of {layout.ASKED.format(wave=wave)} is of one item"


def _unknown_items(
    catalogue: SurveyCatalogue, wave: str, question: str, items: Iterable[str]
) -> Iterator[str]:
    try:
        known = catalogue.question(question).datapoint_positions
    except KeyError:
        yield f"wave {wave}: there is no question {question!r}"
        return
    if unknown := [item for item in items if item not in known]:
        yield f"wave {wave}: {question} has no answer or item {listed(unknown)}"


class AskedWriter:
    """Writes who was asked each item, wave by wave, and the record of it.

    given: a record whose defaults of queries the survey has.
    """

    def __init__(self, given: SurveyRecord, files: ArrayFiles) -> None:
        self._given = given
        self._files = files
        self._routed = dict[str, None]()
        self._not_offered = dict[str, dict[str, tuple[str, ...]]]()
        self._asked = dict[str, dict[str, dict[str, int]]]()

    @contextmanager
    def wave(self, code: str, respondents: int) -> Generator[AskedInWave]:
        """Takes the questions of a wave, one after the other."""
        name = layout.ASKED.format(wave=code)
        with self._files.rows(name, WORD.str, words_for(respondents)) as rows:
            found = AskedInWave(respondents, rows)
            yield found
        self._routed |= found.routed
        if found.not_offered:
            self._not_offered[code] = found.not_offered
        if found.asked:
            self._asked[code] = found.asked

    @property
    def record(self) -> SurveyRecord | None:
        """The record of all waves; None where it says nothing but the defaults."""
        record = msgspec.structs.replace(
            self._given,
            routed=tuple(self._routed),
            not_offered=self._not_offered,
            asked=self._asked,
        )
        return None if record == SurveyRecord(routed=()) else record


class AskedInWave:
    """What is known of a wave. asked: by full code and item, the row that was written."""

    def __init__(self, respondents: int, rows: RowsFile) -> None:
        self.routed = dict[str, None]()
        self.not_offered = dict[str, tuple[str, ...]]()
        self.asked = dict[str, dict[str, int]]()
        self._respondents = respondents
        self._rows = rows

    def add(self, found: QuestionBits) -> None:
        """Write who was asked the items of a question."""
        code = found.question.canonical
        if int(np.bitwise_count(found.asked).sum()) < self._respondents:
            self.routed[code] = None
        if found.not_offered:
            self.not_offered[code] = tuple(found.not_offered)
        for item, bits in found.items.items():
            # Its bits are all 0, as the record of what was not offered already has it.
            if item in found.not_offered and found.question.kind != "single":
                continue
            # Most items have the respondents of their question, and take no row.
            if not np.array_equal(bits, found.asked):
                self.asked.setdefault(code, {})[item] = self._rows.count
                self._rows.append(bits)
