"""The analysts' verbs: each figure against pandas, each error against its formula."""

from __future__ import annotations

import asyncio
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import audiencelab as al
from audiencelab.results.statistic_rows import Statistic
from audiencelab.tables import Estimates
from tests.first_hour import tracker
from tests.messages import fails

FRAME = tracker.frame()
WOMEN = FRAME["gender"] == 2


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tracker.write(tmp_path_factory.mktemp("tracker"))


@pytest.fixture(scope="module")
def client(source: Path, tmp_path_factory: pytest.TempPathFactory) -> al.Client:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIENCELAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        return al.open(source, weight="weight", wave="wave", quiet=True)


def weighted_mean(part: pd.DataFrame, name: str) -> float:
    known = part[part[name].notna()]
    return float(np.average(known[name], weights=known["weight"]))


def weighted_quantile(part: pd.DataFrame, name: str, probability: float) -> float:
    known = part[part[name].notna()].sort_values(name)
    reached = known["weight"].cumsum() >= probability * known["weight"].sum()
    return float(known.loc[reached, name].iloc[0])


def linearised_error(influence: pd.Series[Any]) -> float:
    """Of a sum of influences: sampling points within waves, which are strata."""
    every = FRAME.assign(influence=influence.reindex(FRAME.index, fill_value=0.0))
    totals = every.groupby(["wave", "psu"])["influence"].sum()
    spread = totals.groupby("wave").agg(["var", "count"])
    return float(np.sqrt((spread["var"] * spread["count"]).sum()))


def mean_error(part: pd.DataFrame, name: str) -> float:
    known = part[part[name].notna()]
    apart = known[name] - weighted_mean(part, name)
    return linearised_error(known["weight"] * apart / known["weight"].sum())


def one(estimates: Estimates, *names: str) -> float:
    for name in names:
        estimates = estimates[name]
    return estimates.value


def test_means_and_their_errors_are_those_of_the_design(client: al.Client) -> None:
    found: Any = client.mean(["age", "income"], by=["gender", "waves"]).to_frame()
    assert found["group"].tolist()[:7] == ["All", "Male", "Female", *tracker.WAVES.values()]
    for name, of in (("age", "Age in years"), ("income", "Monthly income")):
        lines = found[found["question"] == of].set_index("group")
        for group, part in (("All", FRAME), ("Female", FRAME[WOMEN])):
            line = lines.loc[group]
            assert line["value"] == pytest.approx(weighted_mean(part, name), rel=1e-9)
            assert line["standard_error"] == pytest.approx(mean_error(part, name), rel=1e-6)
            assert line["sample"] == part[name].notna().sum()
            reach = stats.t.ppf(0.975, line["degrees_of_freedom"]) * line["standard_error"]
            assert line["high"] - line["value"] == pytest.approx(reach, rel=1e-6)
        wave = FRAME[FRAME["wave"] == 3]
        assert lines.loc["Q3 2026", "value"] == pytest.approx(weighted_mean(wave, name), rel=1e-9)
    clusters = FRAME.loc[FRAME["age"].notna(), ["wave", "psu"]].drop_duplicates()
    assert found["degrees_of_freedom"].iloc[0] == len(clusters) - 4
    # The base is that of an average wave, as of all weighted counts.
    base = FRAME.loc[FRAME["age"].notna(), "weight"].sum() / 4
    assert found["weighted_base"].iloc[0] == pytest.approx(base)


