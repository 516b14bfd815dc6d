"""The data of a statistics query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, SupportsIndex

from audiencelab.expressions import Audience
from audiencelab.hidden_members import hide_members
from audiencelab.results.asking import Ask, keep_answers
from audiencelab.results.made import Made
from audiencelab.results.provenance import waves_words
from audiencelab.results.who import EVERYONE, WhoCounts
from audiencelab.schema import StatsMeta, StatsRow
from audiencelab.schema.query import StatsQuery
from audiencelab.schema.scales import Scale
from audiencelab.wording import plural, without_controls

STATS_FIGURES = {
    "size": "positive_size",
    "sample": "positive_sample",
    "column_size": "audience_size",
    "column_sample": "audience_sample",
    "row_size": "datapoint_size",
    "row_sample": "datapoint_sample",
    "column_percentage": "audience_percentage",
    "row_percentage": "datapoint_percentage",
    "total_percentage": "total_percentage",
    "index": "audience_index",
}
"""The metrics of a stats result, by the service's names: a crosstab's column is its audience, a
crosstab's row its datapoint. The service does not return the total percentage: the others imply it.
"""

Provenance = dict[str, Any]
"""Where figures come from: small, JSON, and without any credential."""


@dataclass(frozen=True, slots=True)
class StatsLabels:
    """Names for the codes of one result; a code without a name stands for itself.

    midpoints: the amounts that datapoints represent, as far as the catalogue has them.
    scale: the scale that the answers form; None where the question is not known.
    """

    question: str = ""
    datapoints: Mapping[str, str] = field(default_factory=dict[str, str])
    segments: Mapping[str, str] = field(default_factory=dict[str, str])
    splitter: str = ""
    midpoints: Mapping[str, float] = field(default_factory=dict[str, float])
    scale: Scale | None = None


@hide_members("audience_name", "datapoints", "made", "segments")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StatsData:
    """One row for each datapoint × segment × audience, in the order that was asked for.

    rows: the wire's own records (`wire.StatsRow`), zeros as sent; `to_frame` explains them.
    audiences: the audiences as sent, each with its id.
    base_audience: the base audience as sent, or None for all respondents.
    labels: names of the question, its datapoints and the segments.
    provenance: service, survey or address, question, waves and time.
    kind: whether respondents give one answer to the question ("single") or several ("multiple",
        "grid"); None where the service does not say it.
    ask: where tests, intervals and averages ask how sure the figures are, and for the numbers
        behind bins; None for a service that has no local operations. A pickled result keeps the
        answers that it had, and asks for those of `test`, `intervals` and `averages` before.
    asked: the query that the rows answer; None for rows that were worked out from others.
    who: who of the base counts in a cell, and what is known of those who were not asked.
    made: how the result was made, for `to_code`.
    """

    question: str
    rows: tuple[StatsRow, ...]
    splitter: str | None = None
    audiences: tuple[Audience, ...] = ()
    base_audience: Audience | None = None
    labels: StatsLabels = StatsLabels()
    provenance: Provenance = field(default_factory=dict[str, Any])
    meta: StatsMeta = field(default_factory=StatsMeta)
    kind: str | None = None
    ask: Ask | None = None
    asked: StatsQuery | None = None
    who: WhoCounts = EVERYONE
    made: Made = None

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
        """The name of an audience of this result, or its id where it has none.

        >>> women = al.Audience("Women", client["Gender"] == "Female", id="w")
        >>> client.stats("Age", audiences=[women]).audience_name("w")
        'Women'
        """
        for audience in self.audiences:
            if audience.id == audience_id:
                return audience.name or audience_id
        return audience_id

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        keep_answers(self)
        return object.__reduce_ex__(self, protocol)

    def __repr__(self) -> str:
        parts = [plural(len(self.datapoints), "datapoint")]
        if self.splitter:
            parts.append(plural(len(self.segments), "segment"))
        if self.audiences:
            parts.append(plural(len(self.audiences), "audience"))
        rows = plural(len(self), "row")
        waves = waves_words({**self.provenance, "waves": self.waves})
        shape = f"{' × '.join(parts)}, {rows}{waves}"
        return without_controls(f"<{type(self).__name__} {self.question}: {shape}>")
