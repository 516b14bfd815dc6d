"""Several weights in one survey, one of which is chosen for a query, a client or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab import ingest
from audiencelab.cli import main
from audiencelab.survey import SurveyError
from audiencelab.survey.derivations import Net, NetPoint
from audiencelab.survey.export import export_survey
from audiencelab.survey.update import derive
from tests.client.odd_services import always, opening
from tests.messages import fails

PEOPLE = 500
WEIGHTS = ("wa", "wb", None)


pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def frame() -> pd.DataFrame:
    return respondents()


def respondents() -> pd.DataFrame:
    """Two waves; a fifth of the people have no `wb`, and `wc` is only in the second wave."""
    rng = np.random.default_rng(1)
    made = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], PEOPLE),
            "age": rng.choice(["young", "old", "older"], PEOPLE),
            "drink": rng.choice(["tea", "coffee"], PEOPLE),
            "wave": rng.choice([1, 2], PEOPLE),
            "stratum": rng.choice([1, 2, 3], PEOPLE),
            **{name: rng.uniform(0.3, 3, PEOPLE).round(4) for name in ("wa", "wb", "wc")},
        }
    )
    made.loc[rng.random(PEOPLE) < 0.2, "wb"] = np.nan
    made.loc[made["wave"] == 1, "wc"] = np.nan
    return made


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> al.Client:
    folder = tmp_path_factory.mktemp("weights") / "survey"
    return al.open(respondents(), weight=["wa", "wb", "wc"], to=folder, quiet=True)


def alone(frame: pd.DataFrame, weight: str | None) -> al.Client:
    """The survey imported with that weight and no other."""
    book = ingest.draft_codebook(frame, weight=weight).codebook
    return al.open(frame, codebook=book, quiet=True)


def same(one: Any, other: Any) -> None:
    pd.testing.assert_frame_equal(one.to_frame(), other.to_frame())


@pytest.mark.parametrize("weight", WEIGHTS)
def test_figures_are_those_of_a_survey_with_that_weight_alone(
    client: al.Client, frame: pd.DataFrame, weight: str | None
) -> None:
    one = alone(frame, weight)
    young = al.Q("age").any("age_3")
    table = client.crosstab("drink", ["sex", "age"], weight=weight)
    expected = one.crosstab("drink", ["sex", "age"])
    same(table, expected)
    same(table.test(), expected.test())
    same(table.test(vs="rows"), expected.test(vs="rows"))
    effects, wanted = client.design_effects(table), one.design_effects(expected)
    np.testing.assert_array_equal(effects.effects, wanted.effects)
    np.testing.assert_array_equal(
        client.design_effects(table, "kish").effects, one.design_effects(expected, "kish").effects
    )
    same(client.stats("drink", splitter="sex", weight=weight), one.stats("drink", splitter="sex"))
    asked = ["sex", "drink"]
    same(client.profile(young, asked, weight=weight), one.profile(young, asked))
    pair = client["sex"] == "f", client["drink"] == "tea"
    same(client.overlap(*pair, weight=weight), one.overlap(*pair))
    found, known = client.size(young, weight=weight), one.size(young)
    assert (found.size, found.sample, found.percentage) == (
        known.size, known.sample, known.percentage,
    )  # fmt: skip
    book = client.tab_book("sex", ["drink"], weight=weight)
    same(book["drink"], one.tab_book("sex", ["drink"])["drink"])
    chosen = client.with_options(weight=weight)
    same(chosen.crosstab("drink", ["sex", "age"]), expected)
    stream = client.crosstab_stream("drink", "sex", weight=weight)
    list(stream)
    same(stream.result, one.crosstab("drink", "sex"))
    people = client.respondents(weight=weight)
    assert people["weight"].tolist() == one.respondents()["weight"].tolist()


def test_figures_are_those_of_pandas(client: al.Client, frame: pd.DataFrame) -> None:
    for weight in ("wa", "wb"):
        weighed: Any = frame.dropna(subset=[weight])
        sums = weighed.groupby(["drink", "sex", "wave"])[weight].sum().unstack().mean(axis=1)
        table = client.crosstab("drink", "sex", weight=weight).to_wide("size")
        for drink in ("tea", "coffee"):
            row = table.xs(drink, level="row").iloc[0].tolist()
            assert row == pytest.approx([sums[drink, "f"], sums[drink, "m"]])


def counted(frame: pd.DataFrame, weight: str | None) -> tuple[Any, Any]:
    """The respondents who count by a weight, and their weights."""
    people = frame if weight is None else frame.dropna(subset=[weight])
    return people, np.ones(len(people)) if weight is None else people[weight].to_numpy()


@pytest.mark.parametrize("weight", WEIGHTS)
def test_a_trend_a_chart_and_counts_use_the_weight(
    client: al.Client, frame: pd.DataFrame, weight: str | None
) -> None:
    people, weights = counted(frame, weight)
    sums = pd.Series(weights, people.index).groupby([people["wave"], people["drink"]]).sum()
    shares = (100 * sums.unstack() / sums.unstack().sum(axis=1).to_numpy()[:, None])["tea"]
    trend = client.trend("drink", weight=weight).to_frame()
    tea = trend[trend["datapoint_label"] == "tea"]
    assert tea["column_percentage"].tolist() == pytest.approx(shares.tolist())
    share = 100 * sums.groupby("drink").sum()["tea"] / weights.sum()
    for chosen, given in ((client, {"weight": weight}), (client.with_options(weight=weight), {})):
        found = chosen.frequencies("drink", **given).to_frame().set_index("datapoint_label")
        assert found["column_percentage"]["tea"] == pytest.approx(share)
        size = chosen.count(client["drink"] == "tea", **given)
        assert (size.percentage, size.sample) == pytest.approx(
            (share, (people["drink"] == "tea").sum())
        )
    made = client.charts.create("Drinks", attributes=[("drink", "drink_1"), ("drink", "drink_2")])
    chart = client.with_options(weight=weight).charts.calculate(made.id)
    found = chart.to_frame().set_index("datapoint_label")
    assert found["column_percentage"]["tea"] == pytest.approx(share)
    assert chart.provenance["weight"] == (weight or "none, everybody counts as one")


@pytest.mark.parametrize("weight", WEIGHTS)
def test_the_test_of_independence_uses_the_weight(
    client: al.Client, frame: pd.DataFrame, weight: str | None
) -> None:
    people, weights = counted(frame, weight)
    found = client.crosstab("drink", "age", weight=weight).test_independence()
    pd.testing.assert_frame_equal(
        found, alone(frame, weight).crosstab("drink", "age").test_independence()
    )
    sums = pd.Series(weights, people.index).groupby([people["drink"], people["age"]]).sum()
    shares = sums.unstack().to_numpy() / weights.sum()
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    chi2 = len(people) * ((shares - expected) ** 2 / expected).sum()
    assert found["chi2"].tolist() == pytest.approx([chi2])


@pytest.mark.parametrize("weight", WEIGHTS)
def test_statistics_in_a_table_use_the_weight(frame: pd.DataFrame, weight: str | None) -> None:
    frame["drinks"] = np.arange(PEOPLE) % 11
    several, one = al.open(frame, weight=["wa", "wb"], quiet=True), alone(frame, weight)

    def rows(client: al.Client) -> list[Any]:
        drinks = client["drinks"]
        return [drinks.mean(), drinks.sum(), drinks.median(), drinks.nps()]

    table = several.crosstab(rows(several), "sex", weight=weight)
    same(table, one.crosstab(rows(one), "sex"))
    same(table, several.with_options(weight=weight).crosstab(rows(several), "sex"))
    people, weights = counted(frame, weight)
    women = (people["sex"] == "f").to_numpy()
    drinks, weights = people["drinks"].to_numpy()[women], weights[women]
    order = np.argsort(drinks, kind="stable")
    half = np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)
    promoters = 100 * (drinks >= 9) - 100.0 * (drinks <= 6)
    expected = [
        np.average(drinks, weights=weights),
        (drinks * weights).sum() / 2,
        drinks[order][half],
        np.average(promoters, weights=weights),
    ]
    women_found = table.to_frame().query("column == 'f'")["value"].dropna()
    assert women_found.tolist() == pytest.approx(expected)


def test_waves_without_a_weight_are_left_out(client: al.Client, frame: pd.DataFrame) -> None:
    second = frame[frame["wave"] == 2]
    table = client.crosstab("drink", "sex", weight="wc")
    same(table, alone(second, "wc").crosstab("drink", "sex"))
    assert [wave.code for wave in client.with_options(weight="wc").waves()] == ["wave_2"]
    # The same client still has all of its waves.
    assert len(client.waves()) == 2
    with fails(al.client.UnknownCodeError):
        client.crosstab("drink", weight="wc", waves=["wave_1"])


def test_the_weight_is_stated(client: al.Client, frame: pd.DataFrame) -> None:
    usual = client.crosstab("drink", "sex")
    assert repr(usual).endswith("weight: wa>")
    assert "Weight: wb" in client.crosstab("drink", "sex", weight="wb").to_html()
    assert repr(client.stats("drink", weight=None)).endswith(", unweighted>")
    assert "; weight: wb" in repr(client.size(client["sex"] == "f", weight="wb"))
    chosen = client.with_options(weight="wb")
    assert "weight wb" in repr(chosen)
    assert "weight" not in repr(chosen.with_options(weight="wa"))
    assert repr(alone(frame, "wa").crosstab("drink")).endswith(", weight: wa>")
    assert repr(alone(frame, None).crosstab("drink")).endswith(", unweighted>")
    assert repr(alone(frame, None).size()).endswith("; unweighted")


def test_code_has_the_weight(client: al.Client, frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "study.csv"
    frame.to_csv(path, index=False)
    opened = al.open(path, weight=["wa", "wb"], quiet=True)
    chosen = opened.with_options(weight="wb")
    again = eval(chosen.to_code(), {"al": al})
    assert repr(again) == repr(chosen)
    same(again.crosstab("drink", "sex"), opened.crosstab("drink", "sex", weight="wb"))


@pytest.mark.parametrize("widget", [al.Crosstab, al.Workbench])
def test_widgets_use_the_weight_of_their_client(client: al.Client, widget: Any) -> None:
    shown = widget(client.with_options(weight="wb"), "drink", "sex")
    same(shown, client.crosstab("drink", "sex", weight="wb"))
    [saved, *_] = shown._repr_mimebundle_()
    assert "Weight: wb" in saved["text/html"]


def test_a_client_lists_its_weights(client: al.Client, frame: pd.DataFrame, tmp_path: Path) -> None:
    assert client.weights == ("wa", "wb", "wc", None)
    assert client.with_options(weight="wb").weights == ("wb", "wa", "wc", None)
    assert client.with_options(weight=None).weights == (None, "wa", "wb", "wc")
    assert alone(frame, "wa").weights == ("wa", None)
    assert alone(frame, None).weights == (None,)
    assert al.connect("http://127.0.0.1:9", token="t").weights == ()
    file = tmp_path / "weights.audiencelab.jsonl"
    with client.recording(file):
        client.size()
    assert al.connect(snapshot=file).weights == client.weights


def test_weights_that_cannot_be_chosen_say_why(client: al.Client, tmp_path: Path) -> None:
    with fails(SurveyError):
        client.crosstab("drink", weight="wd")
    with fails(TypeError):
        client.crosstab("drink", weight=cast(Any, pd.Series([1.0, 2.0])))
    with opening() as opened:
        remote = opened(always({"questions": []}))
        young = al.Q("age").any("age_1")
        for refused in (
            lambda: remote.crosstab(young, weight="wa"),
            lambda: remote.with_options(weight=None).crosstab(young),
            lambda: opened(always({"questions": []}), weight="wa").stats("drink"),
        ):
            with fails(LookupError):
                refused()
    usual, other = client.crosstab("drink", "sex"), client.crosstab("drink", "sex", weight="wb")
    with fails(ValueError):
        al.side_by_side({"usual": usual, "other": other})


def test_a_recording_tells_weights_apart(client: al.Client, tmp_path: Path) -> None:
    file = tmp_path / "weights.audiencelab.jsonl"
    with client.recording(file):
        tables = {weight: client.crosstab("drink", "sex", weight=weight) for weight in WEIGHTS}
    replay = al.connect(snapshot=file, waves="all")
    for weight, table in tables.items():
        found = replay.crosstab("drink", "sex", weight=weight)
        same(found, table)
        assert found.provenance["weight"] == table.provenance["weight"]
    with pytest.raises(al.client.SnapshotMiss):
        replay.crosstab("drink", "sex", weight="wc")


def test_new_versions_and_exports_keep_all_weights(frame: pd.DataFrame, tmp_path: Path) -> None:
    folder = tmp_path / "survey"
    client = al.open(frame, weight=["wa", "wb"], to=folder, quiet=True)
    expected = client.crosstab("drink", "sex", weight="wb")
    survey = derive(client.service.survey, _net())
    # The client that was open before takes the new version, for every weight.
    assert client.size(al.Q("net").any(), weight="wb").percentage == 100
    same(al.open(folder, weight="wb").crosstab("drink", "sex"), expected)
    export_survey(survey, tmp_path / "answers.parquet")
    back = al.open(tmp_path / "answers.parquet", codebook=tmp_path / "answers.toml", quiet=True)
    same(back.crosstab("drink", "sex", weight="wb"), expected)


def _net() -> Net:
    points = (NetPoint("Any", ("drink_1", "drink_2")),)
    return Net(code="net", name="Any drink", question="drink", datapoints=points)


def test_the_command_line_takes_several_weights(
    frame: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "study.csv", tmp_path / "survey"
    frame.to_csv(path, index=False)
    options = ["--weight", "wa", "--weight", "wb", "-q", "-o", str(out)]
    assert main(["import", str(path), *options]) == 0
    assert 'others = [\n    "wb",\n]' in (tmp_path / "survey.toml").read_text() or (
        'others = ["wb"]' in (tmp_path / "survey.toml").read_text()
    )
    assert main(["survey", "info", str(out)]) == 0
    assert "weight: wa; other weights: wb" in capsys.readouterr().out
    assert main(["crosstab", str(out), "--weight", "wb", "--rows", "drink"]) == 0
    assert "Weight: wb" in capsys.readouterr().out
    book = tmp_path / "book.html"
    given = ["--banner", "sex", "--questions", "drink", "--out", str(book)]
    assert main(["tab-book", str(out), "--weight", "wb", *given]) == 0
    assert "Weight: wb" in book.read_text(encoding="utf-8")
    assert main(["crosstab", str(out), "--no-weight", "--rows", "drink"]) == 0
    assert "Unweighted" in capsys.readouterr().out
    assert main(["crosstab", str(out), "--weight", "wx", "--rows", "drink"]) == 2
    assert "has no weight 'wx'" in capsys.readouterr().err


def test_respondents_of_weight_0_count_nowhere_under_that_weight(frame: pd.DataFrame) -> None:
    frame["half"] = np.where(np.arange(PEOPLE) % 2, 0.0, frame["wa"])
    frame["years"] = np.arange(PEOPLE) % 70
    client = al.open(frame, weight=["half", "wa"], quiet=True)
    without = al.open(frame[frame["half"] > 0], weight="half", quiet=True)

    def figures(of: al.Client) -> list[pd.DataFrame]:
        female, tea = of["sex"] == "f", of["drink"] == "tea"
        return [
            of.crosstab(["drink", al.mean("years")], "sex").to_frame(),
            of.crosstab("drink", "sex").intervals(design="auto"),
            of.crosstab("drink", "sex").test(vs="rest").to_frame(),
            of.stats("years", splitter="waves").to_frame(),
            of.overlap(female, tea).to_frame(),
            of.profile(female, ["drink"]).to_frame(),
            of.size([female, tea]),
            # The rows of the two frames have other numbers.
            of.respondents([female]).drop(columns="row"),
        ]

    for found, expected in zip(figures(client), figures(without), strict=True):
        # They were drawn all the same, which the design knows: standard errors may differ.
        errors = [name for name in found if name.endswith(("_error", "_se", "_low", "_high"))]
        errors += [name for name in ("base", "other_base", "z", "p", "p_adjusted") if name in found]
        pd.testing.assert_frame_equal(found.drop(columns=errors), expected.drop(columns=errors))
    assert client.crosstab("drink").base_sample == PEOPLE / 2
    for weight in ("wa", None):
        assert client.crosstab("drink", weight=weight).base_sample == PEOPLE
