"""A result is of one version of the survey: it starts again where the survey changes meanwhile."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import audiencelab as al
from audiencelab import Audience, Q
from audiencelab.client import Client, RequestRefused
from audiencelab.client.errors import SurveyChanged
from audiencelab.client.snapshots.format import read
from audiencelab.schema.http import (
    IF_SURVEY_VERSION,
    SURVEY_VERSION,
    Request,
    Response,
    TransportError,
)
from audiencelab.survey import Survey, derive
from tests.messages import fails
from tests.service.asking import TOKEN
from tests.service.surveys import build_survey
from tests.service.test_new_version import NET, weighed

MEN, WOMEN = Audience("Men", Q("q2").any("q2_1")), Audience("Women", Q("q2").any("q2_2"))
NORTH, SOUTH = Audience("North", Q("s2").any("s2_1")), Audience("South", Q("s2").any("s2_2"))

QUERY = "/v2/query/"

Change = Callable[[Request], object]


@dataclass
class Meddling:
    """A transport that does something before the requests with these numbers, from 1.

    breaks: whether the first crosstab breaks after its first cells.
    strips: numbers of requests whose answers lose the version on the way; 0 are those for names.
    deaf: whether requests lose it.
    """

    inner: Any
    before: dict[int, Change] = field(default_factory=dict[int, Change])
    breaks: bool = False
    strips: Callable[[int], bool] = lambda number: False
    deaf: bool = False
    sent: list[Request] = field(default_factory=list[Request])
    secrets: tuple[()] = ()

    def send(self, request: Request, *given: Any) -> Response:
        asks = request.path.startswith(QUERY)
        self.sent += [request] * asks
        number = len(self.sent) * asks
        self.before.get(number, str)(request)
        if self.deaf:
            headers = {k: v for k, v in request.headers.items() if k != IF_SURVEY_VERSION}
            request = replace(request, headers=headers)
        answer = self.inner.send(request, *given)
        if self.strips(number):
            headers = {k: v for k, v in answer.headers.items() if k != SURVEY_VERSION}
            return replace(answer, headers=headers)
        if self.breaks and number == 1:
            return replace(answer, body=_broken(answer.read()))
        return answer

    def close(self) -> None:
        self.inner.close()


def _broken(body: bytes) -> Iterator[bytes]:
    yield body.splitlines(keepends=True)[0]
    raise TransportError("The connection broke.")


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    return weighed(build_survey(tmp_path_factory.mktemp("first") / "survey"), 0.2)


@pytest.fixture
def survey(first: Survey, tmp_path: Path) -> Survey:
    return Survey.open(shutil.copytree(first.path, tmp_path / "survey"))


@contextmanager
def connected(survey: Survey, over: str, **meddling: Any) -> Iterator[tuple[Client, Meddling]]:
    if over == "HTTP":
        with (
            al.serve(survey.path, token=TOKEN) as url,
            al.connect(url, token=TOKEN, http={"trust_env": False}) as client,
        ):
            yield client, meddled(client, **meddling)
    else:
        with al.connect(survey=survey.path) as client:
            yield client, meddled(client, **meddling)


def meddled(client: Client, **meddling: Any) -> Meddling:
    sender = client.sender
    sender.transport = made = Meddling(sender.transport, **meddling)
    return made


def changing(survey: Survey, *men: float) -> Change:
    """Makes the next version of a survey, in which so much of the weight is men's."""
    left = iter(men)
    return lambda request: weighed(survey, next(left))


def wave(code: str) -> Audience:
    return Audience(code, Q("waves").any(code))


RESULTS: dict[str, Callable[[Any], Any]] = {
    "profile": lambda client: client.profile(NORTH, ["q2", "s2"]),
    "tab book": lambda client: client.tab_book([NORTH, SOUTH], ["q2", "s2"])["Gender"],
    "overlap": lambda client: client.overlap(MEN, NORTH),
    "waves": lambda client: client.crosstab([MEN], [*map(wave, ("q3_2023", "q4_2023"))]),
}
"""Results of two and more requests of figures."""


pytestmark = pytest.mark.usefixtures("short_requests")


