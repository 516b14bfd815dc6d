"""Design effects of a result, from the respondents of the embedded service's survey.

No operation returns respondents, so nothing is sent: this needs the survey in this process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Expression
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.statistic_rows import Statistic
from audiencelab.results.stats import CellShares, Measured, PairsOfRows, StatsData
from audiencelab.schema.scope import Scope

if TYPE_CHECKING:
    from audiencelab.analysis.design_effects import DesignEffects, DesignMethod, Lonely
    from audiencelab.analysis.proportions import Proportions
    from audiencelab.engine import CrosstabSpec
    from audiencelab.engine.statistics import StatisticKind, StatisticSpec
    from audiencelab.engine.variance.table import Precision
    from audiencelab.service import Service

_ROUNDING = 1e-6
"""Shares of 1, and parts of sizes, that are nearer to each other than this are equal."""


def design_effects(
    service: Service | None,
    place: str,
    result: CrosstabData | StatsData,
    method: DesignMethod = "auto",
    lonely: Lonely = "adjust",
) -> DesignEffects:
    """See `Client.design_effects`; place: where the client's survey is."""
    # Tables of significance need scipy, which is not installed everywhere.
    from audiencelab.analysis.design_effects import DESIGN_METHODS, LONELY, effects_of
    from audiencelab.analysis.proportions import proportions_of

    for name, given, known in (("method", method, DESIGN_METHODS), ("lonely", lonely, LONELY)):
        if given not in known:
            raise ValueError(f"No {name} {given!r}. Choose one of {', '.join(known)}.")
    if service is None:
        raise LookupError(
            f"Design effects are computed from respondents, and those of {place} are not here. "
            "Give the one that the survey's documentation states as design=, or open the survey "
            "itself: connect(survey=folder)."
        )
    _check_result(result)
    used = None if method == "kish" else lonely
    precision = _precision(service, result, used, replicates=method in ("auto", "replicates"))
    found = precision.linearised
    if method == "replicates" and (found is None or found.replicates is None):
        raise ValueError(
            f"{place} has no replicate weights for all waves of the result. Import it with them: "
            'al.open(…, replicates="repwt*", replicate_method="BRR").'
        )
    if not _fits(proportions_of(result), precision):
        raise ValueError(
            f"The result's figures are not those of {place}: it was asked of another survey, of "
            "another version of this one, or was worked out from other figures. Ask this client, "
            "and take the result as it comes."
        )
    return effects_of(proportions_of(result), precision, lonely)


class EmbeddedRespondents:
    """The respondents of an embedded service's survey; a `results.stats.Respondents`.

    Copies of a result share them. A pickled result goes without them.
    """

    __slots__ = ("_service",)

    def __init__(self, service: Service) -> None:
        self._service = service

    def measure(
        self, result: CrosstabData | StatsData, *, effects: bool, where_known: bool = True
    ) -> Measured | None:
        """See `Respondents.measure`."""
        from audiencelab.analysis.design_effects import effects_of
        from audiencelab.analysis.prepare import own_rows, with_nets
        from audiencelab.analysis.proportions import proportions_of
        from audiencelab.engine.variance import VarianceError

        asked = own_rows(result) if isinstance(result, StatsData) else result
        lonely: Lonely | None = "adjust" if effects else None
        # Values that were computed from others may not be about the respondents any more.
        try:
            try:
                precision = _precision(self._service, asked, lonely, where_known=where_known)
            except VarianceError as error:
                kish = _precision(self._service, asked, None)
                precision = structs.replace(kish, refused=str(error).partition("\n")[0])
        except (AudienceError, KeyError):
            return None
        if asked is not result:
            precision = with_nets(precision, cast(StatsData, result))
        if not _fits(proportions_of(result), precision):
            return None
        found = effects_of(proportions_of(result), precision) if effects else None
        return Measured(precision.kish, found)

    def shared(self, result: CrosstabData) -> NDArray[np.float64] | None:
        """See `Respondents.shared`."""
        columns = replace(result, rows=result.columns, row_groups=(), nets_of={})
        try:
            found = _precision(self._service, columns, "adjust").linearised
        except AudienceError:
            return None
        return None if found is None else found.share

    def cells(
        self, result: CrosstabData, rows: Sequence[int], columns: Sequence[int]
    ) -> CellShares:
        """See `Respondents.cells`."""
        some = _spec(
            result, [result.rows[row] for row in rows], [result.columns[each] for each in columns]
        )
        found = self._service.cells(some)
        return CellShares(found.share, found.covariance, found.sample, found.freedom, found.how)

    def row_pairs(self, result: CrosstabData) -> PairsOfRows:
        """See `Respondents.row_pairs`."""
        found = self._service.row_pairs(_spec(result, result.rows, result.columns))
        assert found.both is not None
        return PairsOfRows(found.variance, found.freedom, found.both)

    def statistic_pairs(self, result: CrosstabData) -> PairsOfRows:
        """See `Respondents.statistic_pairs`."""
        from audiencelab.engine.statistics import StatisticsSpec

        assert result.statistics is not None
        rows = tuple(map(statistic_spec, result.statistics.rows))
        of = _spec(result, (), result.columns)
        found = self._service.statistic_pairs(StatisticsSpec(rows, of.columns, of.scope))
        unknown = np.full_like(found.variance, np.nan)
        return PairsOfRows(found.variance, found.freedom, unknown, found.how)

    def __deepcopy__(self, _: object) -> EmbeddedRespondents:
        return self

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()


