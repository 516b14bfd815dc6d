"""What is made of a scale, counted again by hand: reversed codes, answers off the scale, grids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest
from pptx import Presentation

import audiencelab as al
from audiencelab import ingest
from audiencelab.results.who_counts import notes
from tests.messages import fails

SATISFIED = (
    "Very satisfied",
    "Rather satisfied",
    "Neither satisfied nor dissatisfied",
    "Rather dissatisfied",
    "Very dissatisfied",
)
CODES = dict(zip((*SATISFIED, "Don't know"), (1, 2, 3, 4, 5, 98), strict=True))
COUNT = 600


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Satisfaction with 1 as the best, a rating from 0 to 10 with 99, two items of a grid."""
    chance = np.random.default_rng(5)
    most, some = [0.3, 0.25, 0.2, 0.1, 0.05, 0.1], [0.1, 0.2, 0.3, 0.2, 0.1, 0.1]
    codes = list(CODES.values())
    made = pd.DataFrame(
        {
            "sat": chance.choice(codes, COUNT, p=most).astype(float),
            "rated": chance.choice([*range(11), 99], COUNT).astype(float),
            "item_1": chance.choice(codes, COUNT, p=some).astype(float),
            "item_2": chance.choice(codes, COUNT, p=most).astype(float),
            "g": chance.choice(["a", "b"], COUNT),
            "w": chance.choice([0.5, 1.0, 2.0], COUNT),
        }
    )
    made.loc[:30, "sat"] = np.nan
    return made


