"""Clients on a snapshot: the same results, in any order, with no network and no credential."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import audiencelab as al
from audiencelab.client import (
    AsyncClient,
    Client,
    InvalidRequest,
    ServiceFailure,
    connect,
    connect_async,
)
from audiencelab.client.questions import EVERYTHING
from audiencelab.client.snapshots.format import SnapshotError, read
from audiencelab.client.snapshots.recorded_questions import recorded_questions
from audiencelab.client.snapshots.replay import REPLAY, SnapshotMiss, open_replay, replayed_context
from audiencelab.schema.http import Request, TransportError
from audiencelab.survey import Survey
from tests.client.snapshots.scripted import Scripted, ScriptedTransport, heard, put, replaying
from tests.messages import fails

NAME = "my.audiencelab.jsonl"
YOUNG = al.Q("q4").any("q4_1", "q4_2")
WOMEN = al.Audience(name="Women", expression=al.Q("q2").any("q2_2"))


@pytest.fixture
def own(survey: Survey) -> Client:
    return connect(survey=survey)


def by_gender(client: Client) -> Any:
    return client.stats("q4", splitter="q2", audiences=[YOUNG]).to_frame()


def table(client: Client) -> Any:
    return client.crosstab(rows=[YOUNG, WOMEN], columns=[WOMEN]).to_frame()


def waves(client: Client) -> Any:
    return client.waves()


def catalogue(client: Client) -> Any:
    return [client.catalogue["q2"].name, len(client.catalogue)]


CELLS = [by_gender, table, waves, catalogue]


@pytest.fixture
def snapshot(own: Client, tmp_path: Path) -> tuple[Path, list[Any]]:
    with own.recording(tmp_path / NAME):
        results = [cell(own) for cell in CELLS]
    return tmp_path / NAME, results


def same(one: Any, other: Any) -> bool:
    if hasattr(one, "equals"):
        return one.equals(other) and list(one.columns) == list(other.columns)
    return one == other


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [1], [0, 0, 1, 1]])
def test_the_same_cells_in_any_order_give_the_same_results(
    snapshot: tuple[Path, list[Any]], order: list[int]
) -> None:
    path, results = snapshot
    with replaying(path) as client:
        for place in order:
            assert same(CELLS[place](client), results[place])


def test_names_that_were_recorded_question_by_question_are_found(
    own: Client, tmp_path: Path
) -> None:
    """As clients of 1.0 and 2.0 requested them, some with and some without answers."""
    with own.recording(tmp_path / NAME):
        own.questions.filter(include=["categories"])
        own.questions.filter(["q2", "q4"], include=["datapoints"])
        own.questions.get("q20", include=["datapoints"])
        expected = [cell(own) for cell in (table, by_gender)]
        grid = own.stats("q20", suffixes=[1], splitter="q20")
    held = read(tmp_path / NAME).exchanges
    put(tmp_path / NAME, tuple(each for each in held if each.request != {"include": EVERYTHING}))
    with replaying(tmp_path / NAME) as client:
        assert same(table(client), expected[0])
        assert same(by_gender(client), expected[1])
        assert client.stats("q20", suffixes=[1], splitter="q20").labels == grid.labels
        with fails(SnapshotMiss):
            client.crosstab("Gender")


@pytest.mark.parametrize(
    ("status", "body"),
    [(404, b"{}"), (200, b"<html>"), (200, b'{"question":' + b"[" * 100_000 + b"]" * 100_000)],
)
def test_an_answer_that_cannot_be_read_holds_no_question(
    tmp_path: Path, status: int, body: bytes
) -> None:
    one = Request("GET", "/v2/questions/core.q2")
    kept = heard([(one, Scripted([body], status=status))])
    assert recorded_questions(kept, "core") == []


def test_results_say_that_they_are_replayed(snapshot: tuple[Path, list[Any]]) -> None:
    path, _ = snapshot
    with replaying(path) as client:
        assert repr(client) == f"<Client of the snapshot {NAME}, survey>"
        provenance = client.stats("q4", splitter="q2", audiences=[YOUNG]).provenance
    assert provenance["snapshot"] == NAME
    assert provenance["asked_at"] == read(path).header.created


def test_a_notebook_that_records_itself_is_replayed_without_a_change(
    survey: Survey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def notebook(client: Client) -> Any:
        with client.recording(tmp_path / NAME):
            return table(client)

    recorded = notebook(connect(survey=survey))
    before = (tmp_path / NAME).read_bytes()
    monkeypatch.setenv("AUDIENCELAB_SNAPSHOT", str(tmp_path / NAME))
    assert same(notebook(connect()), recorded)
    assert (tmp_path / NAME).read_bytes() == before


def test_nobody_makes_a_recording_young_again(snapshot: tuple[Path, list[Any]]) -> None:
    path, _ = snapshot
    with replaying(path) as client, fails(SnapshotError):
        client.recording(path.with_name("other.audiencelab.jsonl")).start()


def test_a_refusal_is_replayed_with_its_faults_and_advice(own: Client, tmp_path: Path) -> None:
    with own.recording(tmp_path / NAME), pytest.raises(InvalidRequest) as recorded:
        own.stats("q4", splitter="q2222")
    with replaying(tmp_path / NAME) as client, pytest.raises(InvalidRequest) as replayed:
        client.stats("q4", splitter="q2222")
    assert (replayed.value.faults, replayed.value.hints) == (
        recorded.value.faults,
        recorded.value.hints,
    )


def test_a_service_that_was_down_is_down_again_after_as_many_attempts(
    own: Client, tmp_path: Path
) -> None:
    down = Scripted([b"busy"], status=503)
    own.sender.transport = ScriptedTransport([down, down])
    once = own.with_options(retries=1)
    with own.recording(tmp_path / NAME), pytest.raises(ServiceFailure):
        once.questions.filter()
    with replaying(tmp_path / NAME) as client, pytest.raises(ServiceFailure) as caught:
        client.with_options(retries=1).questions.filter()
    assert caught.value.attempts == 2


def test_a_crosstab_that_broke_is_gone_on_with_as_it_was(own: Client, tmp_path: Path) -> None:
    door = own.sender.transport
    own.sender.transport = BreakingOnce(door)
    with own.recording(tmp_path / NAME):
        recorded = table(own)
    lines = [each for each in read(tmp_path / NAME).exchanges if "crosstab" in each.path]
    assert [each.complete for each in lines] == [False, True]
    assert lines[0].key != lines[1].key
    with replaying(tmp_path / NAME) as client:
        assert same(table(client), recorded)


def test_the_asynchronous_client_records_and_replays(survey: Survey, tmp_path: Path) -> None:
    async def record() -> Any:
        client = connect_async(survey=survey)
        with client.recording(tmp_path / NAME):
            return (await client.crosstab(rows=[YOUNG], columns=[WOMEN])).to_frame()

    async def replay() -> Any:
        door, _ = open_replay(tmp_path / NAME)
        client = AsyncClient(Client(door, replayed_context(door.snapshot), REPLAY))
        async with client:
            return (await client.crosstab(rows=[YOUNG], columns=[WOMEN])).to_frame()

    assert same(asyncio.run(record()), asyncio.run(replay()))


def test_replay_needs_neither_socket_nor_credential_nor_survey(
    snapshot: tuple[Path, list[Any]],
) -> None:
    """In a process of its own in which any socket, and any look at the survey, is fatal."""
    program = """
import os, sys

def forbid(event, arguments):
    if event.startswith("socket.") or event == "subprocess.Popen":
        os.write(2, f"forbidden: {event}\\n".encode())
        os._exit(3)

sys.addaudithook(forbid)
import audiencelab as al
from tests.client.snapshots.scripted import replaying
from tests.client.snapshots.test_client import CELLS
from pathlib import Path

client = replaying(Path(sys.argv[1]))
for cell in CELLS:
    print(cell(client))
forbidden = {"audiencelab.service", "audiencelab.engine"} & set(sys.modules)
assert not forbidden, forbidden
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(snapshot[0])],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "".join(f"{result}\n" for result in snapshot[1])


class BreakingOnce:
    """A door whose first crosstab breaks after its first cell."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.secrets = ()
        self.broken = False

    def send(self, request: Any, timeout: Any) -> Any:
        answer = self.inner.send(request, timeout)
        if self.broken or "crosstab" not in request.path:
            return answer
        self.broken = True
        first = answer.read().splitlines(keepends=True)[0]
        broken = Scripted([first], TransportError("The connection broke.")).response()
        return replace(broken, headers=answer.headers)

    def close(self) -> None:
        self.inner.close()
