"""The subcommand `audiencelab survey add-wave`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from msgspec import UNSET
from msgspec.structs import replace

from audiencelab.cli.help import command
from audiencelab.cli.imported import card_text, report_command
from audiencelab.cli.output import (
    FINDINGS,
    echo_lines,
    examples,
    one_of,
    out_option,
    quiet_option,
)
from audiencelab.cli.reading import reading_options
from audiencelab.ingest.added import Added
from audiencelab.ingest.adding import add_wave as import_waves


@command(
    "add-wave",
    epilog=examples(
        "survey add-wave tracker w3.sav --dry-run",
        "survey add-wave tracker w3.sav --wave 'Q1 2026'",
    ),
)
@click.argument("folder", metavar="DIR")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--wave",
    metavar="NAME",
    help="What the wave is called, such as 'Q1 2026', or the column that makes several (default: "
    "the survey's wave column, the period in the file's name, or the one after the last wave).",
)
@click.option("--weight", metavar="COLUMN", help="The weight (default: called as in the survey).")
@click.option("--no-weight", is_flag=True, help="Every respondent of the file weighs 1.")
@click.option(
    "--codebook",
    metavar="FILE",
    help="What the columns mean (.toml or .json; default: the codebook that made the survey).",
)
@reading_options("sheet", "missing", "encoding", "decide")
@click.option("--dry-run", is_flag=True, help="Show what adding would do, and write nothing.")
@out_option("DIR", "Write a new survey there, and leave the old one as it is.")
@quiet_option
def add_wave(
    folder: str,
    sources: tuple[str, ...],
    wave: str | None,
    weight: str | None,
    no_weight: bool,
    codebook: str | None,
    sheet: str | None,
    missing: dict[str, list[str]] | None,
    encoding: str | None,
    decide: dict[str, Any] | None,
    dry_run: bool,
    out: Path | None,
    quiet: bool,
) -> int:
    """Add survey files as a further wave.

    The codebook that made the survey reads them; what it does not know is drafted. The same file
    again changes nothing, and after any error the survey is as it was. With --dry-run the exit
    code is 1 if something has to be decided first.
    """
    one_of({"--weight": weight, "--no-weight": no_weight})
    added = import_waves(
        folder,
        sources,
        codebook,
        wave=wave,
        weight=None if no_weight else UNSET if weight is None else weight,
        sheet=sheet,
        missing=missing,
        encoding=encoding,
        decide=decide,
        dry_run=dry_run,
        out=out,
    )
    if not quiet:
        echo_lines(_added_lines(added))
    return FINDINGS if added.is_refused else 0


def _added_lines(added: Added) -> Iterator[str]:
    """What the import of further waves read and dropped, and how they joined the survey."""
    card = added.card()
    # All of it, in one paragraph and then line by line.
    whole = replace(card, title=" · ".join((card.title, *card.facts)), facts=())
    yield from card_text(whole, report_command(added.survey.address), most=None)
    if added.is_repeated:
        return
    yield ""
    joined = added.joined
    told = (("new questions", joined.questions), ("new answers", joined.answers))
    # Of a file that is compared, both are among its drifts.
    told = () if added.report.drift else told
    for title, names in (*told, ("labels kept", joined.changes)):
        for each in names:
            yield f"{title:<15}{each}"
    old, new = added.weight_bits
    if new != old:
        yield (
            f"All weights were rounded again, to steps of 2^-{new} instead of 2^-{old}: "
            "together they are too heavy for the old grid to sum exactly."
        )
    if added.is_refused:
        yield "Nothing can be added before what is marked with ! is decided."
    elif added.is_dry:
        yield "Nothing was written (--dry-run)."
    else:
        yield f"wrote     {added.survey.path}, with {', '.join(added.waves)}"