@pytest.fixture(scope="module")
def client(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("scale")
    points = [
        {"name": name, "value": code} | ({} if code == 98 else {"midpoint": code})
        for name, code in CODES.items()
    ]
    ratings = [{"name": str(at), "value": at, "midpoint": at} for at in range(11)]
    scale = {"top": "first", "ends": "opposite", "off_scale": [98]}
    codebook = {
        "weight": {"column": "w"},
        "questions": [
            {"code": "sat", "name": "Sat", "column": "sat", "datapoints": points, **scale},
            {
                "code": "rated",
                "name": "Rated",
                "column": "rated",
                "datapoints": [*ratings, {"name": "No idea", "value": 99}],
                "off_scale": [99],
            },
            {
                "code": "grid",
                "name": "Grid",
                "kind": "grid",
                "datapoints": [
                    {"name": "One", "column": "item_1"},
                    {"name": "Two", "column": "item_2"},
                ],
                "suffixes": points,
                **scale,
            },
            {"code": "g", "name": "Group", "column": "g"},
        ],
    }
    frame.to_csv(folder / "f.csv", index=False)
    parsed = ingest.parse_codebook(codebook)
    survey = ingest.import_survey(folder / "f.csv", parsed, folder / "survey")
    return al.connect(survey=survey, base_of="valid")


def share(frame: pd.DataFrame, column: str, codes: list[int], of: list[int] | None = None) -> float:
    """The weighted percentage of those who answered, or gave one of the answers `of`."""
    kept = frame[frame[column].notna() if of is None else frame[column].isin(of)]
    return 100 * kept["w"][kept[column].isin(codes)].sum() / kept["w"].sum()


def test_a_net_promoter_score_has_parts_of_the_same_respondents(
    client: Any, frame: pd.DataFrame
) -> None:
    table = client.crosstab([client["rated"].nps(parts=True), client["rated"].mean()], "g")
    kept = frame[frame["rated"] <= 10]
    names = ["promoters", "passives", "detractors", "nps"]
    for at, group in enumerate("ab"):
        part = kept[kept["g"] == group]
        parts = [share(part, "rated", each) for each in ([9, 10], [7, 8], [*range(7)])]
        score = parts[0] - parts[2]
        found = [table[name].to_numpy()[0, at] for name in names]
        np.testing.assert_allclose(found, [*parts, score], rtol=1e-12)
        assert found[0] + found[1] + found[2] == pytest.approx(100)
        assert table["answered_sample"].to_numpy()[:, at].tolist() == [len(part)] * 5
        mean = np.average(part["rated"], weights=part["w"])
        assert table["mean"].to_numpy()[0, at] == pytest.approx(mean, rel=1e-12)
    rows = [row.name for row in table.statistics.rows]
    assert rows[:4] == [f"Rated: {each}" for each in (*(f"{each} %" for each in names[:3]), "NPS")]
    left = COUNT - len(kept)
    assert f"{left} of {COUNT} respondents without one are left out of Rated: promoters %" in (
        table.to_markdown()
    )
    again = client.crosstab([al.nps("Rated", parts=True)], "g")
    assert again["promoters"].equals(table["promoters"])
    tested = table.test().statistics.to_frame()
    assert {"Rated: promoters %", "Rated: mean"} <= set(tested["row"])


def test_parts_are_rows_of_their_own_code(client: Any) -> None:
    parts = client["rated"].nps(parts=True)
    codes = [each.code for each in parts]
    assert codes[:1] + codes[3:] == ["['rated'].nps(parts=True)[0]", "['rated'].nps()"]
    first = eval(f"client{codes[0]}", {"client": client})
    assert first == parts[0]
    with fails(TypeError):
        client["rated"].nps(parts="yes")


TOP, BOTTOM = "Top 2 (Very satisfied, Rather satisfied)", "Bottom 1 (Very dissatisfied)"


def excel_rows(table: Any, file: Path) -> dict[str, list[Any]]:
    """The values of each row of a sheet, by its name."""
    table.to_excel(file, metrics=["column"])
    sheet: Any = openpyxl.load_workbook(file).active
    rows = ([each for each in row if each is not None] for row in sheet.iter_rows(values_only=True))
    return {str(row[0]): row[1:] for row in rows if row}


def test_boxes_are_of_all_who_answered_or_of_those_on_the_scale(
    client: Any, frame: pd.DataFrame, tmp_path: Path
) -> None:
    for of, kept in ((None, None), ("scale", [1, 2, 3, 4, 5])):
        table = client.crosstab("sat", "g").boxes(2, 1, of=of)
        stats = client.stats("sat", splitter="g").boxes(2, 1, of=of)
        names = [row.name for row in table.rows]
        assert ("Don't know" in names) is (of is None)
        for name, codes in ((TOP, [1, 2]), (BOTTOM, [5]), ("Rather satisfied", [2])):
            expected = [share(frame[frame["g"] == each], "sat", codes, kept) for each in "ab"]
            whole = share(frame, "sat", codes, kept)
            at = names.index(name)
            np.testing.assert_allclose(table.values("column_percentage")[at], expected, rtol=1e-12)
            lines = [each.lstrip("| *") for each in table.to_markdown().splitlines()]
            [line] = [each for each in lines if each.startswith(name)]
            assert f"{whole:.1f}%" in line
            assert all(f"{each:.1f}%" in line for each in expected)
            sheet = excel_rows(table, tmp_path / "boxes.xlsx")[name]
            np.testing.assert_allclose(sheet, [whole, *expected], rtol=1e-12)
            wide = stats.to_wide()
            np.testing.assert_allclose(wide.loc[name].to_numpy()[-2:], expected, rtol=1e-12)
        own = [row for row in table.rows if not row.name.startswith(("Top", "Bottom"))]
        sums = table.values("column_percentage")[: len(own)].sum(axis=0)
        np.testing.assert_allclose(sums, 100)


def test_of_the_scale_is_what_the_service_counts_for_that_base(client: Any) -> None:
    made = client.crosstab("sat", "g").nets({"Fine": ["Very satisfied"]}, of="scale")
    on_scale = client["sat"].any(list(SATISFIED))
    asked = client.crosstab("sat", "g", base_audience=on_scale)
    for name in ("size", "sample", "column_percentage", "row_percentage", "index", "base_size"):
        expected = asked.values(name)[: len(SATISFIED)]
        np.testing.assert_allclose(made.values(name)[: len(SATISFIED)], expected, rtol=1e-9)
    words = "Base: those on the scale of Sat (without Don't know)"
    for shown in (
        made.to_markdown(),
        made.to_html(),
        client.stats("sat").boxes(of="scale").to_html(),
    ):
        assert words in shown.replace("&#x27;", "'").replace("&#39;", "'")
    tested = made.test(vs="columns").to_frame().dropna(subset="p").set_index("row")["p"]
    same = asked.test(vs="columns").to_frame().dropna(subset="p").set_index("row")["p"]
    for name in SATISFIED:
        assert tested[name] == pytest.approx(same[name], rel=1e-9)


def test_a_net_score_is_of_all_who_answered_or_of_those_on_the_scale(
    client: Any, frame: pd.DataFrame
) -> None:
    for of, kept in ((None, None), ("scale", [1, 2, 3, 4, 5])):
        expected = share(frame, "sat", [1, 2], kept) - share(frame, "sat", [4, 5], kept)
        ends = list(SATISFIED[:2]), list(SATISFIED[3:])
        for result in (client.stats("sat"), client.crosstab("sat")):
            score = result.net_score(*ends, of=of)["net_score"].item()
            assert score == pytest.approx(expected, rel=1e-12)


def test_of_the_scale_needs_one_whole_question(client: Any) -> None:
    with fails(ValueError):
        client.crosstab(["sat", "g"]).boxes(of="scale")
    with fails(ValueError):
        client.stats("sat", datapoints=["sat_1", "sat_2", "sat_3", "sat_4"]).boxes(of="scale")
    with fails(ValueError):
        client.crosstab("sat").boxes(of="valid")


def test_answers_compare_by_the_scale_and_not_by_their_codes(
    client: Any, frame: pd.DataFrame
) -> None:
    above = client["sat"] >= "Rather satisfied"
    assert above == al.Q("sat").any("sat_1", "sat_2")
    assert (client["sat"] < "Rather satisfied") == al.Q("sat").any("sat_3", "sat_4", "sat_5")
    found = client.crosstab(above)["column"].squeeze()
    assert found == pytest.approx(share(frame, "sat", [1, 2]), rel=1e-12)
    item = client["grid"].at_least("Rather satisfied", "Two")
    found = client.crosstab(item)["column"].squeeze()
    assert found == pytest.approx(share(frame, "item_2", [1, 2]), rel=1e-12)
    with fails(ValueError):
        _ = client["sat"] >= "Don't know"


def test_a_grid_has_boxes_and_means_of_its_items(client: Any, frame: pd.DataFrame) -> None:
    rows = [client["grid"].top_box(2), client["grid"].mean()]
    table = client.crosstab(rows, "g")
    for at, column in enumerate(("item_1", "item_2")):
        part = frame[frame[column] <= 5]
        for place, group in enumerate("ab"):
            expected = share(frame[frame["g"] == group], column, [1, 2])
            found = table.values("column_percentage")[at, place]
            assert found == pytest.approx(expected, rel=1e-12)
            kept = part[part["g"] == group]
            mean = np.average(kept[column], weights=kept["w"])
            assert table.statistics.values("value")[at, place] == pytest.approx(mean, rel=1e-12)
            assert table.statistics.values("answered_sample")[at, place] == len(kept)
    name = "One: mean (1 Very satisfied … 5 Very dissatisfied)"
    assert table.statistics.rows[0].name == name
    assert name in table.to_html()
    note = table.statistics_note
    assert note.startswith("One: mean, Two: mean: of amounts of answers")
    assert table.rows[0].name == "One: top 2 (Very satisfied, Rather satisfied)"


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (
            lambda c: c.crosstab(["sat", c["g"].mean()]),
            "the answers of 'g' have no numbers. Show how many gave each. "
            "Write client.proportion('g').",
        ),
        (lambda c: c["g"].nps(), "them. Show how many gave each. Write client.proportion('g')."),
        (lambda c: c["sat"].top_box(9), "of the 5 answers of 'sat' (Sat): 9 is not among them."),
        (
            lambda c: c["sat"].top_box(2, of="scale"),
            f"crosstab(…, base_audience=client['sat'].any({list(SATISFIED)})), or of the rows of "
            "the question client.crosstab('sat', columns).boxes(of=\"scale\")",
        ),
        (
            lambda c: c.crosstab("grid", "g").boxes(2, 1),
            "client.crosstab([client['grid'].top_box(2), client['grid'].bottom_box(1)], columns)",
        ),
        (
            lambda c: c.grid("grid").boxes(2),
            'client.crosstab(client["grid"].top_box(2))',
        ),
        (
            lambda c: c.crosstab(["sat", "rated"], "g").boxes(of="scale"),
            "client.crosstab('sat', columns)",
        ),
    ],
)
def test_an_error_says_what_to_write_instead(client: Any, ask: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError)) as error:
        ask(client)
    assert words in str(error.value)


