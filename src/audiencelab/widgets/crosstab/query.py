"""The query of a grid as one value, its code, and the stream of crosstabs that answers it.

A crosstab has one base. A query of several bases is answered by one crosstab for each, one after
another; their columns form one group for each base, and an index is relative to its own base.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from textwrap import indent
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import UNSET, UnsetType

from audiencelab.analysis.concat import (
    base_beside,
    columns_beside,
    copy_cells,
    statistics_beside,
    who_beside,
    whole_beside,
)
from audiencelab.client.catalogue.axis_code import axis_code, crosstab_call
from audiencelab.client.catalogue.code_layout import wrapped
from audiencelab.client.catalogue.scope_code import scope_code
from audiencelab.expressions import Audience, as_audience, combine
from audiencelab.results.provenance import continued, waves_fact, weight_fact
from audiencelab.results.statistic_rows import StatisticRows
from audiencelab.schema.http import UNWEIGHTED
from audiencelab.schema.queries import DEFAULT_WAVES
from audiencelab.schema.scope import SCOPE_ARGUMENTS, BaseOf, Scope
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.placed import PlacedStatistics
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.client.catalogue import Catalogue


@dataclass(frozen=True, slots=True)
class GridQuery:
    """A crosstab query; rows or columns of None are the base audience, other Nones the defaults.

    rows, columns: the audiences of each axis in order, with their groups.
    scope: whom it counts; waves of None are those of the client, or the latest 4.
    bases: several bases side by side, each within that of the scope; each has all columns.
    statistics: rows of means and other statistics, each at its position among the rows.
    """

    rows: AxisAudiences | None = None
    columns: AxisAudiences | None = None
    scope: Scope = field(default_factory=Scope)
    bases: tuple[Audience, ...] | None = None
    statistics: PlacedStatistics = field(default_factory=PlacedStatistics)

    def __post_init__(self) -> None:
        placed = PlacedStatistics.of(self.statistics, self.rows)
        object.__setattr__(self, "statistics", placed)

    @classmethod
    def of(cls, parts: Mapping[str, Any]) -> GridQuery:
        """The query of all parts by their names in `PARTS`."""
        scope = Scope.of({name: parts[name] for name in SCOPE_ARGUMENTS})
        return cls(scope=scope, **{name: parts[name] for name in _OWN})

    @property
    def parts(self) -> dict[str, Any]:
        """All parts by their names in `PARTS`."""
        found = {name: getattr(self, name) for name in _OWN} | self.scope.by_argument
        return {name: found[name] for name in PARTS}

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns; an axis of None has one item, the base."""
        rows, columns = (1 if axis is None else len(axis) for axis in (self.rows, self.columns))
        return rows, columns * max(1, len(self.bases or ()))

    @property
    def people(self) -> GridQuery:
        """Whom the query counts, without rows and columns."""
        return replace(self, rows=None, columns=None, statistics=())

    @property
    def by_base(self) -> tuple[GridQuery, ...]:
        """A query for each of several bases; the query itself where there is one."""
        if not self.bases:
            return (self,)
        bases, shared = self.bases, self.scope.base
        if shared is not None:
            within = [combine([shared.renamed(shared.name or "base")], [each]) for each in bases]
            bases = [both.renamed(each.name) for each, (both,) in zip(bases, within, strict=True)]
        return tuple(replace(self.within(each), bases=None) for each in bases)

    def within(self, base: Audience | None) -> GridQuery:
        """The query with another base."""
        return replace(self, scope=replace(self.scope, base=base))

    def scope_words(
        self,
        window: str | Sequence[str] = "",
        names: Mapping[str, str] | None = None,
        weight: str = "",
    ) -> str:
        """Waves, locations and the weight as text: "waves: latest 4 · everywhere".

        window: the waves that the client takes where none are chosen. weight: its weight, as a
        fact. names: of waves, by code.
        """
        locations = self.scope.locations
        where = plural(len(locations), "location") if locations else "everywhere"
        weighted = self.weight_words or continued(weight)
        return " · ".join(filter(None, [self.waves_words(window, names), where, weighted]))

    def waves_words(
        self, window: str | Sequence[str] = "", names: Mapping[str, str] | None = None
    ) -> str:
        """The waves as text: "4 waves: Q1 2025 to Q4 2025"; arguments as for `scope_words`."""
        waves = self.scope.waves or window or f"latest {DEFAULT_WAVES}"
        return continued(waves_fact({"waves": waves, "wave_names": names}))

    @property
    def weight_words(self) -> str:
        """The weight that was chosen: "weight: wgt_b"; "" for that of the client."""
        return _weight_words(self.scope.weight)

    def to_code(
        self,
        catalogue: Catalogue | None = None,
        usual: BaseOf | None = "everyone",
        waves: Sequence[str] = (),
    ) -> str:
        """Python that runs the same query, given `client` and `audiencelab` as `al`.

        catalogue: with it, the answers of a question are not spelled out.
        usual: who counts in calls of that client that do not say it. waves: those of such calls.
        """
        if not self.bases:
            return f"table = {crosstab_call(self.arguments(catalogue, usual, waves=waves))}"
        bases = axis_code(_bases(self), catalogue)
        call = crosstab_call(self.within(None).arguments(catalogue, usual, "base"))
        return (
            f"bases = {bases.removesuffix(',')}\n"
            f"table = al.side_by_side({{\n    base.name: {indent(call, '    ').lstrip()}\n"
            "    for base in bases\n})"
        )

    def arguments(
        self,
        catalogue: Catalogue | None,
        usual: BaseOf | None = "everyone",
        base: str = "",
        waves: Sequence[str] = (),
    ) -> list[str]:
        """The arguments of a call as code, without bases.

        usual: as for `to_code`. base: the name of a variable that holds the base audience.
        """
        rows, columns = self.statistics.among(self.rows), (self.columns or _NONE).grouped()
        sides = ("rows", rows), ("columns", columns)
        waves = self.scope.waves or waves
        written = [axis_code(items, catalogue, name, waves) for name, items in sides if items]
        scope = scope_code(self.scope.arguments(usual), catalogue)
        scope = {"base_audience": base, **scope} if base else scope
        return [
            *written,
            *(f"{name}={wrapped(code, len(name) + 2)}," for name, code in scope.items()),
        ]


