"""A profile is the stats of every question for one audience, as one stream that can be left."""

from __future__ import annotations

import numpy as np
import pytest

from audiencelab.engine import Engine, ProfileSpec, StatsSpec, UnknownCodeError, local, profile
from audiencelab.expressions import Leaf, Q
from tests.engine import oracle
from tests.engine.studies import QUESTIONS, WAVE_CODES, Study

WOMEN = Q("q2").any("q2_2")
ASKED_RARELY = Q("extra.q30").any("q30_1")
OPEN_WAVES = [code for code in WAVE_CODES if code != "pilot"]
POINTS = [(each.canonical, point.code) for each in QUESTIONS for point in each.datapoints]


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("audience", [WOMEN, ASKED_RARELY, None])
def test_every_datapoint_equals_the_oracle(
    studies: list[Study], which: int, audience: Leaf | None
) -> None:
    study, base, locations = studies[which], Q("q4").any("q4_1", "q4_2", "q4_3"), ("region_1",)
    spec = ProfileSpec(audience, base=base, locations=locations)
    found = {
        (question, datapoint): (stripe, place)
        for stripe in Engine(study.survey).profile(spec)
        for place, (question, datapoint) in enumerate(
            zip(stripe.questions, stripe.datapoints, strict=True)
        )
    }
    assert list(found) == POINTS
    for each in QUESTIONS:
        codes = [point.code for point in each.datapoints]
        wanted = oracle.stats(
            study,
            each.canonical,
            codes,
            (),
            None,
            [],
            False,
            [audience],
            base,
            locations,
            set(OPEN_WAVES),
        )
        for code, row in zip(codes, wanted, strict=True):
            stripe, place = found[each.canonical, code]
            assert stripe.waves[place] == row["waves"]
            for name in stripe.figures._fields:
                if name in row:
                    figure = getattr(stripe.figures, name)[place]
                    assert figure == pytest.approx(row[name], rel=1e-9, abs=1e-9), name


def test_it_equals_the_stats_of_each_question_bit_for_bit(studies: list[Study]) -> None:
    engine = Engine(studies[0].survey)
    stripes = list(engine.profile(ProfileSpec(WOMEN, base=Q("q9").any("q9_1"))))
    for name in stripes[0].figures._fields:
        together = np.concatenate([getattr(stripe.figures, name) for stripe in stripes])
        alone = [
            getattr(row, name)
            for each in QUESTIONS
            for row in engine.stats(
                StatsSpec(each.canonical, audiences=(WOMEN,), base=Q("q9").any("q9_1"))
            )
        ]
        assert together.tolist() == alone


def test_blocks_change_nothing_and_progress_reaches_the_end(
    studies: list[Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(studies[1].survey)
    (whole,) = engine.profile(ProfileSpec(WOMEN))
    monkeypatch.setattr(profile, "_BLOCK", 7)
    stripes = list(engine.profile(ProfileSpec(WOMEN)))
    assert [stripe.done for stripe in stripes] == [7, 14, 21, len(POINTS)]
    assert {stripe.of for stripe in stripes} == {len(POINTS)}
    index = np.concatenate([stripe.figures.audience_index for stripe in stripes])
    assert index.tolist() == whole.figures.audience_index.tolist()


def test_only_the_questions_asked_for(studies: list[Study]) -> None:
    engine = Engine(studies[0].survey)
    (stripe,) = engine.profile(ProfileSpec(WOMEN, questions=("q20", "core.q2")))
    assert stripe.questions == ("q20", "q20", "q20", "core.q2", "core.q2")
    assert stripe.datapoints == ("q20_1", "q20_2", "q20_3", "q2_1", "q2_2")
    assert list(engine.profile(ProfileSpec(WOMEN, questions=()))) == []


def test_closing_it_stops_the_work(studies: list[Study], monkeypatch: pytest.MonkeyPatch) -> None:
    engine, calls = Engine(studies[0].survey), []
    multiply = local.pair_tables
    monkeypatch.setattr(local, "pair_tables", lambda *given: (calls.append(1), multiply(*given))[1])
    monkeypatch.setattr(profile, "_BLOCK", 2)
    stripes = engine.profile(ProfileSpec(WOMEN))
    assert next(stripes).done == 2
    begun = len(calls)
    stripes.close()
    assert len(calls) == begun
    assert list(stripes) == []


def test_unknown_codes_are_named_before_any_work(studies: list[Study]) -> None:
    spec = ProfileSpec(Q("q2").any("q2_9"), questions=("q2", "q77"), waves=("q9_1999",))
    with pytest.raises(UnknownCodeError) as raised:
        Engine(studies[0].survey).profile(spec)
    pointers = [fault.pointer for fault in raised.value.faults]
    assert pointers == ["/questions/1", "/audience/datapoints/0", "/waves/0"]
