"""The size of an audience and of each node of it, counted with the client's public operations.

One crosstab of one column counts a whole tree: its rows are the nodes. The waves of a node follow
from those of its questions, which are requested once for each question.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

from audiencelab.expressions import Audience, Expression, Leaf, walk
from audiencelab.expressions.codes import WAVES
from audiencelab.results.coverage import Coverage
from audiencelab.schema.queries import DEFAULT_WAVES

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.tables import CrosstabResult

_ROWS = 200
"""Nodes in one request; between requests a caller may cancel."""

_REMEMBERED = 20_000
"""Expressions whose sizes are kept."""


@dataclass(frozen=True, slots=True)
class AudienceSize:
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
class Scope:
    """Every accessible wave (code and name), those that are counted, and the base in them."""

    waves: tuple[tuple[str, str], ...]
    counted: tuple[str, ...]
    base: AudienceSize


class SizeCounter:
    """Counts expressions within one base, and keeps their sizes.

    Thread-safe; raises the client's errors (`AudienceError`).
    """

    def __init__(
        self,
        client: Client,
        base_audience: Audience | None = None,
        waves: Sequence[str] | None = None,
        locations: Sequence[str] | None = None,
    ) -> None:
        self._client = client
        self._base = base_audience
        self._asked_waves = tuple(waves or ())
        self._locations = locations
        self._scope: Scope | None = None
        self._asked: dict[str, frozenset[str]] = {}
        self._known: dict[Expression, AudienceSize] = {}
        self._lock = threading.Lock()

    def scope(self) -> Scope:
        """Waves and base, requested once."""
        with self._lock:
            if self._scope is None:
                waves = tuple((wave.code, wave.name) for wave in self._client.waves())
                counted = self._counted([code for code, _ in waves])
                table = self._crosstab([None], [None, *map(_in_wave, counted)], counted)
                asked_in = tuple(compress(counted, table.values("base_sample")[0, 1:] > 0))
                self._scope = Scope(waves, counted, _sizes(table, [asked_in])[0])
            return self._scope

    def count(
        self,
        expressions: Sequence[Expression | None],
        check: Callable[[], None] | None = None,
    ) -> list[AudienceSize]:
        """The sizes of expressions in their order; None is everyone.

        check: called between requests; an exception it raises ends the work.
        """
        scope, known = self.scope(), self._known
        found = dict[Expression, AudienceSize]()
        wanted = dict.fromkeys(each for each in expressions if each is not None)
        missing = [each for each in wanted if each not in known]
        for start in range(0, len(missing), _ROWS):
            if check is not None:
                check()
            part = missing[start : start + _ROWS]
            self._ask_coverage(part, scope.counted)
            table = self._crosstab(part, [None], scope.counted)
            waves = [self._waves_of(each, scope) for each in part]
            found |= zip(part, _sizes(table, waves), strict=True)
        with self._lock:
            kept = self._known if len(self._known) <= _REMEMBERED else {}
            # A new dictionary, because another thread may still read the old one.
            self._known = known = {**kept, **found}
        return [
            scope.base if each is None else found.get(each) or known[each] for each in expressions
        ]

    def known(self, expressions: Iterable[Expression | None]) -> list[AudienceSize | None]:
        """Sizes that were counted before, None for others; sends no request."""
        base = None if self._scope is None else self._scope.base
        return [base if each is None else self._known.get(each) for each in expressions]

    def _counted(self, accessible: Sequence[str]) -> tuple[str, ...]:
        if not self._asked_waves:
            return tuple(accessible[-DEFAULT_WAVES:])
        # By date; unknown codes come last, and the service will report them.
        unknown = [code for code in self._asked_waves if code not in accessible]
        return tuple([code for code in accessible if code in self._asked_waves] + unknown)

    def _ask_coverage(self, expressions: Iterable[Expression], counted: tuple[str, ...]) -> None:
        """Find the waves in which new questions have a base."""
        leaves = {
            node.question: node
            for expression in expressions
            for _, node in walk(expression)
            if isinstance(node, Leaf) and node.question not in (WAVES, *self._asked)
        }
        if leaves:
            table = self._crosstab([*leaves.values()], [*map(_in_wave, counted)], counted)
            asked = (frozenset(compress(counted, row)) for row in table.values("base_sample") > 0)
            self._asked = {**self._asked, **dict(zip(leaves, asked, strict=True))}

    def _waves_of(self, expression: Expression, scope: Scope) -> tuple[str, ...]:
        if not scope.base.base_sample:
            # In an empty base no question has a base, whatever its waves.
            return scope.counted
        covered = Coverage(Audience(expression=expression), scope.counted, self._asked).counted
        return tuple(wave for wave in covered if wave in scope.base.waves)

    def _crosstab(
        self,
        rows: Sequence[Expression | None],
        columns: Sequence[Expression | None],
        waves: tuple[str, ...],
    ) -> CrosstabResult:
        return self._client.crosstab(
            rows=[Audience(f"row {at}", each) for at, each in enumerate(rows)],
            columns=[Audience(f"column {at}", each) for at, each in enumerate(columns)],
            base_audience=self._base,
            waves=waves,
            locations=self._locations,
        )


def _in_wave(wave: str) -> Leaf:
    return Leaf(WAVES, (wave,))


def _sizes(table: CrosstabResult, waves: Iterable[tuple[str, ...]]) -> list[AudienceSize]:
    """The sizes of the rows of a table whose first column is everyone."""
    names = ("row_size", "row_sample", "row_base_percentage", "base_size", "base_sample")
    values = zip(*(table.values(name)[:, 0].tolist() for name in names), waves, strict=True)
    return [
        AudienceSize(
            size=_number(size),
            sample=int(_number(sample)),
            percentage=None if math.isnan(share) else share,
            waves=asked_in,
            base_size=_number(base_size),
            base_sample=int(_number(base_sample)),
        )
        for size, sample, share, base_size, base_sample, asked_in in values
    ]


def _number(value: float) -> float:
    """A value that is NaN for lack of a denominator is 0 people."""
    return 0.0 if math.isnan(value) else float(value)
