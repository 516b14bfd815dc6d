"""What charts of queries read: rows of a stats query, or a saved chart's calculation as such."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from audiencelab.charts import labels
from audiencelab.charts.labels import distinct, shorten, shorten_title
from audiencelab.expressions import Audience
from audiencelab.expressions.codes import WAVES
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.stats import StatsData, StatsLabels
from audiencelab.schema import CalcAttribute, StatsGroup, StatsRow

Drawable = StatsData | ChartCalculationData
"""Results that most charts take."""

_QUESTION_LENGTH = 28


@dataclass(frozen=True, slots=True)
class StatsSource:
    """Rows of a query, and text about them.

    stats: the rows; a calculation's attributes are its datapoints.
    title: the subject. base: a sentence, if known. facts: further lines of the subtitle.
    lines: the row number of each row in the frame of the result.
    """

    stats: StatsData
    title: str
    base: str
    lines: Sequence[int]
    facts: tuple[str, ...] = ()

    def base_line(self, sample: float | None) -> str:
        """The line about the base: name, waves, and the smallest sample."""
        return labels.base_line(self.base, self.stats.waves, sample, self.stats.provenance)

    def all_facts(self) -> list[str]:
        """The only audience, if there is one, and the other facts."""
        audiences = self.stats.audiences
        one = [f"Audience: {shorten(audiences[0].name)}"] if len(audiences) == 1 else []
        return [*one, *self.facts]


def stats_source(given: Drawable, *, draws_tables: bool = False) -> StatsSource:
    """The rows of a result; raises `TypeError` with advice for anything else.

    draws_tables: the chart takes a crosstab too, as the advice then says.
    """
    if isinstance(given, ChartCalculationData):
        return _of_calculation(given)
    tables = " or client.crosstab(…)" if draws_tables else ""
    advice = f"give what client.stats(…) or client.charts.calculate(…){tables} returned"
    labels.check_result(given, StatsData, f"{advice}, no frame of it")
    return StatsSource(
        given,
        shorten_title(given.labels.question or given.question),
        labels.base_words(given),
        range(len(given)),
    )


def stats_labels(stats: StatsData) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Labels of datapoints, segments and audiences, by code or id."""
    # By id, which `distinct` puts behind a name that two have.
    names = {audience.id or "": audience.name for audience in stats.audiences}
    return (
        distinct(stats.datapoints, stats.labels.datapoints, None),
        distinct(stats.segments, stats.labels.segments, None),
        distinct(names, names, None),
    )


def group_labels(stats: StatsData) -> list[str]:
    """The people of each row: segment, audience if there are several, or everyone."""
    _, segments, audiences = stats_labels(stats)

    def label(row: StatsRow) -> str:
        segment = segments.get(row.segment or "", "")
        audience = audiences.get(row.audience or "", "")
        parts = [segment, audience if len(audiences) > 1 or not segment else ""]
        return " · ".join(filter(None, parts)) or "Everyone"

    return [label(row) for row in stats.rows]


def _of_calculation(result: ChartCalculationData) -> StatsSource:
    """A calculation as rows: a datapoint for each attribute; failed ones are left out."""
    # By identity: a chart may have the same group twice.
    failed = {id(group) for group in result.failures}
    groups = _by_code(group for group in result if id(group) not in failed)
    questions = dict.fromkeys(
        _question(each) for group in groups.values() for each in group.attributes
    )
    question = next(iter(questions)) if len(questions) == 1 else ""
    facts = [question] if question and result.name else []
    if failed:
        facts.append(f"{len(failed):,} of {len(result):,} without figures")
    # A group without data is a row of the frame all the same.
    owners = [group for group in result for _ in group.data or [None]]
    return StatsSource(
        _as_stats(result, groups, question),
        shorten_title(result.name or question or f"Chart {result.chart_id}"),
        "",
        [line for line, group in enumerate(owners) if id(group) not in failed],
        tuple(facts),
    )


def _as_stats(
    result: ChartCalculationData, groups: dict[str, StatsGroup], question: str
) -> StatsData:
    rows = tuple(
        StatsRow(code, data.metrics, data.waves, data.segment, data.audience)
        for code, group in groups.items()
        for data in group.data
    )
    ids = dict.fromkeys(row.audience for row in rows if row.audience)
    return StatsData(
        question=question or "several questions",
        rows=rows,
        splitter=_splitter(rows),
        audiences=tuple(Audience(result.audiences.get(each) or each, id=each) for each in ids),
        labels=StatsLabels(
            datapoints={code: _label(group, question) for code, group in groups.items()},
            segments=result.segments,
        ),
    )


def _by_code(groups: Iterable[StatsGroup]) -> dict[str, StatsGroup]:
    """The groups by a code of their own: a chart may show one attribute twice."""
    named: dict[str, StatsGroup] = {}
    parts = attrgetter("question_code", "datapoint_code", "suffix_code")
    for group in groups:
        code = " + ".join(" ".join(filter(None, parts(each))) for each in group.attributes)
        named[f"{code} #{group.group_id}" if code in named else code] = group
    return named


def _label(group: StatsGroup, question: str) -> str:
    """The group's answers; with their questions, where the chart has several."""
    return " + ".join(
        _answer(each)
        if question
        else f"{shorten(_question(each), _QUESTION_LENGTH)} – {_answer(each)}"
        for each in group.attributes
    )


def _question(attribute: CalcAttribute) -> str:
    return attribute.question_label or attribute.question_code


def _answer(attribute: CalcAttribute) -> str:
    answer = attribute.datapoint_label or attribute.datapoint_code
    suffix = attribute.suffix_label or attribute.suffix_code
    return f"{answer} ({suffix})" if suffix else answer


def _splitter(rows: Iterable[StatsRow]) -> str | None:
    """What the segments are: waves, if each row has its own segment as its only wave."""
    segments = [row for row in rows if row.segment is not None]
    if not segments:
        return None
    # A service may omit the waves of a row.
    return WAVES if all(row.waves in ([], [row.segment]) for row in segments) else "segment"
