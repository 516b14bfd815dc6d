"""The result of a statistics query: its rows as they came, with the labels to read them by.

It knows no client and sends nothing; frames are made in `tables`, HTML in `html`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from audiencelab.expressions import Audience
from audiencelab.results.derived_methods import Deriving
from audiencelab.results.export import Exporting, listed
from audiencelab.results.test_methods import StatsDifferences
from audiencelab.schema import METRICS, StatsMeta, StatsRow
from audiencelab.schema.numbers import QuestionNumbers
from audiencelab.wording import harmless, plural

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.results.respondents import Respondents


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
class StatsResult(StatsDifferences, Deriving, Exporting):
    """One row for each datapoint × segment × audience, in the order that was asked for.

    rows: the wire's own records (`wire.StatsRow`), zeros as sent; `to_frame` explains them.
    audiences: the audiences as sent, each with its id.
    base_audience: the base audience as sent, or None for all respondents.
    labels: names of the question, its datapoints and the segments.
    provenance: service, survey or address, question, waves and time.
    extra: fields beside `meta` and `data` in the answer that this version does not know.
    kind: whether respondents give one answer to the question ("single") or several ("multiple",
        "grid"); None where the service does not say it.
    respondents: who tests ask for the design of the sample; None where the respondents are not in
        this process. Pickled results lose them.
    numbers: the numbers behind the question's bands, where the survey is in this process and
        keeps them; `averages` takes them.
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
    kind: str | None = None
    respondents: Respondents | None = None
    numbers: QuestionNumbers | None = None

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
        from audiencelab.results.to_pandas import stats_frame

        return stats_frame(self)

    def to_wide(
        self,
        metric: str | Sequence[str] = "audience_percentage",
        *,
        labels: bool = True,
        blank_under: float = 0,
    ) -> pd.DataFrame:
        """A table of one metric or several: datapoints down; segments, audiences or both across.

        metric: one of the nine (`audiencelab.schema.METRICS`), or several, which then stand beside
            each other as a last level `metric`; `ValueError` names them otherwise.
        labels: names in the margins (True) or codes (False).
        blank_under: leave out (NaN) what rests on fewer respondents, as published tables do; an
            audience percentage rests on the audience's, an index on the smaller of audience and
            datapoint. Counts stay.
        """
        for each in listed(metric):
            if each not in METRICS:
                raise ValueError(f"No metric {each!r}. Choose one of {', '.join(METRICS)}.")
        from audiencelab.results.to_pandas import stats_wide

        return stats_wide(self, metric, labels=labels, blank_under=blank_under)

    def __repr__(self) -> str:
        parts = [plural(len(self.datapoints), "datapoint")]
        if self.splitter:
            parts.append(plural(len(self.segments), "segment"))
        if self.audiences:
            parts.append(plural(len(self.audiences), "audience"))
        rows = plural(len(self), "row")
        return harmless(f"<StatsResult {self.question}: {' × '.join(parts)}, {rows}>")

    def _repr_html_(self) -> str:
        from audiencelab.render.html import stats_html

        return stats_html(self)
