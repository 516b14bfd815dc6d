"""What holds of variances whatever is asked, and wherever the respondents stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import fsspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiencelab.engine import CrosstabSpec, Engine, Linearised
from audiencelab.engine.variance.design import panel_of
from audiencelab.expressions import Audience, Expression
from audiencelab.schema.scope import Scope
from audiencelab.survey import Survey
from audiencelab.survey.answers import Design
from audiencelab.survey.reader import WaveData
from tests.engine import oracle
from tests.engine.studies import WAVE_CODES, Study, random_study
from tests.engine.test_against_oracle import known_leaves, maybe_expressions
from tests.engine.test_variance import COLUMNS, ROWS, YES, Cell, one_wave
from tests.engine.test_variance import linearised as linearised_of
from tests.strategies import expressions

checked = settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

some_expressions = expressions(known_leaves(), max_leaves=4)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("drawn") / "survey"
    return random_study(folder, seed=11, respondents=60, drawn="strata and clusters")


@pytest.fixture(scope="module")
def engine(study: Study) -> Engine:
    return Engine(study.survey)


def linearised(
    engine: Engine,
    rows: Sequence[Expression],
    columns: Sequence[Expression | None],
    base: Expression | None = None,
) -> Linearised:
    spec = CrosstabSpec(
        tuple(rows), tuple(columns), Scope(Audience(expression=base), waves=WAVE_CODES)
    )
    found = engine.precision(spec).linearised
    assert found is not None
    return found


def rests_on_waves(study: Study, *expressions: Expression | None) -> bool:
    return bool(set.intersection(*(oracle.coverage(study, each) for each in expressions)))


@checked
@given(row=some_expressions, column=maybe_expressions, base=maybe_expressions)
def test_every_share_has_the_variance_of_the_definition(
    study: Study,
    engine: Engine,
    row: Expression,
    column: Expression | None,
    base: Expression | None,
) -> None:
    if not rests_on_waves(study, row, column, base):
        return
    found = linearised(engine, [row], [column], base)
    people = oracle.members(study, column) & oracle.members(study, base)
    cell = Cell(study, row, column, base) if people.any() else None
    if cell is None or not len(cell.column):
        assert np.isnan(found.variance[0, 0])
        return
    if cell.units == 1:  # nothing says how it would differ in another
        assert np.isnan(found.variance[0, 0])
        return
    expected = cell.covariance(cell.of_share, cell.of_share)
    assert found.share[0, 0] == pytest.approx(cell.share)
    assert found.variance[0, 0] == pytest.approx(expected, rel=1e-8, abs=1e-13)


@checked
@given(row=some_expressions, column=maybe_expressions)
def test_yes_varies_as_much_as_no(
    study: Study, engine: Engine, row: Expression, column: Expression | None
) -> None:
    # The other waves, which "not these waves" means, are other respondents.
    if not rests_on_waves(study, row, column) or engine.coverage(row) != engine.coverage(~row):
        return
    found = linearised(engine, [row, ~row], [column])
    yes, no = found.variance[:, 0]
    assert yes == pytest.approx(no, rel=1e-8, abs=1e-13, nan_ok=True)


@checked
@given(row=some_expressions, columns=st.lists(maybe_expressions, min_size=2, max_size=3))
def test_covariances_are_those_of_something_that_varies(
    study: Study, engine: Engine, row: Expression, columns: list[Expression | None]
) -> None:
    """No mixture of columns has less than no variance, and each varies with itself as it does."""
    if not any(rests_on_waves(study, row, column) for column in columns):
        return
    found = linearised(engine, [row], columns)
    assert found.covariance is not None
    there = ~np.isnan(found.variance[0])
    matrix = found.covariance[0][np.ix_(there, there)]
    assert matrix == pytest.approx(matrix.T)
    assert np.diag(matrix) == pytest.approx(found.variance[0][there], abs=1e-13)
    if there.any():
        assert np.linalg.eigvalsh(matrix).min() > -1e-12


def test_clusters_of_one_respondent_each_are_no_clusters(tmp_path: Path) -> None:
    strata = np.arange(100) % 4
    alone = one_wave(tmp_path / "alone", Design(strata))
    named = one_wave(tmp_path / "named", Design(strata, np.arange(100)))
    spec = CrosstabSpec((YES,), (None, YES | ~YES, YES))
    one, other = (linearised_of(survey, spec) for survey in (alone, named))
    assert one.variance == pytest.approx(other.variance)
    assert one.covariance == pytest.approx(other.covariance)
    assert one.degrees_of_freedom == other.degrees_of_freedom == 46


@pytest.fixture
def remote(study: Study) -> Iterator[Survey]:
    """The same survey at an address."""
    files = fsspec.filesystem("memory")
    files.put(str(study.survey.path), "/variances/study", recursive=True)
    yield Survey.open("memory://variances/study")
    files.rm("/variances", recursive=True)


class Elsewhere:
    """Adds up tables on other machines, which is not asked for here."""

    def stripes(self, *_: Any) -> Any:
        raise AssertionError("variances are worked out where the engine is")


def test_wherever_the_survey_stands_and_whoever_adds_up_tables(
    engine: Engine, remote: Survey, study: Study
) -> None:
    here, away, spread = (
        linearised(each, ROWS, COLUMNS).variance
        for each in (engine, Engine(remote), Engine(study.survey, tabulator=Elsewhere()))
    )
    assert np.array_equal(here, away, equal_nan=True)
    assert np.array_equal(here, spread, equal_nan=True)


def test_a_wave_without_respondents_shares_no_person() -> None:
    waves = [SimpleNamespace(in_common=np.array(each, np.int64)) for each in ([1, 2], [], [2, 9])]
    one, none, other = cast("list[WaveData]", waves)
    assert panel_of([one, none]) == panel_of([none, one]) == panel_of([none, none]) == []
    assert panel_of([one, none, other]) == [one, none, other]
