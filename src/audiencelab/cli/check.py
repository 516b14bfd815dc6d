"""The subcommand `audiencelab check`: what to look at before a notebook is shared."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path

import click

from audiencelab.cli.help import command
from audiencelab.cli.output import FINDINGS, echo, echo_lines, examples, file_option, one_of
from audiencelab.cli.suggestions import SuggestedCommand
from audiencelab.ingest.readers import is_survey_file
from audiencelab.notebook.check import CheckedNotebook, check, without_widget_state
from audiencelab.notebook.check_findings import CheckFinding
from audiencelab.results.arrangement import VERY_LOW_BASE
from audiencelab.wording import plural


@command("check", epilog=examples("check analysis.ipynb", "check *.ipynb --minimum-base 50 --json"))
@click.argument(
    "notebooks", nargs=-1, required=True, metavar="NOTEBOOK...", type=click.Path(path_type=Path)
)
@file_option("--snapshot", "FILE", "A snapshot to look at too, which the code does not name.")
@click.option(
    "--minimum-base",
    metavar="N",
    type=click.IntRange(min=0),
    default=VERY_LOW_BASE,
    help=f"Report shares of fewer respondents (default: {VERY_LOW_BASE}).",
)
@click.option("--fix", is_flag=True, help="Take the state of widgets out of the file.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def check_notebooks(
    notebooks: tuple[Path, ...],
    snapshot: Path | None,
    minimum_base: int,
    fix: bool,
    as_json: bool,
) -> int:
    """Report what to look at before notebooks are shared; nothing in them is run.

    Small counts and bases, rows of respondents, names, paths, credentials, labels that a snapshot
    holds in vain, and data beside the notebook, each with what mends it. Exit code 1: there is
    something.
    """
    one_of({"--fix": fix, "--json": as_json})
    for path in notebooks:
        if path.is_dir() or is_survey_file(path):
            raise SuggestedCommand(
                f"{path} is a survey, not a notebook.", {"check": ["survey", "check"]}
            )
    if fix:
        for path in notebooks:
            if size := without_widget_state(path):
                echo(f"{path}: {size / 1000:,.0f} KB of the state of widgets taken out.")
    found = [check(each, snapshot=snapshot, minimum_base=minimum_base) for each in notebooks]
    if as_json:
        echo(json.dumps([_plain(each) for each in found], indent=2, ensure_ascii=False))
    else:
        echo_lines(line for each in found for line in _lines(each))
    return FINDINGS if any(each.findings for each in found) else 0


def _lines(found: CheckedNotebook) -> Iterator[str]:
    count = len(found.findings)
    words = plural(count, "finding") if count else "nothing found"
    unread = f"; not read: {', '.join(found.unread)}" if found.unread else ""
    yield f"{found.notebook}: {words} in {', '.join(found.read)}{unread}."
    for (severity, kind, mend), each in groupby(found.findings, key=_by_mend):
        yield f"  {severity}: {kind}"
        for finding in each:
            place = f"cell {finding.cell}" if finding.cell else finding.file.name
            yield f"    {place}: {finding.words}"
        yield f"    → {mend}"


def _by_mend(finding: CheckFinding) -> tuple[str, str, str]:
    return finding.severity, finding.kind, finding.mend


def _plain(found: CheckedNotebook) -> dict[str, object]:
    return {
        "notebook": str(found.notebook),
        "findings": [{**asdict(each), "file": str(each.file)} for each in found.findings],
        "read": list(found.read),
        "unread": list(found.unread),
    }
