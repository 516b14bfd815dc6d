"""The subcommand `audiencelab cache`: surveys that `audiencelab.open()` has imported."""

from __future__ import annotations

from datetime import datetime

import click

from audiencelab.cli.output import echo, examples
from audiencelab.ingest.cache import cached_surveys, clear_cache
from audiencelab.wording import plural


@click.group()
def cache() -> None:
    """List or clear the surveys that audiencelab.open() has imported."""


@cache.command("list", epilog=examples("cache list"))
def list_surveys() -> None:
    """List the imported surveys, the one used last first."""
    found = cached_surveys()
    for each in found:
        used = f"{datetime.fromtimestamp(each.used):%Y-%m-%d %H:%M}"
        echo(f"{each.entry.source}  {each.entry.size / 1e6:,.1f} MB  used {used}")
        echo(f"  {each.folder / each.entry.survey}")
    if not found:
        echo("No survey is kept.")


@cache.command(epilog=examples("cache clear"))
def clear() -> None:
    """Remove all imported surveys.

    They are imported again when they are opened.
    """
    echo(f"Removed {plural(clear_cache(), 'survey')}.")
