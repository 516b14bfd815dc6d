"""The client of the files that a command names, and the survey of a folder or of files."""

from __future__ import annotations

import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from audiencelab.cli.imported import echo_card
from audiencelab.cli.output import one
from audiencelab.cli.reading import OPTIONS, arguments_of
from audiencelab.cli.suggestions import SuggestedCommand
from audiencelab.client import Client
from audiencelab.client.connection.connect import connect
from audiencelab.client.connection.opening import open as open_survey
from audiencelab.ingest.report import ImportReport
from audiencelab.survey.errors import SurveyError
from audiencelab.survey.layout import MANIFEST
from audiencelab.survey.reader import Survey
from audiencelab.unknown_names import near

_REPORT = "survey info {} --report"


def open_client(sources: tuple[str, ...], options: dict[str, Any], *, quiet: bool) -> Client:
    """The client of the files; what their import assumed is printed beside the table.

    The options of `reading` are taken out of those of the command.
    """
    chosen = {name: options.pop(name) for name in OPTIONS}
    no_weight, given = chosen["no_weight"], arguments_of(chosen)
    if not sources:
        if given:
            first = min(given)
            name = "no-weight" if no_weight and first == "weight" else first.replace("_", "-")
            raise click.UsageError(f"--{name} is about a SOURCE: name it.")
        return connect()
    check_files(sources)
    try:
        client = open_survey(one(list(sources)), quiet=True, **given)
    except SurveyError as error:
        if "to make waves of" in str(error):
            raise SuggestedCommand(f"{error} Waves are chosen by --waves.", _WAVES) from None
        raise
    # A service and a survey folder were imported before: there is nothing to tell about them.
    if not (quiet or "://" in sources[0] or _is_survey(sources[0])):
        files = " ".join(map(shlex.quote, sources))
        # A snapshot that answers for the files has no report of its own.
        with suppress(LookupError):
            shown = client.service and client.sender.context.source
            card = (shown and shown.card) or ImportReport.of(client.service.survey).card()
            # Another import, with these options, is not what `survey info` shows.
            whole = "codebook {} -o survey.toml" if given or len(sources) > 1 else _REPORT
            echo_card(card, f"audiencelab {whole.format(files)}", err=True)
    return client


_WAVES = {"--wave": ["--waves"]}


def check_files(sources: tuple[str, ...]) -> None:
    """Raise a usage error for a file whose name is nearly that of another one."""
    for each in sources:
        path = Path(each).expanduser()
        if "://" in each or path.exists() or not path.parent.is_dir():
            continue
        if close := near(path.name, [other.name for other in path.parent.iterdir()], 0.75):
            meant = str(Path(each).with_name(close))
            raise SuggestedCommand(f"{each}: there is no such file.", {each: [meant]})


def survey_of(source: str) -> Survey:
    """The survey of a folder, or of a file that is imported into the cache."""
    if "://" in source or not Path(source).expanduser().is_file():
        return Survey.open(source)
    return open_survey(source, quiet=True).service.survey


def _is_survey(source: str) -> bool:
    return (Path(source).expanduser() / MANIFEST).is_file()
