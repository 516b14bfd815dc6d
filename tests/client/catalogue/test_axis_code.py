"""The code of rows and columns is short and evaluates to the same axis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import audiencelab as al
from audiencelab.client import Client
from audiencelab.client.catalogue.axis_code import axis_code
from audiencelab.widgets.crosstab.axis import AxisAudiences, as_axis


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with al.connect() as connected:
        yield connected


NAMES = st.sampled_from(["Gender", "Age", 'a "head"', "# no comment\n"])
QUESTIONS = st.sampled_from(["q2", "q4", "media.m7"])


@st.composite
def axes(draw: st.DrawFn) -> list[tuple[tuple[str, ...], str, list[int]]]:
    """Groups, a question, and which of its answers, in any order."""
    answers = st.one_of(st.just(list(range(9))), st.lists(st.integers(0, 2), max_size=3))
    part = st.tuples(st.lists(NAMES, max_size=2).map(tuple), QUESTIONS, answers)
    return draw(st.lists(part, max_size=5))


def made(client: Client, parts: list[tuple[tuple[str, ...], str, list[int]]]) -> AxisAudiences:
    audiences: list[al.Audience] = []
    groups: list[tuple[str, ...]] = []
    for heads, code, answers in parts:
        listed = client.catalogue[code].audiences()
        chosen = [listed[at] for at in answers if at < len(listed)]
        audiences += chosen
        groups += [heads] * len(chosen)
    return AxisAudiences(audiences, groups)


@given(axes(), st.booleans())
def test_the_code_evaluates_to_the_same_axis(client: Client, parts: Any, known: bool) -> None:
    axis = made(client, parts)
    catalogue = client.catalogue if known else None
    rows = eval(
        f"dict({axis_code(axis.grouped(), catalogue, 'rows')}\n)", {"al": al, "client": client}
    )
    assert (as_axis(rows["rows"], "rows", lambda: client.catalogue) or AxisAudiences()) == axis


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("Age", "['Age'],"),
        (["Age", "Gender"], "[\n    'Age',\n    'Gender',\n],"),
        ({"Sex": "Gender"}, "[{'Sex': 'Gender'}],"),
        (
            [al.Q("q2").any("q2_1").named("Men")],
            "[\n    client['Gender'].isin(['Male']).named('Men'),\n],",
        ),
    ],
)
def test_code_is_short(client: Client, given: Any, code: str) -> None:
    axis = as_axis(given, "rows", lambda: client.catalogue)
    assert axis is not None
    assert axis_code(axis.grouped(), client.catalogue) == code


def test_some_answers_are_one_call(client: Client) -> None:
    age = client["Age"].audiences("18 to 24", "25 to 34")
    call = "client['Age'].audiences('18 to 24', '25 to 34')"
    assert axis_code(age, client.catalogue) == f"{call},"
    assert axis_code([{"Young": list(age)}], client.catalogue) == f"[{{'Young': {call}}}],"


def test_the_code_of_a_crosstab_counts_the_same_to_the_last_bit(client: Client) -> None:
    grid = al.Crosstab(
        client,
        ["Gender", (client["Age"] >= "55 to 64").named("Older")],
        client["Age"].audiences("18 to 24", "25 to 34"),
        base_audience=~client["Gender"].any("Male"),
        locations=[client.locations()[0].code],
    )
    code = grid.to_code()
    assert f"locations=[{client.locations()[0].name!r}]" in code
    assert "q4" not in code
    names: dict[str, Any] = {"al": al, "client": client}
    exec(code, names)
    counted = names["table"].to_frame()
    pd.testing.assert_frame_equal(counted, grid.wait().to_frame(), check_exact=True)


def test_a_nested_banner_is_one_call(client: Client) -> None:
    """The table of a daily job, which took a line for each pair of answers."""
    men_and_women = client["Gender"].audiences("Male", "Female")
    banner = ["Total", al.nest(men_and_women, ["Age", "Kind of place"])]
    grid = al.Crosstab(client, ["Interests", "The year ahead"], ["Total", "Age", "Kind of place"])
    grid.columns.nest(*men_and_women, which=range(1, 12))
    assert list(grid.columns) == list(al.Crosstab(client, "Gender", banner).columns)
    assert grid.columns.groups == al.Crosstab(client, "Gender", banner).columns.groups
    code = grid.to_code()
    assert "al.nest(client['Gender'].audiences('Male', 'Female'), ['Age', 'Kind of place'])" in code
    assert len(code.splitlines()) <= 12
    names: dict[str, Any] = {"al": al, "client": client}
    exec(code, names)
    counted = names["table"].to_frame()
    assert names["table"].shape == (41, 23)
    pd.testing.assert_frame_equal(counted, grid.wait().to_frame(), check_exact=True)


NESTS: list[tuple[Any, str]] = [
    (al.nest("Gender", "Age"), "al.nest('Gender', 'Age')"),
    (al.nest("Gender", ["Age"]), "al.nest('Gender', ['Age'])"),
    (al.nest("Gender", "Age", "Pets"), "al.nest('Gender', 'Age', 'Pets')"),
    (al.nest("Gender", "media.m7"), "al.nest('Gender', 'Short video a day')"),
    (
        al.nest("Gender", [{"Pets and age": al.nest("Age", "Pets")}, "Market"]),
        "al.nest('Gender', [{'Pets and age': al.nest('Age', 'Pets')}, 'Market'])",
    ),
    ([{"Both": al.nest("Gender", "Age")}, "Pets"], "{'Both': al.nest('Gender', 'Age')}"),
    (["Pets", al.nest("Gender", "Age"), al.nest("Gender", "Pets")], "al.nest('Gender', 'Pets')"),
    # An audience within itself is itself, which the groups do not tell apart from another.
    (al.nest("Gender", "Gender"), "client['Gender'].isin(['Male']).named('Male')"),
    ("Gender > Age + Pets", "al.nest('Gender', ['Age', 'Pets'])"),
]


@pytest.mark.parametrize(("given", "code"), NESTS)
def test_the_code_of_a_nest_makes_the_same_banner(client: Client, given: Any, code: str) -> None:
    def catalogue() -> Any:
        return client.catalogue

    axis = as_axis(given, "columns", catalogue)
    assert axis is not None
    written = axis_code(axis.grouped(), client.catalogue, "columns")
    assert code in written
    made = eval(f"dict({written}\n)", {"al": al, "client": client})
    assert as_axis(made["columns"], "columns", catalogue) == axis
