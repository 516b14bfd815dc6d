"""Stacks are drawn of questions of one answer alone, and their parts are the result's shares."""

from __future__ import annotations

from typing import Any

import pytest

from audiencelab import charts
from audiencelab.analysis.disjointness import OverlappingAnswers
from audiencelab.charts import theme
from audiencelab.expressions import Audience
from audiencelab.results.grid import grid_table
from audiencelab.tables import GridResult, StatsLabels, StatsResult
from tests.charts.test_charts import HOSTILE, OLD, YOUNG, contrast, texts, values_of
from tests.results.samples import NOTHING, crosstab, metrics, row, stats


def part(code: str, percent: float, sample: float = 100, **more: Any) -> Any:
    given = sample * percent / 100
    figures = metrics(
        percent * 10, audience_sample=sample, positive_sample=given, audience_percentage=percent
    )
    return row(code, figures, **more)


def divided(**more: Any) -> StatsResult:
    """Two audiences: 70 and 30 %, and 4 and 96 % on a low base."""
    rows = [
        part("q1_1", 70, audience="a-1"),
        part("q1_1", 4, 50, audience="a-2"),
        part("q1_2", 30, audience="a-1"),
        part("q1_2", 96, 50, audience="a-2"),
    ]
    return stats(*rows, audiences=(YOUNG, OLD), **more)


def test_parts_follow_each_other_up_to_100() -> None:
    drawn = values_of(charts.stack(divided()))
    young = [each for each in drawn if each["stack"] == "Young"]
    assert [(each["answer"], each["start"], each["end"]) for each in young] == [
        ("Tea", 0.0, 70.0),
        ("Coffee", 70.0, 100.0),
    ]


def test_figures_stand_where_they_fit_and_low_bases_are_starred() -> None:
    shown = texts(charts.stack(divided()).svg())
    assert {"70.0%", "30.0%", "96.0%", "Young", "Old *"} <= set(shown)
    assert "4.0%" not in shown
    assert "* fewer than 100 respondents" in shown[-1]


def test_questions_of_several_answers_are_refused_with_advice() -> None:
    rows = [part("q1_1", 70), part("q1_2", 60)]
    with pytest.raises(OverlappingAnswers, match=r"several answers .*charts\.bar"):
        charts.stack(stats(*rows))


def test_what_figures_cannot_tell_the_user_can() -> None:
    result = stats(part("q1_1", 40), part("q1_2", 20))
    with pytest.raises(OverlappingAnswers, match="disjoint=True"):
        charts.stack(result)
    assert values_of(charts.stack(result, disjoint=True))[-1]["end"] == 60.0


def test_a_wave_that_was_not_asked_keeps_its_place_without_parts() -> None:
    rows = [
        part("q1_1", 70, segment="q1_2024", waves=["q1_2024"]),
        row("q1_1", NOTHING, segment="q2_2024", waves=[]),
        part("q1_2", 30, segment="q1_2024", waves=["q1_2024"]),
        row("q1_2", NOTHING, segment="q2_2024", waves=[]),
    ]
    drawing = charts.stack(stats(*rows, splitter="waves"))
    assert {"Q1 2024", "Q2 2024"} <= set(texts(drawing.svg()))
    shares = [each["share"] for each in values_of(drawing) if each["stack"] == "Q2 2024"]
    assert shares == [None, None]


def test_a_grid_has_a_stack_for_each_item_and_its_scale_as_parts() -> None:
    some = [part("q1_1", 70), part("q1_2", 40)], [part("q1_1", 20), part("q1_2", 30)]
    points = {code: stats(*rows) for code, rows in zip("12", some, strict=True)}
    drawn = values_of(charts.stack(GridResult(grid_table(points, {"1": "Often", "2": "Seldom"}))))
    assert [(each["stack"], each["answer"], each["start"], each["end"]) for each in drawn] == [
        ("Tea", "Often", 0.0, 70.0),
        ("Coffee", "Often", 0.0, 40.0),
        ("Tea", "Seldom", 70.0, 90.0),
        ("Coffee", "Seldom", 40.0, 70.0),
    ]


def test_parts_of_a_grid_know_their_lines_of_the_grid_s_own_frame() -> None:
    some = [part("q1_1", 70), part("q1_2", 40)], [part("q1_1", 20), part("q1_2", 30)]
    points = {code: stats(*rows) for code, rows in zip("12", some, strict=True)}
    grid = GridResult(grid_table(points, {"1": "Often", "2": "Seldom"}))
    drawing, frame = charts.stack(grid), grid.to_frame()
    for each in values_of(drawing):
        line = frame.iloc[each["line"]]
        told = (line["datapoint_label"], line["suffix_label"], line["audience_percentage"])
        assert told == (each["stack"], each["answer"], each["share"])
    assert list(drawing.selectable().selected) == list(frame)


def test_nets_are_left_out_since_their_answers_are_there() -> None:
    with_net = divided().nets({"Any": ["q1_1", "q1_2"]})
    assert values_of(charts.stack(with_net)) == values_of(charts.stack(divided()))


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_hostile_names_are_text(colours: str) -> None:
    names = StatsLabels(HOSTILE, {"q1_1": HOSTILE, "q1_2": "Tea"})
    hostile = Audience(HOSTILE, id="a-1")
    rows = [part("q1_1", 70, audience="a-1"), part("q1_2", 30, audience="a-1")]
    drawing = charts.stack(stats(*rows, audiences=(hostile,), labels=names), theme=colours)
    assert "<script" not in drawing.svg()
    assert any("<script>alert(1)</script>" in text for text in texts(drawing.svg()))


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK])
def test_figures_can_be_read_on_every_part(colours: theme.Look) -> None:
    for fill in colours.series:
        assert contrast(theme.readable_on(fill, colours), fill) >= 4.0


def test_what_cannot_be_stacked_is_refused_with_advice() -> None:
    with pytest.raises(TypeError, match=r"client\.stats\(…\)"):
        charts.stack(crosstab())
    with pytest.raises(ValueError, match=r"too many for one chart .*datapoints="):
        charts.stack(stats(*(part(f"q1_{n}", 1) for n in range(9))))
    assert charts.stack(stats()).svg()
