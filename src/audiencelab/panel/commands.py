"""The subcommands `audiencelab import` and `audiencelab panel`.

Mistakes are raised as `PanelError`; the command line says them in one place for all commands.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from audiencelab.panel.importing.report import ImportReport
from audiencelab.panel.importing.tables import Progress
from audiencelab.panel.reader import Panel

__all__ = ["add_import_arguments", "add_panel_arguments", "run_import", "run_panel"]


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `audiencelab import`."""
    parser.add_argument(
        "sources",
        nargs="+",
        metavar="SOURCE",
        help="a survey file: .csv, .tsv (also .gz) or .parquet; several are waves of one study",
    )
    parser.add_argument(
        "--codebook", required=True, metavar="FILE", help="what the columns mean (.toml or .json)"
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="folder of the new panel")
    parser.add_argument("--name", default="", help="name of the study (default: the codebook's)")
    parser.add_argument(
        "--replace", action="store_true", help="replace a panel that is at DIR already"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no report")


def run_import(args: argparse.Namespace) -> int:
    """Import, and print what was read and dropped."""
    from audiencelab.panel.importing import import_survey

    panel = import_survey(
        args.sources,
        args.codebook,
        args.out,
        name=args.name,
        replace=args.replace,
        progress=None if args.quiet else Bar(),
    )
    if not args.quiet:
        for line in report_of(panel).lines():
            print(line)
        print(f"wrote     {panel.path}: audiencelab lab --panel {args.out}")
    return 0


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


class Bar(Progress):
    """Progress as a bar on standard error; silent where that is no terminal."""

    def __init__(self) -> None:
        self._bar: tqdm[Any] | None = None

    def start(self, description: str, octets: int) -> None:
        self._bar = tqdm(
            desc=description,
            total=octets,
            unit="B",
            unit_scale=True,
            file=sys.stderr,
            disable=None,
            leave=False,
        )

    def at(self, octets: int) -> None:
        if self._bar is not None:
            self._bar.update(octets - self._bar.n)

    def done(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def report_of(panel: Panel) -> ImportReport:
    """The report that the import left in the panel."""
    import msgspec

    return msgspec.convert(panel.import_report or {}, ImportReport)


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
    yield from _table(
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
    yield from _table(("question", "name", "waves"), partial)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns in line, numbers to the right; cells that are too long are cut."""
    cut = [[_short(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[place]) for row in cut) for place in range(len(header))]
    right = [all(_is_number(row[place]) for row in cut[1:]) for place in range(len(header))]
    for number, row in enumerate(cut):
        cells = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        )
        yield "  ".join(cells).rstrip()
        if number == 0:
            yield "  ".join("-" * width for width in widths)


def _is_number(cell: str) -> bool:
    return cell.replace(",", "").replace(".", "").isdecimal()


def _short(cell: str, most: int = 60) -> str:
    return cell if len(cell) <= most else cell[: most - 1] + "…"
