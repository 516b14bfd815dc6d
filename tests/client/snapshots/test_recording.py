"""Recording: what is kept, and the file that appears whole or not at all."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import audiencelab as al
from audiencelab.client import Client, InvalidResponse, NotFound, connect
from audiencelab.client.snapshots.format import Snapshot, SnapshotError, read
from audiencelab.client.snapshots.recorder import Recorder
from audiencelab.client.transports.base import NO_LIMIT, Timeout
from audiencelab.client.transports.recording import RecordingTransport
from audiencelab.schema.blocks import CELLS
from audiencelab.schema.http import NDJSON, Request, Response, TransportError
from audiencelab.survey import Survey
from tests.client.conftest import Served
from tests.client.snapshots.scripted import (
    Scripted,
    ScriptedTransport,
    ask,
    heard,
    replaying,
)
from tests.messages import fails

NAME = "my.audiencelab.jsonl"


@pytest.fixture
def own(survey: Survey) -> Client:
    """A client that no other test uses, since one client has one recording at a time."""
    return connect(survey=survey)


def recorded(client: Client, path: Path) -> Snapshot:
    with client.recording(path):
        client.questions.get("q2")
    return read(path)


# -- what is kept --


@given(chunks=st.lists(st.binary(min_size=1, max_size=20), max_size=5))
def test_every_chunk_is_passed_on_untouched(chunks: list[bytes]) -> None:
    kept = Recorder(Path(NAME))
    door = RecordingTransport(ScriptedTransport([Scripted(list(chunks))]), kept)
    answer = door.send(ask())
    assert list(answer.body) == chunks
    assert kept.exchanges()[0].content == b"".join(chunks)


def test_a_recorded_request_asks_for_json_in_place_of_columnar_blocks() -> None:
    sent: list[Request] = []

    class Inner(ScriptedTransport):
        def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
            sent.append(request)
            return super().send(request, timeout)

    transport = RecordingTransport(Inner([Scripted([b""])]), Recorder(Path(NAME)))
    request = Request("POST", "/v2/query/crosstab", headers={"accept": f"{CELLS}, {NDJSON}"})
    transport.send(request)
    assert [each.headers.get("accept") for each in sent] == [NDJSON]


@pytest.mark.parametrize(
    ("answers", "kept"),
    [
        *(([(status, b"wait"), (200, b"good")], [200]) for status in (408, 429, 500, 503)),
        ([(200, None), (200, b"complete")], [200]),
        ([(200, b"up"), (503, b"down")], [200, 503]),
        ([(400, b"no"), (200, b"yes")], [400, 200]),
    ],
)
def test_a_transient_failure_is_left_out_if_a_good_response_follows(
    answers: list[tuple[int, bytes | None]], kept: list[int]
) -> None:
    broken = Scripted([b"ha"], TransportError("Cut off."))
    found = heard(
        (ask(), broken if body is None else Scripted([body], status=status))
        for status, body in answers
    )
    assert [each.status for each in found] == kept
    assert found[-1].body == (answers[-1][1] or b"").decode()


def test_only_harmless_headers_are_kept(own: Client, tmp_path: Path) -> None:
    kept = {"content-type": "application/json", "date": "now", "x-ratelimit-remaining": "7"}
    secret = {"set-cookie": "session=1", "server": "x", "authorization": "Bearer t"}
    (found,) = heard([(ask(), Scripted([b"{}"], headers={**kept, **secret}))])
    assert found.headers == kept
    recorded(own.with_options(headers={"x-team": "insight-canary"}), tmp_path / NAME)
    assert b"insight-canary" not in (tmp_path / NAME).read_bytes()


def test_the_header_names_the_service_and_the_waves(
    own: Client, survey: Survey, distant: Client, served: Served, tmp_path: Path
) -> None:
    with own.recording(tmp_path / NAME):
        own.stats("q2", waves=["q1_2023"])
    header = read(tmp_path / NAME).header
    assert (header.place, header.survey) == ("embedded", "survey")
    assert header.audiencelab == al.__version__
    assert header.location_question == survey.catalogue.location_question
    assert header.waves == ("q1_2023",)
    header = recorded(distant, tmp_path / NAME).header
    assert (header.place, header.survey) == (served.url, None)


# -- the file --


def test_the_file_appears_when_the_block_ends(own: Client, tmp_path: Path) -> None:
    before = os.umask(0o022)
    with own.recording(tmp_path / NAME) as recording:
        own.questions.get("q2")
        assert list(tmp_path.iterdir()) == []
        assert repr(recording) == f"<Recording for {NAME}, recording: 1 response>"
    os.umask(before)
    assert [each.name for each in tmp_path.iterdir()] == [NAME]
    assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600
    assert repr(recording) == f"<Recording for {NAME}, not recording: 0 responses>"


def test_a_block_that_raises_leaves_what_was_there(own: Client, tmp_path: Path) -> None:
    recorded(own, tmp_path / NAME)
    before = (tmp_path / NAME).read_bytes()
    with pytest.raises(NotFound), own.recording(tmp_path / NAME):
        own.questions.get("q999")
    assert (tmp_path / NAME).read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [NAME]
    recorded(own, tmp_path / NAME)


def test_a_link_stays_and_its_file_is_replaced(own: Client, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / NAME).symlink_to(tmp_path / "real" / NAME)
    recorded(own, tmp_path / NAME)
    assert (tmp_path / NAME).is_symlink()
    assert (tmp_path / "real" / NAME).is_file()


@pytest.mark.parametrize("content", [b'{"cells": []}', b"\x89PNG\r\n\x1a\n"])
def test_a_file_that_is_not_a_snapshot_is_never_replaced(
    own: Client, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "thesis").write_bytes(content)
    with fails(SnapshotError):
        recorded(own, tmp_path / "thesis")
    assert (tmp_path / "thesis").read_bytes() == content


@pytest.mark.parametrize("body", [b"no JSON", b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"])
def test_an_answer_that_is_no_json_is_kept_and_tells_no_waves(
    own: Client, tmp_path: Path, body: bytes
) -> None:
    own.sender.transport = ScriptedTransport([Scripted([body])])
    with own.recording(tmp_path / NAME), pytest.raises(InvalidResponse):
        own.with_options(retries=0).stats("q2")
    snapshot = read(tmp_path / NAME)
    assert [exchange.body for exchange in snapshot.exchanges] == [body.decode()]
    assert snapshot.header.waves == ()


def test_a_place_that_takes_no_file_is_refused_before_anything_is_asked(
    own: Client, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    for path, words in [
        (tmp_path / "missing" / NAME, "does not exist"),
        (tmp_path / "file" / NAME, "does not exist"),
        (tmp_path / "folder", "is not a snapshot"),
        (Path("/proc") / NAME, "is not writable"),
    ]:
        with pytest.raises(SnapshotError, match=words), own.recording(path):
            pytest.fail("the block was entered")


# -- one client, one recording --


def test_a_recording_within_a_recording_is_refused(own: Client, tmp_path: Path) -> None:
    with own.recording(tmp_path / NAME):
        copy = own.with_options(retries=0)
        with fails(SnapshotError):
            copy.recording(tmp_path / "other.jsonl").start()
        with (
            fails(SnapshotError),
            copy.recording(tmp_path / NAME),
        ):
            pytest.fail("the block was entered")
        own.questions.get("q2")
    assert len(read(tmp_path / NAME).exchanges) == 1


def test_what_the_client_knew_before_is_asked_again_on_record(own: Client, tmp_path: Path) -> None:
    assert own.catalogue
    own.stats("q2")
    with own.recording(tmp_path / NAME):
        labelled = own.stats("q2").to_frame()
    with replaying(tmp_path / NAME) as replay:
        assert replay.stats("q2").to_frame().equals(labelled)


def test_threads_and_copies_are_heard_too(own: Client, tmp_path: Path) -> None:
    codes = ["q2", "q4", "q20"]
    with own.recording(tmp_path / NAME):
        threads = [
            threading.Thread(target=own.with_options(retries=0).questions.get, args=(code,))
            for code in codes * 4
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    kept = read(tmp_path / NAME).exchanges
    assert sorted(each.path.rpartition(".")[2] for each in kept) == sorted(codes)
    assert [each.asked for each in kept] == [4, 4, 4]


def test_recording_again_replaces_a_snapshot_but_not_with_nothing(
    own: Client, tmp_path: Path
) -> None:
    recorded(own, tmp_path / NAME)
    with own.recording(tmp_path / NAME):
        own.questions.get("q4")
    after = read(tmp_path / NAME)
    assert [each.path[-2:] for each in after.exchanges] == ["q4"]
    recording = own.recording(tmp_path / NAME).start()
    with fails(SnapshotError):
        recording.save()
    assert read(tmp_path / NAME) == after


def test_cells_of_a_notebook_start_and_save(own: Client, tmp_path: Path) -> None:
    recording = own.recording(tmp_path / NAME).start()
    own.questions.get("q2")
    recording = own.recording(tmp_path / NAME).start()  # the same cell, run again
    with own.crosstab_stream(rows=[al.Q("q4").any("q4_1")]) as stream:
        next(stream)
        assert recording.save() == tmp_path / NAME
    own.questions.get("q4")
    last = read(tmp_path / NAME).exchanges[-1]
    assert (last.path, last.status) == ("/v2/query/crosstab", 200)
    assert "q2" not in {each.path[-2:] for each in read(tmp_path / NAME).exchanges}
    with fails(SnapshotError):
        recording.save()
    recording.discard()
