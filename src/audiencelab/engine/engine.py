"""The engine: one survey, queries in, figures out.

Nothing of a query outlives it but masks and sorted numbers in bounded caches, so one engine serves
any number of threads. JSON, names of audiences and limits are the service's affair.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from audiencelab.engine.binding import Binder, Node, both
from audiencelab.engine.codes import CodeFault, Codes, UnknownCodeError
from audiencelab.engine.local import LocalTabulator
from audiencelab.engine.masks import DEFAULT_CACHE_BYTES, Masks
from audiencelab.engine.metrics import affinity_index, share
from audiencelab.engine.numbers import Numbers, rank_numbers, summarise
from audiencelab.engine.profile import ProfileSpec, ProfileStripe, profile
from audiencelab.engine.queries import CrosstabSpec, CrosstabStripe, StatsRow, StatsSpec
from audiencelab.engine.stats import StatsPlan
from audiencelab.engine.sums import Tabulator
from audiencelab.engine.tables import Scoped, Stripe, tabulate
from audiencelab.engine.variance import Lonely, Precision, precise
from audiencelab.engine.waves import WaveOrder, WaveSet
from audiencelab.expressions import Expression, Leaf

if TYPE_CHECKING:
    from audiencelab.survey import Survey

__all__ = ["Engine"]

_RANKED = 4
"""Questions whose numbers are kept sorted: 4 bytes for each respondent of each."""


class Engine:
    """Exact weighted tables over one survey.

    cache_bytes: what shared masks may take; see `masks`.
    tabulator: who adds up the respondents; left out, this machine does. Whoever does, the
    figures are the same, bit for bit.
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
        self._waves = WaveOrder(survey.waves)
        self._binder = Binder(survey, self._waves)
        self._masks = Masks(survey, self._waves, cache_bytes)
        self._tabulator = tabulator or LocalTabulator(self._masks)
        self._rank_numbers = lru_cache(_RANKED)(partial(rank_numbers, self._masks))

    def coverage(self, expression: Expression | None) -> tuple[str, ...]:
        """The waves in which an expression can hold at all, by date.

        Raises `UnknownCodeError` with every code that the survey lacks.
        """
        self._check(list(self.codes.in_expression(expression)))
        return self._waves.codes_of(self._binder.bind(expression).coverage)

    def crosstab(
        self, spec: CrosstabSpec, *, codes_checked: bool = False
    ) -> Iterator[CrosstabStripe]:
        """The cells of a crosstab in growing stripes of rows.

        Effective waves of a cell: requested ∩ coverage of base, row and column. A cell without
        one is all zeros. Closing the iterator stops the work.
        codes_checked: whether `codes` has found no faults in the spec; it is not checked again.
        Raises `UnknownCodeError` at once, with every code that the survey lacks.
        """
        if not codes_checked:
            self._check(list(self._crosstab_faults(spec)))
        base, waves = self._base(spec), self._wave_set(spec.waves, self._waves.last_accessible)
        rows = [Scoped.of(self._binder.bind(each)) for each in spec.rows]
        columns = [Scoped.of(self._binder.bind(each)) for each in spec.columns]
        stripes = tabulate(self._tabulator, rows, columns, Scoped.of(base), waves)
        return (_with_percentages(stripe) for stripe in stripes)

    def stats(self, spec: StatsSpec, *, codes_checked: bool = False) -> Iterator[StatsRow]:
        """Rows for each datapoint × segment × audience, ordered as requested.

        Effective waves of a row: requested ∩ coverage of the question, the base, the audience
        and the segment. A row without one is all zeros.
        Raises `UnknownCodeError` at once, with every code that the survey lacks.
        """
        if not codes_checked:
            self._check(list(self._stats_faults(spec)))
        waves = self._wave_set(spec.waves, self._waves.accessible)
        plan = StatsPlan.of(spec, self._binder, self._waves, self._base(spec), waves)
        return plan.rows(self._tabulator, self._waves)

    def profile(self, spec: ProfileSpec) -> Generator[ProfileStripe]:
        """An audience against the datapoints of the whole catalogue, in growing stripes.

        Effective waves of a datapoint: requested ∩ coverage of its question, the base and the
        audience. Each stripe says how many datapoints are done, of how many; closing the
        generator stops the work.
        Raises `UnknownCodeError` at once, with every code that the survey lacks.
        """
        self._check(list(self._profile_faults(spec)))
        questions = spec.questions
        if questions is None:
            listed = self.survey.catalogue.questions
            questions = tuple(each.canonical for each in listed if each.accessible)
        points = [
            (question, code)
            for question in questions
            for code in self._binder.datapoints_of(question)
        ]
        audience, base = self._binder.bind(spec.audience), self._base(spec)
        waves = self._wave_set(spec.waves, self._waves.accessible)
        return profile(points, audience, base, waves, self._binder, self._waves, self._tabulator)

    def precision(
        self,
        spec: CrosstabSpec | StatsSpec,
        lonely: Lonely | None = "adjust",
        *,
        where_known: bool = False,
    ) -> Precision:
        """How sure the column shares of a query are; columns are segment × audience of stats.

        lonely: what is done with strata of a single cluster (see `variance.LONELY`); None for
        Kish's design effects alone, with no regard to strata and clusters.
        where_known: these also where no strata and no clusters are known, or show no variance.
        The respondents are gone through on this machine, whoever else adds up tables.
        Raises `UnknownCodeError` at once, and `VarianceError` where the sample's design tells of
        no variance.
        """
        if isinstance(spec, StatsSpec):
            self._check(list(self._stats_faults(spec)))
            waves = self._wave_set(spec.waves, self._waves.accessible)
            plan = StatsPlan.of(spec, self._binder, self._waves, self._base(spec), waves)
            rows, columns = plan.points, plan.columns
        else:
            self._check(list(self._crosstab_faults(spec)))
            waves = self._wave_set(spec.waves, self._waves.last_accessible)
            rows = [Scoped.of(self._binder.bind(each)) for each in spec.rows]
            columns = [Scoped.of(self._binder.bind(each)) for each in spec.columns]
        base = Scoped.of(self._base(spec))
        return precise(self._masks, rows, columns, base, waves, lonely, where_known=where_known)

    def numbers(self, spec: StatsSpec, *, codes_checked: bool = False) -> Numbers | None:
        """The numbers behind the bands of a query's question, for each segment × audience.

        None where the survey has none of them, or not in every effective wave, and where somebody
        else adds up tables. Raises `UnknownCodeError` at once.
        """
        if not codes_checked:
            self._check(list(self._stats_faults(spec)))
        kept = (stored.numbers for stored in self.survey.manifest.waves)
        question = self.survey.catalogue.canonical(spec.question)
        if not isinstance(self._tabulator, LocalTabulator) or all(question not in k for k in kept):
            return None
        waves = self._wave_set(spec.waves, self._waves.accessible)
        plan = StatsPlan.of(spec, self._binder, self._waves, self._base(spec), waves)
        return summarise(self._masks, plan, partial(self._rank_numbers, question))

    def stats_shape(self, spec: StatsSpec) -> tuple[int, int, int]:
        """Datapoints, segments and audiences of a query, before any work is done."""
        waves = self._wave_set(spec.waves, self._waves.accessible)
        plan = StatsPlan.of(spec, self._binder, self._waves, self._base(spec), waves)
        return len(plan.points), len(plan.parts), len(plan.audiences)

    def _base(self, spec: CrosstabSpec | StatsSpec | ProfileSpec) -> Node:
        """The base audience within the requested locations."""
        base = self._binder.bind(spec.base)
        if not spec.locations:
            return base
        location = self.survey.catalogue.location_question
        return both(base, self._binder.bind(Leaf(location, spec.locations)))

    def _wave_set(self, codes: tuple[str, ...] | None, default: WaveSet) -> WaveSet:
        return default if codes is None else self._waves.set_of(codes)

    def _check(self, faults: list[CodeFault]) -> None:
        # Access is the service's to refuse; the engine works for whoever holds the survey.
        if unknown := [fault for fault in faults if not fault.forbidden]:
            raise UnknownCodeError(unknown)

    def _crosstab_faults(self, spec: CrosstabSpec) -> Iterator[CodeFault]:
        for axis, expressions in (("rows", spec.rows), ("columns", spec.columns)):
            for place, expression in enumerate(expressions):
                yield from _under(f"/{axis}/{place}", self.codes.in_expression(expression))
        yield from self._scope_faults(spec)

    def _stats_faults(self, spec: StatsSpec) -> Iterator[CodeFault]:
        yield from self.codes.in_question("/question", spec.question)
        yield from self.codes.in_datapoints("/datapoints", spec.question, spec.datapoints)
        yield from self.codes.in_suffixes("/suffixes", spec.question, spec.suffixes)
        if spec.splitter is not None:
            yield from self.codes.in_question("/splitter", spec.splitter)
            yield from self.codes.in_datapoints("/segments", spec.splitter, spec.segments)
        elif spec.segments:
            yield CodeFault("/segments", "Segments need a splitter that they are codes of.")
        for place, expression in enumerate(spec.audiences or ()):
            yield from _under(f"/audiences/{place}", self.codes.in_expression(expression))
        yield from self._scope_faults(spec)

    def _profile_faults(self, spec: ProfileSpec) -> Iterator[CodeFault]:
        for place, question in enumerate(spec.questions or ()):
            yield from self.codes.in_question(f"/questions/{place}", question)
        yield from _under("/audience", self.codes.in_expression(spec.audience))
        yield from self._scope_faults(spec)

    def _scope_faults(self, spec: CrosstabSpec | StatsSpec | ProfileSpec) -> Iterator[CodeFault]:
        yield from _under("/base", self.codes.in_expression(spec.base))
        yield from self.codes.in_locations("/locations", spec.locations)
        yield from self.codes.in_waves("/waves", spec.waves or ())


def _with_percentages(stripe: Stripe) -> CrosstabStripe:
    base, row, column, intersect = (
        figures.size for figures in (stripe.base, stripe.row, stripe.column, stripe.intersect)
    )
    return CrosstabStripe(
        start=stripe.start,
        stop=stripe.stop,
        base=stripe.base,
        row=stripe.row,
        column=stripe.column,
        intersect=stripe.intersect,
        row_percentage=share(row, base),
        column_percentage=share(column, base),
        row_intersect_percentage=share(intersect, column),
        column_intersect_percentage=share(intersect, row),
        intersect_percentage=share(intersect, base),
        index=affinity_index(intersect, row, column, base),
    )


def _under(prefix: str, faults: Iterator[CodeFault]) -> Iterator[CodeFault]:
    return (fault.under(prefix) for fault in faults)
