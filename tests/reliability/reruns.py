"""Cells that are run again: `python -m tests.reliability.reruns --times 1000`.

A real JupyterLab runs cells that show a widget, over and over, and nothing is closed: as somebody
works through a day. What is printed, for each kind and share of the runs: the nodes, listeners and
heap of the page, and the kernel's blocks of Python objects, resident memory and threads.

Jupyter itself keeps a little of every widget that was ever shown, on both sides. So a widget with
nothing in it is run as often, and what ours leave beyond it is told at the end, a run.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import astuple, dataclass

import audiencelab as al
from tests.browser.page import NotebookPage
from tests.browser.screenshots import real_lab
from tests.browser.test_memory import KINDS, SETUP, Held, cell_of, held

# Blocks and not bytes: to trace those makes the kernel many times slower.
MEASURE = """\
import sys

def measured():
    gc.collect()
    with open("/proc/self/statm") as told:
        pages = int(told.read().split()[1])
    return [sys.getallocatedblocks(), pages * 4096, threading.active_count()]
"""
WARM_UP = 5

# In the page, since each step that is asked for from outside would wait for its turn.
RUN_AGAIN = """async ([index, times, selector, words]) => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  const run = (name) => window.jupyterapp.commands.execute(name);
  const drawn = () => [...notebook.widgets[index].node.querySelectorAll(selector)]
    .some((each) => each.textContent.includes(words));
  for (let n = 0; n < times; n++) {
    notebook.activeCellIndex = index;
    await run("notebook:clear-cell-output");
    await run("notebook:run-cell");
    while (!drawn()) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}"""
DRAWN = {
    "empty": (".jp-OutputArea-output", "ready"),
    "grid": ('[role="grid"][aria-busy="false"]', ""),
    "picker": ('[role="treeitem"]', ""),
    "editor": ("pre", "al.Q('q4')"),
}
"""What is to be seen only when a widget has what it asked for: a selector, and words in it."""


@dataclass(frozen=True)
class Kernel:
    """What the kernel holds: blocks of Python objects, bytes resident, threads."""

    blocks: int
    resident: int
    threads: int


@dataclass(frozen=True)
class Moment:
    """What page and kernel hold after so many runs of one kind."""

    kind: str
    runs: int
    page: Held
    kernel: Kernel

    @property
    def figures(self) -> tuple[int, ...]:
        return (*astuple(self.page), *astuple(self.kernel))


def run(page: NotebookPage, times: int, shares: int) -> Iterator[tuple[Moment, Moment]]:
    """Run each cell `times` times, in turns: what was held before and after each share."""
    for place, kind in enumerate(KINDS, start=1):
        page.run_cell(place)
        run_again(page, place, kind, WARM_UP)
    for share in range(shares):
        for place, kind in enumerate(KINDS, start=1):
            before = look(page, kind, share * times // shares)
            after = (share + 1) * times // shares
            run_again(page, place, kind, after - before.runs)
            yield before, look(page, kind, after)


def run_again(page: NotebookPage, place: int, kind: str, times: int) -> None:
    page.page.evaluate(RUN_AGAIN, [place, times, *DRAWN[kind]])


def look(page: NotebookPage, kind: str, runs: int) -> Moment:
    return Moment(kind, runs, held(page), Kernel(*page.python("measured()")))


HEAD = ("nodes", "listeners", "heap KB", "blocks", "resident KB", "threads")
_KILO = (1, 1, 1000, 1, 1000, 1)


def main(arguments: list[str] | None = None) -> int:
    """Run it and print what was measured."""
    parser = argparse.ArgumentParser(prog="reruns", description=__doc__)
    parser.add_argument("--times", type=int, default=1000, help="runs of ours, all kinds together")
    parser.add_argument("--shares", type=int, default=5, help="how often it is looked")
    asked = parser.parse_args(arguments)
    ours = [kind for kind in KINDS if kind != "empty"]
    times = asked.times // len(ours)
    print(f"audiencelab {al.__version__}, {len(ours)} widgets, {times} runs of each")
    print(f"{'':8}{'runs':>6}" + "".join(f"{each:>13}" for each in HEAD), flush=True)
    grown: dict[str, list[int]] = defaultdict(lambda: [0] * len(HEAD))
    with real_lab() as lab:
        page = lab.open(lab.write("reruns", [SETUP + MEASURE, *map(cell_of, KINDS)]))
        page.run_cell(0)
        for before, after in run(page, times, asked.shares):
            told = [each // kilo for each, kilo in zip(after.figures, _KILO, strict=True)]
            print(f"{after.kind:8}{after.runs:6,}" + "".join(f"{each:13,}" for each in told))
            sys.stdout.flush()
            for place, figure in enumerate(after.figures):
                grown[after.kind][place] += figure - before.figures[place]
    print("\na run of ours leaves, beyond one of a widget with nothing in it:")
    for kind in ours:
        more = (
            (each - empty) / times / kilo
            for each, empty, kilo in zip(grown[kind], grown["empty"], _KILO, strict=True)
        )
        print(f"{kind:14}" + "".join(f"{each:13,.2f}" for each in more))
    return 0


if __name__ == "__main__":
    sys.exit(main())