def test_other_statistics_are_those_of_pandas(client: al.Client) -> None:
    women = FRAME[WOMEN]
    quartiles = client.quantile("income", [0.25, 0.5, 0.75], by="gender")
    for probability, name in ((0.25, "25th"), (0.5, "50th"), (0.75, "75th")):
        wanted = weighted_quantile(women, "income", probability)
        assert one(quartiles, "Female", f"{name} percentile") == wanted
    assert one(client.median("income")) == weighted_quantile(FRAME, "income", 0.5)
    total = client.total("hhsize")
    assert total.value == pytest.approx((FRAME["hhsize"] * FRAME["weight"]).sum() / 4)
    assert "sums are the average of waves" in repr(client.total("hhsize", by="gender"))
    scores = FRAME.assign(score=100.0 * (FRAME["q3"] >= 9) - 100.0 * (FRAME["q3"] <= 6))
    scores.loc[scores["q3"].isna(), "score"] = np.nan
    nps = client.nps("q3", by="waves")
    assert one(nps, "All") == pytest.approx(weighted_mean(scores, "score"))
    wave = scores[scores["wave"] == 2]
    assert one(nps, "Q2 2026") == pytest.approx(weighted_mean(wave, "score"))
    assert [line.statistic for line in client.nps("q3", parts=True)][-1] == "NPS"
    apart = FRAME["age"] - weighted_mean(FRAME, "age")
    spread = np.average(apart.dropna() ** 2, weights=FRAME["weight"][apart.notna()])
    svyvar = spread * apart.count() / (apart.count() - 1)
    assert client.standard_deviation("age").value == pytest.approx(np.sqrt(svyvar))
    described = client.describe("age", by="gender")["Female"]
    assert described["mean"].value == pytest.approx(weighted_mean(women, "age"))
    assert described["median"].value == weighted_quantile(women, "age", 0.5)
    assert {line.code for line in client.describe()} == {"age", "income", "hhsize", "q3", "q5"}
    items = client.mean("q4", by="gender")
    assert one(items, "Staff", "Female") == pytest.approx(weighted_mean(women, "q4_2"))
    assert client.mean("q4_2").value == pytest.approx(weighted_mean(FRAME, "q4_2"))


def test_shares_are_those_of_the_crosstab(client: al.Client) -> None:
    found: Any = client.proportion("q5", by="gender", level=0.9)
    cells: Any = client.crosstab("q5", "gender").intervals(level=0.9).set_index(["row", "column"])
    for line in found["Satisfied"]:
        if line.group == "All":
            wanted = 100 * np.average(FRAME["q5"] == 4, weights=FRAME["weight"])
            assert line.value == pytest.approx(wanted)
            continue
        cell = cells.loc[("Satisfied", line.group)]
        figures = [cell[f"column_percentage{end}"] for end in ("", "_se", "_low", "_high")]
        assert [line.value, line.standard_error, line.low, line.high] == figures
        assert line.sample == cell["column_sample"]
    old = client.proportion(client["age"] >= 65, by="gender")
    known = FRAME[FRAME["age"].notna() & WOMEN]
    share = 100 * np.average(known["age"] >= 65, weights=known["weight"])
    assert one(old, "Female") == pytest.approx(share)
    written = client.proportion("age >= 65 and gender = Female")
    whole = FRAME[FRAME["age"].notna()]
    both = 100 * np.average((whole["age"] >= 65) & WOMEN[whole.index], weights=whole["weight"])
    assert written.value == pytest.approx(both)
    asked = FRAME[FRAME["q8"].notna()]
    moved = 100 * np.average(asked["q8"] == 2, weights=asked["weight"])
    assert one(client.proportion("q8"), "Moved") == pytest.approx(moved)
    assert client.proportion("q8").lines[0].sample == len(asked)


def pearson(part: pd.DataFrame, one: str, other: str, weights: pd.Series[float]) -> float:
    known = part[[one, other]].notna().all(axis=1) & (weights[part.index] > 0)
    found = np.cov(part.loc[known, [one, other]].T, aweights=weights[part.index][known])
    return float(found[0, 1] / np.sqrt(found[0, 0] * found[1, 1]))


