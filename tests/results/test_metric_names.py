"""One vocabulary of metrics names the same number in crosstabs and in stats results."""

from __future__ import annotations

import pandas as pd
import pytest

import audiencelab as al
from audiencelab import Audience, Client, Q
from tests.messages import fails

WOMEN = Audience("Women", Q("q2").any("q2_2"))
NAMES = ["size", "sample", "column_percentage", "row_percentage", "index", "column", "row"]
WAVES = "latest 4"


@pytest.fixture(scope="module")
def client() -> Client:
    return al.connect()


@pytest.mark.parametrize("metric", NAMES)
def test_a_crosstab_and_a_stats_result_call_one_number_by_one_name(
    client: Client, metric: str
) -> None:
    table = client.crosstab("q17", WOMEN, waves=WAVES)[metric]
    stats = client.stats("q17", audiences=[WOMEN], waves=WAVES)[metric]
    assert len(table) == len(stats) > 2
    assert table["Women"].tolist() == pytest.approx(stats["Women"].tolist(), rel=1e-12)


def test_short_words_are_the_metrics_of_the_frames(client: Client) -> None:
    table = client.crosstab("q17", WOMEN)
    for word, name in (("column", "column_percentage"), ("row", "row_percentage")):
        pd.testing.assert_frame_equal(table[word], table[name])
    pd.testing.assert_frame_equal(table["total"], table["percentage"])
    pd.testing.assert_frame_equal(table["total_percentage"], table["percentage"])
    wide = client.stats("q17", audiences=[WOMEN]).to_wide(["column", "index"])
    assert list(wide["Women"]) == ["column_percentage", "index"]


def test_charts_and_pages_take_them_too(client: Client) -> None:
    stats = client.stats("q17", audiences=[WOMEN])
    table = client.crosstab("q17", WOMEN)
    for result, own in ((stats, "index"), (table, "index")):
        for kind in ("bar", "dots", "heatmap"):
            draw = getattr(result.chart, kind)
            assert draw("index").to_dict() == draw(own).to_dict()
        assert result.to_html(metrics=["index"]) == result.to_html(metrics=[own])


def test_an_unknown_metric_is_refused_with_the_known_ones(client: Client) -> None:
    for metric in ("percentage", "much"):
        with fails(ValueError):
            client.stats("q17").to_wide(metric)
