"""Find the rows of a frame that belong to the respondents of a survey, by their keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.codebook import Codebook, wave_values
from audiencelab.ingest.codebook_checks import suggestion
from audiencelab.ingest.meaning.guess import quoted
from audiencelab.ingest.readers.base import ReadColumns
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.keys import ROW, key_name, keys_of
from audiencelab.survey.reader import Survey
from audiencelab.wording import plural

_SHOWN = 10
"""Keys of a frame that an error lists."""

Rows = npt.NDArray[np.intp]


class SurveyKeys:
    """The keys of a survey's respondents, wave by wave.

    Raises `SurveyError` for a survey that has none.
    """

    def __init__(self, survey: Survey, codebook: Codebook) -> None:
        self._codebook = codebook
        self._waves = {wave.code: wave.name for wave in survey.waves}
        self.keys: dict[str, list[str | None]] = {}
        names: list[str] = []
        for code in self._waves:
            found = keys_of(survey, survey.wave(code))
            if found is None:
                raise SurveyError(
                    f"{survey.name} has no keys of its respondents"
                    f"{f' in wave {code}' if names else ''}: surveys that were made before 3.0, "
                    "not by an import, or copied without their folder of text have none. Import "
                    "its files again, al.open(files), and add the columns to that."
                )
            names.append(found.name)
            self.keys[code] = found.values.to_list()
        self.name = key_name(names)

    def rows(self, table: ReadColumns, key: str, wave: str | None) -> dict[str, Rows]:
        """By wave, the row of each respondent in a table, -1 for none: int[n].

        key, wave: columns of the table; without the latter, a row is of the wave that has its key,
        and of a panel, whose keys are its persons, of all waves that have it.

        Raises `SurveyError` with everything that is wrong with the keys.
        """
        self._check_name(key)
        given = _texts(table, key)
        problems = [*self._wave_problems(table, wave)]
        waves = None if wave is None else [self._code_of(each) for each in _texts(table, wave)]
        if empty := sum(each is None for each in given):
            problems.append(f"{plural(empty, 'row')} without a key: drop them, .dropna(subset=…)")
        pairs = [
            (None if waves is None else waves[row], each)
            for row, each in enumerate(given)
            if each is not None
        ]
        if twice := [each for each, count in Counter(pairs).items() if count > 1]:
            keys = _shown(each for _, each in twice)
            problems.append(f"{plural(len(twice), 'key')} in several rows: {keys}")
        place = {(None if waves is None else waves[r], k): r for r, k in enumerate(given) if k}
        found: dict[str, Rows] = {}
        for code, keys in self.keys.items():
            of_wave = None if waves is None else code
            rows = [place.get((of_wave, each), -1) if each else -1 for each in keys]
            found[code] = np.array(rows, np.intp)
        problems += self._unknown(key, pairs)
        problems += [] if waves is not None else self._ambiguous(found, given)
        if problems:
            raise SurveyError(
                f"key={key!r} does not give each row of the frame a respondent:\n  "
                + "\n  ".join(problems)
            )
        return found

    def _check_name(self, key: str) -> None:
        """Raise `SurveyError` for a column that is not called like the survey's key.

        Numbers of persons and rows of a file may be the same numbers, so that only the name tells
        what they are.
        """
        if key == self.name:
            return
        of_rows = self.name.startswith(ROW)
        own = "their row in the file, from 1" if of_rows else f"the column {self.name}"
        raise SurveyError(
            f"key={key!r} is not valid: the key of the survey's respondents is {own}. Open the "
            f"files with it, al.open(files, key={quoted(key)}), and add the columns to that; if "
            f"the frame's column holds {'such rows' if of_rows else f'values of {self.name}'}, "
            f"frame.rename(columns={{{quoted(key)}: {quoted(self.name)}}}) and "
            f"key={quoted(self.name)}."
        )

    def _code_of(self, value: str | None) -> str | None:
        """The code of a wave by its code, its name or its value in the files."""
        if value in self._waves:
            return value
        by_name = {name: code for code, name in self._waves.items()}
        for each in self._codebook.waves:
            by_name |= dict.fromkeys(wave_values(each), each.code)
        return by_name.get(value or "")

    def _wave_problems(self, table: ReadColumns, wave: str | None) -> Iterator[str]:
        if wave is None:
            return
        texts = dict.fromkeys(_texts(table, wave))
        if odd := [each for each in texts if self._code_of(each) is None]:
            shown = listed([repr(each or "") for each in odd], _SHOWN)
            yield f"waves that the survey does not have, {shown}: it has {listed([*self._waves])}"

    def _unknown(self, key: str, pairs: Sequence[tuple[str | None, str]]) -> Iterator[str]:
        """The keys that no respondent has."""
        every = {each for keys in self.keys.values() for each in keys}
        of_wave = {code: {*keys} for code, keys in self.keys.items()}
        odd = [key for wave, key in pairs if key not in of_wave.get(wave or "", every)]
        odd = [*dict.fromkeys(odd)]
        if not odd:
            return
        if padded := _padded(key, odd, every):
            yield f"{plural(len(odd), 'key')} of no respondent: {_shown(odd)}. {padded}"
            return
        if len(odd) == len({key for _, key in pairs}):
            yield f"no key is one of the survey's, {self.name}: {_shown(odd)}"
            return
        if self.name == ROW and odd == ["0"]:
            yield f'1 key of no respondent: 0. Rows count from 1: frame["{ROW}"] += 1'
            return
        known = f'client.respondents(weight=None)["{self.name}"]'
        of = "no respondent" if pairs[0][0] is None else "no respondent of their wave"
        yield (
            f"{plural(len(odd), 'key')} of {of}: {_shown(odd)}. Leave them out: "
            f'frame = frame[frame["{key}"].isin({known})]'
        )

    def _ambiguous(self, found: Mapping[str, Rows], given: Sequence[str | None]) -> Iterator[str]:
        """Keys that several waves have, which may be other persons."""
        if self._codebook.design.person == self.name:
            return
        count = np.zeros(len(given), np.intp)
        for rows in found.values():
            np.add.at(count, rows[rows >= 0], 1)
        if several := int(np.count_nonzero(count > 1)):
            yield (
                f"{plural(several, 'key')} in several waves: add a column wave to the frame, as "
                "client.respondents() has it; where one key is one person in all waves, open the "
                f'files with person="{self.name}"'
            )


def check_columns(header: Sequence[str], key: str, wave: str | None) -> None:
    """Raise `SurveyError` for columns of a frame that are not there."""
    for argument, name in (("key", key), ("wave", wave)):
        if name is not None and name not in header:
            raise SurveyError(
                f"{argument}={name!r} is not valid: the frame has no such column; it has "
                f"{listed([*header])}.{suggestion(name, header)}"
            )


def _texts(table: ReadColumns, column: str) -> list[str | None]:
    """The canonical values of a column: 1 for 1.0, and 001 as it is; None for an empty cell."""
    found = table.columns[column]
    known: npt.NDArray[Any] = np.array([*found.values, None], object)
    return known[found.codes].tolist()


def _shown(keys: Iterable[str]) -> str:
    known = [*dict.fromkeys(keys)]
    more = len(known) - _SHOWN
    return ", ".join(known[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _padded(key: str, odd: Sequence[str], known: Iterable[str | None]) -> str:
    """What to write where keys differ by zeros in front alone; "" where some differ otherwise."""
    every = {each for each in known if each}
    plain = {each.lstrip("0"): each for each in every}
    meant = [each for each in odd if each not in every and each.lstrip("0") in plain]
    # 1 and 001 may be two respondents.
    if 2 * len(meant) <= len(odd) or len(plain) < len(every):
        return ""
    widths = {len(each) for each in every}
    column = f"frame[{quoted(key)}]"
    if all(each == each.lstrip("0") for each in every):
        code = f'{column}.str.lstrip("0")'
    elif len(widths) == 1:
        # Of 1, 1.0 and "1".
        code = f'{column}.astype(str).str.removesuffix(".0").str.zfill({widths.pop()})'
    else:
        return ""
    return f"They differ by zeros in front, 001 is not 1: {column} = {code}"
