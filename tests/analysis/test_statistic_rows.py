"""Tables with rows of means and scores: intervals, tests, files and charts of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from pptx import Presentation
from scipy import stats

import audiencelab as al
from audiencelab.tables import TabBook
from tests.charts.samples import values_of
from tests.messages import fails

AMOUNTS = {"Much better": 10.0, "A little better": 9.0, "About the same": 8.0, "Much worse": 0.0}


@pytest.fixture(scope="module")
def client() -> Iterator[al.Client]:
    with al.connect(waves="latest 1") as client:
        yield client


@pytest.fixture(scope="module")
def means(client: al.Client) -> Any:
    """A table of statistics alone."""
    return client.crosstab([client["Age"].mean()], "Gender")


@pytest.fixture(scope="module")
def mixed(client: al.Client) -> Any:
    nps = client["The year ahead"].nps(amounts=AMOUNTS)
    return client.crosstab(["Pets", client["Age"].mean(), client["Age"].median(), nps], "Gender")


def shapes_of(file: Path) -> list[Any]:
    deck: Any = Presentation(str(file))
    return [shape for slide in deck.slides for shape in slide.shapes]


def test_a_table_of_means_alone_has_them_in_its_title(means: Any, mixed: Any) -> None:
    assert means.to_markdown().startswith("**Age: mean by Gender**")
    assert "Age: mean by Gender" in means.to_html()
    assert means.chart.bar().to_dict()["title"]["text"] == "Age: mean by Gender"
    assert mixed.chart.bar("mean").to_dict()["title"]["text"] == "Age: mean by Gender"
    assert mixed.to_markdown().startswith("**Pets by Gender**")


def test_the_note_of_a_test_of_means_alone_says_nothing_of_shares(means: Any, mixed: Any) -> None:
    assert "column percentages" not in str(means.test())
    assert "column percentages" in str(mixed.test())
    page = TabBook({"Age": means}, {}).to_html()
    assert "column percentages" not in page
    assert "A letter marks a significantly larger value" in page


def test_degrees_of_freedom_are_those_of_tests_that_are_made(client: al.Client) -> None:
    women = client["Gender"] == "Female"
    table = client.crosstab("Pets", "Gender", base_audience=women.named("Women"))
    note = table.test(vs="rest").method_note
    assert note.startswith("Two-sided t test of column percentages"), "no column has a rest"


@pytest.mark.parametrize("design", ["auto", None, 1.5])
def test_means_and_scores_have_intervals_and_shares_keep_theirs(
    design: Any, mixed: Any, client: al.Client
) -> None:
    frame = mixed.intervals(design=design)
    rows = mixed.statistics
    if design == "auto":
        error = rows.values("standard_error")
        freedom = np.array([np.diagonal(each)[1:] for each in rows.freedom])
    else:
        people = rows.values("answered_sample")
        spread = rows.values("standard_deviation") * np.sqrt((people - 1) / people)
        error = spread * np.sqrt((design or 1) / people)
        freedom = people - 1
    half = error * stats.t.ppf(0.975, freedom)
    found = frame[frame["statistic"] != ""]
    expected = np.array([rows.values("value") - half, rows.values("value") + half])
    medians = [row.kind == "percentile" for row in rows.rows]
    expected[:, medians] = rows.ends[:, medians, 1:] if design == "auto" else np.nan
    given = [found["value_low"].to_numpy(), found["value_high"].to_numpy()]
    np.testing.assert_allclose(given, expected.reshape(2, -1), rtol=1e-12)
    words = "percentiles by Woodruff's" if design == "auto" else "no interval of Age: median."
    assert words in frame.attrs["method_note"]
    shares = frame[frame["statistic"] == ""].filter(regex="percentage_|index_")
    plain = client.crosstab("Pets", "Gender").intervals(design=design)
    np.testing.assert_array_equal(shares, plain[[*shares]])


def test_several_design_effects_are_of_shares(mixed: Any) -> None:
    frame = mixed.intervals(design=[1.1, 1.2, 1.3])
    assert frame["value_low"].isna().all()
    assert frame["column_percentage_low"].notna().any()


def test_tests_of_means_are_listed_and_counted(means: Any, mixed: Any) -> None:
    compared = means.test(min_base=0)
    frame = compared.to_frame()
    assert frame["mean"].round(1).tolist() == [45.0, 45.0, 44.9]
    assert frame["p"].notna().all()
    found = int((frame["p"] < 0.1).sum())
    for text in (repr(compared), compared._repr_html_()):
        assert f"{found} of 3 tests significant" in text
    both = mixed.test()
    whole = both.to_frame()
    assert len(whole) == len(both) > len(mixed.rows) * 3
    assert set(whole.loc[whole["mean"].notna(), "row"]) == {
        "Age: mean",
        "Age: median",
        "The year ahead: NPS",
    }
    assert f"{(whole['level'] > 0).sum()} of {len(whole)} tests" in repr(both)


def in_excel(table: Any, folder: Path) -> str:
    table.to_excel(folder / "a.xlsx")
    sheet: Any = openpyxl.load_workbook(folder / "a.xlsx").worksheets[0]
    return "\n".join(str(row[0]) for row in sheet.iter_rows(values_only=True))


def slide_texts(table: Any, folder: Path) -> str:
    table.to_pptx(folder / "a.pptx")
    grids = [each.table for each in shapes_of(folder / "a.pptx") if each.has_table]
    return "\n".join(row.cells[0].text for grid in grids for row in grid.rows)


def in_wide(table: Any, folder: Path) -> str:
    return "\n".join(map(str, [*table.to_wide().index, *table.test().to_wide().index]))


def in_text(table: Any, folder: Path) -> str:
    return f"{table.to_markdown()}{table.to_latex()}".replace("|  | All |", "").replace(
        "& All &", ""
    )


@pytest.mark.parametrize("rows", [in_text, in_wide, in_excel, slide_texts])
def test_a_table_of_statistics_alone_has_no_row_of_everyone(
    rows: Callable[[Any, Path], str], means: Any, tmp_path: Path
) -> None:
    text = rows(means, tmp_path)
    assert "Age: mean" in text
    assert "All" not in text
    assert "100.0" not in text


def test_charts_draw_means_on_an_axis_of_their_own(
    means: Any, mixed: Any, client: al.Client
) -> None:
    expected = means.statistics.values("value")[0].tolist()
    for kind in ("bar", "dots", "heatmap"):
        for table in (means, mixed):
            chart = getattr(table.chart, kind)(None if table is means else "mean")
            assert [each["value"] for each in values_of(chart)] == expected
            assert "Mean" in chart.to_dict()["title"]["subtitle"][0]
    drawn = means.chart.bar(intervals=0.9)
    frame = means.intervals(0.9)
    assert [each["low"] for each in values_of(drawn)] == frame["value_low"].dropna().tolist()
    assert "90% intervals, by the sample's design" in drawn.to_dict()["title"]["subtitle"][0]
    below: Any = client.crosstab(
        [client["Age"].nps(amounts={"16 to 17": 10, "65 and over": 0})], "Gender"
    )
    low, _ = below.chart.bar().to_dict()["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert low < min(below.statistics.values("value")[0]) < 0


def test_charts_of_shares_refuse_statistics(means: Any, client: al.Client) -> None:
    with fails(ValueError):
        means.chart.bar("column")
    two = client.crosstab([client["Age"].mean(), client["Age"].sum()], "Gender")
    with fails(ValueError):
        two.chart.dots()
    with fails(ValueError):
        al.charts.profile(means, "Female")
    with fails(ValueError):
        means.to_pptx("never.pptx", chart="stack")


def test_a_slide_of_a_mean_has_a_bar_for_each_column(means: Any, tmp_path: Path) -> None:
    means.to_pptx(tmp_path / "a.pptx")
    [plot] = [each.chart.plots[0] for each in shapes_of(tmp_path / "a.pptx") if each.has_chart]
    assert list(plot.categories)[:2] == ["Male", "Female"]
    [series] = plot.series
    assert series.name == "Age: mean"
    assert list(series.values) == pytest.approx(means.statistics.values("value")[0].tolist())
