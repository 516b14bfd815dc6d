"""Audiences, requests and queries that the tests of the grid share."""

from __future__ import annotations

from typing import Any

import msgspec

import audiencelab as al
from audiencelab.widgets.crosstab import Crosstab
from audiencelab.widgets.crosstab.protocol import QuerySummary, TableProgress, TableState
from tests.widgets.conftest import Wire

WOMEN = al.Audience("Women", al.Q("q2").any("q2_2"))
MEN = al.Audience("Men", al.Q("q2").any("q2_1"))
NOBODY = al.Audience("Nobody", al.Q("q2").any("q2_1") & al.Q("q2").any("q2_2"))
AGES = tuple(al.Audience(f"Age {n}", al.Q("q4").any(f"q4_{n}")) for n in range(1, 7))
EVERYONE = al.Audience("All")


def names(axis: Any) -> list[str]:
    return [item.name for item in axis or ()]


def table_state(wire: Wire, grid: Crosstab) -> TableState:
    """The table that the page shows."""
    return msgspec.convert(wire.state(grid)["_table"], TableState)


def progress(wire: Wire, grid: Crosstab) -> TableProgress:
    """How much of the table has been counted, as the page shows it."""
    return msgspec.convert(wire.state(grid)["_progress"], TableProgress)


def summary(wire: Wire, grid: Crosstab) -> QuerySummary:
    """The query as the page shows it above the table."""
    return msgspec.convert(wire.state(grid)["_question"], QuerySummary)


def about(wire: Wire, grid: Crosstab, **args: Any) -> dict[str, Any]:
    """Arguments of an operation about the table that the page shows."""
    return {"generation": table_state(wire, grid).generation, **args}


def ask(wire: Wire, grid: Crosstab, op: str, **args: Any) -> Any:
    """The answer to an operation about the table that the page shows."""
    return wire.request(grid, op, about(wire, grid, **args))


def refused(wire: Wire, grid: Crosstab, op: str, **args: Any) -> str:
    """The message with which an operation was refused."""
    number = wire.ask(grid, op, about(wire, grid, **args))
    answer = wire.answer(number).content
    assert not answer["ok"]
    return answer["error"]["message"]


def is_unanswered(wire: Wire, grid: Crosstab, asked: int) -> bool:
    """Whether a request got no answer: a later one, which is answered, shows it."""
    ask(wire, grid, "code")
    return not any(message.content.get("id") == asked for message in wire.messages)


def static_html(grid: Crosstab) -> str:
    bundle = grid._repr_mimebundle_()
    assert bundle is not None
    return bundle[0]["text/html"]
