"""Columns that are waves, each against the same one a wave before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.analysis.options import Versus
from audiencelab.cli import main
from audiencelab.expressions import Q
from audiencelab.render.html import comparison_card
from audiencelab.results.who_counts import notes
from tests.analysis.waves import TRUST, opened, respondents
from tests.messages import fails

pptx: Any = pytest.importorskip("pptx")

FIGURES = [
    *("percentage", "other_percentage", "difference", "standard_error", "z", "p", "p_adjusted"),
    *("degrees_of_freedom", "level"),
]


OPTIONS: list[Any] = [
    {},
    {"correction": "holm", "levels": 0.9, "pooled": False},
    {"design": 1.4, "family": "table", "correction": "fdr"},
    {"degrees_of_freedom": "pair", "zero_or_full": "skip"},
]


def test_waves_as_columns_have_the_tests_of_a_trend_to_the_last_bit() -> None:
    client = opened("")
    table, by_waves = (client.crosstab("bought", each) for each in (["waves", "gender"], "waves"))
    trend = client.trend("bought")
    for options in OPTIONS:
        expected, found = (each.test(vs="previous wave", **options) for each in (trend, table))
        known = [each for each in FIGURES if each in expected.to_frame()]
        np.testing.assert_array_equal(
            found.to_frame()[known].to_numpy(float), expected.to_frame()[known].to_numpy(float)
        )
        assert found.marks()[:, :4].tolist() == expected.marks().tolist()
        # Gender is no wave.
        assert (found.marks()[:, 4:] == "").all()
        assert "columns other than waves not tested" in found.method_note
        note = by_waves.test(vs="previous wave", **options).method_note
        assert note == expected.method_note.replace("audience percentages", "column percentages")


# -- nested banners, and tables without waves ------------------------------------------------------


def test_a_nested_banner_compares_each_column_with_itself() -> None:
    client = opened()
    inner = client.crosstab("bought", al.nest("gender", "waves"))
    outer = client.crosstab("bought", al.nest("waves", "gender"))
    women = client.crosstab("bought", "waves", base_audience=client["gender"] == "Women")
    of_women = women.test(vs="previous wave").to_frame()
    for frame in (
        inner.test(vs="previous wave").to_frame().query("column_group == 'Women'"),
        outer.test(vs="previous wave").to_frame().query("column == 'Women'"),
    ):
        np.testing.assert_allclose(frame["p"], of_women["p"], rtol=1e-9)
        assert frame["difference"].tolist() == pytest.approx(
            of_women["difference"].tolist(), rel=1e-9, nan_ok=True
        )
    # Wave 2 did not ask: wave 3 is compared with wave 1.
    line = of_women.query("column == 'wave 3' and row == 'Yes'").iloc[0]
    assert line["other"] == "wave 1"
    lines: Any = respondents().query("gender == 'Women'")
    shares = [
        100 * np.average(of_wave["bought"] == "Yes", weights=of_wave["wgt"])
        for _, of_wave in lines[lines["wave"].isin([1, 3])].groupby("wave")
    ]
    assert line["difference"] == pytest.approx(shares[1] - shares[0], rel=1e-9)


def test_waves_are_in_the_order_of_their_dates() -> None:
    client = opened()
    [*first, last] = [Q("waves").any(each.code).named(each.name) for each in client.waves()]
    frame = client.crosstab("gender", [last, *first]).test(vs="previous wave").to_frame()
    pairs = frame[["column", "other"]].drop_duplicates().to_numpy().tolist()
    assert pairs == [["wave 4", "wave 3"], ["wave 2", "wave 1"], ["wave 3", "wave 2"]]


def test_two_groups_of_the_same_waves_are_compared_within_each() -> None:
    table = opened().crosstab("gender", {"A": "waves", "B": "waves"})
    frame = table.test(vs="previous wave").to_frame()
    assert frame["column_group"].str[0].tolist() == frame["other_group"].str[0].tolist()


def test_options_and_rows_of_statistics_and_nets() -> None:
    client = opened()
    table = client.crosstab(["gender", client["rated"].nps()], "waves").nets({"Both": ["Women"]})
    found = table.test(vs="previous wave", nets=["wave 3"], min_base=500)
    frame = found.to_frame()
    assert set(frame["column"]) == {"wave 2"}
    assert frame["note"].unique().tolist() == ["base under 500"]
    assert "Both" in frame["row"].tolist()
    assert "rated: NPS" in frame["row"].tolist()


def test_a_table_without_waves_says_what_to_write() -> None:
    table = opened().crosstab("bought", ["gender", "trust"])
    with fails(ValueError):
        table.test(vs="previous wave")
    with fails(ValueError):
        opened().crosstab("bought", "waves").test(vs="previous wave", overlap=table)


# -- breaks ----------------------------------------------------------------------------------------

WAVES_COMPARED: tuple[Versus, ...] = ("previous wave", "columns")
BROKEN = "break at wave 3: 5 points were 7"


def crossing(frame: pd.DataFrame, column: str, other: str) -> pd.DataFrame:
    """The tests of a wave of 1 and 2 against one of 3 and 4, of the question with the break."""
    sides = [frame[each].str[-1].isin(["1", "2"]) for each in (column, other)]
    return frame[(sides[0] != sides[1]) & frame["row"].isin(TRUST)]


def test_no_letter_and_no_arrow_across_a_break() -> None:
    table = opened().crosstab(["trust", "gender"], "waves")
    known = opened("").crosstab(["trust", "gender"], "waves")
    for vs in WAVES_COMPARED:
        found, frame = table.test(vs=vs), table.test(vs=vs).to_frame()
        across = crossing(frame, "column", "other")
        assert across["note"].unique().tolist() == [BROKEN]
        assert across["difference"].notna().all()
        assert across[["z", "p", "level"]].isna().all(axis=None)
        assert "differences across breaks not tested" in found.method_note
        rest = frame.drop(across.index)
        pd.testing.assert_frame_equal(
            rest.drop(columns=["p_adjusted"]),
            known.test(vs=vs).to_frame().drop(across.index).drop(columns=["p_adjusted"]),
        )
        all_the_same = table.test(vs=vs, across_breaks=True)
        assert "differences across breaks tested as others" in all_the_same.method_note
        tested = all_the_same.to_frame()
        figures = list(tested.columns.drop("note"))
        pd.testing.assert_frame_equal(tested[figures], known.test(vs=vs).to_frame()[figures])
        assert crossing(tested, "column", "other")["note"].unique().tolist() == [BROKEN]
    assert "trust: waves before wave 3 do not compare with those since (5 points were 7)." in notes(
        table
    )


@pytest.mark.parametrize("vs", ["rest", "total"])
def test_no_arrow_against_waves_on_both_sides(vs: Any) -> None:
    table = opened().crosstab(["trust", "gender"], ["waves", "gender"])
    frame = table.test(vs=vs).to_frame()
    broken = frame["row"].isin(TRUST) & frame["column"].str.startswith("wave")
    assert frame["note"][broken].unique().tolist() == [BROKEN]
    # Women and men are compared over all waves, which both have.
    assert (frame["note"][~broken] == "").all()
    tested = table.test(vs=vs, across_breaks=True).to_frame()
    known = opened("").crosstab(["trust", "gender"], ["waves", "gender"]).test(vs=vs).to_frame()
    assert tested["p"].equals(known["p"])
    since = opened().crosstab("trust", "waves", waves=["wave_3", "wave_4"]).test(vs=vs).to_frame()
    assert (since["note"] == "").all()


def test_a_break_of_the_columns_question_is_one_too() -> None:
    table = opened("gender").crosstab("bought", al.nest("gender", "waves"))
    frame = table.test(vs="previous wave").to_frame()
    assert frame.query("column == 'wave 3'")["note"].unique().tolist() == [BROKEN]
    of_women = opened("gender").crosstab("bought", "waves", base_audience=Q("gender").any("Women"))
    found = of_women.test(vs="previous wave").to_frame()
    assert found.query("column == 'wave 3'")["note"].unique().tolist() == [BROKEN]


def test_trends_and_their_means_have_no_mark_across_a_break() -> None:
    trend = opened().trend("trust")
    for vs in WAVES_COMPARED:
        frame = trend.test(vs=vs).to_frame().rename(columns={"datapoint_label": "row"})
        names = ("wave_label", "previous_label") if vs == "previous wave" else ("column", "other")
        across = crossing(frame, *names)
        assert len(across) == len(TRUST) * (1 if vs == "previous wave" else 4)
        assert across["note"].unique().tolist() == [BROKEN]
        assert across["p"].isna().all()
        assert frame.drop(across.index)["p"].notna().all()
        assert trend.test(vs=vs, across_breaks=True).to_frame()["p"].notna().all()
    amounts = {name: float(at) for at, name in enumerate(TRUST)}
    for vs, count in zip(WAVES_COMPARED, (1, 4), strict=True):
        means = trend.test(vs=vs, midpoints=amounts).to_frame()
        assert (means["note"] == BROKEN).sum() == count
    assert "trust: waves before wave 3 do not compare with those since (5 points were 7)." in notes(
        trend
    )


def test_statistics_have_no_mark_across_a_break() -> None:
    client = opened("rated")
    table = client.crosstab([client["rated"].nps(), client["rated"].percentile(90)], "waves")
    for vs, count in zip(WAVES_COMPARED, (2, 8), strict=True):
        frame = table.test(vs=vs).to_frame()
        assert (frame["note"] == BROKEN).sum() == count
        assert frame["p"][frame["note"] == BROKEN].isna().all()


def test_breaks_are_known_over_http_and_to_a_snapshot(tmp_path: Path) -> None:
    def asked(client: al.Client) -> list[pd.DataFrame]:
        table = client.crosstab("trust", "waves")
        trend = client.trend("trust")
        return [each.test(vs="previous wave").to_frame() for each in (table, trend)]

    expected, file = asked(opened()), tmp_path / "recorded"
    assert (expected[0]["note"] == BROKEN).any()
    survey = opened().service.survey
    with (
        al.serve(survey, token="t") as url,
        al.connect(url, token="t") as remote,
        remote.recording(file),
    ):
        for one, other in zip(asked(remote), expected, strict=True):
            pd.testing.assert_frame_equal(one, other)
    with al.connect(snapshot=file) as replayed:
        for one, other in zip(asked(replayed), expected, strict=True):
            pd.testing.assert_frame_equal(one, other)


# -- files -----------------------------------------------------------------------------------------


def test_every_form_has_the_arrows(tmp_path: Path) -> None:
    tested = opened().crosstab("bought", "waves").test(vs="previous wave")
    arrows = {each for each in tested.marks().ravel().tolist() if each}
    assert arrows == {"▲", "▼"}
    for text in (tested.to_html() or "", tested.to_markdown() or "", str(comparison_card(tested))):
        # Once in the legend, and at least once in a cell.
        assert all(text.count(each) > 1 for each in arrows)
    assert (tested.to_latex() or "").count(r"\blacktriangle") > 2
    tested.to_excel(tmp_path / "t.xlsx")
    [sheet, *_] = openpyxl.load_workbook(tmp_path / "t.xlsx").worksheets
    assert arrows <= {str(cell.value) for row in sheet.iter_rows() for cell in row}
    tested.to_pptx(tmp_path / "t.pptx", chart=None)
    [slide] = pptx.Presentation(tmp_path / "t.pptx").slides
    [table] = [shape.table for shape in slide.shapes if shape.has_table]
    written = " ".join(cell.text for cell in table.iter_cells())
    assert all(each in written for each in arrows)


def test_a_tab_book_marks_waves_and_says_where_there_are_none() -> None:
    client = opened()
    page = client.tab_book(["waves", "gender"], ["bought", "trust"]).to_html(vs="previous wave")
    assert page.count("▲") > 2
    assert "waves before wave 3 do not compare" in page
    without = client.tab_book("gender", ["bought"]).to_html(vs="previous wave")
    assert "▲" not in without.partition("</h1>")[2]
    assert "Not tested against the wave before: no column is one wave." in without


def test_the_command_line_tests_waves(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--rows", "Finding brands", "--columns", "waves", "--waves", "latest 2"]
    assert main(["crosstab", *options, "--test", "previous wave"]) == 0
    assert "each wave against the one before it that asked" in capsys.readouterr().out
