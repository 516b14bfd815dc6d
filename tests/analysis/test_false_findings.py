"""How often a table in which nothing differs has a "finding", over a thousand tables per design."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import audiencelab as al
from audiencelab import Audience, Q
from audiencelab.analysis.compare import compare_to_rest
from audiencelab.analysis.statistics import adjusted
from audiencelab.schema import Datapoint
from audiencelab.survey import Answers, Catalogue, SurveyBuilder, SurveyQuestion, Wave
from audiencelab.survey.answers import Design
from audiencelab.tables import CrosstabResult

SEED = 20261123
TABLES, ROWS, SURVEYS = 1_000, 40, 20
MOST = 0.07
SHARES = (0.01, 0.5)


@dataclass(frozen=True)
class Drawn:
    """How respondents are drawn; they are put into the columns at random.

    deff: of the weights alone. clusters: of as many respondents each, where there are some.
    alike: how alike the respondents of a cluster are (the intra-class correlation).
    """

    respondents: int = 3_000
    columns: int = 8
    deff: float = 1.0
    clusters: int = 0
    alike: float = 0.05


DRAWN = {
    "unweighted": Drawn(),
    "weighted": Drawn(deff=1.58),
    "clustered": Drawn(clusters=100),
    "small": Drawn(600, 10),
    "small, clustered": Drawn(600, 10, clusters=30),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWN)
def test_tables_of_which_nothing_is_true_have_a_finding_in_seven_of_a_hundred_at_most(
    name: str, tmp_path: Path
) -> None:
    random = np.random.default_rng([SEED, list(DRAWN).index(name)])
    found = sum(
        findings(count(DRAWN[name], random, tmp_path / str(number))) for number in range(SURVEYS)
    )
    assert found / TABLES <= MOST


def test_what_is_simulated_are_standouts(tmp_path: Path) -> None:
    """The tables are tested all at once, and corrected one by one: `standouts()` does the same."""
    random = np.random.default_rng(SEED)
    table = count(Drawn(600, 4, deff=1.58, clusters=30), random, tmp_path / "survey", tables=1)
    p = table.standouts(1_000, level=0.51, correction="none").set_index(["row", "column"])["p"]
    ours = rest_p(table)
    for row, column in p.index[:20]:
        place = int(row) - 1, int(column) - 1
        assert ours[place] == pytest.approx(p[row, column])


def findings(table: CrosstabResult) -> int:
    """In how many tables of 40 rows something is listed."""
    p = rest_p(table).reshape(-1, ROWS * table.shape[1])
    return int((np.nanmin(adjusted(p, "benjamini-hochberg"), axis=1) < 0.05).sum())


def rest_p(table: CrosstabResult) -> NDArray[np.float64]:
    options: dict[str, Any] = {
        "levels": 0.95, "correction": "none", "family": "table", "base": None,
        "design": "auto", "pooled": True, "degrees_of_freedom": None, "nets": (),
        "min_base": 30, "zero_or_full": "test",
    }  # fmt: skip
    return compare_to_rest(table, cautious=True, **options).outcome.p


def count(
    drawn: Drawn, random: np.random.Generator, folder: Path, tables: int = TABLES // SURVEYS
) -> CrosstabResult:
    """One survey, and the answers of several tables as rows: nothing depends on the column."""
    people, rows = drawn.respondents, tables * ROWS
    share = random.uniform(*SHARES, rows)
    design = Design()
    likely = np.broadcast_to(share, (people, rows))
    if drawn.clusters:
        cluster = np.arange(people) * drawn.clusters // people
        spread = (1 - drawn.alike) / drawn.alike
        shape = (drawn.clusters, rows)
        likely = random.beta(share * spread, (1 - share) * spread, shape)[cluster]
        design = Design(clusters=cluster.astype(np.int32))
    weights = np.exp(random.normal(0, np.sqrt(np.log(drawn.deff)), people))
    catalogue = Catalogue(
        questions=(
            _question("where", "single", 1),
            _question("column", "single", drawn.columns),
            _question("said", "multiple", rows),
        ),
        location_question="core.where",
    )
    with SurveyBuilder(folder, catalogue) as builder:
        answers = {
            "where": Answers(np.zeros(people, int)),
            "column": Answers(random.integers(0, drawn.columns, people)),
            "said": Answers(random.random((people, rows)) < likely),
        }
        wave = Wave("w1", "Wave 1", date(2026, 1, 1), date(2026, 3, 31), True)
        builder.add_wave(wave, weights, answers, design)
        survey = builder.finish()
    with al.connect(survey=survey) as client:
        return client.crosstab(
            rows=[_answer("said", number) for number in range(1, rows + 1)],
            columns=[_answer("column", number) for number in range(1, drawn.columns + 1)],
        )


def _question(code: str, kind: Any, answers: int) -> SurveyQuestion:
    points = tuple(Datapoint(code=f"{code}_{n}", name=str(n)) for n in range(1, answers + 1))
    return SurveyQuestion(
        namespace_code="core", code=code, name=code, kind=kind, datapoints=points, suffixes=()
    )


def _answer(question: str, number: int) -> Audience:
    return Audience(str(number), Q(question).any(f"{question}_{number}"))
