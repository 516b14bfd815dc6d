"""A mutant is one change, at one place, and never in annotations or texts."""

import ast

import pytest

from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.mutants import mutants
from tests.mutation.suites import ROOT, SUITES, faults


@pytest.mark.parametrize(
    ("code", "faulty"),
    [
        ("a < b", ["a <= b"]),
        ("a < b == c", ["a <= b == c", "a < b != c"]),
        ("a in b", ["a not in b"]),
        ("a and b", ["a or b"]),
        ("not a", ["a"]),
        ("a + 1", ["a - 1", "a + 2"]),
        ("f(True)", ["f(False)"]),
        ("a if b else c", ["c if b else a"]),
    ],
)
def test_a_mutant_is_one_change(code: str, faulty: list[str]) -> None:
    assert [ast.unparse(each.tree()) for each in mutants(code)] == faulty


@pytest.mark.parametrize(
    "code", ["x: A | B", "def f(x: A | B) -> C | D: ...", "f'{a + 1}'", "'words'", "Name = A | B"]
)
def test_annotations_and_texts_are_not_changed(code: str) -> None:
    assert list(mutants(code)) == []


def test_a_mutant_has_its_line_and_its_change() -> None:
    assert [(each.line, each.fault) for each in mutants("\na == b")] == [(2, "a == b → a != b")]


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("x = [\n  a < b,\n]", range(1, 4)),
        ("if (\n  a < b\n):\n  pass", range(1, 4)),
        ("match a:\n  case 'b':\n    pass\n  case 'c' if a < b:\n    pass", range(4, 5)),
    ],
)
def test_a_mutant_has_the_lines_of_its_statement(code: str, lines: range) -> None:
    assert [each.lines for each in mutants(code)] == [lines]


def test_each_equivalent_mutant_is_one_that_is_made() -> None:
    made = {
        (fault.path, fault.mutant.code, fault.words) for suite in SUITES for fault in faults(suite)
    }
    said = {(each.path, each.code, words) for each in EQUIVALENT for words in each.faults}
    assert said <= made
    assert all(each.why for each in EQUIVALENT)


def test_every_room_names_tests_that_exist() -> None:
    """Otherwise pytest ends before it tries a mutant."""
    assert [test for suite in SUITES for test in suite.tests if not (ROOT / test).exists()] == []
