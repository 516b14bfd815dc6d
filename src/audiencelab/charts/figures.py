"""What most charts are drawn of: a query's result, or a saved chart's calculation as one.

A calculation has a group for each attribute, of one question or of many, and some may have
failed. As rows of datapoint, segment and audience it is drawn like any other result; what has
no figures is left out, and the words say so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from audiencelab.charts import wording
from audiencelab.expressions import Audience
from audiencelab.expressions.codes import WAVES
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.stats import StatsData, StatsLabels
from audiencelab.schema import CalcAttribute, StatsGroup, StatsRow

__all__ = ["Drawable", "Figures", "figures_of", "group_labels"]

Drawable = StatsData | ChartCalculationData
"""What most charts take."""

_QUESTION_LENGTH = 28
_ADVICE = "give what client.stats(…) or client.charts.calculate(…) returned, no frame of it"
_ADVICE_WITH_TABLES = _ADVICE.replace(" returned", " or client.crosstab(…) returned")


@dataclass(frozen=True, slots=True)
class Figures:
    """Rows to draw, and what is to be said of them.

    stats: the rows; a calculation's attributes stand where a question's datapoints do.
    title: what is shown. base: of whom, where that is known. facts: what else must be said.
    lines: where each row stands in the frame of what was given.
    """

    stats: StatsData
    title: str
    base: str
    lines: Sequence[int]
    facts: tuple[str, ...] = ()

    def base_line(self, sample: float | None) -> str:
        """The line that says whom: base, waves, and the smallest sample any figure rests on."""
        return wording.base_line(self.base, self.stats.waves, sample)


def figures_of(given: Drawable, *, draws_tables: bool = False) -> Figures:
    """The figures of a result; raises `TypeError` with advice for anything else.

    draws_tables: the chart takes a crosstab too, as the advice then says.
    """
    if isinstance(given, ChartCalculationData):
        return _of_calculation(given)
    wording.check_result(given, StatsData, _ADVICE_WITH_TABLES if draws_tables else _ADVICE)
    base = given.base_audience
    return Figures(
        given,
        wording.shorten_title(given.labels.question or given.question),
        wording.shorten(base.name) if base else "all respondents",
        range(len(given)),
    )


def group_labels(stats: StatsData) -> list[str]:
    """Whom each row of a result is about: segment, audience if there are several, or everyone."""
    names = {audience.id or "": audience.name for audience in stats.audiences}
    audiences = wording.distinct(names, names)
    segments = wording.distinct(stats.segments, stats.labels.segments)

    def label(row: StatsRow) -> str:
        segment = segments.get(row.segment or "", "")
        audience = audiences.get(row.audience or "", "")
        parts = [segment, audience if len(audiences) > 1 or not segment else ""]
        return " · ".join(filter(None, parts)) or "Everyone"

    return [label(row) for row in stats.rows]


def _of_calculation(result: ChartCalculationData) -> Figures:
    failed = {id(group) for group in result.failures}
    groups = _by_code(group for group in result if id(group) not in failed)
    questions = dict.fromkeys(
        _question(each) for group in groups.values() for each in group.attributes
    )
    question = next(iter(questions)) if len(questions) == 1 else ""
    stats = _as_stats(result, groups, question)
    facts = [question] if question and result.name else []
    if failed:
        facts.append(f"{len(failed):,} of {len(result):,} without figures")
    title = wording.shorten_title(result.name or question or f"Chart {result.chart_id}")
    # Nothing in a calculation tells the chart's base audience.
    return Figures(stats, title, "", _lines(result, failed), tuple(facts))


def _lines(result: ChartCalculationData, failed: Collection[int]) -> list[int]:
    """The lines of the groups that are drawn; one without figures is a line all the same."""
    owners = [group for group in result for _ in group.data or [None]]
    return [line for line, group in enumerate(owners) if id(group) not in failed]


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
    """The group's answers; with their questions, where the chart has several of these."""
    return " + ".join(
        _answer(each)
        if question
        else f"{wording.shorten(_question(each), _QUESTION_LENGTH)} – {_answer(each)}"
        for each in group.attributes
    )


def _question(attribute: CalcAttribute) -> str:
    return attribute.question_label or attribute.question_code


def _answer(attribute: CalcAttribute) -> str:
    answer = attribute.datapoint_label or attribute.datapoint_code
    suffix = attribute.suffix_label or attribute.suffix_code
    return f"{answer} ({suffix})" if suffix else answer


def _splitter(rows: Iterable[StatsRow]) -> str | None:
    """What the segments are, as far as they tell: a wave rests on itself alone."""
    segments = [row for row in rows if row.segment is not None]
    if not segments:
        return None
    by_wave = all(row.waves in ([], [row.segment]) for row in segments)
    return WAVES if by_wave else "segment"
