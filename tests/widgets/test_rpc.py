"""The channel answers each request once, off the comm's thread, until it is called off."""

from __future__ import annotations

import logging
import threading
from functools import partial
from types import NoneType, SimpleNamespace
from typing import Any

import msgspec
import pytest

from audiencelab.errors import AudienceError, Fault
from audiencelab.widgets.rpc import Channel
from audiencelab.widgets.rpc_types import (
    MESSAGE_LIMIT,
    AnswerWithBuffers,
    Args,
    Cancelled,
    Handler,
    NoArgs,
    PageOperation,
    PageRequest,
)

from .conftest import Wire


class Page:
    """One channel and the page that uses it."""

    def __init__(self, wire: Wire) -> None:
        self.wire, self.channel = wire, Channel()
        self.messages, self.answer = wire.messages, wire.answer
        self.ask, self.request = partial(wire.ask, self), partial(wire.request, self)
        self.cancel, self.send = partial(wire.cancel, self), partial(wire.send, self.channel)

    def on(self, op: str, handler: Handler[dict[str, Any], Any], *, inline: bool = False) -> None:
        """Answer an operation that takes any arguments."""
        self.channel.on(PageOperation(op, dict[str, Any], object), handler, inline=inline)

    def save(self, identifier: int, **more: object) -> None:
        """Request `save`, maybe again."""
        args = {"name": "Young"}
        self.send({"id": identifier, "op": "save", "args": args, **more})

    def end(self) -> None:
        """Wait until all that was begun is done."""
        done = threading.Event()
        self.on("end", lambda _: done.set())
        self.send({"id": 0, "op": "end"})
        assert done.wait(60)


@pytest.fixture
def page(wire: Wire) -> Page:
    return Page(wire)