def figures(result: Any) -> Any:
    return result.to_frame().select_dtypes("number").to_numpy(float)


def asked_anew(survey: Survey, ask: Callable[[Any], Any]) -> Any:
    with al.connect(survey=survey.path) as client:
        return ask(client)


@pytest.mark.parametrize("over", ["HTTP", "in process"])
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_of_several_requests_is_of_the_version_that_came(
    survey: Survey, name: str, over: str
) -> None:
    ask = RESULTS[name]
    old = asked_anew(survey, ask)
    with connected(survey, over, before={2: changing(survey, 0.7)}) as (client, meddling):
        result = ask(client)
    new = asked_anew(survey, ask)
    assert not np.array_equal(figures(new), figures(old), equal_nan=True)
    np.testing.assert_array_equal(figures(result), figures(new))
    assert result.provenance["survey_version"] == new.provenance["survey_version"]
    assert len(meddling.sent) >= 4  # one, the refused one, and both again


@pytest.mark.parametrize("over", ["HTTP", "in process"])
def test_a_stream_that_broke_is_not_resumed_in_another_version(survey: Survey, over: str) -> None:
    def ask(client: Any) -> Any:
        return client.crosstab([MEN, WOMEN], [NORTH, SOUTH])

    old = asked_anew(survey, ask)
    meddling = {"breaks": True, "before": {2: changing(survey, 0.7)}}
    with connected(survey, over, **meddling) as (client, _):
        stream = client.crosstab_stream([MEN, WOMEN], [NORTH, SOUTH])
        abandoned = stream.result
        arrived = [(update.result is abandoned, update.arrived) for update in stream]
    assert arrived[:2] == [(True, 1), (False, 0)]
    assert arrived[-1] == (False, 4)
    np.testing.assert_array_equal(figures(stream.result), figures(asked_anew(survey, ask)))
    # What came of the old version stays what it was, and gets nothing of the new one.
    assert abandoned.count == 1
    assert abandoned.values("size")[0, 0] == old.values("size")[0, 0]
    assert abandoned.provenance["survey_version"] == old.provenance["survey_version"]


def test_a_survey_that_changes_with_each_request_is_an_error(survey: Survey) -> None:
    change = changing(survey, 0.3, 0.4, 0.5, 0.6)
    before = dict.fromkeys((2, 4, 6), change)
    with connected(survey, "in process", before=before) as (client, meddling):
        with fails(SurveyChanged) as caught:
            client.profile(NORTH, ["q2", "s2"])
        assert len(meddling.sent) == 6
        assert caught.value.status == 412
        # What follows is answered: the names of the last version are known.
        assert client.profile(NORTH, ["q2", "s2"]).table.complete


def test_progress_and_iterators_begin_again(survey: Survey) -> None:
    told: list[tuple[int, int]] = []
    meddling = {"breaks": True, "before": {2: changing(survey, 0.7)}}
    with connected(survey, "in process", **meddling) as (client, _):
        table = client.crosstab(
            iter([MEN, WOMEN]), iter([NORTH, SOUTH]), progress=lambda *now: told.append(now)
        )
    assert table.shape == (2, 2)
    assert told[0] == (1, 4)
    assert told[-1] == (4, 4)


def test_names_are_renewed_with_the_version(
    survey: Survey, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "audiencelab.client")
    with connected(survey, "HTTP") as (client, meddling):
        catalogue = client.catalogue
        client.stats("Gender")
        derive(survey, NET)
        assert client.catalogue is catalogue
        client.stats("Gender")
        assert client.catalogue is not catalogue
        assert client.stats("Everybody").question == "all"
        assert client.stats("q2").provenance["survey_version"]
    assert [each for each in caplog.messages if "has changed" in each] == [
        f"The survey of {client.sender.context} has changed: its names are requested again."
    ]
    # The refused one took one request more.
    assert len(meddling.sent) == 5


