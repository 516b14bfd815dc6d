"""A profile is the crosstab of every answer by one audience, asked for part by part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from audiencelab.client import Catalogue, Client, UnknownCodeError, connect
from audiencelab.engine import Engine, StatsSpec
from audiencelab.expressions import And, Audience, Expression, Q
from audiencelab.results.profile import Ranking
from audiencelab.schema import Question
from audiencelab.schema.scope import Scope
from audiencelab.survey import demo_survey
from audiencelab.tables import ProfileResult
from tests.engine import oracle
from tests.engine.studies import QUESTIONS, Study, random_study
from tests.messages import fails

YOUNG = Audience("Young", Q("q4").any("q4_1"))
WOMEN = Q("q2").any("q2_2")
OPEN_WAVES = ["q4_2022", "q1_2023", "q2_2023", "q3_2023", "q4_2023"]


@pytest.fixture(scope="module", params=[1, 2])
def study(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Study:
    return random_study(tmp_path_factory.mktemp("profile") / "study", request.param)


@pytest.fixture(scope="module")
def demo() -> Iterator[Client]:
    with connect() as client:
        yield client


def figures(result: ProfileResult) -> dict[tuple[str, str], list[str]]:
    """The numbers of each answer, written out so that what has no value is equal to itself."""
    frame = result.to_frame()
    keys = zip(frame["question"], frame["datapoint"], strict=True)
    numbers = [list(map(repr, line)) for line in frame.select_dtypes("number").to_numpy().tolist()]
    return dict(zip(keys, numbers, strict=True))


@pytest.mark.parametrize("audience", [WOMEN, Q("extra.q30").any("q30_1"), None])
@pytest.mark.parametrize("waves", [OPEN_WAVES, ["q1_2023", "q4_2023"], None])
def test_every_line_equals_a_slow_count_over_respondents(
    study: Study, audience: Expression | None, waves: list[str] | None
) -> None:
    base = Q("q4").any("q4_1", "q4_2", "q4_3")
    with connect(survey=study.survey) as client:
        profile = client.profile(
            Audience("Those", audience),
            base_audience=base,
            waves=waves,
            locations=["region_1", "region_2"],
        )
    frame = profile.to_frame().set_index(["question", "datapoint"])
    for question in QUESTIONS:
        codes = [point.code for point in question.datapoints]
        wanted = oracle.stats(
            study,
            question.canonical,
            codes,
            (),
            None,
            [],
            False,
            [audience],
            base,
            ("region_1", "region_2"),
            set(waves or OPEN_WAVES[-4:]),
        )
        code = question.canonical.removeprefix("core.")
        for datapoint, row in zip(codes, wanted, strict=True):
            line: Any = frame.loc[(code, datapoint)]
            if not row["waves"]:
                assert "no wave in common" in line["note"]
                assert np.isnan(line["index"])
                continue
            for ours, theirs in {
                "size": "positive_size",
                "sample": "positive_sample",
                "audience_size": "audience_size",
                "audience_sample": "audience_sample",
                "datapoint_size": "datapoint_size",
                "datapoint_sample": "datapoint_sample",
            }.items():
                assert line[ours] == pytest.approx(row[theirs], rel=1e-12), ours
            if row["audience_size"]:
                percentage, index = row["audience_percentage"], row["audience_index"]
                assert line["audience_percentage"] == pytest.approx(percentage, rel=1e-12)
                if row["datapoint_size"]:
                    assert line["index"] == pytest.approx(index, rel=1e-12)
                    whole = 100 * row["datapoint_size"] / line["base_size"]
                    assert line["base_percentage"] == pytest.approx(whole, rel=1e-12)
                    assert line["difference"] == pytest.approx(percentage - whole, abs=1e-9)


def test_it_is_what_the_engine_itself_counts_bit_for_bit() -> None:
    survey, expression = demo_survey(), Q("media.m4").any("m4_1") & Q("q2").any("q2_2")
    waves = ("q3_2025", "q4_2025")
    with connect(survey=survey) as client:
        frame = client.profile(Audience("Viewers", expression), waves=waves).to_frame()
    engine = Engine(survey)
    questions = [each.canonical for each in survey.catalogue.questions if each.accessible]
    specs = [
        StatsSpec(code, audiences=(expression,), scope=Scope(waves=waves)) for code in questions
    ]
    counted = [row for spec in specs for row in engine.stats(spec)]
    for ours, theirs in {
        "size": "positive_size",
        "sample": "positive_sample",
        "audience_size": "audience_size",
        "audience_sample": "audience_sample",
        "datapoint_size": "datapoint_size",
        "datapoint_sample": "datapoint_sample",
    }.items():
        assert frame[ours].tolist() == [getattr(row, theirs) for row in counted]


def test_each_question_is_as_its_own_stats_query(client: Client) -> None:
    profile = client.profile(YOUNG, base_audience=WOMEN, waves=OPEN_WAVES).to_frame()
    assert profile["question"].unique().tolist() == ["s2", "q2", "q4", "q20", "sport.q9"]
    for question, lines in profile.groupby("question", sort=False):
        scale = [each.code for each in client[str(question)].suffixes]
        alone = client.stats(
            str(question),
            suffixes=scale or None,
            datapoints=lines["datapoint"].tolist(),
            audiences=[YOUNG],
            base_audience=WOMEN,
            waves=OPEN_WAVES,
        ).to_frame()
        for ours, theirs in {
            "audience_percentage": "column_percentage",
            "index": "index",
            "size": "size",
            "audience_sample": "column_sample",
        }.items():
            assert list(map(repr, lines[ours])) == list(map(repr, alone[theirs])), ours


def test_without_waves_it_rests_on_those_of_a_crosstab_and_says_so(client: Client) -> None:
    profile = client.profile(YOUNG)
    last_four = client.profile(YOUNG, waves=OPEN_WAVES[-4:])
    assert figures(profile) == figures(last_four)
    assert profile.to_frame().attrs["waves"] == OPEN_WAVES[-4:]
    assert last_four.provenance["waves"] == OPEN_WAVES[-4:]
    assert profile.provenance["operation"] == "profile"


def test_what_may_not_be_used_is_left_out(client: Client) -> None:
    frame = client.profile(YOUNG).to_frame()
    assert "secret" not in set(frame["question"])
    assert not {"s2_3", "q4_3"} & set(frame["datapoint"])


def test_questions_may_be_chosen_by_code_by_name_and_as_parts_of_the_catalogue(
    client: Client,
) -> None:
    def asked(questions: Any) -> list[str]:
        return list(dict.fromkeys(client.profile(YOUNG, questions).to_frame()["question"]))

    catalogue = client.catalogue
    assert asked(["sport.q9", "Gender", "core.q2"]) == ["sport.q9", "q2"]
    assert asked(catalogue.tree["Demographics"]) == ["q2", "q4"]
    assert asked([catalogue["Age"]]) == ["q4"]
    assert asked(catalogue) == ["s2", "q2", "q4", "q20", "sport.q9"]
    assert asked(catalogue["q4"]) == ["q4"]
    found = client.profile(YOUNG, catalogue.search("cinema")).to_frame()
    assert found[["question", "datapoint"]].to_numpy().tolist() == [["q20", "q20_2"]]


def test_what_cannot_be_asked_for_is_told_before_anything_is_counted(client: Client) -> None:
    with fails(UnknownCodeError):
        client.profile(YOUNG, ["Gendr"])
    with fails(UnknownCodeError):
        client.profile(YOUNG, [client.catalogue["secret"]])
    (closed,) = Catalogue([Question("q4", "core", "Age", accessible=False)])
    with fails(UnknownCodeError):
        client.profile(YOUNG, [closed])
    with fails(ValueError):
        client.profile(YOUNG, [])
    with fails(TypeError):
        client.profile(YOUNG, 4)
    with fails(TypeError):
        client.profile(YOUNG, ["q2", 4])
    with fails(TypeError):
        client.profile("q2")
    with fails(TypeError):
        client.profile(YOUNG, ["q2"], WOMEN)


def test_the_questions_of_the_audience_itself_are_known_by_any_of_their_codes(
    client: Client,
) -> None:
    audience = Audience("Mixed", And((Q("core.q4").any("q4_1"), ~Q("sport.q9").any("q9_1"))))
    profile = client.profile(audience)
    assert {point.question for point in profile.points if point.own} == {"q4", "sport.q9"}
    assert not set(profile.ranked(min_sample=1)["question"]) & {"q4", "sport.q9"}
    assert "q4" in set(profile.ranked(min_sample=1, own=True)["question"])


def test_a_nameless_audience_is_named_by_its_words(client: Client) -> None:
    assert client.profile(WOMEN, ["q4"]).audience.name == "Gender is Female"


def test_an_answer_as_long_as_a_page_is_asked_for_by_its_beginning(client: Client) -> None:
    question = client.catalogue["q2"]
    longer = question.record.__replace__(
        datapoints=[each.__replace__(name="W" * 30_000) for each in question.datapoints]
    )
    asked = type(question)(longer, question.code, question.canonical)
    profile = client.profile(YOUNG, [asked])
    assert profile.complete
    assert set(profile.to_frame()["datapoint_label"]) == {"W" * 30_000}
    assert max(len(row.name) for row in profile.table.rows) == 200


def test_the_order_of_the_catalogue_changes_neither_figures_nor_ranks(demo: Client) -> None:
    audience = Audience("Viewers", Q("media.m4").at_least(4))
    questions = list(demo.catalogue)
    profile = demo.profile(audience, questions)
    backwards = demo.profile(audience, questions[::-1])
    assert figures(profile) == figures(backwards)
    rankings: tuple[Ranking, ...] = ("index", "difference", "surprise")
    for by in rankings:
        keys = [
            list(zip(frame["question"], frame["datapoint"], strict=True))
            for frame in (each.ranked(by, 1_000) for each in (profile, backwards))
        ]
        assert keys[0] == keys[1]
    assert profile.by_question().equals(backwards.by_question())


def test_progress_is_told_from_the_first_answer_to_the_last(client: Client) -> None:
    told: list[tuple[int, int]] = []
    profile = client.profile(YOUNG, progress=lambda done, of: told.append((done, of)))
    assert told[-1] == (profile.expected, profile.expected)
    assert client.profile(YOUNG, progress=True).complete
