"""The subcommands `audiencelab lab`, `audiencelab lite` and `audiencelab connections`.

No token passes through `connections`: adding a remote service reports where its token goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import click

from audiencelab.cli.help import SETTINGS, HeadedGroup, command
from audiencelab.cli.output import FINDINGS, echo, echo_lines, examples, file_argument, file_option
from audiencelab.jupyter import launch
from audiencelab.jupyter.connections import health, registry
from audiencelab.jupyter.connections.connection import (
    Connection,
    ConnectionFault,
    credential_status,
    token_advice,
)
from audiencelab.local_servers import is_loopback


@command(epilog=examples("lab", "lab answers.sav", "lab analysis.ipynb --survey my-survey"))
@file_argument("file", required=False)
@file_option("--survey", "DIR", "Work on this survey instead of the demo survey.")
@file_option(
    "--store", "FILE", "The file that keeps charts and saved audiences (default: in memory)."
)
@click.option(
    "--workbench", is_flag=True, help="Open the workbench of this folder in place of a notebook."
)
@click.option("--new", is_flag=True, help="Open a new notebook, whatever is in this folder.")
@click.option("--no-browser", is_flag=True, help="Only print the address, open nothing.")
def lab(
    file: Path | None,
    survey: Path | None,
    store: Path | None,
    workbench: bool,
    new: bool,
    no_browser: bool,
) -> None:
    """Open JupyterLab on the last work in this folder, or on FILE.

    FILE is a notebook, a workbench document or a survey file, whose first table is shown. Without
    FILE and without work in this folder: its survey file, or the launcher if there are several,
    else a small starter notebook.
    """
    launch.open_lab(
        file, survey=survey, store=store, workbench=workbench, new=new, open_browser=not no_browser
    )


@command(
    epilog=examples(
        "lite site",
        "lite site --survey my-survey --notebook analysis.ipynb",
        "lite site --pyodide DIR",
    )
)
@file_argument("folder")
@file_option("--survey", "DIR", "The survey that connect() opens (default: the demo survey).")
@click.option(
    "--notebook",
    "notebooks",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A notebook, or a folder of notebooks; may be repeated.",
)
@click.option(
    "--pyodide",
    metavar="DIR|URL",
    help="Copy Pyodide from a folder, or name the address to load it from (default: its CDN).",
)
def lite(
    folder: Path, survey: Path | None, notebooks: tuple[Path, ...], pyodide: str | None
) -> None:
    """Write JupyterLab with this package as static files, for a browser alone.

    FOLDER can be served by any web host, such as `python -m http.server --directory FOLDER`.
    """
    from audiencelab.jupyter.lite import make_site

    size = make_site(folder, survey=survey, notebooks=notebooks, pyodide=pyodide)
    echo(f"{folder}: {size / 1e6:.0f} MB of static files, for any web host. To see it here:")
    echo(f"python -m http.server --directory {folder} --bind 127.0.0.1")


@click.group(cls=HeadedGroup, context_settings=SETTINGS)
def connections() -> None:
    """Manage the connections of JupyterLab: remote services and surveys."""


@connections.command("list", epilog=examples("connections list"))
def list_connections() -> None:
    """Show the connections, and where each is configured."""
    listing = registry.list_connections()
    width = max(len(each.name) for each in listing.connections)
    for each in listing.connections:
        mark = "*" if each.name == listing.default else " "
        echo(f"{mark} {each.name:<{width}}  {each.kind:<10}  {each.location}  ({_source(each)})")
    echo(f"* is where connect() leads. Your own are in {registry.connections_file()}")
    echo_lines(f"! {problem}" for problem in listing.problems)


@connections.command(
    epilog=examples(
        "connections add survey my-survey",
        'connections add team https://research.example --title "Team survey"',
    )
)
@click.argument("name")
@click.argument("target", metavar="URL|SURVEY")
@click.option("--title", default="", metavar="WORDS", help="The title that people see.")
@click.option("--replace", is_flag=True, help="Replace the connection that has this name.")
def add(name: str, target: str, title: str, replace: bool) -> None:
    """Name a remote service or a survey.

    NAME is made of letters, digits, dots, dashes and underscores.
    """
    made = registry.add(name, target, title, replace=replace)
    echo(f"{made.name} is in {registry.connections_file()}: {made.code}")
    if made.kind == "deployment":
        echo_lines(_token_advice(made))


@connections.command(epilog=examples("connections remove team"))
@click.argument("name")
def remove(name: str) -> None:
    """Remove a connection; the survey or service is untouched."""
    registry.remove(name)
    echo(f"{name} is removed. What it named is untouched, and so is any token.")


@connections.command(epilog=examples("connections check team"))
@click.argument("name")
def check(name: str) -> int:
    """Check that a connection's service answers; exit code 1 if not."""
    listing = registry.list_connections()
    connection = listing.find(name)
    if connection is None:
        names = ", ".join(each.name for each in listing.connections)
        raise ConnectionFault(f"There is no connection {name!r}. There are: {names}.")
    found = health.check(connection)
    if found.status != "ready":
        echo(f"{name}: {found.status}. {found.message}")
        return FINDINGS
    echo(f"{name}: {found.message} ({found.milliseconds:,} ms)")
    return 0


def _source(connection: Connection) -> str:
    credential = credential_status(connection)
    if not credential.needed:
        return connection.source
    token = f"token: {credential.location}" if credential.found else "no token found"
    return f"{connection.source}; {token}"


def _token_advice(made: Connection) -> Iterator[str]:
    credential = credential_status(made)
    if credential.found:
        yield f"Its token is found: {credential.location}."
    else:
        yield token_advice(made.location)
    if made.location.startswith("http://") and not is_loopback(
        urlsplit(made.location).hostname or ""
    ):
        yield "Over plain http:// the token is not sent to another machine: use https://."
