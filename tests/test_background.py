"""Work in the background ends before Python does, and runs where there are no threads."""

from __future__ import annotations

import ast
import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import audiencelab as al
from audiencelab import Q, background
from tests.messages import fails

PACKAGE = Path(background.__file__).parent

# Registered first, so called last, when nothing of ours may be running any more.
LAST = """
import atexit, threading
atexit.register(lambda: print([t.name for t in threading.enumerate() if "audiencelab" in t.name]))
"""

CANCELLED = """
from audiencelab import background

stop = threading.Event()

def work():
    stop.wait()
    print("cancelled", flush=True)

background.run(work, name="audiencelab-test", cancel=stop.set)
"""

# However long the kernel compiles on a busy machine, the end of the program waits for it.
COUNTING = """
import audiencelab as al
from audiencelab import background
from audiencelab.engine import kernel
from audiencelab.widgets import Crosstab

background.EXIT_SECONDS = 600.0
kernel.compile_in_background()
client = al.connect()
audiences = [each for question in client.catalogue for each in question.audiences()][:250]
grid = Crosstab(client=client, rows=audiences, columns=audiences)
while not any("audiencelab-grid" in t.name for t in threading.enumerate()):
    pass
threading.Event().wait({wait})
"""


def ended(code: str) -> str:
    """The output of a program, whose last line lists the threads of ours that are left."""
    done = subprocess.run(
        [sys.executable, "-c", LAST + code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_work_is_cancelled_when_the_program_ends() -> None:
    assert ended(CANCELLED) == "cancelled\n[]\n"


@pytest.mark.parametrize("wait", [0, 0.05, 0.3])
def test_a_program_may_end_while_a_grid_counts(wait: float) -> None:
    assert ended(COUNTING.format(wait=wait)) == "[]\n"


def test_a_task_has_the_result_of_its_work() -> None:
    task = background.run(threading.get_ident, name="audiencelab-test", cancel=lambda: None)
    assert task.result() != threading.get_ident()
    assert task.wait(0)


def test_a_task_waits_no_longer_than_it_may() -> None:
    stop = threading.Event()
    task = background.run(stop.wait, name="audiencelab-test", cancel=stop.set)
    assert not task.wait(0.01)
    stop.set()
    assert task.wait()


def test_an_error_is_raised_where_the_result_is_asked_for_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def work() -> None:
        raise ValueError("ours")

    task = background.run(work, name="audiencelab-test", cancel=lambda: None)
    with fails(ValueError):
        task.result()
    assert [record.exc_info and str(record.exc_info[1]) for record in caplog.records] == ["ours"]


@pytest.fixture
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a browser: a thread that is started all the same is an error."""

    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(background, "_has_threads", False)
    monkeypatch.setattr(threading.Thread, "start", start)


@pytest.mark.usefixtures("no_threads")
class TestWithoutThreads:
    def test_work_waits_for_a_turn_of_the_event_loop(self) -> None:
        done: list[str] = []

        async def main() -> None:
            background.run(lambda: done.append("run"), name="test", cancel=lambda: None)
            background.pool("test", 2).submit(done.append, "pool")
            background.call_later(0.01, lambda: done.append("later"))
            background.call_later(0.01, lambda: done.append("never")).cancel()
            assert done == []
            await asyncio.sleep(0.05)
            workers = background.pool("test", 2)
            assert await background.in_thread(workers, lambda: len(done)) == 3

        asyncio.run(main())
        assert done == ["run", "pool", "later"]

    def test_a_result_that_is_asked_for_is_worked_out_at_once(self) -> None:
        async def main() -> None:
            task = background.run(lambda: 7, name="test", cancel=lambda: None)
            assert task.result() == 7
            await asyncio.sleep(0)  # its turn comes, and does nothing twice

        asyncio.run(main())

    def test_work_is_done_at_once_without_a_loop(self) -> None:
        assert background.run(lambda: 7, name="test", cancel=lambda: None).done()

    def test_a_grid_is_filled_by_the_event_loop_or_by_waiting(self) -> None:
        async def main() -> None:
            with al.connect(survey=al.demo_survey(96)) as client:
                first = al.Crosstab(client, rows=[Q("q2").any("q2_1")])
                assert first.wait().result is not None
                second = al.Crosstab(client, rows=[Q("q2").any("q2_2")])
                while second.result is None or not second.result.arrived.all():
                    await asyncio.sleep(0.01)

        asyncio.run(main())


STARTERS = {"Thread", "Timer", "ThreadPoolExecutor", "to_thread", "run_in_executor"}


def test_nothing_else_starts_a_thread() -> None:
    found = {
        (path.stem, name)
        for path in PACKAGE.rglob("*.py")
        if path.name != "background.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and (name := ast.unparse(node.func).rpartition(".")[2]) in STARTERS
    }
    assert found == set()
