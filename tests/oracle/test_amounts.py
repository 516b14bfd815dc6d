"""Rows of means, percentiles, sums and scores of a crosstab are those of R's `survey`."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest import from_frame
from tests.client.odd_services import always, opening
from tests.messages import fails

HERE = Path(__file__).parent
R = json.loads((HERE / "amounts.json").read_text())

CODEBOOK = """
[weight]
column = "pw"
[[questions]]
code = "awards"
name = "Awards"
column = "awards"
[[questions]]
code = "api00"
name = "Academic performance index"
column = "api00"
datapoints = [
    { name = "Under 550", below = 550, midpoint = 488.6 },
    { name = "550 to 699", min = 550, below = 700, midpoint = 628.4 },
    { name = "700 and over", min = 700, midpoint = 785.2 },
]
[[questions]]
code = "enroll"
name = "Enrolment"
column = "enroll"
datapoints = [{ name = "Under 500", below = 500 }, { name = "500 and over", min = 500 }]
[[questions]]
code = "score"
name = "Recommend"
column = "score"
"""
DESIGNS = {
    "none": "",
    "strata": '[design]\nstrata = "stype"\n',
    "both": '[design]\nstrata = "stype"\nclusters = "cluster"\n',
}
COLUMNS = ("All", "Yes", "No", "Large")
AMOUNTS = {str(number): number for number in range(11)}


@pytest.fixture(scope="module", params=DESIGNS)
def drawn(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, al.Client]]:
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "codebook.toml").write_text(CODEBOOK + DESIGNS[request.param])
    frame = pd.read_csv(HERE / "apistrat.csv")
    number = np.arange(len(frame))
    frame["cluster"] = number * 7919 % 101 % 7
    frame["score"] = number * 37 % 101 % 11
    frame["stype"] = frame["stype"].map({"E": 1, "M": 2, "H": 3})
    survey = from_frame(frame, folder / "codebook.toml", folder / "survey")
    with al.connect(survey=survey) as client:
        yield request.param, client


def banner(client: al.Client) -> list[al.Audience]:
    large = (client["Enrolment"] == "500 and over").named("Large")
    return [
        al.Audience("All"),
        (client["Awards"] == "Yes").named("Yes"),
        (client["Awards"] == "No").named("No"),
        large,
    ]


def make_table(client: al.Client) -> al.CrosstabResult:
    index, recommend = client["Academic performance index"], client["Recommend"]
    rows = [
        "Awards",
        index.mean(),
        *(index.percentile(percent) for percent in (25, 50, 90)),
        client["Enrolment"].sum(),
        recommend.nps(amounts=AMOUNTS),
    ]
    return client.crosstab(rows, banner(client))


def test_values_and_standard_errors_are_rs(drawn: tuple[str, al.Client]) -> None:
    name, client = drawn
    table = make_table(client)
    value, error = table["value"].to_numpy(), table["standard_error"].to_numpy()
    for column, part in enumerate(COLUMNS):
        expected = R[name][part]
        rows = [
            (0, *expected["mean"]),
            *zip((1, 2, 3), expected["percentiles"], expected["errors"], strict=True),
            (4, *expected["sum"]),
            (5, *expected["nps"]),
        ]
        for row, *figures in rows:
            assert [value[row, column], error[row, column]] == pytest.approx(
                figures, rel=1e-7, nan_ok=True
            ), (part, row)


def test_a_difference_of_overlapping_columns_is_tested_as_svycontrast_does(
    drawn: tuple[str, al.Client],
) -> None:
    name, client = drawn
    means = make_table(client).test().statistics
    assert means is not None
    frame = means.to_frame()
    pair = frame[(frame["column"] == "Yes") & (frame["other"] == "Large")].iloc[0]
    figures = ("difference", "standard_error", "degrees_of_freedom", "p")
    assert [pair[each] for each in figures] == pytest.approx(R[name]["difference"], rel=1e-5)
    assert "linearised standard errors" in means.method_note
    assert {"Academic performance index: mean", "Enrolment: sum"} < set(frame["row"])


@pytest.mark.parametrize("base", ["chisq", "chisq_large"])
def test_independence_of_rows_and_columns_is_svychisqs(
    drawn: tuple[str, al.Client], base: str
) -> None:
    name, client = drawn
    large = client["Enrolment"] == "500 and over" if base == "chisq_large" else None
    table = client.crosstab("Academic performance index", "Awards", base_audience=large)
    [line] = table.test_independence().to_dict("records")
    statistic, first, second, p, chi2, _ = R[name][base]
    assert [line["F"], line["df1"], line["df2"], line["p"], line["chi2"]] == pytest.approx(
        [statistic, first, second, p, chi2], rel=1e-6
    )


def test_independence_needs_answers_of_which_each_gives_one(
    drawn: tuple[str, al.Client],
) -> None:
    _, client = drawn
    table = client.crosstab("Academic performance index", banner(client))
    with fails(ValueError):
        table.test_independence()


def test_the_total_column_is_everyone_and_numbers_are_the_numbers(
    drawn: tuple[str, al.Client],
) -> None:
    name, client = drawn
    table = client.crosstab([client["Academic performance index"].mean()], "Awards")
    assert table.statistics is not None
    assert table.statistics.exact == (True,)
    mean, error = R[name]["All"]["mean"]
    assert table.statistics.base("value")[0] == pytest.approx(mean, rel=1e-7)
    assert table.statistics.base("standard_error")[0] == pytest.approx(error, rel=1e-7)


def test_means_are_no_shares_in_a_workbook_a_page_and_frames(
    drawn: tuple[str, al.Client],
) -> None:
    _, client = drawn
    table = make_table(client)
    compared = table.test()
    mean = "662.29"
    for page in (table.to_html(), table.to_html(comparison=compared), table._repr_html_()):
        assert mean in page
        assert f"{mean}%" not in page
    assert compared.to_wide().xs("Academic performance index: mean", level="row").iloc[0, 0] == mean

    file = io.BytesIO()
    table.to_excel(file, metrics=["index", "column"], comparison=compared)
    sheet = openpyxl.load_workbook(file)["Table"]
    [line] = [
        row for row in sheet.iter_rows() if row[0].value == "Academic performance index: mean"
    ]
    assert line[1].value == pytest.approx(662.2873, rel=1e-6)
    assert "%" not in line[1].number_format
    heated = [str(each.sqref) for each in sheet.conditional_formatting]
    assert heated
    for each in sheet.conditional_formatting:
        assert line[4].coordinate not in each.sqref

    assert table["column"].index.tolist() == table["index"].index.tolist() == [
        ("Awards", "No"), ("Awards", "Yes"),
    ]  # fmt: skip
    long = table.to_frame()
    lines = long[long["statistic"] == "mean"]
    assert lines["column_percentage"].isna().all()
    assert lines["value"].iloc[0] == pytest.approx(662.2873, rel=1e-6)
    assert long["row"].cat.categories[-1] == "Recommend: NPS"


def test_columns_in_another_order_keep_their_means(drawn: tuple[str, al.Client]) -> None:
    _, client = drawn
    table = make_table(client)
    turned = replace(table, columns=table.columns[::-1], column_groups=())
    assert turned.statistics is not None
    assert table.statistics is not None
    turned_values = turned.statistics.values("value")
    np.testing.assert_array_equal(turned_values, table.statistics.values("value")[:, ::-1])


def test_means_come_from_a_recording(drawn: tuple[str, al.Client], tmp_path: Path) -> None:
    _, client = drawn
    with client.recording(tmp_path / "table.json"):
        table = make_table(client)
    with al.connect(snapshot=tmp_path / "table.json") as replay:
        pd.testing.assert_frame_equal(make_table(replay)["value"], table["value"])


def test_a_service_that_is_not_ours_has_no_means() -> None:
    with opening() as opened, al.connect() as demo:
        client = opened(always({"questions": []}))
        with fails(LookupError):
            client.crosstab(demo["Age"].mean(), [al.Q("core.q2").any("q2_1")])
