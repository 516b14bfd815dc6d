"""What programs of the office show of a file: its title, what it is of, who made the survey."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from audiencelab.results.record import Record
from audiencelab.results.record_text import facts
from audiencelab.wording import without_controls

_LENGTH = 255
"""Characters of a property at most."""

_OLDEST = datetime(1980, 1, 1, tzinfo=UTC)
"""The date of a file whose results have none: the earliest date in a zip file."""


@dataclass(frozen=True, slots=True)
class OfficeProperties:
    """The properties of a workbook or a presentation; none names a program or its user.

    author: the producer of the survey, where it is known. created: when the last table was counted.
    """

    title: str
    subject: str
    author: str
    keywords: str
    created: datetime

    @classmethod
    def of(cls, title: str, records: Sequence[Record]) -> Self:
        """Those of a file with tables of these records."""
        return cls(
            title=_joined([title]),
            subject=_joined([record.line() for record in records]),
            author=_joined([record.producer for record in records]),
            keywords=_joined([fact for each in records for fact in (each.survey, *facts(each))]),
            created=max(map(_moment, records), default=_OLDEST),
        )


def _joined(texts: Sequence[str]) -> str:
    """Texts in a line, each once, those left out that do not fit."""
    line = ""
    for each in dict.fromkeys(filter(None, texts)):
        longer = f"{line}; {each}" if line else each[:_LENGTH]
        line = longer if len(longer) <= _LENGTH else line
    return without_controls(line)


def _moment(record: Record) -> datetime:
    with suppress(ValueError):  # results of other services may have another form
        return in_utc(datetime.fromisoformat(record.counted_at))
    return _OLDEST


def in_utc(moment: datetime) -> datetime:
    """The same moment in UTC, which one without a zone is in."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
