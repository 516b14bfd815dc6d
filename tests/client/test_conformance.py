"""One set of cases for all ten operations, the same through every transport.

Each case asks a client and gives back plain values: figures, frames, errors with their pointers.
What the embedded service answers in process is what every other transport has to answer.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import pytest

from audiencelab.client import RequestError, UnknownCodeError
from audiencelab.expressions import Audience, Q
from audiencelab.schema import ChartAttribute, Image, Insight, SavedAudience
from audiencelab.survey import InsightRecord, Survey
from tests.client.every_transport import TRANSPORTS, through
from tests.service.surveys import build_survey

MEN = Audience("Men", Q("q2").any("q2_1"), id="men")
RADIO = Q("q20", suffixes=[1, 2]).any("q20_1")
FANS = "2f1b9f3e-63a2-4b1e-9a52-6a1f3d5a7c10"
NOWHERE = "00000000-0000-0000-0000-000000000000"

Case = Callable[[Any], Any]
CASES: dict[str, Case] = {}


def case(ask: Case) -> Case:
    CASES[ask.__name__] = ask
    return ask


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    return build_survey(
        tmp_path_factory.mktemp("conformance") / "survey",
        saved_audiences=[
            SavedAudience(FANS, name="Fans", expression=Q("q20").any("q20_1").to_wire("saved"))
        ],
        insights=[
            InsightRecord(
                Insight(number, f"Insight {number % 7}", images=[Image(number, is_main=True)]),
                type=("report", "chart", "infographic")[number % 3],
                categories=(11, 2)[: 1 + number % 2],
                is_trending=number % 4 == 0,
                published_at=f"2023-{1 + number % 12:02d}-01T00:00:00Z",
                popularity=float(number % 5),
            )
            for number in range(1, 24)
        ],
    )


def plain(value: Any) -> Any:
    """What a case gives, as values that compare: frames by their columns, types and figures."""
    if isinstance(value, pd.DataFrame):
        kinds = {name: str(kind) for name, kind in value.dtypes.items()}
        return kinds, [list(map(repr, column)) for _, column in value.items()]
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def refused(ask: Callable[[], object]) -> Any:
    """The error, as what a caller can act on: kind, place, status and every fault."""
    with pytest.raises((RequestError, UnknownCodeError)) as caught:
        ask()
    error = caught.value
    if isinstance(error, UnknownCodeError):
        return type(error).__name__, str(error)
    faults = sorted((fault.pointer, fault.detail) for fault in error.faults)
    return type(error).__name__, error.method, error.status, faults


@case
def questions_by_code_and_all_of_them(client: Any) -> Any:
    include = ["datapoints", "categories", "taxonomy_paths"]
    with pytest.raises(UnknownCodeError, match=r"core\.q99"):
        client.questions.filter(["q99", "q4"])
    return [
        client.questions.filter(include=include),
        client.questions.filter(["sport.q9", "q2"]),
    ]


@case
def one_question(client: Any) -> Any:
    return [
        client.questions.get("q4", include=["datapoints", "categories"]),
        refused(lambda: client.questions.get("q99")),
        refused(lambda: client.questions.get("q4", include=["nothing"])),
    ]


@case
def one_category(client: Any) -> Any:
    include = ["children", "lineage", "attribute_count", "datasets", "descendant_attributes"]
    return [
        client.categories.get("1", include=include),
        refused(lambda: client.categories.get("x")),
    ]


@case
def stats(client: Any) -> Any:
    by_wave = client.stats("q4", splitter="waves", audiences=[MEN, ~RADIO], base_audience=RADIO)
    narrow = client.stats(
        "q20",
        datapoints=["q20_2"],
        suffixes=[1, 3],
        splitter="q4",
        segments=["q4_2", "q4_1"],
        segmented_base=True,
        locations=["s2_1"],
        waves=["q1_2023", "q3_2023"],
    )
    return [
        by_wave.to_frame(),
        by_wave.to_wide(),
        by_wave.audiences[1].name,
        narrow.to_frame(),
        client.stats("sport.q9", waves=["q1_2023"]).to_frame(),
    ]


@case
def overlap(client: Any) -> Any:
    named = client.overlap([MEN, RADIO, Q("sport.q9").any("q9_1")], base_audience=RADIO)
    narrow = client.overlap([MEN, ~RADIO], waves=["q1_2023", "q3_2023"], locations=["s2_1"])
    return [
        *(each.to_frame() for each in (named, narrow)),
        [(each.names, each.notes, each.provenance["waves"]) for each in (named, narrow)],
        refused(lambda: client.overlap([MEN, Q("q2").any("q2_9")])),
    ]


@case
def stats_refused(client: Any) -> Any:
    return [
        refused(
            lambda: client.stats(
                "q4",
                audiences=[Q("q2").any("q2_9"), MEN],
                base_audience=Q("nowhere").any(),
            )
        ),
        refused(lambda: client.stats("q4", waves=["never"])),
        refused(lambda: client.stats("secret")),
    ]


@case
def crosstab(client: Any) -> Any:
    table = client.crosstab(
        rows=[MEN, RADIO, ~RADIO],
        columns=client.catalogue.audiences("q20"),
        base_audience=Q("q4").any("q4_1", "q4_2"),
        waves=["q3_2023", "q4_2023"],
        locations=["s2_2"],
    )
    one_sided = client.crosstab(rows=[MEN, Q("sport.q9").any("q9_1")])
    return [
        table.to_frame(),
        [audience.name for audience in table.rows],
        table.to_wide("column_percentage"),
        one_sided.to_frame(),
        client.crosstab().to_frame(),
        refused(lambda: client.crosstab(rows=[Q("q2").any("q2_7")], locations=["s2_3"])),
    ]


@case
def a_crosstab_as_it_comes(client: Any) -> Any:
    audiences = [MEN.renamed(f"Audience {place}") for place in range(50)]
    seen: list[tuple[int, int]] = []
    client.crosstab(rows=audiences, columns=[MEN], progress=lambda *told: seen.append(told))
    stream = client.crosstab_stream(rows=audiences, columns=audiences)
    updates = list(stream)
    return [
        seen[-1],
        sum(len(update.rows) for update in updates),
        updates[-1].arrived,
        stream.result.to_frame(),
    ]


@case
def a_profile(client: Any) -> Any:
    stream = client.profile_stream(MEN, base_audience=RADIO)
    arrived = [update.arrived for update in stream]
    stream.close()
    assert (arrived[0], arrived[-1]) == (0, stream.result.expected)
    profile = client.profile(MEN, ["sport.q9", "Age"], waves=["q3_2023", "q4_2023"])
    return [
        stream.result.to_frame(),
        profile.to_frame(),
        profile.ranked(min_sample=1, min_base=1),
        client.quantile_groups("q2", 2, waves=["q4_2023"]).to_frame(),
        refused(lambda: client.profile(MEN, ["q2"], waves=["never"])),
        refused(lambda: client.profile(Q("q2").any("q2_9"))),
    ]


@case
def what_the_client_reads_off(client: Any) -> Any:
    return [
        [(wave.code, wave.name, wave.sample, wave.size) for wave in client.waves()],
        [(each.code, each.name) for each in client.locations()],
        [each.code for each in client.catalogue.search("daily radio male")],
        client.catalogue.to_frame(),
    ]


@case
def a_request_written_out(client: Any) -> Any:
    answer = client.request("GET", "/v2/questions/core.q2", query={"include": "datapoints"})
    asked = client.request("POST", "/v2/query/stats", json={"question": "q2"})
    lost = refused(lambda: client.request("GET", "/v2/questions/core.q99"))
    return [answer.status, answer.json(), asked.json(), lost]


def chart(client: Any, **more: Any) -> Any:
    return client.charts.create(
        "Media",
        attributes=[("q20", "q20_1", "1"), client.catalogue["Gender"], ("sport.q9", "q9_2")],
        audiences=[MEN, RADIO],
        **more,
    )


@case
def a_chart_created_updated_and_calculated(client: Any) -> Any:
    made = chart(client, splitter="waves", waves=["q3_2023", "q4_2023"])
    first = client.charts.calculate(made.id)
    assert (
        client.charts.update(made.id, name="Media use", splitter=None, locations=["s2_1"])
        == made.id
    )
    second = client.charts.calculate(made.id)
    names = ("group_id", "question", "datapoint", "suffix", "audience_name")
    return [
        len(made.audience_replacements),
        [without_ids(each.to_frame()) for each in (first, second)],
        [second.name, len(second.failures), second.complete],
        [list(second.to_frame()[name].astype(str)) for name in names],
    ]


def without_ids(frame: pd.DataFrame) -> pd.DataFrame:
    """A chart's frame without the ids that a service makes at random."""
    return frame.drop(columns="audience")


