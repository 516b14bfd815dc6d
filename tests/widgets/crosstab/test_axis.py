"""The lines of a side: a tuple of audiences that keeps heads and nets, and prints as written."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import audiencelab as al
from audiencelab.client.audiences import flatten_banner
from audiencelab.widgets.crosstab.axis import Axis, as_axis

A, B, C = (al.Audience(name, al.Q("q2").any(f"q2_{name}")) for name in "abc")

heads = st.lists(st.sampled_from(["Gender", "Age", 'a "head"']), max_size=3).map(tuple)


@st.composite
def any_lines(draw: st.DrawFn) -> Axis:
    audiences = draw(st.lists(st.sampled_from([A, B, C]), max_size=8))
    return Axis(audiences, [draw(heads) for _ in audiences])


@given(any_lines())
def test_a_side_laid_flat_again_is_the_same_lines(lines: Axis) -> None:
    flat = flatten_banner("rows", lines.to_side())
    assert Axis(flat.audiences, flat.groups) == lines


@given(any_lines())
def test_the_code_makes_the_same_lines(lines: Axis) -> None:
    made = eval(lines.to_code(), {"al": al})
    assert as_axis(made, "rows", lambda: None) == lines


@given(any_lines())
def test_lines_are_copied_and_pickled_whole(lines: Axis) -> None:
    marked = Axis(lines, lines.heads, [True] * len(lines))
    assert copy.deepcopy(marked) == marked
    assert pickle.loads(pickle.dumps(marked)).nets == marked.nets


def test_equality_counts_heads_and_nets() -> None:
    plain = Axis([A, B])
    assert plain == (A, B)
    assert plain == (A, B)
    assert plain != [A, B]
    assert plain != Axis([A, B], [("x",), ("x",)])
    assert plain != Axis([A, B], nets=[False, True])
    assert Axis([A, B], [("x",), ("x",)]) != (A, B)
    assert hash(plain) == hash((A, B))


def test_heads_and_nets_are_one_for_each_line() -> None:
    with pytest.raises(ValueError, match="heads must have 2 items"):
        Axis([A, B], [("x",)])
    with pytest.raises(ValueError, match="nets must have 1"):
        Axis([A], nets=[])


def test_some_lines_are_taken_with_their_heads() -> None:
    lines = Axis([A, B, C], [(), ("x",), ("x", "y")], [False, False, True])
    assert lines.take([2, 0]) == Axis([C, A], [("x", "y"), ()], [True, False])


def test_names_are_told_apart_by_their_heads() -> None:
    assert Axis([A, A, B], [("x",), ("y",), ("y",)]).full_names == ["x › a", "y › a", "b"]


def test_a_head_that_comes_twice_keeps_its_two_places() -> None:
    lines = Axis([A, B, C], [("x",), ("y",), ("x",)])
    side: Any = lines.to_side()
    assert side == [{"x": [A], "y": [B]}, {"x": [C]}]
