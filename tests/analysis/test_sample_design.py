"""Tests take the design of the sample by themselves, where its respondents are in this process."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import audiencelab as al
from audiencelab import Audience, Client, Q
from audiencelab.schema import Datapoint
from audiencelab.survey import (
    Answers,
    Survey,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyQuestion,
    SurveyWave,
)
from audiencelab.survey.answers import Design
from audiencelab.tables.comparison import compared
from tests.analysis.samples import without_ask
from tests.charts.samples import subtitle, values_of
from tests.messages import fails

PEOPLE = 400


def make_survey(
    folder: Path,
    *,
    weights: Any = 1.0,
    strata: Any = None,
    clusters: Any = None,
    **answers: Any,
) -> Survey:
    """One wave of single questions, each with the numbers of the answers from 0."""
    given = {name: np.asarray(values) for name, values in answers.items()}
    people = len(next(iter(given.values())))
    given["where"] = np.zeros(people, dtype=int)
    catalogue = SurveyCatalogue(
        questions=tuple(_question(code, int(each.max()) + 1) for code, each in given.items()),
        location_question="core.where",
    )
    wave = SurveyWave("w1", "Wave 1", date(2026, 1, 1), date(2026, 3, 31), True)
    with SurveyBuilder(folder / "survey", catalogue) as builder:
        builder.add_wave(
            wave,
            np.ones(people) * weights,
            {code: Answers(values) for code, values in given.items()},
            Design(_codes(strata), _codes(clusters)),
        )
        return builder.finish()


def _question(code: str, answers: int) -> SurveyQuestion:
    points = tuple(Datapoint(code=f"{code}_{n}", name=f"{code} {n}") for n in range(answers))
    return SurveyQuestion(
        namespace_code="core", code=code, name=code, kind="single", datapoints=points, suffixes=()
    )


def _codes(values: Any) -> Any:
    return None if values is None else np.asarray(values, dtype=np.int32)


def answer(question: str, number: int) -> Audience:
    return Audience(f"{question} {number}", Q(question).any(f"{question}_{number}"))


def answers(question: str, count: int = 2) -> list[Audience]:
    return [answer(question, number) for number in range(count)]


def halves(people: int = PEOPLE, seed: int = 5) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    return {"said": random.integers(0, 2, people), "group": random.integers(0, 2, people)}


@pytest.fixture
def weighted(tmp_path: Path) -> Iterator[Client]:
    weights = np.random.default_rng(1).choice([1.0, 3.0], PEOPLE)
    with al.connect(survey=make_survey(tmp_path, weights=weights, **halves())) as client:
        yield client


CLUSTER = np.arange(PEOPLE) // 20


@pytest.fixture
def clustered(tmp_path: Path) -> Iterator[Client]:
    survey = make_survey(tmp_path, clusters=CLUSTER, strata=CLUSTER // 10, **halves())
    with al.connect(survey=survey) as client:
        yield client


class TestAutomatic:
    def test_linearised_where_weights_differ(self, weighted: Client) -> None:
        table = weighted.crosstab(rows=answers("said"), columns=answers("group"))
        given = weighted.design_effects(table)
        for vs in ("columns", "rest"):
            found = table.test(vs)
            assert found.to_frame().equals(table.test(vs, design=given).to_frame())
            assert "linearised standard errors (design effects" in found.method_note
            assert "1 stratum, each respondent a cluster" in found.method_note
        assert "linearised" in table.standouts().attrs["method_note"]

    def test_kish_where_it_was_asked_for(self, weighted: Client) -> None:
        table = weighted.crosstab(rows=answers("said"), columns=answers("group"))
        given = weighted.design_effects(table, "kish")
        for vs in ("columns", "rest"):
            found = table.test(vs, design=given)
            assert "effective bases" in found.method_note
            assert "Kish's design effects, from the weights alone" in found.method_note

    def test_linearised_where_clusters_are_known(self, clustered: Client) -> None:
        table = clustered.crosstab(rows=answers("said"), columns=answers("group"))
        given = clustered.design_effects(table)
        for vs in ("columns", "rest"):
            found = table.test(vs)
            assert found.to_frame().equals(table.test(vs, design=given).to_frame())
            assert "; 2 strata, 20 clusters)" in found.method_note
            assert "t test (18 degrees of freedom)" in found.method_note

    def test_respondents_where_weights_are_equal_and_no_design_is_known(
        self, tmp_path: Path
    ) -> None:
        with al.connect(survey=make_survey(tmp_path, weights=2.5, **halves())) as client:
            table = client.crosstab(rows=answers("said"), columns=answers("group"))
        found = table.test()
        assert "unweighted bases (design effect 1)" in found.method_note
        assert found.to_frame()["base"].tolist() == found.to_frame()["sample"].tolist()

    def test_a_design_that_was_given_is_taken(self, weighted: Client) -> None:
        table = weighted.crosstab(rows=answers("said"), columns=answers("group"))
        frame = table.test(design=2).to_frame()
        assert frame["base"].tolist() == (frame["sample"] / 2).tolist()
        plain = table.test(base="unweighted").to_frame()
        assert plain["base"].tolist() == plain["sample"].tolist()
        assert "linearised" in table.test(base="effective").method_note

    def test_stats_waves_averages_and_nets(self, weighted: Client) -> None:
        stats = weighted.stats("said", audiences=answers("group"))
        assert "linearised" in stats.test().method_note
        netted = stats.nets({"Any": ["said_0", "said_1"]})
        assert "Kish's" in netted.test().method_note
        averages = stats.test(midpoints={"said_0": 1, "said_1": 2})
        assert "linearised" in averages.method_note
        assert (averages.to_frame()["base"] < averages.to_frame()["sample"]).all()
        assert (
            "linearised"
            in weighted.stats("said", splitter="waves").test(vs="previous wave").method_note
        )

    def test_copies_and_pickles_know_the_design(self, weighted: Client) -> None:
        table = weighted.crosstab(rows=answers("said"), columns=answers("group"))
        stats = weighted.stats("said", audiences=answers("group"))
        for result in (table, stats):
            for copied in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
                assert copied.test().method_note == result.test().method_note
                assert "linearised" in copied.test().method_note

    def test_a_result_that_cannot_ask_says_so(self, weighted: Client) -> None:
        table = weighted.crosstab(rows=answers("said"), columns=answers("group"))
        table.ask = None
        assert "unweighted bases (design unknown)" in table.test().method_note

    def test_a_recording_without_the_design_refuses_the_test(
        self, weighted: Client, tmp_path: Path
    ) -> None:
        recorded = tmp_path / "recorded.jsonl"
        with weighted.recording(recorded):
            weighted.crosstab(rows=answers("said"), columns=answers("group"))
            weighted.stats("said", audiences=answers("group"))
        with al.connect(snapshot=recorded) as replay:
            table = replay.crosstab(rows=answers("said"), columns=answers("group"))
            stats = replay.stats("said", audiences=answers("group"))
            for result in (table, stats):
                with pytest.raises(LookupError, match=r"Write table\.test\(design=None\)\."):
                    result.test()
                assert "design unknown" not in result.test(design=None).method_note
            assert (
                "design unknown: recorded.jsonl holds no precision" in compared(table).method_note
            )


class TestWeightsOfZero:
    """Respondents who weigh nothing change no share, and so no test and no interval."""

    def test_they_count_in_no_test_and_no_interval(self, tmp_path: Path) -> None:
        known = halves(200)
        more = halves(900, seed=6)
        with_more = {name: np.concatenate([known[name], more[name]]) for name in known}
        weights = np.concatenate([np.ones(200), np.zeros(900)])
        alone = make_survey(tmp_path / "alone", **known)
        padded = make_survey(tmp_path / "padded", weights=weights, **with_more)
        found: list[Any] = []
        for survey in (alone, padded):
            with al.connect(survey=survey) as client:
                table = client.crosstab(rows=answers("said"), columns=answers("group"))
                stats = client.stats("said", audiences=answers("group"))
            found.append(
                [
                    *(
                        result.test(vs, base=base).to_frame()[["base", "sample", "z", "p"]]
                        for result, vs in ((table, "columns"), (table, "rest"), (stats, "columns"))
                        for base in (None, "unweighted")
                    ),
                    table.intervals().filter(regex="_(se|low|high)$"),
                    stats.intervals().filter(regex="_(se|low|high)$"),
                ]
            )
        for one, other in zip(*found, strict=True):
            np.testing.assert_allclose(one.to_numpy(), other.to_numpy(), rtol=1e-9)

    def test_they_do_not_lift_a_base_above_the_least(self, tmp_path: Path) -> None:
        known = halves(40)
        weights = np.where(np.arange(40) < 20, 1.0, 0.0)
        with al.connect(survey=make_survey(tmp_path, weights=weights, **known)) as client:
            table = client.crosstab(rows=answers("said"), columns=answers("group"))
        notes = table.test(min_base=15).to_frame()["note"]
        assert set(notes) == {"base under 15"}


class TestWhatTheDesignSettles:
    def test_a_share_that_the_design_fixes_has_no_error_and_is_not_tested(
        self, tmp_path: Path
    ) -> None:
        """R: SE(svymean(~stype, dstrat)) is 0, since the strata are the types of school."""
        kind = np.repeat([0, 1], [300, 100])
        group = np.random.default_rng(2).integers(0, 2, PEOPLE)
        survey = make_survey(tmp_path, strata=kind, kind=kind, group=group)
        with al.connect(survey=survey) as client:
            everyone = Audience("All")
            table = client.crosstab(rows=answers("kind"), columns=[everyone, *answers("group")])
            effects = client.design_effects(table)
        assert effects.standard_errors[:, 0].tolist() == [0, 0]
        frame = table.intervals(design=effects)
        fixed = frame[frame["column"] == "All"]
        assert fixed["column_percentage_low"].tolist() == [75, 25]
        assert fixed["column_percentage_high"].tolist() == [75, 25]
        assert (frame[frame["column"] != "All"]["column_percentage_se"] > 1).all()

    def test_a_pair_with_such_a_share_is_not_tested(self, tmp_path: Path) -> None:
        """Region and stratum cross: the kinds of each region are as many as were drawn."""
        kind, region = np.tile(np.repeat([0, 1], 100), 2), np.repeat([0, 1], 200)
        survey = make_survey(tmp_path, strata=2 * region + kind, kind=kind, region=region)
        with al.connect(survey=survey) as client:
            table = client.crosstab(rows=answers("kind"), columns=answers("region"))
        frame = table.test().to_frame()
        assert frame["p"].isna().all()
        assert set(frame["note"]) == {"a share that the sample's design fixes"}

    def test_a_column_within_one_cluster_is_not_tested(self, tmp_path: Path) -> None:
        said, clusters = np.random.default_rng(3).integers(0, 2, PEOPLE), CLUSTER // 2
        survey = make_survey(tmp_path, clusters=clusters, group=(clusters == 1) * 1, said=said)
        with al.connect(survey=survey) as client:
            table = client.crosstab(rows=answers("said"), columns=answers("group"))
            effects = client.design_effects(table)
        assert np.isnan(effects.standard_errors[:, 1]).all()
        for comparison in (table.test(), table.test(vs="rest")):
            frame = comparison.to_frame()
            assert frame["p"].isna().all()
            assert set(frame["note"]) == {"one cluster, or one in each stratum: no variance"}
        ends = table.intervals(design=effects)
        inside = ends[ends["column"] == "group 1"]
        assert inside["column_percentage_low"].isna().all()

    def test_degrees_of_freedom_are_those_of_the_pair(self, tmp_path: Path) -> None:
        """R: degf(subset(design, group %in% c(0, 1))), of clusters that hold either column."""
        random = np.random.default_rng(4)
        group = np.where(CLUSTER < 5, random.integers(0, 2, PEOPLE), random.integers(0, 3, PEOPLE))
        group = np.where(CLUSTER < 5, group, 2)
        said = random.integers(0, 2, PEOPLE)
        survey = make_survey(tmp_path, clusters=CLUSTER, group=group, said=said)
        with al.connect(survey=survey) as client:
            table = client.crosstab(rows=answers("said"), columns=answers("group", 3))
        frame = table.test().to_frame().set_index(["row", "column", "other"])
        freedom = frame["degrees_of_freedom"].loc["said 0"]
        assert freedom.tolist() == [5 - 1, 20 - 1, 20 - 1]
        assert "t test (4 to 19 degrees of freedom)" in table.test().method_note
        assert "z test" in table.test(degrees_of_freedom=np.inf).method_note

    def test_without_degrees_of_freedom_nothing_is_tested(self, tmp_path: Path) -> None:
        """A base of two strata, of which one cluster each was drawn: R's degf() is 0."""
        where, clusters = CLUSTER // 5, CLUSTER
        base = np.isin(CLUSTER, [0, 19]).astype(int)
        random = np.random.default_rng(8)
        said, group = random.integers(0, 2, PEOPLE), random.integers(0, 2, PEOPLE)
        survey = make_survey(
            tmp_path, strata=where, clusters=clusters, base=base, said=said, group=group
        )
        with al.connect(survey=survey) as client:
            table = client.crosstab(
                rows=answers("said"), columns=answers("group"), base_audience=answer("base", 1)
            )
        frame = table.test(min_base=5).to_frame()
        assert set(frame["note"]) == {"no degrees of freedom"}
        assert frame["p"].isna().all()


