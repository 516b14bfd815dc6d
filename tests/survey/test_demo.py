"""The demo survey: the promised breadth, believable patterns, the same for everyone."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from audiencelab.expressions import Leaf, parse_expression, walk
from audiencelab.survey import Survey, SurveyError, demo_survey
from audiencelab.survey.answers import unpack
from audiencelab.survey.demo import build_demo_survey
from tests.messages import fails

FREQUENT = ("1", "2")


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    return build_demo_survey(tmp_path_factory.mktemp("demo") / "p", 24_000)


def share(
    survey: Survey,
    code: str,
    datapoint: str,
    *within: tuple[str, str],
    suffixes: Sequence[str] = (),
    waves: Sequence[str] | None = None,
) -> float:
    """Weighted share of a datapoint in percent, among those with all of `within`."""
    have = base = 0.0
    for wave in waves or [wave.code for wave in survey.waves]:
        data = survey.wave(wave)
        question = data.question(code)
        if question is None:
            continue
        chosen = question.datapoint(datapoint, suffixes)
        scope = question.asked
        for other, point in within:
            found = data.question(other)
            assert found is not None
            scope = scope & found.datapoint(point)
        have += data.weights[unpack(chosen & scope, data.respondents)].sum()
        base += data.weights[unpack(scope, data.respondents)].sum()
    return 100 * have / base


def test_it_holds_what_was_promised(survey: Survey) -> None:
    catalogue = survey.catalogue
    assert len(catalogue.questions) >= 60
    assert sum(len(question.datapoints) for question in catalogue.questions) >= 700
    assert {question.namespace_code for question in catalogue.questions} == {
        space.code for space in catalogue.namespaces
    }
    assert len(catalogue.namespaces) == 3
    assert catalogue.base_namespace == "core"
    assert max(len(catalogue.lineage(category.id)) for category in catalogue.categories) == 3
    assert [wave.code for wave in survey.waves] == [
        f"q{quarter}_{year}" for year in (2023, 2024, 2025) for quarter in (1, 2, 3, 4)
    ]
    assert len(survey.saved_audiences) == 6
    assert len(survey.insights) == 40
    assert sum(wave.respondents for wave in survey.waves) == 24_000


def test_it_has_every_kind_of_question(survey: Survey) -> None:
    questions = survey.catalogue.questions
    assert {question.kind for question in questions} == {"single", "multiple", "grid"}
    assert [question.code for question in questions if not question.accessible] == ["q15"]
    assert any(question.notice for question in questions)
    assert any(question.warning for question in questions)
    assert any(point.midpoint for question in questions for point in question.datapoints)
    assert any(suffix.midpoint for question in questions for suffix in question.suffixes)
    partial = [question.code for question in questions if 0 < len(question.waves) < 12]
    assert len(partial) >= 6
    assert all(question.waves for question in questions)


def test_codes_that_notebooks_rely_on(survey: Survey) -> None:
    catalogue = survey.catalogue
    assert catalogue.question("q2").name == "Gender"
    ages = {point.code: point.name for point in catalogue.question("core.q4").datapoints}
    assert ages["q4_2"] == "18 to 24"
    assert ages["q4_6"] == "55 to 64"
    assert [suffix.code for suffix in catalogue.question("q20").suffixes] == list("12345")
    markets = {point.code for point in catalogue.question(catalogue.location_question).datapoints}
    assert markets == {f"s2_{code}" for code in (1, 44, 49, 33, 34, 55, 81, 61)}


def test_categories_hang_together(survey: Survey) -> None:
    catalogue = survey.catalogue
    categories = {category.id for category in catalogue.categories}
    for question in catalogue.questions:
        ((dataset, lineage),) = catalogue.taxonomy(question)
        assert dataset.code == question.datasets[0]
        assert lineage[-1].id == question.categories[0]
        assert lineage[0].parent is None
    for record in survey.insights:
        assert {str(category) for category in record.categories} <= categories
    for category in catalogue.categories:
        below = catalogue.child_categories(category.id) or catalogue.child_questions(category.id)
        assert below, f"{category.name} is empty"


def test_every_wave_weighs_as_many_adults_as_the_markets_have(survey: Survey) -> None:
    for wave in survey.waves:
        data = survey.wave(wave.code)
        assert 600e6 < data.size < 630e6
        market = data.question("s2")
        assert market is not None
        sizes = {
            point.code: data.weights[unpack(market.datapoint(point.code), data.respondents)].sum()
            for point in market.question.datapoints
        }
        assert sizes["s2_1"] == pytest.approx(205.8e6, rel=0.03)
        assert sizes["s2_49"] == pytest.approx(51.7e6, rel=0.01)
        assert min(sizes.values()) == sizes["s2_61"] > 17e6


def test_respondents_stand_sorted_by_location(survey: Survey) -> None:
    for wave in survey.waves:
        data = survey.wave(wave.code)
        market = data.question("s2")
        assert market is not None
        places = unpack(market.matrix, data.respondents).argmax(axis=0)
        assert (np.diff(places) >= 0).all()


def test_the_weighted_ages_are_those_of_the_market(survey: Survey) -> None:
    assert share(survey, "q4", "q4_7", ("s2", "s2_81")) == pytest.approx(24.8, abs=0.6)
    assert share(survey, "q4", "q4_7", ("s2", "s2_55")) == pytest.approx(7.2, abs=0.6)
    assert share(survey, "q2", "q2_2") == pytest.approx(51, abs=0.5)


def test_indices_mean_something(survey: Survey) -> None:
    young, old = ("q4", "q4_2"), ("q4", "q4_7")
    # An hour a day of short video belongs to the young.
    assert share(survey, "media.m7", "m7_5", young) > 3 * share(survey, "media.m7", "m7_5", old)
    assert share(survey, "q20", "q20_2", young, suffixes=FREQUENT) > 2 * share(
        survey, "q20", "q20_2", old, suffixes=FREQUENT
    )
    # Parents of children worry about their children's future.
    assert share(survey, "q24", "q24_15", ("q8", "q8_3")) > 2 * share(
        survey, "q24", "q24_15", ("q8", "q8_1")
    )
    # Retired people are old; students are young.
    assert share(survey, "q11", "q11_8", old) > 50
    assert share(survey, "q11", "q11_4", young) > 25


def test_time_leaves_its_trace(survey: Survey) -> None:
    first, last = survey.catalogue.question("media.m45").waves[0], survey.waves[-1].code
    assert first == "q1_2024"
    before = share(survey, "media.m45", "m45_1", waves=[first])
    assert share(survey, "media.m45", "m45_1", waves=[last]) > before + 10
    cash = [share(survey, "shop.b11", "b11_1", waves=[wave.code]) for wave in survey.waves]
    assert np.mean(cash[:4]) > np.mean(cash[-4:]) + 3


def test_routed_questions_leave_the_rest_unasked(survey: Survey) -> None:
    data = survey.wave("q4_2025")
    children, ages = data.question("q8"), data.question("q9")
    assert children is not None
    assert ages is not None
    parents = np.bitwise_or.reduce(children.matrix[1:], axis=0)
    assert np.array_equal(ages.asked, parents)
    assert 0 < np.bitwise_count(ages.asked).sum() < data.respondents
    split = data.question("media.m21")
    assert split is not None
    assert 0.45 < np.bitwise_count(split.asked).sum() / data.respondents < 0.55


def test_none_of_these_stands_alone(survey: Survey) -> None:
    data = survey.wave("q1_2024")
    pets = data.question("q17")
    assert pets is not None
    some = np.bitwise_or.reduce(pets.matrix[:-1], axis=0)
    assert not (some & pets.matrix[-1]).any()
    assert np.array_equal(some | pets.matrix[-1], pets.asked)


def test_saved_audiences_speak_of_questions_that_exist(survey: Survey) -> None:
    for saved in survey.saved_audiences:
        assert saved.description
        for _, node in walk(parse_expression(saved.expression)):
            if isinstance(node, Leaf) and node.question != "waves":
                question = survey.catalogue.question(node.question)
                assert set(node.datapoints) <= set(question.datapoint_positions)
                assert set(node.suffixes) <= set(question.suffix_positions)


def test_insights_sort_in_every_way(survey: Survey) -> None:
    records = survey.insights
    assert len({record.insight.id for record in records}) == 40
    assert {record.type for record in records} == {"report", "infographic", "powerpoint", "chart"}
    assert sum(record.is_trending for record in records) == 5
    assert all(record.created_at < record.published_at <= record.updated_at for record in records)


def test_one_seed_is_one_survey_and_another_is_another(tmp_path: Path) -> None:
    def checksums(name: str, seed: int) -> dict[str, object]:
        return dict(build_demo_survey(tmp_path / name, 960, seed=seed).manifest.files)

    first = checksums("a", 5)
    assert checksums("b", 5) == first
    assert checksums("c", 6) != first


@pytest.mark.parametrize("respondents", [96, 1_001])
def test_any_number_of_respondents_comes_out_exactly(tmp_path: Path, respondents: int) -> None:
    survey = build_demo_survey(tmp_path / "p", respondents)
    assert sum(wave.respondents for wave in survey.waves) == respondents
    assert survey.wave("q1_2023").size == pytest.approx(607.4e6, rel=1e-3)


def test_too_few_respondents_are_refused(tmp_path: Path) -> None:
    with fails(SurveyError):
        build_demo_survey(tmp_path / "p", 95)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_it_is_generated_once_and_again_where_it_is_damaged(cache: Path) -> None:
    first = demo_survey(960, seed=3)
    changed = first.path / "panel.json"
    before = changed.stat().st_mtime_ns
    assert demo_survey(960, seed=3).path == first.path
    assert changed.stat().st_mtime_ns == before
    (first.path / "catalogue.json").unlink()
    demo_survey(960, seed=3).verify()
    assert [path.name for path in cache.iterdir()] == [first.path.name]


def test_a_cache_that_cannot_be_written_to_is_named_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "file" / "cache"))
    with fails(SurveyError):
        demo_survey(960)


def test_two_processes_may_ask_at_once(cache: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        paths = pool.map(_path_of_demo, [960] * 6)
    assert len(set(paths)) == 1
    assert [str(path) for path in cache.iterdir()] == [paths[0]]
    Survey.open(paths[0]).verify()


def _path_of_demo(respondents: int) -> str:
    return str(demo_survey(respondents).path)


def test_a_demo_survey_of_too_few_says_how_many_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path))
    with fails(SurveyError):
        demo_survey(95)
    assert list(tmp_path.iterdir()) == []
