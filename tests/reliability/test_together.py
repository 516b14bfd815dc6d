"""Two programs, each with its embedded service over one survey and one store, while both change."""

from __future__ import annotations

from contextlib import ExitStack
from multiprocessing.connection import Connection
from pathlib import Path

import audiencelab as al
from audiencelab.cli import main
from tests.ingest.sources import imported, write
from tests.ingest.test_adding import FURTHER, SUMMER
from tests.service.store.processes import heard, started


def men(client: al.Client) -> tuple[tuple[str, ...], float]:
    """The waves that were counted, and how many men there are in them."""
    row = client.stats("sex").rows[0]
    return tuple(row.waves), row.metrics.positive_size


def work(telling: Connection, survey: Path, store: Path, name: str, over: Path) -> None:
    """Save charts and ask for figures until the file `over` is there; tell each answer."""
    with al.connect(survey=survey, store=store) as client:
        while True:
            last = over.exists()
            chart = client.charts.create(name, attributes=[("sex", "sex_1")]).id
            telling.send((chart, men(client)))
            if last:
                return


def test_nothing_is_lost_and_every_figure_is_of_one_version(tmp_path: Path) -> None:
    survey, store, over = tmp_path / "p", tmp_path / "store.db", tmp_path / "over"
    imported(tmp_path).path.rename(survey)
    summer = write(tmp_path, "summer.csv", SUMMER)
    codebook = write(tmp_path, "summer.toml", FURTHER)
    with al.connect(survey=survey) as client:
        old = men(client)
    with ExitStack() as stack:
        running = {
            name: stack.enter_context(started(work, survey, store, name, over))
            for name in ("one", "two")
        }
        answers = {name: [told.recv() for _ in range(3)] for name, (_, told) in running.items()}
        assert (
            main(["survey", "add-wave", str(survey), str(summer), "--codebook", str(codebook)]) == 0
        )
        over.touch()
        for name, (process, told) in running.items():
            answers[name] += heard(told)
            process.join(60)
            assert process.exitcode == 0
    with al.connect(survey=survey, store=store) as client:
        new = men(client)
        charts = {chart.id: chart.name for chart in client.service.charts()}
    assert new != old
    for name, told in answers.items():
        assert {figures for _, figures in told} == {old, new}
        assert told[-1][1] == new
        assert [charts[chart] for chart, _ in told] == [name] * len(told)
    assert len(charts) == sum(map(len, answers.values()))
