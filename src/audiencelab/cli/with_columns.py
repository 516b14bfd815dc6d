"""The subcommand `audiencelab survey with-columns`."""

from __future__ import annotations

import click

from audiencelab.cli.help import command
from audiencelab.cli.imported import echo_card, report_command
from audiencelab.cli.output import echo, examples, quiet_option
from audiencelab.ingest.added_columns import add_columns, columns_card
from audiencelab.ingest.frame_columns import FrameColumns
from audiencelab.survey.update import open_to_change


@command("with-columns", epilog=examples("survey with-columns my-survey segments.csv --key respid"))
@click.argument("folder", metavar="DIR")
@click.argument("frame", metavar="FILE")
@click.option("--key", required=True, metavar="COLUMN", help="The column that names respondents.")
@click.option("--wave", metavar="COLUMN", help="That of the waves (default: wave).")
@click.option("--weight", multiple=True, metavar="COLUMN", help="A column of weights; repeatable.")
@click.option("--labels", metavar="FILE", help="The labels of columns and values.")
@click.option("--codebook", metavar="FILE", help="What the columns mean (.toml or .json).")
@click.option("--replace", is_flag=True, help="Replace questions and weights of these names.")
@quiet_option
def with_columns(
    folder: str,
    frame: str,
    key: str,
    wave: str | None,
    weight: tuple[str, ...],
    labels: str | None,
    codebook: str | None,
    replace: bool,
    quiet: bool,
) -> None:
    """Add columns of a file, such as segments or coded answers, as questions."""
    columns = FrameColumns.of(
        frame, key, wave=wave, weights=weight, labels=labels, codebook=codebook
    )
    changed = add_columns(open_to_change(folder), columns, replace=replace)
    if not quiet:
        echo_card(columns_card(changed, columns), report_command(folder))
        echo(f"wrote     {changed.path}")
