"""Files that hold respondents, charts or audiences are for their own user alone."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pytest

import audiencelab as al
from audiencelab.cli import main
from audiencelab.cli.serve import _set_up_logs
from audiencelab.schema import Datapoint
from audiencelab.service import Service, Store
from audiencelab.survey import (
    Survey,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyQuestion,
    SurveyWave,
    export_survey,
)
from audiencelab.survey.demo import build_demo_survey
from tests.service.asking import TOKEN, ask

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has no such modes")


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def modes(folder: Path) -> tuple[set[int], set[int]]:
    """The modes of the folders and of the files, the folder itself among them."""
    found = [folder, *folder.rglob("*")]
    return (
        {mode(path) for path in found if path.is_dir()},
        {mode(path) for path in found if path.is_file()},
    )


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    file = tmp_path / "answers.csv"
    file.write_text(
        "sex,age\n" + "".join(f"{place % 2 + 1},{place % 3 + 1}\n" for place in range(30))
    )
    return file


def test_an_imported_survey(answers: Path, tmp_path: Path) -> None:
    assert main(["import", str(answers), "--out", str(tmp_path / "survey"), "--quiet"]) == 0
    assert modes(tmp_path / "survey") == ({0o700}, {0o600})


def test_a_demo_survey(tmp_path: Path) -> None:
    build_demo_survey(tmp_path / "demo", 500)
    assert modes(tmp_path / "demo") == ({0o700}, {0o600})


def build(folder: Path, *, replace: bool = False) -> Survey:
    question = SurveyQuestion("core", "s2", "Country", "single", (Datapoint("s2_1", "Here"),))
    with SurveyBuilder(folder, SurveyCatalogue((question,), "core.s2"), replace=replace) as builder:
        wave = SurveyWave("q1", "q1", date(2024, 1, 1), date(2024, 1, 2))
        builder.add_wave(wave, np.ones(4), {"s2": np.zeros(4, int)})
        return builder.finish()


def test_a_survey_that_is_shared_stays_so_when_it_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "survey"
    build(folder)
    folder.chmod(0o750)
    build(folder, replace=True)
    assert modes(folder) == ({0o750}, {0o640})


def test_an_export_of_respondents(tmp_path: Path) -> None:
    survey = build(tmp_path / "survey")
    done = export_survey(survey, tmp_path / "out")
    assert (mode(done.respondents), mode(done.codebook)) == (0o600, 0o600)
    done.respondents.chmod(0o640)
    export_survey(survey, tmp_path / "out", replace=True)
    assert (mode(done.respondents), mode(done.codebook)) == (0o640, 0o600)


def test_a_store_and_what_lies_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "charts.db"
    with Service(build(tmp_path / "survey"), [TOKEN], store=file) as service:
        assert ask(service, "POST", "/v1/charts", {"name": "x"}).status == 200
        beside = sorted(tmp_path.glob("charts.db*"))
        assert [path.name for path in beside] == ["charts.db", "charts.db-shm", "charts.db-wal"]
        assert {mode(path) for path in beside} == {0o600}


def test_a_store_that_is_shared_stays_so(tmp_path: Path) -> None:
    file = tmp_path / "charts.db"
    Store.open(file).close()
    file.chmod(0o660)
    Store.open(file).close()
    assert mode(file) == 0o660


def test_an_access_log_and_the_next_one(tmp_path: Path) -> None:
    file = tmp_path / "access.log"
    logger = logging.getLogger("audiencelab.access")
    _set_up_logs(str(file))
    (handler,) = logger.handlers
    try:
        logger.info("one")
        file.rename(tmp_path / "access.log.1")
        logger.info("two")
        assert file.read_text() == "two\n"
        assert modes(tmp_path)[1] == {0o600}
        file.chmod(0o640)
        _set_up_logs(str(file))
        assert mode(file) == 0o640
    finally:
        for name in ("audiencelab.access", "audiencelab.audit"):
            for each in logging.getLogger(name).handlers[:]:
                logging.getLogger(name).removeHandler(each)
                each.close()
            logging.getLogger(name).propagate = True
        handler.close()


def test_a_recording_and_a_study(tmp_path: Path) -> None:
    with al.connect(survey=build(tmp_path / "survey")) as client:
        with client.recording(tmp_path / "one.audiencelab.jsonl"):
            client.stats("s2")
        bench = al.Workbench(client)
        bench.save(tmp_path / "study.audiencelab.json")
        bench.close()
    assert mode(tmp_path / "one.audiencelab.jsonl") == 0o600
    assert mode(tmp_path / "study.audiencelab.json") == 0o600
