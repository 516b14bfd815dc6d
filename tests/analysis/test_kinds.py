"""Whether answers are added up goes by the kind of their question, not by what they come to."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import numpy as np
import pytest

from audiencelab import Audience, Client, Q, any_of, connect, serve
from audiencelab.analysis.disjointness import OverlappingAnswers, separate
from audiencelab.schema import Datapoint, Value
from audiencelab.survey import Answers, SurveyBuilder, SurveyCatalogue, SurveyQuestion, SurveyWave
from tests.messages import fails


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """100 people: 50 drink tea, 50 coffee, 20 both; one did not say how old they are."""
    place = np.arange(100)
    questions = (
        _question("where", "single", "Here"),
        _question("drinks", "multiple", "Tea", "Coffee"),
        _question("age", "single", "Young", "Middle", "Old"),
    )
    answers = {
        "where": Answers(np.zeros(100, int)),
        "drinks": Answers(np.stack([place < 50, (place >= 30) & (place < 80)], axis=1)),
        "age": Answers(np.where(place == 0, -1, place % 3)),
    }
    catalogue = SurveyCatalogue(questions=questions, location_question="core.where")
    with SurveyBuilder(tmp_path_factory.mktemp("kinds") / "survey", catalogue) as builder:
        wave = SurveyWave("w1", "Wave 1", date(2020, 1, 1), date(2020, 3, 31), True)
        builder.add_wave(wave, np.ones(100), answers)
        survey = builder.finish()
    with connect(survey=survey) as client:
        yield client


def _question(code: str, kind: str, *names: str) -> SurveyQuestion:
    points = tuple(
        Datapoint(code=f"{code}_{place}", name=name, midpoint=Value(value=float(10 * place)))
        for place, name in enumerate(names, 1)
    )
    return SurveyQuestion(
        namespace_code="core", code=code, name=code, kind=kind, datapoints=points, suffixes=()
    )


ANY = {"Any": ["drinks_1", "drinks_2"]}


def test_a_net_of_a_multiple_question_is_refused_though_its_sums_agree(client: Client) -> None:
    drinks = client.stats("drinks")
    assert sum(row.metrics.positive_sample for row in drinks) == 100
    for disjoint in (False, True):
        with fails(OverlappingAnswers):
            drinks.nets(ANY, disjoint=disjoint)
        with fails(OverlappingAnswers):
            drinks.rebased_to_answered(disjoint=disjoint)
        with fails(OverlappingAnswers):
            drinks.averages({"drinks_1": 1.0}, disjoint=disjoint)
        with fails(OverlappingAnswers):
            client.quantile_groups("drinks", 2, disjoint=disjoint)
    whole = Audience("Any", Q("drinks").any("drinks_1", "drinks_2"))
    assert client.crosstab(rows=[whole]).values("percentage")[0, 0] == 80


def test_a_single_question_that_one_person_left_out_is_added_up(client: Client) -> None:
    age = client.stats("age")
    assert age.kind == "single"
    [net] = [
        row for row in age.nets({"Any": ["age_1", "age_2", "age_3"]}) if row.datapoint == "Any"
    ]
    assert net.metrics.positive_sample == 99
    assert age.averages(client.catalogue["age"])["answered_sample"].tolist() == [99]
    assert len(client.quantile_groups("age", 3)) == 3
    table = client.crosstab(rows=client.catalogue["age"].audiences())
    assert table.nets({"Not old": ["Young", "Middle"]}).values("sample")[-1, 0] == 66


def test_a_net_within_heads_is_added_up_where_its_rows_exclude_each_other(client: Client) -> None:
    tea = Q("drinks").any("drinks_1")
    rows = [Audience(name, tea & Q("age").any(f"age_{n}")) for n, name in enumerate("YM", 1)]
    table = client.crosstab(rows=rows)
    assert table.nets({"Not old": ["Y", "M"]}).values("sample")[-1, 0] == 33


def test_a_service_says_the_kind_to_remote_clients(client: Client) -> None:
    service = client.sender.context.service
    assert service is not None
    with serve(service.survey, token="t") as url, connect(url, token="t") as remote:
        assert remote.stats("age").kind == "single"
        with fails(OverlappingAnswers):
            remote.stats("drinks").nets(ANY)


def test_what_two_audiences_ask_says_whether_they_can_share_anybody() -> None:
    kinds = {"age": "single", "drinks": "multiple"}
    young, old = Q("age").any("age_1"), Q("age").any("age_3")
    tea, coffee = Q("drinks").any("drinks_1"), Q("drinks").any("drinks_2")
    either = Q("drinks").any("drinks_1", "drinks_2")
    assert separate(young, old, kinds)
    assert separate(young & tea, coffee & old, kinds)
    assert separate((young & tea) | old, Q("age").any("age_2"), kinds)
    assert separate(tea, ~either, kinds)
    assert separate(~tea, tea, kinds)
    assert not separate(tea, coffee, kinds)
    assert not separate(~tea, either, kinds)
    assert not separate(~young, ~old, kinds)
    assert not separate(young, Q("age").any("age_1", "age_3"), kinds)
    assert not separate(young, old, {})
    assert not separate(young, tea, kinds)
    assert not separate(~(young & tea), old, kinds)
    assert not separate(old, ~any_of(young, tea & young), kinds)
