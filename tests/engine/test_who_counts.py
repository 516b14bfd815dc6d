"""Who counts in a cell, worked out by hand on two waves of eight respondents each."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from audiencelab.engine import CrosstabSpec, CrosstabStripe, Engine, StatsSpec
from audiencelab.engine.statistics import StatisticSpec, StatisticsSpec
from audiencelab.expressions import Audience, Expression, Q
from audiencelab.expressions.codes import ASKED
from audiencelab.schema.scope import BaseOf, Scope
from audiencelab.survey import Answers, SurveyBuilder, SurveyCatalogue, SurveyWave
from audiencelab.survey.derivations import Net, NetPoint
from audiencelab.survey.record import SurveyRecord
from audiencelab.survey.update import derive
from tests.engine.studies import question

EVERYONE, VALID = Scope(), Scope(base_of="valid")
WOMEN = Q("sex").any("sex_1")
N = np.arange(8)
CATALOGUE = SurveyCatalogue(
    questions=(
        question("where", "single", 2),
        question("sex", "single", 2),
        question("party", "single", 3),
        question("brands", "multiple", 3),
        question("rated", "grid", 2, 2),
        structs.replace(question("young", "single", 1), flags=("derived",)),
    ),
    location_question="core.where",
)


def built(folder: Path, **record: Any) -> Engine:
    """Women are the even ones. brands_3 and party_3 are new in the second wave.

    In the first wave the last two were not asked brands; in the second the first four were asked
    brands_1 and brands_2, and the others brands_2 and brands_3. Even ones ticked all they saw.
    The first six rated item 1 at point 1, the last four item 2 at point 2.
    """
    items = [np.array([[True, True, False]] * 6 + [[False] * 3] * 2)]
    items.append(np.array([[True, True, False]] * 4 + [[False, True, True]] * 4))
    rated = np.stack([np.where(N < 6, 0, -1), np.where(N >= 4, 1, -1)], axis=1)
    with SurveyBuilder(folder, CATALOGUE, record=SurveyRecord(**record)) as builder:
        for place in (0, 1):
            day = date(2025, 1 + place, 1)
            answers = {
                "where": np.zeros(8, int),
                "sex": np.where(N == 7, -1, N % 2),
                "party": Answers(N % (2 + place), not_offered=["party_3"][place:]),
                "brands": Answers(items[place] & (N % 2 == 0)[:, None], items=items[place]),
                "rated": rated,
                "young": Answers(np.where(N < 2, 0, -1), N < 4),
            }
            builder.add_wave(SurveyWave(f"w{place + 1}", "", day, day), np.full(8, 10.0), answers)
        return Engine(builder.finish())


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return built(tmp_path_factory.mktemp("who") / "survey")


def table(
    engine: Engine, row: Expression, column: Expression | None = None, scope: Scope = VALID
) -> CrosstabStripe:
    [stripe] = engine.crosstab(CrosstabSpec((row,), (column,), replace_waves(scope)))
    return stripe


def replace_waves(scope: Scope) -> Scope:
    return replace(scope, waves=scope.waves or ("w1", "w2"))


def samples(stripe: CrosstabStripe) -> list[int]:
    """Respondents of base, row, column and cell."""
    sides = stripe.base, stripe.row, stripe.column, stripe.intersect
    return [int(side.sample[0, 0]) for side in sides]


@pytest.mark.parametrize(
    ("row", "waves"),
    [
        (Q("brands").any("brands_3"), ("w2",)),
        (~Q("brands").any("brands_3"), ("w2",)),
        (Q("brands").any("brands_1", "brands_3"), ("w1", "w2")),
        (Q("brands").all("brands_1", "brands_3"), ("w2",)),
        (Q("brands").any(), ("w1", "w2")),
        (Q("brands").at_least(3), ("w2",)),
        (Q("party").any("party_3"), ("w1", "w2")),
    ],
)
def test_an_item_is_covered_by_the_waves_that_offered_it(
    engine: Engine, row: Expression, waves: tuple[str, ...]
) -> None:
    assert engine.coverage(row) == waves
    sizes = table(engine, row, scope=EVERYONE)
    assert sizes.base.size.item() == 80.0
    assert sizes.base.sample.item() == 8 * len(waves)


@pytest.mark.parametrize(
    ("row", "column", "expected"),
    [
        # Asked, of whom every second one ticked it.
        (Q("brands").any("brands_1"), None, [10, 5, 10, 5]),
        (Q("brands").any("brands_3"), None, [4, 2, 4, 2]),
        # Of two items those who were asked both; in the first wave one was offered.
        (Q("brands").any("brands_2", "brands_3"), None, [10, 5, 10, 5]),
        (Q("brands").any("brands_1", "brands_3"), None, [6, 3, 6, 3]),
        (Q("brands").any("brands_1") | Q("brands").any("brands_3"), None, [14, 7, 14, 7]),
        (~Q("brands").any("brands_1"), None, [10, 5, 10, 5]),
        # The last one has not said the sex.
        (Q("brands").any("brands_2"), WOMEN, [13, 7, 7, 7]),
        (Q("rated", suffixes=["1"]).any("rated_1"), None, [12, 12, 12, 12]),
        (Q("rated", suffixes=["2"]).any("rated_1", "rated_2"), None, [4, 4, 4, 4]),
        (Q("young").any("young_1"), None, [8, 4, 8, 4]),
        (Q("brands").any(ASKED), None, [16, 14, 16, 14]),
        (Q("where").any("where_1"), WOMEN, [14, 14, 8, 8]),
    ],
)
def test_those_who_could_have_been_in_a_cell_count(
    engine: Engine, row: Expression, column: Expression | None, expected: list[int]
) -> None:
    found = table(engine, row, column)
    assert samples(found) == expected
    assert samples(table(engine, column, row)) == [expected[at] for at in (0, 2, 1, 3)]


@pytest.mark.parametrize(("base_of", "expected"), [("everyone", 11), ("valid", 5)])
def test_what_a_base_negates_is_known(engine: Engine, base_of: BaseOf, expected: int) -> None:
    base = Audience(~Q("brands").any("brands_1"))
    found = table(engine, Q("where").any(), scope=Scope(base, base_of))
    assert found.base.sample.item() == expected


def test_an_answer_that_no_wave_offered_has_no_figure(engine: Engine) -> None:
    """In the waves together its row adds up to 100 with the others."""
    new = Q("party").any("party_3")
    rows = tuple(Q("party").any(f"party_{place}") for place in (1, 2, 3))
    [pooled] = engine.crosstab(CrosstabSpec(rows, (None,), Scope(waves=("w1", "w2"))))
    assert pooled.row_intersect_percentage.sum() == pytest.approx(100)
    assert pooled.intersect.sample[2] == 2
    for base in (None, Audience(WOMEN)):
        before = table(engine, new, WOMEN, Scope(base, waves=("w1",)))
        assert samples(before) == [0, 0, 0, 0]
        assert not before.base.size.any()
    for segmented in (False, True):
        asked = StatsSpec("sex", splitter="party", segmented_base=segmented)
        for scope, waves in ((Scope(waves=("w1",)), ()), (Scope(waves=("w1", "w2")), ("w1", "w2"))):
            rows = [
                row for row in engine.stats(replace(asked, scope=scope)) if row.segment == "party_3"
            ]
            assert {row.waves for row in rows} == {waves}


def test_sizes_of_the_parts_of_one_sample_are_sums(engine: Engine, tmp_path: Path) -> None:
    parts = built(tmp_path / "parts", sizes="sum")
    spec = CrosstabSpec((WOMEN,), (Q("brands").any("brands_1"),), Scope(waves=("w1", "w2")))
    means = StatisticsSpec(
        (StatisticSpec("mean", "sex", amounts=(("sex_1", 1.0), ("sex_2", 2.0))),),
        spec.columns,
        spec.scope,
    )
    for factor, each in ((1, engine), (2, parts)):
        [stripe] = each.crosstab(spec)
        assert stripe.base.size.item() == 80 * factor
        assert stripe.row_intersect_percentage.item() == 100
        assert each.precision(spec).size.item() == 25 * factor
        assert each.statistics(means)[0].size.tolist() == [70 * factor, 25 * factor]


def test_two_rows_are_compared_within_their_own_people(engine: Engine) -> None:
    rows = tuple(Q("brands").any(f"brands_{place}") for place in (1, 2, 2))
    pairs = engine.row_pairs(CrosstabSpec(rows, (None,), replace_waves(VALID)))
    assert pairs.both is not None
    assert np.isnan(pairs.both[0, 0, 1])
    assert pairs.both[0, 1, 2] == pytest.approx(7 / 14)
    assert pairs.variance[0, 1, 2] == 0
    # 5 of 10 and 7 of 14, of whom 10 are the same.
    first, second = np.r_[np.tile([0.5, -0.5], 5)] / 10, np.r_[np.tile([0.5, -0.5], 7)] / 14
    assert pairs.variance[0, 0, 1] > 0
    assert pairs.variance[0, 0, 1] < (first**2).sum() + (second**2).sum()


def test_respondents_say_of_whom_an_audience_is_known(engine: Engine) -> None:
    spec = CrosstabSpec((Q("brands").any("brands_3"), WOMEN), (), replace_waves(VALID))
    first, second = engine.respondents(spec)
    assert first.held[0] is None
    assert second.known[0] is not None
    assert second.known[0].tolist() == (N >= 4).tolist()
    everyone = engine.respondents(replace(spec, scope=replace_waves(EVERYONE)))
    assert [wave.known for wave in everyone] == [[None, None]] * 2


def test_rows_of_two_questions_that_the_same_people_answered_are_alike(engine: Engine) -> None:
    rows = Q("party").any("party_1"), Q("where").any("where_1"), Q("sex").any("sex_1")
    pairs = engine.row_pairs(CrosstabSpec(rows, (None, WOMEN), replace_waves(VALID)))
    assert pairs.both is not None
    # The last one has not said the sex, and is in no column of women.
    assert np.isnan(pairs.both[0]).tolist() == [[False, False, True]] * 2 + [[True, True, False]]
    assert not np.isnan(pairs.both[1]).any()


def test_a_derived_net_counts_as_the_answers_it_is_made_of(engine: Engine, tmp_path: Path) -> None:
    """Its row has no one who ticked one of its items without being asked the other."""
    made = [
        Net(
            code="n1",
            name="",
            question="brands",
            datapoints=(NetPoint("", ("brands_2", "brands_3"), code="n1_1"),),
        ),
        Net(
            code="n2",
            name="",
            question="party",
            datapoints=(NetPoint("", ("party_3",), code="n2_1"),),
        ),
    ]
    derived = Engine(derive(engine.survey, *made, out=tmp_path / "derived"))
    net = Q("brands").any("brands_2", "brands_3")
    for row, source in (
        (Q("n1").any("n1_1"), net),
        (Q("n2").any("n2_1"), Q("party").any("party_3")),
    ):
        for column in (None, WOMEN):
            assert samples(table(derived, row, column)) == samples(table(engine, source, column))