class TestComplements:
    def test_quotas_that_add_up_are_no_complements(self, tmp_path: Path) -> None:
        """Men, women, younger, older: 50 of 100 each, crossed; 80% against 20% by age alone."""
        sex, age = np.tile([0, 1], 500), np.repeat([0, 1], 500)
        yes = np.random.default_rng(7).random(1_000) < np.where(age == 0, 0.8, 0.2)
        with al.connect(survey=make_survey(tmp_path, sex=sex, age=age, yes=yes * 1)) as client:
            columns = [*answers("sex"), *answers("age")]
            table = client.crosstab(rows=[answer("yes", 1)], columns=columns)
        found = table.standouts()
        # The older are everyone who is not younger, and repeat what these say.
        assert found["column"].tolist() == ["age 0"]


def test_automatic_intervals_are_linearised_without_strata_and_clusters_too(tmp_path: Path) -> None:
    """Against the textbook: the spread of what each respondent adds to the share of a column."""
    rng = np.random.default_rng(11)
    weights, tea, old = rng.uniform(0.4, 3, PEOPLE), rng.integers(0, 2, PEOPLE), rng.random(PEOPLE)
    weights = np.round(weights * 1024) / 1024
    age = (old < 0.3).astype(int)
    survey = make_survey(tmp_path, weights=weights * (1 + tea), tea=tea, age=age)
    with al.connect(survey=survey) as client:
        table = client.crosstab("tea", "age")
        frame = table.intervals(design="auto")
        computed = table.intervals(design=client.design_effects(table))
    np.testing.assert_array_equal(frame["column_percentage_se"], computed["column_percentage_se"])
    within, given = (weights * (1 + tea)) * (age == 1), tea == 1
    share = within[given].sum() / within.sum()
    parts = within * (given - share) / within.sum()
    error = np.sqrt(PEOPLE / (PEOPLE - 1) * np.square(parts - parts.mean()).sum())
    (found,) = frame.query("row == 'tea 1' and column == 'age 1'")["column_percentage_se"]
    assert found == pytest.approx(100 * error, rel=1e-9)
    kish = (within**2).sum() * PEOPLE / within.sum() ** 2
    assert found != pytest.approx(100 * np.sqrt(kish * share * (1 - share) / PEOPLE), rel=0.02)


