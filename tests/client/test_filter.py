"""`client.filter`: every call of it counts its base, as one that names it, or as a smaller file."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.survey import Survey
from tests.client.every_transport import TRANSPORTS, through
from tests.first_hour import tracker
from tests.messages import fails


class Surveys(NamedTuple):
    """Everyone, and women as the rows of a frame of their own."""

    whole: al.Client
    women: al.Client


@pytest.fixture(scope="module")
def surveys() -> Surveys:
    df = tracker.frame()
    design = {"strata": "region", "clusters": "psu"}
    # One codebook: a file of women alone would be banded in another way.
    book = draft_codebook(df, weight="weight", **design).codebook  # pyright: ignore
    return Surveys(
        al.open(df, codebook=book, quiet=True),
        al.open(df[df["gender"] == 2], codebook=book, quiet=True),
    )


def base_of(client: al.Client) -> al.Expression:
    return client["gender"] == "2"


def young(client: al.Client) -> al.Expression:
    return client["agegrp"] == "1"


def table_of(client: al.Client, **given: Any) -> al.CrosstabResult:
    return client.crosstab(["q5", client["age"].mean()], ["region", "waves"], **given)


def items_of(client: al.Client) -> list[al.Audience]:
    return [*client["q1"].audiences()][:3]


Call = Callable[..., Any]

CALLS: dict[str, Call] = {
    "crosstab": lambda c, **b: c.crosstab("q5", ["region", "waves"], **b),
    "no columns": lambda c, **b: c.crosstab("q8", **b),
    "tests": lambda c, **b: table_of(c, **b).test(),
    "intervals": lambda c, **b: table_of(c, **b).intervals(),
    "design effects": lambda c, **b: c.design_effects(c.crosstab("q5", "region", **b)),
    "stream": lambda c, **b: [*c.crosstab_stream("q5", "region", **b)][-1].result,
    "stats": lambda c, **b: c.stats("q5", audiences="region", **b),
    "by waves": lambda c, **b: c.stats("q2", splitter="waves", **b),
    "trend": lambda c, **b: c.trend("q5", **b),
    "grid": lambda c, **b: c.grid("q4", **b),
    "size": lambda c, **b: c.size("agegrp", **b),
    "size of one": lambda c, **b: one_size(c.size(young(c), **b)),
    "overlap": lambda c, **b: c.overlap(items_of(c), **b),
    "turf": lambda c, **b: c.turf("q1", 3, **b),
    "profile": lambda c, **b: c.profile(young(c), ["q5", "q1"], **b),
    "adjusted": lambda c, **b: c.profile(young(c), ["q5"], adjust="region", **b),
    "quantile groups": lambda c, **b: c.quantile_groups("hhsize", 3, **b),
    "respondents": lambda c, **b: c.respondents(young(c), questions="q5", amounts="age", **b),
    "correlation": lambda c, **b: c.correlation("age", "income", "region", **b),
    "mean": lambda c, **b: c.mean(["age", "income"], "region", **b),
    "median": lambda c, **b: c.median("age", "region", **b),
    "quantile": lambda c, **b: c.quantile("age", [0.1, 0.9], **b),
    "total": lambda c, **b: c.total("income", "region", **b),
    "proportion": lambda c, **b: c.proportion(young(c), "region", **b),
    "nps": lambda c, **b: c.nps("q3", **b),
    "ratio": lambda c, **b: c.ratio("income", "age", **b),
    "standard deviation": lambda c, **b: c.standard_deviation("age", "region", **b),
    "describe": lambda c, **b: c.describe("age", **b),
    "summary table": lambda c, **b: c.summary_table(["age", "q5"], "region", **b).to_frame(),
    "tab book": lambda c, **b: pd.concat([t.to_frame() for t in book_of(c, **b)]),
}


OF_THE_SAMPLE = (
    *("tests", "intervals", "design effects", "adjusted", "summary table", "correlation", "mean"),
    *("median", "quantile", "total", "proportion", "nps", "ratio", "describe"),
)
"""Calls with standard errors: sampling points without women are in the sample, as R's `subset` has
it, and in no file of women alone."""


def one_size(size: Any) -> pd.DataFrame:
    numbers = (size.size, size.sample, size.percentage, size.base_size, size.base_sample)
    return pd.DataFrame([numbers])


def book_of(client: al.Client, **given: Any) -> list[al.CrosstabResult]:
    book = client.tab_book("region", ["q5", "q8", "q1", "q4"], **given)
    return [*book.values()]


def frame_of(result: Any) -> pd.DataFrame:
    return result if isinstance(result, pd.DataFrame) else result.to_frame()


@pytest.mark.parametrize("name", CALLS)
def test_every_call_of_a_filtered_client_counts_its_base(name: str, surveys: Surveys) -> None:
    whole, call = surveys.whole, CALLS[name]
    filtered = whole.filter(base_of(whole))
    found = frame_of(call(filtered))
    pd.testing.assert_frame_equal(found, frame_of(call(whole, base_audience=base_of(whole))))
    assert len(found)
    # Of a file of women, whose base is everyone.
    alone = frame_of(call(surveys.women))
    if name in OF_THE_SAMPLE:
        if "value" in found:
            np.testing.assert_allclose(found["value"], alone["value"], rtol=1e-9)
        return
    both = [each.select_dtypes("number").reset_index(drop=True) for each in (found, alone)]
    assert list(both[0]) == list(both[1])
    if name == "respondents":
        # Sampling points are numbered in the sample.
        both = [each.sort_values("respid").drop(columns="cluster") for each in both]
    np.testing.assert_allclose(*(each.to_numpy() for each in both), rtol=1e-9, atol=1e-9)


def test_every_call_that_takes_a_base_is_among_them() -> None:
    methods = {name: getattr(al.Client, name) for name in dir(al.Client) if name[0] != "_"}
    taking = {
        name
        for name, method in methods.items()
        if callable(method) and "base_audience" in inspect.signature(method).parameters
    }
    others = {"count", "frequencies", "profile_stream", "with_options"}
    tried = set(re.findall(r"\bc(?:lient)?\.(\w+)\(", Path(__file__).read_text(encoding="utf-8")))
    assert taking - others <= tried


@pytest.mark.parametrize("name", CALLS)
def test_a_base_without_respondents_is_an_empty_answer(name: str, surveys: Surveys) -> None:
    nobody = surveys.whole.filter(surveys.whole["age"] > 300)
    if name in ("turf", "quantile groups"):
        with fails(ValueError):
            CALLS[name](nobody)
        return
    found = frame_of(CALLS[name](nobody))
    assert not found.get("sample", pd.Series([0])).fillna(0).any()


CONDITIONS: dict[str, Callable[[al.Client], al.Client]] = {
    "an expression": lambda c: c.filter((c["gender"] == "Female") & (c["age"] >= 35)),
    "several": lambda c: c.filter(c["gender"] == "Female", c["age"] >= 35),
    "a list": lambda c: c.filter([c["gender"] == "Female", c["age"] >= 35]),
    "one after another": lambda c: c.filter(gender="Female").filter(c["age"] >= 35),
    "a mapping": lambda c: c.filter({"Gender": "Female"}, c["age"] >= 35),
    "a function": lambda c: c.filter(lambda c: (c["gender"] == "Female") & (c["age"] >= 35)),
    "a text": lambda c: c.filter("gender == 'Female' and age >= 35"),
    "of other programs": lambda c: c.query("Gender = Female & age => 35"),
    "twice": lambda c: c.filter(c["age"] >= 35, gender="Female").filter(c["age"] >= 35),
    "by name": lambda c: c.filter(al.Q("Gender") == "Female", al.Q("Age in years") >= 35),
    "and a base": lambda c: c.filter(gender="Female").with_options(
        base_audience=(c["age"] >= 35) & (c["gender"] == "Female")
    ),
}


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> al.Client:
    return al.open(tracker.write(tmp_path_factory.mktemp("labelled")), quiet=True)


@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions_are_joined_with_and(name: str, labelled: al.Client) -> None:
    df = tracker.frame()
    rows = (df["gender"] == 2) & (df["age"] >= 35)
    client = CONDITIONS[name](labelled)
    assert client.size().sample == rows.sum()
    within = client.size(labelled["region"] == "North", base_audience=labelled["q5"].any())
    assert within.base_sample == (rows & df["q5"].notna()).sum() + unanswered(df[rows])
    north = rows & (df["region"] == 1)
    assert within.sample == (north & df["q5"].notna()).sum() + unanswered(df[north])
    # What makes the client again counts the same.
    again = eval(client.to_code(), {"al": al})
    assert again.base_audience.expression == client.base_audience.expression  # type: ignore[union-attr]
    assert "Female" in repr(client) or name == "by name"


def unanswered(df: pd.DataFrame) -> int:
    """Who said that they do not know, which is an answer of the file."""
    return int(df["q5"].isna().sum())


def test_waves_of_a_filter_are_the_time_window(labelled: al.Client) -> None:
    df = tracker.frame()
    for given in (4, "Q4 2026", ["Q4 2026"]):
        last = labelled.filter(wave=given, gender="Female")
        assert last.size().sample == ((df["wave"] == 4) & (df["gender"] == 2)).sum()
        assert last.crosstab("q5").provenance["waves"] == ["wave_4"]
    with fails(ValueError):
        labelled.filter(wave=4).filter(wave=3)


def test_results_and_lists_say_the_base(labelled: al.Client) -> None:
    women = labelled.filter(labelled["gender"] == "Female")
    table = women.crosstab("q5", "region")
    assert table.provenance["base_audience"] == "Gender is Female"
    assert "Base: Gender is Female who answered" in table.to_markdown()
    assert [each.sample for each in women.waves()] == counted_by_wave(tracker.frame())
    assert women.coverage(women["q8"].any()).audience.describe(women.catalogue) == (
        "Gender is Female, and Reason for leaving is any answer"
    )
    assert repr(women["age"].bins([30, 50])) == repr(labelled["age"].bins([30, 50]))
    named = labelled.filter((labelled["gender"] == "Female").named("Women"))
    assert "base: Women" in repr(named)
    joined = named.filter((labelled["age"] >= 60).named("60 and over"))
    assert joined.crosstab("q5").provenance["base_audience"] == "Women · 60 and over"


def counted_by_wave(df: pd.DataFrame) -> list[int]:
    return df[df["gender"] == 2].groupby("wave").size().tolist()


REFUSED: dict[str, Callable[[al.Client], object]] = {
    "a column of a frame": lambda c: c.filter(tracker.frame()["gender"] == 2),  # type: ignore[arg-type]
    "an array": lambda c: c.filter(np.array([True, False])),  # type: ignore[arg-type]
    "a truth value": lambda c: c.filter(True),  # type: ignore[arg-type]
    "nothing": lambda c: c.filter(None),  # type: ignore[arg-type]
    "a statistic": lambda c: c.filter(c["age"].mean()),  # type: ignore[arg-type]
    "no question": lambda c: c.filter(gendr="Female"),
    "no question in an expression": lambda c: c.filter(al.Q("gendr") == "Female"),
    "no answer": lambda c: c.filter({"gender": "Femal"}),
    "no answer in an expression": lambda c: c.filter(al.Q("gender") == "Femal"),
    "another survey": lambda c: c.filter(al.Q("core.q17").any("q17_1")),
    "a text that is none": lambda c: c.filter("age is more than 30"),
    "a text with a name that is none": lambda c: c.filter("gendr == 'Female'"),
    "a weight for some": lambda c: c.filter(gender="Female").rake({"region": {"North": 100}}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_a_condition_says_what_to_write(name: str, labelled: al.Client) -> None:
    with fails((TypeError, ValueError, al.AudienceError)):
        REFUSED[name](labelled)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_it_is_the_same_through_every_transport(
    transport: str, survey: Survey, tmp_path: Path
) -> None:
    def case(client: Any) -> Any:
        women = client.filter(al.Q("q2").any("q2_2"))
        return women.size(al.Q("q4").any("q4_2")), women.crosstab("q4", "q2")

    with through(transport, survey, case, tmp_path) as client:
        size, table = case(client)
    with al.connect(survey=survey) as whole:
        base = {"base_audience": al.Q("q2").any("q2_2")}
        assert size == whole.size(al.Q("q4").any("q4_2"), **base)
        pd.testing.assert_frame_equal(
            table.to_frame(), whole.crosstab("q4", "q2", **base).to_frame()
        )


def test_a_saved_chart_has_the_base() -> None:
    with al.connect() as client:
        women = client.filter(client["Gender"] == "Female")
        made = women.charts.create("Age", attributes=[("q4", "q4_2")])
        assert made.id
        saved = client.service.chart(made.id)
        assert saved.base_audience is not None
        assert "q2_2" in repr(saved.base_audience)