@case
def a_chart_of_which_a_part_fails(client: Any) -> Any:
    made = client.charts.create(
        "Partly",
        # As on the wire, and so as they are: by codes, what is wrong is told when a chart is made.
        attributes=[
            ChartAttribute(datapoint, "core", question)
            for question, datapoint in (
                ("q2", "q2_1"),
                ("q99", "q99_1"),
                ("secret", "secret_1"),
                ("q2", "q2_9"),
            )
        ],
    )
    result = client.charts.calculate(made.id)
    assert [group.group_id for group in result.failures] == [1, 2, 3]
    return [result.to_frame(), [(group.code, group.error_type) for group in result]]


@case
def charts_refused(client: Any) -> Any:
    made = chart(client)
    return [
        refused(lambda: client.charts.create("")),
        refused(lambda: client.charts.create("x", color=4, sort_type="first")),
        refused(lambda: client.charts.update(NOWHERE, name="x")),
        refused(lambda: client.charts.update(made.id, segmented_base="yes")),
        refused(lambda: client.charts.calculate(NOWHERE)),
    ]


@case
def a_saved_audience_updated(client: Any) -> Any:
    renamed = client.audiences.update(FANS, name="Regulars", shared=True, position=1.5)
    changed = client.audiences.update(FANS, expression=RADIO & MEN.expression, flags=["curated"])
    again = client.audiences.update(FANS, expression=Audience("Men", MEN.expression))
    table = client.crosstab(rows=[changed.to_audience()], columns=[again.to_audience()])
    return [[plain_saved(each) for each in (renamed, changed, again)], table.to_frame()]