def test_intervals_and_averages_take_the_samples_design_by_default(weighted: Client) -> None:
    table = weighted.crosstab(rows=answers("said"), columns=answers("group"))
    stats = weighted.stats("said", audiences=answers("group"))
    for result in (table, stats):
        frame = result.intervals()
        assert frame.equals(result.intervals(design="auto"))
        assert "each respondent a cluster" in frame.attrs["method_note"]
        simple = result.intervals(design=None)
        assert (frame["column_percentage_se"] > simple["column_percentage_se"]).all()
        chart: Any = result.chart.bar(intervals=True)
        low = [each["low"] for each in values_of(chart)]
        assert low == frame["column_percentage_low"].tolist()
        assert "95% intervals, by the sample's design" in subtitle(chart)
        kept = pickle.loads(pickle.dumps(result))
        assert kept.intervals().equals(frame)
        gone = without_ask(result)
        assert gone.intervals().attrs["method_note"].endswith("design unknown.")
        assert "95% intervals, design unknown" in subtitle(gone.chart.bar(intervals=True))
    amounts = {"said_0": 0.0, "said_1": 1.0}
    averages = stats.averages(amounts)
    assert averages.equals(stats.averages(amounts, design="auto"))
    assert (averages["standard_error"] > stats.averages(amounts, design=1)["standard_error"]).all()
    assert pickle.loads(pickle.dumps(stats)).averages(amounts).equals(averages)
    without = without_ask(stats).averages(amounts)
    assert without.attrs["method_note"].endswith("design effect 1, design unknown.")


