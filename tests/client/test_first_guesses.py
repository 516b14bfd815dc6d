"""What people type first: names, questions, single values and lists do what codes and lists do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from audiencelab.client import Client, UnknownCodeError, connect
from audiencelab.expressions import Audience, Q
from audiencelab.survey import Survey
from tests.messages import fails

MEN = Audience("Men", Q("q2").any("q2_1"))


def plain(result: Any) -> Any:
    """The numbers and labels of a result, without the time it was made."""
    return result.to_frame().to_dict("list")


def grouped(client: Client) -> Any:
    gender = client.catalogue["q2"]
    return client.crosstab(rows={gender.name: gender.audiences()}, columns=[MEN])


@pytest.mark.parametrize(
    ("guess", "same"),
    [
        (lambda c: c.crosstab("q2", MEN), grouped),
        (lambda c: c.crosstab("Gender", [MEN]), grouped),
        (lambda c: c.crosstab("gender", [MEN]), grouped),
        (lambda c: c.crosstab(["Gender"], columns=[MEN]), grouped),
        (lambda c: c.crosstab(rows=c["Gender"], columns=MEN), grouped),
        (lambda c: c.crosstab(c.catalogue["q2"], {"Men": MEN.expression}), grouped),
        (lambda c: c.crosstab({"Gender": "q2"}, (MEN,)), grouped),
        (lambda c: c.crosstab((each for each in ["Gender"]), [MEN]), grouped),
        (
            lambda c: c.crosstab([MEN, "Gender"], "Gender"),
            lambda c: c.crosstab(
                [MEN, {"Gender": c.catalogue.audiences("q2")}],
                {"Gender": c.catalogue.audiences("q2")},
            ),
        ),
        (lambda c: c.stats("Gender"), lambda c: c.stats("q2")),
        (lambda c: c.stats(c.catalogue["Gender"]), lambda c: c.stats("q2")),
        (lambda c: c.stats("q2", audiences=MEN), lambda c: c.stats("q2", audiences=[MEN])),
        (
            lambda c: c.stats("q4", audiences="Gender"),
            lambda c: c.stats("q4", audiences=c.catalogue.audiences("q2")),
        ),
        (
            lambda c: c.stats("q4", audiences={"Men": Q("q2").any("q2_1")}),
            lambda c: c.stats("q4", audiences=[MEN]),
        ),
        (
            lambda c: c.stats("Gender", datapoints="Male"),
            lambda c: c.stats("q2", datapoints=["q2_1"]),
        ),
        (
            lambda c: c.stats("Media used", suffixes="Daily"),
            lambda c: c.stats("q20", suffixes=[1]),
        ),
        (
            lambda c: c.stats("q4", splitter="Gender", segments="Male"),
            lambda c: c.stats("q4", splitter="q2", segments=["q2_1"]),
        ),
        (lambda c: c.stats("q4", waves="all"), lambda c: c.stats("q4")),
        (
            lambda c: c.stats("q4", waves="latest 1"),
            lambda c: c.stats("q4", waves=[c.waves()[-1].code]),
        ),
        (
            lambda c: c.stats("q4", waves=c.waves()[-1]),
            lambda c: c.stats("q4", waves=[c.waves()[-1].code]),
        ),
        (
            lambda c: c.stats("q4", waves=c.waves()[-1].name),
            lambda c: c.stats("q4", waves=[c.waves()[-1].code]),
        ),
        (
            lambda c: c.stats("q4", locations=c.locations()[0].name),
            lambda c: c.stats("q4", locations=[c.locations()[0].code]),
        ),
        (
            lambda c: c.crosstab("q2", "q4", locations=c.locations()[0]),
            lambda c: c.crosstab("q2", "q4", locations=[c.locations()[0].code]),
        ),
        (
            lambda c: c.profile(MEN, "Media used"),
            lambda c: c.profile(MEN, ["q20"]),
        ),
        (lambda c: c.overlap("Gender"), lambda c: c.overlap(c.catalogue.audiences("q2"))),
    ],
)
def test_a_first_guess_is_what_was_meant(
    client: Client, guess: Callable[[Client], Any], same: Callable[[Client], Any]
) -> None:
    # By their repr, in which NaN equals NaN.
    assert repr(plain(guess(client))) == repr(plain(same(client)))


@pytest.mark.parametrize(
    ("guess", "same"),
    [
        (lambda c: c["Gender"] == "Male", Q("q2").any("q2_1")),
        (lambda c: c["Gender"] != "Male", ~Q("q2").any("q2_1")),
        (lambda c: c["Gender"].isin(["Male", "q2_2"]), Q("q2").any("q2_1", "q2_2")),
        (lambda c: c["Gender"].any("Male", "Female"), Q("q2").any("q2_1", "q2_2")),
        (lambda c: c["Gender"]["Male"], Q("q2").any("q2_1")),
        (
            lambda c: c["q20"].at_least(2, ["Radio", "Cinema"], scale="Daily"),
            Q("q20", suffixes=[1]).at_least(2, "q20_1", "q20_2"),
        ),
    ],
)
def test_a_question_of_a_client_makes_expressions(
    client: Client, guess: Callable[[Client], Any], same: Any
) -> None:
    assert guess(client) == same


def test_a_question_of_a_client_equals_that_of_the_catalogue(client: Client) -> None:
    assert client["Gender"] == client.catalogue["q2"]
    assert client["Gender"] != client.catalogue["q4"]
    assert len({client["Gender"], client["q2"]}) == 1


def test_a_size_is_that_of_a_crosstab(client: Client) -> None:
    found = client.size(client["Gender"] == "Male", waves="all")
    codes = [wave.code for wave in client.waves()]
    [cell] = client.crosstab([MEN], waves=codes).to_frame().to_dict("records")
    assert (found.size, found.sample) == (cell["size"], cell["sample"])
    assert found.percentage == cell["column_percentage"]
    assert "people (" in repr(found)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda c: c.crosstab("Gendr"),
        lambda c: c["Gendr"],
        lambda c: c["Gender"] == "Mael",
    ],
)
def test_an_unknown_name_has_a_suggestion(client: Client, wrong: Callable[[Client], Any]) -> None:
    with fails(UnknownCodeError):
        wrong(client)


@pytest.fixture
def asked(survey: Survey) -> Iterator[tuple[Client, list[str]]]:
    """A client, and the paths that it requests."""
    paths: list[str] = []
    with connect(survey=survey) as client:
        service = client.service
        handle = service.handle

        def seen(request: Any) -> Any:
            paths.append(request.path)
            return handle(request)

        service.handle = seen  # pyright: ignore -- counts what reaches the real service
        yield client, paths


def test_codes_cost_no_request(asked: tuple[Client, list[str]]) -> None:
    client, paths = asked
    waves = [wave.code for wave in client.waves()]
    del paths[:]
    client.stats("q2", datapoints=["q2_1"], splitter="waves", segments=waves, waves=waves)
    assert [path for path in paths if "query" in path] == ["/v2/query/stats"]