def test_correlations_and_their_errors(client: al.Client) -> None:
    own = FRAME["weight"]
    found: Any = client.correlation("q3", "q5", by="gender").to_frame().set_index("group")
    for group, part in (("All", FRAME), ("Male", FRAME[~WOMEN]), ("Female", FRAME[WOMEN])):
        value = pearson(part, "q3", "q5", own)
        assert found.loc[group, "value"] == pytest.approx(value, rel=1e-9)
        # Linearised: by the product of standard scores, less half of r times their squares.
        known = part[part[["q3", "q5"]].notna().all(axis=1)]
        parts = known["weight"] / known["weight"].sum()
        scores: list[Any] = []
        for name in ("q3", "q5"):
            apart = known[name] - (parts * known[name]).sum()
            scores.append(apart / np.sqrt((parts * apart**2).sum()))
        one, other = scores
        influence = parts * (one * other - value / 2 * (one**2 + other**2))
        error = linearised_error(influence)
        assert found.loc[group, "standard_error"] == pytest.approx(error, rel=1e-6)
        z = stats.t.ppf(0.975, found.loc[group, "degrees_of_freedom"]) * error / (1 - value**2)
        assert found.loc[group, "high"] == pytest.approx(np.tanh(np.arctanh(value) + z), rel=1e-6)
        if group != "All":
            continue
        # The jackknife leaves out a sampling point at a time, and takes nothing for granted.
        squares = 0.0
        for wave, points in FRAME.groupby("wave")["psu"].unique().items():
            left = FRAME["wave"] == wave
            for point in points:
                without = left & (FRAME["psu"] == point)
                grown = own.where(~left, own * len(points) / (len(points) - 1)).where(~without, 0.0)
                change = pearson(part, "q3", "q5", grown) - value
                squares += (len(points) - 1) / len(points) * change**2
        assert np.sqrt(squares) == pytest.approx(error, rel=0.05)
    assert client.correlation("q4_1", "q4_2", by="waves")["Q2 2026"].value == pytest.approx(
        pearson(FRAME[FRAME["wave"] == 2], "q4_1", "q4_2", own)
    )
    matrix = client.correlation(["age", "income", "q3"])
    assert matrix.loc["Age in years", "Monthly income"] == client.correlation("age", "income").value
    assert np.allclose(np.diag(matrix), 1)
    assert client.correlation("q4").shape == (4, 4)
    test: Any = client.correlation("q3", "q5", by="gender").test().to_frame()
    difference = found.loc["Male", "value"] - found.loc["Female", "value"]
    assert test["difference"].tolist() == pytest.approx([difference])
    ratio = client.ratio("income", "hhsize")
    known = FRAME[FRAME["income"].notna()]
    value = (known["weight"] * known["income"]).sum() / (known["weight"] * known["hhsize"]).sum()
    assert ratio.value == pytest.approx(value)
    apart = known["weight"] * (known["income"] - value * known["hhsize"])
    error = linearised_error(apart / (known["weight"] * known["hhsize"]).sum())
    assert ratio.standard_error == pytest.approx(error, rel=1e-6)


def test_totals_count_people_where_answers_are_no_numbers(client: al.Client) -> None:
    for condition, flags in (
        (client["age"] >= 65, FRAME["age"] >= 65),
        ((client["q5"] == "Satisfied") & (client["gender"] == "Female"), (FRAME.q5 == 4) & WOMEN),
    ):
        found = client.total(condition)
        weights = FRAME["weight"].where(flags, 0.0)
        assert found.to_frame()["total"].tolist() == pytest.approx([weights.sum()])
        assert found.value == pytest.approx(weights.sum() / 4)
        # Of an average wave, so a quarter of the total's.
        assert found.standard_error == pytest.approx(linearised_error(weights) / 4, rel=1e-6)
        assert found.sample == flags.sum()
        assert "in all" in repr(found)
    genders = client.total("gender", by="waves")
    wave = FRAME[WOMEN & (FRAME["wave"] == 1)]
    assert one(genders, "Female", "Q1 2026") == pytest.approx(wave["weight"].sum())
    assert one(genders, "Female", "All") == pytest.approx(FRAME["weight"][WOMEN].sum() / 4)
    assert one(client.total("q1"), "Alba") == pytest.approx(
        FRAME["weight"][FRAME["q1_1"] == 1].sum() / 4
    )
    assert {line.statistic for line in client.total(["hhsize", "q5"])} == {"sum", "people"}


