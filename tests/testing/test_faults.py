"""A misbehaving service: each fault does what its name says, and the figures stay right."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from audiencelab.schema.blocks import CELLS
from audiencelab.service import Request, Response, Service
from audiencelab.service.responses import BrokenStreamError, problem_document
from audiencelab.testing import FaultInjector, FaultProfile, FaultRule
from audiencelab.testing.mutations import lines_of, mutate
from tests.service.asking import TOKEN

CROSSTAB = "/v2/query/crosstab"
AUDIENCES = [
    {"id": f"a{place}", "expression": {"question": "q2", "datapoints": [code]}}
    for place, code in enumerate(["q2_1", "q2_2"] * 6)
]
BODY = {"rows": AUDIENCES, "columns": AUDIENCES}


def faulty(service: Service, *rules: FaultRule, seed: int = 0, sleep: Any = None) -> FaultInjector:
    profile = FaultProfile(rules=rules, seed=seed)
    return FaultInjector(service, profile, sleep=sleep or (lambda seconds: None))


def send(handler: Any, body: Any = BODY, path: str = CROSSTAB) -> Response:
    headers = {"authorization": f"Bearer {TOKEN}", "x-request-id": "abc"}
    return handler.handle(Request("POST", path, "", headers, msgspec.json.encode(body)))


def cells(text: bytes) -> list[Any]:
    return msgspec.json.Decoder().decode_lines(text)


def concatenated(text: str) -> list[Any]:
    """Objects one after another, whatever white space is in and between them."""
    found: list[Any] = []
    while text := text.lstrip():
        value, end = json.JSONDecoder().raw_decode(text)
        found.append(value)
        text = text[end:]
    return found


@pytest.fixture(scope="module")
def honest(service: Service) -> bytes:
    return send(service).read()


def by_place(text: list[Any]) -> list[Any]:
    return sorted(text, key=lambda cell: (cell["row_index"], cell["column_index"]))


def test_lines_are_found_however_they_were_cut() -> None:
    for chunks in ([b"one\ntwo\nthree"], [b"o", b"ne\ntw", b"o\n", b"three"]):
        assert list(lines_of(chunks)) == [b"one", b"two", b"three"]
    assert list(lines_of([b"one\n", b""])) == [b"one"]


def test_the_services_own_problem_keeps_its_words() -> None:
    line = problem_document(500, "The service failed", "It did.")
    rule = FaultRule(foreign_ids=True, no_echo=True, zero_based=True)
    assert list(mutate(iter([line]), rule, Random(0))) == [line]


# -- which requests


def test_no_rule_no_fault(service: Service, honest: bytes) -> None:
    assert send(faulty(service)).read() == honest


def test_a_rule_is_about_some_paths(service: Service, honest: bytes) -> None:
    handler = faulty(service, FaultRule(path="/v2/query/stats", status=500))
    assert send(handler).read() == honest
    assert send(handler, {"question": "q2"}, "/v2/query/stats").status == 500


def test_a_rule_waits_and_wears_off(service: Service) -> None:
    handler = faulty(service, FaultRule(status=503, after=1, times=2))
    assert [send(handler).status for _ in range(5)] == [200, 503, 503, 200, 200]


def test_rules_follow_one_another(service: Service) -> None:
    handler = faulty(service, FaultRule(status=429, times=1), FaultRule(status=500, times=2))
    assert [send(handler).status for _ in range(4)] == [429, 500, 500, 200]


# -- refusals


def test_a_refusal_is_a_problem_with_the_callers_request_id(service: Service) -> None:
    answer = send(faulty(service, FaultRule(status=500, headers={"X-RateLimit-Reset": "3"})))
    headers = answer.headers
    assert msgspec.json.decode(answer.read())["status"] == 500
    assert headers["content-type"] == "application/problem+json"
    assert (headers["x-request-id"], headers["x-ratelimit-reset"]) == ("abc", "3")


def test_a_refusal_can_be_a_gateways_page(service: Service) -> None:
    answer = send(faulty(service, FaultRule(status=502, body="<html>Bad gateway</html>")))
    assert answer.read() == b"<html>Bad gateway</html>"


def test_retry_after_has_three_forms(service: Service) -> None:
    def told(form: Any) -> str:
        rule = FaultRule(status=429, retry_after=7.25, retry_after_as=form)
        return send(faulty(service, rule)).headers["retry-after"]

    assert told("seconds") == "7"
    assert told("fraction") == "7.250"
    before = datetime.now(UTC)
    until = parsedate_to_datetime(told("date"))
    after = datetime.now(UTC)
    assert before + timedelta(seconds=6) <= until <= after + timedelta(seconds=8)


# -- the objects of a stream


def test_shuffled_cells_are_the_same_cells(service: Service, honest: bytes) -> None:
    shuffled = cells(send(faulty(service, FaultRule(shuffle=True))).read())
    assert shuffled != cells(honest)
    assert by_place(shuffled) == cells(honest)


def test_duplicates_are_equal_to_the_first(service: Service, honest: bytes) -> None:
    twice = cells(send(faulty(service, FaultRule(duplicate=1.0))).read())
    assert twice == [cell for cell in cells(honest) for _ in range(2)]


def test_foreign_ids_are_one_for_each_audience_and_none_of_ours(service: Service) -> None:
    found = cells(send(faulty(service, FaultRule(foreign_ids=True))).read())
    ids = {(cell["row"]["id"], cell["audiences"]["row"]["audience"]) for cell in found}
    assert len(ids) == len(AUDIENCES)
    assert not {foreign for _, foreign in ids} & {each["id"] for each in AUDIENCES}


def test_no_echo_and_indices_from_nought(service: Service) -> None:
    found = cells(send(faulty(service, FaultRule(no_echo=True, zero_based=True))).read())
    assert all("row" not in cell and "column" not in cell for cell in found)
    assert {cell["row_index"] for cell in found} == set(range(len(AUDIENCES)))


def test_a_side_that_is_the_base_stays_at_nought(service: Service) -> None:
    rule = FaultRule(zero_based=True)
    found = cells(send(faulty(service, rule), {"rows": AUDIENCES}).read())
    assert {cell["column_index"] for cell in found} == {0}


def test_garbage_stands_between_whole_cells(service: Service, honest: bytes) -> None:
    lines = send(faulty(service, FaultRule(garbage_after=3))).read().splitlines(keepends=True)
    assert b"".join(lines[:3]) + b"".join(lines[-141:]) == honest
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(lines[3])


def test_a_late_problem_is_the_last_line(service: Service, honest: bytes) -> None:
    lines = send(faulty(service, FaultRule(problem_after=5))).read().splitlines()
    assert lines[:5] == honest.splitlines()[:5]
    assert (len(lines), msgspec.json.decode(lines[5])["status"]) == (6, 500)


def test_framings_hold_the_same_objects(service: Service, honest: bytes) -> None:
    def sent(framing: Any) -> Response:
        return send(faulty(service, FaultRule(framing=framing)))

    sequence = sent("sequence")
    assert sequence.headers["content-type"] == "application/json-seq"
    assert sequence.read().replace(b"\x1e", b"") == honest
    assert sent("joined").read() == honest.replace(b"\n", b"")
    pretty = sent("pretty").read()
    assert pretty.count(b"\n") > honest.count(b"\n") * 10
    assert concatenated(pretty.decode()) == cells(honest)


def test_an_ordinary_answer_is_indented_too(service: Service) -> None:
    body = {"question": "q2"}
    plain = send(service, body, "/v2/query/stats").read()
    handler = faulty(service, FaultRule(framing="pretty", shuffle=True))
    pretty = send(handler, body, "/v2/query/stats").read()
    assert pretty != plain
    assert msgspec.json.decode(pretty) == msgspec.json.decode(plain)


# -- the bytes


@pytest.mark.parametrize("after", [0, 1, 700, 20_000])
def test_a_clean_cut_looks_like_the_end(service: Service, honest: bytes, after: int) -> None:
    answer = send(faulty(service, FaultRule(cut_after=after)))
    assert "content-length" not in answer.headers
    assert answer.read() == honest[:after]


def test_a_broken_cut_breaks(service: Service, honest: bytes) -> None:
    answer, came = send(faulty(service, FaultRule(cut_after=700, cut="broken"))), io.BytesIO()
    with pytest.raises(BrokenStreamError):
        came.writelines(answer.body)
    assert came.getvalue() == honest[:700]


def test_a_cut_behind_the_end_cuts_nothing(service: Service, honest: bytes) -> None:
    rule = FaultRule(cut_after=len(honest), cut="broken")
    assert send(faulty(service, rule)).read() == honest


def test_pieces_are_small_and_whole_together(service: Service, honest: bytes) -> None:
    pieces = list(send(faulty(service, FaultRule(split=3))).body)
    assert {len(piece) for piece in pieces} == {1, 2, 3}
    assert b"".join(pieces) == honest


def test_chance_is_the_same_with_the_same_seed(service: Service) -> None:
    rule = FaultRule(shuffle=True, duplicate=0.5, foreign_ids=True, split=50)

    def two(seed: int) -> list[list[bytes]]:
        handler = faulty(service, rule, seed=seed)
        return [list(send(handler).body) for _ in range(2)]

    assert two(1) == two(1)
    assert two(1) != two(2)
    assert two(1)[0] != two(1)[1]


def test_delays_pass_before_the_head_and_before_each_chunk(service: Service) -> None:
    slept: list[float] = []
    handler = faulty(service, FaultRule(delay=2.0, pause=0.5, split=500), sleep=slept.append)
    answer = send(handler)
    assert slept == [2.0]
    chunks = list(answer.body)
    assert slept == [2.0, *[0.5] * len(chunks)]


def test_closing_ends_the_work_behind_a_body_that_nobody_read() -> None:
    closed: list[bool] = []

    class Watched:
        def __iter__(self) -> Any:
            return self

        def __next__(self) -> bytes:
            return b"{}\n"

        def close(self) -> None:
            closed.append(True)

    made = Response(200, {"content-type": "application/x-ndjson"}, Watched())
    service = cast(Service, SimpleNamespace(handle=lambda request: made))
    send(faulty(service, FaultRule(shuffle=True))).close()
    assert closed == [True]


def test_objects_are_changed_in_lines_and_bytes_in_blocks(service: Service) -> None:
    def kind(rule: FaultRule) -> str:
        request = Request(
            "POST",
            "/v2/query/crosstab",
            headers={"authorization": TOKEN, "accept": CELLS},
            body=b"{}",
        )
        return faulty(service, rule).handle(request).headers["content-type"]

    assert kind(FaultRule(split=3)) == CELLS
    assert kind(FaultRule(shuffle=True)) == "application/x-ndjson"
