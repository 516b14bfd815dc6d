"""The subcommands `audiencelab import` and `audiencelab codebook`.

Mistakes are raised as `PanelError`; the command line says them in one place for all commands.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET
from tqdm import tqdm

from audiencelab.files import put, put_new
from audiencelab.panel.errors import PanelError
from audiencelab.panel.importing.drafting import Draft
from audiencelab.panel.importing.drafting.signing import is_as_signed, signed
from audiencelab.panel.importing.drafting.weights import MOST_WITHOUT, share_of
from audiencelab.panel.importing.report import ImportReport
from audiencelab.panel.importing.tables import Progress
from audiencelab.panel.layout import check_target
from audiencelab.panel.reader import Panel

__all__ = ["add_codebook_arguments", "add_import_arguments", "run_codebook", "run_import"]


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `audiencelab import`."""
    _add_sources(parser)
    parser.add_argument(
        "--codebook",
        metavar="FILE",
        help="what the columns mean (.toml or .json); without one, it is drafted beside DIR",
    )
    _add_guesses(parser)
    parser.add_argument("--out", required=True, metavar="DIR", help="folder of the new panel")
    parser.add_argument("--name", default="", help="name of the study (default: the codebook's)")
    parser.add_argument(
        "--replace",
        action="store_true",
        help="replace a panel that is at DIR already, and a draft beside it that nobody has edited",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="processes that share the work (default: one for each core that may be used, at most "
        "8, where the files are large); the panel is the same",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no report")


def run_import(args: argparse.Namespace) -> int:
    """Import, and print what was read and dropped."""
    from audiencelab.panel.importing import import_survey

    codebook = args.codebook
    if codebook is None:
        codebook = _draft_beside(args)
    elif args.weight is not UNSET or args.wave is not None:
        raise PanelError(
            "--weight, --no-weight and --wave are not valid with --codebook, which says both: "
            "write them there under [weight] and [wave], or leave --codebook out."
        )
    panel = import_survey(
        args.sources,
        codebook,
        args.out,
        name=args.name,
        replace=args.replace,
        progress=None if args.quiet else Bar(),
        jobs=args.jobs,
        encoding=args.encoding,
    )
    if not args.quiet:
        for line in report_of(panel).lines():
            print(line)
        print(f"wrote     {panel.path}: audiencelab lab --panel {args.out}")
    return 0


def _draft_beside(args: argparse.Namespace) -> Path:
    """A drafted codebook beside the panel that is to be made."""
    from audiencelab.panel.importing import draft_codebook

    target = Path(args.out).expanduser()
    # Before anything is written: a draft beside a panel that cannot be made helps nobody.
    check_target(target, replace=args.replace)
    path = target.with_name(f"{target.name}.toml")
    _check_free(path, replace=args.replace)
    draft = draft_codebook(
        args.sources,
        weight=args.weight,
        wave=args.wave,
        encoding=args.encoding,
        progress=None if args.quiet else Bar(),
    )
    _check_weight(draft, args)
    # Looked at again: drafting takes its time, in which somebody may have begun to edit.
    _check_free(path, replace=args.replace)
    write = put if path.exists() else put_new
    try:
        write(path, signed(draft.to_toml()).encode())
    except FileExistsError:
        raise _edited(path) from None
    if not args.quiet:
        for line in draft.lines():
            print(line)
        print(f"wrote     {path}: edit it, and import again with --codebook {path} --replace")
    return path


def _check_weight(draft: Draft, args: argparse.Namespace) -> None:
    """Raise `PanelError` for a weight that leaves out many: a draft that nobody has read yet."""
    if draft.without_weight <= MOST_WITHOUT * draft.respondents:
        return
    weight = draft.codebook.weight
    assert weight is not None
    sources = " ".join(map(shlex.quote, args.sources))
    raise PanelError(
        f"The weight {weight.column} leaves out "
        f"{share_of(draft.without_weight, draft.respondents)}: they have none. Choose another with "
        "--weight COLUMN, or --no-weight. To leave them out, draft the codebook first: "
        f"audiencelab codebook {sources} --weight {shlex.quote(weight.column)} --out FILE, and "
        "import with --codebook FILE."
    )


def _check_free(path: Path, *, replace: bool) -> None:
    """Raise `PanelError` for a codebook that may be more than our own draft."""
    if path.exists() and not (replace and is_as_signed(path)):
        raise _edited(path)


def _edited(path: Path) -> PanelError:
    return PanelError(
        f"{path} may be the codebook that you edited: add --codebook {path}, or move it away "
        "to have it drafted anew."
    )


def add_codebook_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `audiencelab codebook`."""
    _add_sources(parser)
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="the codebook to write, a new .toml file"
    )
    _add_guesses(parser)
    parser.add_argument("--delimiter", metavar="SIGN", help="of CSV files (default: found out)")
    parser.add_argument(
        "--catalogue", default="", metavar="FILE", help="of formats, for a SAS file beside it"
    )
    parser.add_argument(
        "--no-bands", action="store_true", help="every number is a datapoint of its own"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no report")


def run_codebook(args: argparse.Namespace) -> int:
    """Draft a codebook, and print what was guessed for the whole file."""
    from audiencelab.panel.importing import draft_codebook
    from audiencelab.panel.importing.drafting.sniffing import sniffed
    from audiencelab.panel.importing.files.finding import find_files

    options = sniffed([file.path for file in find_files(args.sources)])
    options = msgspec.structs.replace(
        options,
        delimiter=args.delimiter or options.delimiter,
        catalogue=args.catalogue,
    )
    draft = draft_codebook(
        args.sources,
        weight=args.weight,
        wave=args.wave,
        encoding=args.encoding,
        options=options,
        banded=not args.no_bands,
        progress=None if args.quiet else Bar(),
    )
    path = draft.save(args.out)
    if not args.quiet:
        for line in draft.lines():
            print(line)
        sources = " ".join(map(shlex.quote, args.sources))
        print(f"wrote     {path}: audiencelab import {sources} --codebook {path} --out DIR")
    return 0


def _add_sources(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources",
        nargs="+",
        metavar="SOURCE",
        help="a file of SPSS, Stata, SAS, CSV, Parquet or Arrow, or a folder of such; several are "
        "waves of one study, or parts of waves",
    )


def _add_guesses(parser: argparse.ArgumentParser) -> None:
    """What a draft would have to guess, and how the files are read."""
    weights = parser.add_mutually_exclusive_group()
    weights.add_argument(
        "--weight",
        metavar="COLUMN",
        default=UNSET,
        help="the weight (default: the one that the file declares, or the only candidate)",
    )
    weights.add_argument(
        "--no-weight", dest="weight", action="store_const", const=None, help="everybody weighs 1"
    )
    parser.add_argument(
        "--wave",
        metavar="COLUMN",
        help="the column that makes the waves; one of dates makes quarters (default: a column "
        "that is named like a wave)",
    )
    parser.add_argument(
        "--encoding",
        metavar="NAME",
        help="of the files' text, as in latin-1 (default: of CSV files found out, of others the "
        "one that they name)",
    )


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
    return msgspec.convert(panel.import_report or {}, ImportReport)
