"""The channel answers each request once, off the comm's thread, until it is called off."""

from __future__ import annotations

import logging
import threading
from types import SimpleNamespace

import msgspec
import pytest

from audiencelab.errors import AudienceError, Fault
from audiencelab.widgets.rpc import Channel
from audiencelab.widgets.rpc_types import MESSAGE_LIMIT, Answer, Cancelled, Request

from .conftest import Wire


@pytest.fixture
def widget(wire: Wire) -> SimpleNamespace:
    """Something with a channel, as the wire's helpers expect it."""
    return SimpleNamespace(channel=Channel())


class TestAnswers:
    def test_data_and_buffers_come_back_under_the_request_s_id(
        self, wire: Wire, widget: SimpleNamespace
    ) -> None:
        widget.channel.on("tile", lambda r: Answer({"row": r.args["row"]}, [b"\x01\x02"]))
        message = wire.answer(wire.ask(widget, "tile", {"row": 7}))
        assert message.content["ok"] is True
        assert message.content["data"] == {"row": 7}
        assert message.buffers == [b"\x01\x02"]

    def test_a_struct_is_sent_as_plain_data(self, wire: Wire, widget: SimpleNamespace) -> None:
        class Size(msgspec.Struct):
            size: float

        widget.channel.on("size", lambda _: Size(1.5))
        assert wire.request(widget, "size").content["data"] == {"size": 1.5}

    def test_a_ping_is_answered_on_the_spot(self, wire: Wire, widget: SimpleNamespace) -> None:
        asked = wire.ask(widget, "ping")
        assert wire.messages[-1].content == {"id": asked, "ok": True, "data": None}

    def test_handlers_get_the_buffers_of_the_request(
        self, wire: Wire, widget: SimpleNamespace
    ) -> None:
        widget.channel.on("length", lambda r: len(r.buffers[0]))
        wire.send(widget.channel, {"id": 1, "op": "length", "args": {}}, [b"abc"])
        assert wire.answer(1).content["data"] == 3

    def test_a_message_that_comes_after_the_end_begins_nothing(
        self, wire: Wire, widget: SimpleNamespace
    ) -> None:
        release = threading.Event()
        widget.channel.on("late", lambda _: release.wait(20))
        comm = widget.channel.comm
        widget.channel.close()
        heard = len(wire.messages)
        data = {"method": "custom", "content": {"id": 1, "op": "late", "args": {}}}
        comm.handle_msg({"content": {"data": data}, "buffers": [], "metadata": {}})
        release.set()
        assert len(wire.messages) == heard

    def test_slow_work_never_holds_up_the_comm(self, wire: Wire, widget: SimpleNamespace) -> None:
        release = threading.Event()
        widget.channel.on("slow", lambda _: release.wait(20))
        slow = wire.ask(widget, "slow")
        # The comm's thread is free again: it answers a later request before the earlier one.
        ping = wire.ask(widget, "ping")
        assert wire.messages[-1].content["id"] == ping
        release.set()
        assert wire.answer(slow).content["data"] is True

    def test_many_requests_from_many_threads_are_answered_once_each(
        self, wire: Wire, widget: SimpleNamespace
    ) -> None:
        widget.channel.on("square", lambda r: r.args["n"] ** 2)

        def ask(start: int) -> None:
            for n in range(start, start + 50):
                wire.send(widget.channel, {"id": n, "op": "square", "args": {"n": n}})

        threads = [threading.Thread(target=ask, args=(start,)) for start in (1000, 2000, 3000)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        numbers = [n for start in (1000, 2000, 3000) for n in range(start, start + 50)]
        assert [wire.answer(n).content["data"] for n in numbers] == [n**2 for n in numbers]
        answered = [m.content["id"] for m in wire.messages if m.content]
        assert len(answered) == len(set(answered))


class TestToldTwice:
    """A page tells a request again when the first telling may wait for a cell to end."""

    @pytest.fixture
    def saved(self, widget: SimpleNamespace) -> list[str]:
        """What the operation `save` was done with."""
        done: list[str] = []
        widget.channel.on("save", lambda r: done.append(r.args["name"]))
        return done

    @staticmethod
    def tell(wire: Wire, widget: SimpleNamespace, identifier: int, **more: object) -> None:
        content = {"id": identifier, "op": "save", "args": {"name": "Young"}, **more}
        wire.send(widget.channel, content)

    @pytest.mark.parametrize("first_again", [False, True])
    def test_it_is_done_and_answered_once(
        self, wire: Wire, widget: SimpleNamespace, saved: list[str], first_again: bool
    ) -> None:
        self.tell(wire, widget, 7, again=first_again)
        wire.answer(7)
        self.tell(wire, widget, 7, again=not first_again)
        wire.request(widget, "ping")
        self.end(widget)
        assert saved == ["Young"]
        assert sum(message.content.get("id") == 7 for message in wire.messages) == 1

    def test_while_it_is_being_done_it_is_not_begun_again(
        self, wire: Wire, widget: SimpleNamespace
    ) -> None:
        release, begun = threading.Event(), []

        def slow(_: Request) -> None:
            begun.append(1)
            release.wait(20)

        widget.channel.on("save", slow)
        self.tell(wire, widget, 7)
        self.tell(wire, widget, 7, again=True)
        release.set()
        wire.answer(7)
        self.end(widget)
        assert begun == [1]

    def test_hours_and_many_requests_later_too(
        self, wire: Wire, widget: SimpleNamespace, saved: list[str]
    ) -> None:
        self.tell(wire, widget, 7, again=True)
        wire.answer(7)
        for _ in range(600):
            wire.ask(widget, "ping")
        self.tell(wire, widget, 7)
        self.end(widget)
        assert saved == ["Young"]

    def test_called_off_before_it_came_it_is_not_done(
        self, wire: Wire, widget: SimpleNamespace, saved: list[str]
    ) -> None:
        wire.cancel(widget, 7)
        self.tell(wire, widget, 7)
        self.end(widget)
        assert saved == []

    @staticmethod
    def end(widget: SimpleNamespace) -> None:
        """Wait until all that was begun is done."""
        done = threading.Event()
        widget.channel.on("end", lambda _: done.set())
        widget.channel._on_message(None, {"id": 0, "op": "end"}, ())
        assert done.wait(20)


class TestErrors:
    def test_an_error_of_ours_travels_with_its_pointers(
        self, wire: Wire, widget: SimpleNamespace
    ) -> None:
        class Refused(AudienceError):
            faults = (Fault("/and/0", "No question 'q999'."),)

        def refuse(_: Request) -> object:
            raise Refused("One fault")

        widget.channel.on("stats", refuse)
        message = wire.answer(wire.ask(widget, "stats"))
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
        self, wire: Wire, widget: SimpleNamespace, caplog: pytest.LogCaptureFixture
    ) -> None:
        widget.channel.on("stats", lambda _: 1 / 0)
        with caplog.at_level(logging.ERROR, "audiencelab.widgets"):
            error = wire.answer(wire.ask(widget, "stats")).content["error"]
        assert (error["type"], error["message"]) == ("ZeroDivisionError", "division by zero")
        assert "ZeroDivisionError" in caplog.text

    def test_an_unknown_operation_says_what_to_do(
        self, wire: Wire, widget: SimpleNamespace
    ) -> None:
        error = wire.answer(wire.ask(widget, "nonsense")).content["error"]
        assert "nonsense" in error["message"]
        assert "Reload" in error["message"]

    def test_an_answer_too_large_for_one_message_is_refused(
        self, wire: Wire, widget: SimpleNamespace
    ) -> None:
        widget.channel.on("tile", lambda _: Answer(buffers=[bytes(MESSAGE_LIMIT)]))
        error = wire.answer(wire.ask(widget, "tile")).content["error"]
        assert "in parts" in error["message"]

    @pytest.mark.parametrize("content", ["text", {}, {"op": "ping"}, {"id": None, "op": "ping"}])
    def test_what_is_not_a_request_is_ignored(
        self, wire: Wire, widget: SimpleNamespace, content: object
    ) -> None:
        before = len(wire.messages)
        wire.send(widget.channel, content)
        assert len(wire.messages) == before


