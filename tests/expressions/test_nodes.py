"""The algebra: how trees are built, compared and combined; codes of questions."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.expressions import (
    And,
    Audience,
    Expression,
    Leaf,
    Or,
    Q,
    all_of,
    any_of,
    join_code,
    split_code,
    walk,
)
from audiencelab.expressions.codes import is_whole_number, wave_name
from tests.messages import fails
from tests.strategies import expressions

A, B, C = Q("a").any("a1"), Q("b").any("b1"), Q("c").any("c1")


def test_a_question_makes_leaves() -> None:
    assert Q("q2").any("q2_1", "q2_2") == Leaf("q2", ("q2_1", "q2_2"))
    assert Q("q2").all("q2_1", "q2_2") == Leaf("q2", ("q2_1", "q2_2"), min_count=2)
    assert Q("q20", suffixes=[1, 2]).at_least(2) == Leaf("q20", (), ("1", "2"), 2)
    assert Q("q2").any("x", "y").at_least(2) == Q("q2").all("x", "y")


def test_codes_out_of_an_array_are_plain_text() -> None:
    leaf = Q("q2", suffixes=np.array([1, 2])).any(*np.array(["x", "y"]))
    assert [type(code) for code in (*leaf.datapoints, *leaf.suffixes)] == [str] * 4
    assert ~Q("core.q2").any("x") == Leaf("core.q2", ("x",), negated=True)


def test_a_question_out_of_an_array_is_plain_text() -> None:
    assert type(Q(np.array(["q2"])[0]).any().question) is str


def test_a_list_in_a_node_is_a_tuple_like_any_other() -> None:
    assert {Leaf("q2", ["x"], ["1"]), And([A, B])} == {Q("q2", suffixes=[1]).any("x"), A & B}


def test_operators_build_flat_trees() -> None:
    assert A & B & C == And((A, B, C)) == A & (B & C)
    assert A | B | C == Or((A, B, C)) == A | (B | C)
    assert And((And((A, B), negated=True), C)) == ~(A & B) & C
    assert all_of(all_of(A, B), C) == And((And((A, B)), C))
    assert any_of(A) == Or((A,))


def test_without_and_one_of_the_two() -> None:
    assert A - B == A & ~B
    assert A ^ B == (A & ~B) | (B & ~A)


@pytest.mark.parametrize("name", ["size", "profile"])
def test_what_a_client_does_with_an_audience_is_said(name: str) -> None:
    with fails(TypeError):
        getattr(A, name)()
    with fails(AttributeError):
        _ = A.colour  # pyright: ignore -- the point of the test


@pytest.mark.parametrize(("code", "name"), [("q1_2024", "Q1 2024"), ("spring", "spring")])
def test_a_wave_is_named_after_its_quarter(code: str, name: str) -> None:
    assert wave_name(code) == name


def test_negation_is_its_own_inverse() -> None:
    tree = (A & ~B) | C
    assert ~~tree == tree
    assert ~tree != tree


def test_an_expression_has_no_truth_value() -> None:
    with fails(TypeError):
        _ = A and B


def test_combining_with_something_else_is_refused() -> None:
    with fails(TypeError):
        A & "q2"  # pyright: ignore -- the point of the test
    with fails(TypeError):
        all_of(A, "q2")  # pyright: ignore -- the point of the test


@pytest.mark.parametrize(
    ("make", "place", "advice"),
    [
        (lambda: A & Q("b"), "right side", r"Q\('b'\)\.any\("),
        (lambda: Q("a") & A, "left side", r"Q\('a'\)\.any\("),
    ],
)
def test_what_is_nearly_an_expression_is_told_how_to_become_one(
    make: Callable[[], object], place: str, advice: str
) -> None:
    with pytest.raises(TypeError, match=f"{place}.*{advice}"):
        make()


@pytest.mark.parametrize(
    ("make", "advice"),
    [
        (lambda: Leaf(""), "needs a question code"),
        (lambda: Q("q").at_least(0, "a"), "at least 1"),
        (lambda: Q("q").at_least(3, "a", "b"), "can never hold"),
        (lambda: Q("q").all(), "needs the datapoints"),
        (lambda: Q("q").at_least("a", "b"), "number comes first"),
        (lambda: Q(4), "must be a code"),
        (lambda: Q("q", suffixes="12"), r"suffixes=\['12'\]"),
        (lambda: Q("q", suffixes=1), r"suffixes=\[1\]"),
        (lambda: Audience(4), "name of an audience must be a str"),
        (lambda: Audience("a", "q4_2"), "got str"),
        (lambda: Q("q").any([1]), "Answers must be str"),
        (lambda: Q("q").isin([]), "The list of answers is empty"),
        (lambda: A & Audience("All"), "is everyone, which has no condition"),
        (lambda: And(()), "at least one child"),
        (lambda: And(A, B), r"children of And must be a tuple; got Leaf.*all_of\(a, b\)"),
        (lambda: Or(A), r"any_of\(a, b\)"),
        (
            lambda: Leaf("q4", "q4_2"),
            r"datapoints of Leaf must be a tuple; got str.*\.any\('q4_2'\)",
        ),
        (lambda: Leaf("q4", ("a",), "1"), r"suffixes of Leaf must be a tuple; got str"),
        (lambda: Leaf(4), "needs a question code"),
        (lambda: Q("q").any("a", "b").at_least("2"), "must be an int; got '2'"),
        (lambda: Audience("a", A, id=5), r"id of an audience must be a str; got int: id=str\("),
    ],
)
def test_an_impossible_node_is_refused_with_advice(make: Callable[[], object], advice: str) -> None:
    with pytest.raises((ValueError, TypeError), match=advice):
        make()


@pytest.mark.parametrize(
    ("made", "same"),
    [
        (A & Audience("B", B), A & B),
        (Audience("B", B) | A, B | A),
        (Audience("A", A) & Audience("B", B), A & B),
        (~Audience("A", A), ~A),
        (any_of([A, B]), A | B),
        ((A & ~B).named("x"), Audience("x", A & ~B)),
        (Audience(A).named("x"), Audience("x", A)),
        (Audience("x", Audience("y", A)), Audience("x", A)),
        (Q("q").any(["a", "b"], "c"), Q("q").any("a", "b", "c")),
        (Q("q").isin(["a", "b"]), Q("q").any("a", "b")),
        (Q("q") == "a", Q("q").any("a")),
        (Q("q") != "a", ~Q("q").any("a")),
    ],
)
def test_audiences_and_lists_combine_as_expressions_do(made: object, same: object) -> None:
    assert made == same


@given(expressions())
def test_expressions_are_values(tree: Expression) -> None:
    assert copy.deepcopy(tree) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert hash(copy.deepcopy(tree)) == hash(tree)
    with pytest.raises(AttributeError):
        tree.negated = True


@given(expressions())
def test_walking_names_each_node_by_its_place_in_the_written_form(tree: Expression) -> None:
    written = tree.to_wire()
    for pointer, node in walk(tree):
        place: Any = written
        for step in pointer.split("/")[1:]:
            place = place[int(step)] if isinstance(place, list) else place[step]
        assert place == node.to_wire()


# De Morgan, under evaluation: who belongs to a tree is worked out here with plain sets, from
# answers invented by hypothesis, so that the law is tested and not the operators' spelling.
Answers = dict[str, set[tuple[str, str, str]]]
questions = st.sampled_from(["a", "b", "c"])
answers = st.dictionaries(
    st.sampled_from([f"r{i}" for i in range(8)]),
    st.sets(st.tuples(questions, st.sampled_from(["1", "2", "3"]), st.sampled_from(["1", "2"]))),
    min_size=1,
)


@st.composite
def small_leaves(draw: st.DrawFn) -> Leaf:
    datapoints = tuple(draw(st.lists(st.sampled_from("123"), min_size=1, max_size=3, unique=True)))
    return Leaf(
        draw(questions),
        datapoints,
        tuple(draw(st.lists(st.sampled_from("12"), max_size=2, unique=True))),
        draw(st.integers(1, len(datapoints))),
        draw(st.booleans()),
    )


def members(tree: Expression, people: Answers) -> set[str]:
    """Who belongs to `tree`, worked out as the specification words it, one person at a time."""
    everyone = set(people)
    if isinstance(tree, Leaf):
        found = {
            person
            for person, given_answers in people.items()
            if sum(
                any(
                    (tree.question, datapoint, suffix) in given_answers
                    for suffix in (tree.suffixes or ("1", "2"))
                )
                for datapoint in tree.datapoints
            )
            >= tree.min_count
        }
    elif isinstance(tree, And):
        found = set.intersection(*(members(child, people) for child in tree.children))
    else:
        assert isinstance(tree, Or)
        found = set.union(*(members(child, people) for child in tree.children))
    return everyone - found if tree.negated else found


@given(expressions(small_leaves()), expressions(small_leaves()), answers)
def test_de_morgan(left: Expression, right: Expression, people: Answers) -> None:
    assert members(~(left & right), people) == members(~left | ~right, people)
    assert members(~(left | right), people) == members(~left & ~right, people)


@given(expressions(small_leaves()), expressions(small_leaves()), answers)
def test_flattening_keeps_the_meaning(left: Expression, right: Expression, people: Answers) -> None:
    assert members(left & right, people) == members(all_of(left, right), people)
    assert members(left | right, people) == members(any_of(left, right), people)


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ("core.q4", ("core", "q4")),
        ("q4", ("core", "q4")),
        ("media.q4", ("media", "q4")),
        ("media.q4.x", ("media", "q4.x")),
    ],
)
def test_a_code_without_a_namespace_belongs_to_the_base(code: str, parts: tuple[str, str]) -> None:
    assert split_code(code) == parts
    assert split_code(join_code(*parts)) == parts


def test_a_survey_may_call_its_base_otherwise() -> None:
    assert split_code("q4", "home") == ("home", "q4")
    assert split_code("core.q4", "home") == ("core", "q4")


@given(st.integers(0, 10**18 - 1))
def test_a_whole_number_is_written_alike_everywhere(number: int) -> None:
    assert is_whole_number(json.dumps(number))
    assert not is_whole_number(f"0{number}")
    assert not is_whole_number(f"-{number}")
