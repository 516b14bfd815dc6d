"""The service over a Dask cluster is the service of one machine, bit for bit, come what may."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client
from hypothesis import HealthCheck, given, settings

from audiencelab.client import connect
from audiencelab.engine import CrosstabSpec, Engine, StatsSpec
from audiencelab.engine.distributed import ClusterError, Partition, attach
from audiencelab.engine.distributed.dask import divide
from audiencelab.expressions import Audience, Q
from audiencelab.schema.scope import Scope
from audiencelab.survey import Survey
from tests.client.test_conformance import CASES, plain, survey
from tests.engine.distributed.asking import CROSSTABS, STATS, answers, cells
from tests.engine.studies import Study
from tests.waiting import wait_until

__all__ = ["survey"]

checked = settings(
    max_examples=10,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

MANY_ROWS = CrosstabSpec(
    tuple(Q("q9").any(f"q9_{1 + place % 6}") & ~Q("q2").any("q2_1") for place in range(300)),
    (None, Q("q2").any("q2_1"), Q("q20", suffixes=[1]).any("q20_2")),
    scope=Scope(Audience(Q("q4").any("q4_1", "q4_2"))),
)


@checked
@given(spec=CROSSTABS)
def test_crosstabs_are_the_same(here: Engine, there: Engine, spec: CrosstabSpec) -> None:
    assert cells(there, spec) == cells(here, spec)


@checked
@given(spec=STATS)
def test_stats_are_the_same(here: Engine, there: Engine, spec: StatsSpec) -> None:
    assert answers(there, spec) == answers(here, spec)


def test_stripes_come_in_order(here: Engine, there: Engine) -> None:
    bounds = [(stripe.start, stripe.stop) for stripe in there.crosstab(MANY_ROWS)]
    starts, stops = zip(*bounds, strict=True)
    assert starts == (0, *stops[:-1])
    assert len(bounds) == 3
    assert stops[-1] == 300
    assert cells(there, MANY_ROWS) == cells(here, MANY_ROWS)


@pytest.fixture(scope="module")
def clients(survey: Survey, dask_client: Client) -> Iterator[tuple[object, object]]:
    with connect(survey=survey) as alone, connect(survey=survey, engine=dask_client) as spread:
        yield alone, spread


@pytest.mark.parametrize("case", CASES)
def test_every_operation_answers_the_same(clients: tuple[object, object], case: str) -> None:
    alone, spread = clients
    assert plain(CASES[case](spread)) == plain(CASES[case](alone))


def tasks_of(client: Client) -> int:
    """Tasks that the scheduler knows of: wanted, running or kept."""
    return client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))


def test_what_is_closed_is_cancelled(there: Engine, dask_client: Client) -> None:
    stripes = there.crosstab(MANY_ROWS)
    next(stripes)
    assert tasks_of(dask_client) > 0
    stripes.close()
    wait_until(lambda: tasks_of(dask_client) == 0)


def test_nothing_is_left_of_a_table_that_was_read(there: Engine, dask_client: Client) -> None:
    cells(there, MANY_ROWS)
    wait_until(lambda: tasks_of(dask_client) == 0)


def test_a_damaged_partition_is_named_with_its_worker(
    tmp_path: Path, study: Study, dask_client: Client
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(study.survey.path, copy)
    survey = Survey.open(copy)
    engine = Engine(survey, tabulator=attach(survey, dask_client))
    bits = copy / "waves/q4_2023/bits.npy"
    bits.write_bytes(b"nothing" + bits.read_bytes()[7:])
    with pytest.raises(ClusterError) as caught:
        cells(engine, MANY_ROWS)
    message = str(caught.value)
    assert f"{copy}, wave q4_2023, words 0 to" in message
    assert "failed on worker tcp://127.0.0.1:" in message
    assert f"{bits} is damaged" in message


def test_partitions_are_shared_by_threads_and_stay_where_they_were() -> None:
    parts = [Partition("p", "c", "w", place, place + 1) for place in range(100)]
    shares = {worker[0]: groups for worker, groups in divide(parts, {"b": 1, "a": 3})}
    assert [sum(map(len, shares[worker])) for worker in "ab"] == [75, 25]
    assert [len(shares[worker]) for worker in "ab"] == [11, 4]
    together = [part for worker in "ab" for group in shares[worker] for part in group]
    assert together == parts
    assert list(divide(parts[:2], {})) == [(None, [parts[:1], parts[1:2]])]
    assert [worker for worker, _ in divide(parts[:1], {"a": 1, "b": 1, "c": 1})] == [["b"]]
