"""The code that a result writes makes an equal one, of each kind of result."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import audiencelab as al
from audiencelab import tables
from audiencelab.client import Client

PAGES = Path(__file__).parents[2] / "docs"

Make = Callable[[Client], Any]
"""Makes a result with a client of `client` or of `own`, which have questions of the same codes."""


@pytest.fixture(scope="module")
def client() -> Client:
    """The demo survey, with all that a client can say of its calls."""
    women = al.connect().filter(al.Q("q2").any("q2_2").named("Frauen"))
    return women.with_options(waves="2025", weight=None)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Client:
    """A survey of one's own with two weights and waves, whose labels look like code."""
    people = range(240)
    frame = pd.DataFrame(
        {
            "alter": [("18 – 34", "35 – 54", "55+")[(each * 7) % 11 % 3] for each in people],
            "marke": [("Ärzte 'A'", 'B ("x")', "C; weiß nicht")[each % 7 % 3] for each in people],
            "note": [float(each % 5 + 1) for each in people],
            "alter2": [18.0 + each % 60 for each in people],
            "w1": [1 + each % 3 / 2 for each in people],
            "w2": [1 + each % 4 / 4 for each in people],
            "welle": [("2024", "2025")[each % 2] for each in people],
        }
    )
    to = tmp_path_factory.mktemp("own") / "befragung"
    return al.open(frame, weight=["w1", "w2"], wave="welle", to=to, quiet=True)


def _windows(client: Client) -> Any:
    return client.stats("Gender", splitter="waves").moving_average(2, level=0.9)


def _amounts(client: Client) -> dict[str, float]:
    scale = client["Trust in sources"].suffixes
    return {each.code: each.midpoint.value for each in scale if each.midpoint}


def _calculated(client: Client) -> Any:
    made = client.charts.create("Age", attributes=[("q4", "q4_2")])
    return client.charts.calculate(made.id)


def _age(client: Client) -> Any:
    return client["Age"].isin(["18 to 24", "25 to 34"])


def _pair(client: Client) -> list[Any]:
    return [_age(client).named("Jung"), client["Pets"] == "Dog"]


