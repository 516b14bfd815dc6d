"""The subcommand `audiencelab cache`: imported surveys, and catalogues of remote services."""

from __future__ import annotations

from datetime import datetime

import click

from audiencelab.cli.help import SETTINGS, HeadedGroup
from audiencelab.cli.output import echo, examples
from audiencelab.client.transports.kept_catalogue import clear_catalogues, kept_catalogues
from audiencelab.ingest.cache import cached_surveys, clear_cache
from audiencelab.wording import plural


@click.group(cls=HeadedGroup, context_settings=SETTINGS)
def cache() -> None:
    """List or clear imported surveys and the catalogues of remote services."""


@cache.command("list", epilog=examples("cache list"))
def list_kept() -> None:
    """List imported surveys and catalogues, of each the one used last first."""
    surveys, catalogues = cached_surveys(), kept_catalogues()
    for survey in surveys:
        echo(f"{survey.entry.source}  {_about(survey.entry.size, survey.used)}")
        echo(f"  {survey.folder / survey.entry.survey}")
    for kept in catalogues:
        echo(f"catalogue of {kept.address}  {_about(kept.size, kept.used)}")
        echo(f"  {kept.file}")
    if not surveys and not catalogues:
        echo("Nothing is kept.")


@cache.command(epilog=examples("cache clear"))
def clear() -> None:
    """Remove all imported surveys and catalogues.

    Surveys are imported again when they are opened, catalogues requested when they are needed.
    """
    surveys, catalogues = clear_cache(), clear_catalogues()
    echo(f"Removed {plural(surveys, 'survey')} and {plural(catalogues, 'catalogue')}.")


def _about(size: int, used: float) -> str:
    return f"{size / 1e6:,.1f} MB  used {datetime.fromtimestamp(used):%Y-%m-%d %H:%M}"