def _precision(
    service: Service,
    result: CrosstabData | StatsData,
    lonely: Lonely | None,
    *,
    where_known: bool = False,
    replicates: bool = True,
) -> Precision:
    """The precision of the column shares of a result."""
    from audiencelab.engine import StatsSpec

    if isinstance(result, CrosstabData):
        spec = _spec(result, result.rows, result.columns)
    else:
        spec = StatsSpec(
            question=result.question,
            datapoints=result.datapoints,
            suffixes=tuple(map(str, result.rows[0].suffixes or ())),
            splitter=result.splitter,
            segments=result.segments,
            audiences=tuple(map(_expression, result.audiences)),
            # Rows count their own waves among these.
            scope=Scope(
                base=result.base_audience,
                waves=result.waves,
                locations=_codes(result.provenance, "locations"),
            ),
        )
    return service.precision(spec, lonely, where_known=where_known, replicates=replicates)


def statistic_spec(row: Statistic) -> StatisticSpec:
    """A row of statistics as the engine computes it."""
    from audiencelab.engine.statistics import StatisticSpec

    kind = cast("StatisticKind", row.kind)
    return StatisticSpec(kind, row.question, row.item, row.amounts, row.exact, row.percentile)


def _spec(
    result: CrosstabData, rows: Sequence[Audience], columns: Sequence[Audience]
) -> CrosstabSpec:
    from audiencelab.engine import CrosstabSpec

    return CrosstabSpec(
        rows=tuple(map(_expression, rows)),
        columns=tuple(map(_expression, columns)),
        scope=Scope(
            base=result.base_audience,
            waves=_codes(result.provenance, "waves"),
            locations=_codes(result.provenance, "locations"),
        ),
    )


def _expression(audience: Audience | None) -> Expression | None:
    return None if audience is None else audience.expression


def _codes(provenance: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    """The requested codes; None where none were, and provenance has a word such as "all"."""
    asked = provenance[name]
    return None if isinstance(asked, str) else tuple(asked)


def _check_result(result: object) -> None:
    if isinstance(result, CrosstabData):
        return
    if not isinstance(result, StatsData):
        raise TypeError(
            "Design effects are those of a crosstab or a stats result, not of type "
            f"{type(result).__name__}. A profile has its crosstab as profile.to_crosstab()."
        )
    if not result.rows:
        raise ValueError("The result has no rows, and so no design effects.")
    if nets := result.provenance.get("nets"):
        raise ValueError(
            f"{', '.join(nets)}: nets are worked out from other rows. Take the design effects of "
            "the result as it was asked for, before nets() or boxes()."
        )


def _fits(table: Proportions, precision: Precision) -> bool:
    """Whether the respondents give exactly the values of the result."""
    known = ~np.isnan(table.cells.value)
    if table.shape != precision.sample.shape:
        return False
    same_size = np.abs(table.cells.size - precision.size) <= _ROUNDING * precision.size
    if not (same_size & (table.cells.sample == precision.sample))[known].all():
        return False
    if precision.linearised is None:
        return True
    apart = np.abs(table.cells.value - precision.linearised.share)[known]
    return bool((apart < _ROUNDING).all())
