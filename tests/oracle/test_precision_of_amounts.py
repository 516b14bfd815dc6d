"""Intervals and tests of rows of statistics are those of R's `survey`, on two kinds of designs.

`precision_of_amounts.R` computed `precision_of_amounts.json` of the schools that this prints.
"""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest import from_frame

HERE = Path(__file__).parent
COUNT = 16
KINDS: tuple[str, ...] = ("mean", "nps", "sum", "median", "lower", "upper")
AMOUNTS = {str(number): number for number in range(11)}
CODEBOOK = """
[weight]
column = "pw"
[[questions]]
code = "awards"
name = "Awards"
column = "awards"
[[questions]]
code = "api00"
name = "Index"
column = "api00"
datapoints = [{ name = "Under 550", below = 550 }, { name = "550 and over", min = 550 }]
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
LINEAR = '[design]\nstrata = "stratum"\nclusters = "psu"\n'
NAMES = [f"rep{number + 1}" for number in range(COUNT)]
REPLICATES = f'[design]\nreplicates = {json.dumps(NAMES)}\nreplicate_method = "bootstrap"\n'


class Drawn(NamedTuple):
    """What R computed, the table, its design, a table of answers, and one of two rows."""

    known: dict[str, Any]
    table: Any
    design: Any
    answers: al.CrosstabResult
    rows: al.CrosstabResult
    client: al.Client


def schools() -> pd.DataFrame:
    """In strata and clusters, of which one stratum has a single cluster."""
    frame = pd.read_csv(HERE / "apistrat.csv")
    number = np.arange(len(frame))
    frame["stratum"] = number * 31 % 7
    frame["psu"] = number * 7919 % 101 % 9
    frame.loc[number % 40 == 7, ["stratum", "psu"]] = [7, 0]
    frame["psu"] += 100 * frame["stratum"]
    frame["score"] = number * 37 % 101 % 11
    large = frame["enroll"] >= 500
    for replicate in range(COUNT):
        # The last replicates differ among large schools alone.
        at = np.where(large, replicate, min(replicate, COUNT - 4))
        up = (number * 7919 + at * 104_729 + number * at * 31) % 101 % 5
        frame[NAMES[replicate]] = (frame["pw"] * (0.5 + 0.25 * up)).round(6)
    return frame.drop(columns="stype")


def opened(folder: Path, design: str) -> al.Client:
    (folder / "codebook.toml").write_text(CODEBOOK + design)
    return al.connect(survey=from_frame(schools(), folder / "codebook.toml", folder / "survey"))


@pytest.fixture(scope="module", params=["adjust", "certainty", "replicates"])
def drawn(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Drawn]:
    known = json.loads((HERE / "precision_of_amounts.json").read_text())[request.param]
    design = REPLICATES if request.param == "replicates" else LINEAR
    with opened(tmp_path_factory.mktemp(request.param), design) as client:
        table = crosstab(client)
        given: Any = "auto"
        if request.param == "certainty":
            given = client.design_effects(table, lonely="certainty")
        answers = client.crosstab(
            [client["Index"] == "Under 550", client["Index"] == "550 and over"],
            [client["Awards"] == "Yes", client["Awards"] == "No"],
        )
        shares = [client["Index"] == "Under 550", client["Enrolment"] == "500 and over"]
        rows = client.crosstab([each.named(str(each)) for each in shares], [al.Audience("All")])
        yield Drawn(known, table, given, answers, rows, client)


def crosstab(client: al.Client) -> al.CrosstabResult:
    index = client["Index"]
    rows: Any = [
        "Awards",
        index.mean(),
        client["Recommend"].nps(amounts=AMOUNTS),
        client["Enrolment"].sum(),
        *(index.percentile(percent) for percent in (50, 25, 90)),
    ]
    large = (client["Enrolment"] == "500 and over").named("Large")
    yes = (client["Awards"] == "Yes").named("Yes")
    return client.crosstab(rows, [al.Audience("All"), yes, large])


def test_intervals_and_degrees_of_freedom_are_rs(drawn: Drawn) -> None:
    known, table, design, *_ = drawn
    for level, names in ((0.95, ("mean", "sum", "median", "upper")), (0.9, ("nps", "lower"))):
        frame = table.intervals(level=level, design=design)
        rows = dict(
            zip(KINDS, dict.fromkeys(frame.loc[frame["statistic"] != "", "row"]), strict=True)
        )
        for column in ("All", "Yes", "Large"):
            for name in names:
                [line] = frame[(frame["row"] == rows[name]) & (frame["column"] == column)].to_dict(
                    "records"
                )
                found = [line["value"], line["value_low"], line["value_high"]]
                expected = known[column][name]
                if len(expected) == 4:
                    found.insert(1, line["value_se"])
                assert found == pytest.approx(expected, rel=1e-9, nan_ok=True), (column, name)
    freedom = table.statistics.freedom[0].diagonal()[1:]
    assert [*freedom] == [known[each]["freedom"][0] for each in ("All", "Yes", "Large")]


@pytest.mark.parametrize("vs", ["columns", "rest"])
def test_differences_are_rs(drawn: Drawn, vs: str) -> None:
    known, table, design, *_ = drawn
    frame = table.test(vs=vs, design=design).statistics.to_frame()
    first, other = ("Yes", "Large") if vs == "columns" else ("Large", "rest")
    lines = frame[(frame["column"] == first) & (frame["other"] == other)]
    for name, row in (
        ("mean", "Index: mean"),
        ("nps", "Recommend: NPS"),
        ("sum", "Enrolment: sum"),
    ):
        found = lines[lines["row"] == row]
        if name == "sum" and vs == "rest":
            assert found.empty
            continue
        [line] = found.to_dict("records")
        expected = known[vs][name]
        assert [line["difference"], line["standard_error"]] == pytest.approx(expected, rel=1e-9)
        freedom = known[vs]["both" if vs == "columns" else "smaller"]
        assert [line["degrees_of_freedom"]] == freedom


def test_percentiles_are_as_correlated_as_the_shares_below_them(
    drawn: Drawn,
) -> None:
    table = drawn.table
    rows = table.statistics
    at = 3
    error = rows.values("standard_error")[at]
    rest = rows.rest[-2, at]
    together = rows.covariance[at, 1:, 1:]
    assert np.sqrt(np.diagonal(together)) == pytest.approx(error)
    correlation = together[1, 2] / error[1] / error[2]
    assert 0 < correlation < 1
    assert np.isfinite(rest[1:]).all()


def test_a_difference_of_two_rows_is_rs(drawn: Drawn) -> None:
    known, effects = drawn.known, drawn.design
    if effects != "auto":
        effects = drawn.client.design_effects(drawn.rows, lonely="certainty")
    frame = drawn.rows.test("rows", design=effects, pooled=False).to_frame()
    [line] = frame.to_dict("records")
    found = [line["difference"] / 100, line["standard_error"] / 100]
    assert found == pytest.approx(known["rows"], rel=1e-9)


def test_what_is_not_tested_says_why(tmp_path: Path) -> None:
    frame = schools().assign(awards=lambda each: np.where(each["enroll"] > 1300, "Yes", "No"))
    frame["score"] = np.where(frame["awards"] == "Yes", 9, frame["score"])
    (tmp_path / "codebook.toml").write_text(CODEBOOK)
    survey = from_frame(frame, tmp_path / "codebook.toml", tmp_path / "survey")
    with al.connect(survey=survey) as client:
        nps, high = client["Recommend"].nps(amounts=AMOUNTS), client["Index"].percentile(90)
        scores = client["Recommend"].percentile(50, amounts=AMOUNTS)
        tests = client.crosstab([nps, high, scores], "Awards").test("rest", min_base=0).to_frame()
    yes: Any = tests[tests["column"] == "Yes"].set_index("row")
    assert yes.loc["Recommend: NPS", "p"] < 0.01
    assert "ends beyond all amounts" in yes.loc["Index: 90th percentile", "note"]
    assert "share the amount" in yes.loc["Recommend: 50th percentile", "note"]


def test_the_total_is_tested_as_the_rest_and_a_pickle_answers_the_same(
    drawn: Drawn,
) -> None:
    _, table, design, *_ = drawn
    rest, total = (
        table.test(vs=each, design=design).statistics.to_frame() for each in ("rest", "total")
    )
    assert total["p"].to_numpy() == pytest.approx(rest["p"].to_numpy(), nan_ok=True)
    means = total[total["row"] == "Index: mean"]
    assert means["other_mean"].to_numpy() == pytest.approx(
        table.statistics.base("value")[0], rel=1e-12
    )
    if design == "auto":
        again = pickle.loads(pickle.dumps(table)).test(vs="rest").statistics.to_frame()
        pd.testing.assert_frame_equal(again, rest)


def test_independence_is_rs(drawn: Drawn) -> None:
    known, _, design, answers, *_ = drawn
    lonely = "adjust" if design == "auto" else "certainty"
    [line] = answers.test_independence(lonely=lonely).to_dict("records")
    assert [line[each] for each in ("F", "df1", "df2", "p")] == pytest.approx(
        known["independence"], rel=1e-9
    )


if __name__ == "__main__":
    schools().to_csv(sys.stdout, index=False)
