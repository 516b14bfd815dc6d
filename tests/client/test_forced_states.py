"""States that a client meets rarely, forced by replacing one part of the package.

Parts of a request: a profile of a thousand answers takes long. Interrupts: at one moment of a call.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import audiencelab
from audiencelab.client import Client, InvalidRequest, connect
from audiencelab.client.operations import profile as profiles
from audiencelab.client.operations import tab_book
from audiencelab.client.snapshots import recorder
from audiencelab.client.snapshots.format import canonical
from audiencelab.client.snapshots.recorder import Recorder
from audiencelab.expressions import Q
from audiencelab.schema.http import Request, Response
from audiencelab.service import Service
from audiencelab.survey import Survey
from tests.client.between import between
from tests.client.conftest import TOKEN, Served
from tests.client.snapshots.scripted import ask as request_of
from tests.client.test_canary import assert_absent, verbose
from tests.client.test_client import MEN, RADIO
from tests.client.test_profile import YOUNG, figures
from tests.messages import fails

NAME = "my.audiencelab.jsonl"


def test_a_bar_is_drawn_and_closed_on_every_way_out(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tqdm.auto

    bars: list[Any] = []

    class Kept(tqdm.auto.tqdm):  # type: ignore[type-arg] -- tqdm's stubs and its code differ
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.closings = 0
            bars.append(self)

        def close(self) -> None:
            self.closings = getattr(self, "closings", 0) + 1
            super().close()

    monkeypatch.setattr(tqdm.auto, "tqdm", Kept)
    client.crosstab(rows=[MEN, RADIO], columns=[MEN], progress=True)
    with pytest.raises(InvalidRequest):
        client.crosstab(rows=[Q("q2").any("q2_9")], progress=True)
    assert [(bar.n, bar.total, bar.unit) for bar in bars] == [(2, 2, "cells"), (0, 1, "cells")]
    assert all(bar.closings for bar in bars)
    with fails(TypeError):
        client.crosstab(progress="bar")  # type: ignore[arg-type] -- the slip


def test_parts_change_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = client.profile(YOUNG)
    monkeypatch.setattr(profiles, "_MOST_ROWS", 3)
    with client.profile_stream(YOUNG) as stream:
        updates = list(stream)
    arrived = [update.arrived for update in updates]
    assert arrived[0] == 0
    assert arrived == sorted(arrived)
    assert {update.expected for update in updates} == {whole.expected}
    assert arrived[-1] == whole.expected
    assert {3, 6} <= set(arrived)
    assert figures(stream.result) == figures(whole)


def test_a_stream_fills_its_result_and_can_be_called_off(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profiles, "_MOST_ROWS", 2)
    with client.profile_stream(YOUNG) as stream:
        assert len(stream.result) == 0
        assert not stream.result.complete
        assert "0 answers" in repr(stream.result)
        first = next(stream)
        assert (first.arrived, first.expected) == (0, stream.result.expected)
        next(stream)
        assert 0 < len(stream.result) < stream.result.expected
        assert len(stream.result.to_frame()) == len(stream.result)
        assert "answers so far" in stream.result._repr_html_()
    assert list(stream) == []
    assert len(stream.result) < stream.result.expected


def test_a_request_has_no_more_rows_and_bytes_than_allowed(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[list[bytes]] = []

    def noted(request: Request, answer: Callable[[], Response]) -> Response:
        if request.path.endswith("crosstab"):
            rows = msgspec.json.decode(request.body)["rows"]
            sent.append([msgspec.json.encode(row) for row in rows])
        return answer()

    noting = between(client, noted)
    whole = noting.profile(YOUNG)
    [every] = sent
    two = sum(map(len, every[:2]))
    for name, value, most in (("_MOST_ROWS", 3, 3), ("_MOST_BYTES", two, 2), ("_MOST_BYTES", 1, 1)):
        sent.clear()
        with monkeypatch.context() as limited:
            limited.setattr(profiles, name, value)
            assert figures(noting.profile(YOUNG)) == figures(whole)
        assert [row for rows in sent for row in rows] == every
        assert len(sent[0]) == most


def test_every_accessible_question_is_in_a_whole_book_however_it_is_divided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = connect()
    seen: list[tuple[int, int]] = []
    whole = client.tab_book("Gender", progress=lambda *counts: seen.append(counts))
    assert len(whole) == sum(each.accessible for each in client.catalogue)
    assert seen[-1][0] == seen[-1][1] == sum(len(each) for each in whole.values())
    assert sorted(seen) == seen
    monkeypatch.setattr("audiencelab.client.operations.tab_book._MOST_ROWS", 20)
    monkeypatch.setattr(tab_book, "_MOST_ROWS", 20)
    divided = client.tab_book("Gender")
    assert list(divided) == list(whole)
    for name, table in whole.items():
        assert np.array_equal(
            divided[name].values("index"), table.values("index"), equal_nan=True
        ), name


@pytest.mark.parametrize(
    "ask",
    [
        lambda c: c.stats("q2"),
        lambda c: c.crosstab(rows=[MEN]),
        lambda c: list(c.insights.all()),
    ],
    ids=["stats", "crosstab", "insights"],
)
def test_an_interrupted_call_shows_few_frames_and_none_from_within(
    client: Client, monkeypatch: pytest.MonkeyPatch, ask: Callable[[Client], Any]
) -> None:
    def interrupted(self: Service, request: Request) -> Response:
        try:
            raise OSError("while something else went wrong")
        except OSError:
            raise KeyboardInterrupt from None

    monkeypatch.setattr(Service, "handle", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        ask(client)
    shown = traceback.extract_tb(caught.value.__traceback__)
    package = Path(audiencelab.__file__).parent
    ours = [frame for frame in shown if package in Path(frame.filename).parents]
    assert 0 < len(ours) <= 12
    assert not any((package / "service") in Path(frame.filename).parents for frame in ours)
    assert "something else" not in "".join(traceback.format_exception(caught.value))


def test_the_traceback_of_an_interrupted_call_has_no_token(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside the HTTP library, at the very moment at which the header is sent."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    used = connect(served.url, token=TOKEN)
    monkeypatch.setattr("httpcore._backends.sync.SyncStream.write", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        used.stats("q4")
    assert_absent(verbose(caught.value))
    monkeypatch.undo()
    # The next call finds a connection all the same.
    assert len(used.with_options(timeout=60).stats("q4")) > 0
    used.close()


def test_a_response_that_another_thread_still_reads_is_never_called_complete_without_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entry = Recorder(Path(NAME)).begin(request_of(), 200, {}, ())
    entry.add(b"begun, ")

    def read_on_meanwhile(body: bytes) -> bytes | None:
        entry.add(b"and ended")
        entry.complete = True
        return canonical(body)

    monkeypatch.setattr(recorder, "canonical", read_on_meanwhile)
    assert not entry.exchange().complete
    monkeypatch.undo()
    kept = entry.exchange()
    assert (kept.complete, kept.body) == (True, "begun, and ended")


def test_a_recording_that_is_over_holds_neither_responses_nor_credentials(
    survey: Survey, tmp_path: Path
) -> None:
    own = connect(survey=survey)
    saved = own.recording(tmp_path / NAME)
    discarded = own.recording(tmp_path / "other.jsonl")
    with saved:
        own.questions.get("q2")
    discarded.start()
    own.questions.get("q2")
    discarded.discard()
    for recording in (saved, discarded):
        assert (recording._recorder.entries, recording._recorder.secrets) == ([], set())
