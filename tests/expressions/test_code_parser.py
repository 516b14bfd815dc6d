"""Code is read back as what it says, and none of it is run."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

import audiencelab as al
from audiencelab.expressions import Audience, Expression
from audiencelab.expressions.code_parser import CodeError, read_code
from tests.messages import fails
from tests.strategies import expressions

DOUBLED = "x = al.Q('q').any()\n" + "x = {0}\n" * 40
"""Forty short lines for 2^40 nodes."""


@given(expressions())
def test_what_is_written_is_read_back(expression: Expression) -> None:
    assert read_code(expression.to_code()) == [expression]
    audience = Audience("It's “x”\n", expression, "a-1")
    assert read_code(audience.to_code()) == [audience]


@pytest.mark.parametrize(
    ("code", "meant"),
    [
        ("Q('q4').any('q4_2')", [al.Q("q4").any("q4_2")]),
        ("import audiencelab as al\nal.Audience()", [Audience()]),
        ("al.Q('q4') == 'q4_2'", [al.Q("q4").any("q4_2")]),
        ("al.Q('q4') != 'q4_2'", [~al.Q("q4").any("q4_2")]),
        ("al.Q('q4').any('q4_2').named('Young')", [Audience("Young", al.Q("q4").any("q4_2"))]),
        (
            "codes = ['q4_2', 'q4_3']\nyoung = al.Q('q4').any(*codes)\n"
            "young & ~al.Q('q2').all('q2_1')",
            [al.Q("q4").any("q4_2", "q4_3") & ~al.Q("q2").all("q2_1")],
        ),
        (
            "[al.Q('q4').any(), al.Audience('B', al.Q('q20', suffixes=[1]).at_least(2))]",
            [al.Q("q4").any(), Audience("B", al.Q("q20", suffixes=[1]).at_least(2))],
        ),
        ("women = al.Q('q2').any('q2_2')", [al.Q("q2").any("q2_2")]),
        ("    women = al.Q('q2').any('q2_2')\n    ~women", [~al.Q("q2").any("q2_2")]),
        (
            "audiencelab.any_of(al.Q('a').any(), al.Q('b').any())",
            [al.any_of(al.Q("a").any(), al.Q("b").any())],
        ),
    ],
)
def test_code_as_people_write_it(code: str, meant: list[object]) -> None:
    assert read_code(code) == meant


def test_a_question_is_found_by_its_name_where_a_catalogue_is() -> None:
    code = "client['Age'].any('q4_2')"
    assert read_code(code, {"Age": al.Q("q4")}.__getitem__) == [al.Q("q4").any("q4_2")]
    with fails(CodeError):
        read_code(code)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("al.Q('q4').any('q4_2'", "Line 1: this is not Python code."),
        ("", "has to end with an audience"),
        ("al.Q('q4')", "has to end with an audience"),
        ("[]", "has to end with an audience"),
        ("1 + 1", "Line 1: '1 + 1' is not part of the audience language"),
        ("__import__('os').system('true')", "not part of the audience language"),
        ("al.Q('q4').any.__globals__", "not part of the audience language"),
        ("open('x').read()", "not part of the audience language"),
        ("x = 1\nfor y in x: pass", "Line 2: "),
        ("al.Q('q4').any('q4_2') & 3", "Line 1: only expressions are combined"),
        ("al.Q('q4').at_least('q4_2')", "Line 1: The number comes first"),
        ("al.Q(4).any()", "Line 1: question must be a code"),
        ("nobody & al.Q('q4').any()", "'nobody' is not part of the audience language"),
        ("al.Audience(colour='red')", "Line 1: "),
        ("al.Audience(**{'name': 'Young'})", "not part of the audience language"),
        ("~" * 5_000 + "al.Q('q4').any()", "nested too deeply"),
        ("(" * 90_000 + ")" * 90_000, ""),
        ("'" + "x" * 300_000 + "'", "300,002 characters"),
        (DOUBLED.format("x & x"), "Line 15: the expression has more than 10,000 nodes, the limit."),
        (DOUBLED.format("any_of(x, x)"), "more than 10,000 nodes"),
        ("x = al.Q('q').any()\n" + "x = any_of(x)\n" * 64, "nested deeper than 64 levels"),
        ("c = ['a'" + ", 'a'" * 999 + "]\nQ('q').any(" + "*c," * 999 + ")", "200,000 characters"),
        ("'\ud800'", "The code cannot be read: "),
        ("x += 0x" + "f" * 9_000, "The code cannot be read: "),
    ],
)
def test_other_code_is_refused_by_line(code: str, said: str) -> None:
    with fails(CodeError) as refused:
        read_code(code)
    assert said in str(refused.value)


def test_what_code_puts_together_in_all_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audiencelab.expressions.code_parser._MOST_WORK", 1_010)
    line = "al.Q('q').any(*codes)\n"
    codes = "codes = ['a'" + ", 'a'" * 99 + "]\n"
    assert len(read_code(codes + line * 10)) == 1
    with fails(CodeError):
        read_code(codes + line * 11)


ALL = "al.Q('q').any()"


@pytest.mark.parametrize(
    ("fits", "too_much", "said"),
    [
        (ALL + " " * (200_000 - len(ALL)), ALL + " " * (200_001 - len(ALL)), "200,001 characters"),
        (
            f"x = {ALL}\nany_of(*[{'x, ' * 9_999}])",
            f"x = {ALL}\nany_of(*[{'x, ' * 10_000}])",
            "more than 10,000 nodes",
        ),
        (
            f"x = {ALL}\n" + "x = any_of(x)\n" * 63,
            f"x = {ALL}\n" + "x = any_of(x)\n" * 64,
            "deeper than 64 levels",
        ),
    ],
)
def test_what_just_fits_is_read(fits: str, too_much: str, said: str) -> None:
    assert len(read_code(fits)) == 1
    with pytest.raises(CodeError, match=said):
        read_code(too_much)


def test_what_an_expression_takes_to_write_is_limited_to_the_character() -> None:
    """A code takes its letters and one more, and so does a node that joins others its one."""
    listed = "'a', "
    codes = f"c = [{listed * 1_000}]\nd = [{listed * 998}]\n"
    leaf = f"Q('qq').any({'*c, ' * 99}*d)"  # 3 for the question, 2 for each of 99,998 codes
    assert len(read_code(f"{codes}any_of({leaf})")) == 1
    with fails(CodeError):
        read_code(f"{codes}any_of(any_of({leaf}))")


@pytest.mark.parametrize(("length", "shown"), [(60, "x" * 60), (61, "x" * 60 + "…")])
def test_long_code_is_quoted_in_part(length: int, shown: str) -> None:
    with pytest.raises(CodeError, match=f"'{shown}' is not part"):
        read_code("x" * length)


@pytest.mark.parametrize("count", [200, 201, 2_000])
def test_an_expression_of_very_many_parts_is_read_back(count: int) -> None:
    leaves = [al.Q(f"q{place}").any() for place in range(count)]
    for expression in (al.any_of(*leaves), ~al.all_of(*leaves)):
        assert read_code(expression.to_code()) == [expression]
    assert read_code(" & ".join(leaf.to_code() for leaf in leaves)) == [al.all_of(*leaves)]


def test_nothing_is_run(tmp_path: Path) -> None:
    target = tmp_path / "written"
    for code in (
        f"open({str(target)!r}, 'w')",
        f"al.Q('q4').any(open({str(target)!r}, 'w').name)",
        f"(lambda: open({str(target)!r}, 'w'))()",
    ):
        with pytest.raises(CodeError):
            read_code(code)
    assert not target.exists()
