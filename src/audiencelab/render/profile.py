"""A profile as a short HTML table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from audiencelab.analysis.profile import named_crosstab, ranked
from audiencelab.markup import QUIET, Content, Section, card, element, figure, percent, table
from audiencelab.render.table_layout import LOW_BASE, LOW_BASE_NOTE, low_base_mark
from audiencelab.results.profile import Direction, ProfileData
from audiencelab.results.provenance import base_sentence, coverage_facts, source_line

if TYPE_CHECKING:
    import pandas as pd

_HEADS = ("Answer", "Question", "Audience", "Base", "Index", "Sample")
_UNDER = f"{QUIET};max-width:60em"

_SHOWN = 10
"""Rows on each side of index 100."""

_ENOUGH = 30
"""Respondents that an answer and the audience need to be ranked."""


def profile_html(result: ProfileData) -> str:
    """What the audience is most over and most under by index, and what that rests on."""
    facts = [base_sentence(result.base_audience), *coverage_facts(result.provenance)]
    if not result.complete:
        of = f"{result.count:,} of {result.expected:,} answers so far"
        facts.append(of if result.points else "no answers yet")
    over, under = (_ranked(result, side) for side in ("over", "under"))
    lines: list[Sequence[Content] | Section] = []
    for name, frame in (("Most over", over), ("Most under", under)):
        lines += [Section(name), *_shown(frame)] if len(frame) else []
    told = [over.attrs["method_note"] if lines else "No answer has enough respondents to rank."]
    if any((_weaker(frame) < LOW_BASE).any() for frame in (over, under)):
        told.append(f"{LOW_BASE_NOTE}.")
    told.append(source_line(result.provenance, dated=False))
    listed = table(_HEADS, lines, numeric=range(2, len(_HEADS))) if lines else ""
    below = element("div", " ".join(told), style=_UNDER)
    title = f"Profile: {result.audience.name}"
    return str(card(title, listed, below, subtitle=" · ".join(facts)))


def _shown(frame: pd.DataFrame) -> list[Sequence[Content]]:
    """The lines of a ranking as they are read; figures of few respondents are marked."""
    names = ["datapoint_label", "question_label", "audience_percentage", "base_percentage"]
    return [
        [
            answer,
            question,
            percent(share) + low_base_mark(audience),
            percent(base),
            figure(index, 0) + low_base_mark(weaker),
            figure(sample, 0),
        ]
        for answer, question, share, base, index, sample, audience, weaker in zip(
            *(frame[name] for name in [*names, "index", "sample", "audience_sample"]),
            _weaker(frame),
            strict=True,
        )
    ]


def _ranked(result: ProfileData, side: Direction) -> pd.DataFrame:
    kept = named_crosstab(result, _ENOUGH, _ENOUGH, own=False)
    return ranked(
        result, kept, "index", _SHOWN, side, min_sample=_ENOUGH, min_base=_ENOUGH, own=False
    )


def _weaker(frame: pd.DataFrame) -> Any:
    """The fewer respondents of the audience and of the answer, on which an index rests."""
    return frame[["audience_sample", "datapoint_sample"]].min(axis=1)
