"""Groups made by a service are audiences that hold what they say they hold."""

from __future__ import annotations

import pytest

from audiencelab.analysis.disjointness import OverlappingAnswers
from audiencelab.client import Client, connect
from audiencelab.expressions import Q
from tests.messages import fails


def test_the_audiences_hold_what_the_frame_says() -> None:
    with connect() as client:
        women = Q("q2").any("q2_2")
        waves = ["q3_2025", "q4_2025"]
        groups = client.quantile_groups("q14", 3, base_audience=women, waves=waves)
        table = client.crosstab(rows=groups, base_audience=women, waves=waves)
        frame = groups.to_frame()
        assert table.row_values("row_sample").tolist() == frame["sample"].tolist()
        assert table.row_values("row_size").tolist() == pytest.approx(frame["size"].tolist())
        assert frame.attrs["waves"] == waves
        assert [row.name for row in table.rows] == ["Lower third", "Middle third", "Upper third"]


def test_midpoints_come_from_the_catalogue(client: Client) -> None:
    groups = client.quantile_groups("q4", 2, disjoint=True)
    assert groups.answers == (("16 to 24",), ("25 to 34",))
    assert "in the order of their midpoints" in groups.method_note
    assert "no midpoints" in client.quantile_groups("q2", 2).method_note


def test_a_question_of_several_answers_cannot_be_grouped(client: Client) -> None:
    with pytest.raises(OverlappingAnswers):
        client.quantile_groups("sport.q9", 2)
    with fails(TypeError):
        client.quantile_groups("q4", 2, ["q4_2023"])  # type: ignore[call-arg]  # that is the point
