"""The engine by itself refuses codes that its survey lacks, all of them at once."""

from __future__ import annotations

import pickle

import pytest

from audiencelab.engine import CrosstabSpec, Engine, MissingCodeError, StatsSpec
from audiencelab.expressions import Audience, Q
from audiencelab.schema.scope import Scope
from tests.engine.studies import CLOSED_WAVE, Study
from tests.messages import fails


@pytest.fixture
def engine(studies: list[Study]) -> Engine:
    return Engine(studies[0].survey)


def pointers(error: MissingCodeError) -> list[str]:
    return [fault.pointer for fault in error.faults]


def test_every_unknown_code_of_a_crosstab_is_named_at_once(engine: Engine) -> None:
    spec = CrosstabSpec(
        rows=(None, Q("q2").any("q2_1") & Q("q99").any()),
        columns=(Q("q4").any("q9_1"),),
        scope=Scope(
            base=Audience(Q("q20", suffixes=[7]).any("q20_1")),
            locations=("region_1", "nowhere"),
            waves=("never",),
        ),
    )
    with pytest.raises(MissingCodeError) as caught:
        engine.crosstab(spec)
    assert pointers(caught.value) == [
        "/rows/1/and/1/question",
        "/columns/0/datapoints/0",
        "/base/suffixes/0",
        "/locations/1",
        "/waves/0",
    ]
    assert pickle.loads(pickle.dumps(caught.value)).faults == caught.value.faults


def test_every_unknown_code_of_a_stats_query_is_named_at_once(engine: Engine) -> None:
    spec = StatsSpec("q9", ("q9_1", "x"), ("1",), "q77", ("y",), audiences=(Q("z").any(),))
    with pytest.raises(MissingCodeError) as caught:
        engine.stats(spec)
    assert pointers(caught.value) == [
        "/datapoints/1",
        "/suffixes",
        "/splitter",
        "/audiences/0/question",
    ]


def test_segments_without_a_splitter_are_refused(engine: Engine) -> None:
    with fails(MissingCodeError):
        engine.stats(StatsSpec("q9", segments=("q2_1",)))


def test_coverage_names_unknown_codes_too(engine: Engine) -> None:
    with fails(MissingCodeError):
        engine.coverage(Q("q99").any())


def test_default_waves_leave_closed_ones_out_but_whoever_holds_the_survey_may_ask(
    engine: Engine,
) -> None:
    [row, *_] = engine.stats(StatsSpec("q2"))
    assert row.waves == ("q4_2022", "q1_2023", "q2_2023", "q3_2023", "q4_2023")
    [row, *_] = engine.stats(StatsSpec("q2", scope=Scope(waves=(CLOSED_WAVE,))))
    assert row.waves == (CLOSED_WAVE,)
