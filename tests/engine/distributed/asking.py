"""Random questions to the studies of `tests.engine.studies`, and answers to the last bit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from audiencelab.engine import CrosstabSpec, CrosstabStripe, Engine, StatsSpec
from tests.engine.test_against_oracle import axes, scopes

CROSSTABS = st.builds(CrosstabSpec, rows=axes, columns=axes, scope=scopes)

STATS = st.builds(
    StatsSpec,
    question=st.sampled_from(("q4", "q9", "region", "extra.q30", "waves")),
    audiences=axes.map(tuple),
    splitter=st.sampled_from((None, "waves", "q2")),
    segmented_base=st.booleans(),
    scope=scopes,
)


def cells(engine: Engine, spec: CrosstabSpec) -> list[tuple[bytes, ...]]:
    """Every figure of a crosstab row by row, to the last bit, however it was cut into stripes."""
    return cells_of(engine.crosstab(spec))


def cells_of(stripes: Iterable[CrosstabStripe]) -> list[tuple[bytes, ...]]:
    """The same of stripes."""
    rows: list[tuple[bytes, ...]] = []
    for stripe in stripes:
        sides = (stripe.base, stripe.row, stripe.column, stripe.intersect)
        figures = [array for side in sides for array in (side.size, side.sample)]
        figures += [stripe.row_percentage, stripe.column_intersect_percentage, stripe.index]
        rows += [tuple(of.tobytes() for of in row) for row in zip(*figures, strict=True)]
    return rows


def answers(engine: Engine, spec: StatsSpec) -> Sequence[object]:
    """Every row of a stats query; their floats compare bit for bit, but for the sign of zero."""
    return list(engine.stats(spec))
