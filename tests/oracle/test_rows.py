"""Rows compared within a column are those of R's `survey`, of scipy, and McNemar's test."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import audiencelab as al
from audiencelab.analysis.compare_rows import UNKNOWN
from audiencelab.analysis.plan import END
from audiencelab.ingest import from_frame
from tests.messages import fails

HERE = Path(__file__).parent
R = json.loads((HERE / "rows.json").read_text())

CODEBOOK = """
[source]
not_selected = [0]
[[questions]]
code = "awards"
name = "Awards"
column = "awards"
[[questions]]
code = "stype"
name = "Type"
column = "stype"
[[questions]]
code = "drinks"
name = "Drinks"
kind = "multiple"
selected = [1]
datapoints = [
    { code = "tea", name = "Tea", column = "tea" },
    { code = "milk", name = "Milk", column = "milk" },
]
[[questions]]
code = "reasons"
name = "Reasons"
kind = "grid"
datapoints = [
    { code = "price", name = "Price", column = "price" },
    { code = "taste", name = "Taste", column = "taste" },
]
suffixes = [
    { code = "1", name = "One", value = 1, midpoint = 1 },
    { code = "2", name = "Two", value = 2, midpoint = 2 },
    { code = "3", name = "Three", value = 3, midpoint = 3 },
    { code = "4", name = "Four", value = 4, midpoint = 4 },
    { code = "5", name = "Five", value = 5, midpoint = 5 },
]
"""
WEIGHT = '[weight]\ncolumn = "pw"\n'
DESIGNS = {
    "none": "",
    "strata": '[design]\nstrata = "stype"\n',
    "both": '[design]\nstrata = "stype"\nclusters = "cluster"\n',
}


def schools() -> pd.DataFrame:
    frame = pd.read_csv(HERE / "apistrat.csv")
    number = np.arange(len(frame))
    frame["cluster"] = number * 7919 % 101 % 7
    frame["tea"] = (number * 31 % 7 < 4).astype(int)
    frame["milk"] = (number * 17 % 5 < 2).astype(int)
    frame["price"] = 1 + number * 37 % 101 % 5
    frame["taste"] = 1 + number * 53 % 97 % 5
    frame["stype"] = frame["stype"].map({"E": 1, "M": 2, "H": 3})
    return frame


def opened(folder: Path, codebook: str) -> al.Client:
    (folder / "codebook.toml").write_text(codebook)
    return al.connect(survey=from_frame(schools(), folder / "codebook.toml", folder / "survey"))


@pytest.fixture(scope="module", params=DESIGNS)
def drawn(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, al.Client]]:
    folder = tmp_path_factory.mktemp(request.param)
    with opened(folder, WEIGHT + CODEBOOK + DESIGNS[request.param]) as client:
        yield request.param, client


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Client]:
    """The same schools, each drawn at random with the same weight."""
    with opened(tmp_path_factory.mktemp("alike"), CODEBOOK) as client:
        yield client


def banner(client: al.Client) -> list[al.Audience]:
    return [al.Audience("All"), (client["Awards"] == "Yes").named("Yes")]


def test_answers_differ_as_svycontrast_has_it(drawn: tuple[str, al.Client]) -> None:
    name, client = drawn
    compared = client.crosstab("Drinks", banner(client)).test(vs="rows", pooled=False)
    frame = compared.to_frame().set_index("column")
    for part in ("All", "Yes"):
        difference, error, freedom = R[name][part]["answers"]
        line = frame.loc[part]
        assert [line["difference"] / 100, line["standard_error"] / 100] == pytest.approx(
            [difference, error], rel=1e-7
        )
        assert line["degrees_of_freedom"] == freedom
        p = 2 * stats.t.sf(abs(difference / error), freedom)
        assert line["p"] == pytest.approx(p, rel=1e-6)


def test_means_of_items_differ_as_svycontrast_has_it(drawn: tuple[str, al.Client]) -> None:
    name, client = drawn
    table = client.crosstab(["Drinks", *client["Reasons"].mean()], banner(client))
    means = table.test(vs="rows").statistics
    assert means is not None
    frame = means.to_frame().set_index("column")
    for part in ("All", "Yes"):
        difference, error, freedom = R[name][part]["items"]
        line = frame.loc[part]
        figures = ("difference", "standard_error", "degrees_of_freedom", "p")
        p = 2 * stats.t.sf(abs(difference / error), freedom)
        assert [line[each] for each in figures] == pytest.approx(
            [difference, error, freedom, p], rel=1e-7
        )


def test_weighted_correlations_are_those_of_svyvar(drawn: tuple[str, al.Client]) -> None:
    name, client = drawn
    found = client.correlation("Reasons")
    assert list(found) == ["Price", "Taste"]
    assert found.loc["Price", "Taste"] == pytest.approx(R[name]["correlation"], rel=1e-7)
    assert np.diag(found).tolist() == [1.0, 1.0]
    some = client.correlation("Reasons", base_audience=client["Awards"] == "Yes")
    rows = schools().query("awards == 'Yes'")
    both = np.cov(rows["price"], rows["taste"], aweights=rows["pw"])
    expected = both[0, 1] / np.sqrt(both[0, 0] * both[1, 1])
    assert some.loc["Price", "Taste"] == pytest.approx(expected, rel=1e-6)


def test_correlations_take_the_weight_of_the_call(tmp_path: Path) -> None:
    """Of respondents who have the weight, by the formula and not by the function under test."""
    frame = schools()
    number = np.arange(len(frame))
    frame["other"] = np.where(number % 9 == 4, np.nan, 0.3 + number * 13 % 17)
    (tmp_path / "codebook.toml").write_text(
        '[weight]\ncolumn = "pw"\nothers = ["other"]\n' + CODEBOOK
    )
    survey = from_frame(frame, tmp_path / "codebook.toml", tmp_path / "survey")

    def by_hand(rows: pd.DataFrame, weight: str) -> float:
        w, x, y = (rows[name].to_numpy(float) for name in (weight, "price", "taste"))
        sums = [(w * each).sum() / w.sum() for each in (x, y, x * y, x * x, y * y)]
        covariance = sums[2] - sums[0] * sums[1]
        return float(covariance / np.sqrt((sums[3] - sums[0] ** 2) * (sums[4] - sums[1] ** 2)))

    with al.connect(survey=survey) as client:
        asked = {"pw": frame, "other": frame.dropna(subset="other")}
        found = {name: client.correlation("Reasons", weight=name) for name in asked}
        for name, rows in asked.items():
            expected = by_hand(rows, name)
            assert found[name].loc["Price", "Taste"] == pytest.approx(expected, rel=1e-9)
        assert client.correlation("Reasons").equals(found["pw"])
        assert abs(found["pw"] - found["other"]).loc["Price", "Taste"] > 0.01
        even = client.correlation("Reasons", weight=None).loc["Price", "Taste"]
        assert even == pytest.approx(np.corrcoef(frame["price"], frame["taste"])[0, 1], rel=1e-9)


def test_amounts_of_respondents_are_numbers(drawn: tuple[str, al.Client]) -> None:
    _, client = drawn
    frame = client.respondents(amounts="Reasons", questions="Awards")
    assert list(frame.columns[-3:]) == ["Price", "Taste", "Awards"]
    people = schools()
    own = frame[["Price", "weight"]].sort_values(["Price", "weight"]).to_numpy()
    expected = people[["price", "pw"]].sort_values(["price", "pw"]).to_numpy()
    np.testing.assert_allclose(own, expected, rtol=1e-6)
    with fails(ValueError):
        client.correlation(["Awards"])
    with fails(TypeError):
        client.correlation(["Drinks"])


def test_a_grid_has_a_base_for_each_item(alike: al.Client) -> None:
    grid = alike.grid("Reasons").rebased_to_answered()
    some = schools()["price"].value_counts(normalize=True).sort_index()
    assert grid["column"].loc["Price"].tolist() == pytest.approx((100 * some).tolist())
    with fails(ValueError):
        alike.grid("Reasons", suffixes=["1", "2"]).rebased_to_answered()


def test_those_who_did_not_answer_an_item_are_in_no_base_of_it(tmp_path: Path) -> None:
    frame = schools()
    frame["price"] = frame["price"].where(frame["awards"] == "Yes")
    frame.loc[frame.index[:20], "taste"] = 0
    (tmp_path / "codebook.toml").write_text(WEIGHT + CODEBOOK)
    survey = from_frame(frame, tmp_path / "codebook.toml", tmp_path / "survey")
    with al.connect(survey=survey) as client:
        whole = client.grid("Reasons", audiences="Type", base_of="everyone")
        answered = whole.rebased_to_answered()
        counted = client.grid("Reasons", audiences="Type", base_of="valid")
        np.testing.assert_allclose(counted["column"], answered["column"], rtol=1e-9)
        line = answered.to_frame().set_index(["datapoint_label", "audience_name", "suffix_label"])
        for item, column in (("Price", "price"), ("Taste", "taste")):
            gave = frame[frame[column] > 0]
            high = gave[gave["stype"] == 3]
            found = line.loc[(item, "3", "Four")]
            share = high.loc[high[column] == 4, "pw"].sum() / high["pw"].sum()
            of_all = gave.loc[gave[column] == 4, "pw"].sum() / gave["pw"].sum()
            assert found["column_percentage"] == pytest.approx(100 * share, rel=1e-6)
            assert found["index"] == pytest.approx(100 * share / of_all, rel=1e-6)
            assert found["column_sample"] == len(high)
        assert answered["column"].sum(axis=1).tolist() == pytest.approx([300.0, 300.0])
        assert whole["column"].sum(axis=1).max() < 300
        assert "who answered the item" in answered._repr_html_()


def test_equal_weights_make_the_paired_t_test_of_scipy(alike: al.Client) -> None:
    table = alike.crosstab(["Awards", *alike["Reasons"].mean()], banner(alike))
    means = table.test(vs="rows").statistics
    assert means is not None
    frame = means.to_frame().set_index("column")
    people = schools()
    expected = stats.ttest_rel(people["price"], people["taste"])
    assert frame.loc["All", "z"] == pytest.approx(expected.statistic, rel=1e-9)
    assert frame.loc["All", "p"] == pytest.approx(expected.pvalue, rel=1e-9)


def test_equal_weights_make_mcnemars_test(alike: al.Client) -> None:
    table = alike.crosstab("Drinks", banner(alike))
    frame = table.test(vs="rows").to_frame().set_index("column")
    people = schools()
    for part, some in (("All", people), ("Yes", people[people["awards"] == "Yes"])):
        tea_alone = ((some["tea"] == 1) & (some["milk"] == 0)).sum()
        milk_alone = ((some["tea"] == 0) & (some["milk"] == 1)).sum()
        statistic = (tea_alone - milk_alone) ** 2 / (tea_alone + milk_alone)
        assert frame.loc[part, "z"] ** 2 == pytest.approx(statistic, rel=1e-9)
        assert frame.loc[part, "p"] == pytest.approx(stats.chi2.sf(statistic, 1), rel=1e-9)


def test_answers_of_a_single_question_are_compared_as_a_multinomial(alike: al.Client) -> None:
    table = alike.crosstab("Type", banner(alike))
    line = table.test(vs="rows", pooled=False).to_frame().iloc[0]
    share = schools()["stype"].value_counts(normalize=True)
    one, other = share[1], share[2]
    error = np.sqrt((one + other - (one - other) ** 2) / 200)
    assert line["standard_error"] == pytest.approx(100 * error, rel=1e-9)
    doubled = table.test(vs="rows", pooled=False, design=2.0).to_frame().iloc[0]
    assert doubled["standard_error"] == pytest.approx(100 * error * np.sqrt(2), rel=1e-9)


def test_letters_stand_by_the_rows_in_every_form(alike: al.Client) -> None:
    table = alike.crosstab(["Type", *alike["Reasons"].mean()], banner(alike))
    compared = table.test(vs="rows")
    wide = compared.to_wide()
    assert wide.index.get_level_values("letter").tolist() == ["A", "B", "C", "A", "B"]
    assert wide.iloc[0, 0] == "50.0 B C"
    assert compared.marks().tolist() == [["B C", "B C"], ["", ""], ["", ""]]
    for page in (table.to_html(comparison=compared), compared._repr_html_()):
        assert "Price: mean (A)" in page
        assert "larger share than that row" in page
    assert ": rows compared" in compared._repr_html_()
    assert "every pair of rows in the same group" in compared.method_note
    holm = table.test(vs="rows", correction="holm")
    assert "Holm within each column and group" in holm.method_note


def test_rows_of_several_questions_are_compared_if_wanted(alike: al.Client) -> None:
    table = alike.crosstab(["Type", "Awards"], banner(alike))
    assert len(table.test(vs="rows")) == 2 * (3 + 1)
    assert len(table.test(vs="rows", within_groups=False)) == 2 * 10
    skipped = alike.crosstab("Awards", banner(alike)).test(vs="rows", zero_or_full="skip")
    assert skipped.to_frame()["note"].tolist() == ["", END]


def test_elsewhere_rows_that_exclude_each_other_are_compared() -> None:
    """Where the service is of another make, and says nothing of the respondents."""
    with al.connect() as client:
        table, multiple = (client.crosstab(each, "Age") for each in ("Gender", "Finding brands"))
    here = table.test(vs="rows", design=None)
    table.ask = multiple.ask = None
    compared = table.test(vs="rows")
    assert compared.to_frame()["z"].tolist() == pytest.approx(here.to_frame()["z"].tolist())
    assert UNKNOWN not in set(compared.to_frame()["note"])
    with fails(LookupError):
        multiple.test(vs="rows")


def test_what_cannot_be_compared_is_refused(alike: al.Client) -> None:
    table = alike.crosstab("Type", banner(alike))
    with fails(ValueError):
        table.test(vs="rows", overlap=table)
    with fails(ValueError):
        table.test(vs="rows", design=[[1.0, 1], [2, 1], [1, 1]])
    with fails(ValueError):
        table.test(vs="rows", design=alike.design_effects(table))
    with fails(ValueError):
        alike.crosstab(banner(alike)[1:], "Type").test(vs="rows")
    with fails(ValueError):
        alike.stats("stype").test(vs="rows")
    means = alike.crosstab(list(alike["Reasons"].mean()), banner(alike))
    with fails(ValueError):
        means.test(vs="rows", design=1.5)
