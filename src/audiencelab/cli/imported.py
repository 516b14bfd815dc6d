"""The card of an import on the command line, with options in place of Python that opens it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from audiencelab.cli.advice import in_options
from audiencelab.cli.output import echo_lines
from audiencelab.import_card import MOST_LINES, ImportCard
from audiencelab.ingest.report import ImportReport
from audiencelab.survey.reader import Survey


def echo_card(card: ImportCard, whole: str, *, err: bool = False) -> None:
    """Print the card of an import; whole: what shows the rest of it."""
    echo_lines(card_text(card, whole), err=err)


def card_text(card: ImportCard, whole: str, *, most: int | None = MOST_LINES) -> Iterator[str]:
    """The card of an import in lines, the code that opens it again as options."""
    lines = (
        replace(line, said=in_options(line.said), code=in_options(line.code)) for line in card.lines
    )
    return replace(card, lines=tuple(lines)).text(most=most, whole=whole)


def imported_lines(survey: str | Path | Survey | None, *, whole: bool = False) -> Iterator[str]:
    """The card of a survey that was imported, or the whole of its report; no line of any other."""
    if survey is None:
        return
    found = survey if isinstance(survey, Survey) else Survey.open(survey)
    if found.import_report is not None:
        report = ImportReport.of(found)
        shown, most = (report.whole(), None) if whole else (report.card(), MOST_LINES)
        yield from card_text(shown, report_command(found.address), most=most)


def report_command(folder: str | Path) -> str:
    """The command that shows the whole report of an import."""
    return f"audiencelab survey info {shlex.quote(str(folder))} --report"
