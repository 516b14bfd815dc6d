"""A survey larger than a worker's memory: what was read is let go of, and no worker is ended."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from distributed import Client

from audiencelab.engine import CrosstabSpec, Engine
from audiencelab.engine.distributed import attach
from audiencelab.expressions import Q
from audiencelab.schema import Datapoint
from audiencelab.survey import Survey, SurveyBuilder, SurveyCatalogue, SurveyQuestion, SurveyWave
from tests.engine.distributed.asking import cells
from tests.engine.distributed.conftest import local_cluster

MEMORY = 256 << 20
RESPONDENTS = 64 * 3125
QUESTIONS, POINTS = 16, 400


def question(code: str, kind: str, points: int) -> SurveyQuestion:
    listed = (Datapoint(f"{code}_{place}", f"Answer {place}") for place in range(points))
    return SurveyQuestion("core", code, code, kind, tuple(listed))


def large_survey(folder: Path) -> Survey:
    """Two waves of random answers, more than `MEMORY` of them."""
    multiple = [question(f"q{place}", "multiple", POINTS) for place in range(QUESTIONS)]
    catalogue = SurveyCatalogue(
        questions=(question("region", "single", 1), *multiple), location_question="core.region"
    )
    random = np.random.default_rng(7)

    class Rows(dict[str, np.ndarray]):
        def __missing__(self, code: str) -> np.ndarray:
            points = catalogue.question(code).rows
            rows = random.integers(0, 2**64, (1 + points, RESPONDENTS // 64), np.uint64)
            rows[0] = ~np.uint64(0)
            return np.broadcast_to(rows[0], rows.shape) if points == 1 else rows

    every = dict.fromkeys(each.canonical for each in catalogue.questions)
    with SurveyBuilder(folder, catalogue) as builder:
        for place in (1, 2):
            starts, ends = date(2024, place, 1), date(2024, place, 20)
            weights = random.integers(1, 4000, RESPONDENTS) / 8
            rows = Rows()
            rows_of = {code: rows[code] for code in every}
            builder.add_packed_wave(
                SurveyWave(f"w{place}", f"w{place}", starts, ends), weights, rows_of
            )
        return builder.finish()


@pytest.mark.slow
def test_a_survey_larger_than_a_workers_memory(tmp_path: Path) -> None:
    survey = large_survey(tmp_path / "large")
    stored = sum(file.octets for file in survey.manifest.files.values())
    assert stored > MEMORY
    # Audiences that together rest on every answer there is.
    rows = tuple(
        Q(f"q{place}").any(*(f"q{place}_{point}" for point in range(first, first + 20)))
        for place in range(QUESTIONS)
        for first in range(0, POINTS, 20)
    )
    spec = CrosstabSpec(rows, (Q("q0").any("q0_1"), Q("q1").any("q1_1")))
    few = {"AUDIENCELAB_KERNEL": "numpy"}  # the compiler alone takes half of that memory
    with (
        local_cluster(1, memory_limit=MEMORY, env=few) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        before = client.run(os.getpid)
        there = Engine(survey, tabulator=attach(survey, client))
        assert cells(there, spec) == cells(Engine(survey), spec)
        assert client.run(os.getpid) == before
