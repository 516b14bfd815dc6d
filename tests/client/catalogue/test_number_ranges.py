"""Conditions on the numbers that respondents gave: made, written, counted, refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.analysis.disjointness import separate
from audiencelab.client.catalogue.named_code import named_code
from audiencelab.expressions import read_code
from tests.messages import fails

RNG = np.random.default_rng(7)
N = 600
AGE = RNG.integers(15, 91, N)
FRAME = pd.DataFrame(
    {
        "age": pd.Series(AGE).astype("Int64").where(RNG.random(N) < 0.9),
        "gender": RNG.choice(["f", "m"], N),
        "q3": RNG.integers(0, 11, N),
        "income": np.round(RNG.gamma(2, 20_000, N), 2),
        "w": RNG.integers(1, 9, N) / 4,
    }
)


@pytest.fixture(scope="module")
def client() -> Iterator[al.Client]:
    with al.open(FRAME, weight="w") as opened:
        yield opened


def size(client: al.Client, condition: al.Expression) -> float:
    return float(client.crosstab(condition, base_of="everyone").values("row_size")[0, 0])


def weight(of: pd.Series) -> float:
    return float(FRAME.w[of.fillna(False)].sum())


def test_numbers_are_those_that_respondents_gave(client: al.Client) -> None:
    age, income = client["age"], client["income"]
    assert size(client, age >= 50) == weight(FRAME.age >= 50)
    assert size(client, age > 50) == weight(FRAME.age > 50)
    assert size(client, age.between(18, 34)) == weight(FRAME.age.between(18, 34))
    assert size(client, age == 42) == weight(FRAME.age == 42)
    assert size(client, age.isin([42, 43])) == weight(FRAME.age.isin([42, 43]))
    assert size(client, income < 20_000.5) == weight(FRAME.income < 20_000.5)
    assert size(client, al.Q("age").between(18, 34)) == size(client, age.between(18, 34))
    assert size(client, age != 42) == FRAME.w.sum() - weight(FRAME.age == 42)


def test_points_of_a_scale_are_answers(client: al.Client) -> None:
    assert (client["q3"] >= 9) == client["q3"].any(9, 10) == al.Q("q3").any("q3_9", "q3_10")
    assert size(client, al.Q("q3") >= 9) == weight(FRAME.q3 >= 9)
    assert size(client, ~(al.Q("q3") == 3)) == FRAME.w.sum() - weight(FRAME.q3 == 3)


def test_bins_are_named_as_the_numbers_are(client: al.Client) -> None:
    ages, incomes = client["age"].bins([18, 35, 55]), client["income"].bins([20_000, 50_000])
    assert [each.name for each in ages] == ["Under 18", "18 to 34", "35 to 54", "55 and over"]
    assert [each.name for each in incomes] == [
        "Under 20,000",
        "20,000 to under 50,000",
        "50,000 and over",
    ]
    assert [each.name for each in client["age"].bins([15, 16])] == ["15", "16 and over"]
    assert [each.name for each in client["q3"].bins([7, 9])] == ["Under 7", "7 to 8", "9 and over"]
    table = client.crosstab(ages, "gender")
    cut = pd.cut(FRAME.age.astype(float), [0, 18, 35, 55, 99], right=False)
    expected = FRAME.assign(bin=cut).pivot_table("w", "bin", "gender", "sum", observed=True)
    assert np.allclose(table.values("size"), expected.to_numpy())
    assert np.allclose(table.values("column_percentage").sum(axis=0), 100)


def test_bands_take_edges_within_answers(client: al.Client) -> None:
    bands = client.catalogue["age"].bands(edges=[0, 33, float("inf")])
    assert [(each.name, each.expression) for each in bands] == [
        ("under 33", al.Q("age").between(0, 33, "left")),
        ("33 and over", al.Q("age") >= 33),
    ]


def test_bins_are_known_to_be_apart(client: al.Client) -> None:
    young, middle, old = (each.expression for each in client["age"].bins([35, 55]))
    assert young is not None
    assert middle is not None
    assert old is not None
    assert separate(young, middle, {})
    assert separate(middle, old, {})
    assert separate(~(al.Q("age") < 55), middle, {})
    assert not separate(al.Q("age") <= 35, middle, {})
    assert not separate(~young, old, {})


CONDITIONS = [
    al.Q("age").between(18, 34),
    al.Q("age").between(18, 35, "left"),
    al.Q("age").between(-1.5, 2e9, "right"),
    al.Q("income").between(0, 9, "neither"),
    al.Q("age") == 42,
    ~(al.Q("age") >= 50),
    (al.Q("age") < 18) & ~al.Q("age").between(1, 2) | (al.Q("income") > 1),
]


@pytest.mark.parametrize("condition", CONDITIONS, ids=str)
def test_code_makes_the_condition_again(client: al.Client, condition: al.Expression) -> None:
    assert read_code(condition.to_code()) == [condition]
    named = named_code(condition, client.catalogue)
    assert "client[" in named
    assert read_code(named, client.catalogue.__getitem__) == [condition]
    audience = named_code(al.Audience("Some", condition), client.catalogue)
    assert read_code(audience, client.catalogue.__getitem__) == [al.Audience("Some", condition)]


def test_bands_and_counts_take_points_by_their_numbers(client: al.Client) -> None:
    bands = client["q3"].bands({"Low": [0, 1], "High": 10})
    for band, points in zip(bands, ([0, 1], [10]), strict=True):
        assert band.expression is not None
        assert size(client, band.expression) == weight(FRAME.q3.isin(points))
    [counted] = client["q3"].count_groups({"Some": 1}, [0, 1])
    assert counted.expression == bands[0].expression


def test_a_question_that_keeps_no_numbers_has_answers_in_the_range() -> None:
    with al.connect() as demo:
        table = demo.crosstab(al.Q("Age").between(18, 34), al.Q("q4") < 25)
        assert table.rows[0].expression == al.Q("q4").any("q4_2", "q4_3")
        assert table.columns[0].expression == al.Q("q4").any("q4_1", "q4_2")
        made = demo.charts.create("Young", audiences=[al.Q("Age") < 25])
        [kept] = demo.service.chart(made.id).audiences or []
        assert kept.expression == {"question": "q4", "datapoints": ["q4_1", "q4_2"]}
        names = [each.name for each in demo["Age"].bins([18, 35, 55])]
        assert names == ["Under 18", "18 to 34", "35 to 54", "55 and over"]


def wrong(client: al.Client) -> list[tuple[Callable[[], object], str]]:
    return [
        (lambda: client["gender"] >= 3, r"no amounts in the catalogue, .*\.isin"),
        (lambda: client.crosstab(al.Q("gender") >= 3), "have no amounts in the catalogue"),
        (lambda: client["age"].between(34, 18), r"Write client\['age'\].between\(18, 34\)"),
        (lambda: client["age"].between("Under 30", 40), "Give two numbers, or two answers"),
        (lambda: client["age"] >= float("nan"), "must be a finite number"),
        (lambda: client["age"] >= None, "a number or an answer; got NoneType"),
        (lambda: client["q3"] > 12, "No answer of 'q3' .* is above 12. It has 0, 1"),
        (lambda: client["age"].bins([50, 20]), "each above the one before it"),
        (lambda: client["age"].bins([20.2, 20.5]), "no integer between them"),
        (lambda: client["age"].bins([]), "bins\\(\\[18, 35, 55\\]\\)"),
    ]


@pytest.mark.parametrize("at", range(10))
def test_other_conditions_are_refused_with_what_to_write(client: al.Client, at: int) -> None:
    ask, words = wrong(client)[at]
    with pytest.raises((TypeError, ValueError), match=words):
        ask()


def test_several_answers_are_counted_and_not_compared() -> None:
    with al.connect() as demo:
        with fails(TypeError):
            _ = demo["Pets"] >= 3
        with fails(TypeError):
            _ = demo["Trust in sources"] >= 3
