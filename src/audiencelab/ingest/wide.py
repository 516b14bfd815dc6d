"""Wide panels: files with a row for each person, and a column for each question and wave."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.codebook import natural
from audiencelab.ingest.columns import Column, Piece, Progress, ResponseSet
from audiencelab.ingest.readers.base import ReadColumns, SurveyFile, read_columns
from audiencelab.survey.errors import SurveyError, listed

_WAVE = r"(?P<wave>\d+|[a-z])"
_NAME = r"(?P<name>.+)"


def split_waves(file: SurveyFile, pattern: str) -> list[SurveyFile]:
    """A source for each wave of a wide file, with columns "person" and "wave" after the others.

    A person is a row of the file.

    pattern: how the names of a wave's columns end or begin, with * for the wave, which is a number
    or a letter: "_w*", "w*_".

    Raises `SurveyError` if the columns are not those of two waves, or two of them would have one
    name.
    """
    form, waves = _waves(file.header, pattern)
    if len(waves) < 2:
        raise SurveyError(
            f"{file.name}: wave={pattern!r} is not valid: no columns of two waves are named like "
            f"this. The columns are {listed(file.header)}."
        )
    own = {column for columns in waves.values() for column in columns.values()}
    shared = {name: name for name in file.header if name not in own}
    for columns in waves.values():
        if both := shared.keys() & columns.keys():
            name = min(both)
            raise SurveyError(
                f"{file.name}: wave={pattern!r} is not valid: {columns[name]} becomes {name}, and "
                "there is another column of that name. Rename one of them."
            )
    taken = {*file.header, *(name for columns in waves.values() for name in columns)}
    whole, name = _Whole(file, [*own, *shared], _free("person", taken)), _free("wave", taken)
    return [
        WaveOfFile(whole, {**shared, **waves[wave]}, {*waves[wave].values()}, form, {name: wave})
        for wave in sorted(waves, key=natural)
    ]


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _waves(
    header: Sequence[str], pattern: str
) -> tuple[re.Pattern[str], dict[str, dict[str, str]]]:
    """The form of the columns' names, and the columns of each wave by their names in it.

    A pattern such as "w*" may be an end or a beginning: the one that most columns have.
    """
    before, _, after = map(re.escape, pattern.partition("*"))
    forms = (f"{_NAME}{before}{_WAVE}{after}", f"{before}{_WAVE}{after}{_NAME}")
    ending, beginning = (re.compile(form, re.IGNORECASE) for form in forms)
    form = max(ending, beginning, key=lambda form: sum(map(bool, map(form.fullmatch, header))))
    waves: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for column in header:
        if found := form.fullmatch(column):
            other = waves[found["wave"].lower()].setdefault(found["name"], column)
            if other != column:
                raise SurveyError(
                    f"wave={pattern!r} is not valid: {other} and {column} would be one column of "
                    "one wave. Rename one of them."
                )
    return form, waves


class _Whole:
    """A wide file, read once for all of its waves. person: the column of its rows' numbers."""

    def __init__(self, file: SurveyFile, columns: Sequence[str], person: str) -> None:
        self.file = file
        self.person = person
        self._columns = columns

    @cached_property
    def table(self) -> ReadColumns:
        return read_columns(self.file, self._columns)


class WaveOfFile(SurveyFile):
    """The columns of one wave and those of all waves; people with no value in the former are out.

    columns: columns of the file, by the name that they have here. own: those of this wave alone.
    form: of their names. wave: the name of the column that has the wave, and its value.
    """

    def __init__(
        self,
        whole: _Whole,
        columns: Mapping[str, str],
        own: set[str],
        form: re.Pattern[str],
        wave: Mapping[str, str],
    ) -> None:
        file = whole.file
        super().__init__(file.path)
        self._whole, self._columns, self._own = whole, columns, own
        suffix = f", wave {next(iter(wave.values()))}"
        self.name, self.origin = file.name + suffix, file.origin + suffix
        # The wave is a constant of the source, as columns in the names of folders are.
        self.partitions = wave
        self.person = whole.person
        self.header = (*columns, self.person, *wave)
        here = {there: name for name, there in columns.items()}
        self.variables = {
            here[name]: variable for name, variable in file.variables.items() if name in here
        }
        self.sets = tuple(
            _set_of_wave(each, here, form) for each in file.sets if _is_in(each, here)
        )
        self.title, self.heading, self.notes = file.title, file.heading, file.notes
        self.study = file.study
        self.declared_weight = here.get(file.declared_weight, "")

    @property
    def octets(self) -> int:
        return self._whole.file.octets

    def checksum(self) -> str:
        return self._whole.file.checksum()

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        self.rows = len(self._rows)
        for name in columns:
            if name == self.person:
                numbers = np.arange(self.rows, dtype=np.int32)
                # Rows of another file are other persons.
                file = self.checksum()
                yield Piece(name, numbers, [f"{file}:{row}" for row in self._rows + 1])
                continue
            column = self._whole.table.columns[self._columns[name]]
            yield Piece(name, column.codes[self._rows], column.values)

    @cached_property
    def _rows(self) -> npt.NDArray[np.intp]:
        """The rows of people with a value in any column of the wave."""
        columns = self._whole.table.columns
        # A person without any value in a wave did not take part in it.
        return np.flatnonzero(np.logical_or.reduce([_has_value(columns[n]) for n in self._own]))


def _has_value(column: Column) -> npt.NDArray[np.bool_]:
    """Whether each row has a value that the file does not declare missing."""
    is_value = [value not in column.missing for value in column.values]
    # One more entry at the end: an empty cell has the code -1.
    return np.array([*is_value, False])[column.codes]


def _is_in(each: ResponseSet, columns: Mapping[str, str]) -> bool:
    return all(column in columns for column in each.columns)


def _set_of_wave(
    each: ResponseSet, columns: Mapping[str, str], form: re.Pattern[str]
) -> ResponseSet:
    """A multiple-response set under the names of the wave."""
    named = form.fullmatch(each.name)
    return replace(
        each,
        name=named["name"] if named else each.name,
        columns=tuple(columns[column] for column in each.columns),
    )