def plain_saved(audience: SavedAudience) -> Any:
    """A saved audience but for the moment of its change."""
    return {**msgspec.to_builtins(audience), "updated_at": bool(audience.updated_at)}


@case
def saved_audiences_refused(client: Any) -> Any:
    return [
        refused(lambda: client.audiences.update(NOWHERE, name="x")),
        refused(lambda: client.audiences.update(FANS, flags=["sealed"])),
        refused(lambda: client.audiences.update(FANS, folder=1, folder_id=NOWHERE)),
        refused(lambda: client.audiences.update(FANS, expression=Q("q2").any("q2_9"))),
    ]


@case
def insights_in_pages(client: Any) -> Any:
    ordered = [
        [each.id for each in client.insights.all(order_by=key, order=order, page_size=5)]
        for key in ("name", "published_at", "popularity", "id")
        for order in ("asc", "desc")
    ]
    assert all(sorted(ids) == list(range(1, 24)) for ids in ordered)
    page = client.insights.filter(types=["chart"], categories=["11"], is_trending=False, limit=3)
    return [
        ordered,
        page,
        page.to_frame(),
        repr(client.insights.filter(offset=20, order_by="id", order="asc")),
        client.insights.filter(offset=1_000),
        refused(lambda: client.insights.filter(types=["song"], order="up")),
    ]


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """What the first transport answers, by case, as each is first asked for."""
    return {}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_every_transport_answers_alike(
    transport: str, name: str, survey: Survey, answers: dict[str, Any], tmp_path: Path
) -> None:
    ask = CASES[name]
    if name not in answers:
        with through(TRANSPORTS[0], survey, ask, tmp_path) as client:
            answers[name] = plain(ask(client))
    with through(transport, survey, ask, tmp_path) as client:
        assert plain(ask(client)) == answers[name]
