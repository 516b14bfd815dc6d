"""What may go on and what may come back, by itself: no server here."""

import pytest

from audiencelab.jupyter.server.passing import asked_of
from audiencelab.jupyter.server.proxy import path_within


@pytest.mark.parametrize(
    ("include", "sent"),
    [("datapoints", True), ("datapoints,categories", True), ("a b", False), ("a&b=c", False)],
)
def test_a_parameter_is_a_list_of_names(include: str, sent: bool) -> None:
    asked = asked_of("GET", "/v2/questions/q4", {"include": include, "token": "x"}, {})
    assert asked is not None
    assert asked.query == ({"include": include} if sent else {})


@pytest.mark.parametrize("base", ["", "/user/service", "/user/service/x"])
@pytest.mark.parametrize("name", ["demo", "service", "a%2Fservice"])
def test_what_follows_service_is_the_path_whatever_stands_before(base: str, name: str) -> None:
    uri = f"{base}/audiencelab/connections/{name}/service/v2/questions/a%2Fb?include=x"
    assert path_within(uri) == "/v2/questions/a%2Fb"
