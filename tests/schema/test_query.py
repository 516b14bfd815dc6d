"""Queries as the bodies of requests."""

from __future__ import annotations

import msgspec
import pytest

from audiencelab.expressions import Audience, Q
from audiencelab.schema.query import CrosstabQuery, Query, StatsQuery
from audiencelab.schema.scope import Scope, named_weight

WOMEN = Audience("Women", Q("q2").any("q2_2"), "row-1")
ALL = Audience("All", id="base")
SCOPE = Scope(ALL, waves=("w1",), locations=("l1",))

WOMEN_SENT = b'{"id":"row-1","name":"Women","expression":{"question":"q2","datapoints":["q2_2"]}}'
SCOPE_SENT = b'"locations":["l1"],"waves":["w1"],"base_audience":{"id":"base","name":"All"}'


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (CrosstabQuery(), b"{}"),
        (CrosstabQuery((WOMEN,), (), SCOPE), b'{"rows":[' + WOMEN_SENT + b"]," + SCOPE_SENT + b"}"),
        (CrosstabQuery((), (WOMEN,)), b'{"columns":[' + WOMEN_SENT + b"]}"),
        (StatsQuery("q4"), b'{"question":"q4"}'),
        (
            StatsQuery("q4", ("q4_1",), (), "waves", ("w1",), False, (WOMEN,), SCOPE),
            b'{"question":"q4","datapoints":["q4_1"],"suffixes":[],"splitter":"waves",'
            b'"segments":["w1"],"segmented_base":false,"audiences":[' + WOMEN_SENT + b"],"
            b"" + SCOPE_SENT + b"}",
        ),
        (CrosstabQuery(scope=Scope(base_of="valid")), b'{"base_of":"valid"}'),
        (StatsQuery("q4", scope=Scope(base_of="valid")), b'{"question":"q4","base_of":"valid"}'),
    ],
)
def test_a_body_has_what_was_given_in_the_order_of_the_interface(query: Query, sent: bytes):
    assert msgspec.json.encode(query.to_wire()) == sent


@pytest.mark.parametrize("weight", ["wgt", None, "poids d’été/2"])
def test_a_weight_is_named_by_a_header(weight: str | None):
    headers = Scope(weight=weight).headers()
    assert all(value.isascii() for value in headers.values())
    assert named_weight(headers) == weight


def test_the_usual_weight_has_no_header():
    assert Scope().headers() == {}
    assert named_weight({}) is Scope().weight
