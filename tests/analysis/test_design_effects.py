"""Design effects that are computed: what they know beyond a number, and who is refused them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import audiencelab as al
from audiencelab import Audience, Client, Q
from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.schema import CalcAttribute, CalcData, Datapoint, StatsGroup
from audiencelab.survey import (
    Answers,
    Survey,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyQuestion,
    SurveyWave,
)
from audiencelab.survey.answers import Design
from audiencelab.tables import ChartCalculationResult, CrosstabResult
from tests.messages import fails

CLUSTERS, EACH = 30, 20
"""Of a wave: so many clusters, of so many respondents each, who are alike."""

LIKELY = 0.3
"""The share of the population that says yes."""


def make_survey(folder: Path, waves: int, seed: int = 1) -> Survey:
    """Waves of clusters whose people are alike: each cluster has a share of its own."""
    random = np.random.default_rng(seed)
    catalogue = SurveyCatalogue(questions=QUESTIONS, location_question="core.where")
    cluster = np.repeat(np.arange(CLUSTERS), EACH)
    with SurveyBuilder(folder, catalogue) as builder:
        for number in range(waves):
            starts = date(2020, 1, 1) + timedelta(days=7 * number)
            wave = SurveyWave(f"w{number + 1}", f"Wave {number + 1}", starts, starts, True)
            inclined = random.beta(3 * LIKELY, 3 * (1 - LIKELY), CLUSTERS)[cluster]
            yes = random.random(len(cluster)) < inclined
            answers = {
                "where": Answers(np.zeros(len(cluster), int)),
                "said": Answers(np.where(yes, 0, 1)),
                "age": Answers(random.integers(0, 3, len(cluster))),
                "uses": Answers(random.random((len(cluster), 2)) < 0.4),
            }
            weights = random.choice([500.0, 1000.0, 1500.0], len(cluster))
            builder.add_wave(wave, weights, answers, Design(cluster // 6, cluster))
        return builder.finish()


def _question(code: str, kind: str, *names: str) -> SurveyQuestion:
    points = tuple(
        Datapoint(code=f"{code}_{place}", name=name) for place, name in enumerate(names, 1)
    )
    return SurveyQuestion(
        namespace_code="core", code=code, name=code, kind=kind, datapoints=points, suffixes=()
    )


QUESTIONS = (
    _question("where", "single", "Here"),
    _question("said", "single", "Yes", "No"),
    _question("age", "single", "Young", "Middle", "Old"),
    _question("uses", "multiple", "Tea", "Coffee"),
)

YES, NO = Audience("Yes", Q("said").any("said_1")), Audience("No", Q("said").any("said_2"))
AGES = [Audience(name, Q("age").any(f"age_{n}")) for n, name in enumerate(("Young", "Old"), 1)]
TEA, COFFEE = (
    Audience(name, Q("uses").any(f"uses_{n}")) for n, name in ((1, "Tea"), (2, "Coffee"))
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with al.connect(survey=make_survey(tmp_path_factory.mktemp("design") / "survey", 3)) as client:
        yield client


@pytest.fixture(scope="module")
def result(client: Client) -> CrosstabResult:
    return client.crosstab(rows=[YES, NO], columns=[*AGES, TEA, COFFEE])


@pytest.fixture(scope="module")
def effects(client: Client, result: CrosstabResult) -> DesignEffects:
    return client.design_effects(result)


class TestWhatTheyTell:
    def test_how_they_were_made(self, effects: DesignEffects) -> None:
        assert effects.method == "taylor"
        assert effects.method_note == "Taylor linearisation, 15 strata, 90 clusters"
        assert effects.degrees_of_freedom == 75
        assert repr(effects).startswith("<DesignEffects 2 rows × 4 columns, design effects ")
        assert effects.method_note in repr(effects)

    def test_a_standard_error_is_that_of_as_many_at_random_widened(
        self, effects: DesignEffects, result: CrosstabResult
    ) -> None:
        share = result.values("column_percentage") / 100
        simple = share * (1 - share) / result.values("column_sample")
        assert effects.standard_errors == pytest.approx(100 * np.sqrt(simple * effects.effects))
        # Yes and no are the same question.
        assert effects.effects[0] == pytest.approx(effects.effects[1])

    def test_the_frame_has_a_line_a_cell(self, effects: DesignEffects) -> None:
        frame = effects.to_frame()
        assert list(frame.columns) == [
            *("row_id", "row", "column_id", "column", "percentage", "standard_error"),
            *("design_effect", "sample", "base"),
        ]
        assert len(frame) == 8
        assert frame["design_effect"].tolist() == effects.effects.ravel().tolist()
        assert (frame["base"] * frame["design_effect"]).tolist() == pytest.approx(
            frame["sample"].tolist()
        )
        assert frame.attrs["method_note"] == effects.method_note
        assert frame.attrs["operation"] == "crosstab"

    def test_the_table_shows_each_effect_and_the_recipe(self, effects: DesignEffects) -> None:
        html = effects._repr_html_()
        assert f"{effects.effects[0, 0]:.2f}" in html
        assert effects.method_note in html

    def test_by_the_weights_alone_they_say_so(self, client: Client, result: CrosstabResult) -> None:
        kish = client.design_effects(result, method="kish")
        assert kish.method == "kish"
        assert kish.method_note == "Kish's design effects, from the weights alone"
        assert kish.degrees_of_freedom is None
        # The same for all rows of a column, and less than those of clusters of alike people.
        assert kish.effects[0].tolist() == kish.effects[1].tolist()
        assert 1 < kish.effects.min() < kish.effects.max() < 1.3

    def test_where_nothing_varies_kishs_stands_in_and_is_named(self, client: Client) -> None:
        result = client.crosstab(rows=[YES], columns=[YES, NO, *AGES])
        effects = client.design_effects(result)
        kish = client.design_effects(result, method="kish")
        assert effects.effects[0, :2].tolist() == kish.effects[0, :2].tolist()
        assert effects.method_note.endswith("Kish's design effect at 0 and 100%")
        assert effects.standard_errors[0, :2].tolist() == [0, 0]
        low, high = result.intervals(design=effects)[
            ["column_percentage_low", "column_percentage_high"]
        ].iloc[0]
        assert 90 < low < high == 100

    def test_where_nobody_is_there_is_none(self, client: Client) -> None:
        nobody = Audience("Nobody", YES.expression & NO.expression)  # type: ignore[operator]  # both have one
        result = client.crosstab(rows=[YES], columns=[nobody, *AGES])
        effects = client.design_effects(result)
        assert np.isnan(effects.effects[0, 0])
        notes = result.test(design=effects).to_frame()["note"]
        assert [bool(note) for note in notes] == [True, True, False]


class TestWhereTheyGo:
    def test_each_method_takes_them_and_names_them(
        self, effects: DesignEffects, result: CrosstabResult
    ) -> None:
        for note in (
            result.test(design=effects).method_note,
            result.test(vs="rest", design=effects).method_note,
            result.standouts(design=effects).attrs["method_note"],
        ):
            assert "linearised standard errors (design effects" in note
            assert "; 15 strata, 90 clusters)" in note
            assert "75 degrees of freedom" in note
        assert effects.method_note in result.intervals(design=effects).attrs["method_note"]

    def test_margins_are_of_figures_that_they_are_about(
        self, effects: DesignEffects, result: CrosstabResult
    ) -> None:
        frame = result.intervals(design=effects)
        told = [name for name in frame.columns if name.endswith("_se")]
        assert told == ["index_se", "column_percentage_se"]
        assert frame["column_percentage_se"].tolist() == pytest.approx(
            effects.standard_errors.ravel().tolist()
        )

    def test_an_overlap_is_known_already(
        self, client: Client, effects: DesignEffects, result: CrosstabResult
    ) -> None:
        columns = [*AGES, TEA, COFFEE]
        overlap = client.crosstab(rows=columns, columns=columns)
        with fails(ValueError):
            result.test(design=effects, overlap=overlap)
        kish = client.design_effects(result, method="kish")
        recipe = result.test(design=kish, overlap=overlap).method_note
        assert "respondents in both columns accounted for" in recipe

    def test_pairs_that_are_the_same_people_do_not_differ_by_chance(self, client: Client) -> None:
        """One column twice: its share is as high as itself, without any error."""
        again = Audience("Tea again", TEA.expression)
        result = client.crosstab(rows=[YES], columns=[TEA, again])
        tests = result.test(design=client.design_effects(result)).to_frame()
        assert tests["standard_error"].tolist() == pytest.approx([0.0], abs=1e-6)
        assert tests["level"].isna().all()


class TestStatsResults:
    def test_lines_segments_and_audiences_have_their_own(self, client: Client) -> None:
        stats = client.stats("said", splitter="age", audiences=[TEA, COFFEE])
        effects = client.design_effects(stats)
        assert effects.effects.shape == (2, 6)
        frame = stats.intervals(design=effects)
        errors = dict(
            zip(
                zip(frame["datapoint"], frame["segment"], frame["audience"], strict=True),
                frame["column_percentage_se"],
                strict=True,
            )
        )
        for place, audience in enumerate((TEA, COFFEE)):
            old = Q("age").any("age_3") & audience.expression  # type: ignore[operator]  # both have one
            crosstab = client.crosstab(rows=[YES], columns=[old], waves=list(stats.waves))
            expected = client.design_effects(crosstab).standard_errors[0, 0]
            asked = stats.audiences[place].id
            assert errors["said_1", "age_3", asked] == pytest.approx(expected)
        assert [name for name in frame.columns if name.endswith("_se")] == [
            "column_percentage_se",
            "index_se",
        ]
        assert "; 15 strata, 90 clusters)" in stats.test(design=effects).method_note

    def test_waves_are_compared_by_their_own(self, client: Client) -> None:
        trend = client.stats("said", splitter="waves", audiences=[TEA, COFFEE])
        effects = client.design_effects(trend)
        tests = trend.test(vs="previous wave", design=effects, pooled=False).to_frame()
        lines = trend.intervals(design=effects)
        errors = {
            (line["datapoint"], line["audience"], line["segment"]): line["column_percentage_se"]
            for line in lines.to_dict("records")
        }
        for test in tests[tests["note"] == ""].to_dict("records"):
            now, before = (
                errors[test["datapoint"], test["audience"], test[wave]]
                for wave in ("wave", "previous")
            )
            assert test["standard_error"] == pytest.approx(np.hypot(now, before))
        # A wave of 30 clusters in 5 strata is what a share rests on.
        assert effects.degrees_of_freedom == 25


class TestWhatIsRefused:
    def test_effects_of_another_table(self, client: Client, effects: DesignEffects) -> None:
        others = [
            client.crosstab(rows=[YES, NO], columns=[*AGES, TEA]),
            client.crosstab(rows=[YES, NO], columns=[*AGES, COFFEE, TEA]),
            client.crosstab(rows=[YES, NO], columns=[*AGES, TEA, COFFEE], waves=["w1"]),
        ]
        for other in others:
            for ask in (other.test, partial(other.test, "rest"), other.intervals):
                with fails(ValueError):
                    ask(design=effects)
        stats = client.stats("said", splitter="waves")
        for ask in (partial(stats.test, "previous wave"), stats.intervals):
            with fails(ValueError):
                ask(design=effects)

    def test_a_result_of_another_survey(self, client: Client, tmp_path: Path) -> None:
        with al.connect(survey=make_survey(tmp_path / "survey", 3, seed=2)) as other:
            foreign = other.crosstab(rows=[YES], columns=AGES)
        with fails(ValueError):
            client.design_effects(foreign)

    def test_a_result_with_nets(self, client: Client) -> None:
        netted = client.stats("age").nets({"Not old": ["age_1", "age_2"]})
        with fails(ValueError):
            client.design_effects(netted)

    @pytest.mark.parametrize("slip", [{"method": "jackknife"}, {"lonely": "average"}])
    def test_words_that_mean_nothing(
        self, client: Client, result: CrosstabResult, slip: dict[str, Any]
    ) -> None:
        with fails(ValueError):
            client.design_effects(result, **slip)

    def test_respondents_who_are_elsewhere(self, result: CrosstabResult, tmp_path: Path) -> None:
        with (
            al.connect("https://audience.example", token="secret") as deployment,
            fails(LookupError),
        ):
            deployment.design_effects(result)


def test_intervals_hold_the_truth_as_often_as_they_say(tmp_path: Path) -> None:
    """200 surveys of one population, each of them a wave, drawn by clusters of people alike."""
    with al.connect(survey=make_survey(tmp_path / "survey", 200)) as client:
        surveys = client.stats("said", datapoints=["said_1"], splitter="waves")
        effects = client.design_effects(surveys)
        plain, kish, taylor = (
            _held(surveys.intervals(design=each))
            for each in (None, client.design_effects(surveys, method="kish"), effects)
        )
    assert plain < 0.65
    assert kish < 0.70
    assert taylor == pytest.approx(0.95, abs=0.03)


def _held(frame: Any) -> float:
    low, high = (frame[f"column_percentage_{end}"] / 100 for end in ("low", "high"))
    return float(((low <= LIKELY) & (high >= LIKELY)).mean())


def test_lines_and_charts_take_their_own(client: Client) -> None:
    fewer = client.design_effects(client.stats("age", waves=["w1"]))
    with fails(ValueError):
        client.stats("age").intervals(design=fewer)
    figures = client.stats("age").rows[0].metrics
    group = StatsGroup(group_id=0, attributes=[CalcAttribute("age")], data=[CalcData(figures)])
    chart = ChartCalculationResult("c1", (group,))
    with fails(ValueError):
        chart.intervals(design=fewer)  # type: ignore[arg-type] -- a slip