def test_a_single_figure_is_a_number(client: al.Client) -> None:
    age, income = client.mean("age"), client.mean("income")
    assert (round(age, 1), f"{age:.1f}", age > 50) == (53.2, "53.2", True)
    assert float(age) == age.value == age
    assert income / age == income.value / age.value
    assert f"{age}" == str(age)
    assert age.low < age.value < age.high
    assert age.standard_error == pytest.approx(mean_error(FRAME, "age"), rel=1e-6)
    assert client.mean("age", weight=None).value == pytest.approx(FRAME["age"].mean())
    assert repr(age).endswith("4 waves: Q1 2026 to Q4 2026 · Weight: weight")
    assert "(1 Very dissatisfied … 5 Very satisfied)" in repr(client.mean("q5"))
    assert repr(client.mean("q4")).count("Very satisfied") == 1
    by_gender = client.mean("age", by="gender")
    nested = client.mean("age", by="gender > region")
    assert one(nested, "Female › West") == pytest.approx(
        weighted_mean(FRAME[WOMEN & (FRAME["region"] == 4)], "age")
    )
    assert client.mean(["age", "income"])["income"].value == income.value
    assert client.mean("age", by="gender")["female"].lines == by_gender["Female"].lines
    assert nested.to_frame()["value"].iloc[0] == age.value
    women = client.mean("age", base_audience=client["gender"] == "Female")
    assert women.value == pytest.approx(weighted_mean(FRAME[WOMEN], "age"))
    difference = one(by_gender, "Male") - one(by_gender, "Female")
    assert by_gender.test().to_frame()["difference"].tolist() == pytest.approx([difference])
    assert "interval" in by_gender._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert by_gender.table.shape == (1, 2)


def test_the_rows_of_a_question_know_their_figures(client: al.Client) -> None:
    age = client["age"].mean()
    mean = weighted_mean(FRAME, "age")
    assert float(age) == age.value == pytest.approx(mean)
    assert (round(age, 1), f"{age:.1f}", age > 50) == (53.2, "53.2", True)
    assert age - client["age"].median() == pytest.approx(mean - 53)
    assert np.isclose(age, mean)
    assert repr(age) == "<Statistic Age in years: mean = 53.25>"
    assert repr(client["gender"].mean()) == "<Statistic Gender: mean>"
    # Tables and files keep the row alone.
    table = client.crosstab([age, client["q4"].mean()], "gender")
    assert table.statistics is not None
    assert {type(row) for row in table.statistics.rows} == {Statistic}
    assert pickle.loads(pickle.dumps(age)) == age == client.catalogue["age"].mean()
    for verb in ("mean", "median", "sum", "standard_deviation"):
        found = getattr(client["income"], verb)(by="gender", level=0.9)
        wanted = getattr(client, {"sum": "total"}.get(verb, verb))("income", "gender", level=0.9)
        assert found.lines == wanted.lines or verb == "standard_deviation"
    assert client["income"].quantile(0.25).value == weighted_quantile(FRAME, "income", 0.25)
    assert client["q3"].nps(by="waves").lines == client.nps("q3", by="waves").lines
    satisfied = client["q5"].proportion("Satisfied", by="gender")
    shares = client.proportion("q5", by="gender")["Satisfied"]
    assert satisfied["value"].tolist() == shares["value"].tolist()
    with fails(ValueError):
        float(client["age"].mean(by="gender"))


def test_refusals_end_in_a_line_that_works(client: al.Client) -> None:
    with fails(ValueError):
        float(client.mean("age", by="gender"))
    with fails(ValueError):
        client.quantile("income", 25)
    with fails(ValueError):
        client.mean("gender")
    with fails(TypeError):
        client.mean("q1")
    with fails(LookupError):
        client.proportion("Satisfied")
    with fails(ValueError):
        client.correlation("age", "gender")
    with fails(ValueError):
        client.correlation("q4", "age")
    with fails(KeyError):
        client.mean("age", by="gender")["Woman"]


