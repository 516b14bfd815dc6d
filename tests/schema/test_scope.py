"""The scope of a query as one value, there and back."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Q
from audiencelab.schema.scope import SCOPE_ARGUMENTS, Scope
from tests.messages import fails

WHOLE = Scope(
    base=Audience("Women", Q("q2").any("q2_2"), "w"),
    base_of="valid",
    waves=("w1", "w2"),
    locations=("l1",),
    weight="wgt",
)


@pytest.mark.parametrize("scope", [Scope(), WHOLE, Scope(weight=None), Scope(waves=())])
def test_a_scope_is_read_as_it_was_written(scope: Scope):
    assert Scope.from_json(scope.to_json()) == scope


def test_a_request_has_every_field_but_the_weight():
    assert [*WHOLE.to_wire()] == ["locations", "waves", "base_audience", "base_of"]
    assert Scope().to_wire() == {}


def test_no_weight_is_a_choice():
    assert Scope(weight=None).to_json() == {"weight": None}
    assert Scope().weight is UNSET


def test_another_base_of_is_refused():
    with fails(AudienceError):
        Scope.from_json({"base_of": "some"})


def test_a_scope_is_made_of_the_arguments_of_a_call():
    assert [*WHOLE.arguments()] == [*WHOLE.by_argument] == [*SCOPE_ARGUMENTS]
    assert Scope.of(WHOLE.arguments()) == Scope.of(WHOLE.by_argument) == WHOLE
    assert Scope().arguments() == {}
    assert Scope(weight=None).arguments() == {"weight": None}


@pytest.mark.parametrize(
    "fields", [{"waves": "w1"}, {"waves": [1]}, {"locations": {}}, {"weight": 3}]
)
def test_a_field_of_another_type_is_refused(fields: dict[str, object]):
    with fails(AudienceError):
        Scope.from_json(fields)