class TestAnswers:
    def test_data_and_buffers_come_back_under_the_request_s_id(self, page: Page) -> None:
        page.on("tile", lambda r: AnswerWithBuffers({"row": r.args["row"]}, [b"\x01\x02"]))
        message = page.answer(page.ask("tile", {"row": 7}))
        assert message.content["ok"] is True
        assert message.content["data"] == {"row": 7}
        assert message.buffers == [b"\x01\x02"]

    def test_a_struct_is_sent_as_plain_data(self, page: Page) -> None:
        class Size(msgspec.Struct):
            size: float

        page.on("size", lambda _: Size(1.5))
        assert page.request("size").content["data"] == {"size": 1.5}

    def test_a_ping_is_answered_on_the_spot(self, page: Page) -> None:
        asked = page.ask("ping")
        assert page.messages[-1].content == {"id": asked, "ok": True, "data": None}

    def test_handlers_get_the_buffers_of_the_request(self, page: Page) -> None:
        page.on("length", lambda r: len(r.buffers[0]))
        page.send({"id": 1, "op": "length", "args": {}}, [b"abc"])
        assert page.answer(1).content["data"] == 3

    def test_a_message_that_comes_after_the_end_begins_nothing(self, page: Page) -> None:
        release = threading.Event()
        page.on("late", lambda _: release.wait(60))
        comm = page.channel.comm
        page.channel.close()
        heard = len(page.messages)
        data = {"method": "custom", "content": {"id": 1, "op": "late", "args": {}}}
        comm.handle_msg({"content": {"data": data}, "buffers": [], "metadata": {}})
        release.set()
        assert len(page.messages) == heard

    def test_slow_work_never_holds_up_the_comm(self, page: Page) -> None:
        release = threading.Event()
        page.on("slow", lambda _: release.wait(60))
        slow = page.ask("slow")
        # The comm's thread is free again: it answers a later request before the earlier one.
        ping = page.ask("ping")
        assert page.messages[-1].content["id"] == ping
        release.set()
        assert page.answer(slow).content["data"] is True

    def test_many_requests_from_many_threads_are_answered_once_each(self, page: Page) -> None:
        page.on("square", lambda r: r.args["n"] ** 2)

        def ask(start: int) -> None:
            for n in range(start, start + 50):
                page.send({"id": n, "op": "square", "args": {"n": n}})

        threads = [threading.Thread(target=ask, args=(start,)) for start in (1000, 2000, 3000)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        numbers = [n for start in (1000, 2000, 3000) for n in range(start, start + 50)]
        assert [page.answer(n).content["data"] for n in numbers] == [n**2 for n in numbers]
        answered = [m.content["id"] for m in page.messages if m.content]
        assert len(answered) == len(set(answered))


class TestToldTwice:
    """A page tells a request again when the first telling may wait for a cell to end."""

    @pytest.fixture
    def saved(self, page: Page) -> list[str]:
        """What the operation `save` was done with."""
        done: list[str] = []
        page.on("save", lambda r: done.append(r.args["name"]))
        return done

    @pytest.mark.parametrize("first_again", [False, True])
    def test_it_is_done_and_answered_once(
        self, page: Page, saved: list[str], first_again: bool
    ) -> None:
        page.save(7, again=first_again)
        page.answer(7)
        page.save(7, again=not first_again)
        page.request("ping")
        page.end()
        assert saved == ["Young"]
        assert sum(message.content.get("id") == 7 for message in page.messages) == 1

    def test_while_it_is_being_done_it_is_not_begun_again(self, page: Page) -> None:
        release, begun = threading.Event(), []

        def slow(_: PageRequest) -> None:
            begun.append(1)
            release.wait(60)

        page.on("save", slow)
        page.save(7)
        page.save(7, again=True)
        release.set()
        page.answer(7)
        page.end()
        assert begun == [1]

    def test_hours_and_many_requests_later_too(self, page: Page, saved: list[str]) -> None:
        page.save(7, again=True)
        page.answer(7)
        for _ in range(600):
            page.ask("ping")
        page.save(7)
        page.end()
        assert saved == ["Young"]

    def test_called_off_before_it_came_it_is_not_done(self, page: Page, saved: list[str]) -> None:
        page.cancel(7)
        page.save(7)
        page.end()
        assert saved == []


class TestErrors:
    def test_an_error_of_ours_travels_with_its_pointers(self, page: Page) -> None:
        class Refused(AudienceError):
            faults = (Fault("/and/0", "No question 'q999'."),)

        def refuse(_: PageRequest) -> object:
            raise Refused("One fault")

        page.on("stats", refuse)
        message = page.answer(page.ask("stats"))
        assert message.content == {
            "id": message.content["id"],
            "ok": False,
            "error": {
                "type": "Refused",
                "message": "One fault",
                "faults": [{"pointer": "/and/0", "detail": "No question 'q999'."}],
            },
        }

    def test_any_other_error_is_told_and_logged(
        self, page: Page, caplog: pytest.LogCaptureFixture
    ) -> None:
        page.on("stats", lambda _: 1 / 0)
        with caplog.at_level(logging.ERROR, "audiencelab.widgets"):
            error = page.answer(page.ask("stats")).content["error"]
        assert (error["type"], error["message"]) == ("ZeroDivisionError", "division by zero")
        assert "ZeroDivisionError" in caplog.text

    @pytest.mark.parametrize(
        ("args", "why"),
        [({}, "field `places`"), ({"places": ["x"]}, "places[0]"), ([1], "Expected `object`")],
    )
    def test_arguments_of_other_types_are_refused_by_name(
        self, page: Page, args: object, why: str
    ) -> None:
        class Places(Args):
            places: list[int]

        page.channel.on(PageOperation("remove", Places, NoneType), lambda _: None)
        error = page.answer(page.ask("remove", args)).content["error"]
        assert error["type"] == "AudienceError"
        assert why in error["message"]

    def test_an_unknown_operation_says_what_to_do(self, page: Page) -> None:
        error = page.answer(page.ask("nonsense")).content["error"]
        assert "nonsense" in error["message"]
        assert "Reload" in error["message"]

    def test_an_answer_too_large_for_one_message_is_refused(self, page: Page) -> None:
        page.on("tile", lambda _: AnswerWithBuffers(None, [bytes(MESSAGE_LIMIT)]))
        error = page.answer(page.ask("tile")).content["error"]
        assert "in parts" in error["message"]

    @pytest.mark.parametrize("content", ["text", {}, {"op": "ping"}, {"id": None, "op": "ping"}])
    def test_what_is_not_a_request_is_ignored(self, page: Page, content: object) -> None:
        before = len(page.messages)
        page.send(content)
        assert len(page.messages) == before


class Gate:
    """A handler that reports when it begins and waits until it is let go."""

    def __init__(self) -> None:
        self.begun: list[PageRequest] = []
        self.started = threading.Semaphore(0)
        self.released = threading.Event()
        self.ended = threading.Semaphore(0)

    def __call__(self, request: PageRequest) -> object:
        self.begun.append(request)
        self.started.release()
        try:
            self.released.wait(60)
            request.check()
            return request.args
        finally:
            self.ended.release()


class TestCallingOff:
    def test_a_cancelled_request_notices_and_is_not_answered(self, page: Page) -> None:
        gate = Gate()
        page.on("stats", gate)
        asked = page.ask("stats")
        assert gate.started.acquire(timeout=60)
        page.cancel(asked)
        assert gate.begun[0].cancelled
        gate.released.set()
        assert gate.ended.acquire(timeout=60)
        page.request("stats", {"n": 2})
        assert not [m for m in page.messages if m.content.get("id") == asked]

    def test_a_newer_request_of_the_same_key_supersedes_the_older(self, page: Page) -> None:
        gate = Gate()
        page.on("sizes", gate)
        old = page.ask("sizes", {"v": 1}, key="sizes")
        assert gate.started.acquire(timeout=60)
        new = page.ask("sizes", {"v": 2}, key="sizes")
        other = page.ask("sizes", {"v": 3}, key="other")
        assert gate.begun[0].cancelled
        gate.released.set()
        assert page.answer(new).content["data"] == {"v": 2}
        assert page.answer(other).content["data"] == {"v": 3}
        assert not [m for m in page.messages if m.content.get("id") == old]

    def test_an_older_request_that_comes_late_leaves_the_newer_alone(self, page: Page) -> None:
        gate = Gate()
        page.on("sizes", gate)
        newer = {"id": 9_002, "op": "sizes", "args": {"v": 2}, "key": "sizes"}
        older = {"id": 9_001, "op": "sizes", "args": {"v": 1}, "key": "sizes"}
        page.send(newer)
        assert gate.started.acquire(timeout=60)
        page.send(older)
        gate.released.set()
        assert page.answer(9_002).content["data"] == {"v": 2}
        assert [request.args["v"] for request in gate.begun] == [2]

    def test_a_request_called_off_while_it_queues_never_begins(self, page: Page) -> None:
        gate = Gate()
        page.on("stats", gate)
        busy = [page.ask("stats", {"n": n}) for n in range(16)]
        for _ in busy:
            assert gate.started.acquire(timeout=60)
        queued = page.ask("stats", {"n": 16})
        page.cancel(queued)
        gate.released.set()
        page.request("stats", {"n": 17})
        assert 16 not in [request.args["n"] for request in gate.begun]

    def test_cancelling_what_nobody_asked_is_harmless(self, page: Page) -> None:
        page.cancel(4711)
        page.request("ping")


class TestClosing:
    def test_it_calls_off_what_runs_and_answers_nothing_more(self, page: Page) -> None:
        gate = Gate()
        page.on("stats", gate)
        page.ask("stats")
        assert gate.started.acquire(timeout=60)
        page.channel.close()
        assert gate.begun[0].cancelled
        gate.released.set()
        assert gate.ended.acquire(timeout=60)
        assert not [m for m in page.messages if m.content]
        assert page.messages[-1].kind == "comm_close"

    def test_it_may_be_repeated(self, page: Page) -> None:
        page.channel.close()
        page.channel.close()


def test_the_kernel_is_not_told_which_thread_to_prefer(wire: Wire) -> None:
    """The kernel keeps the thread that last published on a comm; the channel forgets it."""
    channel = Channel()
    comm = wire.comms[channel.model_id]
    mark = PageOperation("mark", NoArgs, NoneType)
    channel.on(mark, lambda _: setattr(comm, "_reply_subshell_id", "a thread that ended"))
    wire.request(SimpleNamespace(channel=channel), "mark")
    wire.request(SimpleNamespace(channel=channel), "ping")
    assert not hasattr(comm, "_reply_subshell_id")


@pytest.mark.parametrize("ended", [Cancelled(), ValueError("of a table that is gone")])
def test_a_failure_about_replaced_data_is_not_sent(page: Page, ended: Exception) -> None:
    def fail(_: PageRequest) -> None:
        raise ended

    page.channel.is_outdated = lambda _: True
    page.on("fail", fail, inline=True)
    page.ask("fail")
    assert not [message for message in page.messages if message.content]
