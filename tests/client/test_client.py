"""The operations in process; `test_conformance` holds every transport to the same answers."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from audiencelab.client import (
    Client,
    CrosstabUpdate,
    UnknownCodeError,
    connect,
)
from audiencelab.client.chart_fields import ChartNames
from audiencelab.expressions import Audience, Q
from audiencelab.service import Request, Response
from audiencelab.survey import Survey
from audiencelab.tables import CrosstabResult
from tests.client.between import between
from tests.messages import fails
from tests.service.surveys import OPEN_WAVES

MEN = Audience(name="Men", expression=Q("q2").any("q2_1"))
RADIO = Q("q20", suffixes=[1, 2]).any("q20_1")


def test_the_question_filter_gives_typed_questions(client: Client) -> None:
    answer = client.questions.filter(include={"datapoints": True})
    by_code = {question.code: question for question in answer.questions}
    assert by_code["q4"].namespace_code == "core"
    assert by_code["q4"].datapoints is not None
    assert [datapoint.code for datapoint in by_code["q4"].datapoints] == ["q4_1", "q4_2", "q4_3"]
    assert client.questions.filter(["q2"]).questions[0].datapoints is None


def test_questions_asked_for_by_code_must_all_come(client: Client) -> None:
    found = client.questions.filter(["q4", "sport.q9"])
    assert [(each.namespace_code, each.code) for each in found.questions] == [
        ("core", "q4"),
        ("sport", "q9"),
    ]
    # What is meant is only named where the catalogue is loaded already, perhaps by another test.
    with pytest.raises(UnknownCodeError, match=r"no question 'core\.q99', or does not") as caught:
        client.questions.filter(["q4", "q99"])
    assert caught.value.codes == ("core.q99",)


def test_stats_by_wave_and_audience(client: Client) -> None:
    result = client.stats(
        "q20", suffixes=[1, 2], splitter="waves", audiences=[MEN, ~MEN.expression]
    )
    assert result.segments == tuple(OPEN_WAVES)
    assert [audience.name for audience in result.audiences] == ["Men", "Gender is not Male"]
    assert len(result) == 2 * len(OPEN_WAVES) * 2
    assert result.labels.question == "Media used"
    assert repr(result) == (
        "<StatsResult q20: 2 datapoints × 5 segments × 2 audiences, 20 rows, "
        "5 waves: Q4 2022 to Q4 2023, weighted>"
    )


def test_a_crosstab_has_the_figures_of_separate_stats(client: Client) -> None:
    waves = ["q3_2023", "q4_2023"]
    table = client.crosstab(rows=[MEN], columns=client.catalogue.audiences("sport.q9"), waves=waves)
    stats = client.stats(question="sport.q9", audiences=[MEN], waves=waves)
    rows = {row.datapoint: row.metrics for row in stats}
    for column, audience in enumerate(table.columns):
        metrics = rows[audience.expression.datapoints[0]]
        assert table.values("sample")[0, column] == metrics.positive_sample
        assert table.values("size")[0, column] == pytest.approx(metrics.positive_size)
        assert table.values("row_percentage")[0, column] == pytest.approx(
            metrics.audience_percentage
        )
        assert table.values("column_percentage")[0, column] == pytest.approx(
            metrics.datapoint_percentage
        )
        assert table.values("index")[0, column] == pytest.approx(metrics.audience_index)


def test_a_side_that_is_not_given_is_the_base(client: Client) -> None:
    table = client.crosstab(rows=[MEN], base_audience=RADIO)
    assert table.shape == (1, 1)
    assert table.columns[0].name == table.base_audience.name
    assert table.values("column_size")[0, 0] == table.base_size
    assert client.crosstab().values("index")[0, 0] == 100


def many(client: Client, count: int) -> list[Audience]:
    """So many audiences that their table takes several chunks."""
    pool = [*client.catalogue.audiences("q2"), *client.catalogue.audiences("q20")]
    return [pool[place % len(pool)].renamed(f"Audience {place}") for place in range(count)]


def test_a_stream_can_be_called_off(client: Client) -> None:
    audiences = many(client, 250)
    stream = client.crosstab_stream(rows=audiences, columns=audiences)
    first: CrosstabUpdate = next(stream)
    stream.close()
    assert list(stream) == []
    assert 0 < first.arrived == stream.result.count < 62_500
    assert client.questions.get("q2").name == "Gender"


def test_several_threads_share_a_client(survey: Survey) -> None:
    with connect(survey=survey) as client, ThreadPoolExecutor(4) as pool:
        catalogues = {id(each) for each in pool.map(lambda _: client.catalogue, range(16))}
        assert len(catalogues) == 1

        def count(_: int) -> CrosstabResult:
            return client.crosstab(rows=[MEN], columns=client.catalogue.audiences("q20"))

        tables = list(pool.map(count, range(16)))
    first = tables[0].values("size")
    assert all(np.array_equal(first, table.values("size")) for table in tables)


def test_a_saved_audience_is_asked_about_as_it_stands(client: Client) -> None:
    saved = client.service.save_audience(MEN)
    table = client.crosstab(rows=[saved, MEN])
    assert table.rows[0] == Audience(MEN.name, MEN.expression, saved.id)
    assert table.values("size")[0] == table.values("size")[1] > 0
    chart = client.charts.create("Men", audiences=[saved])
    assert chart.audience_replacements == []
    (told,) = client.service.chart(chart.id).audiences or ()
    assert (told.id, told.name) == (saved.id, MEN.name)


def test_a_chart_is_calculated_with_its_names_in_a_later_session(
    survey: Survey, tmp_path: Path
) -> None:
    with connect(survey=survey, store=tmp_path / "kept.db") as first:
        chart = first.charts.create(
            "Radio", attributes=[("q2", "q2_1")], audiences=[MEN], splitter="q4"
        ).id
        before = first.charts.calculate(chart)
    with connect(survey=survey, store=tmp_path / "kept.db") as later:
        after = later.charts.calculate(chart)
    assert (after.name, set(after.audiences.values())) == ("Radio", {MEN.name})
    assert (after.name, after.audiences) == (before.name, before.audiences)
    assert after.segments == before.segments
    assert after.to_frame().equals(before.to_frame())


def test_a_calculation_does_not_claim_a_base_that_only_its_chart_knows(client: Client) -> None:
    chart = client.charts.create(
        "Radio", attributes=[("q2", "q2_1")], audiences=[MEN], base_audience=RADIO
    )
    told = client.charts.calculate(chart.id).to_frame().attrs
    assert told["chart"] == chart.id
    assert told["base_audience"] == told["locations"] == "as saved in the chart"


@pytest.mark.parametrize(
    "meta", [None, [], "x", {"name": 1}, {"name": None}, {"audiences": {}}, {"audiences": ["x"]}]
)
def test_a_calculation_whose_meta_is_of_another_form_keeps_the_names_known(meta: object) -> None:
    known = ChartNames("Mine", "q4", {"a": "Young"})
    assert known.with_names_of(meta) == known


def test_waves_and_locations_are_tuples_that_show_themselves(client: Client) -> None:
    waves, locations = client.waves(), client.locations()
    assert isinstance(waves, tuple)
    assert waves[0].code == OPEN_WAVES[0]
    assert all(type(wave.sample) is int for wave in waves)
    first = f"{waves[0].code}: {waves[0].name}, sample {waves[0].sample:,}, size"
    assert repr(waves).startswith(first)
    assert waves.to_frame()["code"].tolist() == OPEN_WAVES
    assert list(waves.to_frame()) == ["code", "name", "sample", "size"]
    assert f"{waves[0].sample:,}" in waves._repr_html_()
    assert repr(locations).splitlines()[0] == f"{locations[0].code}: {locations[0].name}"


def test_a_crosstab_under_way_shows_how_far_it_is(client: Client) -> None:
    with client.crosstab_stream(rows=[MEN], columns=[RADIO, MEN]) as stream:
        assert repr(stream) == "<CrosstabStream: 0 of 2 cells have arrived>"
        list(stream)
        assert repr(stream) == "<CrosstabStream: 2 of 2 cells have arrived>"


def test_an_expression_is_saved_under_its_own_words(client: Client) -> None:
    saved = client.service.save_audience(Q("q2").any("q2_1"))
    assert saved.name == saved.description == "Gender is Male"
    with fails(TypeError):
        client.service.save_audience("Men")  # type: ignore[arg-type] -- the slip is the test


def test_what_is_included_may_be_listed(client: Client) -> None:
    listed = client.questions.filter(["q2"], include=["datapoints"])
    assert listed == client.questions.filter(["q2"], include={"datapoints": True})
    assert repr(listed) == "<QuestionsAnswer: 1 question, as .questions>"


def test_waves_and_locations_are_read_off_operations_that_exist(client: Client) -> None:
    waves = client.waves()
    assert [wave.code for wave in waves] == OPEN_WAVES
    assert waves[0].name == "Q4 2022"
    assert {wave.sample for wave in waves} == {100}
    assert [(each.code, each.name) for each in client.locations()] == [
        ("s2_1", "North"),
        ("s2_2", "South"),
    ]


def test_a_name_costs_one_request_for_all_questions_and_is_never_asked_twice(
    survey: Survey, tmp_path: Path
) -> None:
    nameless = [Q("q2").any("q2_1") & RADIO, Q("q4").any("q4_1")]
    with connect(survey=survey) as fresh, fresh.recording(tmp_path / "asked.jsonl") as heard:
        fresh.crosstab(rows=nameless)
        assert len(heard) == 2
        fresh.stats("q20", suffixes=[1], splitter="q4", audiences=nameless)
        assert len(heard) == 3
        result = fresh.stats("q2")
        assert len(heard) == 4
    assert result.labels.question == "Gender"


def test_everyone_and_a_wave_have_names_without_a_request(survey: Survey, tmp_path: Path) -> None:
    with connect(survey=survey) as fresh, fresh.recording(tmp_path / "asked.jsonl") as heard:
        table = fresh.crosstab(rows=[Audience(), Q("waves").any("q1_2023")], waves=["q1_2023"])
        assert len(heard) == 1
        asked = fresh.stats("q2", audiences=[Audience()])
    assert [audience.name for audience in table.rows] == ["All", "wave is Q1 2023"]
    assert [audience.name for audience in asked.audiences] == ["All"]


def test_audiences_are_sent_by_the_names_they_are_shown_with(
    client: Client,
) -> None:
    sent: list[str] = []

    def listen(request: Request, answer: Callable[[], Response]) -> Response:
        if request.path == "/v2/query/crosstab":
            sent.extend(each["name"] for each in json.loads(request.body)["rows"])
        return answer()

    table = between(client, listen).crosstab(rows=[Audience(), Q("q2").any("q2_1"), MEN])
    assert sent == [each.name for each in table.rows] == ["All", "Gender is Male", "Men"]


def test_a_copy_goes_otherwise_and_shares_what_is_known(survey: Survey) -> None:
    with connect(survey=survey) as client:
        with client.with_options(deadline=5, retries=0, headers={"X-Team": "insight"}) as copy:
            assert copy.catalogue is client.catalogue
            again = copy.with_options(timeout=None, headers={"x-other": "1"})
            assert again.sender.options.headers == {"x-team": "insight", "x-other": "1"}
            assert (again.sender.options.deadline, again.sender.options.retries) == (5, 0)
        assert client.sender.options.headers == {}
        assert copy.questions.get("q2").name == "Gender"
    for closed in (client, copy):
        with fails(RuntimeError):
            closed.questions.get("q2")


def test_headers_given_are_sent_and_only_by_the_copy(client: Client) -> None:
    heard: list[str | None] = []

    def listen(request: Request, answer: Callable[[], Response]) -> Response:
        heard.append(request.headers.get("x-team"))
        return answer()

    listened = between(client, listen)
    listened.with_options(headers={"X-Team": "insight"}).questions.get("q2")
    listened.questions.get("q2")
    assert heard == ["insight", None]


def test_the_service_itself_is_at_hand_where_it_is_here(
    client: Client, distant: Client, survey: Survey
) -> None:
    assert client.service.survey is survey
    with fails(LookupError):
        _ = distant.service


def test_provenance_is_small_and_plain(client: Client) -> None:
    result = client.stats(question="q4", audiences=[MEN])
    attrs = result.to_frame().attrs
    assert attrs["question"] == "q4"
    assert attrs["waves"] == OPEN_WAVES
    assert len(json.dumps(attrs)) < 1_000


def test_a_catalogue_outlives_its_client_and_travels_without_it(survey: Survey) -> None:
    with connect(survey=survey) as client:
        catalogue = client.catalogue
        travelled = pickle.loads(pickle.dumps(catalogue))
    for each in (catalogue, travelled):
        assert each["Gender"].code == "q2"
        with fails(UnknownCodeError):
            each["secret"]


def test_a_copy_shows_how_it_goes_otherwise(client: Client, distant: Client) -> None:
    shown = repr(client)
    copy = client.with_options(deadline=5, headers={"X-Team": "insight"})
    assert repr(copy) == f"{shown[:-1]}, with deadline=5, headers x-team>"
    assert "insight" not in repr(copy), "a header may hold a secret"
    assert repr(distant.with_options(timeout=None, retries=0)).endswith("timeout=None, retries=0>")
    assert repr(client.with_options()) == shown


def test_what_cannot_be_included_is_told_with_what_can(client: Client) -> None:
    with fails(ValueError):
        client.questions.filter(["q2"], include=["answers"])


def test_a_result_without_rows_has_no_design_effects(client: Client) -> None:
    empty = client.stats("q2", datapoints=["q2_1"])
    with fails(ValueError):
        client.design_effects(replace(empty, rows=()))
