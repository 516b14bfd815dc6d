"""Whatever was acknowledged is there, however the process ended."""

from __future__ import annotations

import random
import sqlite3
import time
from pathlib import Path

from audiencelab.service import Service
from tests.service.asking import TOKEN, ask
from tests.service.store.processes import heard, started, write_for_ever
from tests.service.surveys import build_survey

KILLS = 60


def test_no_acknowledged_write_is_lost_by_a_kill(tmp_path: Path) -> None:
    survey = build_survey(tmp_path / "survey")
    file, chance = tmp_path / "store.db", random.Random(8)
    acknowledged: dict[str, tuple[str, str | None]] = {}
    for run in range(KILLS):
        with started(write_for_ever, tmp_path / "survey", file, run) as (process, told):
            # From the opening of the file on: the first kills come before the first answer.
            assert told.poll(30 if run % 4 else 0) or run % 4 == 0
            time.sleep(chance.uniform(0, 0.03))
            process.kill()
            for chart, name, color in heard(told):
                acknowledged[chart] = name, color
        with sqlite3.connect(file) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()
    assert len(acknowledged) > KILLS
    with Service(survey, [TOKEN], store=file) as service:
        kept = {chart.id: chart for chart in service.charts()}
        for chart, (name, color) in acknowledged.items():
            assert kept[chart].name == name
            assert color is None or kept[chart].color == color
        # What was written and not acknowledged is whole, and at most one of each run.
        extra = [chart for chart in kept.values() if chart.id not in acknowledged]
        runs = [(chart.name or "").split("/")[0] for chart in extra]
        assert len(runs) == len(set(runs))
        # A caller that was not answered asks again under its key and has the same chart.
        for chart in extra:
            key = {"Idempotency-Key": chart.name or ""}
            again = ask(service, "POST", "/v1/charts", {"name": chart.name}, headers=key)
            assert again.json["id"] == chart.id