def test_rows_of_a_question_of_several_answers_are_named() -> None:
    demo = al.connect()
    several = demo["Finding brands"]
    first, second = (each.name for each in several.datapoints[:2])
    with fails(ValueError) as error:
        demo.crosstab(several, "Gender").boxes()
    assert f"al.net({several.code!r}, {first!r}, {second!r})" in str(error.value)


def test_parts_of_a_score_are_named_as_they_are_in_a_note(client: Any) -> None:
    tested = client.crosstab([client["rated"].nps(parts=True)], "g").test()
    assert "promoters, passives, detractors" in repr(tested.statistics)


def test_a_note_counts_those_left_out_of_the_base_of_the_statistic_s_own_question(
    client: Any, frame: pd.DataFrame, tmp_path: Path
) -> None:
    table = client.crosstab(["sat", client["rated"].nps(parts=True), client["sat"].mean()], "g")
    unsure = int((frame["sat"] == 98).sum())
    asked = int(frame["sat"].notna().sum())
    left = f'{unsure} of {asked} respondents without one are left out of Sat: mean; "Don\'t know"'
    parts = "Rated: promoters %, passives %, detractors % and NPS"
    table.to_excel(tmp_path / "t.xlsx")
    sheets = openpyxl.load_workbook(tmp_path / "t.xlsx").worksheets
    texts = [str(cell.value) for sheet in sheets for row in sheet.iter_rows() for cell in row]
    for words in (table.to_markdown(), table.to_html(), " ".join(texts), table.statistics_note):
        said = words.replace("&#x27;", "'").replace("&quot;", '"').replace("&#34;", '"')
        assert parts in said
        assert left in said.replace("&#39;", "'")
        assert "left out of Rated" not in said, "no row shows who answered it"
    shares = "Bases above columns are those of the row of shares with the largest."
    assert shares in " ".join(texts)


