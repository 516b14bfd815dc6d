"""The data of one wave: weights, answers, numbers, design; each checked when it is first read."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from audiencelab.survey import layout
from audiencelab.survey.answers import (
    Design,
    QuestionBits,
    Raking,
    Replicates,
    words_for,
)
from audiencelab.survey.asked import AskedItems, Rows, SomeBits
from audiencelab.survey.blocks import PIECE, CheckedArray, RowBlock, RowBlocks, by_row
from audiencelab.survey.catalogue import SurveyCatalogue
from audiencelab.survey.errors import SurveyError
from audiencelab.survey.record import SurveyRecord
from audiencelab.survey.remote import ODD_HEADER, READS_HEADER, Folder, RemoteArray
from audiencelab.survey.texts import Texts
from audiencelab.survey.weights import Weights, sum_of_squares


class WaveData:
    """The respondents of one wave: their weights and all their answers.

    respondents: n. words: 64-bit words in a row of bits, ceil(n / 64).
    weights: `float64[n]`, multiples of 2^-weight_bits. Respondents are sorted by location.
    design: their strata and clusters, where they are known.
    other_weights: by name, `float64[n]`, NaN for respondents who have none.
    other_rakings: by name, the margins that other weights were raked to.
    numeric: full codes of the questions whose answers are kept as numbers too.
    text_names: its columns of text.

    It may be a part of the wave (`Survey.part`), and then describes those respondents only.
    """

    def __init__(
        self,
        stored: layout.StoredWave,
        respondents: int,
        catalogue: SurveyCatalogue,
        weights: Callable[[], Weights],
        bits: Rows,
        design: Callable[[], Design],
        numbers: Rows | None = None,
        others: Callable[[], dict[str, Weights]] = dict,
        rakings: Callable[[], dict[str, Raking]] = dict,
        *,
        asked: AskedItems,
        text: Callable[[str], Texts | None] = lambda name: None,
    ) -> None:
        self.wave = stored.wave
        self.code = stored.wave.code
        self.respondents = respondents
        self.words = words_for(respondents)
        self._weights = weights
        self._design = design
        whole = respondents == stored.wave.respondents
        # The stored sum is of the whole wave, and says nothing of a part.
        self._squared_weights = stored.squared_weights if whole else None
        self._bits = bits
        self._numbers = numbers
        self._others = others
        self._rakings = rakings
        self._asked = asked
        self._text = text
        self.text_names = tuple(stored.texts)
        self.numeric = stored.numbers
        self._catalogue = catalogue
        self._rows = stored.questions
        self._questions: dict[str, QuestionBits] = {}

    @cached_property
    def weights(self) -> Weights:
        return self._weights()

    @cached_property
    def design(self) -> Design:
        return self._design()

    def question(self, code: str) -> QuestionBits | None:
        """The answers to a question (by code, with or without namespace).

        None if this wave did not ask it, or if there is no such question.
        """
        found = self._questions.get(code)
        if found is None and (rows := self._rows_of(self._catalogue.canonical(code))) is not None:
            question = self._catalogue.question(code)
            items = self._asked.of(question.canonical)
            gone = self._asked.not_offered(question.canonical)
            made = QuestionBits(question, self._bits[slice(*rows)], items, gone)
            # Fetched rows are kept by the array that fetched them, which can also drop them.
            fetched = isinstance(self._bits, RemoteArray)
            found = made if fetched else self._questions.setdefault(code, made)
        return found

    def numbers(self, code: str) -> npt.NDArray[np.float64] | None:
        """The numbers that respondents answered, `float64[n]`; NaN for none.

        None where the question has no numbers in this wave.
        """
        row = self.numeric.get(self._catalogue.canonical(code))
        if row is None or self._numbers is None:
            return None
        return self._numbers[row : row + 1][0]

    def text(self, name: str) -> Texts | None:
        """A column of text, read now and not kept; None where this wave has none of that name.

        Raises `SurveyError` for files that are damaged, or that this user may not read.
        """
        return self._text(name)

    def fetch(self, questions: Iterable[str]) -> None:
        """Fetch the answers to several questions at once, if the survey is elsewhere."""
        codes = [self._catalogue.canonical(code) for code in questions]
        if isinstance(self._bits, RemoteArray):
            blocks = [self._rows_of(code) for code in codes]
            self._bits.gather([block for block in blocks if block is not None])
        if isinstance(self._asked.rows, RemoteArray):
            self._asked.rows.gather([block for code in codes for block in self._asked.blocks(code)])

    def _rows_of(self, canonical: str) -> tuple[int, int] | None:
        """The rows of a question; None if this wave did not ask it."""
        first = self._rows.get(canonical)
        if first is None:
            return None
        return first, first + 1 + self._catalogue.question(canonical).rows

    @property
    def fetched_bytes(self) -> int:
        """The memory of answers that were fetched from elsewhere; 0 for mapped ones."""
        arrays = (self._bits, self._asked.rows)
        return sum(each.nbytes for each in arrays if isinstance(each, RemoteArray))

    def release(self) -> None:
        """Give back the memory of mapped files; they are read again when needed.

        The system would do so too, but only when memory is short, and limits on this process
        count it until then.
        """
        rows = (self._bits, self._asked.rows)
        mapped = [each.array for each in rows if isinstance(each, CheckedArray)]
        for array in (*mapped, self.__dict__.get("weights")):
            owner: object = array
            # A slice is a view of a view; the mapped file is at the end of the chain.
            while isinstance(owner, np.ndarray):
                owner = owner.base
            # Not every system supports this.
            if isinstance(owner, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
                owner.madvise(mmap.MADV_DONTNEED)

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and words of the file of bits."""
        return self._bits.shape

    @property
    def size(self) -> float:
        """The weighted size of the wave: the sum of its weights."""
        return float(self.weights.sum())

    @cached_property
    def other_weights(self) -> dict[str, Weights]:
        return self._others()

    @cached_property
    def other_rakings(self) -> dict[str, Raking]:
        return self._rakings()

    def reweighted(
        self, stored: layout.StoredWave, weights: Weights, raking: Raking | None = None
    ) -> WaveData:
        """The respondents who have one of these weights, `float64[n]`, NaN for none.

        stored: the record of the wave that they make. raking: what the weights were raked to.
        """
        kept, bits, numbers, asked = ~np.isnan(weights), self._bits, self._numbers, self._asked
        # Where all respondents have the weight, nothing is cut, and the rows stay mapped.
        rows = None if kept.all() else np.flatnonzero(kept)
        if rows is not None:
            # Rows of bits are cut when they are read, since most questions never are.
            weights, bits, asked = weights[rows], SomeBits(bits, kept), asked.of_some(kept)
            numbers = None if numbers is None else _SomeNumbers(numbers, rows)

        def design() -> Design:
            # Replicate weights and margins of the survey are those of the usual weight.
            found = replace(self.design, replicates=None, raking=raking)
            return found if rows is None else found.ordered(rows)

        def text(name: str) -> Texts | None:
            found = self.text(name)
            return found if found is None or rows is None else found.ordered(rows)

        respondents = len(weights)
        return WaveData(
            stored,
            respondents,
            self._catalogue,
            lambda: weights,
            bits,
            design,
            numbers,
            asked=asked,
            text=text,
        )

    @cached_property
    def in_common(self) -> npt.NDArray[np.int64] | None:
        """What may be in several waves, persons or clusters that recur: each once, ascending.

        None for neither.
        """
        known = self.design.in_common
        return None if known is None else np.unique(np.asarray(known, np.int64))

    @cached_property
    def squared_weights(self) -> float:
        """Σw², for variances and effective bases; rounded once, and not on the weights' grid."""
        known = self._squared_weights
        return sum_of_squares(self.weights) if known is None else known


