"""The subcommand `audiencelab import`.

Mistakes are raised as `PanelError`; the command line says them in one place for all commands.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from tqdm import tqdm

from audiencelab.panel.importing.report import ImportReport
from audiencelab.panel.importing.tables import Progress
from audiencelab.panel.reader import Panel

__all__ = ["add_import_arguments", "run_import"]


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `audiencelab import`."""
    parser.add_argument(
        "sources",
        nargs="+",
        metavar="SOURCE",
        help="a survey file of SPSS, Stata, SAS, CSV, Parquet or Arrow; several are waves of one study",
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
