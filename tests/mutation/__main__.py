"""Print how many mutants the tests notice, and which ones they do not."""

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

from tests.mutation.at_import import try_at_import
from tests.mutation.equivalent import reason
from tests.mutation.forks import Measured, try_in_forks
from tests.mutation.processes import TOO_LONG, together
from tests.mutation.session import prepare
from tests.mutation.suites import SUITES, Fault, Suite, faults


class Score(NamedTuple):
    """Numbers of mutants. same: those that are equivalent, by reasoning."""

    noticed: int
    same: int
    every: int

    @property
    def percent(self) -> float:
        return 100 * self.noticed / max(1, self.every - self.same)


def main(given: Sequence[str]) -> int:
    """Print the score of each suite; 1 if one is under `--least`."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument(
        "suites", nargs="*", help="language, metrics, splitter; all of them if none"
    )
    parser.add_argument("--most", type=int, help="so many mutants of each suite, spread evenly")
    parser.add_argument(
        "--only", default="", help="mutants in paths or lines that have this: cells.py:31"
    )
    parser.add_argument("--least", type=float, default=0, help="fail under this score, in percent")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=900, help="for the tests of one mutant")
    options = parser.parse_args(given)
    scores: list[Score] = []
    for suite in SUITES:
        if options.suites and suite.name not in options.suites:
            continue
        chosen = _spread(
            [each for each in faults(suite) if options.only in _place(each)], options.most
        )
        started = time.monotonic()
        outcomes = _tried(suite, chosen, options.workers, options.seconds)
        scores.append(_report(suite, chosen, outcomes))
        print(f"  in {time.monotonic() - started:.0f} s", flush=True)
    return int(any(score.percent < options.least for score in scores))


def _place(fault: Fault) -> str:
    return f"{fault.path}:{fault.mutant.line}"


def _spread(every: list[Fault], most: int | None) -> list[Fault]:
    if most is None or most >= len(every):
        return every
    return [every[place * len(every) // most] for place in range(most)]


def _tried(suite: Suite, chosen: list[Fault], workers: int, seconds: float) -> list[int | None]:
    """The exit code for each mutant: 0 if no test failed, `TOO_LONG` if they did not end."""
    receive, send = Pipe(duplex=False)
    work = partial(try_in_forks, suite, chosen, workers, seconds, send)
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
            words = f"not noticed so far: {_place(chosen[number])}  {chosen[number].words}"
            print(words, file=sys.stderr)
        if len(outcomes) % 20 == 0:
            print(f"{suite.name}: {len(outcomes)} of {len(chosen)} tried", file=sys.stderr)
    process.join()
    # The others are reached by no test, or run while the module is imported.
    at_import = [
        (number, partial(try_at_import, suite, fault, measured.seconds))
        for number, fault in enumerate(chosen)
        if not outcomes.get(number, 0)
        and outcomes.get(number, 0) is not TOO_LONG
        and measured.imported(fault)
    ]
    outcomes.update(together(at_import, workers, seconds))
    return [outcomes.get(number, 0) for number in range(len(chosen))]


def _report(suite: Suite, chosen: list[Fault], outcomes: list[int | None]) -> Score:
    same = 0
    for fault, outcome in zip(chosen, outcomes, strict=True):
        why = reason(fault)
        if outcome == 0 and why is None:
            print(f"  {_place(fault)}  {fault.words}")
        if outcome != 0 and why is not None:
            print(f"  {_place(fault)}  {fault.words}: listed as equivalent, but noticed")
        same += outcome == 0 and why is not None
    score = Score(sum(outcome != 0 for outcome in outcomes), same, len(chosen))
    print(
        f"{suite.name}: {score.noticed} of {score.every} mutants noticed,"
        f" {score.same} the same by reasoning; {score.percent:.1f}% of the others"
    )
    return score


if __name__ == "__main__":
    prepare()
    for library in ("hypothesis.strategies", "msgspec", "numpy"):
        importlib.import_module(library)  # once, and not in every process
    sys.exit(main(sys.argv[1:]))
