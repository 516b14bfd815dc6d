"""Hypothesis strategies for audience expressions, shared by every room that is tested with them."""

from __future__ import annotations

from hypothesis import strategies as st

from audiencelab.expressions import And, Expression, Leaf, NumberRange, Or

# Codes of every shape that may legally occur, among them ones that look like numbers, carry a
# namespace, quotes, or letters outside ASCII.
codes = st.one_of(
    st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True),
    st.from_regex(r"core\.[a-z][a-z0-9]{0,4}", fullmatch=True),
    st.text(min_size=1, max_size=6).filter(lambda code: code != "waves"),
)
suffix_codes = st.one_of(st.integers(0, 99).map(str), st.sampled_from(["01", "-1", "a", "1.0"]))


@st.composite
def leaves(
    draw: st.DrawFn,
    questions: st.SearchStrategy[str] = codes,
    datapoints: st.SearchStrategy[str] = codes,
    suffixes: st.SearchStrategy[str] = suffix_codes,
) -> Leaf:
    """A leaf whose number of datapoints can hold."""
    listed = tuple(draw(st.lists(datapoints, max_size=4)))
    return Leaf(
        question=draw(questions),
        datapoints=listed,
        suffixes=tuple(draw(st.lists(suffixes, max_size=3))),
        min_count=draw(st.integers(1, max(len(listed), 1))),
        negated=draw(st.booleans()),
    )


@st.composite
def ranges(draw: st.DrawFn) -> NumberRange:
    """A range that some number is in."""
    ends = st.one_of(st.integers(-(10**6), 10**6), st.floats(allow_nan=False, allow_infinity=False))
    low, high = sorted([float(draw(ends)), float(draw(ends))])
    given = {
        draw(st.sampled_from(["min", "above"])): low,
        draw(st.sampled_from(["max", "below"])): high,
    }
    if low == high:
        given = {"min": low, "max": high}
    if draw(st.booleans()):
        del given[draw(st.sampled_from([*given]))]
    return NumberRange(draw(codes), **given, negated=draw(st.booleans()))


def expressions(
    of: st.SearchStrategy[Expression] | None = None, max_leaves: int = 12
) -> st.SearchStrategy[Expression]:
    """Trees of any shape over `of` (any condition at all by default)."""

    def combine(children: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        several = st.lists(children, min_size=1, max_size=4).map(tuple)
        return st.one_of(
            st.builds(And, several, st.booleans()), st.builds(Or, several, st.booleans())
        )

    return st.recursive(
        of if of is not None else leaves() | ranges(), combine, max_leaves=max_leaves
    )
