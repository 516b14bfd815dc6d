"""Questions, sizes and codes of a client; `tests/first_guesses` has what people type first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from audiencelab.client import Client, connect
from audiencelab.expressions import Audience, Q
from audiencelab.survey import Survey

MEN = Audience("Men", Q("q2").any("q2_1"))


def test_a_question_of_a_client_equals_that_of_the_catalogue(client: Client) -> None:
    assert client["Gender"] == client.catalogue["q2"]
    assert client["Gender"] != client.catalogue["q4"]
    assert len({client["Gender"], client["q2"]}) == 1


def test_a_size_is_that_of_a_crosstab(client: Client) -> None:
    found = client.size(client["Gender"] == "Male", waves="all")
    codes = [wave.code for wave in client.waves()]
    [cell] = client.crosstab([MEN], waves=codes).to_frame().to_dict("records")
    assert (found.size, found.sample) == (cell["size"], cell["sample"])
    assert found.percentage == cell["column_percentage"]
    assert "people (" in repr(found)


@pytest.fixture
def asked(survey: Survey) -> Iterator[tuple[Client, list[str]]]:
    """A client, and the paths that it requests."""
    paths: list[str] = []
    with connect(survey=survey) as client:
        service = client.service
        handle = service.handle

        def seen(request: Any) -> Any:
            paths.append(request.path)
            return handle(request)

        service.handle = seen  # pyright: ignore -- counts what reaches the real service
        yield client, paths


def test_codes_cost_no_request(asked: tuple[Client, list[str]]) -> None:
    client, paths = asked
    waves = [wave.code for wave in client.waves()]
    del paths[:]
    client.stats("q2", datapoints=["q2_1"], splitter="waves", segments=waves, waves=waves)
    assert [path for path in paths if "query" in path] == ["/v2/query/stats"]
