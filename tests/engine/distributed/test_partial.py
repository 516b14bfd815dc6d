"""The tables of partitions add up to the table of the survey, bit for bit, however it is cut."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiencelab.engine import CrosstabSpec, Engine, StatsSpec
from audiencelab.engine.distributed import (
    PartialTable,
    Partition,
    SpreadTabulator,
    TableQuery,
    partial_table,
    partitions,
    partitions_of,
)
from audiencelab.expressions import Q
from audiencelab.survey import Survey, SurveyError
from audiencelab.survey.answers import words_for
from audiencelab.survey.blocks import PIECE
from audiencelab.survey.reweighted import weighted_by
from tests.engine.distributed.asking import CROSSTABS, STATS, answers, cells
from tests.engine.studies import Study

checked = settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def cut(survey: Survey, random: np.random.Generator) -> list[Partition]:
    """A survey cut anywhere on the borders of words, in any order."""
    parts = []
    for wave in survey.waves:
        words = words_for(wave.respondents)
        places = random.choice(np.arange(1, words), random.integers(0, min(4, words)), False)
        for start, stop in pairwise([0, *sorted(places.tolist()), words]):
            parts.append(Partition(survey.address, survey.seal, wave.code, start, stop))
    random.shuffle(parts)  # type: ignore[arg-type] -- a list will do
    return parts


def cut_engine(survey: Survey, seed: int) -> Engine:
    """An engine whose tables are added up from parts that are cut anew for each stripe."""
    random = np.random.default_rng(seed)

    def total(partitions: object, query: TableQuery) -> PartialTable:
        parts = (partial_table(part, query) for part in cut(survey, random))
        return sum(parts, query.nothing())

    return Engine(survey, tabulator=SpreadTabulator(survey, total))


@checked
@given(spec=CROSSTABS, seed=st.integers(0, 1000))
def test_a_crosstab_is_the_same_however_the_survey_is_cut(
    study: Study, spec: CrosstabSpec, seed: int
) -> None:
    assert cells(cut_engine(study.survey, seed), spec) == cells(Engine(study.survey), spec)


@checked
@given(spec=STATS, seed=st.integers(0, 1000))
def test_stats_are_the_same_however_the_survey_is_cut(
    study: Study, spec: StatsSpec, seed: int
) -> None:
    assert answers(cut_engine(study.survey, seed), spec) == answers(Engine(study.survey), spec)


def test_many_rows_come_in_stripes(study: Study) -> None:
    rows = tuple(Q("q9").any(f"q9_{1 + place % 6}") for place in range(200))
    spec = CrosstabSpec(rows, (None, Q("q2").any("q2_1")))
    engine = cut_engine(study.survey, 0)
    starts = [stripe.start for stripe in engine.crosstab(spec)]
    assert (len(starts), starts[0]) == (3, 0)
    assert cells(engine, spec) == cells(Engine(study.survey), spec)


def test_partitions_cover_every_respondent_once(study: Study) -> None:
    parts = partitions_of(study.survey)
    assert [part.wave for part in parts] == [wave.code for wave in study.survey.waves]
    assert all(part.start == 0 for part in parts)
    assert all(part.survey == str(study.survey.path.absolute()) for part in parts)


@given(respondents=st.integers(1, 10_000_000), at_most=st.integers(1, 500_000))
def test_a_wave_is_cut_evenly_on_the_borders_of_pieces(respondents: int, at_most: int) -> None:
    words, most, fewest = words_for(respondents), words_for(at_most), words_for(PIECE)
    cuts = partitions._cuts(words, most)
    assert [start for start, _ in cuts] + [words] == [0] + [stop for _, stop in cuts]
    lengths = [stop - start for start, stop in cuts]
    assert all(start % fewest == 0 for start, _ in cuts)
    assert max(lengths) - min(lengths) <= 2 * fewest
    assert max(lengths) <= max(most, 2 * fewest)
    assert min(lengths) >= min(words, fewest)


def test_a_query_and_its_table_travel(study: Study) -> None:
    engine = Engine(study.survey)
    node = engine._binder.bind(Q("q9").any("q9_1") & ~Q("q4").any("q4_2"))
    query = pickle.loads(pickle.dumps(TableQuery(node, (node,), (node,), (3, 4))))
    part = pickle.loads(pickle.dumps(partitions_of(study.survey)[4]))
    table = pickle.loads(pickle.dumps(partial_table(part, query)))
    stripe = query.stripe(table, 7)
    assert (stripe.start, stripe.stop) == (7, 8)
    assert stripe.counts[0, 0] > 0
    assert table.counts.shape == table.sums.shape == (1,)  # vectors, for engines that send lists
    assert (table + query.nothing()).counts.tolist() == table.counts.tolist()


def test_another_version_of_the_survey_is_noticed(study: Study) -> None:
    query = TableQuery(Engine(study.survey)._binder.everyone, (), (), (0,))
    wrong = Partition(study.survey.address, "0" * 64, "q4_2022", 0, 1)
    with pytest.raises(SurveyError, match="is another version than the one requested"):
        partial_table(wrong, query)


def test_what_is_kept_open_stays_within_bounds(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partitions, "KEPT_BYTES", 12_000)
    monkeypatch.setattr(partitions, "_opened", opened := partitions._Opened())
    spec = CrosstabSpec((Q("q9").any("q9_1"), None), (Q("q2").any("q2_1"),))
    assert cells(cut_engine(study.survey, 5), spec) == cells(Engine(study.survey), spec)
    assert 0 < sum(each.bytes_held for each in opened._partitions.values()) <= 12_000


def test_another_weight_is_not_spread_over_workers(study: Study) -> None:
    """They open the survey by its address, where its usual weight counts."""
    for weighted in (weighted_by(study.survey, None), weighted_by(study.survey, None).reopen()):
        with pytest.raises(SurveyError, match="is not valid: partitions are counted by the usual"):
            SpreadTabulator(weighted, lambda _, query: query.nothing())
