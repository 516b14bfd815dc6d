"""Moving averages as results: figures, tests, breaks, charts and files.

Figures are counted again with pandas; tests are those of the textbook for equal weights, and those
of a crosstab on the same waves for a weighted sample.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest
from msgspec import structs
from pptx import Presentation
from scipy.stats import t

import audiencelab as al
from audiencelab.ingest import draft_codebook, from_frame
from audiencelab.ingest.codebook import CodedBreak
from audiencelab.tables import StatsResult
from tests.messages import fails

WAVES = ["Q1 2024", "Q2 2024", "Q3 2024", "Q4 2024", "Q1 2025", "Q2 2025"]
ANSWERS = ["=1+1", "ja", "nein"]
WHY = "5 points were 7"


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """Six waves of different sizes; the first answer grows."""
    rng = np.random.default_rng(17)
    wave = np.repeat(np.arange(6), [200, 260, 180, 240, 300, 220])
    draw = rng.random(len(wave))
    says = np.select([draw < 0.2 + 0.06 * wave, draw < 0.7], ANSWERS[:2], ANSWERS[2])
    return pd.DataFrame(
        {
            "wave": np.array(WAVES)[wave],
            "says": says,
            "age": rng.choice(["old", "young"], len(wave)),
            "wgt": rng.integers(2, 9, len(wave)) / 4,
        }
    )


def opened(
    people: pd.DataFrame, folder: Path, *, breaks: str = "", weight: str | None = None
) -> Any:
    book = draft_codebook(people, wave="wave", weight=weight).codebook
    codes = {each.name: each.code for each in book.waves}
    coded = (CodedBreak(codes[breaks], WHY),) if breaks else ()
    questions = [
        structs.replace(each, breaks=coded) if each.code == "says" else each
        for each in book.questions
    ]
    survey = from_frame(people, structs.replace(book, questions=tuple(questions)), folder)
    return al.connect(survey=survey, waves="all")


@pytest.fixture(scope="module")
def plain(people: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return opened(people.drop(columns="wgt"), tmp_path_factory.mktemp("plain") / "s")


@pytest.fixture(scope="module")
def broken(people: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Any:
    frame = people.drop(columns="wgt")
    return opened(frame, tmp_path_factory.mktemp("broken") / "s", breaks="Q4 2024")


@pytest.fixture(scope="module")
def weighted(people: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return opened(people, tmp_path_factory.mktemp("weighted") / "s", weight="wgt")


def trend(client: Any, **given: Any) -> StatsResult:
    return client.stats("says", splitter="waves", **given)


def counted(people: pd.DataFrame, first: int, waves: int) -> pd.Series[Any]:
    """The percentages of a window by pandas."""
    part = people[people["wave"].isin(WAVES[first : first + waves])]
    return 100 * part["says"].value_counts(normalize=True).sort_index()


def test_a_window_counts_all_people_of_its_waves(plain: Any, people: pd.DataFrame) -> None:
    windows = trend(plain).moving_average(3)
    wide = windows.to_wide()
    assert wide.columns.tolist() == [
        "Q1–Q3 2024",
        "Q2–Q4 2024",
        "Q3 2024 – Q1 2025",
        "Q4 2024 – Q2 2025",
    ]
    for at, name in enumerate(wide):
        own = counted(people, at, 3)
        np.testing.assert_allclose(wide[name].sort_index(), own, rtol=1e-12)
    changes = windows.to_wide("change")
    np.testing.assert_allclose(changes.iloc[:, 1:], wide.diff(axis=1).iloc[:, 1:], atol=1e-12)
    both = windows.to_wide(["column", "sample"])
    assert both.columns.names == ["segment", "metric"]
    assert windows.to_wide(labels=False).columns.tolist()[0] == plain.waves()[2].code
    assert repr(windows) == "<MovingAverage says: 3 datapoints × 4 windows of 3 waves>"


def test_names_of_columns_are_the_frame_and_metrics_a_table(plain: Any) -> None:
    windows = trend(plain).moving_average(3)
    frame = windows.to_frame()
    pd.testing.assert_series_equal(windows["column_percentage"], frame["column_percentage"])
    pd.testing.assert_frame_equal(windows["column"], windows.to_wide("column"))
    pd.testing.assert_frame_equal(windows.pivot(index="segment"), windows.to_wide())
    with fails(ValueError):
        windows.to_wide("index")


def score_error(people: pd.DataFrame, answer: str, one: list[str], other: list[str]) -> float:
    """The standard error of a difference of two windows, waves being strata, by its definition."""
    says, wave = (people["says"] == answer).to_numpy(float), people["wave"]
    first, second = wave.isin(one).to_numpy(float), wave.isin(other).to_numpy(float)
    sizes = first.sum(), second.sum()
    shares = says @ first / sizes[0], says @ second / sizes[1]
    pooled = (says @ first + says @ second) / sum(sizes)
    part = np.maximum(first, second) > 0
    spread = np.mean((says[part] - pooled) ** 2)
    alone = spread * np.sum((first / sizes[0] - second / sizes[1]) ** 2)
    parts = first * (says - shares[0]) / sizes[0] - second * (says - shares[1]) / sizes[1]
    of_design = sum(
        len(each) * np.var(each, ddof=1) for each in (parts[wave == name] for name in WAVES)
    )
    return float(np.sqrt(of_design / np.sum(parts**2) * alone))


@pytest.mark.parametrize(("vs", "lag"), [("previous wave", 1), ("previous window", 2)])
def test_a_simple_sample_is_tested_by_its_own_respondents(
    plain: Any, people: pd.DataFrame, vs: Any, lag: int
) -> None:
    codes = trend(plain).segments
    found = trend(plain).moving_average(2).test(vs).to_frame()
    for line in found[found["datapoint_label"] == "ja"].to_dict("records"):
        at = codes.index(line["wave"])
        one, other = WAVES[at - 1 : at + 1], WAVES[at - 1 - lag : at + 1 - lag]
        shares = [counted(people, WAVES.index(each[0]), 2)["ja"] for each in (one, other)]
        error = 100 * score_error(people, "ja", one, other)
        assert line["difference"] == pytest.approx(shares[0] - shares[1])
        assert line["standard_error"] == pytest.approx(error, rel=1e-9)
        z = abs(line["difference"]) / error
        assert line["p"] == pytest.approx(2 * t.sf(z, line["degrees_of_freedom"]), rel=1e-6)


def test_a_weighted_sample_is_tested_as_columns_on_its_waves(weighted: Any) -> None:
    stats = trend(weighted)
    codes = stats.segments
    columns = [al.Q("waves").any(*codes[at : at + 2]).named(f"{at}") for at in range(5)]
    pairs = weighted.crosstab("says", columns).test().to_frame().to_dict("records")
    known = {(each["row"], each["column"], each["other"]): each for each in pairs}
    for vs, lag in (("previous wave", 1), ("previous window", 2)):
        for line in stats.moving_average(2).test(vs).to_frame().to_dict("records"):
            at = codes.index(line["wave"]) - 1
            other = known[line["datapoint_label"], f"{at - lag}", f"{at}"]
            assert line["standard_error"] == pytest.approx(other["standard_error"], rel=1e-9)
            assert line["p"] == pytest.approx(other["p"], rel=1e-6)


def test_changes_in_the_frame_are_those_of_the_test(weighted: Any) -> None:
    windows = trend(weighted, audiences="age").moving_average(2)
    frame = windows.to_frame().dropna(subset="change")
    tests = windows.test(min_base=0).to_frame().set_index(["datapoint", "column_id"])
    keys = [
        (line["datapoint"], f"{line['segment']} {line['audience']}")
        for line in frame.to_dict("records")
    ]
    own = tests.loc[keys]
    np.testing.assert_allclose(frame["change"], own["difference"], atol=1e-9)
    np.testing.assert_allclose(frame["change_se"], own["standard_error"], rtol=1e-9)
    np.testing.assert_allclose(frame["change_p"], own["p"], rtol=1e-6)
    assert windows.test().to_wide().shape == (3, 10)


def test_options_of_tests(plain: Any) -> None:
    windows = trend(plain).moving_average(2)
    assert windows.test(min_base=10_000).to_frame()["p"].isna().all()
    corrected = windows.test(correction="holm").to_frame()
    assert (corrected["p_adjusted"] >= corrected["p"]).all()
    with fails(ValueError):
        windows.test(vs="rest")  # type: ignore[arg-type]  # as typed
    with fails(TypeError):
        windows.test(design=1.5)  # type: ignore[call-arg]  # as of a crosstab


# -- breaks ---------------------------------------------------------------------------------------


def test_a_window_that_holds_a_break_has_no_figure_and_a_reason(
    broken: Any, people: pd.DataFrame
) -> None:
    windows = trend(broken).moving_average(2)
    frame = windows.to_frame().groupby("segment", sort=False)
    assert frame["column_percentage"].count().tolist() == [0, 3, 3, 0, 3, 3]
    notes = frame["note"].first().tolist()
    assert notes[3] == f"break at Q4 2024: {WHY}"
    np.testing.assert_allclose(
        windows["column"]["Q4 2024 – Q1 2025"].sort_index(), counted(people, 3, 2)
    )
    # The window after the first one behind a break has a window to be compared with.
    assert frame["change"].count().tolist() == [0, 0, 3, 0, 0, 3]
    whole = trend(broken).moving_average(2, across_breaks=True)
    assert whole["column_percentage"].count() == 15


def test_no_mark_is_across_a_break(broken: Any) -> None:
    windows = trend(broken).moving_average(2)
    tests = windows.test("previous window").to_frame().groupby("wave", sort=False)
    assert tests["p"].count().tolist() == [0, 0, 0]
    assert f"break at Q4 2024: {WHY}" in tests["note"].first().tolist()
    across = windows.test("previous window", across_breaks=True).to_frame()
    assert across["p"].count() == 3


def test_a_line_is_interrupted_at_a_break(broken: Any, plain: Any) -> None:
    chart = al.charts.trend(trend(broken)).to_dict()
    lines = [each for each in chart["layer"] if each["mark"]["type"] == "line"]
    assert [each["encoding"]["detail"]["field"] for each in lines] == ["part"]
    rows = max(chart["datasets"].values(), key=len)
    assert {each["wave"] for each in rows if each["part"] == 1} == set(WAVES[3:])
    words = f"says: waves before Q4 2024 do not compare with those since ({WHY})."
    assert words in chart["title"]["subtitle"]
    assert "detail" not in str(al.charts.trend(trend(plain)).to_dict())
    windows = trend(broken).moving_average(2).chart.trend().to_dict()
    assert words in windows["title"]["subtitle"]
    bridged = trend(broken).moving_average(2, across_breaks=True).chart.trend().to_dict()
    assert "also across breaks" in bridged["title"]["subtitle"][0]
    assert "detail" not in str(bridged)


# -- charts and files -----------------------------------------------------------------------------


def test_a_chart_has_windows_bands_and_single_waves(plain: Any) -> None:
    windows = trend(plain).moving_average(3)
    chart = windows.chart.trend()
    assert chart.svg().startswith("<svg")
    rows = max(chart.to_dict()["datasets"].values(), key=len)
    last = next(each for each in rows if each["series"] == "ja" and each["wave"] == WAVES[-1])
    own = windows.to_frame().set_index(["datapoint_label", "segment_label"]).loc["ja", WAVES[-1]]
    assert last["value"] == pytest.approx(own["column_percentage"])
    assert last["low"] == pytest.approx(own["column_percentage_low"])
    assert last["single"] == pytest.approx(trend(plain)["column"].loc["ja", WAVES[-1]])
    narrow = str(windows.chart.trend(intervals=0.8).to_dict()["title"])
    assert "bands: 80% intervals" in narrow
    assert "bands" not in str(windows.chart.trend(intervals=False).to_dict()["title"])
    with fails(ValueError):
        windows.chart.trend("index")


def test_files_hold_the_percentages_and_changes(plain: Any, tmp_path: Path) -> None:
    windows = trend(plain).moving_average(3)
    windows.to_excel(tmp_path / "w.xlsx", letters=True)
    sheet = openpyxl.load_workbook(tmp_path / "w.xlsx")["Table"]
    rows = {row[0]: row for row in sheet.iter_rows(values_only=True) if row[0] in ANSWERS}
    shares, changes = windows["column"], windows.to_wide("change")
    for answer in ANSWERS:
        numbers = [each for each in rows[answer] if isinstance(each, float)]
        expected = np.column_stack([shares.loc[answer], changes.loc[answer]]).ravel()
        np.testing.assert_allclose(numbers, expected[~np.isnan(expected)])
    page = windows.to_html()
    assert "Q3 2024 – Q1 2025" in page
    assert "Moving average of 3 waves" in page
    assert f"{changes.loc['ja'].iloc[-1]:+.1f}".replace("-", "−") in page
    assert "Q1–Q3 2024" in windows.to_markdown(metrics=["column"])
    windows.test().to_pptx(tmp_path / "w.pptx", chart="line")
    deck: Any = Presentation(str(tmp_path / "w.pptx"))
    plot = next(each for each in deck.slides[0].shapes if each.has_chart).chart.plots[0]
    assert list(plot.series[0].values) == pytest.approx(shares.iloc[0].tolist())
    assert list(plot.categories) == list(shares)
    assert len((windows.to_csv() or "").splitlines()) == 19
    again = pickle.loads(pickle.dumps(windows))
    pd.testing.assert_frame_equal(again.to_frame(), windows.to_frame())
    assert "Moving average" in windows._repr_html_()
