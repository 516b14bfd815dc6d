"""The result of a statistics query: its rows as they came, with the labels to read them by.

It knows no client and sends nothing; frames are made in `tables`, HTML in `html`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from audiencelab.audience import Audience
from audiencelab.frames.exporting import Exporting
from audiencelab.frames.markup import plural
from audiencelab.wire import METRICS, StatsMeta, StatsRow

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.frames.crosstab import CrosstabResult
    from audiencelab.frames.significance import (
        Base,
        ColumnComparison,
        Correction,
        DesignEffect,
        Family,
        IntervalMethod,
        WaveComparison,
    )

__all__ = ["Provenance", "StatsLabels", "StatsResult"]

Provenance = dict[str, Any]
"""Where figures come from: small, JSON, and without any credential."""


@dataclass(frozen=True, slots=True)
class StatsLabels:
    """Names for the codes of one result; a code without a name stands for itself."""

    question: str = ""
    datapoints: Mapping[str, str] = field(default_factory=dict[str, str])
    segments: Mapping[str, str] = field(default_factory=dict[str, str])
    splitter: str = ""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StatsResult(Exporting):
    """One row for each datapoint × segment × audience, in the order that was asked for.

    rows: the wire's own records (`wire.StatsRow`), zeros as sent; `to_frame` explains them.
    audiences: the audiences as sent, each with its id.
    base_audience: the base audience as sent, or None for all respondents.
    labels: names of the question, its datapoints and the segments.
    provenance: service, panel or address, question, waves and time.
    extra: fields beside `meta` and `data` in the answer that this version does not know.
    """

    question: str
    rows: tuple[StatsRow, ...]
    splitter: str | None = None
    audiences: tuple[Audience, ...] = ()
    base_audience: Audience | None = None
    labels: StatsLabels = StatsLabels()
    provenance: Provenance = field(default_factory=dict[str, Any])
    meta: StatsMeta = field(default_factory=StatsMeta)
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[StatsRow]:
        return iter(self.rows)

    @property
    def datapoints(self) -> tuple[str, ...]:
        """Datapoint codes, in the order of the rows."""
        return tuple(dict.fromkeys(row.datapoint for row in self.rows))

    @property
    def segments(self) -> tuple[str, ...]:
        """Segment codes in the order of the rows; none without a splitter."""
        return tuple(dict.fromkeys(row.segment for row in self.rows if row.segment is not None))

    @property
    def waves(self) -> tuple[str, ...]:
        """Every wave that some row rests on, in the order met."""
        return tuple(dict.fromkeys(wave for row in self.rows for wave in row.waves))

    def audience_name(self, audience_id: str) -> str:
        """The name of an audience of this result, or its id where it has none."""
        for audience in self.audiences:
            if audience.id == audience_id:
                return audience.name or audience_id
        return audience_id

    def to_frame(self) -> pd.DataFrame:
        """A long frame, one line a row, with the nine metrics under the service's names.

        Sizes are weighted people, samples respondents, percentages run from 0 to 100 and an
        index of 100 is the base. Labels are ordered categoricals in the order asked for. A
        metric without a denominator is NaN, and `note` says why. `attrs` hold the provenance.
        """
        from audiencelab.frames.tables import stats_frame

        return stats_frame(self)

    def to_wide(
        self, metric: str | Sequence[str] = "audience_percentage", *, labels: bool = True
    ) -> pd.DataFrame:
        """A table of one metric or several: datapoints down; segments, audiences or both across.

        metric: one of the nine (`audiencelab.wire.METRICS`), or several, which then stand beside
            each other as a last level `metric`; `ValueError` names them otherwise.
        labels: names in the margins (True) or codes (False).
        """
        for each in [metric] if isinstance(metric, str) else metric:
            if each not in METRICS:
                raise ValueError(f"No metric {each!r}. Choose one of {', '.join(METRICS)}.")
        from audiencelab.frames.tables import stats_wide

        return stats_wide(self, metric, labels=labels)

    def intervals(
        self,
        level: float = 0.95,
        method: IntervalMethod = "wilson",
        design_effect: float | Sequence[float] | None = None,
        *,
        degrees_of_freedom: float | None = None,
    ) -> pd.DataFrame:
        """The long frame of `to_frame()`, with a margin beside both percentages and the index.

        See `CrosstabResult.intervals`; here a design effect is one number, or one for each line.
        """
        from audiencelab.frames.significance.interval_frames import (
            IntervalOptions,
            metric_intervals,
        )

        options = IntervalOptions.of(level, method, degrees_of_freedom)
        return metric_intervals(self, options, design_effect)

    def compare_columns(
        self,
        levels: float | Sequence[float] = (0.95, 0.90),
        correction: Correction = "none",
        *,
        family: Family = "row",
        base: Base | None = None,
        design_effect: DesignEffect | None = None,
        pooled: bool = False,
        degrees_of_freedom: float | None = None,
        nets: str | Sequence[str] = (),
        min_base: float = 30,
        overlap: CrosstabResult | None = None,
    ) -> ColumnComparison:
        """Test every pair of audiences, segments or both, the columns of `to_wide()`.

        The arguments are those of `CrosstabResult.compare_columns`; what is compared is the
        audience percentage of each datapoint.
        """
        from audiencelab.frames import significance

        return significance.compare_columns(
            significance.stats_shares(self),
            overlap,
            levels=levels,
            correction=correction,
            family=family,
            base=base,
            design_effect=design_effect,
            pooled=pooled,
            degrees_of_freedom=degrees_of_freedom,
            nets=nets,
            min_base=min_base,
        )

    def compare_waves(
        self,
        levels: float | Sequence[float] = (0.95, 0.90),
        correction: Correction = "none",
        *,
        family: Family = "row",
        base: Base | None = None,
        design_effect: DesignEffect | None = None,
        pooled: bool = False,
        degrees_of_freedom: float | None = None,
        nets: str | Sequence[str] = (),
        min_base: float = 30,
    ) -> WaveComparison:
        """Test each wave against the one before it, within each datapoint (and audience).

        A wave that did not ask is passed over: the next one is compared with the last that did,
        and the frame names it. Waves are taken as separate samples. For a result with
        `splitter="waves"`, in the order of its segments; the other arguments are those of
        `CrosstabResult.compare_columns`, with design effects by wave, and a family "row" is a
        trend.

        Raises `ValueError` for another splitter and what cannot be chosen, and `ImportError`
        without scipy.
        """
        from audiencelab.frames import significance

        return significance.compare_waves(
            self,
            levels=levels,
            correction=correction,
            family=family,
            base=base,
            design_effect=design_effect,
            pooled=pooled,
            degrees_of_freedom=degrees_of_freedom,
            nets=nets,
            min_base=min_base,
        )

    def __repr__(self) -> str:
        parts = [plural(len(self.datapoints), "datapoint")]
        if self.splitter:
            parts.append(plural(len(self.segments), "segment"))
        if self.audiences:
            parts.append(plural(len(self.audiences), "audience"))
        return f"<StatsResult {self.question}: {' × '.join(parts)}, {plural(len(self), 'row')}>"

    def _repr_html_(self) -> str:
        from audiencelab.frames.html import stats_html

        return stats_html(self)
