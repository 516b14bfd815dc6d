"""The subcommand `audiencelab panel`: looking into a panel, checking and changing it.

Mistakes are raised as `PanelError`; the command line says them in one place for all commands.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from audiencelab.panel.checking import check_panel
from audiencelab.panel.raking import rake
from audiencelab.panel.reader import Panel
from audiencelab.panel.recipes import load_recipes
from audiencelab.panel.telling import (
    added_lines,
    check_lines,
    derived_lines,
    info_lines,
    raked_lines,
)

__all__ = ["add_panel_arguments", "run_panel"]


def add_panel_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `audiencelab panel`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    info = _action(actions, "info", _info, "show waves, respondents, weights, questions, coverage")
    info.add_argument("--verify", action="store_true", help="compare all files with checksums")
    _action(actions, "check", _check, "look every file, weight and code over; exit code 2 if unfit")
    derived = _action(actions, "derive", _derive, "add nets, bands and crosses of questions")
    derived.add_argument("--add", required=True, metavar="FILE", help="the recipes (.toml)")
    _out(derived)
    added = _action(actions, "add-wave", _add_wave, "import survey files as further waves")
    added.add_argument("sources", nargs="+", metavar="SOURCE", help="a survey file")
    added.add_argument(
        "--codebook", required=True, metavar="FILE", help="what the columns mean (.toml or .json)"
    )
    _out(added)
    raked = _action(actions, "rake", _rake, "fit a panel's weights to known margins")
    raked.add_argument("--targets", required=True, metavar="FILE", help="the margins (.toml)")
    _out(raked)
    exported = _action(actions, "export", _export, "write a panel as Parquet, with its codebook")
    exported.add_argument(
        "--out",
        required=True,
        metavar="PATH",
        help="a .parquet file, or a folder for the two files",
    )
    exported.add_argument("--replace", action="store_true", help="replace files that are there")


def run_panel(args: argparse.Namespace) -> int:
    """Do what was asked for with a panel."""
    run: Callable[[argparse.Namespace], int] = args.run
    return run(args)


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser],  # pyright: ignore[reportPrivateUsage] -- argparse has no public name for it
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=summary)
    parser.add_argument("folder", metavar="DIR", help="folder of the panel")
    parser.set_defaults(run=run)
    return parser


def _info(args: argparse.Namespace) -> int:
    panel = Panel.open(Path(args.folder))
    if args.verify:
        panel.verify()
    _print(info_lines(panel))
    if args.verify:
        print("\nEvery file is as it was written.")
    return 0


def _check(args: argparse.Namespace) -> int:
    panel = Panel.open(Path(args.folder))
    found = check_panel(panel)
    _print(check_lines(panel, found))
    return 0 if found.sound else 2


def _derive(args: argparse.Namespace) -> int:
    panel = Panel.open(Path(args.folder))
    recipes = load_recipes(args.add)
    _print(derived_lines(panel.derive(*recipes, out=args.out), recipes))
    return 0


def _add_wave(args: argparse.Namespace) -> int:
    from audiencelab.panel.adding import add_wave

    added = add_wave(args.folder, args.sources, args.codebook, out=args.out)
    _print(added_lines(added))
    return 0


def _rake(args: argparse.Namespace) -> int:
    _print(raked_lines(rake(args.folder, args.targets, out=args.out)))
    return 0


def _export(args: argparse.Namespace) -> int:
    from audiencelab.panel.exporting import export_panel

    found = export_panel(Panel.open(Path(args.folder)), args.out, replace=args.replace)
    print(f"wrote     {found.respondents}: {found.rows:,} rows, {found.columns:,} columns")
    print(f"wrote     {found.codebook}")
    return 0


def _out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", metavar="DIR", help="write a new panel there, and leave the old one as it is"
    )


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)
