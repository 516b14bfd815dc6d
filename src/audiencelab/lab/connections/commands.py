"""The subcommand `audiencelab connections`: the services that JupyterLab's side bar offers.

No token passes through it: adding a deployment says where its token goes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from audiencelab.lab.connections import file
from audiencelab.lab.connections.checking import check
from audiencelab.lab.connections.places import (
    Connection,
    ConnectionFault,
    credential_of,
    where_a_token_goes,
)
from audiencelab.lab.connections.sources import known

__all__ = ["add_connections_arguments", "run_connections"]


def add_connections_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `audiencelab connections`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="show the connections, and where each was named")
    add = actions.add_parser("add", help="name a deployment or a panel")
    add.add_argument("name", metavar="NAME", help="letters, digits, dots, dashes and underscores")
    add.add_argument("target", metavar="URL|PANEL", help="a deployment's address, or a panel")
    add.add_argument("--title", default="", metavar="WORDS", help="what people call it")
    add.add_argument(
        "--replace", action="store_true", help="take the place of one that has the name"
    )
    remove = actions.add_parser("remove", help="forget a connection")
    remove.add_argument("name", metavar="NAME", help="as `connections list` has it")
    check_one = actions.add_parser("check", help="say whether a connection's service answers")
    check_one.add_argument("name", metavar="NAME", help="as `connections list` has it")


def run_connections(arguments: argparse.Namespace) -> int:
    """List, add, remove or check.

    Raises:
        ConnectionFault: a name that is taken, unknown or no name, or a service that is not ready.
        ConnectionChoiceError: what begins like an address and is none.
        PanelError: what holds no panel.
    """
    if arguments.action == "list":
        for line in _lines():
            print(line)
    elif arguments.action == "add":
        for line in _added(arguments):
            print(line)
    elif arguments.action == "remove":
        file.remove(arguments.name)
        print(f"{arguments.name} is forgotten. What it named is untouched, and so is any token.")
    else:
        _check(arguments.name)
    return 0


def _lines() -> Iterator[str]:
    listing = known()
    width = max(len(each.name) for each in listing.connections)
    for each in listing.connections:
        mark = "*" if each.name == listing.default else " "
        yield f"{mark} {each.name:<{width}}  {each.kind:<10}  {each.place}  ({_named(each)})"
    yield f"* is where connect() leads. Your own are in {file.connections_file()}"
    for problem in listing.problems:
        yield f"! {problem}"


def _named(connection: Connection) -> str:
    credential = credential_of(connection)
    if not credential.needed:
        return connection.source
    token = f"token: {credential.place}" if credential.found else "no token found"
    return f"{connection.source}; {token}"


def _added(arguments: argparse.Namespace) -> Iterator[str]:
    made = file.add(arguments.name, arguments.target, arguments.title, replace=arguments.replace)
    yield f"{made.name} is in {file.connections_file()}: {made.code}"
    if made.kind != "deployment":
        return
    credential = credential_of(made)
    if credential.found:
        yield f"Its token is found: {credential.place}."
    else:
        yield where_a_token_goes(made.place)
    if made.place.startswith("http://") and not _is_near(made.place):
        yield "Over plain http:// the token is not sent to another machine: use https://."


def _is_near(address: str) -> bool:
    from urllib.parse import urlsplit

    from audiencelab.hosts import is_loopback

    return is_loopback(urlsplit(address).hostname or "")


def _check(name: str) -> None:
    listing = known()
    connection = listing.find(name)
    if connection is None:
        names = ", ".join(each.name for each in listing.connections)
        raise ConnectionFault(f"There is no connection {name!r}. There are: {names}.")
    found = check(connection)
    if found.status != "ready":
        raise ConnectionFault(f"{name}: {found.status}. {found.message}")
    print(f"{name}: {found.message} ({found.milliseconds:,} ms)")
