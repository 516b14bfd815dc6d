"""The engine: one survey, queries in, figures out; no JSON, no names of audiences, no limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binder import Binder
from audiencelab.engine.codes import CodeFault, Codes, MissingCodeError
from audiencelab.engine.masks import DEFAULT_CACHE_BYTES, Masks
from audiencelab.engine.nodes import BoundTable, InWaves, Node, WaveSet, intersection, members
from audiencelab.engine.patterns import Patterns, patterns_of
from audiencelab.engine.sharing import Samples, SharedSamples, samples_of, shared_samples
from audiencelab.engine.statistics import (
    StatisticRow,
    StatisticSpec,
    StatisticsPlan,
    StatisticsSpec,
)
from audiencelab.engine.stats import Numbers, StatsCell, StatsPlan, StatsSpec, rank_numbers
from audiencelab.engine.tabulator import (
    CrosstabSpec,
    CrosstabStripe,
    LocalTabulator,
    Tabulator,
    tabulate,
)
from audiencelab.engine.variance import Lonely, Precision, precise
from audiencelab.engine.variance.cells import cells_of
from audiencelab.engine.variance.pairs import row_pairs
from audiencelab.engine.variance.standardised import Crossing, standardised
from audiencelab.expressions import Expression, Leaf
from audiencelab.schema.arrays import Floats
from audiencelab.schema.local import Adjusted, CellShares, RowPairs, VarianceError
from audiencelab.schema.scope import Scope
from audiencelab.survey.answers import unpack
from audiencelab.survey.record import Sizes

if TYPE_CHECKING:
    from audiencelab.survey import Survey
    from audiencelab.survey.reader import WaveData

T = TypeVar("T")

_RANKED = 4
"""Questions whose numbers are kept sorted: 4 bytes for each respondent of each."""


class WaveFlags(NamedTuple):
    """Respondents of a wave.

    chosen: which of the wave's respondents are counted in the base, bool[n]. held: for each
    audience which of the chosen are in it; None where the wave did not ask its questions.
    known: for each audience of which of the chosen that is known; None where it is of all.
    amounts: of the chosen, NaN where there is none.
    """

    wave: WaveData
    chosen: NDArray[np.bool_]
    held: list[NDArray[np.bool_] | None]
    known: list[NDArray[np.bool_] | None]
    amounts: list[NDArray[np.float64]]


class Engine:
    """Exact weighted tables over one survey; safe to use from many threads.

    cache_bytes: limit of the masks that queries share.
    tabulator: adds up the respondents; by default this machine. The figures are the same
        on any machine, bit for bit.

    Queries raise `MissingCodeError` at once, with every code that the survey lacks. Closing the
    iterator of a query stops its work.
    """

    def __init__(
        self,
        survey: Survey,
        *,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        tabulator: Tabulator | None = None,
    ) -> None:
        self.survey = survey
        self.codes = Codes(survey)
        self._binder = Binder(survey, self.codes)
        self._waves = self._binder.waves
        self._masks = Masks(survey, self._waves.codes, cache_bytes)
        self._tabulator = tabulator or LocalTabulator(self._masks)
        # Made for each engine: a cache on the method would keep engines, and their surveys, alive.
        self._rank_numbers = lru_cache(_RANKED)(partial(rank_numbers, self._masks))

    def coverage(self, expression: Expression | None) -> tuple[str, ...]:
        """The waves in which an expression can hold at all, by date."""
        try:
            return self._waves.codes_of(self._binder.bind(expression).coverage)
        except KeyError:
            raise _unknown(self.codes.in_expression(expression)) from None

    def crosstab(self, spec: CrosstabSpec) -> Iterator[CrosstabStripe]:
        """The cells of a crosstab in growing stripes of rows.

        Effective waves of a cell: requested ∩ coverage of base, row and column. A cell without
        one is all zeros.
        """
        return tabulate(self._tabulator, self._crosstab(spec))

    def stats(self, spec: StatsSpec) -> Iterator[StatsCell]:
        """Rows for each datapoint × segment × audience, ordered as requested.

        Effective waves of a row: requested ∩ coverage of the question, the base, the audience
        and the segment. A row without one is all zeros.
        """
        return self._plan(spec).rows(self._tabulator, self._waves)

    def precision(
        self,
        spec: CrosstabSpec | StatsSpec,
        lonely: Lonely | None = "adjust",
        *,
        replicates: bool = True,
    ) -> Precision:
        """Variances of the column shares of a query; columns are segment × audience of stats.

        lonely: what is done with strata of a single cluster (see `variance.LONELY`); None for
        Kish's design effects alone, without regard to strata and clusters.
        replicates: whether replicate weights are used where all waves have some.
        Computed on this machine, whichever tabulator adds up tables.
        Raises `VarianceError` where the sample's design shows no variance.
        """
        return precise(self._masks, self._table(spec), lonely, replicates=replicates)

    def samples(self, spec: CrosstabSpec | StatsSpec) -> Samples:
        """The respondents that the figures of each cell of `precision` rest on."""
        return samples_of(self._tabulator, self._table(spec))

    def shared_samples(
        self, spec: CrosstabSpec | StatsSpec, *, of_rows: bool = False
    ) -> SharedSamples:
        """The same of every two columns in a row; of_rows: of every two rows in a column."""
        table = self._table(spec)
        if of_rows:
            table = replace(table, rows=table.columns, columns=table.rows)
        return shared_samples(self._tabulator, table)

    def cells(self, spec: CrosstabSpec, lonely: Lonely = "adjust") -> CellShares:
        """Shares of the cells of rows and columns that share no respondents, with covariances.

        Of those in one of the rows and one of the columns, in waves that asked all of them.
        Computed on this machine. Raises `VarianceError`.
        """
        return cells_of(self._masks, self._crosstab(spec), lonely)

    def row_pairs(self, spec: CrosstabSpec, lonely: Lonely = "adjust") -> RowPairs:
        """Every two rows of a crosstab in each column, computed on this machine.

        Raises `VarianceError` for a table that is too large.
        """
        return row_pairs(self._masks, self._crosstab(spec), lonely)

    def adjusted(self, spec: CrosstabSpec, by: Sequence[str]) -> Adjusted:
        """Column shares as if each column had the composition of the base by crossed questions.

        by: codes of questions of one answer. Computed on this machine. Raises `VarianceError` for
        other questions, and for waves that did not ask them.
        """
        table = self._crosstab(spec)
        return standardised(
            self._masks, table, Crossing.of(self._masks, table, self._answers(table, by))
        )

    def _answers(self, table: BoundTable, by: Sequence[str]) -> list[list[Node]]:
        """The answers of each question to adjust for."""
        found: list[list[Node]] = []
        # A question named twice, with and without its namespace, is crossed once.
        for code in dict.fromkeys(map(self.survey.catalogue.canonical, by)):
            question = self.survey.catalogue.question(code)
            if question.kind != "single":
                raise VarianceError(
                    f"{question.name} cannot be adjusted for: respondents can give several answers "
                    "to it. Take a question of one answer."
                )
            answers = [
                self._binder.bind(Leaf(question.canonical, (each.code,)))
                for each in question.datapoints
            ]
            asked = self._binder.bind(Leaf(question.canonical)).coverage
            if missing := self._waves.codes_of(table.waves & table.base.coverage & ~asked):
                raise VarianceError(
                    f"{question.name} cannot be adjusted for: it was not asked in "
                    f"{', '.join(missing)}. Name waves that asked it with waves=."
                )
            found.append(answers)
        return found

    def respondents(
        self, spec: CrosstabSpec, amounts: Sequence[StatisticSpec] = ()
    ) -> Iterator[WaveFlags]:
        """The respondents of the base in each requested wave, and which row audiences hold them.

        Raises `NoAmountsError`.
        """
        table = self._crosstab(spec)
        plan = StatisticsPlan(self._masks, self._binder, table)
        given = [plan.amounts(number, each) for number, each in enumerate(amounts)]

        for position in members(table.waves):
            frame = self._masks.frame(position)
            chosen = unpack(self._masks.counted(table.base, position), frame.respondents)
            held, known = (
                [self._flags(node, position, chosen) for node in nodes]
                for nodes in (
                    [row.node for row in table.rows],
                    [None if isinstance(row.within, InWaves) else row.within for row in table.rows],
                )
            )
            # A wave that did not ask the question has no amounts.
            nothing = np.full(len(chosen), np.nan)
            found = [each.get(position, nothing)[chosen] for each in given]
            yield WaveFlags(frame.wave, chosen, held, known, found)

    def patterns(self, spec: CrosstabSpec) -> Patterns:
        """The respondents of the base by which row audiences they are in, over the waves given.

        Of those who could be in all of them; at most `patterns.MOST_AUDIENCES`. Computed on this
        machine, whichever tabulator adds up tables.
        """
        return patterns_of(self._masks, self._crosstab(spec))

    def _flags(
        self, node: Node | None, position: int, chosen: NDArray[np.bool_]
    ) -> NDArray[np.bool_] | None:
        """Which of the chosen are in a node; None where the wave is not covered."""
        if node is None or not node.coverage >> position & 1:
            return None
        return unpack(self._masks.of(node, position), len(chosen))[chosen]

    def numbers(self, spec: StatsSpec) -> Numbers | None:
        """The numbers behind the bins of a query's question, for each segment × audience.

        None where the survey has none of them, or not in every effective wave. Computed on this
        machine, whichever tabulator adds up tables.
        """
        plan = self._plan(spec)
        question = self.survey.catalogue.canonical(spec.question)
        if question not in self.survey.numbered:
            return None
        return plan.numbers(self._masks, partial(self._rank_numbers, question))

    def statistics(self, spec: StatisticsSpec) -> list[StatisticRow]:
        """Means and other statistics of amounts, for the base and each column.

        Effective waves of a cell: requested ∩ coverage of the question, the base and the column.
        Computed on this machine, whichever tabulator adds up tables. Raises `NoAmountsError`.
        """
        return self._of_amounts(
            spec, lambda plan: [plan.row(number, row, spec) for number, row in enumerate(spec.rows)]
        )

    def statistic_pairs(self, spec: StatisticsSpec) -> RowPairs:
        """Every two rows of `statistics` in each column; raises as it does, and `VarianceError`."""
        return self._of_amounts(spec, lambda plan: plan.pairs(spec))

    def shared_amounts(self, spec: StatisticsSpec, *, of_rows: bool = False) -> Floats:
        """Respondents with an amount in every two columns of `statistics`, the base first.

        float64[rows, 1 + columns, 1 + columns]; of_rows: with the amounts of every two rows in
        each column of `statistic_pairs`, float64[columns, rows, rows].
        """
        return self._of_amounts(spec, lambda plan: plan.shared(spec.rows, of_rows=of_rows))

    def _of_amounts(self, spec: StatisticsSpec, compute: Callable[[StatisticsPlan], T]) -> T:
        try:
            columns = self._binder.counted(spec.columns, spec.scope.base_of)
            table = BoundTable((), columns, *self._scope(spec.scope, self._waves.latest))
            return compute(StatisticsPlan(self._masks, self._binder, table))
        except KeyError:
            faults = self._listed("/columns", spec.columns)
            raise _unknown(chain(faults, self._scope_faults(spec.scope))) from None

    def stats_shape(self, spec: StatsSpec) -> tuple[int, int, int]:
        """Datapoints, segments and audiences of a query, before any work is done."""
        plan = self._plan(spec)
        return len(plan.points), len(plan.parts), len(plan.audiences)

    def _crosstab(self, spec: CrosstabSpec) -> BoundTable:
        sides, base_of = (spec.rows, spec.columns), spec.scope.base_of
        try:
            rows, columns = (self._binder.counted(side, base_of) for side in sides)
            return BoundTable(rows, columns, *self._scope(spec.scope, self._waves.latest))
        except KeyError:
            # Faults are looked for only after binding failed: nearly every query has none.
            rows, columns = self._listed("/rows", spec.rows), self._listed("/columns", spec.columns)
            raise _unknown(chain(rows, columns, self._scope_faults(spec.scope))) from None

    def _table(self, spec: CrosstabSpec | StatsSpec) -> BoundTable:
        return self._crosstab(spec) if isinstance(spec, CrosstabSpec) else self._plan(spec).table

    def _plan(self, spec: StatsSpec) -> StatsPlan:
        try:
            scope = self._scope(spec.scope, self._waves.accessible)
            return StatsPlan.of(spec, self._binder, *scope)
        except KeyError:
            raise _unknown(self._stats_faults(spec)) from None

    def _scope(self, scope: Scope, default: WaveSet) -> tuple[Node, WaveSet, Sizes]:
        """The base audience within the requested locations, the requested waves, and the sizes."""
        expression = None if scope.base is None else scope.base.expression
        base = self._binder.base(expression, scope.base_of)
        if scope.locations:
            location = Leaf(self.survey.catalogue.location_question, scope.locations)
            # Locations narrow the base itself, so that percentages are of those who are there.
            base = intersection(base, self._binder.bind(location))
        waves = default if scope.waves is None else self._waves.set_of(scope.waves)
        return base, waves, self.survey.record.sizes

    def _stats_faults(self, spec: StatsSpec) -> Iterator[CodeFault]:
        codes = self.codes
        yield from codes.in_question("/question", spec.question)
        yield from codes.in_datapoints("/datapoints", spec.question, spec.datapoints)
        yield from codes.in_suffixes("/suffixes", spec.question, spec.suffixes)
        if spec.splitter is not None:
            yield from codes.in_question("/splitter", spec.splitter)
            yield from codes.in_datapoints("/segments", spec.splitter, spec.segments)
        elif spec.segments:
            yield CodeFault("/segments", "Segments need a splitter that they are codes of.")
        yield from self._listed("/audiences", spec.audiences or ())
        yield from self._scope_faults(spec.scope)

    def _listed(
        self, pointer: str, expressions: tuple[Expression | None, ...]
    ) -> Iterator[CodeFault]:
        for at, expression in enumerate(expressions):
            found = self.codes.in_expression(expression)
            yield from (fault.under(f"{pointer}/{at}") for fault in found)

    def _scope_faults(self, scope: Scope) -> Iterator[CodeFault]:
        base = None if scope.base is None else scope.base.expression
        yield from (fault.under("/base") for fault in self.codes.in_expression(base))
        yield from self.codes.in_locations("/locations", scope.locations or ())
        yield from self.codes.in_waves("/waves", scope.waves or ())


def _unknown(faults: Iterator[CodeFault]) -> MissingCodeError:
    # Access is the service's to refuse; the engine works for anyone who has the survey.
    return MissingCodeError([fault for fault in faults if not fault.forbidden])
