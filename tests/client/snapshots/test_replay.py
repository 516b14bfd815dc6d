"""Replay: what was recorded comes back byte for byte, in order, and breaks where it broke."""

from __future__ import annotations

import pickle
from pathlib import Path
from urllib.parse import urlencode

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiencelab.client.snapshots.replay import ReplayTransport, SnapshotMiss, open_replay
from audiencelab.schema.http import Request, TransportError
from tests.client.snapshots.scripted import Scripted, ask, heard, put, stored
from tests.messages import fails


def replayed(door: ReplayTransport, request: Request) -> bytes:
    return door.send(request).read()


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(
    chunks=st.lists(st.binary(min_size=1, max_size=40), max_size=6),
    size=st.integers(1, 50),
    status=st.sampled_from([200, 201, 400, 404]),
)
def test_any_exchange_comes_back_byte_for_byte_at_any_chunk_borders(
    tmp_path: Path, chunks: list[bytes], size: int, status: int
) -> None:
    whole = b"".join(chunks)
    kept = heard([(ask(), Scripted(list(chunks), status=status))])
    door = ReplayTransport(stored(tmp_path, kept), chunk=size)
    assert replayed(door, ask()) == whole
    assert door.send(ask()).status == status


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(body=json_values, query=st.dictionaries(st.text(max_size=4), st.text(max_size=4)))
def test_any_request_is_found_again(tmp_path: Path, body: object, query: dict[str, str]) -> None:
    request = Request("POST", "/v1/things", urlencode(query), body=msgspec.json.encode(body))
    kept = heard([(request, Scripted([b"found"]))])
    assert replayed(ReplayTransport(stored(tmp_path, kept)), request) == b"found"


@given(body=st.binary(max_size=30))
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_so_is_one_whose_body_is_no_json(tmp_path: Path, body: bytes) -> None:
    kept = heard([(ask(body=body), Scripted([b"found"]))])
    assert replayed(ReplayTransport(stored(tmp_path, kept)), ask(body=body)) == b"found"


def test_the_same_json_written_otherwise_is_the_same_request(tmp_path: Path) -> None:
    kept = heard([(ask(body=b'{"a":1.0,"b":"\\u00e9"}'), Scripted([b"found"]))])
    door = ReplayTransport(stored(tmp_path, kept))
    assert replayed(door, ask(body='{ "b": "é", "a": 1 }'.encode())) == b"found"


def test_what_changed_between_two_askings_changes_again(tmp_path: Path) -> None:
    answers = [b"A", b"A", b"B", b"A"]
    kept = heard((ask(), Scripted([answer])) for answer in answers)
    assert [exchange.asked for exchange in kept] == [2, 1, 1]
    door = ReplayTransport(stored(tmp_path, kept))
    assert [replayed(door, ask()) for _ in range(6)] == [*answers, b"A", b"A"]


def test_each_request_has_its_own_order(tmp_path: Path) -> None:
    one, other = ask(body=b"1"), ask(body=b"2")
    kept = heard([(one, Scripted([b"A"])), (other, Scripted([b"X"])), (one, Scripted([b"B"]))])
    door = ReplayTransport(stored(tmp_path, kept))
    assert [replayed(door, each) for each in (other, one, one)] == [b"X", b"A", b"B"]


def test_a_request_that_is_no_json_is_a_miss_like_any_other(tmp_path: Path) -> None:
    door = ReplayTransport(stored(tmp_path, heard([(ask(), Scripted([b"A"]))])))
    assert repr(door) == "<ReplayTransport of a.audiencelab.jsonl>"
    for body in (b"{", b"\xff", b"[" * 100_000):
        with fails(SnapshotMiss):
            door.send(ask("/v3/questions/filter", body))


def test_a_stream_that_broke_breaks_at_the_same_byte(tmp_path: Path) -> None:
    broken = Scripted([b"first ", b"second"], TransportError("It broke.", timeout=True))
    answer = ReplayTransport(stored(tmp_path, heard([(ask(), broken)]))).send(ask())
    assert next(answer.body) == b"first second"
    with fails(TransportError) as caught:
        next(answer.body)
    assert caught.value.timeout


def test_a_stream_that_was_called_off_is_a_miss_to_whoever_reads_on(tmp_path: Path) -> None:
    kept = heard([(ask(), Scripted([b"first ", b"second"]))], most=1)
    assert (kept[0].complete, kept[0].body) == (False, "first ")
    answer = ReplayTransport(stored(tmp_path, kept)).send(ask())
    assert next(answer.body) == b"first "
    with fails(SnapshotMiss):
        answer.read()


def test_a_miss_names_the_nearest_request_and_what_differs(tmp_path: Path) -> None:
    near = ask(body=b'{"question":"q4","waves":["q1_2024"]}')
    far = ask(body=b'{"question":"q20","splitter":"waves"}')
    path = put(tmp_path / "my.jsonl", heard([(far, Scripted([b"A"])), (near, Scripted([b"B"]))]))
    door, _ = open_replay(path)
    with pytest.raises(SnapshotMiss) as caught:
        door.send(ask(body=b'{"question":"q4","waves":["q2_2024"],"locations":[]}'))
    assert str(caught.value) == (
        "my.jsonl holds no response to POST /v2/query/stats as asked here.\n"
        "The nearest recorded request, line 3, differs in:\n"
        "  /locations: recorded nothing, asked []\n"
        '  /waves/0: recorded "q1_2024", asked "q2_2024"\n'
        "To add it, run the notebook on the service again: "
        'with client.recording("my.jsonl"): …'
    )
    assert isinstance(caught.value, LookupError)
    with fails(SnapshotMiss) as other:
        door.send(ask(path="/v2/query/crosstab"))
    assert other.value.differences == ()
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.differences) == (str(caught.value), caught.value.differences)
