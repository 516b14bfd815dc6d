"""Record real widgets for pages that have no kernel: their state, and what their channels answer.

A `Recorder` makes every widget talk over a wire that is kept here, asks their channels what a page
would ask, and writes down the answers. `js/src/docs/recording.ts` reads what `Recorder.pack` gives.
Which widgets there are, and what is asked of them, is in `scenes`.
"""

from __future__ import annotations

import base64
import itertools
import json
import threading
import zlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import comm
from comm.base_comm import BaseComm

if TYPE_CHECKING:
    from audiencelab.widgets.base import LabWidget

__all__ = ["Recorder", "written"]

PATIENCE = 120.0
"""Seconds for one answer, on a machine that is busy with other things."""

OF_JUPYTER = {"_esm", "_css", "_saved", "_anywidget_id", "_dom_classes", "layout", "tabbable"}
"""Traits that a page without Jupyter has no use for."""


class Recorder:
    """Use as `with Recorder() as recorder:`; widgets made inside talk to it."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._comms: dict[str, BaseComm] = {}
        self._answers: dict[int, tuple[dict[str, Any], list[bytes]]] = {}
        self._heard = threading.Condition()
        self._models: dict[str, dict[str, Any]] = {}
        self._create = comm.create_comm

    def __enter__(self) -> Recorder:
        hear, comms = self._hear, self._comms

        class Wire(BaseComm):
            def publish_msg(
                self, msg_type: str, data: Any = None, *_: Any, buffers: Any = None, **__: Any
            ) -> None:
                comms[self.comm_id] = self
                hear(data or {}, [bytes(each) for each in buffers or ()])

        comm.create_comm = Wire
        return self

    def __exit__(self, *_: object) -> None:
        comm.create_comm = self._create

    def _hear(self, data: dict[str, Any], buffers: list[bytes]) -> None:
        content = data.get("content", {}) if data.get("method") == "custom" else {}
        if "id" not in content:
            return
        with self._heard:
            self._answers[content["id"]] = (content, buffers)
            self._heard.notify_all()

    def request(
        self, widget: LabWidget, op: str, args: Mapping[str, Any]
    ) -> tuple[Any, list[bytes]]:
        """Ask a widget's channel as a page would; `RuntimeError` when it refuses."""
        identifier = next(self._ids)
        message = {"id": identifier, "op": op, "args": dict(args)}
        data = {"method": "custom", "content": message}
        wire = self._comms[widget.channel.comm.comm_id]
        wire.handle_msg({"content": {"data": data}, "buffers": [], "metadata": {}})
        with self._heard:
            if not self._heard.wait_for(lambda: identifier in self._answers, PATIENCE):
                raise RuntimeError(f"the widget did not answer {op!r}")
            content, buffers = self._answers.pop(identifier)
        if not content["ok"]:
            raise RuntimeError(f"the widget refused {op!r}: {content['error']['message']}")
        return content["data"], buffers

    def ask(self, widget: LabWidget, op: str, args: Mapping[str, Any] | None = None) -> Any:
        """Ask, and keep the answer; its data."""
        asked = dict(args or {})
        data, buffers = self.request(widget, op, asked)
        kept: dict[str, Any] = {"data": data}
        if buffers:
            kept["buffers"] = [base64.b64encode(each).decode() for each in buffers]
        self._operation(widget, op)["answers"][written(asked)] = kept
        return data

    def ask_each(
        self, widget: LabWidget, op: str, items: Iterable[Any], *, asked: str, answered: str
    ) -> None:
        """Ask for many items, which a page will ask for in lists of its own.

        asked, answered: the argument that is a list, and the list in the answer.
        """
        operation = self._operation(widget, op)
        operation["items"] = {"asked": asked, "answered": answered}
        everything = list(items)
        for start in range(0, len(everything), 200):
            part = everything[start : start + 200]
            data, _ = self.request(widget, op, {asked: part})
            for item, answer in zip(part, data[answered], strict=True):
                operation["answers"][written(item)] = {"data": answer}

    def keep(self, widget: LabWidget) -> None:
        """Keep the state of a widget as it is now."""
        state = {
            name: value
            for name, value in widget.get_state().items()
            if name not in OF_JUPYTER and not name.startswith(("_model_", "_view_"))
        }
        self._model(widget.model_id)["state"] = state
        self._model(widget.channel.model_id)

    def _operation(self, widget: LabWidget, op: str) -> dict[str, Any]:
        operations = self._model(widget.channel.model_id).setdefault("operations", {})
        return operations.setdefault(op, {"answers": {}})

    def _model(self, identifier: str) -> dict[str, Any]:
        return self._models.setdefault(identifier, {"state": {}})

    def pack(self, widget: LabWidget, code: str) -> str:
        """All that was kept, with the widget to draw: JSON, deflated, in base64."""
        recording = {"model": widget.model_id, "models": self._models, "code": code}
        text = json.dumps(recording, ensure_ascii=False, separators=(",", ":"))
        # Jupyter's ids are new every time; the same recording should be the same file.
        for number, identifier in enumerate(self._models):
            text = text.replace(identifier, f"model-{number}")
        packing = zlib.compressobj(level=9, wbits=-zlib.MAX_WBITS)
        return base64.b64encode(packing.compress(text.encode()) + packing.flush()).decode()


def written(value: object) -> str:
    """As `written` in `js/src/docs/recording.ts`: the same words for the same value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
