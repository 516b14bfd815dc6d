"""What the calls of one client share, from as many threads as there are."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest

from audiencelab.client import connect
from audiencelab.panel import Panel


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_threads")
def test_copies_may_be_made_while_what_was_learnt_is_forgotten(survey: Panel) -> None:
    done = threading.Event()

    with connect(panel=survey) as client:

        def make_copies() -> None:
            while not done.is_set():
                # Kept for a moment: copies that are gone at once are never met.
                assert [client.with_options(retries=1) for _ in range(200)]

        thread = threading.Thread(target=make_copies)
        thread.start()
        try:
            for _ in range(3_000):
                client._session.forget()
        finally:
            done.set()
            thread.join()