def test_rows_of_one_version_get_no_figures_of_the_next(survey: Survey) -> None:
    """The answers of a question are rows: those of the version that is counted."""
    with connected(survey, "HTTP") as (client, _):
        assert client.crosstab("Gender", [NORTH]).shape[0] == 2
        catalogue = client.catalogue
        assert "Everybody" not in [each.name for each in catalogue]
        derive(survey, NET)
        profile = client.profile(NORTH)
    assert "Everybody" in {point.question_label for point in profile.points}


def test_a_request_of_an_old_result_is_refused_by_the_new_version(survey: Survey) -> None:
    with connected(survey, "HTTP") as (client, meddling):
        table = client.crosstab([MEN], [NORTH])
        weighed(survey, 0.7)
        client.crosstab([MEN], [NORTH])
        asked = len(meddling.sent)
        sender = client.sender.holding(table.provenance["survey_version"])
        with fails(SurveyChanged) as caught:
            list(sender.crosstab(lambda *_: meddling.sent[-1], table.__class__([MEN], [NORTH])))
        assert len(meddling.sent) == asked + 1
        assert not isinstance(caught.value, RequestRefused)
        first, now = table.provenance["survey_version"], client.sender.context.version or ""
        assert f"it was {first[:8]}, and is {now[:8]}" in str(caught.value)


def test_a_table_is_tested_on_the_version_that_it_counted_or_not_at_all(survey: Survey) -> None:
    def ask(client: Client) -> Any:
        return client.crosstab([MEN, WOMEN], [NORTH, SOUTH])

    with connected(survey, "HTTP") as (served, _), al.connect(survey=survey.path) as own:
        kept = ask(own).test().to_frame()
        far, near = ask(served), ask(own)
        weighed(survey, 0.7)
        with fails(SurveyChanged):
            far.test()
        # The respondents are here, and those that were counted are held.
        assert near.test().to_frame().equals(kept)
        assert ask(served).test().to_frame().equals(ask(own).test().to_frame())


# -- services and proxies that say nothing of versions ---------------------------------------------


@pytest.mark.parametrize("strips", [lambda number: True, bool], ids=["everywhere", "figures"])
def test_a_service_that_names_no_version_gives_results_without_one(
    survey: Survey, strips: Callable[[int], bool]
) -> None:
    with connected(survey, "HTTP", strips=strips) as (client, meddling):
        result = client.profile(NORTH, ["q2", "s2"])
        client.crosstab([MEN], [NORTH])
    assert result.table.complete
    assert "survey_version" not in result.provenance
    asked = [IF_SURVEY_VERSION in each.headers for each in meddling.sent]
    # Where the catalogue has one, the first figures after it are asked for by it.
    assert asked == ([False] * 3 if strips(0) else [True, False, True])


def test_figures_without_a_version_do_not_join_those_that_have_one(survey: Survey) -> None:
    with (
        connected(survey, "HTTP", strips=lambda number: number % 2 == 0) as (client, meddling),
        fails(SurveyChanged),
    ):
        client.profile(NORTH, ["q2", "s2"])
    assert len(meddling.sent) == 6


def test_a_proxy_that_drops_the_condition_is_noticed_by_the_answer(survey: Survey) -> None:
    change = changing(survey, 0.7)
    with connected(survey, "HTTP", deaf=True, before={2: change}) as (client, _):
        result = RESULTS["profile"](client)
    np.testing.assert_array_equal(figures(result), figures(asked_anew(survey, RESULTS["profile"])))


# -- recordings ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RESULTS)
def test_a_recording_of_a_change_replays_the_result(
    survey: Survey, tmp_path: Path, name: str
) -> None:
    file, ask = tmp_path / "change.jsonl", RESULTS[name]
    with connected(survey, "in process") as (client, meddling), client.recording(file):
        ask(client)
        meddling.before[len(meddling.sent) + 2] = changing(survey, 0.7)
        result = ask(client)
    exchanges = read(file).exchanges
    assert {each.status for each in exchanges} == {200}
    assert all(SURVEY_VERSION in each.headers for each in exchanges)
    with al.connect(snapshot=file) as client:
        assert figures(ask(client)).tolist() != figures(result).tolist()
        replayed = ask(client)
    np.testing.assert_array_equal(figures(replayed), figures(result))
    assert replayed.provenance["survey_version"] == result.provenance["survey_version"]