class Gate:
    """A handler that reports when it begins and waits until it is let go."""

    def __init__(self) -> None:
        self.begun: list[Request] = []
        self.started = threading.Semaphore(0)
        self.released = threading.Event()
        self.ended = threading.Semaphore(0)

    def __call__(self, request: Request) -> object:
        self.begun.append(request)
        self.started.release()
        try:
            self.released.wait(20)
            request.check()
            return request.args
        finally:
            self.ended.release()


class TestCallingOff:
    def test_a_cancelled_request_notices_and_is_not_answered(
        self, wire: Wire, widget: SimpleNamespace
    ) -> None:
        gate = Gate()
        widget.channel.on("stats", gate)
        asked = wire.ask(widget, "stats")
        assert gate.started.acquire(timeout=20)
        wire.cancel(widget, asked)
        assert gate.begun[0].cancelled
        gate.released.set()
        assert gate.ended.acquire(timeout=20)
        wire.request(widget, "stats", {"n": 2})
        assert not [m for m in wire.messages if m.content.get("id") == asked]

    def test_a_newer_request_of_the_same_key_supersedes_the_older(
        self, wire: Wire, widget: SimpleNamespace
    ) -> None:
        gate = Gate()
        widget.channel.on("sizes", gate)
        old = wire.ask(widget, "sizes", {"v": 1}, key="sizes")
        assert gate.started.acquire(timeout=20)
        new = wire.ask(widget, "sizes", {"v": 2}, key="sizes")
        other = wire.ask(widget, "sizes", {"v": 3}, key="other")
        assert gate.begun[0].cancelled
        gate.released.set()
        assert wire.answer(new).content["data"] == {"v": 2}
        assert wire.answer(other).content["data"] == {"v": 3}
        assert not [m for m in wire.messages if m.content.get("id") == old]

    def test_an_older_request_that_comes_late_leaves_the_newer_alone(
        self, wire: Wire, widget: SimpleNamespace
    ) -> None:
        gate = Gate()
        widget.channel.on("sizes", gate)
        newer = {"id": 9_002, "op": "sizes", "args": {"v": 2}, "key": "sizes"}
        older = {"id": 9_001, "op": "sizes", "args": {"v": 1}, "key": "sizes"}
        wire.send(widget.channel, newer)
        assert gate.started.acquire(timeout=20)
        wire.send(widget.channel, older)
        gate.released.set()
        assert wire.answer(9_002).content["data"] == {"v": 2}
        assert [request.args["v"] for request in gate.begun] == [2]

    def test_a_request_called_off_while_it_queues_never_begins(
        self, wire: Wire, widget: SimpleNamespace
    ) -> None:
        gate = Gate()
        widget.channel.on("stats", gate)
        busy = [wire.ask(widget, "stats", {"n": n}) for n in range(16)]
        for _ in busy:
            assert gate.started.acquire(timeout=20)
        queued = wire.ask(widget, "stats", {"n": 16})
        wire.cancel(widget, queued)
        gate.released.set()
        wire.request(widget, "stats", {"n": 17})
        assert 16 not in [request.args["n"] for request in gate.begun]

    def test_cancelling_what_nobody_asked_is_harmless(
        self, wire: Wire, widget: SimpleNamespace
    ) -> None:
        wire.cancel(widget, 4711)
        wire.request(widget, "ping")


