"""Threads that are ended before Python is, in processes that end."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from audiencelab.background import in_background

# Registered first, so called last, when nothing of ours may be running any more.
LAST = """
import atexit, threading
atexit.register(lambda: print([t.name for t in threading.enumerate() if "audiencelab" in t.name]))
"""

CALLED_OFF = """
from concurrent.futures import ThreadPoolExecutor
from audiencelab.background import in_background

off = threading.Event()
pool = ThreadPoolExecutor(1)

def work():
    while not off.wait(0.01):
        pool.submit(int).result()
    pool.submit(print, "called off").result()

in_background(work, name="audiencelab-test", call_off=off.set)
"""

COUNTING = """
import audiencelab as al
from audiencelab.engine.kernel import workshop
from audiencelab.widgets import CrosstabGrid

workshop.start()
client = al.connect()
audiences = [each for question in client.catalogue for each in question.audiences()][:250]
grid = CrosstabGrid(client=client, rows=audiences, columns=audiences)
while not any("audiencelab-grid" in t.name for t in threading.enumerate()):
    pass
threading.Event().wait({wait})
"""


def ended(code: str) -> str:
    """What a program says whose last words are that none of our threads is left."""
    done = subprocess.run(
        [sys.executable, "-c", LAST + code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_work_is_called_off_while_its_pool_still_takes_work() -> None:
    assert ended(CALLED_OFF) == "called off\n[]\n"


@pytest.mark.parametrize("wait", [0, 0.05, 0.3])
def test_a_program_may_end_while_a_grid_counts(wait: float) -> None:
    assert ended(COUNTING.format(wait=wait)) == "[]\n"


def test_work_that_is_over_is_not_called_off() -> None:
    thread = in_background(lambda: None, name="audiencelab-test", call_off=lambda: None)
    thread.join()
    from audiencelab import background

    assert thread not in background._running


def test_a_fault_of_the_work_is_told_and_nothing_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", told.append)

    def work() -> None:
        time.sleep(0.01)
        raise ValueError("ours")

    in_background(work, name="audiencelab-test", call_off=lambda: None).join()
    assert [str(each.exc_value) for each in told] == ["ours"]
