"""The real Python half of widgets behind a small web server, for the manager of `manager.js`."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import comm
import ipywidgets
from comm.base_comm import BaseComm

__all__ = ["Kernel"]

_MANAGER = Path(__file__).with_name("manager.js")
_PAGE = """<!doctype html><meta charset="utf-8"><title>Host</title>
<script type="module" src="/manager.js"></script>"""
_TURN = 5.0
"""Seconds for which a page's question for messages stays open."""


class Kernel:
    """Use as `with Kernel() as kernel:`; widgets made inside speak to pages of `kernel.address`."""

    def __init__(self) -> None:
        self._comms: dict[str, BaseComm] = {}
        self._states: dict[str, dict[str, Any]] = {}
        self._sent: list[dict[str, Any]] = []
        self._news = threading.Condition()
        # As a kernel has it: one message at a time.
        self._turn = threading.Lock()
        self._sessions: dict[str, dict[str, ipywidgets.Widget]] = {}
        self._create = comm.create_comm
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Kernel:
        comms, states, say = self._comms, self._states, self._say

        class Wire(BaseComm):
            def publish_msg(
                self, msg_type: str, data: Any = None, *_: Any, buffers: Any = None, **__: Any
            ) -> None:
                comms[self.comm_id] = self
                states.setdefault(self.comm_id, {}).update((data or {}).get("state", {}))
                if msg_type == "comm_msg":
                    say(self.comm_id, data or {}, buffers or [])

        comm.create_comm = Wire
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        comm.create_comm = self._create
        self._server.shutdown()
        self._server.server_close()

    def session(self, name: str, shown: Mapping[str, ipywidgets.Widget]) -> None:
        """Have a session in which these widgets, by their kinds, are displayed, and no others."""
        for widget in shown.values():
            widget._repr_mimebundle_()
        self._sessions[name] = dict(shown)

    def _say(self, identifier: str, data: dict[str, Any], buffers: list[Any]) -> None:
        packed = [base64.b64encode(bytes(each)).decode() for each in buffers]
        with self._news:
            self._sent.append({"id": identifier, "data": data, "buffers": packed})
            self._news.notify_all()

    def answer(self, address: str, body: bytes) -> tuple[str, str]:
        """What the server says, and of which type it is."""
        parts = urlsplit(address)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        match parts.path:
            case "/":
                return _PAGE, "text/html"
            case "/manager.js":
                return _MANAGER.read_text("utf-8"), "text/javascript"
            case "/session":
                return json.dumps(self._opened(asked["name"])), "application/json"
            case "/heard":
                return json.dumps(self._heard(int(asked["from"]))), "application/json"
            case "/tell":
                self._tell(json.loads(body))
        return "", "text/plain"

    def _opened(self, name: str) -> dict[str, Any]:
        shown = self._sessions[name]
        states: dict[str, str] = {}
        wanted = [widget.model_id for widget in shown.values()]
        # Those that the state names, as a host sends them.
        while wanted:
            identifier = wanted.pop()
            if identifier not in states:
                states[identifier] = json.dumps(self._states[identifier])
                wanted += [each for each in self._states if each in states[identifier]]
        return {
            "states": states,
            "until": len(self._sent),
            "shown": {kind: widget.model_id for kind, widget in shown.items()},
        }

    def _heard(self, start: int) -> dict[str, Any]:
        with self._news:
            self._news.wait_for(lambda: len(self._sent) > start, _TURN)
            return {"heard": self._sent[start:], "until": len(self._sent)}

    def _tell(self, message: dict[str, Any]) -> None:
        self._states[message["id"]].update(message["data"].get("state", {}))
        buffers = [memoryview(base64.b64decode(each)) for each in message["buffers"]]
        with self._turn:
            self._comms[message["id"]].handle_msg(
                {"content": {"data": message["data"]}, "buffers": buffers, "metadata": {}}
            )


def _handler(kernel: Kernel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers["Content-Length"])))

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def _answer(self, body: bytes) -> None:
            text, kind = kernel.answer(self.path, body)
            written = text.encode()
            self.send_response(200 if text or body else 404)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(written)))
            self.end_headers()
            with suppress(ConnectionError):  # The page may have been left.
                self.wfile.write(written)

    return Handler
