"""What a page may ask to be counted about questions: shares of answers, waves, coverage.

`serve_figures(channel, client)` answers two operations for any widget that shows questions:
`figures` (`{question}` → its base, its waves and the shares of its answers) and `coverage`
(nothing → the accessible waves, and for every question those in which it was asked). Both are
counted when a page asks and never before.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from audiencelab.expressions import Audience, Leaf
from audiencelab.expressions.codes import WAVES
from audiencelab.widgets.requests import Operations, Request

if TYPE_CHECKING:
    from audiencelab.client import CatalogueQuestion, Client
    from audiencelab.schema import StatsRow

__all__ = ["BARS", "serve_figures"]

BARS = 12
"""Answers whose shares are sent: as many bars as a glance takes in."""

_ROWS = 200
"""Questions in one request; between requests the page may lose interest."""


def serve_figures(channel: Operations, client: Client) -> None:
    """Answer the operations `figures` and `coverage` on `channel`."""
    source = _Source(client)
    channel.on("figures", source.figures)
    channel.on("coverage", source.coverage)


class _Source:
    """The figures of one client; what holds for all questions is asked for once."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._coverage: dict[str, str] | None = None
        self._lock = threading.Lock()

    @cached_property
    def _waves(self) -> dict[str, str]:
        """Names of the accessible waves under their codes, by date."""
        return {wave.code: wave.name for wave in self._client.waves()}

    def figures(self, request: Request) -> dict[str, Any]:
        """One question over every wave in which it was asked.

        `size`, `sample`: the base, weighted people and respondents. `waves`: names, by date, of
        `wave_count` accessible ones. `shares`: percentages of the base, in catalogue order when
        all fit, else the largest; `more` counts those left out.
        """
        stats = self._client.stats(question=str(request.args["question"]))
        shown = _largest(stats.rows)
        base = stats.rows[0].metrics if stats.rows else None
        return {
            "size": base.audience_size if base else 0,
            "sample": base.audience_sample if base else 0,
            "waves": [self._waves.get(wave, wave) for wave in stats.waves],
            "wave_count": len(self._waves),
            "shares": [
                {"datapoint": row.datapoint, "percentage": row.metrics.audience_percentage}
                for row in shown
            ],
            "more": len(stats.rows) - len(shown),
        }

    def coverage(self, request: Request) -> dict[str, Any]:
        """`waves`: `{code, name}` by date. `asked`: under each code, a `1` or `0` for each wave."""
        with self._lock:
            if self._coverage is None:
                self._coverage = dict(self._counted_coverage(request))
            return {
                "waves": [{"code": code, "name": name} for code, name in self._waves.items()],
                "asked": self._coverage,
            }

    def _counted_coverage(self, request: Request) -> Iterator[tuple[str, str]]:
        """Questions by waves: the cell of a wave has a base where the question was asked in it."""
        waves = list(self._waves)
        columns = [Audience(wave, Leaf(WAVES, (wave,))) for wave in waves]
        questions = list(self._client.catalogue.questions)
        for part in _in_parts(questions):
            request.check()
            rows = [Audience(each.canonical, Leaf(each.canonical)) for each in part]
            table = self._client.crosstab(rows=rows, columns=columns, waves=waves)
            has_base = table.values("base_sample") > 0
            for question, cells in zip(part, has_base, strict=True):
                yield question.canonical, "".join("1" if asked else "0" for asked in cells)


def _largest(rows: Sequence[StatsRow]) -> Sequence[StatsRow]:
    """All rows in their order if they are few, else those of the largest shares, largest first."""
    if len(rows) <= BARS:
        return rows
    return sorted(rows, key=lambda row: -row.metrics.audience_percentage)[:BARS]


def _in_parts(questions: Sequence[CatalogueQuestion]) -> Iterator[Sequence[CatalogueQuestion]]:
    for start in range(0, len(questions), _ROWS):
        yield questions[start : start + _ROWS]
