"""Local operations are the same wherever a survey is reached; `test_one_answer` has the others.

In this process, over HTTP from a served survey, replayed from a snapshot, and out of a pickle.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.analysis.measured import measured
from audiencelab.results.asking import Unanswered
from tests.client.odd_services import opening
from tests.messages import fails

PEOPLE = 900


def respondents() -> pd.DataFrame:
    random = np.random.default_rng(7)
    psu = np.arange(PEOPLE) // 10
    leaning = np.repeat(random.normal(0, 1.2, PEOPLE // 10), 10)
    tea = random.random(PEOPLE) < 1 / (1 + np.exp(-leaning))
    return pd.DataFrame(
        {
            "tea": np.where(tea, "daily", np.where(random.random(PEOPLE) < 0.5, "weekly", "never")),
            "milk": random.choice(["yes", "no"], PEOPLE, p=[0.7, 0.3]),
            "region": random.choice(["North", "East", "South"], PEOPLE, p=[0.5, 0.35, 0.15]),
            "sex": random.choice(["f", "m"], PEOPLE),
            "spent": np.round(random.gamma(2, 4, PEOPLE) + 3 * tea, 1),
            "rated": random.integers(0, 11, PEOPLE),
            "wa": 0.5 + random.integers(0, 8, PEOPLE) / 4,
            "wb": 0.5 + random.integers(0, 3, PEOPLE) / 2,
            "stratum": psu // 30,
            "psu": psu,
        }
    )


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One with strata, clusters and two weights."""
    to = tmp_path_factory.mktemp("local") / "survey"
    with al.open(respondents(), weight=["wa", "wb"], to=to, quiet=True) as client:
        assert client.service is not None
        return client.service.survey


class Analysis(NamedTuple):
    """ask: makes a result. read: what is read of it, which needs the respondents."""

    ask: Callable[[al.Client], Any]
    read: Callable[[Any], pd.DataFrame]


def table(client: al.Client, **given: Any) -> Any:
    return client.crosstab(["tea", "milk"], ["region", "sex"], **given)


def by_sex(client: al.Client) -> dict[str, Any]:
    bases = {name: client["sex"] == name for name in ("f", "m")}
    return {
        name: client.crosstab("tea", "region", base_audience=base) for name, base in bases.items()
    }


ANALYSES = {
    "letters of a base": Analysis(
        lambda client: table(client, base_audience=client["sex"] == "f"),
        lambda it: it.test(correction="holm").to_frame(),
    ),
    "another weight": Analysis(
        lambda client: table(client, weight="wb"), lambda it: it.test().to_frame()
    ),
    "no weight": Analysis(
        lambda client: table(client, weight=None), lambda it: it.test().to_frame()
    ),
    "standouts": Analysis(table, lambda it: it.standouts()),
    "nets": Analysis(
        lambda client: client.crosstab("tea", ["region", "sex"]).nets({"Any": ["daily", "weekly"]}),
        lambda it: it.test().to_frame(),
    ),
    "side by side": Analysis(
        lambda client: al.side_by_side(by_sex(client)), lambda it: it.test().to_frame()
    ),
    "pairs of means": Analysis(
        lambda client: client.crosstab(
            [client["spent"].mean(), client["spent"].mean().named("again")], "region"
        ),
        lambda it: it.test(vs="rows").to_frame(),
    ),
    "test of means": Analysis(
        lambda client: client.stats("spent", splitter="region"),
        lambda it: it.test(midpoints={code: n for n, code in enumerate(it.datapoints)}).to_frame(),
    ),
    "asked": Analysis(
        lambda client: client.crosstab("tea", "sex", base_audience=al.asked("milk")),
        lambda it: it.test().to_frame(),
    ),
}


NEED_PAIRS = ("pairs of means", "standouts", "test of means")
"""What a pickle keeps only if it was asked for before."""


@pytest.fixture(scope="module")
def here(survey: Any) -> Iterator[al.Client]:
    with al.connect(survey=survey, waves="all") as client:
        yield client


@pytest.fixture(scope="module")
def expected(here: al.Client) -> dict[str, pd.DataFrame]:
    return {name: read(ask(here)) for name, (ask, read) in ANALYSES.items()}


@pytest.fixture(scope="module")
def served(survey: Any) -> Iterator[al.Client]:
    with al.serve(survey, token="t") as url, al.connect(url, token="t", waves="all") as client:
        yield client


