"""The column that names respondents, by its name and its values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from audiencelab.ingest.codebook import Codebook, ColumnOf
from audiencelab.ingest.codebook_checks import suggestion
from audiencelab.ingest.draft.roles import is_identification
from audiencelab.ingest.keys import flaws
from audiencelab.ingest.meaning.guess import Guess, quoted
from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.ingest.readers import ReadColumns
from audiencelab.ingest.report import ImportReport
from audiencelab.ingest.waves import WaveRows, divide_into_waves
from audiencelab.survey.errors import SurveyError, listed
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


_OF_PANDAS = re.compile(r"(unnamed.*|index|level_0|row|rownum)", re.I)
"""Names of columns that a program adds, which number the rows of a frame."""


def with_key(
    codebook: Codebook,
    columns: Mapping[str, ColumnProfile],
    tables: Sequence[ReadColumns],
    given: str | None,
    left_out: Mapping[str, str],
) -> tuple[Codebook, list[Guess]]:
    """A drafted codebook with the key of respondents, none for rows; and what is guessed of it.

    given: the column that was asked for, or "row" for rows of the file. left_out: the columns that
    make no question, with the reasons: each identification may be the key. Raises `SurveyError` for
    a column that is not there; that its values differ is checked by the import.
    """
    if given is not None:
        if given in columns:
            return replace(codebook, key=ColumnOf(given)), []
        if given == ROW:
            return codebook, []
        raise SurveyError(
            f"key={given!r} is not valid: there is no such column.{suggestion(given, columns)}"
        )
    if not columns:
        return codebook, []
    if not (candidates := _candidates(codebook, columns, left_out)):
        return codebook, [_guess([], {})]
    waves = divide_into_waves(replace(codebook, weight=None), tables, ImportReport())
    respondents = sum(map(len, waves))
    flawed: dict[str, str] = {}
    fitting: list[str] = []
    for name in candidates:
        without, shared = _flaws(name, waves)
        if not without and not shared:
            fitting.append(name)
        # A number of a household or an interviewer is not meant to differ.
        elif not fitting and 2 * (without + shared) <= respondents:
            what = "with the value of another" if shared else "without one"
            count = f"{shared or without:,} of {plural(respondents, 'respondent')}"
            flawed[name] = f"{name} is not the key, {count} {what}"
    column = ColumnOf(fitting[0]) if fitting else None
    return replace(codebook, key=column), [_guess(fitting, flawed)]


def _guess(fitting: Sequence[str], flawed: Mapping[str, str]) -> Guess:
    """What the key is, and the code that chooses another one.

    fitting: the columns that may be it, the first of which is. flawed: what is wrong with others
    that are likelier by their names.
    """
    said = [*flawed.values()]
    others = fitting[1:]
    if not fitting:
        said.append("keys are the rows of the file" if flawed else "the row of the file, from 1")
        code = "COLUMN"
    else:
        each = "each respondent has another value"
        said.append(f"keys are {fitting[0]}" if flawed else f"{fitting[0]}: {each}")
        said += [f"also of {listed(others)}"] if others else []
        code = others[0] if others else ROW
    severity = 1 if flawed else 2 if others else 3
    return Guess("key", "key", "; ".join(said), f"al.open(…, key={quoted(code)})", severity)


def _candidates(
    codebook: Codebook, columns: Mapping[str, ColumnProfile], left_out: Mapping[str, str]
) -> list[str]:
    """The columns that may be it, the likeliest first; of a panel that of its persons."""
    names = {name: re.sub(r"[\W_]+", "", name).lower() for name in columns}
    found = [name for name in names if names[name] in _NAMES and columns[name].filled]
    found.sort(key=lambda name: _NAMES.index(names[name]))
    found += [name for name, each in columns.items() if _LABEL.search(each.variable.label)]
    numbers = [name for name, why in left_out.items() if is_identification(why)]
    found += sorted(numbers, key=lambda name: _OF_PANDAS.fullmatch(name) is not None)
    person = codebook.design.person
    if person is not None and person in columns:
        found.insert(0, person)
    return [name for name in dict.fromkeys(found) if name in columns]


def _flaws(column: str, waves: Sequence[WaveRows]) -> tuple[int, int]:
    each = [flaws(column, wave) for wave in waves]
    return sum(without for without, _ in each), sum(shared for _, shared in each)