def test_equal_weights_without_a_design_are_a_simple_random_sample(tmp_path: Path) -> None:
    with al.connect(survey=make_survey(tmp_path, weights=2.5, **halves())) as client:
        table = client.crosstab(rows=answers("said"), columns=answers("group"))
        frame, simple = table.intervals(), table.intervals(design=None)
    assert frame.equals(simple)
    assert frame.attrs["method_note"] == simple.attrs["method_note"]


def test_a_design_that_shows_no_variance_gives_no_test_and_no_interval(tmp_path: Path) -> None:
    survey = make_survey(tmp_path, strata=CLUSTER, clusters=CLUSTER, **halves())
    with al.connect(survey=survey) as client:
        table = client.crosstab(rows=answers("said"), columns=answers("group"))
        stats = client.stats("said", audiences=answers("group"))
        with fails(ValueError):
            client.design_effects(table)
    reason = "no test and no interval: Every stratum has a single cluster"
    for tested in (table.test(), table.test(vs="rest"), stats.test()):
        assert tested.to_frame()["p"].isna().all()
        assert set(tested.to_frame()["note"]) == {
            "one cluster, or one in each stratum: no variance"
        }
        assert reason in tested.method_note
    for result in (table, stats):
        frame = result.intervals()
        assert frame.filter(regex="_low$|_high$").isna().all(axis=None)
        assert reason in frame.attrs["method_note"]
        said = subtitle(result.chart.bar(intervals=True))
        assert "95% intervals, none, as the design shows no variance" in said
    assert table.standouts().empty


def test_some_lonely_strata_are_adjusted_and_counted(tmp_path: Path) -> None:
    strata = np.minimum(CLUSTER, 17)
    survey = make_survey(
        tmp_path, strata=strata // 4 + (CLUSTER == 0) * 9, clusters=CLUSTER, **halves()
    )
    with al.connect(survey=survey) as client:
        table = client.crosstab(rows=answers("said"), columns=answers("group"))
    for note in (table.test().method_note, table.intervals().attrs["method_note"]):
        assert "1 of 6 strata has one cluster (adjusted)" in note
    assert table.test().to_frame()["p"].notna().all()
