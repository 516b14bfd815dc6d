"""An endpoint finds in the path of a request what was put into it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from audiencelab.schema.endpoints import ENDPOINTS, GET_QUESTION, Endpoint, endpoint_of
from tests.messages import fails


@given(st.sampled_from(ENDPOINTS), st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_request_is_recognised_with_its_parameters(endpoint: Endpoint, value: str) -> None:
    request = endpoint.request(*[value] * len(endpoint.parameters))
    assert endpoint_of(request.method, request.path) is endpoint
    assert endpoint.match(request.path) == dict.fromkeys(endpoint.parameters, value)


def test_a_parameter_is_one_segment_and_must_be_given() -> None:
    assert GET_QUESTION.match("/v2/questions/core/q4") is None
    assert GET_QUESTION.match("/v2/questions/") is None
    with fails(ValueError):
        GET_QUESTION.request()