@pytest.fixture(scope="module")
def snapshot(here: al.Client, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recorded in this process."""
    file = tmp_path_factory.mktemp("recorded") / "all.audiencelab.jsonl"
    with here.recording(file):
        for ask, read in ANALYSES.values():
            read(ask(here))
    return file


def same(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    """Equal to the last digit, and so is the note."""
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    assert found.attrs.get("method_note") == expected.attrs.get("method_note")
    assert "design unknown" not in str(found.attrs.get("method_note"))


@pytest.mark.parametrize("name", ANALYSES)
class TestTheSameEverywhere:
    def test_over_http(
        self, name: str, served: al.Client, expected: dict[str, pd.DataFrame]
    ) -> None:
        ask, read = ANALYSES[name]
        same(read(ask(served)), expected[name])

    def test_replayed(self, name: str, snapshot: Path, expected: dict[str, pd.DataFrame]) -> None:
        ask, read = ANALYSES[name]
        with al.connect(snapshot=snapshot) as client:
            same(read(ask(client)), expected[name])

    def test_out_of_a_pickle(
        self, name: str, here: al.Client, expected: dict[str, pd.DataFrame]
    ) -> None:
        ask, read = ANALYSES[name]
        result = ask(here)
        if name in NEED_PAIRS:
            read(result)
        same(read(pickle.loads(pickle.dumps(result))), expected[name])


def test_a_pickled_table_says_what_it_does_not_hold(here: al.Client) -> None:
    kept = pickle.loads(pickle.dumps(table(here)))
    with fails(Unanswered):
        kept.test_independence()


def test_answers_are_asked_for_once(here: al.Client, tmp_path: Path) -> None:
    with here.recording(tmp_path / "once.jsonl") as recording:
        result = table(here)
        for _ in range(3):
            result.test()
            result.test(vs="rest", correction="bonferroni")
        del recording
    lines = (tmp_path / "once.jsonl").read_text().splitlines()
    assert sum('"/local/precision"' in line for line in lines) == 1


def test_the_first_answer_says_that_a_service_is_ours(survey: Any) -> None:
    women = al.Q("sex").any("sex_1")
    with al.serve(survey, token="t") as url, al.connect(url, token="t") as client:
        result = client.crosstab([al.Q("tea").any("tea_1")], [women, ~women])
        assert "design unknown" not in result.test().method_note


def test_results_outlive_their_client_in_this_process(survey: Any) -> None:
    with al.connect(survey=survey) as client:
        result = table(client)
    assert "design unknown" not in result.test().method_note
    with al.serve(survey, token="t") as url, al.connect(url, token="t") as client:
        result = table(client)
    with fails(RuntimeError):
        result.test()


def test_a_service_that_is_not_ours_is_asked_for_nothing_local() -> None:
    paths: list[str] = []

    def answer(path: str, body: dict[str, Any]) -> Any:
        paths.append(path)
        return {"questions": []} if path.endswith("filter") else stats_answer(body)

    with opening() as opened:
        result = opened(answer).stats("tea", datapoints=["a", "b"])
        assert "design unknown" in result.intervals().attrs["method_note"]
        assert result.ask is None
    assert not [path for path in paths if "/local/" in path]


def stats_answer(body: dict[str, Any]) -> dict[str, Any]:
    metrics = dict.fromkeys(al.schema.METRICS, 40.0)
    rows = [{"datapoint": code, "metrics": metrics, "waves": ["w"]} for code in body["datapoints"]]
    return {"meta": {"question": body["question"]}, "data": rows}


def test_values_of_two_queries_have_no_design(here: al.Client) -> None:
    parts = {
        "North": here.crosstab("tea", "region", locations=["North"]),
        "all": here.crosstab("tea", "region"),
    }
    both = al.side_by_side(parts)
    assert both.asked is None
    assert measured(both, effects=True).unknown == "design unknown"


def test_a_minimum_base_holds_for_tests_too(survey: Any) -> None:
    found: list[pd.DataFrame] = []
    minimum = 60
    serving = al.serve(survey, token="t", minimum_base=minimum)
    with serving as url, al.connect(url, token="t", waves="all") as client:
        result = table(client)
        found += [result.test().to_frame(), result.intervals()]
        independence = client.crosstab("tea", "region").test_independence()
    with al.connect(survey=survey, waves="all") as client:
        known = table(client)
        few = pd.DataFrame(
            known.values("sample") < minimum,
            [row.name for row in known.rows],
            [column.name for column in known.columns],
        )
        whole = known.test().to_frame()
    hidden = np.array(
        [
            few.loc[line.row, line.column] or few.loc[line.row, line.other]
            for line in whole.itertuples()
        ]
    )
    assert found[0]["p"].isna().tolist() == (whole["p"].isna() | hidden).tolist()
    shown = ~hidden
    assert shown.any()
    assert not shown.all()
    same_columns = ["p", "z", "base", "difference"]
    pd.testing.assert_frame_equal(
        found[0].loc[shown, same_columns], whole.loc[shown, same_columns], check_exact=True
    )
    assert found[1]["column_percentage_se"].isna().sum() == few.to_numpy().sum()
    assert independence["note"].tolist() == ["withheld by the service"]


def test_old_snapshots_say_that_they_hold_no_precision() -> None:
    for version in ("v1", "v2"):
        file = Path(__file__).parents[1] / "data" / version / "tea.audiencelab.jsonl"
        with al.connect(snapshot=file) as client:
            result = client.crosstab(
                rows=client.catalogue.audiences("Age"),
                columns=[al.Q("sex").any("sex_1"), ~al.Q("tea").any("tea_1")],
                base_audience=al.Q("where").any("where_1"),
            )
            note = result.test().method_note
        assert "design unknown: tea.audiencelab.jsonl holds no precision of this result" in note
        assert "record it again" in note


def test_a_replay_refuses_respondents(snapshot: Path) -> None:
    with (
        al.connect(snapshot=snapshot) as client,
        fails(LookupError),
    ):
        client.respondents(questions=["tea"])
