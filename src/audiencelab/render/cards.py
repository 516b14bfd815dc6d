"""Results that are lists as cards: queries, calculations, overlaps and profiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from audiencelab.analysis.overlap import combinations_frame
from audiencelab.analysis.profile import named_crosstab, ranked
from audiencelab.figures import figure, people, percent
from audiencelab.markup import (
    QUIET,
    ROW_CAP,
    Card,
    Content,
    Section,
    card,
    element,
    note,
    table,
)
from audiencelab.render.average_notes import average_notes
from audiencelab.render.cell_text import marked_text, value_text
from audiencelab.render.html import low_base_footer
from audiencelab.render.table_layout import (
    notes_on_bases,
)
from audiencelab.results.arrangement import LOW_BASE, low_base_mark, low_base_words
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.metrics import METRICS
from audiencelab.results.overlap import OverlapData
from audiencelab.results.profile import Direction, ProfileData
from audiencelab.results.provenance import (
    count_label,
    coverage_facts,
    waves_fact,
    weight_fact,
)
from audiencelab.results.stats import StatsData
from audiencelab.results.undefined import NO_WAVE, respondents_under
from audiencelab.results.who_counts import base_line
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd

_METRIC_HEADERS = {
    "segment_label": "Segment",
    "audience_name": "Audience",
    **{
        name: METRICS[name].label
        for name in ("column_percentage", "row_percentage", "index", "size", "sample")
    },
    "column_sample": METRICS["base_sample"].label,
    "note": "",
}


def stats_card(result: StatsData) -> Card:
    """A stats result as a card of its first rows, in the order of the query."""
    from audiencelab.results.to_pandas import stats_frame

    facts = [
        result.question if result.labels.question else "",
        _waves(result.waves, result.provenance),
    ]
    if result.splitter:
        facts.append(f"by {result.labels.splitter or result.splitter}")
    facts += [weight_fact(result.provenance), base_line(result)]
    title = result.labels.question or result.question
    names = {"datapoint_label": "Answer"}
    notes = (*average_notes(result), *notes_on_bases(result))
    return _frame_card(title, facts, stats_frame(result), names, result.provenance, notes)


def calculation_card(result: ChartCalculationData) -> Card:
    """A chart's calculation as a card of its first rows, including failures."""
    from audiencelab.results.to_pandas import calculation_frame

    facts = [plural(len(result), "group")]
    if result.failures:
        facts.append(f"{len(result.failures):,} failed")
    frame = calculation_frame(result)
    if waves := list(dict.fromkeys(chain.from_iterable(frame["waves"]))):
        facts.append(_waves(waves, result.provenance))
    facts.append(weight_fact(result.provenance))
    names = {
        "question_label": "Question",
        "datapoint_label": "Answer",
        "suffix_label": "Suffix",
    }
    return _frame_card(result.name or "Chart", facts, frame, names, result.provenance)


def _frame_card(
    title: str,
    facts: Iterable[str],
    frame: pd.DataFrame,
    names: Mapping[str, str],
    provenance: Mapping[str, Any],
    notes: Iterable[str] = (),
) -> Card:
    """The first rows of a frame, without columns that are empty everywhere.

    names: headers of the columns that name the rows.
    """
    headers = {
        name: header
        for name, header in {**names, **_METRIC_HEADERS}.items()
        if name in frame
        and (name not in ("note", "suffix_label") or frame[name].astype(bool).any())
    }
    shown = frame.head(ROW_CAP)
    columns: list[list[str]] = []
    numeric: list[int] = []
    low = False
    for number, name in enumerate(headers):
        values = shown[name].tolist()
        if name.endswith(("label", "name", "note")):
            columns.append(values)
            continue
        under = respondents_under(name, lambda of: shown[of].to_numpy())
        marks = [""] * len(values) if under is None else list(map(low_base_mark, under))
        low = low or any(marks)
        pairs = zip(values, marks, strict=True)
        columns.append([marked_text(value_text(name, each), each, mark) for each, mark in pairs])
        numeric.append(number)
    rows = zip(*columns, strict=True)
    hidden = len(frame) - len(shown)
    headers |= {"size": count_label(provenance)} if "size" in headers else {}
    listed = table(list(headers.values()), rows, numeric=numeric, hidden=hidden)
    under = [*map(note, notes), *low_base_footer(low, provenance)]
    return card(title, listed, *under, subtitle=" · ".join(filter(None, facts)))


def _waves(waves: Sequence[str], provenance: Mapping[str, Any]) -> str:
    if not waves:
        return NO_WAVE
    return waves_fact({**provenance, "waves": waves})


