"""The subcommands `audiencelab verify` and `audiencelab export`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from audiencelab.background import pool
from audiencelab.cli.help import command
from audiencelab.cli.output import (
    FINDINGS,
    echo,
    examples,
    file_argument,
    file_option,
    one_of,
    out_option,
    quiet_option,
)
from audiencelab.cli.suggestions import SuggestedCommand
from audiencelab.ingest.readers import is_survey_file
from audiencelab.notebook.export_html import export
from audiencelab.notebook.package import verify_package
from audiencelab.notebook.package.archive import is_archive
from audiencelab.notebook.report import lines, plain
from audiencelab.notebook.run import Report
from audiencelab.notebook.verdict import Verification
from audiencelab.notebook.verify import verify
from audiencelab.wording import without_controls


@command(
    "verify",
    epilog=examples(
        "verify analysis.ipynb",
        "verify *.ipynb --snapshot analysis.audiencelab.jsonl",
        "verify package.zip",
    ),
)
@click.argument(
    "notebooks", nargs=-1, required=True, metavar="NOTEBOOK...", type=click.Path(path_type=Path)
)
@file_option(
    "--snapshot",
    "FILE",
    "The snapshot that connect() with no argument replays, and open() of its source.",
)
@click.option(
    "--timeout",
    default=600.0,
    metavar="SECONDS",
    help="Seconds allowed for one cell (default: 600).",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1),
    default=1,
    metavar="N",
    help="Run this many notebooks at once (default: 1).",
)
@click.option("-v", "--verbose", is_flag=True, help="Also list the cells whose outputs hold.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@quiet_option
def verify_notebooks(
    notebooks: tuple[Path, ...],
    snapshot: Path | None,
    timeout: float,
    jobs: int,
    verbose: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Run notebooks again and report which of their outputs still hold.

    A package (.zip) is checked first, and run in an empty folder. The files are not changed.
    Exit code 1: something does not hold, or was not replayed from the snapshot.
    """
    one_of({"--verbose": verbose, "--json": as_json, "--quiet": quiet})

    def run(path: Path) -> Sequence[Verification]:
        report = show_progress(path) if jobs == 1 and not quiet else None
        if is_archive(path):
            return verify_package(path, timeout=timeout, report=report)
        return [verify(path, snapshot=snapshot, timeout=timeout, report=report)]

    with pool("verify", jobs) as workers:
        found = [each for several in workers.map(run, notebooks) for each in several]
    if as_json:
        echo(json.dumps([plain(each) for each in found], indent=2, ensure_ascii=False))
    elif not quiet:
        echo("\n\n".join("\n".join(lines(each, verbose=verbose)) for each in found))
    return 0 if all(each.holds for each in found) else FINDINGS


@command(
    "export",
    epilog=examples("export analysis.ipynb", "export analysis.ipynb --no-code -o report.html"),
)
@file_argument("notebook")
@out_option("FILE", "The file (default: beside the notebook).")
@click.option("--no-code", is_flag=True, help="Leave the code out.")
@click.option("--replace", is_flag=True, help="Replace an existing file.")
@quiet_option
def export_notebook(
    notebook: Path, out: Path | None, no_code: bool, replace: bool, quiet: bool
) -> None:
    """Write a notebook, as saved, as one HTML file that needs no kernel and no network."""
    if is_survey_file(notebook):
        raise SuggestedCommand(
            f"{notebook} is a survey file, not a notebook.",
            {"export": ["survey", "export"]},
            () if out else ("-o", str(notebook.with_suffix(".parquet"))),
        )
    written = export(notebook, out, code=not no_code, replace=replace)
    if not quiet:
        echo(f"{written}: {written.stat().st_size / 1000:,.0f} KB, needs no network.")


def show_progress(path: Path) -> Report | None:
    """Show progress on a terminal, in a line that the findings replace."""
    if not sys.stderr.isatty():
        return None

    def report(number: int, count: int) -> None:
        # Spaces over the whole line clear it.
        end = "" if number < count else f"\r{' ' * (len(path.name) + 30)}"
        text = f"{without_controls(path.name)}: cell {number} of {count} …{end}\r"
        click.echo(text, nl=False, err=True)

    return report
