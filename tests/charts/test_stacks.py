"""Stacks divide questions of one answer; both ends of a scale are added up beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import audiencelab as al
from audiencelab import charts
from audiencelab.analysis.chart_plan import chart_plan
from audiencelab.analysis.disjointness import OverlappingAnswers
from audiencelab.charts.options import ChartOptions
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.stacks import stack, stacks
from audiencelab.render.colours import LIGHT
from audiencelab.results.grid import grid_table
from audiencelab.results.stats import StatsLabels
from audiencelab.schema.scales import Scale
from audiencelab.tables import GridResult, StatsResult
from tests.charts.layout import faults
from tests.charts.samples import OLD, YOUNG, datasets, subtitle, texts, values_of
from tests.messages import fails
from tests.results.samples import NOTHING, metrics, row, stats

OPINION = "Feelings about AI"


@pytest.fixture(scope="module")
def client() -> Iterator[al.Client]:
    with al.connect() as opened:
        yield opened


def part(code: str, percent: float, sample: float = 100, **more: Any) -> Any:
    given = sample * percent / 100
    figures = metrics(
        percent * 10, audience_sample=sample, positive_sample=given, audience_percentage=percent
    )
    return row(code, figures, **more)


def divided(**more: Any) -> StatsResult:
    """Two audiences: 70 and 30%, and 4 and 96% on a low base."""
    rows = [
        part("q1_1", 70, audience="a-1"),
        part("q1_1", 4, 50, audience="a-2"),
        part("q1_2", 30, audience="a-1"),
        part("q1_2", 96, 50, audience="a-2"),
    ]
    return stats(*rows, audiences=(YOUNG, OLD), **more)


def sums(chart: ChartSpecification) -> list[dict[str, float]]:
    """What is added up, by stack: at the left, and at the right."""
    return [
        {each["stack"]: each["sum"] for each in rows}
        for rows in datasets(chart)
        if rows and "sum" in rows[0] and "stack" in rows[0]
    ]


def test_parts_add_up_to_100() -> None:
    chart = charts.stack(divided())
    young = [each for each in values_of(chart) if each["stack"] == "Young"]
    assert [(each["answer"], each["start"], each["end"]) for each in young] == [
        ("Tea", 0.0, 70.0),
        ("Coffee", 70.0, 100.0),
    ]
    shown = texts(chart.svg())
    assert {"70", "30", "96", "4", "Young", "Old *"} <= set(shown)
    assert "4" not in texts(charts.stack(divided(), width=160).svg()), "it does not fit"
    assert "* fewer than 100 respondents" in shown[-1]


def test_multiple_choice_questions_are_rejected_by_default() -> None:
    with fails(OverlappingAnswers):
        charts.stack(stats(part("q1_1", 70), part("q1_2", 60)))
    result = stats(part("q1_1", 40), part("q1_2", 20))
    with fails(OverlappingAnswers):
        charts.stack(result)
    assert values_of(charts.stack(result, disjoint=True))[-1]["end"] == 60.0


def test_answers_of_a_crosstab_that_overlap_are_rejected(client: al.Client) -> None:
    with fails(OverlappingAnswers):
        charts.stack(client.crosstab("Pets", "Gender"))


def test_a_wave_without_the_question_keeps_its_position_without_parts() -> None:
    rows = [
        part("q1_1", 70, segment="q1_2024", waves=["q1_2024"]),
        row("q1_1", NOTHING, segment="q2_2024", waves=[]),
        part("q1_2", 30, segment="q1_2024", waves=["q1_2024"]),
        row("q1_2", NOTHING, segment="q2_2024", waves=[]),
    ]
    chart = charts.stack(stats(*rows, splitter="waves"))
    assert {"Q1 2024", "Q2 2024"} <= set(texts(chart.svg()))
    shares = [each["share"] for each in values_of(chart) if each["stack"] == "Q2 2024"]
    assert shares == [None, None]


def test_a_grid_has_a_stack_for_each_item_and_its_scale_as_parts() -> None:
    some = [part("q1_1", 70), part("q1_2", 40)], [part("q1_1", 20), part("q1_2", 30)]
    points = {code: stats(*rows) for code, rows in zip("12", some, strict=True)}
    grid = GridResult(grid_table(points, {"1": "Often", "2": "Seldom"}))
    chart, frame = charts.stack(grid), grid.to_frame()
    assert [(e["stack"], e["answer"], e["start"], e["end"]) for e in values_of(chart)] == [
        ("Tea", "Often", 0.0, 70.0),
        ("Tea", "Seldom", 70.0, 90.0),
        ("Coffee", "Often", 0.0, 40.0),
        ("Coffee", "Seldom", 40.0, 70.0),
    ]
    for each in values_of(chart):
        line = frame.iloc[each["line"]]
        cell = (line["datapoint_label"], line["suffix_label"], line["column_percentage"])
        assert cell == (each["stack"], each["answer"], each["share"])
    assert list(chart.selectable().selected) == list(frame)


def test_nets_are_omitted() -> None:
    with_net = divided().nets({"Any": ["q1_1", "q1_2"]})
    assert values_of(charts.stack(with_net)) == values_of(charts.stack(divided()))


# -- scales ---------------------------------------------------------------------------------------

FIVE = tuple("12345")


def drawn(scale: Scale | None) -> StatsResult:
    """Answers 1 to 6 of a question, with a scale; 11% gave the first, 16% the last."""
    labels = StatsLabels("Drinks", {code: f"Step {code}" for code in "123456"}, scale=scale)
    return stats(*[part(code, 10 + int(code)) for code in "123456"], labels=labels, kind="single")


OPPOSITE = Scale(FIVE, "first", frozenset("6"), "opposite")


@pytest.mark.parametrize("top", ["first", "last", "none", None])
def test_both_ends_of_a_scale_are_added_up(top: Any) -> None:
    for scale in (replace(OPPOSITE, top=top), replace(OPPOSITE, top=top, ends="amount")):
        chart = stack(drawn(scale))
        assert sums(chart) == [{"Everyone": 23.0}, {"Everyone": 29.0}]
        assert {"Step 1 + Step 2", "Step 4 + Step 5"} <= {*texts(chart.svg())}


@pytest.mark.parametrize(
    "scale", [replace(OPPOSITE, points=FIVE[:3]), replace(OPPOSITE, ends=None), None]
)
def test_short_scales_and_categories_have_no_sums(scale: Scale | None) -> None:
    assert sums(stack(drawn(scale))) == []


def test_attitudes_run_to_both_sides_of_their_middle() -> None:
    parts = values_of(charts.stack(drawn(OPPOSITE)))
    places = [(each["start"], each["end"]) for each in parts]
    assert places[:5] == [(-29.5, -18.5), (-18.5, -6.5), (-6.5, 6.5), (6.5, 20.5), (20.5, 35.5)]
    assert places[5][0] > 35.5, "an answer off the scale is apart"
    assert places[5][1] - places[5][0] == pytest.approx(16)
    whole = values_of(charts.stack(drawn(OPPOSITE), diverging=False))
    assert [each["start"] for each in whole] == [0, 11, 23, 36, 50, 84]
    assert whole[5]["end"] == 100, "at the end of its stack"


def test_any_known_scale_can_run_to_both_sides_and_categories_cannot() -> None:
    parts = values_of(charts.stack(drawn(replace(OPPOSITE, ends="amount")), diverging=True))
    assert parts[0]["start"] == -29.5
    with fails(ValueError):
        charts.stack(drawn(None), diverging=True)


@pytest.mark.parametrize("columns", ["Gender", ["Gender", "Age"], None])
def test_values_are_those_of_the_frame_and_sums_those_of_top_box(
    client: al.Client, columns: Any
) -> None:
    table, question = client.crosstab(OPINION, columns), client[OPINION]
    chart, frame = stack(table), table.to_frame()
    for each in values_of(chart):
        line = frame.iloc[int(each["line"])]
        assert line["column_percentage"] == each["share"]
        assert line["row"] == each["answer"]
    boxes = client.crosstab([question.bottom_box(2), question.top_box(2)], columns)
    assert [[*each.values()] for each in sums(chart)] == [
        pytest.approx(each.tolist()) for each in boxes.values("column_percentage")
    ]


def test_a_grid_by_columns_is_drawn_by_item_with_the_largest_sum_first(client: al.Client) -> None:
    table = client.crosstab("Trust in sources", "Gender")
    chart = stacks(table, chart_plan(table), ChartOptions())
    tops = [*sums(chart)[1].values()]
    frame = table.to_frame()
    firsts = [tops[at] for at in range(0, len(tops), 3)]
    assert firsts == sorted(firsts, reverse=True)
    for each in values_of(chart):
        assert frame.iloc[int(each["line"])]["column_percentage"] == each["share"]
    asked = [each["stack"] for each in values_of(stack(table))]
    assert asked[0].startswith("Public broadcasters")


def test_items_of_a_german_grid_have_the_sums_of_both_ends(agency: al.Client) -> None:
    table = agency.crosstab("f10", "geschlecht")
    chart = stacks(table, chart_plan(table), ChartOptions())
    assert "Everyone in the base" in subtitle(chart)
    boxes = [agency["f10"].bottom_box(2), agency["f10"].top_box(2)]
    for found, rows in zip(sums(chart), boxes, strict=True):
        shares = agency.crosstab(list(rows)).values("column_percentage")[:, 0]
        assert sorted(found.values()) == pytest.approx(sorted(shares))
    low, high = "stimme überhaupt nicht zu + stimme nicht zu", "stimme zu + stimme voll und ganz zu"
    assert {low, high} <= {*texts(chart.svg())}
    for width in (320, 900):
        assert faults(stacks(table, chart_plan(table), ChartOptions(width=width)).to_dict()) == []


def test_stacks_are_sorted_by_the_sum_at_the_top(client: al.Client) -> None:
    chart = stack(client.grid("Trust in sources"), sort="value")
    order = chart.spec["layer"][0]["encoding"]["y"]["sort"]
    top = sums(chart)[1]
    assert [top[each] for each in order] == sorted(top.values(), reverse=True)


def test_colours_of_a_stack_follow_its_scale(client: al.Client) -> None:
    encoding = stack(client.crosstab(OPINION)).spec["layer"][0]["encoding"]
    shades = encoding["color"]["scale"]["range"]
    assert shades[2] == LIGHT.neutral
    assert (shades[0], shades[-1]) == (LIGHT.unfavourable[0], LIGHT.favourable[0])


def test_statistics_alone_do_not_stack(client: al.Client) -> None:
    with fails(ValueError):
        charts.stack(client.crosstab([client["Age"].mean()], "Gender"))
