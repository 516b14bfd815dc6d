"""The worked figures of docs/explanation/metrics.md, through the engine."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audiencelab.engine import CrosstabSpec, Engine, StatsSpec
from audiencelab.expressions import Audience, Q
from audiencelab.schema import Datapoint
from audiencelab.schema.scope import Scope
from audiencelab.survey import Answers, SurveyBuilder, SurveyCatalogue, SurveyQuestion, SurveyWave

WEIGHTS = {"A": [300, 200, 100, 400], "B": [250, 250, 300, 200]}
WOMEN = Q("sex").any("woman")


def yes_no(code: str, yes: str, no: str) -> SurveyQuestion:
    return SurveyQuestion("core", code, code, "single", (Datapoint(yes, yes), Datapoint(no, no)))


def build(folder: Path, reading_asked_in: str, *, routed: bool = False) -> Engine:
    """The eight respondents; `routed`: the last one of each wave was not asked about reading."""
    questions = (yes_no("place", "here", "there"), yes_no("sex", "woman", "man"))
    reading = yes_no("reading", "reads", "not")
    with SurveyBuilder(folder, SurveyCatalogue((*questions, reading), "core.place")) as builder:
        for month, (code, weights) in enumerate(WEIGHTS.items(), start=1):
            answers: dict[str, Any] = {"place": np.zeros(4, int), "sex": np.array([0, 0, 1, 1])}
            if code in reading_asked_in:
                asked = np.array([True, True, True, not routed])
                answers["reading"] = Answers(np.where(asked, [0, 1, 0, 1], -1), asked)
            day = date(2024, month, 1)
            builder.add_wave(SurveyWave(code, code, day, day), weights, answers)
        return Engine(builder.finish())


@pytest.mark.parametrize(
    ("asked_in", "sizes", "samples", "percentages"),
    [
        ("AB", (1000, 500, 475, 275), (4, 4, 2), (55.0, 57.9, 115.8)),
        ("B", (1000, 500, 550, 250), (2, 2, 1), (50.0, 45.5, 90.9)),
    ],
)
def test_a_stats_row(
    tmp_path: Path,
    asked_in: str,
    sizes: tuple[float, ...],
    samples: tuple[int, ...],
    percentages: tuple[float, ...],
) -> None:
    engine = build(tmp_path / "survey", asked_in)
    [row] = engine.stats(StatsSpec("reading", ("reads",), audiences=(WOMEN,)))
    assert row.waves == tuple(asked_in)
    assert (row.base_size, row.audience_size, row.datapoint_size, row.positive_size) == sizes
    assert (row.audience_sample, row.datapoint_sample, row.positive_sample) == samples
    found = (row.audience_percentage, row.datapoint_percentage, row.audience_index)
    assert tuple(round(figure, 1) for figure in found) == percentages


def test_the_same_as_a_crosstab_cell(tmp_path: Path) -> None:
    engine = build(tmp_path / "survey", "AB")
    spec = CrosstabSpec((Q("reading").any("reads"),), (WOMEN,))
    [stripe] = engine.crosstab(spec)
    assert (stripe.base.size.item(), stripe.base.sample.item()) == (1000, 8)
    assert (stripe.row.size.item(), stripe.column.size.item()) == (475, 500)
    assert (stripe.intersect.size.item(), stripe.intersect.sample.item()) == (275, 2)
    assert stripe.row_intersect_percentage.item() == pytest.approx(55.0)
    assert stripe.column_intersect_percentage.item() == pytest.approx(57.9, abs=0.05)
    assert stripe.index.item() == pytest.approx(115.8, abs=0.05)


def test_who_was_not_asked_stays_in_the_denominator_until_rebased(tmp_path: Path) -> None:
    engine = build(tmp_path / "survey", "B", routed=True)
    [plain] = engine.stats(StatsSpec("reading", ("reads",)))
    [rebased] = engine.stats(
        StatsSpec("reading", ("reads",), scope=Scope(Audience(Q("reading").any())))
    )
    assert (plain.audience_size, plain.audience_percentage) == (1000, 55.0)
    assert (rebased.audience_size, rebased.audience_percentage) == (800, 68.75)
