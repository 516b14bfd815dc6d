"""The keys of an import's respondents: a column that names them, else the rows of their file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.codebook import Codebook
from audiencelab.ingest.columns import MISSING
from audiencelab.ingest.readers.base import ReadColumns
from audiencelab.ingest.waves import WaveRows
from audiencelab.survey.errors import SurveyError
from audiencelab.survey.keys import ROW
from audiencelab.survey.texts import StoredText, Texts
from audiencelab.wording import plural


class ImportedKeys:
    """The keys of all waves, each different in its wave.

    A wave whose files lack the column of the codebook has the rows of its files. These are counted
    from 1 in each file, and on from file to file where several make one wave.

    notes: of such waves, for the report.

    Raises `SurveyError` for a column in which respondents of a wave share a value or have none.
    """

    def __init__(
        self, codebook: Codebook, tables: Sequence[ReadColumns], waves: Sequence[WaveRows]
    ) -> None:
        self._column = None if codebook.key is None else codebook.key.column
        is_taken = any(ROW in table.source.header for table in tables)
        self._rows = f"{ROW} of the file" if is_taken else ROW
        counted_on = any(len(wave.segments) > 1 for wave in waves)
        before = np.cumsum([0, *(table.rows for table in tables)]) if counted_on else None
        self._before = {
            id(table): 0 if before is None else int(before[place])
            for place, table in enumerate(tables)
        }
        self.notes: list[str] = []
        for wave in waves if self._column is not None else ():
            if self._has_column(wave):
                _check(self._column or "", wave)
            else:
                self.notes.append(
                    f"the file of wave {wave.wave.code} has no column {self._column}: the keys of "
                    "its respondents are its rows"
                )

    @property
    def described(self) -> Iterator[StoredText]:
        """What a survey keeps of them."""
        if self._column is not None:
            yield StoredText(self._column, is_key=True)
        yield StoredText(self._rows, is_key=True)

    def of(self, wave: WaveRows, order: npt.NDArray[Any]) -> dict[str, Texts]:
        """The keys of a wave's respondents by their name, in an order."""
        if self._column is not None and self._has_column(wave):
            values = wave.values_of(self._column)
            return {self._column: Texts.of(values[order].tolist())}
        rows = [each.rows + 1 + self._before[id(each.table)] for each in wave.segments]
        return {self._rows: Texts.of(map(str, np.concatenate(rows)[order].tolist()))}

    def _has_column(self, wave: WaveRows) -> bool:
        return any(self._column in each.table.columns for each in wave.segments)


def flaws(column: str, wave: WaveRows) -> tuple[int, int]:
    """How many respondents of a wave have no value in a column, and share theirs with another."""
    tables = {id(each.table): each.table for each in wave.segments}
    if len(tables) == 1 and column in (table := wave.segments[0].table).columns:
        rows = np.concatenate([each.rows for each in wave.segments])
        # Codes of one file: no text is made of a million keys.
        found: npt.NDArray[Any] = table.columns[column].codes[rows]
        given = found[found != MISSING]
        return len(found) - len(given), len(given) - len(np.unique(given))
    values = wave.values_of(column).tolist()
    texts = [each for each in values if each is not None]
    return len(values) - len(texts), len(texts) - len({*texts})


def _check(column: str, wave: WaveRows) -> None:
    """Raise `SurveyError` unless a column names each respondent of a wave."""
    without, shared = flaws(column, wave)
    count, problem = (without, "have no value in it") if without else (shared, "share one")
    if count:
        raise SurveyError(
            f"key={column!r} is not valid: {plural(count, 'respondent')} of wave "
            f"{wave.wave.code} {problem}. Name a column that is different for each, or "
            'key="row" for the rows of the file.'
        )