class TestClosing:
    def test_it_calls_off_what_runs_and_answers_nothing_more(
        self, wire: Wire, widget: SimpleNamespace
    ) -> None:
        gate = Gate()
        widget.channel.on("stats", gate)
        wire.ask(widget, "stats")
        assert gate.started.acquire(timeout=20)
        widget.channel.close()
        assert gate.begun[0].cancelled
        gate.released.set()
        assert gate.ended.acquire(timeout=20)
        assert not [m for m in wire.messages if m.content]
        assert wire.messages[-1].kind == "comm_close"

    def test_it_may_be_repeated(self, wire: Wire, widget: SimpleNamespace) -> None:
        widget.channel.close()
        widget.channel.close()


def test_the_kernel_is_not_told_which_thread_to_prefer(wire: Wire) -> None:
    """The kernel keeps the thread that last published on a comm; the channel forgets it."""
    channel = Channel()
    comm = wire.comms[channel.model_id]
    channel.on("mark", lambda _: setattr(comm, "_reply_subshell_id", "a thread that ended"))
    wire.request(SimpleNamespace(channel=channel), "mark")
    wire.request(SimpleNamespace(channel=channel), "ping")
    assert not hasattr(comm, "_reply_subshell_id")


@pytest.mark.parametrize("ended", [Cancelled(), ValueError("of a table that is gone")])
def test_a_failure_about_replaced_data_is_not_sent(
    wire: Wire, widget: SimpleNamespace, ended: Exception
) -> None:
    def fail(_: Request) -> None:
        raise ended

    widget.channel.is_outdated = lambda _: True
    widget.channel.on("fail", fail, inline=True)
    wire.ask(widget, "fail")
    assert not [message for message in wire.messages if message.content]
