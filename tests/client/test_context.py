"""What the calls of one client share, from as many threads as there are."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest

from audiencelab.client.context import ClientContext


class Copy:
    """In the place of a client."""


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_threads")
def test_copies_may_join_while_what_was_learnt_is_forgotten() -> None:
    context = ClientContext("https://a.example")
    kept = [Copy() for _ in range(500)]
    for each in kept:
        context.join(each)

    def come_and_go() -> None:
        for _ in range(100_000):
            context.join(Copy())

    thread = threading.Thread(target=come_and_go)
    thread.start()
    while thread.is_alive():
        context.forget()
    thread.join()
