"""Fixtures for widgets: real widgets and handlers, with captured comm messages.

Only the transport is replaced. A test plays the front end: it sends the messages a page would
send, and reads the messages a page would get.
"""

from __future__ import annotations

import base64
import gzip
import itertools
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import comm
import pytest
from comm.base_comm import BaseComm

if TYPE_CHECKING:
    from audiencelab.client import Client

TIMEOUT = 60.0


def plain(value: Any) -> Any:
    """The value of a trait without its number, see `widgets.numbered`."""
    return value["value"] if isinstance(value, dict) and "number" in value else value


def form_of(state: Mapping[str, Any]) -> str:
    """The saved form in a widget's state, as HTML."""
    saved = state["_saved"]
    return gzip.decompress(base64.b64decode(saved)).decode() if saved else ""


@dataclass
class Message:
    """One message as a page would get it."""

    comm_id: str
    kind: str
    data: dict[str, Any]
    buffers: list[bytes] = field(default_factory=list)

    @property
    def content(self) -> dict[str, Any]:
        """The content of a custom message, empty for others."""
        return self.data.get("content", {}) if self.data.get("method") == "custom" else {}


class Wire:
    """All comms of a test, seen from the front end."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.comms: dict[str, BaseComm] = {}
        self._ids = itertools.count(1)
        self._changed = threading.Condition()

    def record(self, message: Message) -> None:
        with self._changed:
            self.messages.append(message)
            self._changed.notify_all()

    def wait_for(self, found: Callable[[Message], bool], timeout: float = TIMEOUT) -> Message:
        """The first message, past or coming, for which `found` is true."""

        def first() -> Message | None:
            return next(filter(found, self.messages), None)

        with self._changed:
            if not self._changed.wait_for(lambda: first() is not None, timeout):
                raise AssertionError(f"no such message within {timeout} s")
            message = first()
        assert message is not None
        return message

    def ask(self, widget: Any, op: str, args: object = None, *, key: str | None = None) -> int:
        """Send a request over the widget's channel; its id."""
        identifier = next(self._ids)
        content = {"id": identifier, "op": op, "args": args or {}}
        self.send(widget.channel, content if key is None else {**content, "key": key})
        return identifier

    def cancel(self, widget: Any, identifier: int) -> None:
        self.send(widget.channel, {"id": identifier, "cancel": True})

    def answer(self, identifier: int) -> Message:
        """The answer to a request, waited for."""
        return self.wait_for(lambda message: message.content.get("id") == identifier)

    def request(self, widget: Any, op: str, args: object = None) -> Message:
        """Ask, wait, and insist on success; `message.content["data"]` and `message.buffers`."""
        message = self.answer(self.ask(widget, op, args))
        assert message.content["ok"], message.content
        return message

    def send(self, widget: Any, content: object, buffers: list[bytes] | None = None) -> None:
        """A custom message from the page."""
        self._deliver(widget, {"method": "custom", "content": content}, buffers)

    def set_state(self, widget: Any, **traits: object) -> None:
        """The page changes traits."""
        self._deliver(widget, {"method": "update", "state": traits, "buffer_paths": []}, None)

    def updates(self, widget: Any, trait: str) -> list[object]:
        """Values of a trait as they were sent to the page."""
        states = [
            message.data["state"]
            for message in self.messages
            if message.comm_id == widget.model_id and message.data.get("method") == "update"
        ]
        return [plain(state[trait]) for state in states if trait in state]

    def state(self, widget: Any) -> dict[str, Any]:
        """All traits as the page has them: as it got them first, and each change since."""
        found: dict[str, Any] = {}
        for message in self.messages:
            if message.comm_id == widget.model_id:
                found.update(message.data.get("state", {}))
        return {name: plain(value) for name, value in found.items()}

    def form(self, widget: Any) -> str:
        """The saved form as the page has it."""
        return form_of(self.state(widget))

    def _deliver(self, widget: Any, data: dict[str, Any], buffers: list[bytes] | None) -> None:
        message = {"content": {"data": data}, "buffers": buffers or [], "metadata": {}}
        self.comms[widget.comm.comm_id].handle_msg(message)


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    """A captured wire; widgets made in the test talk over it and are closed after it."""
    captured = Wire()

    class CapturedComm(BaseComm):
        def publish_msg(
            self,
            msg_type: str,
            data: Any = None,
            metadata: Any = None,
            buffers: Any = None,
            **_: Any,
        ) -> None:
            captured.comms[self.comm_id] = self
            plain = [bytes(buffer) for buffer in buffers or ()]
            captured.record(Message(self.comm_id, msg_type, data or {}, plain))

    monkeypatch.setattr(comm, "create_comm", CapturedComm)
    yield captured
    import ipywidgets

    ipywidgets.Widget.close_all()


@pytest.fixture(scope="session")
def small_client() -> Iterator[Client]:
    """A real client of the embedded service on a small demo survey."""
    from audiencelab.client import connect
    from audiencelab.survey import demo_survey

    with connect(survey=demo_survey(2_400)) as client:
        yield client


@pytest.fixture(scope="session")
def nameless_client(
    small_client: Client, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    """A real client of a recording without a catalogue: whoever asks it for names gets an error."""
    from audiencelab.client import connect

    file = tmp_path_factory.mktemp("nameless") / "waves.jsonl"
    asked = {
        "question": small_client.service.survey.catalogue.location_question,
        "splitter": "waves",
    }
    with small_client.recording(file):
        # What `waves()` requests, without the names of the waves.
        small_client.request("POST", "/v2/query/stats", json=asked)
    with connect(snapshot=file) as client:
        yield client