def overlap_card(result: OverlapData) -> Card:
    """The combinations that hold anyone, the largest first."""
    union = result.union
    frame = combinations_frame(result)
    inside = frame[(frame["count"] > 0) & (frame["sample"] > 0)]
    shown = inside.sort_values("size", ascending=False, kind="stable").head(ROW_CAP)
    marks = [low_base_mark(sample) for sample in shown["sample"]]
    columns = (shown[name] for name in ("combination", "size", "sample", "percentage"))
    rows = [
        [name, people(size) + mark, figure(sample, 0), percent(of_base), percent(of_union)]
        for name, size, sample, of_base, of_union, mark in zip(
            *columns, shown["union_percentage"], marks, strict=True
        )
    ]
    headers = [
        "In exactly these",
        count_label(result.provenance),
        "Count (n)",
        "% of base",
        "% of union",
    ]
    listed = table(headers, rows, numeric=range(1, 5), hidden=len(inside) - len(shown))
    facts = [
        f"in any of them {people(union.size)} people, {percent(union.percentage)} of the base",
        base_line(result),
        *coverage_facts({**result.provenance, "locations": None}),
    ]
    notes = [element("div", note, style=QUIET) for note in result.notes if note]
    notes += low_base_footer(any(marks), result.provenance, low_base_words(of="combination"))
    title = f"Overlap of {len(result.audiences)} audiences"
    return card(title, listed, *notes, subtitle=" · ".join(facts))


_PROFILE_HEADERS = ("Answer", "Question", "Audience", "Base", "Index", "Count (n)")
_ADJUSTED_HEADERS = (
    *("Answer", "Question", "Audience", "Adjusted", "Base", "Adjusted index", "Count (n)"),
)
_PROFILE_ROWS = 10
"""Rows on each side of index 100."""

_MIN_RESPONDENTS = 30
"""Respondents that an answer and the audience need to be ranked."""


def profile_card(result: ProfileData) -> Card:
    """The answers that the audience gives most above and most below average, by index."""
    facts = [base_line(result), *coverage_facts(result.provenance)]
    if not result.complete:
        so_far = f"{result.count:,} of {result.expected:,} answers so far"
        facts.append(so_far if result.points else "no answers yet")
    rows: list[Sequence[Content] | Section] = []
    notes: list[str] = []
    low = False
    sides: tuple[Direction, Direction] = ("over", "under")
    for side in sides:
        frame = _ranked(result, side)
        # An index rests on the fewer respondents of the audience and of the answer.
        weaker = frame[["audience_sample", "datapoint_sample"]].min(axis=1)
        low = low or bool((weaker < LOW_BASE).any())
        # Both sides are ranked in the same way, so one note is enough.
        notes = notes or [frame.attrs["method_note"]]
        if len(frame):
            rows += [Section(f"{side.capitalize()}-represented"), *_profile_rows(frame, weaker)]
    if not rows:
        notes = ["No answer has enough respondents to rank."]
    notes += [f"{low_base_words()}."] if low else []
    notes += [result.on_grids] if result.on_grids else []
    headers = _PROFILE_HEADERS
    if result.adjustment is not None:
        headers = _ADJUSTED_HEADERS
        facts.append(f"adjusted for {result.adjustment.title}")
    listed = table(headers, rows, numeric=range(2, len(headers))) if rows else ""
    below = element("div", " ".join(notes), style=f"{QUIET};max-width:60em")
    source = low_base_footer(low=False, provenance=result.provenance)
    title = f"Profile: {result.audience.name}"
    return card(title, listed, below, *source, subtitle=" · ".join(facts))


def _ranked(result: ProfileData, side: Direction) -> pd.DataFrame:
    least = _MIN_RESPONDENTS
    kept = named_crosstab(result, least, least, own=False)
    return ranked(
        result, kept, "index", _PROFILE_ROWS, side, min_sample=least, min_base=least, own=False
    )


def _profile_rows(frame: pd.DataFrame, weaker: Any) -> list[Sequence[Content]]:
    is_adjusted = "adjusted_index" in frame
    lines: list[Sequence[Content]] = []
    for line, least in zip(frame.to_dict("records"), weaker, strict=True):
        mark, adjusted = low_base_mark(line["audience_sample"]), ()
        if is_adjusted:
            adjusted = (percent(line["adjusted_percentage"]) + mark,)
        index = line["adjusted_index" if is_adjusted else "index"]
        lines.append(
            [
                line["datapoint_label"],
                line["question_label"],
                percent(line["audience_percentage"]) + mark,
                *adjusted,
                percent(line["base_percentage"]),
                figure(index, 0) + low_base_mark(least),
                figure(line["sample"], 0),
            ]
        )
    return lines
