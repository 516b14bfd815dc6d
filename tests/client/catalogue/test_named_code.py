"""Code with names makes the same expressions, and codes stay where a name does not serve."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audiencelab as al
from audiencelab.client.catalogue import Catalogue
from audiencelab.client.catalogue.named_code import named_code
from audiencelab.expressions import Leaf, all_of, any_of, read_code
from audiencelab.schema import Datapoint, Question
from tests.messages import fails

CLIENT = al.connect()
CATALOGUE = CLIENT.catalogue


def run(code: str) -> object:
    return eval(code, {"al": al, "client": CLIENT})


def test_names_are_written() -> None:
    young = al.Q("q4").any("q4_2")
    often = al.Q("q20", suffixes=[2]).at_least(2, "q20_1", "q20_2")
    for given_, code in (
        (young, "client['Age'].isin(['18 to 24'])"),
        (~young, "~client['Age'].isin(['18 to 24'])"),
        (al.Q("q4").any(), "client['Age'].any()"),
        (al.Q("q20", suffixes=[2]).any(), "scale='About once a day')"),
        (often, "client['Social apps: how often'].all('Loopa', 'Clipstream', scale="),
        (young.named("Young"), "client['Age'].isin(['18 to 24']).named('Young')"),
        ((~young).named("Older"), "(~client['Age'].isin(['18 to 24'])).named('Older')"),
        (al.Audience(young), "al.Audience(client['Age'].isin(['18 to 24']))"),
        (al.Q("waves").any("q4_2025"), "al.Q('waves').any('q4_2025')"),
        (al.Q("core.q4").any("q4_2"), "al.Q('core.q4').any('q4_2')"),
        (al.Q("q4").any("gone"), "al.Q('q4').any('gone')"),
        (al.Audience("Total"), "al.Audience(name='Total')"),
    ):
        written = named_code(given_, CATALOGUE)
        assert code in written
        assert run(written) == given_


def leaves() -> st.SearchStrategy[Leaf]:
    def of(question: al.Client) -> st.SearchStrategy[Leaf]:
        codes = [each.code for each in question.datapoints]
        points = [each.code for each in question.suffixes]
        return st.builds(
            lambda answers, scale, count, negated: Leaf(
                question.code, tuple(answers), tuple(scale), min(count, len(answers) or 1), negated
            ),
            st.lists(st.sampled_from(codes), unique=True, max_size=4),
            st.lists(st.sampled_from(points), unique=True, max_size=2) if points else st.just([]),
            st.integers(1, 4),
            st.booleans(),
        )

    return st.sampled_from(list(CATALOGUE)).flatmap(of)


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        leaves(),
        lambda inner: st.builds(
            lambda join, parts, negated: ~join(*parts) if negated else join(*parts),
            st.sampled_from([all_of, any_of]),
            st.lists(inner, min_size=1, max_size=3),
            st.booleans(),
        ),
        max_leaves=6,
    )
)
def test_the_code_makes_an_equal_expression_and_is_read_as_text(expression: al.Expression) -> None:
    code = named_code(expression, CATALOGUE)
    assert run(code) == expression
    assert read_code(code, CATALOGUE.__getitem__) == [expression]
    named = expression.named("Some 'people'")
    assert run(named_code(named, CATALOGUE)) == named
    assert read_code(named_code(named, CATALOGUE), CATALOGUE.__getitem__) == [named]


def test_codes_stay_where_names_do_not_serve() -> None:
    def question(code: str, name: str, answers: list[str]) -> Question:
        points = [Datapoint(code=f"{code}_{at}", name=each) for at, each in enumerate(answers)]
        return Question(code=code, name=name, datapoints=points)

    catalogue = Catalogue(
        [
            question("a1", "Twice", ["Yes", "No"]),
            question("a2", "Twice", ["Yes", "Yes", "a2_0", ""]),
            question("a3", "Very " * 40, ["Yes"]),
        ]
    )
    assert named_code(al.Q("a1").any("a1_0"), catalogue) == "client['a1'].isin(['Yes'])"
    assert named_code(al.Q("a3").any("a3_0"), catalogue) == "client['a3'].isin(['Yes'])"
    for at in range(4):
        only_codes = f"al.Q('a2').any('a2_{at}')"
        assert named_code(al.Q("a2").any(f"a2_{at}"), catalogue) == only_codes


def test_what_is_not_a_question_is_not_read() -> None:
    for text in ("client['Age']", "client['Agee'].any()", "client[0].any()", "x['Age'].mean()"):
        with pytest.raises(al.AudienceError):
            read_code(text, CATALOGUE.__getitem__)
    with fails(al.AudienceError):
        read_code("client['Age'].any()")
    assert read_code("client['Age'] == '18 to 24'", CATALOGUE.__getitem__) == [
        al.Q("q4").any("q4_2")
    ]