class _SomeNumbers:
    """Rows of numbers of some respondents (chosen: their positions)."""

    def __init__(self, numbers: Rows, chosen: npt.NDArray[np.intp]) -> None:
        self._numbers = numbers
        self._chosen = chosen
        self.shape: tuple[int, ...] = (numbers.shape[0], len(chosen))

    def __getitem__(self, rows: slice) -> npt.NDArray[np.float64]:
        found: npt.NDArray[np.float64] = self._numbers[rows]
        return found[:, self._chosen]


class WaveFiles:
    """The files of a wave, cut to some of its 64-bit words (`stop` exclusive).

    text: reads a column of text of the whole wave.

    Files on this machine are mapped at once, and read and checked when they are used.
    """

    def __init__(
        self,
        folder: Folder,
        manifest: layout.Manifest,
        stored: layout.StoredWave,
        start: int,
        stop: int,
        text: Callable[[str], Texts | None],
    ) -> None:
        self._text = text
        self._folder = folder
        self._manifest = manifest
        self._stored = stored
        self._start, self._stop = start, stop

    def data(self, catalogue: SurveyCatalogue, record: SurveyRecord) -> WaveData:
        """What they contain."""
        stored = self._stored
        code, everyone = stored.wave.code, stored.wave.respondents

        def bits() -> list[RowBlock]:
            return [
                RowBlock(row, 1 + catalogue.question(q).rows, f"the answers to {q} in wave {code}")
                for q, row in by_row(stored.questions)
            ]

        def numbers() -> list[RowBlock]:
            rows = by_row(stored.numbers)
            return [RowBlock(row, 1, f"the numbers of {q} in wave {code}") for q, row in rows]

        items = {
            row: RowBlock(row, 1, f"the respondents who were asked {item} of {q} in wave {code}")
            for q, each in record.asked.get(code, {}).items()
            for item, row in each.items()
        }

        def rows() -> list[RowBlock]:
            return [items[row] for row in sorted(items)]

        asked = self._array(layout.ASKED, rows, unit=1) if items else None
        first = 64 * self._start
        # The last word may be filled in part.
        respondents = min(64 * self._stop, everyone) - first

        def text(name: str) -> Texts | None:
            found = self._text(name)
            if found is None or respondents == everyone:
                return found
            return found.ordered(np.arange(first, first + respondents))

        return WaveData(
            stored,
            respondents,
            catalogue,
            self._vector(layout.WEIGHTS),
            self._array(layout.BITS, bits, unit=1),
            self._design(),
            self._array(layout.NUMBERS, numbers) if stored.numbers else None,
            self._of_others(self._other_weight),
            self._of_others(self._other_raking),
            asked=AskedItems(record, code, asked),
            text=text,
        )

    def _array(
        self, name: str, blocks: Callable[[], list[RowBlock]] | None = None, unit: int = 64
    ) -> CheckedArray | RemoteArray:
        """The rows of an array.

        blocks: None for a single one. unit: how many columns a word has.
        """
        path = name.format(wave=self._stored.wave.code)
        file, words = self._folder / path, words_for(self._stored.wave.respondents)
        # The last part takes all that the files contain, so that a check sees excess data.
        stop = None if self._stop >= words else unit * self._stop
        if isinstance(file, Path):
            mapped = map_array(file)
            found = CheckedArray(mapped.reshape(-1, mapped.shape[-1])[:, unit * self._start : stop])
        else:
            found = RemoteArray(file, unit * self._start, stop)
        if checksums := self._manifest.files[path].crc32:
            known = blocks or (lambda: [RowBlock(0, found.shape[0], "its values")])
            cut = (unit * self._start, stop, PIECE * unit // 64)
            found.check = RowBlocks(file, known, checksums, *cut).check
        return found

    def _vector(self, name: str) -> Callable[[], Any]:
        """Gives an array of one dimension, checked; what is elsewhere is fetched at once."""
        table = self._table(name)
        return lambda: table()[0]

    def _table(self, name: str) -> Callable[[], Any]:
        rows = self._array(name)
        if isinstance(rows, RemoteArray):
            # At once: the file may be replaced later, and a mapped file cannot change like that.
            fetched = rows[:]
            return lambda: fetched
        return lambda: rows[:]

    def _if_there(self, name: str, read: Callable[[str], Callable[[], Any]]) -> Callable[[], Any]:
        there = name.format(wave=self._stored.wave.code) in self._manifest.files
        return read(name) if there else lambda: None

    def _design(self) -> Callable[[], Design]:
        """Gives the design of the sample, as far as it is known."""
        wave, replication = self._stored.wave.code, self._stored.replication
        strata, clusters, persons = (
            self._if_there(layout.DESIGN.format(wave=wave, column=each), self._vector)
            for each in ("strata", "clusters", "persons")
        )
        fpc = self._if_there(layout.FPC, self._vector)
        replicates = self._table(layout.REPLICATES) if replication else None
        raked_from = self._if_there(layout.RAKED_FROM, self._vector)
        raked = self._if_there(layout.RAKED, self._table)

        def design() -> Design:
            before = raked_from()
            return Design(
                strata(),
                clusters(),
                fpc(),
                replicates
                and replication
                and Replicates(replicates(), np.array(replication.scales), replication.method),
                None if before is None else Raking(before, raked()),
                persons(),
                self._stored.clusters_recur,
            )

        return design

    def _other_weight(self, number: int) -> Callable[[], Any]:
        file = layout.OTHER_WEIGHTS.replace("{number}", str(number))
        return self._if_there(file, self._vector)

    def _other_raking(self, number: int) -> Callable[[], Any]:
        files = layout.OTHER_RAKED_FROM, layout.OTHER_RAKED
        named = [each.replace("{number}", str(number)) for each in files]
        before, categories = (
            self._if_there(file, read)
            for file, read in zip(named, (self._vector, self._table), strict=True)
        )
        return lambda: None if (from_ := before()) is None else Raking(from_, categories())

    def _of_others(self, opened: Callable[[int], Callable[[], Any]]) -> Callable[[], Any]:
        """Reads what some of the other weights have, by their names; opened: that of a number."""
        names = [each.name for each in self._manifest.other_weights]

        def open_all() -> dict[str, Callable[[], Any]]:
            return {name: opened(number) for number, name in enumerate(names, start=1)}

        # Mapping costs nothing and pins this version; fetching waits until a weight is chosen.
        mapped = open_all() if isinstance(self._folder, Path) else None

        def read() -> dict[str, Any]:
            found = {name: each() for name, each in (mapped or open_all()).items()}
            return {name: each for name, each in found.items() if each is not None}

        return read


def map_array(path: Path) -> Any:
    """The array of a file, mapped and read-only, as a plain ndarray (memmaps slice slowly)."""
    try:
        with READS_HEADER:
            return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except (OSError, *ODD_HEADER) as error:
        raise SurveyError(f"{path} is damaged ({error}). Import the survey again.") from None
