"""What the columns of an export of REDCap are: the record, its event and form, and answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

RECORD = "the record"
FORM_STATUS = "the status of a form"
STATUSES = {"0", "1", "2", "Incomplete", "Unverified", "Complete"}
_ABOUT = "about the record"

_COLUMNS = {
    "redcap_event_name": "event",
    "event name": "event",
    "redcap_repeat_instrument": "instrument",
    "repeat instrument": "instrument",
    "redcap_repeat_instance": "instance",
    "repeat instance": "instance",
}
"""Columns that say which row of a record it is, in exports of names and of labels."""

_OTHERS = {
    "redcap_data_access_group",
    "data access group",
    "redcap_survey_identifier",
    "survey identifier",
    "redcap_randomization_number",
}
RECORDS = {"record_id", "record id"}
_STATUS = re.compile(r"(?i)(\w+)_complete|Complete\?( \(\d+\))?")
_CHECKBOX = re.compile(r".+___[\w-]+|(?s:.+ \(choice=.+\))")
_STAMP = re.compile(r"(?i)(\w+)_timestamp|Survey Timestamp( \(\d+\))?")


def is_redcap(header: Sequence[str]) -> bool:
    """Whether a header is that of an export of REDCap."""
    names = {name.strip().lower() for name in header}
    has_status = any(map(_STATUS.fullmatch, header))
    has_own = any(name.startswith("redcap_") for name in names & {*_COLUMNS, *_OTHERS})
    # A column called record_id alone, or "event name", may be anyone's.
    return has_own or (has_status and not names.isdisjoint({*RECORDS, *_COLUMNS}))


def record_column(header: Sequence[str]) -> str:
    """The column of records: by its name, else the first that a project names itself."""
    own = [name for name in header if name.strip().lower() not in {*_COLUMNS, *_OTHERS}]
    named = [name for name in own if name.strip().lower() in RECORDS]
    return next(iter([*named, *own, *header]))


def roles(header: Sequence[str]) -> dict[str, str]:
    """Columns of an export of REDCap that make no question, with the reason."""
    forms = {found[1] for name in header if (found := _STATUS.fullmatch(name))}
    found = {record_column(header): RECORD}
    for name in header:
        plain = name.strip().lower()
        stamp = _STAMP.fullmatch(name)
        if plain in _COLUMNS or plain in _OTHERS or (stamp and stamp[1] in forms):
            found[name] = _ABOUT
        elif _STATUS.fullmatch(name):
            found[name] = FORM_STATUS
    return found


class Form(NamedTuple):
    """The columns of a form, and the one that has its status."""

    status: str
    columns: Sequence[str]


def forms(header: Sequence[str]) -> list[Form]:
    """The forms, whose columns are followed by their status."""
    found: list[Form] = []
    columns: list[str] = []
    about = {name for name in roles(header) if not _STAMP.fullmatch(name)}
    for name in header:
        if _STATUS.fullmatch(name):
            found.append(Form(name, columns))
            columns = []
        elif name not in about:
            columns.append(name)
    return found


def row_columns(header: Sequence[str]) -> dict[str, str]:
    """The columns that say which row of a record it is, by what they are."""
    return {
        what: name for name in header if (what := _COLUMNS.get(name.strip().lower())) is not None
    }


def is_checkbox(name: str) -> bool:
    """Whether a column is one of the choices of a checkbox."""
    return _CHECKBOX.fullmatch(name) is not None
