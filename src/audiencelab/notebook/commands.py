"""The subcommands `audiencelab verify` and `audiencelab export`."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from audiencelab.notebook.exporting import export
from audiencelab.notebook.verifying import Report, Verification, verify

__all__ = ["add_export_arguments", "add_verify_arguments", "run_export", "run_verify"]

DOES_NOT_HOLD = 2
"""Exit code, as of all that the user can put right."""

_WHOLE = {0: "there is no output to compare", 1: "its one output holds"}
"""What is said of a notebook that holds, where "all … outputs" would sound odd."""

_CHANGES = 8
"""Changes that are told of one cell."""


def add_verify_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `audiencelab verify`."""
    parser.description = (
        "Run notebooks again and tell which of their outputs hold. The files are not changed. "
        "Exit code 2: something does not hold."
    )
    parser.add_argument(
        "notebooks", type=Path, nargs="+", metavar="NOTEBOOK", help="a notebook (.ipynb)"
    )
    parser.add_argument(
        "--snapshot", type=Path, metavar="FILE", help="what connect() with no argument replays"
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=600.0,
        metavar="SECONDS",
        help="most that one cell may take (default: 600)",
    )
    parser.add_argument("--json", action="store_true", help="the findings for another program")


def run_verify(arguments: argparse.Namespace) -> int:
    """Verify each and say what was found; raises `NotebookError` for one that cannot be run."""
    found = [
        verify(path, snapshot=arguments.snapshot, timeout=arguments.timeout, report=_progress(path))
        for path in arguments.notebooks
    ]
    if arguments.json:
        print(json.dumps([_plain(each) for each in found], indent=2, ensure_ascii=False))
    else:
        print("\n\n".join("\n".join(lines(each)) for each in found))
    return 0 if all(each.holds for each in found) else DOES_NOT_HOLD


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `audiencelab export`."""
    parser.description = (
        "Write a notebook, as it was saved, as one HTML file that needs no kernel and no network."
    )
    parser.add_argument("notebook", type=Path, metavar="NOTEBOOK", help="a notebook (.ipynb)")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the file (default: beside the notebook)"
    )
    parser.add_argument("--no-code", action="store_true", help="leave the code out")
    parser.add_argument("--replace", action="store_true", help="replace a file that is there")


def run_export(arguments: argparse.Namespace) -> int:
    """Export the notebook and say where it stands; raises `NotebookError`."""
    written = export(
        arguments.notebook,
        arguments.out,
        code=not arguments.no_code,
        replace=arguments.replace,
    )
    print(f"{written}: {written.stat().st_size / 1000:,.0f} KB, needs no network.")
    return 0


def lines(found: Verification) -> list[str]:
    """The findings as people read them."""
    said: list[str] = [_summary(found)]
    for cell in found.of("moved", "failed", "differs each time"):
        said.append(f"  cell {cell.number}: {cell.state:<17} {cell.title}")
        said += [f"      {change}" for change in cell.changes[:_CHANGES]]
        if len(cell.changes) > _CHANGES:
            said.append(f"      … and {len(cell.changes) - _CHANGES:,} more")
    if found.reasons:
        said += ["  why", *(f"      {reason}" for reason in found.reasons)]
    return said


def _summary(found: Verification) -> str:
    compared = [cell for cell in found.cells if cell.state != "left out"]
    held = len(found.of("holds"))
    if found.holds:
        return f"{found.notebook}: {_WHOLE.get(held, f'all {held} outputs hold')}."
    if len(compared) == 1:
        return f"{found.notebook}: its one output does not hold."
    return f"{found.notebook}: {held} of {len(compared)} outputs hold."


def _plain(found: Verification) -> dict[str, object]:
    return {
        "notebook": str(found.notebook),
        "holds": found.holds,
        "cells": [asdict(each) for each in found.cells],
        "reasons": list(found.reasons),
    }


def _progress(path: Path) -> Report | None:
    """Says on a terminal how far the run is, in a line that the findings take the place of."""
    if not sys.stderr.isatty():
        return None

    def report(number: int, count: int) -> None:
        end = "\r" if number < count else f"\r{' ' * (len(path.name) + 30)}\r"
        print(f"{path.name}: cell {number} of {count} …", end=end, file=sys.stderr, flush=True)

    return report
