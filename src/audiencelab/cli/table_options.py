"""The options of commands that count: whom, which tests, how a table is arranged.

Each is named as the argument of a method of the client that it is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, cast, get_args

import click

from audiencelab.analysis.options import Versus
from audiencelab.analysis.statistics import Correction
from audiencelab.cli.help import ARRANGEMENT, TESTS, WHOM, Decorator, option
from audiencelab.cli.output import base_of_option, one
from audiencelab.client import Client
from audiencelab.client.written_conditions import ConditionError, read_condition
from audiencelab.expressions import Expression, all_of
from audiencelab.results.arrangement import ArrangementOptions, TableArrangement

_VERSUS = tuple(each for each in get_args(Versus) if each != "rows")


def listed(context: click.Context, parameter: click.Parameter, given: Any) -> list[str]:
    """The names of an option that may be repeated, or hold several between commas."""
    del context, parameter
    return [name for each in given for part in each.split(",") if (name := part.strip())]


def _window(context: click.Context, parameter: click.Parameter, given: Any) -> Any:
    return one(listed(context, parameter, given))


def names(
    name: str,
    metavar: str,
    text: str,
    read: Callable[..., Any] = listed,
    *,
    heading: str,
    **settings: Any,
) -> Decorator:
    """An option of several names; text: its help."""
    return option(
        *name.split(),
        multiple=True,
        callback=read,
        metavar=metavar,
        help=text,
        heading=heading,
        **settings,
    )


SCOPE: dict[str, Decorator] = {
    "base_audience": option(
        "--base",
        "base_audience",
        metavar="CONDITION",
        multiple=True,
        heading=WHOM,
        help="Whom to count: 'gender=Female and age>=35', 'region=North|South', 'not q5=1|2', q8 "
        "for those who answered it. Of several, all hold.",
    ),
    "base_of": base_of_option,
    "waves": names(
        "--waves",
        "WAVE,…",
        '"latest 4", "2025", "all", or codes and names of waves.',
        _window,
        heading=WHOM,
    ),
    "locations": names(
        "--locations", "LOCATION,…", "Codes or names of locations (default: all).", heading=WHOM
    ),
}
"""Whom a query counts, by the argument of the query."""


def scope_of(client: Client, options: dict[str, Any], *, quiet: bool) -> dict[str, Any]:
    """The arguments of a query, taken out of a command's options."""
    found = {name: options.pop(name) or None for name in SCOPE}
    if given := found["base_audience"]:
        found["base_audience"] = all_of(*(condition(client, each, "--base") for each in given))
    return found | {"progress": True if sys.stderr.isatty() and not quiet else None}


def condition(client: Client, text: str, at: str) -> Expression:
    """What a condition means; raises a usage error, which names the option."""
    try:
        return read_condition(client, text)
    except ConditionError as error:
        context = click.get_current_context(silent=True)
        raise click.UsageError(f"{at}: {error}", context) from None


def _renamed(context: click.Context, parameter: click.Parameter, given: Any) -> dict[str, str]:
    """Old and new names, each pair as "OLD=NEW"."""
    pairs = [each.partition("=") for each in given]
    if any(not sign for _, sign, _ in pairs):
        raise click.BadParameter("write OLD=NEW, such as --rename Female=Women", context, parameter)
    return {old.strip(): new.strip() for old, _, new in pairs}


def _stars(context: click.Context, parameter: click.Parameter, given: str | None) -> Any:
    """The respondents under which a value is marked."""
    if given is None:
        return (100, 30)
    if given.casefold() == "none":
        return None
    try:
        low, very_low = map(float, given.split(","))
    except ValueError:
        raise click.BadParameter("write 100,30 or none", context, parameter) from None
    return low, very_low


ARRANGED: dict[str, Decorator] = {
    "sort": option(
        "--sort",
        metavar="ORDER",
        heading=ARRANGEMENT,
        help="Of the rows: descending, ascending, label, or the name of a column.",
    ),
    "top": option(
        "--top", type=int, metavar="ROWS", heading=ARRANGEMENT, help="Show the largest rows only."
    ),
    "decimals": option(
        "--decimals",
        type=int,
        metavar="N",
        heading=ARRANGEMENT,
        help="Of percentages and means (default: 1).",
    ),
    "hide_under": option(
        "--hide-under",
        "--min-base",
        type=float,
        default=0,
        metavar="N",
        heading=ARRANGEMENT,
        help="Hide values that rest on fewer respondents.",
    ),
    "rename": option(
        "--rename",
        multiple=True,
        callback=_renamed,
        metavar="OLD=NEW",
        heading=ARRANGEMENT,
        help="A new name of a row, a column or a group.",
    ),
    "stars": option(
        "--stars",
        metavar="N,N",
        callback=_stars,
        heading=ARRANGEMENT,
        help="Mark values on fewer respondents * and ** (default: 100,30; none for no marks).",
    ),
}
"""How a table is arranged, by the name in `ArrangementOptions`."""


def arranged(options: dict[str, Any]) -> ArrangementOptions:
    """The arrangement of tables, taken out of a command's options and checked."""
    given = {name: options.pop(name) for name in ARRANGED}
    try:
        TableArrangement(**given)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return cast(ArrangementOptions, given)


def tests(usual: str | None) -> dict[str, Decorator]:
    """The options of tests; usual: what a column is compared with by default, None for no test."""
    choices = _VERSUS if usual is None else (*_VERSUS, "none")
    return {
        "vs": option(
            "--test",
            "--vs",
            "vs",
            type=click.Choice(choices),
            metavar="WHAT",
            default=usual,
            is_flag=False,
            flag_value="columns",
            heading=TESTS,
            help=f"Compare each column with: {', '.join(choices)}. Letters or arrows show the "
            f"result (default: {usual or 'no test'}).",
        ),
        "levels": names(
            "--levels",
            "PERCENT,…",
            "Confidence levels, one or two (default: 95 and 90).",
            heading=TESTS,
        ),
        "correction": option(
            "--correction",
            type=click.Choice(get_args(Correction)),
            metavar="METHOD",
            default="none",
            heading=TESTS,
            help=f"For the number of tests: {', '.join(get_args(Correction))} (default: none).",
        ),
    }


def tested(options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of tests, taken out of a command's options; `vs`: None for no test."""
    given = {name: options.pop(name) for name in ("vs", "levels", "correction")}
    levels = given["levels"] or ("95", "90")
    try:
        given["levels"] = [float(each.removesuffix("%")) for each in levels]
    except ValueError as error:
        raise click.UsageError(f"--levels: {error}.") from None
    return given | {"vs": None if given["vs"] == "none" else given["vs"]}
