"""A crosstab over real HTTP: when its first cells are there, and when all of them are.

Server and client are one process here and share its interpreter, so a total holds the work of
both. Crosstabs in process and over HTTP take turns; each is told by its best turn.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

import audiencelab as al
from tests.bench.turns import best_turns

SIDE = 100
TURNS = 9
CALLS = 200
TOKEN = "bench"


@dataclass(frozen=True, slots=True)
class Run:
    """Seconds until the first cells and until the last, and how many updates brought them."""

    first: float
    total: float
    updates: int


def main() -> None:
    survey = al.demo_survey(2_400)
    with (
        al.serve(survey, token=TOKEN) as url,
        al.connect(url, token=TOKEN) as distant,
        al.connect(survey=survey) as embedded,
    ):
        ways = {
            "in process": embedded,
            "HTTP, gzip": distant,
            "HTTP, not compressed": distant.with_options(headers={"accept-encoding": "identity"}),
        }
        _calls({name: ways[name] for name in ("in process", "HTTP, gzip")})
        _crosstabs(ways)


def _calls(clients: dict[str, al.Client]) -> None:
    """One small operation, to tell what a round trip costs."""
    print(f"one call (GET a question), best of {CALLS}")
    for name, client in clients.items():
        # One after the other: a server that still tidies up would be in the next one's way.
        [seconds] = best_turns({name: partial(client.questions.get, "core.q2")}, CALLS).values()
        print(f"  {name:22} {1e6 * seconds:8.0f} µs")


def _crosstabs(clients: dict[str, al.Client]) -> None:
    questions = next(iter(clients.values())).catalogue
    audiences = [each for question in questions for each in question.audiences()][:SIDE]
    runs: dict[str, list[Run]] = {name: [] for name in clients}
    for _ in range(TURNS):
        for name, client in clients.items():
            runs[name].append(_crosstab(client, audiences))
    print(f"\na crosstab of {SIDE} × {SIDE}, best of {TURNS}")
    for name, taken in runs.items():
        best = min(taken, key=lambda run: run.total)
        print(
            f"  {name:22} first cells {1e3 * best.first:6.1f} ms"
            f" ({100 * best.first / best.total:3.0f}%)   all {1e3 * best.total:6.1f} ms"
            f"   {SIDE * SIDE / best.total / 1e3:4.0f} k cells/s   {best.updates:4} updates"
        )


def _crosstab(client: al.Client, audiences: list[al.Audience]) -> Run:
    start = time.perf_counter()
    first, updates = 0.0, 0
    stream = client.crosstab_stream(rows=audiences, columns=audiences)
    for _ in stream:
        updates += 1
        first = first or time.perf_counter() - start
    assert stream.result.complete
    return Run(first, time.perf_counter() - start, updates)


if __name__ == "__main__":
    main()