_NONE = AxisAudiences()

_OWN = tuple(each.name for each in fields(GridQuery) if each.name != "scope")

PARTS = (*_OWN[:2], *SCOPE_ARGUMENTS, *_OWN[2:])
"""The names of the parts of a query, which are traits of its widget: rows and columns first."""


class TableStream(Protocol):
    """A crosstab that is being received: iterating receives more of `result`."""

    @property
    def result(self) -> CrosstabResult: ...
    def __iter__(self) -> Iterator[Any]: ...
    def close(self) -> None: ...


def open_stream(client: Client, query: GridQuery) -> TableStream:
    """The table of a query, as a stream."""
    return SideBySideStream(client, query) if query.bases else _open(client, query)


def columns_in_bases(query: GridQuery) -> AxisAudiences:
    """The columns of the table of a query of several bases: all columns in each base."""
    asked = query.columns or AxisAudiences()
    audiences, groups = columns_beside(
        (base.name, base, asked, asked.groups) for base in _bases(query)
    )
    return AxisAudiences(audiences, groups, asked.nets * len(query.by_base) if asked else None)


class SideBySideStream:
    """The stream of a query of several bases; `result` can be read at any time.

    Each base is requested when the one before it is complete.
    """

    def __init__(self, client: Client, query: GridQuery) -> None:
        self._client = client
        self._queries = query.by_base
        self._part = _open(client, self._queries[0])
        self._closed = False
        columns = columns_in_bases(query)
        first = self._part.result
        base = base_beside((base.name, base) for base in _bases(query))
        self.result = CrosstabResult(
            rows=first.rows if first.rows_requested else (base,),
            columns=tuple(columns),
            base_audience=base,
            rows_requested=first.rows_requested,
            columns_requested=True,
            provenance=dict(first.provenance),
            row_groups=first.row_groups,
            column_groups=columns.groups,
            asked=first.asked,
        )

    def __iter__(self) -> Iterator[Any]:
        width = len(self.result.columns) // len(self._queries)
        statistics: list[StatisticRows | None] = []
        parts: list[CrosstabResult] = []
        for number, query in enumerate(self._queries):
            if number:
                self._part = _open(self._client, query)
            # Checked after opening: `close` may have run meanwhile on another thread.
            if self._closed:
                self._part.close()
                return
            parts.append(self._part.result)
            for update in self._part:
                self.result.who = who_beside([part.who for part in parts])
                self.result.labels = update.result.labels
                copy_cells(update.result, update.rows, update.columns, self.result, number * width)
                yield update
            statistics.append(self._part.result.statistics)
        self.result.statistics = statistics_beside(statistics, self.result.columns)
        base = self.result.base_audience
        self.result.whole = whole_beside(parts, as_audience(base))
        self.result.provenance |= self._part.result.provenance
        self.result.provenance["base_audience"] = base.name if base is not None else None

    def close(self) -> None:
        """Cancel the rest; received cells stay in `result`."""
        self._closed = True
        self._part.close()


def _open(client: Client, query: GridQuery):
    return client.crosstab_stream(
        rows=query.statistics.among(query.rows)
        if query.statistics
        else query.rows and query.rows.to_side(),
        columns=query.columns and query.columns.to_side(),
        **query.scope.arguments(None),
    )


def _weight_words(weight: str | UnsetType | None) -> str:
    return "" if weight is UNSET else continued(weight_fact({"weight": weight or UNWEIGHTED}))


def _bases(query: GridQuery) -> list[Audience]:
    return [as_audience(part.scope.base) for part in query.by_base]
