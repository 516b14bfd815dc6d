"""The data of a chart's calculation: its groups as received, failed ones included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from audiencelab.results.made import Made
from audiencelab.results.provenance import waves_words
from audiencelab.results.stats import Provenance
from audiencelab.schema import StatsGroup
from audiencelab.wording import plural


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ChartCalculationData:
    """One group for each attribute of the chart, with figures or with the reason for none.

    groups: the wire's own records (`wire.StatsGroup`), in the chart's order.
    name, audiences, segments: how the chart, its audiences (by id) and its segments (by code)
        are called, as far as the client knows; an id or a code stands for itself otherwise.
    meta: what the service adds, as it came.
    """

    chart_id: str
    groups: tuple[StatsGroup, ...]
    name: str = ""
    audiences: Mapping[str, str] = field(default_factory=dict[str, str])
    segments: Mapping[str, str] = field(default_factory=dict[str, str])
    meta: Any = None
    provenance: Provenance = field(default_factory=dict[str, Any])
    made: Made = None

    def __len__(self) -> int:
        return len(self.groups)

    def __iter__(self) -> Iterator[StatsGroup]:
        return iter(self.groups)

    @property
    def failures(self) -> tuple[StatsGroup, ...]:
        """The groups that failed; `error`, `error_type` and `code` of each say why."""
        return tuple(group for group in self.groups if failure_of(group))

    @property
    def complete(self) -> bool:
        """Whether every group has figures."""
        return not self.failures

    def __repr__(self) -> str:
        state = f", {len(self.failures):,} of them failed" if self.failures else ""
        title = f"{self.name!r} " if self.name else ""
        waves = dict.fromkeys(wave for group in self for row in group.data for wave in row.waves)
        words = waves_words({**self.provenance, "waves": waves})
        facts = f"{plural(len(self), 'group')}{state}{words}"
        return f"<{type(self).__name__} {title}{self.chart_id}: {facts}>"


def failure_of(group: StatsGroup) -> str:
    """Why a group has no figures, in the service's words; an empty string if it has not failed."""
    if group.error or group.error_type:
        return group.error or (group.error_type or "").replace("_", " ")
    # Which codes mean success is not specified: figures do, unless the code is an HTTP error's.
    succeeded = group.code < 400 if group.data else 200 <= group.code < 300
    return "" if succeeded else f"failed with code {group.code}"