@pytest.mark.parametrize(
    ("ask", "reason"),
    [
        (lambda c: c.crosstab(c["grid"].any("One"), "g"), "100% because a row counts any point"),
        (
            lambda c: c.crosstab(
                c["sat"].top_box(2), "g", base_audience=c["sat"] == "Very satisfied"
            ),
            "100% because the base is chosen by Sat too.",
        ),
        (
            lambda c: c.stats("sat", base_audience=c["sat"] == "Don't know", datapoints=["sat_1"]),
            "0% because the base is chosen by Sat too.",
        ),
        (
            lambda c: c.crosstab(c["sat"] == "Don't know", c["sat"].audiences("Very satisfied")),
            "0% because the columns are chosen by Sat too.",
        ),
        (
            lambda c: c.crosstab(c["sat"].any(), "g"),
            "100% because all who count",
        ),
        (lambda c: c.crosstab("sat", "g"), ""),
        (lambda c: c.crosstab("Total", "g"), ""),
        (lambda c: c.crosstab(c["sat"].mean(), "g"), ""),
    ],
)
def test_a_table_of_nothing_but_100_says_why(client: Any, ask: Any, reason: str) -> None:
    result = ask(client)
    for shown in (result.to_markdown(), result.to_html(), " ".join(notes(result))):
        assert reason in shown if reason else "Every cell" not in shown


def test_groups_run_from_the_low_end_of_the_scale_to_its_top(client: Any) -> None:
    low, high = client.quantile_groups("sat", 2)
    assert set(high.expression.datapoints) <= {"sat_1", "sat_2", "sat_3"}
    assert "sat_1" in high.expression.datapoints
    assert "sat_5" in low.expression.datapoints
    assert client.quantile_groups("sat", 2).left_out == ("Don't know",)


def test_the_widget_and_a_slide_agree_with_the_count_by_hand(
    client: Any, frame: pd.DataFrame, tmp_path: Path
) -> None:
    grid = al.Crosstab(client, "sat", "g")
    grid.rows.top_box(2)
    grid.rows.add_mean()
    grid.wait()
    expected = [share(frame[frame["g"] == each], "sat", [1, 2]) for each in "ab"]
    found = grid.result.values("column_percentage")[-1]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    page = grid._repr_mimebundle_()[0]["text/html"]
    for text in (
        TOP,
        "Sat: mean (1 Very satisfied … 5 Very dissatisfied)",
        "Sat: mean: of amounts",
    ):
        assert text in page
    assert all(f"{each:.1f}%" in page for each in expected)
    table = client.crosstab("sat", "g").boxes(2, 0)
    table.to_pptx(tmp_path / "boxes.pptx", chart="bar")
    deck: Any = Presentation(str(tmp_path / "boxes.pptx"))
    shapes = [shape for slide in deck.slides for shape in slide.shapes]
    [chart] = [shape.chart for shape in shapes if shape.has_chart]
    values = {name: [] for name in chart.plots[0].categories}
    for series in chart.plots[0].series:
        for name, value in zip(chart.plots[0].categories, series.values, strict=True):
            values[name].append(value)
    np.testing.assert_allclose(values[TOP], expected, rtol=1e-9)


def test_an_amount_of_an_answer_off_the_scale_is_in_no_mean(tmp_path: Path) -> None:
    points = [
        {"name": name, "value": at, "midpoint": at}
        for name, at in zip("abz", (1, 2, 9), strict=True)
    ]
    asked = {"code": "q", "name": "Q", "column": "q", "datapoints": points, "off_scale": [9]}
    pd.DataFrame({"q": [1, 2, 9, 9]}).to_csv(tmp_path / "q.csv", index=False)
    parsed = ingest.parse_codebook({"questions": [asked]})
    survey = ingest.import_survey(tmp_path / "q.csv", parsed, tmp_path / "survey")
    client = al.connect(survey=survey)
    assert client.crosstab(client["q"].mean())["mean"].squeeze() == pytest.approx(1.5)
    for given in (None, client["q"]):
        frame = client.stats("q").averages(given)
        assert frame["mean"].item() == pytest.approx(1.5)
        assert frame["answered_sample"].item() == 2


def test_a_table_of_statistics_alone_speaks_of_no_percentages(client: Any, tmp_path: Path) -> None:
    table = client.crosstab(client["rated"].mean(), "g")
    rows = excel_rows(table, tmp_path / "mean.xlsx")
    for shown in (table.to_markdown(), table.to_html(), str(rows)):
        assert "Column %" not in shown
        assert "Index" not in shown
    assert table.test().to_html()