DEMO: dict[str, Make] = {
    "CrosstabResult": lambda client: client.crosstab("Pets", "Age"),
    "CrosstabResult of groups": lambda client: client.crosstab(
        {"Tiere": ["Pets", al.mean("Age")], "Jung": _age(client)}, "Market > Age", waves="latest 1"
    ),
    "CrosstabResult by waves": lambda client: client.crosstab(
        [al.top_box("Trust in sources", 2), client["Pets"].net("Dog", "Cat")],
        ["waves", *_pair(client)],
        base_audience="Interests",
        locations=["Japan", "Germany"],
    ),
    "CrosstabResult of boxes": lambda client: client.crosstab(
        [client["The year ahead"].top_box(2), client["The year ahead"].bottom_box(2)],
        client["Pets"].net("Dog", "Cat"),
    ),
    "CrosstabResult of columns": lambda client: client.crosstab(columns=["Age", "Total"]),
    "CrosstabResult of a grid": lambda client: client.crosstab("Trust in sources"),
    "CrosstabResult with nets": lambda client: client.crosstab("Age", "Market").nets(
        {"Under 25": ["16 to 17", "18 to 24"]}
    ),
    "CrosstabResult with boxes": lambda client: client.crosstab("The year ahead", "Age").boxes(
        2, 0, of="scale"
    ),
    "StatsResult": lambda client: client.stats(
        "Pets", datapoints=["Dog", "Cat"], audiences=_pair(client), splitter="Age"
    ),
    "StatsResult of segments": lambda client: client.stats(
        "Age", splitter="Market", segments=["Japan", "Germany"], segmented_base=True
    ),
    "StatsResult by waves": lambda client: client.trend("Pets", base_audience=_age(client)),
    "StatsResult of a grid": lambda client: client.stats("Trust in sources"),
    "StatsResult of an item": lambda client: client["media.m21_1"].stats(splitter="waves"),
    "StatsResult rebased": lambda client: client.stats("Age").rebased_to_answered(),
    "StatsResult with nets": lambda client: client.stats("Age").nets({"x": ["18 to 24"]}),
    "GridResult": lambda client: client.grid("Trust in sources", audiences="Age"),
    "GridResult rebased": lambda client: client.grid("Trust in sources").rebased_to_answered(),
    "Comparison": lambda client: client.crosstab("Pets", "Age").test(),
    "Comparison with options": lambda client: client.crosstab("Pets", ["Age", "Market"]).test(
        vs="rest", levels=(0.99, 0.9), correction="holm", design=1.4, nets=["18 to 24"]
    ),
    "Comparison by effects": lambda client: (table := client.crosstab("Pets", "Age")).test(
        design=client.design_effects(table)
    ),
    "Comparison of means": lambda client: client.stats("Age", audiences="Market").test(
        midpoints={"18 to 24": 21, "25 to 34": 30.5}, disjoint=True
    ),
    "Comparison of a grid": lambda client: client.grid("Trust in sources", audiences="Age").test(
        _amounts(client)
    ),
    "Comparison of windows": lambda client: _windows(client).test(vs="previous window"),
    "Comparison of estimates": lambda client: client.mean("Age", by="Market").test(levels=0.9),
    "Estimates": lambda client: client.mean(["Age", "Sleep"], by="Market", level=0.9),
    "Estimates of shares": lambda client: client.proportion(
        "Gender = Female and Age = 18 to 24", by=["Market", {"Paar": _pair(client)}]
    ),
    "Estimates of a group": lambda client: client.total("Pets", by="Market")["Japan"],
    "Estimates of a question": lambda client: client["Trust in sources"].mean(by="Age"),
    "Estimates of parts": lambda client: client["The year ahead"].nps(
        amounts={"Much better": 10, "Much worse": 0}, parts=True, by="Age"
    ),
    "Estimates of two": lambda client: client.correlation("Age", "Sleep", waves="latest 1"),
    "Estimates of quantiles": lambda client: client.quantile("Age", [0.25, 0.75]),
    "MovingAverage": _windows,
    "OverlapResult": lambda client: client.overlap(_pair(client)),
    "OverlapResult of answers": lambda client: client.overlap(
        client["Pets"].audiences("Dog", "Cat", "Fish"), weight=None
    ),
    "TurfResult": lambda client: client.turf("Pets", 3, exclude="No pets", must="Fish", top=2),
    "ProfileResult": lambda client: client.profile(_age(client), ["Pets", "Trust in sources"]),
    "ProfileResult of a name": lambda client: client.profile(
        _age(client).named("Jung"), client.catalogue.search("coffee"), adjust="Market"
    ),
    "CrosstabResult of a profile": lambda client: client.profile(_age(client), "Pets").to_crosstab(
        min_sample=30
    ),
    "SummaryTable": lambda client: client.summary_table(
        ["Age", "Pets"],
        by="Market",
        statistics={"Age": "median"},
        missing=False,
        sort="descending",
        stars=(50, 20),
    ),
    "TabBook": lambda client: client.tab_book(["Age", "waves"], ["Pets", "The year ahead"]),
    "TabBook of rules": lambda client: client.tab_book(
        "Age",
        client.catalogue.search("trust"),
        rows={"grid": ["top 2", "mean"], "Age": {"Under 25": ["16 to 17", "18 to 24"]}},
    ),
    "CrosstabResult of a book": lambda client: client.tab_book("Age", ["Pets", "Sleep"])["Sleep"],
    "Correspondence": lambda client: client.crosstab("Pets", "Age").correspondence("No pets"),
    "Coverage": lambda client: client.coverage(client["Trust in sources"].any()),
    "DesignEffects": lambda client: client.design_effects(
        client.crosstab("Pets", "Age", waves="latest 1"), "kish", lonely="certainty"
    ),
    "QuantileGroups": lambda client: client.quantile_groups("Short video a day", 3),
    "ChartCalculationResult": _calculated,
    "Chart": lambda client: client.crosstab("Pets", "Age").chart.heatmap("row", theme="dark"),
    "Chart with a title": lambda client: _windows(client).chart.trend().properties(title="Who"),
    "Chart of points": lambda client: client.mean("Age", by="Market").chart.points(),
    "Chart beside a chart": lambda client: (
        client.crosstab("Pets").chart.bar() | client.grid("Trust in sources").chart.stack()
    ),
    "Chart by a function": lambda client: al.charts.profile(
        client.profile(_age(client), "Pets").to_crosstab()
    ),
    "AudienceSize": lambda client: client.size("Age = 18 to 24"),
}

