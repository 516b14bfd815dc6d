"""Lists of audiences within each other: groups, names, and who belongs to what comes out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import audiencelab as al
from audiencelab import And, Audience, Expression, Leaf, Or, Q
from tests.strategies import expressions

WOMEN, MEN = Audience("Female", Q("q2").any("q2_1")), Audience("Male", Q("q2").any("q2_2"))
YOUNG = Audience("Under 35", Q("q4").any("q4_1", "q4_2"), id="mine")
OLD = Audience("35 and over", ~Q("q4").any("q4_1", "q4_2"))
NORTH = Audience("North", Q("s2").any("s2_1") & Q("q9").any("q9_1"))


def test_nest_puts_the_inner_audiences_below_heads_of_the_outer_ones() -> None:
    assert al.nest([WOMEN, MEN], [YOUNG, OLD]) == {
        "Female": [
            Audience("Under 35", Q("q2").any("q2_1") & Q("q4").any("q4_1", "q4_2")),
            Audience("35 and over", Q("q2").any("q2_1") & ~Q("q4").any("q4_1", "q4_2")),
        ],
        "Male": [
            Audience("Under 35", Q("q2").any("q2_2") & Q("q4").any("q4_1", "q4_2")),
            Audience("35 and over", Q("q2").any("q2_2") & ~Q("q4").any("q4_1", "q4_2")),
        ],
    }


def test_more_lists_make_more_levels() -> None:
    nested: Any = al.nest([NORTH], [WOMEN], [YOUNG])
    (audience,) = nested["North"]["Female"]
    assert audience.name == "Under 35"
    assert audience.expression == al.all_of(
        Q("s2").any("s2_1"), Q("q9").any("q9_1"), Q("q2").any("q2_1"), Q("q4").any("q4_1", "q4_2")
    )


def test_combine_makes_one_list_in_the_order_of_a_nested_banner() -> None:
    combined = al.combine([WOMEN, MEN], [YOUNG, OLD])
    assert [each.name for each in combined] == [
        "Female · Under 35",
        "Female · 35 and over",
        "Male · Under 35",
        "Male · 35 and over",
    ]
    nested = al.nest([WOMEN, MEN], [YOUNG, OLD])
    below = [each.expression for part in nested.values() for each in part]
    assert [each.expression for each in combined] == below


def test_ids_are_left_out_since_each_is_another_audience_now() -> None:
    assert [each.id for each in al.combine([YOUNG], [WOMEN, MEN])] == [None, None]


def test_everyone_adds_no_condition() -> None:
    everyone = Audience("All")
    assert al.combine([everyone], [WOMEN])[0] == Audience("All · Female", WOMEN.expression)
    assert al.combine([everyone], [Audience("Any")])[0].expression is None
    assert al.nest([everyone, WOMEN], [YOUNG])["All"] == [Audience("Under 35", YOUNG.expression)]


def test_what_both_say_is_said_once() -> None:
    assert al.combine([WOMEN], [WOMEN.renamed("Women")])[0].expression == WOMEN.expression
    (audience,) = al.combine([NORTH], [NORTH.renamed("N")])
    assert audience.expression == NORTH.expression


def test_a_saved_audience_is_an_audience() -> None:
    class Saved:
        def to_audience(self) -> Audience:
            return WOMEN

    assert al.combine([Saved()], [YOUNG])[0].name == "Female · Under 35"


REFUSED: list[tuple[tuple[Any, ...], type[Exception], str]] = [
    (
        ([WOMEN], [Q("q4").any("q4_1")]),
        ValueError,
        "without a name, which group",
    ),
    (([Audience(expression=WOMEN.expression)], [YOUNG]), ValueError, "List 1 has an audience"),
    (([WOMEN, WOMEN], [YOUNG]), ValueError, "several audiences called 'Female'"),
    (([WOMEN], []), ValueError, "List 2 is empty"),
    ((WOMEN, [YOUNG]), TypeError, "List 1 must be a list of audiences; got Audience"),
    (([WOMEN], 3), TypeError, "List 2 must be a list of audiences; got int"),
    (([WOMEN], {"Young": [YOUNG]}), TypeError, "List 2 is already nested"),
    (([WOMEN], [3]), TypeError, "Must be an audience; got int"),
    (([WOMEN],), TypeError, "inner|positional"),
]


@pytest.mark.parametrize("made", [al.nest, al.combine])
@pytest.mark.parametrize(("lists", "kind", "told"), REFUSED)
def test_what_cannot_be_combined_says_why(
    made: Any, lists: tuple[Any, ...], kind: type[Exception], told: str
) -> None:
    with pytest.raises(kind, match=told):
        made(*lists)


codes = st.sampled_from(["a", "b", "c"])
people = st.frozensets(st.tuples(st.sampled_from(["q", "r"]), codes))


def leaf(question: str, listed: list[str], negated: bool) -> Leaf:
    return Leaf(question, tuple(listed), negated=negated)


some = st.lists(codes, min_size=1, max_size=3, unique=True)
plain = expressions(st.builds(leaf, st.sampled_from(["q", "r"]), some, st.booleans()))


def belongs(answers: frozenset[tuple[str, str]], node: Expression | None) -> bool:
    """Whether somebody who gave these answers belongs to an expression."""
    if node is None:
        return True
    if isinstance(node, Leaf):
        held = sum((node.question, code) in answers for code in node.datapoints) >= node.min_count
    else:
        assert isinstance(node, And | Or)
        each = [belongs(answers, child) for child in node.children]
        held = all(each) if isinstance(node, And) else any(each)
    return held != node.negated


@given(plain, plain, plain, people)
def test_whoever_belongs_to_all_of_the_parts_belongs_to_the_whole(
    one: Expression, two: Expression, three: Expression, answers: frozenset[tuple[str, str]]
) -> None:
    parts = [Audience(str(place), each) for place, each in enumerate((one, two, three))]
    (whole,) = al.combine(*([part] for part in parts))
    expected = all(belongs(answers, part.expression) for part in parts)
    assert belongs(answers, whole.expression) is expected
    nested: Any = al.nest(*([part] for part in parts))
    assert nested["0"]["1"][0].expression == whole.expression


def test_questions_and_their_names_are_lists_of_their_answers() -> None:
    with al.connect() as client:
        genders, ages = client["Gender"], client["Age"]
        nested = al.nest(genders.audiences(), ages.audiences())
        for given in (al.nest(genders, ages), al.nest("Gender", "Age"), al.nest("Gender", ages)):
            table = client.crosstab("Pets", given)
            assert table.to_frame().equals(client.crosstab("Pets", nested).to_frame())
        groups = client.quantile_groups("Age", 2)
        assert list(al.nest(groups, genders)) == [each.name for each in groups.audiences]
        both = client.crosstab(al.combine("Gender", al.top_box("Feelings about AI")), "Age")
        assert both.rows[0].name == (
            "Male · Feelings about AI: top 2 (Very hopeful, Rather hopeful)"
        )


def test_questions_beside_each_other_are_groups_within_each_outer_one() -> None:
    with al.connect() as client:
        ages, markets = client["Age"].audiences(), client["Market"].audiences("Brazil", "Japan")
        women = client["Gender"]["Female"].named("Female")
        nested: Any = al.nest(
            [women], [client["Age"], {"Where": markets}, client["Pets"]["Dog"].named("Dog")]
        )
        age, where, dog = nested["Female"]
        assert [each.name for each in age["Age"]] == [each.name for each in ages]
        assert where["Where"][1].expression == (women & markets[1])
        assert dog.name == "Dog"
        by_names = client.crosstab("Pets", al.nest("Gender", ["Age", "Market"]))
        by_lists = client.crosstab(
            "Pets", al.nest(client["Gender"], [client["Age"], client["Market"]])
        )
        assert by_names.to_frame().equals(by_lists.to_frame())
        # Each column is who gave both answers, which is counted without a nest as well.
        frame = client.crosstab("Total", al.nest("Gender", ["Age", "Market"])).to_frame()
        both = client.size(women & ages[2])
        assert frame["size"][7 + 8 + 2] == pytest.approx(both.size)
