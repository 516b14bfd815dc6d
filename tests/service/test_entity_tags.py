"""Entity tags: a write does not undo one that the caller has not seen, a read is not sent twice."""

from __future__ import annotations

import pytest

from audiencelab import Q
from audiencelab.service import Service
from tests.service.asking import ask

QUESTION = "/v2/questions/core.q2"


def chart(service: Service) -> tuple[str, str]:
    """The path and the tag of a new chart."""
    made = ask(service, "POST", "/v1/charts", {"name": "Chart"})
    return f"/v1/charts/{made.json['id']}", made.headers["etag"]


def audience(service: Service) -> tuple[str, str]:
    """The path and the tag of a saved audience."""
    path = f"/v2/saved/audiences/{service.save_audience(Q('q2').any('q2_1')).id}"
    return path, ask(service, "PATCH", path, {"name": "First"}).headers["etag"]


def rename(service: Service, path: str, name: str, tag: str | None) -> tuple[int, str]:
    method = "PUT" if "charts" in path else "PATCH"
    headers = {} if tag is None else {"If-Match": tag}
    answer = ask(service, method, path, {"name": name}, headers=headers)
    return answer.status, answer.headers.get("etag", "")


@pytest.mark.parametrize("make", [chart, audience])
def test_the_second_of_two_who_read_the_same_is_refused(service: Service, make: object) -> None:
    path, tag = make(service)  # type: ignore[operator]
    status, newer = rename(service, path, "Ana's", tag)
    assert (status, newer != tag) == (200, True)
    assert rename(service, path, "Bea's", tag)[0] == 412
    assert rename(service, path, "Bea's", newer)[0] == 200


@pytest.mark.parametrize("make", [chart, audience])
@pytest.mark.parametrize("tag", [None, "*"])
def test_without_a_tag_writes_are_done_as_ever(
    service: Service, make: object, tag: str | None
) -> None:
    path, _ = make(service)  # type: ignore[operator]
    assert [rename(service, path, name, tag)[0] for name in ("One", "Two")] == [200, 200]


def test_a_refused_write_changes_nothing(service: Service) -> None:
    path, _ = chart(service)
    assert rename(service, path, "Other", '"old"')[0] == 412
    assert service.chart(path.rsplit("/", 1)[1]).name == "Chart"


def test_one_of_several_tags_may_fit_and_a_weak_one_too(service: Service) -> None:
    path, tag = chart(service)
    assert rename(service, path, "Other", f'"old", W/{tag}')[0] == 200


def test_a_read_of_what_the_caller_has_is_304_without_a_body(service: Service) -> None:
    first = ask(service, "GET", QUESTION)
    again = ask(service, "GET", QUESTION, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    more = f"{QUESTION}?include=datapoints"
    assert ask(service, "GET", more, headers={"If-None-Match": first.headers["etag"]}).status == 200


def test_the_catalogue_is_not_sent_twice_either(service: Service) -> None:
    path, whole = "/v3/questions/filter", {"include": {"datapoints": True}}
    first = ask(service, "POST", path, whole)
    seen = {"If-None-Match": first.headers["etag"]}
    again = ask(service, "POST", path, whole, headers=seen)
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert ask(service, "POST", path, {}, headers=seen).status == 200


def test_a_refusal_has_no_tag(service: Service) -> None:
    answer = ask(service, "GET", "/v2/questions/nowhere", headers={"If-None-Match": "*"})
    assert answer.status == 404
