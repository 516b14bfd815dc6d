"""The subcommand `audiencelab credentials`: who may ask a served service."""

from __future__ import annotations

from pathlib import Path

import click

from audiencelab.cli.help import SETTINGS, HeadedGroup
from audiencelab.cli.output import echo, examples, file_argument, text_table
from audiencelab.service.credentials import (
    Credential,
    CredentialsError,
    digest_of,
    new_token,
    read_credentials,
    write_credentials,
)


@click.group(cls=HeadedGroup, context_settings=SETTINGS)
def credentials() -> None:
    """Make, list and revoke the named credentials of a file that `audiencelab serve` reads.

    The file has digests, and no token. A server that runs takes up a change at once.
    """


@credentials.command(
    epilog=examples(
        "credentials add team.toml ana@example.org --write", "credentials add team.toml reports"
    )
)
@file_argument("file")
@click.argument("name")
@click.option("--write", is_flag=True, help="It may create and update charts and audiences.")
def add(file: Path, name: str, write: bool) -> None:
    """Make a token for NAME and print it once.

    For a NAME that exists it is one more token, so that the old one works until it is revoked.
    """
    known = read_credentials(file) if file.exists() else {}
    if name in known and write and known[name].rights == "read":
        raise CredentialsError(f"{name} may only read. Revoke it first, then add it with --write.")
    token = new_token()
    entry = known.setdefault(name, Credential([], "write" if write else "read"))
    entry.sha256.append(digest_of(token))
    write_credentials(file, known)
    echo(token)


@credentials.command("list", epilog=examples("credentials list team.toml"))
@file_argument("file")
def list_credentials(file: Path) -> None:
    """List the names, what they may do, and how many tokens they have."""
    rows = [
        (name, each.rights, str(len(each.sha256))) for name, each in read_credentials(file).items()
    ]
    for line in text_table(("name", "may", "tokens"), rows):
        echo(line)


@credentials.command(
    epilog=examples(
        "credentials revoke team.toml reports", "credentials revoke team.toml ana@example.org --old"
    )
)
@file_argument("file")
@click.argument("name")
@click.option("--old", is_flag=True, help="All tokens of NAME but the newest.")
def revoke(file: Path, name: str, old: bool) -> None:
    """Refuse the tokens of NAME from now on."""
    known = read_credentials(file)
    if name not in known:
        raise CredentialsError(f"{file} has no credential {name!r}. It has: {', '.join(known)}.")
    if old:
        known[name].sha256 = known[name].sha256[-1:]
    else:
        del known[name]
    write_credentials(file, known)
