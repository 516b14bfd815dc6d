"""A default belongs to the survey: every way to it counts the same people in the same waves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.cli import main
from audiencelab.client import InvalidResponse
from audiencelab.client.context import ClientContext
from audiencelab.client.options import EMBEDDED
from audiencelab.schema.http import BASE_OF, SURVEY_SCOPE, Request, Response
from audiencelab.survey import Survey
from tests.assistants.test_tools import ask
from tests.messages import fails

TOKEN = "doors"


def answers() -> pd.DataFrame:
    """Three waves; the sector is asked of those who work, and who refuses has no answer."""
    at = np.arange(900)
    works = at % 3 != 0
    sector = np.where(at % 4 == 0, "public", "private").astype(object)
    sector[~works] = None
    return pd.DataFrame(
        {
            "wave": np.repeat(["w1", "w2", "w3"], 300),
            "works": np.where(works, "yes", "no"),
            "sector": sector,
        }
    )


EXPECTED = 100 * (answers()["sector"] == "public").sum() / answers()["sector"].notna().sum()
"""Percent of those who have a sector, in all waves."""


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    folder = tmp_path_factory.mktemp("doors") / "survey"
    return al.open(answers(), to=folder, quiet=True).service.survey


@pytest.fixture(scope="module")
def url(survey: Survey) -> Iterator[str]:
    with al.serve(survey, token=TOKEN) as url:
        yield url


def share(client: al.Client, **given: Any) -> tuple[float, int, str]:
    """The share of the public sector, its waves and who counted, as a result says it."""
    table = client.crosstab(client["sector"] == "public", **given)
    asked = table.asked
    assert asked is not None
    value = table.values("column_percentage")[0, 0]
    return round(float(value), 6), len(asked.scope.waves or ()), asked.scope.base_of


AS_THE_SURVEY_SAYS = (round(float(EXPECTED), 6), 3, "valid")
OF_EVERYONE = round(100 * float((answers()["sector"] == "public").mean()), 6)


def test_every_way_to_a_survey_counts_the_same(survey: Survey, url: str, tmp_path: Path):
    recorded = al.connect(survey=survey)
    file = tmp_path / "doors.audiencelab.jsonl"
    with recorded.recording(file):
        assert share(recorded) == AS_THE_SURVEY_SAYS
    for client in (
        al.open(survey),
        al.connect(url, token=TOKEN),
        al.connect(snapshot=file),
        al.open(file),
    ):
        with client:
            assert share(client) == AS_THE_SURVEY_SAYS
            assert (client.default_base_of, client.default_waves) == ("valid", "all")


@pytest.mark.slow
def test_several_workers_count_the_same(survey: Survey):
    with (
        al.serve(survey.path, workers=2) as url,
        al.connect(url) as one,
        al.open(url) as other,
    ):
        for client in (one, other, one, other):
            assert share(client) == AS_THE_SURVEY_SAYS


def test_the_command_line_counts_the_same(survey: Survey, capsys: pytest.CaptureFixture[str]):
    assert main(["crosstab", str(survey.path), "--rows", "sector"]) == 0
    assert f"{EXPECTED:.1f}" in capsys.readouterr().out


def test_assistants_count_the_same(survey: Survey):
    client = al.connect(survey=survey)
    answer = ask(client, "describe_question", question="sector")
    assert f"| public | {EXPECTED:.1f}% |" in answer["table"]
    assert answer["base"] == "those who answered sector, n = 600"
    answer = ask(client, "crosstab", rows=["sector"], columns=["works"])
    assert f"{EXPECTED:.1f}" in answer["table"]


def test_a_client_and_a_call_may_count_others(survey: Survey, url: str):
    for client in (
        al.connect(survey=survey, base_of="everyone"),
        al.connect(url, token=TOKEN, base_of="everyone"),
        al.open(survey, base_of="everyone"),
        al.connect(survey=survey).with_options(base_of="everyone"),
    ):
        with client:
            assert share(client) == (OF_EVERYONE, 3, "everyone")
            assert share(client, base_of="valid", waves="latest 2")[1:] == (2, "valid")
            assert share(client.with_options(base_of=None)) == AS_THE_SURVEY_SAYS


def test_the_server_may_say_it_in_place_of_the_survey(survey: Survey):
    with (
        al.serve(survey, token=TOKEN, base_of="everyone") as url,
        al.connect(url, token=TOKEN) as client,
    ):
        assert share(client) == (OF_EVERYONE, 3, "everyone")


def test_code_gives_the_same_client(survey: Survey):
    client = al.connect(survey=survey)
    assert "base_of" not in client.to_code()
    assert "waves" not in client.to_code()
    assert "base_of='everyone'" in client.with_options(base_of="everyone").to_code()


def test_a_survey_without_a_record_counts_as_before():
    client = al.connect()
    assert (client.default_base_of, client.default_waves) == ("everyone", None)
    assert client.crosstab("Gender").asked.scope.waves is None  # pyright: ignore[reportOptionalMemberAccess]


def test_names_of_waves_come_over_http(survey: Survey, url: str):
    names = [each.name for each in al.connect(survey=survey).waves()]
    with al.connect(url, token=TOKEN) as client:
        assert [each.name for each in client.waves()] == names
        assert [row.name for row in client.crosstab("waves").rows] == names


class Forgetful:
    """Passes requests on, and forgets a header of the answers."""

    def __init__(self, inner: Any, header: str) -> None:
        self._inner, self._header = inner, header
        self.secrets = inner.secrets
        self.sent: list[Request] = []

    def send(self, request: Request, timeout: Any = None) -> Response:
        self.sent.append(request)
        answer = self._inner.send(request)
        kept = {name: each for name, each in answer.headers.items() if name != self._header}
        return replace(answer, headers=kept)

    def close(self) -> None: ...


def through(survey: Survey, header: str) -> tuple[al.Client, Forgetful]:
    """A client of a service elsewhere whose answers lack a header."""
    transport = Forgetful(al.connect(survey=survey).transport, header)
    return al.Client(transport, ClientContext("https://example.org"), EMBEDDED), transport


def test_an_answer_that_does_not_repeat_it_is_not_taken(survey: Survey):
    client, _ = through(survey, BASE_OF)
    for call in (client.crosstab, client.stats, client.size):
        with fails(InvalidResponse):
            call("sector")
    assert share(client, base_of="everyone")[0] == OF_EVERYONE
    with fails(InvalidResponse):
        client.request("POST", "/v2/query/crosstab", json={"base_of": "valid"})


def test_a_service_of_an_earlier_version_counts_everyone(survey: Survey):
    client, transport = through(survey, SURVEY_SCOPE)
    assert share(client)[0] == OF_EVERYONE
    assert not any(b"base_of" in each.body for each in transport.sent)
    assert client.counts_valid


class Busy(Forgetful):
    """A service whose catalogue comes with the second request for it."""

    def send(self, request: Request, timeout: Any = None) -> Response:
        is_first = not self.sent
        answer = super().send(request)
        return replace(answer, status=503, body=iter(())) if is_first else answer


def test_a_catalogue_that_comes_late_does_not_change_who_counts(survey: Survey):
    public = al.connect(survey=survey)["sector"] == "public"
    transport = Busy(al.connect(survey=survey).transport, "")
    client = al.Client(transport, ClientContext("https://example.org"), EMBEDDED)
    found = client.stats("sector", audiences=[public.named("Public")])
    assert found.asked is not None
    assert (found.asked.scope.base_of, len(found.asked.scope.waves or ())) == ("valid", 3)
    assert [each.path for each in transport.sent].count("/v3/questions/filter") == 2
