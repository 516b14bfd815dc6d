"""Coverage is read off the service, and is what the service goes by."""

from __future__ import annotations

from pathlib import Path

import pytest

from audiencelab.client import AccessDenied, Client, InvalidRequest, connect
from audiencelab.expressions import Audience, Expression, Q
from tests.messages import fails
from tests.service.surveys import OPEN_WAVES, SPORT_WAVES

MEN, FOOTBALL = Q("q2").any("q2_1"), Q("sport.q9").any("q9_1")

AUDIENCES = [MEN, FOOTBALL, ~FOOTBALL, MEN & FOOTBALL, MEN | FOOTBALL]


@pytest.mark.parametrize("expression", AUDIENCES, ids=lambda each: each.to_code())
def test_the_waves_that_count_are_those_of_the_services_own_rows(
    client: Client, expression: Expression
) -> None:
    by_wave = client.stats("s2", audiences=[expression])
    assert client.coverage(expression).counted == by_wave.waves


def test_waves_that_asked_a_part_are_named(client: Client) -> None:
    found = client.coverage(Audience("Men or football", MEN | FOOTBALL))
    assert found.waves == tuple(OPEN_WAVES)
    assert found.whole == SPORT_WAVES
    assert found.mixed == tuple(wave for wave in OPEN_WAVES if wave not in SPORT_WAVES)
    assert found.to_frame()["question_label"].unique().tolist() == ["Gender", "Sports"]


def test_in_a_mixed_wave_the_audience_is_the_smaller_part_alone(client: Client) -> None:
    either = Audience("Either", MEN | FOOTBALL, "either")
    asked = client.stats("s2", splitter="waves", audiences=[either, Audience("Men", MEN, "men")])
    sizes = asked.to_wide("column_size").iloc[0].unstack()
    alike = {wave for wave in sizes.index if sizes.loc[wave, "Either"] == sizes.loc[wave, "Men"]}
    named = client.coverage(either)
    assert alike == {named.labels[wave] for wave in named.mixed}


def test_an_expression_is_called_by_its_words_and_everyone_rests_on_every_wave(
    client: Client,
) -> None:
    assert client.coverage(MEN).audience.name == "Gender is Male"
    assert client.coverage(Audience("All")).counted == tuple(OPEN_WAVES)


def test_a_record_answers_again(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "asked.audiencelab.jsonl"
    with client.recording(path):
        told = client.coverage(MEN | FOOTBALL)
        shown = client.grid("q20")
    with connect(snapshot=path) as replayed:
        assert replayed.coverage(MEN | FOOTBALL).to_frame().equals(told.to_frame())
        assert replayed.grid("q20").to_wide().equals(shown.to_wide())


def test_what_cannot_be_is_refused(client: Client) -> None:
    with fails(TypeError):
        client.coverage("q2")  # type: ignore[arg-type]  # a code is the likeliest slip
    with pytest.raises(InvalidRequest):
        client.coverage(Q("q99").any())
    with pytest.raises(AccessDenied):
        client.coverage(Q("secret").any())
