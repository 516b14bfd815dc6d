"""A page of insights: what it holds of all there are, and its frame."""

from __future__ import annotations

from audiencelab.schema import Image, Insight
from audiencelab.tables import InsightsPage
from tests.results.samples import HOSTILE

PAGE = InsightsPage(
    [
        Insight(
            7,
            "Radio",
            "Who listens",
            [Image(1, thumb_path="/a"), Image(2, is_main=True, thumb_path="/b")],
        ),
        Insight(9, HOSTILE),
    ],
    limit=2,
    offset=4,
    order="asc",
    order_by="name",
    total=11,
)


def test_a_frame_has_a_line_for_each_insight_and_its_main_picture() -> None:
    frame = PAGE.to_frame()
    assert frame.to_dict("list") == {
        "id": [7, 9],
        "name": ["Radio", HOSTILE],
        "description": ["Who listens", ""],
        "thumb_path": ["/b", ""],
    }
    assert frame.attrs == {"offset": 4, "limit": 2, "total": 11}
    assert list(InsightsPage([]).to_frame().columns) == list(frame.columns)


def test_it_says_where_in_the_whole_it_stands() -> None:
    assert repr(PAGE) == "<InsightsPage: 5 to 6 of 11>"
    assert repr(InsightsPage([], offset=40, total=11)) == "<InsightsPage: none from 41 on, of 11>"
    assert repr(InsightsPage([Insight(1)])) == "<InsightsPage: 1 to 1 of 1>"
    assert "<script" not in PAGE._repr_html_()
