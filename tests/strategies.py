"""Hypothesis strategies for audience expressions, shared by every room that is tested with them."""

from __future__ import annotations

from hypothesis import strategies as st

from audiencelab.expressions import And, Expression, Leaf, Or

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


def expressions(
    of: st.SearchStrategy[Leaf] | None = None, max_leaves: int = 12
) -> st.SearchStrategy[Expression]:
    """Trees of any shape over `of` (any leaf at all by default)."""

    def combine(children: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        several = st.lists(children, min_size=1, max_size=4).map(tuple)
        return st.one_of(
            st.builds(And, several, st.booleans()), st.builds(Or, several, st.booleans())
        )

    return st.recursive(of if of is not None else leaves(), combine, max_leaves=max_leaves)
