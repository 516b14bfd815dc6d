"""What a result is of as lines of text: its facts, and the head of a CSV file."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import Any

from audiencelab.csv_injection import defused_field
from audiencelab.results.provenance import coverage_facts
from audiencelab.results.record import Record
from audiencelab.schema.http import UNWEIGHTED

CSV_RECORD = "# audiencelab: "
"""What precedes the record in a CSV file."""

_SEPARATED = re.compile(r"(?<=[,;|])(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20])")
_BEGINNING = re.compile(r"(?<=[\s,;|\"])[=+\-@]")
"""What a spreadsheet might calculate, where it splits a line at commas or semicolons."""


def facts(record: Record) -> list[str]:
    """Base, waves, weight and locations, as far as they are known, a sentence each."""
    covered = coverage_facts(
        {
            "waves": record.waves,
            "wave_names": {name: name for name in record.waves},
            "weight": UNWEIGHTED if record.weight is None else record.weight,
            "locations": record.locations,
            # Only our own services name the version of their survey.
            "survey_version": record.survey_version,
        }
    )
    return [f"Base: {record.base}", *covered] if record.base else covered


_NAMES = {"doi": "DOI", "audiencelab": "audiencelab", "code": "Python"}


def pairs(record: Record) -> list[tuple[str, str]]:
    """Everything that is known of where a result comes from, each with its name."""
    known: dict[str, Any] = {each.name: getattr(record, each.name) for each in fields(record)}
    known |= {"weight": "none" if record.weight is None else record.weight}
    known |= {"locations": record.locations or "all", "title": ""}
    return [
        (
            _NAMES.get(name, name.replace("_", " ").capitalize()),
            value if isinstance(value, str) else ", ".join(value),
        )
        for name, value in known.items()
        if value
    ]


def csv_head(record: Record) -> str:
    """Lines that begin with "#" for the front of a CSV file: title, facts, source, and the record.

    >>> from audiencelab.results.record import Record
    >>> csv_head(Record(base="women", weight=None)).splitlines()[:2]
    ['# Base: women', '# Unweighted']
    """
    texts = (record.title, *facts(record), record.method, record.line())
    lines = [f"# {_field(each)}" for each in texts if each]
    known = _BEGINNING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", json.dumps(record.to_dict()))
    return "".join(f"{line}\n" for line in [*lines, CSV_RECORD + known])


def _field(text: str) -> str:
    """A text on one line, no part of which a spreadsheet calculates."""
    return _SEPARATED.sub("'", defused_field(" ".join(text.split())))
