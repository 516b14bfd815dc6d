"""The subcommands `audiencelab verify` and `audiencelab export`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click

from audiencelab.cli.output import echo, examples, file_argument, file_option
from audiencelab.notebook.export_html import export
from audiencelab.notebook.verify import Report, Verification, verify
from audiencelab.wording import harmless

DOES_NOT_HOLD = 2

_MOST_CHANGES = 8
"""Changes that are shown of one cell."""


@click.command(
    "verify",
    epilog=examples(
        "verify analysis.ipynb", "verify *.ipynb --snapshot analysis.audiencelab.jsonl"
    ),
)
@click.argument(
    "notebooks", nargs=-1, required=True, metavar="NOTEBOOK...", type=click.Path(path_type=Path)
)
@file_option("--snapshot", "FILE", "The snapshot that connect() with no argument replays.")
@click.option(
    "--timeout",
    default=600.0,
    metavar="SECONDS",
    help="The most that one cell may take (default: 600).",
)
@click.option("--json", "as_json", is_flag=True, help="The findings for another program.")
def verify_notebooks(
    notebooks: tuple[Path, ...], snapshot: Path | None, timeout: float, as_json: bool
) -> int:
    """Run notebooks again and report which of their outputs still hold.

    The files are not changed. Exit code 2: something does not hold.
    """
    found = [
        verify(path, snapshot=snapshot, timeout=timeout, report=_progress(path))
        for path in notebooks
    ]
    if as_json:
        echo(json.dumps([_plain(each) for each in found], indent=2, ensure_ascii=False))
    else:
        echo("\n\n".join("\n".join(lines(each)) for each in found))
    return 0 if all(each.holds for each in found) else DOES_NOT_HOLD


@click.command(
    "export",
    epilog=examples("export analysis.ipynb", "export analysis.ipynb --no-code --out report.html"),
)
@file_argument("notebook")
@file_option("--out", "FILE", "The file (default: beside the notebook).")
@click.option("--no-code", is_flag=True, help="Leave the code out.")
@click.option("--replace", is_flag=True, help="Replace an existing file.")
def export_notebook(notebook: Path, out: Path | None, no_code: bool, replace: bool) -> None:
    """Write a notebook, as saved, as one HTML file that needs no kernel and no network."""
    written = export(notebook, out, code=not no_code, replace=replace)
    echo(f"{written}: {written.stat().st_size / 1000:,.0f} KB, needs no network.")


def lines(found: Verification) -> list[str]:
    """The findings as people read them."""
    text = [_summary(found)]
    for cell in found.of("moved", "failed", "differs each time"):
        text.append(f"  cell {cell.number}: {cell.state:<17} {cell.title}")
        text += [f"      {change}" for change in cell.changes[:_MOST_CHANGES]]
        if len(cell.changes) > _MOST_CHANGES:
            text.append(f"      … and {len(cell.changes) - _MOST_CHANGES:,} more")
    if found.reasons:
        text += ["  why", *(f"      {reason}" for reason in found.reasons)]
    return text


def _summary(found: Verification) -> str:
    compared = sum(cell.state != "left out" for cell in found.cells)
    held = len(found.of("holds"))
    if compared == 0:
        words = "there is no output to compare"
    elif compared == 1:
        words = "its one output holds" if held else "its one output does not hold"
    else:
        words = f"{'all ' if found.holds else f'{held} of '}{compared} outputs hold"
    return f"{found.notebook}: {words}."


def _plain(found: Verification) -> dict[str, object]:
    return {
        "notebook": str(found.notebook),
        "holds": found.holds,
        "cells": [asdict(each) for each in found.cells],
        "reasons": list(found.reasons),
    }


def _progress(path: Path) -> Report | None:
    """Show progress on a terminal, in a line that the findings replace."""
    if not sys.stderr.isatty():
        return None

    def report(number: int, count: int) -> None:
        end = "" if number < count else f"\r{' ' * (len(path.name) + 30)}"
        text = f"{harmless(path.name)}: cell {number} of {count} …{end}\r"
        click.echo(text, nl=False, err=True)

    return report
