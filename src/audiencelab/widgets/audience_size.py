"""The size of an audience and of each node of it, counted with the client's public operations.

One crosstab counts a whole tree: its rows are the nodes, its columns everyone and each wave. The
first column gives size, sample and share of the base; a node can be counted in a wave if its cell
in that wave's column has a base.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from audiencelab.client.names import window_codes
from audiencelab.expressions import Audience, Expression, Leaf
from audiencelab.expressions.codes import WAVES
from audiencelab.schema.scope import Scope

if TYPE_CHECKING:
    from audiencelab.client import Client

_ROWS = 200
"""Nodes in one request; between requests a caller may cancel."""

_REMEMBERED = 20_000
"""Expressions whose sizes are kept."""


@dataclass(frozen=True, slots=True)
class NodeSize:
    """The counts of one node within the base.

    size: weighted count. sample: respondents. percentage: share of the base by size, 0 to 100,
    None where the base is empty. waves: codes of the waves it is counted in, by date.
    base_size, base_sample: the base over those waves.
    """

    size: float
    sample: int
    percentage: float | None
    waves: tuple[str, ...]
    base_size: float
    base_sample: int


@dataclass(frozen=True, slots=True)
class CountedWaves:
    """Every accessible wave (code and name), those that are counted, and the base in them."""

    waves: tuple[tuple[str, str], ...]
    counted: tuple[str, ...]
    base: NodeSize


class SizeCounter:
    """Counts expressions in one scope, and keeps their sizes.

    Thread-safe; raises the client's errors (`AudienceError`).
    """

    def __init__(self, client: Client, scope: Scope | None = None) -> None:
        self._client = client
        self._scope = scope or Scope()
        self._waves: CountedWaves | None = None
        self._known: dict[Expression, NodeSize] = {}
        self._lock = threading.Lock()

    def waves(self) -> CountedWaves:
        """Waves and base, requested once."""
        with self._lock:
            if self._waves is None:
                waves = tuple((wave.code, wave.name) for wave in self._client.waves())
                counted = self._counted(dict(waves))
                (base,) = self._ask([None], counted)
                self._waves = CountedWaves(waves, counted, base)
            return self._waves

    def count(
        self,
        expressions: Sequence[Expression | None],
        check: Callable[[], None] | None = None,
    ) -> list[NodeSize]:
        """The sizes of expressions in their order; None is everyone.

        check: called between requests; an exception it raises ends the work.
        """
        counted = self.waves()
        # One dictionary for all of the call: another thread may forget sizes meanwhile.
        known, found = self._known, dict[Expression, NodeSize]()
        wanted = dict.fromkeys(each for each in expressions if each is not None)
        missing = [each for each in wanted if each not in known]
        for start in range(0, len(missing), _ROWS):
            if check is not None:
                check()
            part = missing[start : start + _ROWS]
            found |= zip(part, self._ask(part, counted.counted), strict=True)
        self._remember(found)
        everything = {**known, **found}
        return [counted.base if each is None else everything[each] for each in expressions]

    def known(self, expressions: Iterable[Expression | None]) -> list[NodeSize | None]:
        """Sizes that were counted before, None for others; sends no request."""
        base = None if self._waves is None else self._waves.base
        return [base if each is None else self._known.get(each) for each in expressions]

    def _counted(self, accessible: Mapping[str, str]) -> tuple[str, ...]:
        if not (asked := self._scope.waves):
            return tuple(window_codes(self._client.default_waves, accessible))
        # By date; unknown codes come last, and the service will report them.
        unknown = [code for code in asked if code not in accessible]
        return tuple([code for code in accessible if code in asked] + unknown)

    def _remember(self, found: dict[Expression, NodeSize]) -> None:
        with self._lock:
            kept = self._known if len(self._known) <= _REMEMBERED else {}
            # A new dictionary, because another thread may still read the old one.
            self._known = {**kept, **found}

    def _ask(
        self, expressions: Sequence[Expression | None], counted: tuple[str, ...]
    ) -> list[NodeSize]:
        """One crosstab of the expressions by everyone and by each wave."""
        rows = [Audience(f"node {i}", each) for i, each in enumerate(expressions)]
        by_wave = [Audience(wave, Leaf(WAVES, (wave,))) for wave in counted]
        table = self._client.crosstab(
            rows=rows,
            columns=[Audience("everyone"), *by_wave],
            **replace(self._scope, waves=counted).arguments(None),
        )
        size, sample = table.values("row_size")[:, 0], table.values("row_sample")[:, 0]
        share = table.values("row_base_percentage")[:, 0]
        base_size, base_sample = table.values("base_size")[:, 0], table.values("base_sample")
        covered = base_sample[:, 1:] > 0
        # In an empty base no cell has a base, whatever the waves of the questions.
        empty = self._waves is not None and self._waves.base.base_sample == 0
        return [
            NodeSize(
                size=_number(size[i]),
                sample=int(_number(sample[i])),
                percentage=None if math.isnan(share[i]) else float(share[i]),
                waves=tuple(
                    wave for wave, is_in in zip(counted, covered[i], strict=True) if is_in or empty
                ),
                base_size=_number(base_size[i]),
                base_sample=int(_number(base_sample[i, 0])),
            )
            for i in range(len(rows))
        ]


def _number(value: float) -> float:
    """A value that is NaN for lack of a denominator is 0 people."""
    return 0.0 if math.isnan(value) else float(value)
