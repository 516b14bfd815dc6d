"""The rules of coverage one by one, with the corners that random expressions seldom reach."""

from __future__ import annotations

import pytest

from audiencelab.engine import CrosstabSpec, Engine, StatsSpec
from audiencelab.expressions import Expression, Leaf, Q
from audiencelab.schema.scope import Scope
from tests.engine.studies import ASKED_IN, WAVE_CODES, Study

Q20, Q30 = ASKED_IN["core.q20"], ASKED_IN["extra.q30"]


@pytest.fixture
def engine(studies: list[Study]) -> Engine:
    return Engine(studies[0].survey)


def ordered(codes: set[str]) -> tuple[str, ...]:
    return tuple(code for code in WAVE_CODES if code in codes)


@pytest.mark.parametrize(
    ("expression", "waves"),
    [
        (None, set(WAVE_CODES)),
        (Q("q20").any(), set(Q20)),
        (~Q("q20").any(), set(Q20)),
        (Q("q20").any() & Q("extra.q30").any(), set(Q20) & set(Q30)),
        (Q("q20").any() | Q("extra.q30").any(), set(Q20) | set(Q30)),
        (~(Q("q20").any() | Q("extra.q30").any()), set(Q20) | set(Q30)),
        (Q("waves").any("q1_2023", "q2_2023"), {"q1_2023", "q2_2023"}),
        (~Q("waves").any("q1_2023"), set(WAVE_CODES) - {"q1_2023"}),
        (~(~Q("waves").any("q1_2023") & Q("q2").any()), set(WAVE_CODES) - {"q1_2023"}),
        (Q("waves").any(), set(WAVE_CODES)),
    ],
)
def test_coverage(engine: Engine, expression: Expression | None, waves: set[str]) -> None:
    assert engine.coverage(expression) == ordered(waves)


def sample(engine: Engine, expression: Expression) -> int:
    [stripe] = engine.crosstab(CrosstabSpec((expression,), (None,), Scope(waves=WAVE_CODES)))
    return stripe.intersect.sample.item()


def respondents(study: Study, *waves: str) -> int:
    return int(study.people["wave"].isin(waves).sum())


def test_nobody_is_in_two_waves(engine: Engine, studies: list[Study]) -> None:
    two = Leaf("waves", ("q1_2023", "q2_2023"), min_count=2)
    others = set(WAVE_CODES) - {"q1_2023", "q2_2023"}
    assert sample(engine, two) == 0
    assert engine.coverage(two) == ("q1_2023", "q2_2023")
    assert sample(engine, ~two) == respondents(studies[0], *others)


def test_a_negated_leaf_is_everyone_else_where_it_was_asked_and_nobody_elsewhere(
    engine: Engine, studies: list[Study]
) -> None:
    inside = sample(engine, Q("q20").any())
    assert inside + sample(engine, ~Q("q20").any()) == respondents(studies[0], *Q20)


def test_a_negated_choice_counts_where_either_was_asked(
    engine: Engine, studies: list[Study]
) -> None:
    either = Q("q20").any() | Q("extra.q30").any()
    covered = set(Q20) | set(Q30)
    assert sample(engine, either) + sample(engine, ~either) == respondents(studies[0], *covered)


@pytest.mark.parametrize("segmented_base", [False, True])
def test_a_row_rests_on_the_waves_that_asked_its_splitter(
    engine: Engine, studies: list[Study], segmented_base: bool
) -> None:
    spec = StatsSpec(
        "q2", splitter="q20", segmented_base=segmented_base, scope=Scope(waves=WAVE_CODES)
    )
    asked = set(Q20) & set(ASKED_IN["core.q2"])
    assert asked < set(ASKED_IN["core.q2"])
    for row in engine.stats(spec):
        assert row.waves == ordered(asked)
    if not segmented_base:
        inside = Q("q2").any() & Q("waves").any(*asked)
        rows = {row.datapoint: row.datapoint_sample for row in engine.stats(spec)}
        assert sum(rows.values()) >= sample(engine, inside)
        for code, found in rows.items():
            assert found == sample(engine, Q("q2").any(code) & Q("waves").any(*asked))


def test_the_negation_of_a_choice_covers_more_waves_than_the_choice_of_negations(
    engine: Engine, studies: list[Study]
) -> None:
    one, other = Q("q20").any(), Q("extra.q30").any()
    assert set(engine.coverage(~(one | other))) == set(Q20) | set(Q30)
    assert set(engine.coverage(~one & ~other)) == set(Q20) & set(Q30)
    everyone = respondents(studies[0], *(set(Q20) | set(Q30)))
    assert sample(engine, ~(one | other)) == everyone - sample(engine, one | other)