OWN: dict[str, Make] = {
    "CrosstabResult": lambda own: own.crosstab("marke", ["alter", "waves"]),
    "CrosstabResult unweighted": lambda own: own.crosstab(
        ["marke", al.mean("note")], "alter", weight=None, waves=["2025"]
    ),
    "CrosstabResult by a weight": lambda own: own.crosstab("marke", "alter", weight="w2"),
    "CrosstabResult of everyone": lambda own: own.crosstab("marke", base_of="everyone"),
    "CrosstabResult of bins": lambda own: own.crosstab(own["alter2"].bins([18, 30, 50]), "marke"),
    "CrosstabResult of options": lambda own: own.with_options(
        weight=None, base_of="everyone", waves="2024"
    ).crosstab("marke", "alter"),
    "Comparison": lambda own: own.crosstab("marke", "alter", weight="w2").test(),
    "Comparison by waves": lambda own: own.trend("marke").test(vs="previous wave"),
    "Estimates": lambda own: own.mean("note", by="alter", weight="w2"),
    "OverlapResult": lambda own: own.overlap(own["marke"] == "C; weiß nicht", own["note"] > 3),
    "TabBook": lambda own: own.tab_book("alter", ["marke", "note"], weights=["w1", "w2", None]),
    "TabBook of a weight": lambda own: own.tab_book(
        "alter", ["marke"], weights=["w1", "w2"]
    ).weights["w2"],
    "SummaryTable": lambda own: own.summary_table(by="alter", weight="w2"),
}


def _figures(result: Any) -> Any:
    if isinstance(result, tables.TabBook):
        return {
            (weight, name): table.to_frame()
            for weight, book in ({"": result} | result.weights).items()
            for name, table in book.items()
        }
    if isinstance(result, al.charts.Chart):
        return {"": str(result.to_dict() | {"usermeta": {}})}
    return {"": result.to_frame() if hasattr(result, "to_frame") else repr(result)}


def _require_equal(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    first, second = _figures(one), _figures(other)
    assert [*first] == [*second]
    for name, each in first.items():
        if isinstance(each, str):
            assert each == second[name]
        else:
            # Ids are numbered by the query, and a book asks for many questions at once.
            frames = (
                frame.drop(columns="row_id", errors="ignore") for frame in (each, second[name])
            )
            pd.testing.assert_frame_equal(*frames)


def _check(client: Client, make: Make, made_with: Client) -> None:
    result = make(client)
    code = result.to_code()
    assert code.startswith("client")
    assert max(map(len, code.splitlines())) <= 110
    _require_equal(result, eval(code, {"al": al, "client": made_with}))
    assert result.to_code() == code


@pytest.mark.parametrize("kind", DEMO)
def test_code_makes_an_equal_result(client: Client, kind: str) -> None:
    # Saved charts are those of one client; all else a client without options counts alike.
    _check(client, DEMO[kind], client if kind == "ChartCalculationResult" else al.connect())
    if kind in ("CrosstabResult by waves", "OverlapResult", "Estimates", "TabBook"):
        _check(client, DEMO[kind], client)


@pytest.mark.parametrize("kind", OWN)
def test_code_makes_an_equal_result_of_a_survey_of_ones_own(own: Client, kind: str) -> None:
    _check(own, OWN[kind], own)


def test_every_public_result_has_code() -> None:
    made = {name.partition(" ")[0] for name in DEMO}
    exported = {name for name in tables.__all__ if hasattr(getattr(tables, name), "to_code")}
    assert exported - made == {"InsightsPage"}
    assert {"Chart", "AudienceSize"} < made


def test_a_chart_says_that_altair_changed_it(client: Client) -> None:
    chart = client.crosstab("Pets").chart.bar()
    changed = chart.configure_axis(grid=True)
    assert changed.to_code() == f"{chart.to_code()}  # changed by altair"


def test_a_pickled_result_keeps_its_code(client: Client) -> None:
    tested = client.crosstab("Pets", "Age").nets({"Hund": ["Dog"]}).test()
    kept = pickle.loads(pickle.dumps(tested))
    assert kept.to_code() == tested.to_code()


def test_the_page_about_results_shows_code_that_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (PAGES / "explanation" / "results.md").read_text("utf-8")
    [block] = re.findall(r"```python\n(.*?)```", page.partition("## The code of a result")[2], re.S)
    names: dict[str, Any] = {"client": al.connect()}
    exec(block, names)
    tests, chart = capsys.readouterr().out.split("\nclient.crosstab('Pets', 'Gender')")
    assert repr(eval(tests, names)) == repr(names["tests"])
    assert chart.strip() == ".chart.heatmap('row')"
