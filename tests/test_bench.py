"""The methods of `make bench-engine` make the table that they are timed for, at a small size."""

import numpy as np
import pytest

from tests.bench.engine.measuring import Probes, measure
from tests.bench.engine.methods import METHODS, Table
from tests.bench.engine.process import run_in_process
from tests.bench.engine.survey import BenchSurvey, make_survey
from tests.messages import fails

SIDE = 3
NEEDS = {"polars": "polars", "duckdb": "duckdb", "roaring": "pyroaring"}


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> BenchSurvey:
    return make_survey(tmp_path_factory.mktemp("bench") / "survey", 2_000, SIDE)


@pytest.mark.parametrize("name", [name for name in METHODS if not name.startswith("ours")])
def test_a_peer_makes_the_table(
    name: str, survey: BenchSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    if package := next((NEEDS[each] for each in NEEDS if name.startswith(each)), None):
        pytest.importorskip(package)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    found = measure(name, str(survey.folder), SIDE, 60.0, 1e9)
    assert (found["method"], found["respondents"], found["part"]) == (name, 2_000, "")


@pytest.mark.parametrize("name", ["ours-numba", "ours-numpy"])
def test_ours_makes_the_table_in_a_process_of_its_own(name: str, survey: BenchSurvey) -> None:
    if name == "ours-numba":
        pytest.importorskip("numba")
    given = (name, str(survey.folder), SIDE, 60.0, 1e9)
    environment = METHODS[name].environment
    found = run_in_process(measure, *given, threads=1, environment=environment)
    assert (found["method"], found["respondents"], found["part"]) == (name, 2_000, "")


def test_what_does_not_fit_the_memory_is_estimated_from_a_part(
    survey: BenchSurvey,
) -> None:
    found = measure("pandas-masks", str(survey.folder), SIDE, 60.0, 6_000.0)
    assert (found["respondents"], found["part"]) == (2_000, "9 of 9 cells, 500 respondents")


@pytest.mark.parametrize("wrong", ["counts", "sums"])
def test_a_wrong_table_is_not_timed(wrong: str, survey: BenchSurvey) -> None:
    rows, columns = (survey.flags(each, slice(SIDE)).astype(float) for each in ("rows", "columns"))
    inside = columns * survey.base()
    right = Table(rows @ inside.T, rows @ (inside * survey.weights).T)
    probes = Probes(survey, SIDE)
    probes.check(right, 1e-9)
    off = getattr(right, wrong).copy()
    off[SIDE - 1, SIDE - 1] *= 1 + 1e-6
    with fails(AssertionError):
        probes.check(right._replace(**{wrong: off}), 1e-9)


def test_answers_come_with_the_shares_that_were_drawn(survey: BenchSurvey) -> None:
    shares = survey.flags("base", slice(4)).mean(axis=1)
    np.testing.assert_allclose(shares, [0.9, 0.34, 0.09, 0.01], atol=0.03)
