"""Expressions as code that evaluates back, and as sentences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from IPython.lib.pretty import pretty

import audiencelab as al
from audiencelab.expressions import Audience, Expression, Q, all_of, any_of, as_audience
from audiencelab.expressions.parsing import parse_expression
from audiencelab.schema import SavedAudience
from tests.strategies import expressions


@given(expressions())
def test_code_evaluates_back_to_an_equal_expression(tree: Expression) -> None:
    assert eval(tree.to_code(), {"al": al}) == tree


@given(expressions())
def test_an_audience_is_code_too(tree: Expression) -> None:
    audience = Audience('Two "quoted" words', tree, id="a'1")
    assert eval(audience.to_code(), {"al": al}) == audience


def test_code_reads_as_a_person_would_write_it() -> None:
    tree = Q("q2").any("q2_1", "q2_2") & ~Q("q20", suffixes=[1, 2]).at_least(2)
    assert tree.to_code() == (
        "al.Q('q2').any('q2_1', 'q2_2') & ~al.Q('q20', suffixes=[1, 2]).at_least(2)"
    )
    assert (Q("a").all("x", "y") | tree).to_code().startswith("al.Q('a').all('x', 'y') | (al.Q(")
    assert any_of(Q("a").any("x")).to_code() == "al.any_of(al.Q('a').any('x'))"
    assert repr(~tree).startswith("~(al.Q('q2')")
    assert (~any_of(Q("a").any("x"))).to_code() == "~al.any_of(al.Q('a').any('x'))"


def test_operators_join_as_many_as_python_can_parse() -> None:
    leaves = [Q(f"q{place}").any() for place in range(201)]
    assert any_of(*leaves[:200]).to_code().count(" | ") == 199
    assert any_of(*leaves).to_code().startswith("al.any_of(")


class Names:
    """A small catalogue."""

    def question_name(self, code: str) -> str | None:
        return {"q2": "Gender", "q4": "Age", "q20": "Uses"}.get(code)

    def datapoint_name(self, question: str, code: str) -> str | None:
        return {"q2_1": "Male", "q4_2": "18 to 24", "q4_3": "25 to 34"}.get(code)

    def suffix_name(self, question: str, code: str) -> str | None:
        return {"1": "daily", "2": "weekly"}.get(code)


class Numbered:
    """A catalogue whose answers are named by their numbers, as the editor's tests have it."""

    def question_name(self, code: str) -> str | None:
        return {"q4": "Age", "q20": "Apps used"}.get(code)

    def datapoint_name(self, question: str, code: str) -> str | None:
        noun = {"q4": "Band", "q20": "App"}.get(question)
        return noun and f"{noun} {code.removeprefix(f'{question}_')}"

    def suffix_name(self, question: str, code: str) -> str | None:
        return f"Level {code}"


# The page writes the same sentences (js/tests/editor/labels.test.ts).
SENTENCES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("sentences.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", SENTENCES, ids=lambda case: case["what"])
def test_sentences(case: dict[str, Any]) -> None:
    assert parse_expression(case["expression"]).describe(Numbered()) == case["sentence"]


@pytest.mark.parametrize(
    ("tree", "sentence"),
    [
        (all_of(Q("q2").any("q2_1")), "Gender is Male"),
        (Q("q4").any("q4_2") | all_of(Q("q2").any("q2_1")), "Age is 18 to 24, or Gender is Male"),
    ],
)
def test_a_group_of_one_is_described_as_what_it_contains(tree: Expression, sentence: str) -> None:
    assert tree.describe(Names()) == sentence


@pytest.mark.parametrize(
    ("name", "contained"),
    [
        ("a \u202eb", "a \u202eb\u202c"),
        ("\u2067\u202ea", "\u2067\u202ea\u202c\u2069"),
        ("\u2067\u202ea\u2069b", "\u2067\u202ea\u2069b"),
        ("\u202ba\u202c", "\u202ba\u202c"),
        ("\u2069\u202c\u202aa", "\u2069\u202c\u202aa\u202c"),
    ],
)
def test_a_name_that_turns_its_direction_does_not_turn_the_sentence(
    name: str, contained: str
) -> None:
    sentence = Q("q4").any(name, "q4_2").describe(Names())
    assert sentence == f"Age is {contained} or 18 to 24"


def test_an_expression_is_named_by_its_words() -> None:
    tree = Q("q4").any("q4_2")
    assert as_audience(tree, Names()) == Audience("Age is 18 to 24", tree)
    assert as_audience(Audience("Kept", tree), Names()) == Audience("Kept", tree)
    assert as_audience(None) == Audience("All")
    long = as_audience(Q("q").any(*[f"code{i}" for i in range(99)])).name
    assert (len(long), long[-1]) == (80, "…")
    kept = SavedAudience("1", name="Kept", expression=tree.to_wire("saved"))
    assert as_audience(kept, Names()) == Audience("Kept", tree, "1")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("q4", r"got str\. .*an expression.* Write client\.catalogue\.$"),
        (4, r"got int\. .* client\['question'\] == 'answer'.*$"),
    ],
)
def test_what_is_no_audience_is_told_how_to_become_one(value: Any, words: str) -> None:
    with pytest.raises(TypeError, match=f"^Must be an audience; {words}"):
        as_audience(value)


@pytest.mark.parametrize("length", [79, 80])
def test_words_that_fit_a_header_are_not_cut(length: int) -> None:
    code = "x" * (length - len(" is y"))
    assert as_audience(Q(code).any("y")).name == f"{code} is y"


def test_an_audience_is_described_by_who_belongs_to_it() -> None:
    assert Audience("All").describe(Names()) == "everyone"
    assert Audience("Young", Q("q4").any("q4_2")).describe(Names()) == "Age is 18 to 24"


def test_a_sentence_without_names_tells_the_codes() -> None:
    leaf = Q("q20", suffixes=[1, 2]).any("a", "b")
    assert leaf.describe() == "q20 is a or b (1 or 2)"


def test_python_and_notebooks_show_an_expression_as_its_code() -> None:
    leaf = Q("q20", suffixes=[1, 2]).any("a", "b")
    for shown in (leaf, leaf & ~leaf, Audience("Users", leaf)):
        assert repr(shown) == pretty(shown) == shown.to_code()
