"""The precision of cells that count those who answered is that of a base of those who answered."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from audiencelab.engine import CrosstabSpec, Engine, Linearised
from audiencelab.expressions import Audience, Expression, Q
from audiencelab.schema.scope import Scope
from audiencelab.survey import Answers, Survey, SurveyBuilder, SurveyCatalogue, SurveyWave
from audiencelab.survey.answers import Design, Replicates
from tests.engine.studies import question

COUNT = 150
QUESTIONS = tuple(question(code, "single", 3) for code in ("where", "a", "b", "c"))
ROWS = tuple(Q(code).any(f"{code}_{place}") for code in "ab" for place in (1, 2))
COLUMNS = tuple(Q(code).any(f"{code}_{place}") for code in "bc" for place in (1, 2))


def design(kind: str, random: np.random.Generator) -> Design:
    strata = np.sort(random.integers(0, 3, COUNT))
    clusters = strata * 10 + random.integers(0, 5, COUNT)
    if kind == "panel":
        return Design(strata, clusters, persons=np.arange(COUNT))
    if kind == "replicates":
        weights = random.uniform(0.5, 1.5, (8, COUNT))
        return Design(replicates=Replicates(weights, np.full(8, 1 / 8), "made"))
    return Design(strata, clusters)


def drawn(folder: Path, kind: str, lowest: int = -1) -> Survey:
    """lowest: answer, -1 for none."""
    random = np.random.default_rng(5)
    catalogue = SurveyCatalogue(questions=QUESTIONS, location_question="core.where")
    with SurveyBuilder(folder, catalogue) as builder:
        for place in (1, 2):
            answers = {"where": Answers(np.zeros(COUNT, int))}
            for code in "abc":
                answers[code] = Answers(random.integers(lowest, 3, COUNT))
            day, weights = date(2025, place, 1), random.integers(1, 40, COUNT) / 8
            wave = SurveyWave(f"w{place}", f"w{place}", day, day)
            builder.add_wave(wave, weights, answers, design(kind, random))
        return builder.finish()


@pytest.mark.parametrize("kind", ["strata", "panel", "replicates"])
def test_each_block_of_cells_has_its_own_base(tmp_path: Path, kind: str) -> None:
    engine = Engine(drawn(tmp_path / "survey", kind))

    def linearised(rows: list[Expression], columns: list[Expression], scope: Scope) -> Linearised:
        found = engine.precision(CrosstabSpec(tuple(rows), tuple(columns), scope)).linearised
        assert found is not None
        return found

    def figures(found: Linearised, row: int, column: int) -> list[float]:
        names = ("share", "variance", "rest_variance", "rest_covariance", "index_variance")
        return [getattr(found, name)[row, column] for name in (*names, "freedom")]

    told = linearised([*ROWS], [*COLUMNS], Scope(base_of="valid"))
    assert told.covariance is not None
    for at, row in enumerate(ROWS):
        answered = Q(row.question).any()
        alone = linearised([row], [*COLUMNS], Scope(Audience(expression=answered)))
        assert told.covariance[at] == pytest.approx(alone.covariance[0], abs=1e-15)
        assert told.freedom_of(*np.array([[at], [0], [3]])) == alone.freedom_of(
            *np.array([[0], [0], [3]])
        )
        for to, column in enumerate(COLUMNS):
            base = Audience(expression=answered & Q(column.question).any())
            cell = linearised([row], [column], Scope(base))
            expected = pytest.approx(figures(cell, 0, 0), rel=1e-9, abs=1e-15, nan_ok=True)
            assert figures(told, at, to) == expected


@pytest.mark.parametrize("kind", ["strata", "panel", "replicates"])
def test_questions_that_everyone_answers_are_one_block(tmp_path: Path, kind: str) -> None:
    engine = Engine(drawn(tmp_path / "survey", kind, lowest=0))
    valid, everyone = (
        engine.precision(CrosstabSpec(ROWS, COLUMNS, scope))
        for scope in (Scope(base_of="valid"), Scope())
    )
    assert str(valid) == str(everyone)
