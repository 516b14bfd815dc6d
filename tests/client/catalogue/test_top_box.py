"""Top and bottom boxes, and answers compared by their amounts: checked against respondents."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.client import Catalogue
from audiencelab.schema import Datapoint, Question
from audiencelab.schema.catalogue import Value
from tests.messages import fails

HOPEFUL = ["Rather hopeful", "Very hopeful"]
TRUST = ["Trust completely", "Trust mostly"]


@pytest.fixture(scope="module")
def client() -> Iterator[al.Client]:
    with al.connect(waves="latest 1") as client:
        yield client


@pytest.fixture(scope="module")
def respondents(client: al.Client) -> pd.DataFrame:
    return client.respondents(questions=["Feelings about AI", "Trust in sources", "Gender"])


def percentage_of_women(respondents: pd.DataFrame, chosen: pd.Series[bool]) -> float:
    women = respondents[respondents["Gender"] == "Female"]
    return 100 * women.weight[chosen].sum() / women.weight.sum()


def test_a_top_box_is_everyone_who_gave_one_of_the_highest_answers(
    client: al.Client, respondents: pd.DataFrame
) -> None:
    question = client["Feelings about AI"]
    rows = [question, question.top_box(2), question.bottom_box(1)]
    table = client.crosstab(rows, client["Gender"] == "Female")["column"].squeeze()
    feelings = respondents["Feelings about AI"]
    expected = percentage_of_women(respondents, feelings.isin(HOPEFUL))
    assert table.iloc[-2] == pytest.approx(expected, rel=1e-12)
    assert table.iloc[-2] == pytest.approx(table.iloc[3:5].sum(), rel=1e-12)
    worried = percentage_of_women(respondents, feelings == "Very worried")
    assert table.iloc[-1] == pytest.approx(worried, rel=1e-12)


def test_rated_items_have_a_box_each_whichever_way_their_scale_is_listed(
    client: al.Client, respondents: pd.DataFrame
) -> None:
    table = client.crosstab(client["Trust in sources"].top_box(2), client["Gender"] == "Female")
    items = [each.name for each in client["Trust in sources"].datapoints]
    box = f"top 2 ({', '.join(TRUST)})"
    assert [row.name for row in table.rows] == [f"{item}: {box}" for item in items]
    expected = [
        percentage_of_women(respondents, respondents[f"Trust in sources: {item}"].isin(TRUST))
        for item in items
    ]
    np.testing.assert_allclose(table["column"].squeeze(), expected, rtol=1e-12)


def test_one_item_is_one_audience_that_combines(client: al.Client) -> None:
    distrust = client["Trust in sources"].bottom_box(1, "Social apps")
    women = client["Gender"] == "Female"
    assert isinstance(distrust, al.Audience)
    assert (distrust & women).describe(client.catalogue) == (
        "Trust in sources is Social apps (Do not trust at all), and Gender is Female"
    )
    two = client["Trust in sources"].top_box(2, ["Social apps", "Government"])
    assert [each.name.partition(" (")[0] for each in two] == [
        "Social apps: top 2",
        "Government: top 2",
    ]


def scale(*amounts: float | None) -> Any:
    points = [
        Datapoint(f"s_{at}", f"Answer {at}", midpoint=None if value is None else Value(value))
        for at, value in enumerate(amounts)
    ]
    return Catalogue([Question("s", "core", "Scale", datapoints=points)])["s"]


def test_the_amounts_decide_which_end_is_the_top() -> None:
    falling_with_dont_know = scale(3, 2, 1, None)
    assert falling_with_dont_know.top_box(1).expression == al.Q("s").any("s_0")
    assert falling_with_dont_know.bottom_box(1).expression == al.Q("s").any("s_2")
    without = scale(None, None, None)
    said = r"'Answer 2' last.*edit\('s', top=\"last\"\).* al.net\('s', 'Answer 1', 'Answer 2'\)"
    with pytest.raises(ValueError, match=said):
        without.top_box(2)
    assert without.net("Answer 1", "Answer 2").expression == al.Q("s").any("s_1", "s_2")


def test_a_net_of_points_is_one_of_each_item(client: al.Client) -> None:
    trust = client["Trust in sources"]
    named = trust.net(TRUST)
    assert [each.expression for each in named] == [each.expression for each in trust.top_box(2)]
    assert named[0].name == f"Public broadcasters: {', '.join(TRUST)}"
    assert client["Age"].net("16 to 17").expression == al.Q("q4").any("q4_1")
    for ask in (trust.net, client["Age"].net):
        with fails(ValueError):
            ask()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda client: client["Pets"].top_box(2), r"\.any\("),
        (lambda client: client["Age"].top_box(9), "7 answers"),
        (lambda client: client["Age"].top_box("2"), "must be int"),
        (lambda client: client["Age"].top_box(2, "18 to 24"), "no items"),
        (lambda client: client["Age"] < "16 to 17", "empty"),
        (lambda client: client["Age"] > 30, "within the answer '25 to 34'"),
        (lambda client: client["Pets"] > "Dog", "isin"),
    ],
)
def test_what_has_no_order_or_no_answer_is_refused(
    client: al.Client, ask: Callable[[al.Client], object], message: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        ask(client)


@pytest.mark.parametrize(
    ("compare", "answers"),
    [
        (operator.ge, ["q4_5", "q4_6", "q4_7"]),
        (operator.gt, ["q4_6", "q4_7"]),
        (operator.le, ["q4_1", "q4_2", "q4_3", "q4_4", "q4_5"]),
        (operator.lt, ["q4_1", "q4_2", "q4_3", "q4_4"]),
    ],
)
def test_answers_with_amounts_compare(
    client: al.Client, compare: Callable[[object, str], object], answers: list[str]
) -> None:
    assert compare(client["Age"], "45 to 54") == al.Q("q4").any(answers)


def test_one_audience_without_another_is_a_difference() -> None:
    young, women = al.Q("q4").any("q4_1"), al.Audience("Women", al.Q("q2").any("q2_2"))
    assert young - women == young & ~women
    assert women - young == women & ~young
    with fails(TypeError):
        _ = young - 1  # type: ignore[operator] -- the slip
