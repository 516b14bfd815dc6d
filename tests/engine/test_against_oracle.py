"""Every figure of the engine equals the naive oracle's, on random surveys and expressions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiencelab.engine import CrosstabSpec, Engine, StatsSpec
from audiencelab.expressions import Audience, Expression, Leaf
from audiencelab.schema.scope import BASES_OF, Scope
from tests.engine import oracle
from tests.engine.studies import CLOSED_WAVE, QUESTIONS, WAVE_CODES, Study
from tests.strategies import expressions

LOCATIONS = [point.code for point in QUESTIONS[0].datapoints]
OPEN_WAVES = [code for code in WAVE_CODES if code != CLOSED_WAVE]


@st.composite
def known_leaves(draw: st.DrawFn) -> Leaf:
    """A leaf with codes that the studies have; about one in seven is a `waves` leaf."""
    if draw(st.integers(0, 6)) == 0:
        listed = draw(st.lists(st.sampled_from(WAVE_CODES), min_size=1, max_size=4, unique=True))
        count = draw(st.sampled_from([1, 1, 1, len(listed)]))
        return Leaf("waves", tuple(listed), (), count, draw(st.booleans()))
    question = draw(st.sampled_from(QUESTIONS))
    codes = [point.code for point in question.datapoints]
    listed = draw(st.lists(st.sampled_from(codes), max_size=len(codes), unique=True))
    levels = [suffix.code for suffix in question.suffixes]
    suffixes = draw(st.lists(st.sampled_from(levels), max_size=3, unique=True)) if levels else []
    # A code without namespace belongs to the base namespace, and only there may it be left out.
    named = draw(st.sampled_from([question.canonical, question.code]))
    return Leaf(
        question.canonical if question.namespace_code == "extra" else named,
        tuple(listed),
        tuple(suffixes),
        draw(st.integers(1, max(1, len(listed) or len(codes)))),
        draw(st.booleans()),
    )


maybe_expressions = st.one_of(st.none(), expressions(known_leaves(), max_leaves=6))
axes = st.lists(maybe_expressions, min_size=1, max_size=4)
locations = st.lists(st.sampled_from(LOCATIONS), max_size=3, unique=True).map(tuple)
waves = st.one_of(
    st.none(), st.lists(st.sampled_from(WAVE_CODES), min_size=1, unique=True).map(tuple)
)
scopes = st.builds(
    Scope,
    base=st.one_of(st.none(), maybe_expressions.map(lambda each: Audience(expression=each))),
    locations=locations,
    waves=waves,
    base_of=st.sampled_from(BASES_OF),
)
checked = settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def base_audience(scope: Scope) -> Expression | None:
    return None if scope.base is None else scope.base.expression


@pytest.fixture(scope="module")
def engines(studies: list[Study]) -> list[Engine]:
    # The cache of the second one is far too small, so that masks are dropped all the time.
    sizes = (1 << 20, 1000, 1 << 20)
    return [
        Engine(study.survey, cache_bytes=size) for study, size in zip(studies, sizes, strict=True)
    ]


@checked
@given(expression=maybe_expressions, which=st.integers(0, 2))
def test_coverage_equals_the_oracle(
    studies: list[Study], engines: list[Engine], expression: Expression | None, which: int
) -> None:
    expected = oracle.in_order(oracle.coverage(studies[which], expression))
    assert engines[which].coverage(expression) == tuple(expected)


@checked
@given(
    which=st.integers(0, 2),
    rows=axes,
    columns=axes,
    scope=scopes,
)
def test_every_crosstab_cell_equals_the_oracle(
    studies: list[Study],
    engines: list[Engine],
    which: int,
    rows: list[Expression | None],
    columns: list[Expression | None],
    scope: Scope,
) -> None:
    spec = CrosstabSpec(tuple(rows), tuple(columns), scope)
    over = set(OPEN_WAVES[-4:] if scope.waves is None else scope.waves)
    expected = oracle.crosstab(
        studies[which], rows, columns, base_audience(scope), scope.locations, over, scope.base_of
    )
    for stripe in engines[which].crosstab(spec):
        for row in range(stripe.start, stripe.stop):
            for column in range(len(columns)):
                cell = expected.pop((row, column))
                for name, wanted in cell.items():
                    side, _, figure = name.partition("_")
                    if figure in ("size", "sample"):
                        found = getattr(getattr(stripe, side), figure)
                    else:
                        found = getattr(stripe, name)
                    assert found[row - stripe.start, column] == close(name, wanted), name
    assert not expected, "cells are missing"


@checked
@given(data=st.data(), which=st.integers(0, 2))
def test_every_stats_row_equals_the_oracle(
    studies: list[Study], engines: list[Engine], data: st.DataObject, which: int
) -> None:
    question = data.draw(st.sampled_from(QUESTIONS))
    codes = [point.code for point in question.datapoints]
    datapoints = data.draw(st.lists(st.sampled_from(codes), max_size=4, unique=True))
    levels = [suffix.code for suffix in question.suffixes]
    suffixes = (
        data.draw(st.lists(st.sampled_from(levels), max_size=2, unique=True)) if levels else []
    )
    by = data.draw(st.sampled_from([None, "waves", *QUESTIONS]))
    splitter = by if by is None or by == "waves" else by.canonical
    scope = data.draw(scopes)
    over = set(OPEN_WAVES if scope.waves is None else scope.waves)
    segments: list[str] = []
    if splitter is not None:
        known = list(WAVE_CODES) if by == "waves" else [point.code for point in by.datapoints]
        segments = data.draw(st.lists(st.sampled_from(known), max_size=3, unique=True))
        every = oracle.in_order(over) if by == "waves" else known
    audiences = data.draw(st.one_of(st.none(), axes))
    spec = StatsSpec(
        question=question.canonical,
        datapoints=tuple(datapoints),
        suffixes=tuple(suffixes),
        splitter=splitter,
        segments=tuple(segments),
        segmented_base=data.draw(st.booleans()),
        audiences=None if audiences is None else tuple(audiences),
        scope=scope,
    )
    expected = oracle.stats(
        studies[which],
        spec.question,
        datapoints or codes,
        spec.suffixes,
        splitter,
        (segments or every) if splitter is not None else [],
        spec.segmented_base,
        audiences or [None],
        base_audience(scope),
        scope.locations,
        over,
        scope.base_of,
    )
    found = list(engines[which].stats(spec))
    assert len(found) == len(expected)
    for row, wanted in zip(found, expected, strict=True):
        for name, figure in wanted.items():
            assert getattr(row, name) == close(name, figure), name


def close(name: str, wanted: object) -> object:
    """Sizes, percentages and indices to 1e-9; everything else exactly."""
    exact = name.endswith("_sample") or not isinstance(wanted, float)
    return wanted if exact else pytest.approx(wanted, rel=1e-9, abs=1e-9)


def test_the_oracle_itself_sees_routing_and_suffixes(studies: list[Study]) -> None:
    """A figure counted by hand from the raw records, so that two equal mistakes would show."""
    study = studies[0]
    often = Leaf("q20", ("q20_1",), ("1", "2"))
    by_hand = sum(
        1
        for wave, given in zip(study.people["wave"], study.gave["core.q20"], strict=True)
        if wave == "q3_2023" and (("q20_1", "1") in given or ("q20_1", "2") in given)
    )
    assert by_hand > 0
    stripe = next(
        Engine(study.survey).crosstab(CrosstabSpec((often,), (None,), Scope(waves=("q3_2023",))))
    )
    assert stripe.intersect.sample.tolist() == [[by_hand]]
    assert np.all(stripe.base.sample == (study.people["wave"] == "q3_2023").sum())
