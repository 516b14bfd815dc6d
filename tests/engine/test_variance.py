"""Variances against the definition: influence of each respondent, clusters summed in loops.

The oracle shares nothing with the engine. A figure's variance is that of the total of what each
respondent adds to it (`influence`), by the textbook's sum over strata and clusters.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audiencelab.engine import CrosstabSpec, Engine, Linearised, StatsSpec, VarianceError
from audiencelab.engine.variance.totals import Weighing
from audiencelab.expressions import Audience, Expression, Q
from audiencelab.schema.scope import BASES_OF, BaseOf, Scope
from audiencelab.survey import Answers, Survey, SurveyBuilder, SurveyCatalogue, SurveyWave
from audiencelab.survey.answers import Design
from tests.engine import oracle
from tests.engine.studies import WAVE_CODES, Study, question, random_study
from tests.messages import fails

DRAWN = ("", "strata", "clusters", "strata and clusters")

ROWS = (Q("q2").any("q2_1"), Q("q9").any("q9_1", "q9_4"), Q("q20", suffixes=[1, 2]).any("q20_2"))
COLUMNS = (
    Q("q4").any("q4_1", "q4_2"),
    Q("q4").any("q4_3"),
    Q("q9").any("q9_4"),
    Q("q20", suffixes=[3]).any("q20_1"),
    Q("waves").any("q1_2023", "q3_2023"),
    None,
)
BASE = Q("region").any("region_1", "region_2", "region_3")


@pytest.fixture(scope="module", params=DRAWN)
def study(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("drawn") / "survey"
    return random_study(folder, seed=7, drawn=request.param)


def spec(base_of: BaseOf = "everyone", **changes: Any) -> CrosstabSpec:
    scope = Scope(Audience(BASE), base_of, waves=WAVE_CODES)
    return replace(CrosstabSpec(ROWS, COLUMNS, scope), **changes)


def linearised(survey: Survey, given: CrosstabSpec, lonely: Any = "adjust") -> Linearised:
    found = Engine(survey).precision(given, lonely).linearised
    assert found is not None
    return found


class Cell:
    """One cell of the table, respondent by respondent."""

    def __init__(
        self,
        study: Study,
        row: Expression,
        column: Expression | None,
        base: Expression | None,
        base_of: BaseOf = "everyone",
    ) -> None:
        effective = [oracle.coverage(study, each) for each in (row, column, base)]
        people = study.people if "unit" in study.people else with_units(study.people)
        self.people = people[people["wave"].isin(set.intersection(*effective))]
        w = self.people["weight"]
        y, x, b = (oracle.members(study, each)[self.people.index] for each in (row, column, base))
        if base_of == "valid":
            b &= (oracle.valid(study, row) & oracle.valid(study, column))[self.people.index]
        x, y, rest = x & b, y & b, b & ~x
        self.y, self.x, self.rest = y, w * x, w * rest
        inside = (w * x).sum() or np.nan  # nobody has no share
        self.share = (w * x * y).sum() / inside
        self.of_share = w * x * (y - self.share) / inside
        rested = max((w * rest).sum(), 1e-9)  # everyone has nobody beside them
        self.of_rest = w * rest * (y - (w * rest * y).sum() / rested) / rested
        self.of_index = (
            w * x * y / (w * x * y).sum()
            - w * x / (w * x).sum()
            - w * y / (w * y).sum()
            + w * b / (w * b).sum()
        )
        self.column, self.others = w[x], w[rest]
        drawn = self.people[["wave", "stratum", "cluster"]]
        self.units = len(drawn[x & (w > 0)].drop_duplicates())

    def together_with(self, other: Cell) -> float:
        """The covariance of both shares; only waves of both can have any part in it."""
        both = self.people.index.intersection(other.people.index)
        shared = copy(self)
        shared.people = self.people.loc[both]
        return shared.covariance(self.of_share[both], other.of_share[both])

    def covariance(self, one: pd.Series, other: pd.Series, lonely: str = "adjust") -> float:
        found = 0.0
        # Arrays, since thousands of these sums by data frames take a minute.
        _, first, unit = np.unique(self.people["unit"], return_index=True, return_inverse=True)
        strata = self.people["within"].to_numpy()[first]
        sums = [np.bincount(unit, each.to_numpy(float)) for each in (one, other)]
        for stratum in np.unique(strata):
            a, b = (each[strata == stratum] for each in sums)
            if len(a) > 1:
                products = ((a - a.mean()) * (b - b.mean())).sum()
                found += len(a) / (len(a) - 1) * products
            elif lonely == "adjust":
                found += (a * b).sum()
        return found


def kish(weights: pd.Series) -> float:
    return len(weights) * (weights**2).sum() / weights.sum() ** 2


def with_units(people: pd.DataFrame) -> pd.DataFrame:
    """Respondents with the number of their cluster and of their stratum."""
    unit, within = (
        people.groupby(drawn).ngroup()
        for drawn in (["wave", "stratum", "cluster"], ["wave", "stratum"])
    )
    return people.assign(unit=unit, within=within)


def cells(study: Study, base_of: BaseOf = "everyone") -> list[list[Cell]]:
    # Once for all cells, as it takes longer than one of them.
    study = replace(study, people=with_units(study.people))
    return [[Cell(study, row, column, BASE, base_of) for column in COLUMNS] for row in ROWS]


@pytest.fixture(scope="module", params=BASES_OF)
def base_of(request: pytest.FixtureRequest) -> BaseOf:
    return request.param


@pytest.fixture(scope="module")
def expected(study: Study, base_of: BaseOf) -> list[list[Cell]]:
    """The cells of a drawn study, which each test reads."""
    return cells(study, base_of)


def figures(found: list[list[Cell]], figure: Callable[[Cell], float]) -> Any:
    values = [[figure(cell) for cell in row] for row in found]
    return pytest.approx(np.array(values), rel=1e-9, abs=1e-16)


def test_every_figure_is_that_of_the_definition(
    study: Study, base_of: BaseOf, expected: list[list[Cell]]
) -> None:
    found = Engine(study.survey).precision(spec(base_of))
    assert found.sample.tolist() == [[len(cell.column) for cell in row] for row in expected]
    assert found.kish == figures(expected, lambda cell: kish(cell.column))
    told = found.linearised
    assert told is not None
    assert told.share == figures(expected, lambda cell: cell.share)
    assert told.variance == figures(expected, lambda c: c.covariance(c.of_share, c.of_share))
    # The last two hold everyone in the base: nobody is beside them, and their index is 100.
    some = [row[:-2] for row in expected]
    assert found.rest_kish[:, :-2] == figures(some, lambda cell: kish(cell.others))
    rest, both, index = (
        values[:, :-2] for values in (told.rest_variance, told.rest_covariance, told.index_variance)
    )
    assert rest == figures(some, lambda c: c.covariance(c.of_rest, c.of_rest))
    assert both == figures(some, lambda c: c.covariance(c.of_share, c.of_rest))
    assert index == figures(some, lambda c: c.covariance(c.of_index, c.of_index))
    assert np.isnan(found.rest_kish[:, -2:]).all()
    assert not told.index_variance[:, -2:].any()


def test_two_columns_vary_together_as_the_definition_has_it(
    study: Study, base_of: BaseOf, expected: list[list[Cell]]
) -> None:
    told = linearised(study.survey, spec(base_of))
    assert told.covariance is not None
    for matrix, row in zip(told.covariance, expected, strict=True):
        together = [[one.together_with(other) for other in row] for one in row]
        assert matrix == pytest.approx(np.array(together), rel=1e-9, abs=1e-15)


def test_differences_vary_under_the_pooled_share_as_the_definition_has_it(
    study: Study, base_of: BaseOf, expected: list[list[Cell]]
) -> None:
    told = linearised(study.survey, spec(base_of))
    assert told.pooled is not None
    for row, matrix, rests in zip(expected, told.pooled, told.rest_pooled, strict=True):
        own = [cell.covariance(cell.of_share, cell.of_share) for cell in row]
        for first, one in enumerate(row):
            for second, other in enumerate(row[:first]):
                variance = own[first] + own[second] - 2 * one.together_with(other)
                wanted = pooled(one.y, one.x, other.y, other.x, variance)
                assert matrix[first, second] == pytest.approx(wanted, rel=1e-9, abs=1e-15)
                assert matrix[second, first] == pytest.approx(wanted, rel=1e-9, abs=1e-15)
        for cell, found in zip(row[:-2], rests[:-2], strict=True):
            apart = cell.of_share - cell.of_rest
            wanted = pooled(cell.y, cell.x, cell.y, cell.rest, cell.covariance(apart, apart))
            assert found == pytest.approx(wanted, rel=1e-9, abs=1e-15)


def test_two_columns_share_the_respondents_who_are_in_both(
    study: Study, base_of: BaseOf, expected: list[list[Cell]]
) -> None:
    found = Engine(study.survey).precision(spec(base_of), None)
    assert found.shared is not None
    for place, row in zip(found.shared_of, expected, strict=True):
        sets = [cell.x[cell.x > 0].index for cell in row]
        both = [[len(one.intersection(other)) for other in sets] for one in sets]
        assert found.shared[place].tolist() == both


def pooled(y1: pd.Series, one: pd.Series, y2: pd.Series, two: pd.Series, variance: float) -> float:
    """The formula of `engine.variance.pooled`; one, two: weights of the sets, 0 outside."""
    everyone = one.index.union(two.index)
    y1, w1, y2, w2 = (
        each.astype(float).reindex(everyone, fill_value=0.0).to_numpy()
        for each in (y1, one, y2, two)
    )
    y, weights = np.maximum(y1, y2), np.maximum(w1, w2)
    b1, b2 = w1.sum(), w2.sum()
    p1, p2 = (w1 * y1).sum() / b1, (w2 * y2).sum() / b2
    p = (p1 * b1 + p2 * b2) / (b1 + b2)
    g = w1 / b1 - w2 / b2
    r = (weights**2 * (y - p) ** 2).sum() / (weights**2).sum()
    of_weights = w1 * (y - p1) / b1 - w2 * (y - p2) / b2
    apart = (of_weights**2).sum()
    effect = variance / apart if apart > 1e-13 * (g**2).sum() else 1.0
    return effect * max(r * (g**2).sum(), 0.5 * (g**2 * (y - p) ** 2).sum())


def test_degrees_of_freedom_are_clusters_less_strata_of_the_columns_people(
    study: Study, base_of: BaseOf, expected: list[list[Cell]]
) -> None:
    told = linearised(study.survey, spec(base_of))
    own = figures(expected, lambda cell: freedom(cell.people[cell.x > 0]))
    assert told.freedom == own
    assert told.degrees_of_freedom == np.nanmin(told.freedom)
    others = [[freedom(cell.people[cell.rest > 0]) for cell in row[:-2]] for row in expected]
    assert told.rest_freedom[:, :-2].tolist() == np.fmin(told.freedom[:, :-2], others).tolist()


def freedom(people: pd.DataFrame) -> int:
    drawn = people.drop_duplicates(["wave", "stratum", "cluster"])
    return len(drawn) - len(drawn.drop_duplicates(["wave", "stratum"]))


PLACE = np.repeat([0, 1], 40)
"""Two strata, the regions, each of four clusters of ten."""


@pytest.mark.parametrize(
    ("base", "weights", "expected"),
    [
        (None, 1, 8 - 2),
        # Other regions have clusters too, but they tell nothing of this one.
        (Q("region").any("region_1"), 1, 4 - 1),
        # Who weighs nothing is not in the sample: R's degf() leaves such clusters out as well.
        (None, np.arange(80) >= 10, 7 - 2),
        (None, PLACE, 4 - 1),
        # A column within one cluster has none, as R's degf(), and one of nobody has no figures.
        (Q("q2").any("q2_1"), 1, 0),
        (Q("region").any("region_4"), 1, 0),
    ],
)
def test_clusters_of_nobody_in_the_base_tell_nothing_of_it(
    tmp_path: Path, base: Expression | None, weights: Any, expected: int
) -> None:
    answers = {
        "core.region": Answers(PLACE, np.full(80, True)),
        "core.q2": Answers(np.where(np.arange(80) < 10, 0, 1), np.full(80, True)),
        "core.q9": Answers(np.arange(240).reshape(80, 3) % 7 < 3, np.full(80, True)),
    }
    catalogue = SurveyCatalogue(
        (
            question("region", "single", 4),
            question("q2", "single", 2),
            question("q9", "multiple", 3),
        ),
        location_question="core.region",
    )
    with SurveyBuilder(tmp_path / "survey", catalogue) as builder:
        builder.add_wave(
            SurveyWave("w1", "w1", date(2023, 1, 1), date(2023, 3, 1), True),
            np.ones(80) * weights,
            answers,
            Design(PLACE, np.arange(80) // 10),
        )
        survey = builder.finish()
    rows, columns = (Q("q9").any("q9_1"),), (Q("q9").any("q9_2"), None)
    told = linearised(survey, CrosstabSpec(rows, columns, Scope(Audience(expression=base))))
    assert told.degrees_of_freedom == expected


def test_a_table_that_is_taken_in_blocks_has_the_same_figures(study: Study) -> None:
    """What a large table leaves out is what two columns have to do with each other."""
    whole = linearised(study.survey, spec())
    times = 201 // len(COLUMNS) + 1
    parts = linearised(study.survey, spec(columns=COLUMNS * times))
    assert parts.covariance is None
    # Sums of floats: how a processor's own library of matrices adds up depends on their shape.
    same = partial(pytest.approx, rel=1e-13, abs=1e-18, nan_ok=True)
    for name in ("variance", "rest_variance", "rest_covariance", "index_variance"):
        figures = getattr(whole, name)
        wide = np.broadcast_to(figures, (len(ROWS), len(COLUMNS)))
        found = np.broadcast_to(getattr(parts, name), (len(ROWS), len(COLUMNS) * times))
        assert found == same(np.tile(wide, times))


def test_a_stats_query_has_the_variances_of_the_same_crosstab(study: Study) -> None:
    points = ("q9_1", "q9_2")
    audiences = (Q("q4").any("q4_1"), Q("q2").any("q2_2"))
    engine = Engine(study.survey)
    stats = engine.precision(
        StatsSpec("q9", points, splitter="waves", audiences=audiences, scope=Scope(Audience(BASE)))
    )
    waves = [wave.code for wave in study.survey.waves if wave.accessible]
    columns = tuple(Q("waves").any(wave) & audience for wave in waves for audience in audiences)
    rows = tuple(Q("q9").any(point) for point in points)
    crosstab = engine.precision(
        CrosstabSpec(rows, columns, Scope(Audience(BASE), waves=tuple(waves)))
    )
    assert stats.sample.tolist() == crosstab.sample.tolist()
    assert stats.linearised is not None
    assert crosstab.linearised is not None
    assert np.array_equal(stats.linearised.variance, crosstab.linearised.variance, equal_nan=True)


def test_without_linearisation_there_is_kishs_design_effect_alone(
    study: Study, base_of: BaseOf, expected: list[list[Cell]]
) -> None:
    found = Engine(study.survey).precision(spec(base_of), None)
    assert found.linearised is None
    assert found.kish == figures(expected, lambda cell: kish(cell.column))


def test_the_locations_asked_for_are_a_part_of_the_base(study: Study) -> None:
    within = spec(scope=Scope(waves=WAVE_CODES, locations=("region_1", "region_2", "region_3")))
    one, other = (linearised(study.survey, each) for each in (spec(), within))
    assert np.array_equal(one.variance, other.variance, equal_nan=True)
    assert np.array_equal(one.freedom, other.freedom, equal_nan=True)


class TestLonelyClusters:
    """The fourth stratum has a single cluster, wherever it has anybody."""

    @pytest.fixture
    def study(self, tmp_path: Path) -> Study:
        return random_study(tmp_path / "lonely", 7, 300, drawn="strata and clusters")

    @pytest.mark.parametrize("lonely", ["adjust", "certainty"])
    def test_they_are_set_against_the_whole_or_taken_for_certain(
        self, study: Study, lonely: Any
    ) -> None:
        told = linearised(study.survey, spec(), lonely)
        assert told.lonely > 0
        assert told.variance == figures(
            cells(study), lambda c: c.covariance(c.of_share, c.of_share, lonely)
        )

    def test_or_they_are_refused_with_what_can_be_done(self, study: Study) -> None:
        message = r"Wave \w+: .* a single cluster.*lonely='adjust' or 'certainty'"
        with pytest.raises(VarianceError, match=message):
            Engine(study.survey).precision(spec(), "fail")


def test_a_sample_of_as_many_strata_as_clusters_tells_of_no_variance(tmp_path: Path) -> None:
    survey = one_wave(tmp_path, Design(np.arange(100) // 10, np.arange(100) // 10))
    with fails(VarianceError):
        Engine(survey).precision(CrosstabSpec((YES,), (None,)))
    assert Engine(survey).precision(CrosstabSpec((YES,), (None,)), None).kish == 1


def test_a_cluster_number_in_two_strata_is_two_clusters(tmp_path: Path) -> None:
    strata, within = np.arange(100) % 2, np.arange(100) // 10
    nested = one_wave(tmp_path / "nested", Design(strata, within))
    named = one_wave(tmp_path / "named", Design(strata, 10 * strata + within))
    one, other = (linearised(each, CrosstabSpec((YES,), (None,))) for each in (nested, named))
    assert one.clusters == other.clusters == 20
    assert one.variance == other.variance


def test_what_everyone_says_does_not_vary_and_what_nobody_is_has_no_variance(
    tmp_path: Path,
) -> None:
    """The rest of rounding is no variance: a design effect of 1e-17 would be taken for one."""
    everyone, nobody = YES | ~YES, YES & ~YES
    survey = one_wave(tmp_path, Design(clusters=np.arange(100) // 3))
    told = linearised(survey, CrosstabSpec((everyone, YES), (YES, nobody)))
    assert told.variance[:, 0].tolist() == [0.0, 0.0]
    assert np.isnan(told.variance[:, 1]).all()


def test_people_of_no_weight_have_no_design_effect() -> None:
    """A rest of them weighs nothing to the last bit, and their squares what rounding left."""
    rest = Weighing(np.array([3.0, 0.0]), np.zeros(2), np.array([1e-9, -1e-9]))
    assert np.isnan(rest.effect).all()


YES = Q("said").any("said_1")


def one_wave(folder: Path, design: Design) -> Survey:
    """100 respondents of equal weight, in one wave."""
    random = np.random.default_rng(3)
    questions = (question("region", "single", 1), question("said", "single", 2))
    catalogue = SurveyCatalogue(questions=questions, location_question="core.region")
    wave = SurveyWave("w1", "Wave", date(2024, 1, 1), date(2024, 2, 1), True)
    answers = {
        "region": Answers(np.zeros(100, int)),
        "said": Answers(random.integers(0, 2, 100)),
    }
    with SurveyBuilder(folder / "survey", catalogue) as builder:
        builder.add_wave(wave, np.ones(100), answers, design)
        return builder.finish()


def test_a_table_of_which_no_cell_rests_on_a_wave_has_no_sample(study: Study) -> None:
    first, last = (Q("waves").any(code) for code in ("q4_2022", "q4_2023"))
    with fails(VarianceError):
        Engine(study.survey).precision(spec(rows=(first,), columns=(last,)))
