"""The findings of `audiencelab verify`: one for each cell, and causes of what changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from audiencelab.notebook.change import Change

State = Literal[
    "holds", "reworded", "moved", "failed", "differs each time", "not replayed", "left out"
]


@dataclass(frozen=True, slots=True)
class CellVerdict:
    """The finding about one code cell.

    number: counts the code cells, from 1. title: the first line of its code.
    state: "reworded" where other words are with the same numbers; "failed" where it raises and did
        not before; "differs each time" where two runs one after the other differ too; "not
        replayed" where it is as it was, but may rest on another source than the snapshot; "left
        out" where a tag asks for it, or where it has no output, before and now.
    changes: the differences, in reading order.
    tag: the tag because of which outputs are not compared; "" where there is none.
    """

    number: int
    title: str
    state: State
    changes: tuple[Change, ...] = ()
    tag: str = ""


CauseKind = Literal[
    "survey", "survey version", "waves", "weight", "base", "method", "code", "snapshot",
    "packages", "order", "chance", "failure", "edited", "place",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cause:
    """Why outputs differ, as far as it can be known. cells: numbers of those that it explains."""

    kind: CauseKind
    text: str
    cells: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Exchanges:
    """How many of the recorded exchanges of a snapshot a run used, of how many."""

    snapshot: Path
    used: int
    count: int


@dataclass(frozen=True, slots=True)
class Verification:
    """Which outputs of a notebook are reproduced.

    causes: explanations of those that do not, as far as they can be known.
    replayed: whether all of its clients read the snapshot, where one was given.
    exchanges: how much of each snapshot was used.
    notes: what was not compared, and why.
    beside: what differs in a package beside the outputs: its page, README, description, citation.
    """

    notebook: Path
    cells: tuple[CellVerdict, ...]
    causes: tuple[Cause, ...] = ()
    replayed: bool = True
    exchanges: tuple[Exchanges, ...] = ()
    notes: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether no output has other numbers and no cell failed; words may be others.

        False too where a client did not read the snapshot that was given, or a package says other
        things beside its notebooks.
        """
        return (
            self.replayed
            and not self.beside
            and not self.of("moved", "failed", "differs each time")
        )

    @property
    def reasons(self) -> tuple[str, ...]:
        """The causes as text."""
        return tuple(cause.text for cause in self.causes)

    def of(self, *states: State) -> tuple[CellVerdict, ...]:
        """The cells of these states, in order."""
        return tuple(cell for cell in self.cells if cell.state in states)

    def __repr__(self) -> str:
        counts = {state: len(self.of(state)) for state in ("holds", "moved", "failed")}
        counted = ", ".join(f"{count} {state}" for state, count in counts.items())
        return f"<Verification of {self.notebook.name}: {counted}>"
