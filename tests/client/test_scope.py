"""Whom a call counts: each argument of a scope reaches the service, from every call."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import replace
from typing import Any

import msgspec
import pytest

import audiencelab as al
from audiencelab.client.context import ClientContext
from audiencelab.client.operations.queries import build_crosstab, build_stats, empty_crosstab
from audiencelab.client.options import EMBEDDED
from audiencelab.schema.http import WEIGHT
from audiencelab.schema.scope import SCOPE_ARGUMENTS, Scope
from tests.client.scripted import Head, World
from tests.messages import fails

WOMEN, YOUNG = al.Q("q2").any("q2_2"), al.Q("q4").any("q4_2")

CALLS: dict[str, tuple[Any, ...]] = {
    "stats": ("q2",),
    "crosstab": (WOMEN, YOUNG),
    "crosstab_stream": (WOMEN, YOUNG),
    "size": (WOMEN,),
    "overlap": (WOMEN, YOUNG),
    "turf": ([WOMEN, YOUNG],),
    "profile": (WOMEN, "q4"),
    "profile_stream": (WOMEN, "q4"),
    "trend": ("q2",),
    "tab_book": ("q2", ["q4"]),
    "grid": ("media.m21",),
    "respondents": (WOMEN,),
    "correlation": (["Age", "Sleep"],),
    "mean": ("Age",),
    "proportion": (WOMEN,),
    "total": (WOMEN,),
    "describe": ("Age",),
    "quantile_groups": ("q4", 3),
}


@pytest.fixture(scope="module")
def client() -> al.Client:
    return al.connect()


def test_every_call_that_counts_takes_the_arguments_of_a_scope():
    for name in CALLS:
        taken = inspect.signature(getattr(al.Client, name)).parameters
        assert [*SCOPE_ARGUMENTS] == [each for each in taken if each in SCOPE_ARGUMENTS], name
    # Others count nothing, or everyone by wave.
    for name in ("coverage", "waves", "locations", "design_effects"):
        taken = inspect.signature(getattr(al.Client, name)).parameters
        assert not {*SCOPE_ARGUMENTS} & {*taken}, name


@pytest.mark.parametrize("name", CALLS)
def test_every_call_takes_who_of_the_base_counts(client: al.Client, name: str):
    found = getattr(client, name)(*CALLS[name], base_of="valid")
    if name.endswith("_stream"):
        # It asks when it is read.
        assert list(found)


def test_a_client_has_a_scope_of_its_own(client: al.Client):
    sender = client.sender
    options = replace(sender.options, base_of="valid")
    own = al.Client(sender.transport, sender.context, options, owner=False)
    assert own.size(~WOMEN).size <= client.size(~WOMEN).size
    assert own.size(WOMEN, base_of="everyone") == client.size(WOMEN)


def test_a_foreign_service_is_never_sent_it():
    world = World()
    world.script = iter([Head(200, {}), b'{"questions": []}', b""])
    foreign = al.Client(world, ClientContext("https://example.org"), EMBEDDED)
    with fails(LookupError):
        foreign.crosstab(WOMEN, YOUNG, base_of="valid")
    # The catalogue alone, whose answer shows whose service it is.
    assert [request.path for request in world.sent] == ["/v3/questions/filter"]


def test_a_request_carries_its_scope_whole():
    scope = Scope(al.Audience("Women", WOMEN), "valid", ("w1",), ("l1",), "wgt")
    table = empty_crosstab(World().sender([]), build_crosstab([YOUNG], None, scope))
    request = build_crosstab([YOUNG], None, scope).part(table, [0], [0])
    body = msgspec.json.decode(request.body)
    assert {*body} == {"rows", "locations", "waves", "base_audience", "base_of"}
    assert request.headers[WEIGHT] == "wgt"
    assert build_stats("q2", scope).scope.headers() == {WEIGHT: "wgt"}


def test_a_result_keeps_what_was_asked(client: al.Client):
    table = client.crosstab(WOMEN, "Age", base_audience=YOUNG, waves="2025")
    assert table.asked is not None
    assert table.asked.rows == table.rows
    assert (table.asked.scope.base, len(table.asked.scope.waves or ())) == (table.base_audience, 4)
    found = client.stats("q2", weight=None)
    assert found.asked is not None
    assert (found.asked.question, found.asked.scope.weight) == ("q2", None)
    for result in (table, found):
        assert pickle.loads(pickle.dumps(result)).asked == result.asked
