"""A chart's calculation as a frame and as HTML: failures stand beside figures, never dropped."""

from __future__ import annotations

from typing import Any

from audiencelab.results.stats import STATS_FIGURES
from audiencelab.schema import CalcAttribute, CalcData, StatsGroup
from audiencelab.tables import ChartCalculationResult
from tests.results.samples import HOSTILE, metrics


def attribute(datapoint: str = "q1_1", **more: str) -> CalcAttribute:
    labels = {"question_label": "Drinks", "datapoint_label": "Tea"}
    return CalcAttribute(question_code="q1", datapoint_code=datapoint, **labels | more)  # pyright: ignore[reportArgumentType] -- labels only


def group(number: int = 0, *data: CalcData, **more: Any) -> StatsGroup:
    attributes = more.pop("attributes", [attribute()])
    return StatsGroup(group_id=number, attributes=attributes, data=list(data), **more)


def figures(**more: Any) -> CalcData:
    return CalcData(more.pop("metrics", metrics()), waves=more.pop("waves", ["q1_2024"]), **more)


def failed(number: int = 1, **more: Any) -> StatsGroup:
    return group(number, code=404, error="Unknown datapoint.", error_type="not_found", **more)


def result(*groups: StatsGroup, **more: Any) -> ChartCalculationResult:
    return ChartCalculationResult("c-1", groups, **more)


def test_the_columns_are_these_in_this_order() -> None:
    frame = result(group(0, figures(segment="q1_2024", audience="a-1"))).to_frame()
    rows = ["question", "question_label", "datapoint", "datapoint_label", "suffix", "suffix_label"]
    split = ["segment", "segment_label", "audience", "audience_name"]
    last = ["waves", *STATS_FIGURES, "code", "error_type", "note"]
    assert frame.columns.tolist() == ["group_id", *rows, *split, *last]
    bare = result(group(0, figures())).to_frame()
    assert bare.columns.tolist() == ["group_id", *rows, *last]


def test_each_attribute_audience_and_segment_has_a_line() -> None:
    data = [
        figures(audience=audience, segment=wave, metrics=metrics(100.0 * place))
        for place, (audience, wave) in enumerate(
            (a, w) for a in ("a-1", "a-2") for w in ("q1_2024", "q2_2024")
        )
    ]
    frame = result(
        group(0, *data),
        audiences={"a-1": "Young"},
        segments={"q1_2024": "Q1 2024"},
        provenance={"chart": "c-1"},
    ).to_frame()
    assert frame["audience_name"].tolist() == ["Young", "Young", "a-2", "a-2"]
    assert frame["segment_label"].tolist() == ["Q1 2024", "q2_2024"] * 2
    assert frame["size"].tolist() == [0, 100, 200, 300]
    assert frame["datapoint_label"].tolist() == ["Tea"] * 4
    assert frame.attrs == {"chart": "c-1"}


def test_a_failed_group_is_a_line_that_says_why_and_holds_no_figure() -> None:
    asked = result(group(0, figures()), failed(attributes=[attribute("q1_9", datapoint_label="")]))
    frame = asked.to_frame()
    assert frame["group_id"].tolist() == [0, 1]
    assert frame["code"].tolist() == [200, 404]
    assert frame["error_type"].tolist() == ["", "not_found"]
    assert frame["note"].tolist() == ["", "Unknown datapoint."]
    assert frame.loc[1, list(STATS_FIGURES)].isna().all()
    assert frame["datapoint"].tolist() == ["q1_1", "q1_9"]
    assert [each.group_id for each in asked.failures] == [1]
    assert not asked.complete


def test_a_failure_is_seen_however_it_is_told() -> None:
    told = [
        group(0, code=403),
        group(1, error_type="incompatible_waves"),
        group(2, error="No."),
        group(3, error="", error_type=None),
    ]
    assert [each.group_id for each in result(*told).failures] == [0, 1, 2]
    assert result(*told).to_frame()["note"].tolist()[:3] == [
        "failed with code 403",
        "incompatible waves",
        "No.",
    ]


def test_attributes_that_share_a_group_are_named_together() -> None:
    shared = group(
        0, figures(), attributes=[attribute(), attribute("q1_2", datapoint_label="Milk")]
    )
    frame = result(shared).to_frame()
    assert frame["question"].tolist() == ["q1"]
    assert frame["datapoint"].tolist() == ["q1_1, q1_2"]
    assert frame["datapoint_label"].tolist() == ["Tea, Milk"]


def test_a_question_of_another_namespace_is_told_by_its_full_code() -> None:
    frame = result(
        group(0, figures(), attributes=[attribute(namespace_code="core")]),
        group(1, figures(), attributes=[attribute(namespace_code="sport", question_label="Sport")]),
    ).to_frame()
    assert frame["question"].tolist() == ["q1", "sport.q1"]
    assert frame["question_label"].tolist() == ["Drinks", "Sport"]


def test_nothing_is_a_frame_too() -> None:
    assert len(result().to_frame()) == 0
    assert result().complete


def test_it_shows_itself_short_and_escaped() -> None:
    asked = result(
        group(0, figures(), attributes=[attribute(datapoint_label=HOSTILE)]),
        failed(),
        name="Media",
    )
    assert (
        repr(asked)
        == "<ChartCalculationResult 'Media' c-1: 2 groups, 1 of them failed, wave: Q1 2024>"
    )
    html = asked._repr_html_()
    assert "2 groups · 1 failed" in html
    assert "Unknown datapoint." in html
    assert "<script" not in html
    assert "Suffix" not in html
