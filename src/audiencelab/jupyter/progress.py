"""Progress of an import in a kernel, sent to the tab of JupyterLab that runs it."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any

from audiencelab.ingest.columns import Progress, watched

MIME = "application/vnd.audiencelab.progress+json"
"""The type of a report: its step, and of its rows the share that is done."""

_PAUSE = 0.1
"""Seconds between two reports of a step."""


class Reports(Progress):
    """Sends at most ten reports a second, apart from the first and the last of a step."""

    def __init__(self, send: Callable[[Mapping[str, Any]], None]) -> None:
        self._send = send
        self._step = ""
        self._total = 0
        self._sent = 0.0

    def start(self, description: str, total: int) -> None:
        self._step, self._total = description, total
        self._report(0)

    def at(self, done: int) -> None:
        if time.monotonic() - self._sent >= _PAUSE:
            self._report(done)

    def done(self) -> None:
        self._report(self._total)

    def _report(self, done: int) -> None:
        self._sent = time.monotonic()
        share = min(1.0, done / self._total) if self._total else 1.0
        self._send({"step": self._step, "rows": self.rows, "share": round(share, 4)})


@contextmanager
def reporting() -> Generator[None]:
    """Report what is imported within the block to the page that runs it, and that it is over."""
    from IPython.core.getipython import get_ipython

    shell: Any = get_ipython()  # pyright: ignore[reportUnknownVariableType] -- it has no types

    def send(report: Mapping[str, Any]) -> None:
        shell.display_pub.publish({MIME: report})

    with watched(Reports(send)):
        yield
    send({"step": "", "rows": 0, "share": 0})
