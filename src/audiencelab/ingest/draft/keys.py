"""The column that names respondents, by its name and its values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from audiencelab.ingest.codebook import Codebook, ColumnOf
from audiencelab.ingest.codebook_checks import suggestion
from audiencelab.ingest.keys import flaws
from audiencelab.ingest.meaning.guess import Guess, quoted
from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.ingest.readers import ReadColumns
from audiencelab.ingest.report import ImportReport
from audiencelab.ingest.waves import WaveRows, divide_into_waves
from audiencelab.survey.errors import SurveyError
from audiencelab.survey.keys import ROW
from audiencelab.wording import plural

_NAMES = (
    "respid", "respondentid", "respondent", "respnr", "respno", "respnum", "respondentno",
    "caseid", "caseno", "casenumber", "responseid", "recordid", "recordno", "uniqueid", "uuid",
    "guid", "interviewid", "interviewno", "intno", "questionnaireid", "participantid",
    "subjectid", "personid", "pid", "memberid", "panelistid", "panelid", "uid", "userid", "idno",
    "identifier", "serial", "serialno", "serialnumber", "seqn", "id", "case", "record", "key",
)  # fmt: skip
"""Names of columns that name respondents, the likeliest first, without signs and capitals."""

_LABEL = re.compile(
    r"\b(respondent|case|questionnaire|interview|record|unique)'?s? "
    r"(id|identif\w+|serial|no|nr|number)\b",
    re.I,
)


class FoundKey(NamedTuple):
    """The column of the key, None for rows of the file; and what is guessed."""

    column: ColumnOf | None
    guesses: list[Guess]


def find_key(
    codebook: Codebook,
    columns: Mapping[str, ColumnProfile],
    tables: Sequence[ReadColumns],
    given: str | None,
) -> FoundKey:
    """The key of the respondents of a drafted codebook.

    given: the column that was asked for, or "row" for rows of the file. Raises `SurveyError` for a
    column that is not there; that its values differ is checked by the import.
    """
    if given is not None:
        if given in columns:
            return FoundKey(ColumnOf(given), [])
        if given == ROW:
            return FoundKey(None, [])
        raise SurveyError(
            f"key={given!r} is not valid: there is no such column.{suggestion(given, columns)}"
        )
    if not (candidates := _candidates(codebook, columns)):
        return FoundKey(None, [])
    waves = divide_into_waves(replace(codebook, weight=None), tables, ImportReport())
    found = {name: _flaws(name, waves) for name in candidates}
    for name, (without, shared) in found.items():
        if not without and not shared:
            return FoundKey(ColumnOf(name), [])
    name = candidates[0]
    without, shared = found[name]
    respondents = sum(map(len, waves))
    # A number of a household or an interviewer is not meant to differ.
    if 2 * (without + shared) > respondents:
        return FoundKey(None, [])
    count = plural(shared or without, "respondent")
    what = "share one with another" if shared else "have none"
    said = (
        f"{name} is not the key: {count} of {respondents:,} {what}; keys are the rows of the file"
    )
    return FoundKey(None, [Guess("key", "key", said, f"al.open(…, key={quoted('COLUMN')})")])


def _candidates(codebook: Codebook, columns: Mapping[str, ColumnProfile]) -> list[str]:
    """The columns that are called so, the likeliest first; of a panel that of its persons."""
    names = {name: re.sub(r"[\W_]+", "", name).lower() for name in columns}
    found = [name for name in names if names[name] in _NAMES and columns[name].filled]
    found.sort(key=lambda name: _NAMES.index(names[name]))
    found += [name for name, each in columns.items() if _LABEL.search(each.variable.label)]
    person = codebook.design.person
    if person is not None and person in columns:
        found.insert(0, person)
    return list(dict.fromkeys(found))


def _flaws(column: str, waves: Sequence[WaveRows]) -> tuple[int, int]:
    each = [flaws(column, wave) for wave in waves]
    return sum(without for without, _ in each), sum(shared for _, shared in each)
