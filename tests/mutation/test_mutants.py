"""A fault is one change, at one place, and never in what is only said."""

import ast

import pytest

from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.mutants import mutants
from tests.mutation.rooms import ROOMS, ROOT, faults


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
def test_a_fault_is_one_change(code: str, faulty: list[str]) -> None:
    assert [ast.unparse(each.tree()) for each in mutants(code)] == faulty


@pytest.mark.parametrize(
    "code", ["x: A | B", "def f(x: A | B) -> C | D: ...", "f'{a + 1}'", "'words'", "Name = A | B"]
)
def test_no_fault_is_made_in_what_is_only_said(code: str) -> None:
    assert list(mutants(code)) == []


def test_a_fault_is_told_with_its_line() -> None:
    assert [(each.line, each.fault) for each in mutants("\na == b")] == [(2, "a == b → a != b")]


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("x = [\n  a < b,\n]", range(1, 4)),
        ("if (\n  a < b\n):\n  pass", range(1, 4)),
        ("match a:\n  case 'b':\n    pass\n  case 'c' if a < b:\n    pass", range(4, 5)),
    ],
)
def test_a_fault_is_reached_by_the_lines_of_its_statement(code: str, lines: range) -> None:
    assert [each.lines for each in mutants(code)] == [lines]


def test_what_is_said_to_be_no_fault_is_one_that_is_made() -> None:
    made = {
        (fault.path, fault.mutant.code, fault.words) for room in ROOMS for fault in faults(room)
    }
    said = {(each.path, each.code, words) for each in EQUIVALENT for words in each.faults}
    assert said <= made
    assert all(each.why for each in EQUIVALENT)


def test_every_room_names_tests_that_exist() -> None:
    """Otherwise pytest ends before it tries a fault."""
    assert [test for room in ROOMS for test in room.tests if not (ROOT / test).exists()] == []
