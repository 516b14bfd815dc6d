"""A cell that is run repeatedly leaks no memory in the page or the kernel.

Jupyter itself keeps a little of every widget that was ever shown, on both sides, until it is
closed. So a widget with nothing in it is run beside ours, and only what ours add to that counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab
from tests.browser.page import NotebookPage

SETUP = """\
import gc, threading, weakref
import anywidget
from ipywidgets.widgets.widget import _instances as models
import audiencelab as al
client = al.connect()
sites = [client["q20"].any(e.code).named(e.name) for e in client["q20"].datapoints]
ages = client.catalogue.audiences("q4")
young = al.Audience("Young", al.Q("q4").any("q4_2", "q4_3") & ~al.Q("q2").any("q2_1"))

class Empty(anywidget.AnyWidget):
    _esm = "export default { render({ el }) { el.textContent = 'ready'; } };"

made = weakref.WeakSet()

def threads():
    # The pools of the engine and of requests are one for the process, bounded, and grow at need.
    pools = ("audiencelab-kernel", "audiencelab-rpc")
    return sum(not each.name.startswith(pools) for each in threading.enumerate())
"""
# Several tiles of cells: one that stayed behind would weigh more than all that Jupyter keeps.
KINDS = {
    "empty": "Empty()",
    "grid": "al.Crosstab(client, rows=sites * 12, columns=ages * 10)",
    "picker": "al.QuestionPicker(client)",
    "editor": "al.AudienceEditor(client, value=young)",
}
OURS = [kind for kind in KINDS if kind != "empty"]
LET_GO = """\
for widget in list(made): widget.close()
del widget, shown
"""

WARM_UP, SHARES, RUNS, TRIES = 3, 5, 4, 3
"""Runs before anything is measured; then shares, of so many runs each; all of it so often."""
NODES, LISTENERS, BYTES = 5.0, 2.0, 60_000
"""How much more a run of ours may leave than one of the empty widget."""


@dataclass(frozen=True)
class Held:
    """What a page holds after all that can be thrown away was."""

    nodes: int
    listeners: int
    bytes: int

    def since(self, before: Held) -> Held:
        return Held(
            self.nodes - before.nodes,
            self.listeners - before.listeners,
            self.bytes - before.bytes,
        )


def test_running_a_cell_again_leaks_nothing_in_the_page(lab: Lab) -> None:
    page = lab.open(lab.write("memory", [SETUP, *map(cell_of, KINDS)]))
    page.run_cell(0)
    run_again(page, 1, "empty", WARM_UP)
    empty = grown_by(page, 1, "empty")
    for place, kind in enumerate(OURS, start=2):
        run_again(page, place, kind, WARM_UP)
        threads = page.python("threads()")
        tries: list[Held] = []
        # A leak is there each time; what the browser makes once, as it compiles a function that
        # has become busy, is not.
        while len(tries) < TRIES and not any(map(is_little, tries)):
            tries.append(grown_by(page, place, kind).since(empty))
        assert any(map(is_little, tries)), (kind, tries, empty)
        # A request or a table may just be ending; one that stays is one for each run.
        page.expect_python(f"threads() <= {threads}", True)


def is_little(more: Held) -> bool:
    """Whether so many runs may leave this much more than those of the empty widget."""
    runs = SHARES * RUNS
    return (
        more.nodes <= NODES * runs
        and more.listeners <= LISTENERS * runs
        and more.bytes <= BYTES * runs
    )


def grown_by(page: NotebookPage, place: int, kind: str) -> Held:
    """What all the runs leave; the bytes are those of the middle share, times the shares."""
    moments = [held(page)]
    for _ in range(SHARES):
        run_again(page, place, kind, RUNS)
        moments.append(held(page))
    shares = [after.since(before) for before, after in pairwise(moments)]
    in_all = moments[-1].since(moments[0])
    return replace(in_all, bytes=SHARES * int(median(share.bytes for share in shares)))


def test_a_closed_widget_is_gone_from_the_kernel(lab: Lab) -> None:
    page = lab.open(lab.write("memory-closed", [SETUP, *map(cell_of, OURS), LET_GO]))
    page.run_cell(0)
    for place, kind in enumerate(OURS, start=1):
        run_again(page, place, kind, 1)
    threads = page.python("threads()")
    for place, kind in enumerate(OURS, start=1):
        run_again(page, place, kind, 1)
    assert page.python("len(made)") == 2 * len(OURS)
    page.run_cell(len(OURS) + 1)
    page.expect_python("[len(made), gc.collect() * 0]", [0, 0])
    # ipywidgets never closes layouts.
    assert page.python("sorted({type(model).__name__ for model in models.values()})") == ["Layout"]
    page.expect_python(f"threads() <= {threads}", True)
    for place, kind in enumerate(OURS, start=1):
        expect(drawn(page.cell_output(place), kind)).to_have_count(0)


def cell_of(kind: str) -> str:
    # Not as the cell's value: IPython never lets go of those.
    return f"shown = {KINDS[kind]}\nmade.add(shown)\ndisplay(shown)"


def run_again(page: NotebookPage, place: int, kind: str, times: int) -> None:
    for _ in range(times):
        page.command("notebook:clear-cell-output")
        page.run_cell(place)
        expect(drawn(page.cell_output(place), kind)).to_be_visible()


def drawn(output: Locator, kind: str) -> Locator:
    """What is to be seen only when a widget has what it asked for."""
    return {
        "empty": output.get_by_text("ready"),
        "grid": output.locator('[role="grid"][aria-busy="false"]'),
        "picker": output.get_by_role("treeitem").first,
        "editor": output.locator("pre").filter(has_text="client['Age']"),
    }[kind]


def held(page: NotebookPage) -> Held:
    protocol = page.page.context.new_cdp_session(page.page)
    for _ in range(3):
        protocol.send("HeapProfiler.collectGarbage")
        page.page.wait_for_timeout(100)
    counted = protocol.send("Memory.getDOMCounters")
    heap = protocol.send("Runtime.getHeapUsage")
    protocol.detach()
    return Held(
        counted["nodes"],
        counted["jsEventListeners"],
        int(heap["usedSize"] + heap.get("backingStorageSize", 0)),
    )
