"""Mixed requests by several clients over real HTTP: timed, and every answer compared."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

import audiencelab as al
from audiencelab.client import InvalidRequest
from audiencelab.results.arrays import CELL_PLANES
from audiencelab.survey import Survey
from tests.service.http.test_load import Process
from tests.service.http.test_workers import workers_of

__all__ = ["Load", "run_load"]

MEGABYTE = 1 << 20
LOOK = 1.0
"""Seconds between two looks at the server's memory."""

SETTLED = 0.25
"""Share of the time after which caches are taken to be full: the slope is that of the rest."""


class WrongAnswerError(Exception):
    """An answer that differs from the embedded service's."""


@dataclass(slots=True)
class Load:
    """What was measured.

    times: seconds of each call, by its kind. errors: by kind and error.
    memory: (seconds since the start, bytes resident) of the server and its workers; files that
        they share count in each.
    threads: of the server's first process, at the end.
    """

    clients: int
    seconds: float = 0.0
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter[str])
    memory: list[tuple[float, int]] = field(default_factory=list[tuple[float, int]])
    threads: int = 0

    @property
    def answers(self) -> int:
        return sum(map(len, self.times.values()))

    @property
    def slope(self) -> float:
        """Bytes a minute, of the line of least squares through what followed the warming up."""
        settled = [each for each in self.memory if each[0] >= SETTLED * self.seconds]
        if len(settled) < 3:
            return 0.0
        moments, sizes = np.array(settled, dtype=np.float64).T
        return float(60 * np.polynomial.Polynomial.fit(moments, sizes, 1).convert().coef[1])

    def lines(self) -> Iterator[str]:
        """The report."""
        yield (
            f"{self.answers:,} answers in {self.seconds:,.0f} s: "
            f"{self.answers / self.seconds:,.1f} a second"
        )
        yield f"{'':22}{'answers':>9}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}{'most ms':>9}"
        everything = [each for times in self.times.values() for each in times]
        for kind, times in [*sorted(self.times.items()), ("all", everything)]:
            if times:
                told = [1e3 * float(each) for each in np.percentile(times, [50, 95, 99, 100])]
                yield f"{kind:22}{len(times):9,}" + "".join(f"{each:9,.0f}" for each in told)
        if self.memory:
            begin, end = self.memory[0][1], self.memory[-1][1]
            most = max(size for _, size in self.memory)
            settled = next(size for at, size in self.memory if at >= SETTLED * self.memory[-1][0])
            yield (
                f"memory of the server: {begin / MEGABYTE:.1f} MB at first, "
                f"{settled / MEGABYTE:.1f} MB after a quarter of the time, "
                f"{end / MEGABYTE:.1f} MB at the end, {most / MEGABYTE:.1f} MB at most; "
                f"{self.slope / MEGABYTE:+.3f} MB a minute; {self.threads} threads"
            )
            # What levels off is no leak, though a straight line through it rises.
            tenths = [self.memory[len(self.memory) * part // 10][1] for part in range(10)]
            told = [f"{size / MEGABYTE:.1f}" for size in (*tenths, end)]
            yield f"its memory, each tenth of the time: {', '.join(told)} MB"
        told = [f"{number:,} × {kind}" for kind, number in self.errors.most_common()]
        yield "errors: " + ("; ".join(told) or "none")


def run_load(
    survey: Survey, url: str, token: str, server: int, *, seconds: float, clients: int
) -> Load:
    """Let clients ask the service at `url` for so many seconds.

    server: its process id. The survey is the one that it serves.
    """
    load, lock = Load(clients), threading.Lock()
    with al.connect(survey=survey) as embedded:
        expected = {kind: ask(embedded) for kind, ask in COMPARED.items()}
        figures = _figures(embedded, _chart(embedded, "expected"))
    begin = time.monotonic()
    over = begin + seconds

    def one(seed: int) -> None:
        chance = random.Random(seed)
        with al.connect(url, token=token) as client:
            kept = Keeping(client, seed, figures)
            kinds = [*COMPARED, "chart kept", "chart changed", "mistake", "left half-way"]
            while time.monotonic() < over:
                kind = chance.choice(kinds)
                started = time.monotonic()
                try:
                    if kind in COMPARED:
                        check(COMPARED[kind](client), expected[kind])
                    else:
                        kept.do(kind)
                except Exception as error:
                    with lock:
                        load.errors[f"{kind}: {type(error).__name__}: {error}"[:200]] += 1
                else:
                    with lock:
                        load.times[kind].append(time.monotonic() - started)

    process = Process(server)
    with ThreadPoolExecutor(clients) as pool:
        running = [pool.submit(one, seed) for seed in range(clients)]
        while any(not each.done() for each in running):
            resident = sum(Process(each).memory() for each in [server, *workers_of(server)])
            load.memory.append((time.monotonic() - begin, resident))
            time.sleep(LOOK)
        for each in running:
            each.result()
    load.seconds, load.threads = time.monotonic() - begin, process.threads()
    return load


# ---- what is asked ----


def _audiences(client: al.Client, most: int) -> list[al.Audience]:
    every = [each for question in client.catalogue for each in question.audiences()]
    return every[:: max(1, len(every) // most)][:most]


def _crosstab(client: al.Client, side: int) -> tuple[object, ...]:
    audiences = _audiences(client, side)
    result = client.crosstab(rows=audiences, columns=audiences)
    return tuple(result.values(plane).tobytes() for plane in CELL_PLANES)


def _stats(client: al.Client, **given: object) -> tuple[object, ...]:
    return tuple(client.stats("q2", **given))  # type: ignore[arg-type] -- options of each kind


COMPARED: dict[str, Callable[[al.Client], object]] = {
    "question": lambda client: client.questions.get("core.q2", include=["datapoints"]),
    "catalogue": lambda client: client.questions.filter(),
    "stats": lambda client: _stats(client),
    "stats by wave": lambda client: _stats(client, splitter="waves"),
    "crosstab 10 × 10": lambda client: _crosstab(client, 10),
    "crosstab 60 × 60": lambda client: _crosstab(client, 60),
    "insights": lambda client: client.insights.filter(limit=5),
}
"""What every service of one survey answers alike."""


def check(got: object, expected: object) -> None:
    """Raise `WrongAnswerError` unless both are the same to the last bit."""
    if got != expected:
        raise WrongAnswerError(f"{str(got)[:60]!r}")


def _chart(client: al.Client, name: str) -> str:
    return client.charts.create(name, attributes=[("core.q2", "q2_1")]).id


def _figures(client: al.Client, chart: str) -> str:
    return str(client.charts.calculate(chart).groups)


class Keeping:
    """What one client does that leaves something behind, or is not to be answered."""

    def __init__(self, client: al.Client, seed: int, figures: str) -> None:
        self._client = client
        self._seed = seed
        self._figures = figures
        self._made = 0
        self._chart = ""

    def do(self, kind: str) -> None:
        """One of them; raises where it does not come out as it must."""
        if kind == "mistake":
            try:
                self._client.stats("nowhere")
            except InvalidRequest:
                return
            raise WrongAnswerError("a question that is not there was answered")
        if kind == "left half-way":
            audiences = _audiences(self._client, 60)
            with self._client.crosstab_stream(rows=audiences, columns=audiences) as stream:
                next(stream)
        elif kind == "chart kept" or not self._chart:
            # A few for each client, so that the store is no larger in an hour than in a minute.
            if self._made < 20:
                self._chart = _chart(self._client, f"{self._seed}/{self._made}")
                self._made += 1
            check(_figures(self._client, self._chart), self._figures)
        else:
            self._client.charts.update(self._chart, color=f"#{self._made:06x}")
