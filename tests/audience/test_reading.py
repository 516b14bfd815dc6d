"""Code is read back as what it says, and none of it is run."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

import audiencelab as al
from audiencelab.audience import Audience, Expression
from audiencelab.audience.reading import CodeError, read_code
from tests.strategies import expressions


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


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("al.Q('q4').any('q4_2'", "Line 1: this is no Python code."),
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
        ("al.Q(4).any()", "Line 1: A question is given by its code"),
        ("nobody & al.Q('q4').any()", "'nobody' is not part of the audience language"),
        ("al.Audience(colour='red')", "Line 1: "),
        ("al.Audience(**{'name': 'Young'})", "not part of the audience language"),
        ("~" * 5_000 + "al.Q('q4').any()", "nested too deeply"),
        ("(" * 90_000 + ")" * 90_000, ""),
        ("'" + "x" * 300_000 + "'", "300,002 characters"),
    ],
)
def test_other_code_is_refused_by_line(code: str, said: str) -> None:
    with pytest.raises(CodeError, match=r".") as refused:
        read_code(code)
    assert said in str(refused.value)


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
