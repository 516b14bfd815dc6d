"""The subcommand `audiencelab panel`: what a panel holds.

Mistakes are raised as `PanelError`; the command line says them in one place for all commands.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from audiencelab.panel.reader import Panel
from audiencelab.panel.text_table import text_table

__all__ = ["add_panel_arguments", "run_panel"]


def add_panel_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `audiencelab panel`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    info = actions.add_parser("info", help="waves, respondents, weights, questions, coverage")
    info.add_argument("folder", metavar="DIR", help="folder of the panel")
    info.add_argument("--verify", action="store_true", help="compare all files with checksums")


def run_panel(args: argparse.Namespace) -> int:
    """Print what a panel holds."""
    panel = Panel.open(Path(args.folder))
    if args.verify:
        panel.verify()
    for line in info_lines(panel):
        print(line)
    if args.verify:
        print("\nEvery file is as it was written.")
    return 0


def info_lines(panel: Panel) -> Iterator[str]:
    """A panel's description, a table of its waves, and the coverage of its questions."""
    catalogue, manifest = panel.catalogue, panel.manifest
    octets = sum(stored.octets for stored in manifest.files.values())
    yield f"{panel.name}  ({panel.path})"
    if manifest.description:
        yield manifest.description
    yield ""
    yield (
        f"format {manifest.version}, {octets / 1e6:,.1f} MB on disk; "
        f"weights in steps of 2^-{manifest.weight_bits}"
    )
    yield (
        f"{len(catalogue.questions):,} questions with "
        f"{sum(len(each.datapoints) for each in catalogue.questions):,} datapoints "
        f"({sum(each.rows for each in catalogue.questions):,} with suffixes); "
        f"location: {catalogue.location_question}"
    )
    yield ""
    yield from text_table(
        ("wave", "name", "from", "to", "respondents", "weighted", "mean weight", "questions"),
        [_wave_row(panel, wave.code) for wave in panel.waves],
    )
    yield ""
    yield from _coverage_lines(panel)


def _wave_row(panel: Panel, code: str) -> tuple[str, ...]:
    data = panel.wave(code)
    wave = data.wave
    asked = sum(code in question.waves for question in panel.catalogue.questions)
    return (
        code if wave.accessible else f"{code} (closed)",
        wave.name,
        str(wave.starts),
        str(wave.ends),
        f"{data.respondents:,}",
        f"{data.size:,.0f}",
        f"{data.size / data.respondents:,.2f}",
        str(asked),
    )


def _coverage_lines(panel: Panel) -> Iterator[str]:
    partial = [
        (question.canonical, question.name, ", ".join(question.waves))
        for question in panel.catalogue.questions
        if len(question.waves) < len(panel.waves)
    ]
    if not partial:
        yield "Every question was asked in every wave."
        return
    yield f"Asked in some waves only ({len(partial)} of {len(panel.catalogue.questions)}):"
    yield from text_table(("question", "name", "waves"), partial)