def test_they_are_the_same_over_http_in_a_snapshot_and_for_await(
    client: al.Client, tmp_path: Path
) -> None:
    def figures(of: Any) -> list[Any]:
        ages = of.mean("Age", by="Gender", waves="latest 1").to_frame()
        shares = of.proportion("Pets", by="Gender", waves="latest 1").to_frame()
        people = of.total(of["Gender"] == "Female", waves="latest 1").low
        related = of.correlation("Age", "Sleep", waves="latest 1").standard_error
        return [*ages["standard_error"].tolist(), *shares["high"].tolist(), people, related]

    async def awaited() -> float:
        async with al.connect_async() as other:
            return (await other.mean("Age", waves="latest 1")).value

    with al.connect() as demo:
        with demo.recording(tmp_path / "verbs.audiencelab.jsonl"):
            wanted = figures(demo)
        assert asyncio.run(awaited()) == demo.mean("Age", waves="latest 1").value
        with al.serve() as url, al.connect(url) as served:
            assert figures(served) == wanted
    assert figures(al.connect(snapshot=tmp_path / "verbs.audiencelab.jsonl")) == wanted


def test_a_level_in_per_cent_is_the_same_level(client: al.Client) -> None:
    asked: list[Any] = [
        lambda level: client.mean("age", level=level),
        lambda level: client.median("age", level=level),
        lambda level: client.quantile("age", 0.25, level=level),
        lambda level: client.nps("q3", level=level),
        lambda level: client.proportion("gender", level=level),
        lambda level: client.correlation("age", "income", level=level),
        lambda level: client["age"].mean(level=level),
    ]
    for ask in asked:
        assert repr(ask(90)) == repr(ask(0.9))
        assert ask(90).lines == ask(0.9).lines
    assert client.mean("age", level=95).lines == client.mean("age").lines


def test_answers_without_a_number_are_named_with_how_many_gave_them() -> None:
    bands = ["16-29", "30-44", "45-59", "60+"]
    items = {f"g_{item}": [1, 2, 3, 4, 5, 98] * 10 for item in (1, 2)}
    frame = pd.DataFrame(
        {"band": [*bands * 13, "60+", None] + [None] * 6, **items, "sex": ["f", "m"] * 30}
    )
    client = al.open(frame, weight=None, quiet=True)
    found = client.mean("band")
    assert found.sample == 39
    assert repr(found).endswith(" · '60+' has no number: 14 left out")
    by: Any = client.mean("band", by="sex", base_audience=client["sex"] == "f")
    assert by.left_out == (
        f"'60+' has no number: {int((frame['band'][::2] == '60+').sum())} left out",
    )
    assert "left out" in by._repr_html_()
    assert client.mean(["g", "band"]).left_out == ("band: '60+' has no number: 14 left out",)
    scored = client.edit("band", scores={"60+": 67.5})
    assert scored.mean("band").left_out == ()


def test_figures_on_few_respondents_are_marked_and_a_print_names_the_source() -> None:
    sex = ["f"] * 100 + ["m"] * 99 + ["x"] * 4
    ages = pd.DataFrame({"sex": sex, "age": [20, 30, 40] * 67 + [20] * 2})
    client = al.open(ages, weight=None, quiet=True)
    found = client.mean("age", by="sex")
    marked = re.findall(r"^ +(\w+) +[\d.]+(\**) ", repr(found), re.MULTILINE)
    assert marked == [("All", ""), ("f", ""), ("m", "*"), ("x", "**")]
    shown = found._repr_markdown_().replace("\\", "")
    assert re.findall(r"^\|(\w+)\|[\d.]+(\**)\|", shown, re.MULTILINE) == marked
    words = "* fewer than 100 respondents in the base, ** fewer than 30"
    assert words in shown
    assert repr(found).endswith(words)
    assert str(found).startswith(f"{found!r}\nSource: survey frame (version ")
    assert words not in repr(client.mean("age", by="sex")["f"])
