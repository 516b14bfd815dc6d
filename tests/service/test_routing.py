"""Paths, methods and request ids."""

from __future__ import annotations

import pytest

from audiencelab.service import Service
from tests.service.asking import ask


@pytest.mark.parametrize(
    "path", ["/", "/v2/questions", "/v2/questions/", "/v2/questions/a/b", "/v1/nothing", ""]
)
def test_an_unknown_path_is_not_found(service: Service, path: str) -> None:
    answer = ask(service, "GET", path)
    assert answer.status == 404
    assert answer.json["status"] == 404


def test_a_known_path_with_another_method_names_its_own(service: Service) -> None:
    answer = ask(service, "DELETE", "/v2/query/stats")
    assert (answer.status, answer.headers["allow"]) == (405, "POST")


def test_path_parameters_are_decoded_once(service: Service) -> None:
    assert ask(service, "GET", "/v2/questions/core%2Eq2").status == 200
    assert ask(service, "GET", "/v2/questions/core%252Eq2").status == 404


def test_a_plain_request_id_comes_back(service: Service) -> None:
    given = ask(service, "GET", "/v2/questions/q2", headers={"x-request-id": "notebook-7.cell_3"})
    assert given.headers["x-request-id"] == "notebook-7.cell_3"


@pytest.mark.parametrize("value", [None, "two words", "a\r\nSet-Cookie: b", "x" * 129])
def test_any_other_request_gets_an_id_of_its_own(service: Service, value: str | None) -> None:
    headers = {} if value is None else {"X-Request-Id": value}
    first = ask(service, "GET", "/v2/questions/q2", headers=headers).headers["x-request-id"]
    second = ask(service, "GET", "/v1/nothing", headers=headers).headers["x-request-id"]
    assert first != second
    assert first != value


def test_a_bug_is_a_500_that_tells_nothing_of_it(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("canary")

    monkeypatch.setattr(service._contexts.current().engine, "stats", broken)
    answer = ask(service, "POST", "/v2/query/stats", {"question": "q2"})
    assert answer.status == 500
    assert b"canary" not in answer.body
    assert answer.headers["x-request-id"] in caplog.text
