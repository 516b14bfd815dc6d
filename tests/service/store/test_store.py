"""Documents in a store: all or nothing, shared by threads, processes and stores on one file."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from audiencelab.service import Service
from audiencelab.service.store import (
    Store,
    StoreBusyError,
    StoreClosedError,
    StoredResponse,
    StoreError,
)
from audiencelab.survey import Survey
from tests.messages import fails
from tests.service.asking import TOKEN, ask
from tests.service.store.processes import heard, started, write_some, write_until_full
from tests.service.surveys import build_survey


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with Store.open(None if request.param == "memory" else tmp_path / "store.db") as store:
        yield store


def put(store: Store, *ids: str) -> None:
    with store.writing() as documents:
        for each in ids:
            documents.put("charts", each, each.encode())


def ids(store: Store) -> list[str]:
    with store.reading() as documents:
        return [each for each, _ in documents.every("charts")]


# Documents


def test_documents_are_listed_in_the_order_in_which_they_first_came(store: Store) -> None:
    put(store, "b", "a", "c", "b")
    assert ids(store) == ["b", "a", "c"]


def test_a_change_that_fails_changes_nothing(store: Store) -> None:
    put(store, "a")

    def fail() -> None:
        with store.writing() as documents:
            documents.put("charts", "a", b"new")
            documents.put("charts", "b", b"b")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert ids(store) == ["a"]
    put(store, "c")
    assert ids(store) == ["a", "c"]


def test_an_answer_is_kept_under_its_key_until_it_is_old(store: Store) -> None:
    kept = StoredResponse(b"digest", b"body")
    with store.writing() as documents:
        documents.put_response("key", kept, at=100.0, since=0.0)
    with store.writing() as documents:
        assert documents.response("key", since=100.0) == kept
        assert documents.response("key", since=100.1) is None
        assert documents.response("other", since=0.0) is None
        documents.put_response("key", StoredResponse(b"2", b"2"), at=200.0, since=150.0)
        assert documents.response("key", since=0.0) == StoredResponse(b"2", b"2")


def test_old_answers_make_room_for_new_ones(store: Store) -> None:
    with store.writing() as documents:
        for number in range(10):
            documents.put_response(
                str(number), StoredResponse(b"", b""), at=float(number), since=-1.0
            )
        documents.put_response("new", StoredResponse(b"", b""), at=20.0, since=7.5)
        left = [number for number in range(10) if documents.response(str(number), since=-1.0)]
    assert left == [8, 9]


def test_a_closed_store_says_so_and_can_be_closed_again(store: Store) -> None:
    store.close()
    store.close()
    with fails(StoreClosedError):
        put(store, "a")


# Side by side


def test_threads_write_one_after_the_other(store: Store) -> None:
    def add(_: int) -> None:
        with store.writing() as documents:
            counted = int(documents.get("charts", "count") or b"0")
            documents.put("charts", "count", b"%d" % (counted + 1))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(200)))
    with store.reading() as documents:
        assert documents.get("charts", "count") == b"200"


def test_two_stores_on_one_file_see_each_other_s_changes(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    with Store.open(file) as one, Store.open(file) as other:
        put(one, "a")
        put(other, "b")
        assert ids(one) == ids(other) == ["a", "b"]
        one.close()
        put(other, "c")
    with Store.open(file) as again:
        assert ids(again) == ["a", "b", "c"]


def test_processes_that_make_and_fill_one_store_at_the_same_time(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    shares = [[f"{process}/{number}" for number in range(20)] for process in range(5)]
    with ExitStack() as stack:
        running = [stack.enter_context(started(write_some, file, share)) for share in shares]
        for _, told in running:
            assert list(heard(told)) == [20]
    with Store.open(file) as store:
        found = ids(store)
    assert sorted(found) == sorted(each for share in shares for each in share)
    for share in shares:
        assert [each for each in found if each in share] == share


def test_who_waits_too_long_for_another_thread_is_told(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store.db", patience=0.05) as store:
        holding, done = threading.Event(), threading.Event()

        def hold() -> None:
            with store.writing():
                holding.set()
                done.wait(60)

        thread = threading.Thread(target=hold)
        thread.start()
        assert holding.wait(60)
        with pytest.raises(StoreBusyError):
            ids(store)
        done.set()
        thread.join()
        put(store, "a")


# Under a service


def test_a_busy_store_is_503_with_retry_after(survey: Survey, tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    with (
        Store.open(file, patience=0.05) as store,
        closing(sqlite3.connect(file, isolation_level=None)) as other,
    ):
        service = Service(survey, [TOKEN], store=store)
        key = {"Idempotency-Key": "one"}
        other.execute("BEGIN IMMEDIATE")
        answer = ask(service, "POST", "/v1/charts", {"name": "x"}, headers=key)
        assert (answer.status, answer.headers["retry-after"]) == (503, "1")
        assert str(tmp_path).encode() not in answer.body
        # Reading goes on.
        assert ask(service, "POST", "/v1/charts/x/calculate").status == 404
        other.execute("ROLLBACK")
        answer = ask(service, "POST", "/v1/charts", {"name": "x"}, headers=key)
        assert answer.status == 200
        assert [chart.id for chart in service.charts()] == [answer.json["id"]]


def test_a_full_disk_loses_nothing_and_is_no_end(tmp_path: Path) -> None:
    folder, file = tmp_path / "survey", tmp_path / "store.db"
    survey = build_survey(folder)
    with started(write_until_full, folder, file) as (_, told):
        answers = list(heard(told))
    full = [(status, body) for later, _, status, body in answers if not later]
    assert {status for status, _ in full} == {200, 507}
    assert all(b"Nothing was changed" in body for status, body in full if status == 507)
    assert all(str(tmp_path).encode() not in body for _, body in full)
    assert {status for later, _, status, _ in answers if later} == {200}
    made = [body for _, _, status, body in answers if status == 200]
    with Service(survey, [TOKEN], store=file) as service:
        assert len(service.charts()) == len(made)
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_closing_a_service_lets_requests_end_and_refuses_later_ones(
    survey: Survey, tmp_path: Path
) -> None:
    service = Service(survey, [TOKEN], store=tmp_path / "store.db")
    answers: list[tuple[int, bytes]] = []

    def create(number: int) -> None:
        while not answers or answers[-1][0] == 200:
            answer = ask(service, "POST", "/v1/charts", {"name": f"chart {number}"})
            answers.append((answer.status, answer.body))

    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(create, number) for number in range(4)]
        while len(answers) < 20:
            time.sleep(0.001)
        service.close()
        service.close()
        for each in running:
            each.result()
    assert {status for status, _ in answers} == {200, 503}
    assert ask(service, "POST", "/v1/charts/x/calculate").status == 503
    assert ask(service, "GET", "/v2/questions/core.q2").status == 200
    with fails(StoreError):
        service.charts()
    assert [path.name for path in tmp_path.iterdir()] == ["store.db"]
    with Service(survey, [TOKEN], store=tmp_path / "store.db") as again:
        created = [body for status, body in answers if status == 200]
        assert len(again.charts()) == len(created)
