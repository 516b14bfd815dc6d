"""The scope of a query as one value, there and back."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Q
from audiencelab.schema.scope import Scope

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
    with pytest.raises(AudienceError, match="everyone, valid"):
        Scope.from_json({"base_of": "some"})
