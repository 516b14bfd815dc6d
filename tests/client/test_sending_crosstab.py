"""The crosstab's flow: a table out of a stream, gone on with where it broke."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from audiencelab.client import errors
from audiencelab.client.options import ClientOptions
from audiencelab.schema.http import TransportError
from audiencelab.tables import CrosstabResult
from tests.client.scripted import CUT, ONCE, Head, Script, World, fetch, refused
from tests.client.stream.small_table import COLUMNS, ROWS, cells
from tests.messages import fails


def lines(count: int) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in cells()[:count])


def ask(answers: Script, options: ClientOptions = ONCE) -> tuple[CrosstabResult, list[Any]]:
    world = World()
    return world.crosstab(CrosstabResult(ROWS, COLUMNS), answers, options), world.updates


def test_a_whole_stream_gives_the_table() -> None:
    result, updates = ask([Head(200, {}), lines(2), lines(6)])
    assert result.complete
    assert [update.arrived for update in updates] == [2, 6]


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ([], "closed the stream"),
        ([b'{"audiences": {"row"'], "middle of object 4"),
        ([b'{"title": "Too busy", "status": 503}\n'], "failed while sending: Too busy"),
        ([b"<html>"], "no JSON object"),
        ([TransportError("The connection broke.")], "The connection broke."),
    ],
)
def test_a_stream_that_ends_early_holds_what_came(rest: Script, words: str) -> None:
    with fails(errors.IncompleteStream) as caught:
        ask([Head(200, {}), lines(3), *rest])
    error = caught.value
    assert words in str(error)
    assert error.result.count == 3
    assert error.result.missing() == [(1, 1), (2, 0), (2, 1)]
    assert error.__context__ is None
    again = pickle.loads(pickle.dumps(error))
    assert again.result.missing() == error.result.missing()
    assert str(again) == str(error)


def test_text_in_one_piece_with_the_last_cell_is_told_and_costs_no_cell() -> None:
    with fails(errors.IncompleteStream) as caught:
        ask([Head(200, {}), lines(3) + b"Internal Server Error"])
    assert "After 3 objects comes no JSON object but b'Internal Server Error'." in str(caught.value)


def test_cells_that_no_place_is_sure_for_are_told() -> None:
    [found] = cells()[:1]
    for name in ("row", "column"):
        found[f"{name}_index"] = 0
        found["audiences"][name] |= found["base"] | {"audience": "made up by the service"}
        del found[name]
    with fails(errors.IncompleteStream):
        ask([Head(200, {}), json.dumps(found).encode()])


@pytest.mark.parametrize(
    "document",
    [
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
        b'{"row": ' + b"[" * 5_000 + b"]" * 5_000 + b"}",
        b'{"row": {"name": "\xff"}}',
    ],
)
def test_nesting_without_end_and_broken_text_are_named(document: bytes) -> None:
    with fails(errors.IncompleteStream):
        ask([Head(200, {}), document])
    with pytest.raises(errors.InvalidResponse):
        fetch([Head(200, {}), document], ONCE)
    assert refused(400, document).status == 400


def test_nothing_at_all_is_an_early_end_too() -> None:
    with fails(errors.IncompleteStream):
        ask([Head(200, {})])


def test_what_follows_a_whole_table_is_of_no_interest() -> None:
    result, _ = ask([Head(200, {}), lines(6), b"<!-- done -->"])
    assert result.complete


def test_a_refused_crosstab_is_an_ordinary_refusal() -> None:
    with pytest.raises(errors.InvalidRequest):
        ask([Head(400, {}), b"{}"])


# -- going on with a stream ------------------------------------------------------------------


def resumed(answers: Script, options: ClientOptions | None = None) -> tuple[World, CrosstabResult]:
    world = World()
    return world, world.crosstab(CrosstabResult(ROWS, COLUMNS), answers, options)


def asked(world: World) -> list[Any]:
    return [json.loads(each.body or b"") for each in world.sent]


@pytest.mark.parametrize(
    "failure",
    [
        [b""],
        [CUT],
        [b'{"audiences": {"row"', b""],
        [b'{"title": "Too busy", "status": 503}\n'],
        [b"<html>"],
    ],
)
def test_a_broken_stream_is_gone_on_with_by_what_is_missing(failure: Script) -> None:
    world, result = resumed([Head(200, {}), lines(3), *failure, Head(200, {}), lines(6)])
    assert result.complete
    assert asked(world) == [[[0, 1, 2], [0, 1]], [[1, 2], [0, 1]]]
    assert world.waits == [0.0]
    assert [update.arrived for update in world.updates] == [3, 6]


def test_of_a_table_filled_by_several_calls_each_asks_for_its_part_alone() -> None:
    result, part = CrosstabResult(ROWS, COLUMNS), slice(1, 3)
    world = World()
    pieces = [json.dumps(each).encode() for each in cells()]
    broken: Script = [Head(200, {}), pieces[2] + pieces[3] + pieces[4], CUT]
    world.crosstab(result, [*broken, Head(200, {}), pieces[5]], part=part)
    assert asked(world) == [[[1, 2], [0, 1]], [[2], [1]]]
    assert result.missing() == [(0, 0), (0, 1)]
    world.crosstab(result, [Head(200, {}), pieces[0] + pieces[1]], part=slice(0, 1))
    assert result.complete


def test_failures_count_only_while_nothing_comes() -> None:
    pieces = [json.dumps(each).encode() for each in cells()]
    answers: Script = []
    for piece in pieces:
        answers += [CUT, CUT, Head(200, {}), piece, b""]
    world, result = resumed(answers)
    assert result.complete
    assert len(world.sent) == 18
    assert world.waits == [0.5, 1.0, *([0.0, 0.5, 1.0] * 5)]


def test_a_stream_that_brings_nothing_ends_after_its_retries() -> None:
    world = World()
    table = CrosstabResult(ROWS, COLUMNS)
    with fails(errors.IncompleteStream) as caught:
        world.crosstab(table, [Head(200, {}), lines(3), b"", CUT, Head(502, {}), b"", CUT])
    assert caught.value.attempts == 4
    assert caught.value.result.count == 3


def test_a_refusal_in_the_middle_keeps_what_came() -> None:
    with fails(errors.IncompleteStream):
        resumed([Head(200, {}), lines(3), b"", Head(401, {}), b""])


def test_what_the_service_refuses_late_is_not_asked_again() -> None:
    late = b'{"title": "No access", "status": 403}'
    with fails(errors.IncompleteStream) as caught:
        resumed([Head(200, {}), lines(3), late])
    assert caught.value.attempts == 1


def test_a_contradiction_is_an_error_at_once() -> None:
    [other] = cells()[:1]
    other["intersect"]["size"] += 100
    with fails(errors.IncompleteStream) as caught:
        resumed([Head(200, {}), lines(3), json.dumps(other).encode()])
    assert caught.value.attempts == 1
    assert not caught.value.result.complete


def test_without_retries_a_stream_is_not_gone_on_with() -> None:
    with pytest.raises(errors.IncompleteStream) as caught:
        resumed([Head(200, {}), lines(3)], ONCE)
    assert caught.value.attempts == 1
