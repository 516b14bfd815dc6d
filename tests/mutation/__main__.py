"""Prints how many faults the tests notice, and which ones they do not."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Sequence
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Pipe
from typing import NamedTuple

from tests.mutation.equivalent import reason
from tests.mutation.nursery import Measured, try_in_nursery
from tests.mutation.planting import try_planted
from tests.mutation.processes import TOO_LONG, together
from tests.mutation.rooms import ROOMS, Fault, Room, faults
from tests.mutation.session import prepare


class Score(NamedTuple):
    """Numbers of faults. same: those that are none, by reasoning."""

    noticed: int
    same: int
    every: int

    @property
    def percent(self) -> float:
        return 100 * self.noticed / max(1, self.every - self.same)


def main(given: Sequence[str]) -> int:
    """Print the score of each room; 1 if one is under `--least`."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("rooms", nargs="*", help="language, metrics, splitter; all of them if none")
    parser.add_argument("--most", type=int, help="so many faults of each room, spread evenly")
    parser.add_argument(
        "--only", default="", help="faults in paths or lines that have this: cells.py:31"
    )
    parser.add_argument("--least", type=float, default=0, help="fail under this score, in percent")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=900, help="for the tests of one fault")
    options = parser.parse_args(given)
    scores: list[Score] = []
    for room in ROOMS:
        if options.rooms and room.name not in options.rooms:
            continue
        chosen = _spread(
            [each for each in faults(room) if options.only in _place(each)], options.most
        )
        started = time.monotonic()
        outcomes = _tried(room, chosen, options.workers, options.seconds)
        scores.append(_told(room, chosen, outcomes))
        print(f"  in {time.monotonic() - started:.0f} s", flush=True)
    return int(any(score.percent < options.least for score in scores))


def _place(fault: Fault) -> str:
    return f"{fault.path}:{fault.mutant.line}"


def _spread(every: list[Fault], most: int | None) -> list[Fault]:
    if most is None or most >= len(every):
        return every
    return [every[place * len(every) // most] for place in range(most)]


def _tried(room: Room, chosen: list[Fault], workers: int, seconds: float) -> list[int | None]:
    """The exit code for each fault: 0 if no test failed, `TOO_LONG` if they did not end."""
    receive, send = Pipe(duplex=False)
    work = partial(try_in_nursery, room, chosen, workers, seconds, send)
    process = get_context("fork").Process(target=work)
    process.start()
    send.close()
    measured: Measured | str = receive.recv()
    if isinstance(measured, str):
        sys.exit(measured)
    outcomes: dict[int, int | None] = {}
    while True:
        try:
            number, outcome = receive.recv()
        except EOFError:
            break
        outcomes[number] = outcome
        if outcome == 0 and reason(chosen[number]) is None:
            told = f"not noticed so far: {_place(chosen[number])}  {chosen[number].words}"
            print(told, file=sys.stderr)
        if len(outcomes) % 20 == 0:
            print(f"{room.name}: {len(outcomes)} of {len(chosen)} tried", file=sys.stderr)
    process.join()
    # Of the others a part is reached by no test at all, and the rest runs while it is imported.
    planted = [
        (number, partial(try_planted, room, fault, measured.seconds))
        for number, fault in enumerate(chosen)
        if not outcomes.get(number, 0)
        and outcomes.get(number, 0) is not TOO_LONG
        and measured.imported(fault)
    ]
    outcomes.update(together(planted, workers, seconds))
    return [outcomes.get(number, 0) for number in range(len(chosen))]


def _told(room: Room, chosen: list[Fault], outcomes: list[int | None]) -> Score:
    same = 0
    for fault, outcome in zip(chosen, outcomes, strict=True):
        why = reason(fault)
        if outcome == 0 and why is None:
            print(f"  {_place(fault)}  {fault.words}")
        if outcome != 0 and why is not None:
            print(f"  {_place(fault)}  {fault.words}: was said to be none, and yet was noticed")
        same += outcome == 0 and why is not None
    score = Score(sum(outcome != 0 for outcome in outcomes), same, len(chosen))
    print(
        f"{room.name}: {score.noticed} of {score.every} faults noticed,"
        f" {score.same} the same by reasoning; {score.percent:.1f}% of the others"
    )
    return score


if __name__ == "__main__":
    prepare()
    for library in ("hypothesis.strategies", "msgspec", "numpy"):
        importlib.import_module(library)  # once, and not in every process
    sys.exit(main(sys.argv[1:]))
