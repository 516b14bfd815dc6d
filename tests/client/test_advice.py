"""What is asked for wrongly: told at its place, in words that hold the remedy."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import audiencelab as al
from audiencelab.client import (
    AccessDenied,
    Client,
    InvalidRequest,
    NotFound,
    UnknownCodeError,
    connect,
)
from audiencelab.expressions import Audience, Q
from audiencelab.schema.http import TransportError
from audiencelab.survey import Survey
from tests.client.conftest import TOKEN, Served
from tests.client.snapshots.scripted import Scripted, ScriptedTransport
from tests.messages import fails

MEN = Audience(name="Men", expression=Q("q2").any("q2_1"))


def test_every_fault_is_told_with_its_place_and_the_nearest_code(client: Client) -> None:
    with pytest.raises(InvalidRequest) as caught:
        client.stats(question="q21", audiences=[Q("q2").any("q2_9"), Q("q4").any("q4_1")])
    error = caught.value
    assert {fault.pointer for fault in error.faults} == {
        "/question",
        "/audiences/0/expression/datapoints/0",
    }
    assert "Unknown question 'q21'. Did you mean 'q2' (Gender) or 'q20' (Media used)" in str(error)
    assert "Question 'q2' has no answer 'q2_9'. Did you mean 'q2_2'" in str(error)
    assert (error.method, error.path, error.status) == ("POST", "/v2/query/stats", 400)
    # The hints are of every fault, and nobody runs a service elsewhere.
    assert error.request_id
    assert error.request_id not in str(error)


def test_a_distant_service_is_not_asked_for_its_catalogue_to_give_advice(distant: Client) -> None:
    with connect(distant.sender.context.place, token="canary-7d1f0c6b4e") as fresh:
        with pytest.raises(InvalidRequest) as caught:
            # A call that names neither asks the catalogue what the survey counts.
            fresh.stats(question="q21", base_of="everyone", waves="q4_2025")
        assert caught.value.hints == ()
        assert len(fresh.catalogue) > 0
        with fails(InvalidRequest):
            fresh.stats(question="q21")


def test_a_crosstab_refusal_is_advised_too(client: Client) -> None:
    with fails(InvalidRequest):
        client.crosstab(rows=[Q("q2").any("q2_7")])


def test_what_may_not_be_used_is_denied_by_name(any_client: Client) -> None:
    assert len(any_client.catalogue) > 0
    with fails(AccessDenied) as caught:
        any_client.stats(question="secret")
    assert caught.value.hints == (), "the question is known, and is not to be taken for another"


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda c: c.stats(question="q4", suffixes=1), r"such as \[1\]"),
        (lambda c: c.stats(question="q4", splitter=["waves"]), "splitter must be one question"),
        (
            lambda c: c.stats(question="q4", base_audience=4),
            "base_audience: Must be an audience",
        ),
        (lambda c: c.questions.filter("q4"), "questions must be a list of codes"),
        (lambda c: c.questions.filter(c.catalogue["q4"]), "questions must be a list of codes"),
        (lambda c: c.questions.filter([c.catalogue["q4"]]), r"questions\[0\] must be the .*\.code"),
        (lambda c: c.questions.filter(4), "questions must be a list of codes, .* got int"),
        (lambda c: c.questions.filter(include=True), "include must be a list"),
        (lambda c: c.questions.get(c.catalogue["q4"]), r"code must be the code of one.*\.code"),
        (lambda c: c.questions.get("q4", include=True), "include must be a list"),
        (lambda c: c.categories.get(c.catalogue.tree), r"such as .*\.tree\['Media'\]\.id"),
        (lambda c: c.charts.create(None), "takes a name or a wire.SavedChart; got NoneType"),
        (lambda c: c.request("GET", "/health", query="a=1"), "query must map names"),
    ],
)
def test_common_slips_are_caught_before_anything_is_sent(
    client: Client, ask: Callable[[Client], object], words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        ask(client)


@pytest.mark.parametrize(
    ("ask", "hint"),
    [
        (lambda c: c.stats("q4", splitter="wave"), "splitter='waves'"),
        (lambda c: c.stats("q20", suffixes=[9]), "The scale of 'q20', by codes: '1' ("),
        (lambda c: c.stats("q2", suffixes=[1]), "The scale of 'q2', by codes: none."),
        (lambda c: c.crosstab(rows=[Q("waves").any("2022")]), "Write client.waves()."),
        (lambda c: c.crosstab(locations=["Nowhere"]), "Write client.locations()."),
    ],
)
def test_a_name_where_a_code_belongs_is_told_its_code(
    client: Client, ask: Callable[[Client], object], hint: str
) -> None:
    with pytest.raises(InvalidRequest) as caught:
        ask(client)
    assert hint in str(caught.value)


def test_a_name_is_never_worth_an_error(client: Client) -> None:
    table = client.crosstab_stream(rows=[Q("nowhere.q1").any("x")])
    with fails(InvalidRequest):
        next(table)
    assert table.result.rows[0].name == "nowhere.q1 is x"


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"timeout": 0}, ValueError, "timeout must be a positive number of seconds; None"),
        ({"deadline": float("nan")}, ValueError, "deadline must be a positive"),
        ({"deadline": "5"}, TypeError, "deadline must be a number of seconds"),
        ({"retries": -1}, ValueError, "retries must be at least 0"),
        ({"retries": 1.5}, TypeError, "retries must be an int"),
        ({"retries": None}, TypeError, "retries must be an int"),
        ({"headers": {"Authorization": "x"}}, ValueError, r"connect\(token=…\)"),
        ({"headers": {"Idempotency-Key": "x"}}, ValueError, "set by the client"),
        ({"headers": {"X-A": "1\r\nX-B: 2"}}, ValueError, "line break"),
        ({"headers": {"X-A": 1}}, TypeError, "both str"),
        ({"headers": "X-A: 1"}, TypeError, "headers must map names to values"),
        ({"headers": None}, TypeError, "headers must map names to values"),
        ({"headers": {"X-Team": "Müller"}}, ValueError, "printable ASCII text"),
        ({"headers": {"X Team": "a"}}, ValueError, "letters, digits and hyphens"),
        ({"headers": {"X-Team": " a"}}, ValueError, "spaces around it"),
    ],
)
def test_options_that_cannot_be_are_told(
    client: Client, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        client.with_options(**options)


def test_a_question_that_was_not_found_is_guessed_at(client: Client) -> None:
    with fails(UnknownCodeError):
        client.questions.filter(["q4", "q44"])


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("media", r"^'media' is the name of a category; give its id, '2'\."),
        ("Medai", r"^Unknown category 'Medai'\. Did you mean '2' \(Media\)\?"),
        ("x/y", r"^Unknown category 'x/y'\.$"),
    ],
)
def test_a_category_is_asked_for_by_its_id(client: Client, key: str, words: str) -> None:
    with pytest.raises(NotFound, match=re.compile(words, re.MULTILINE)):
        client.categories.get(key)


def test_a_question_that_may_not_be_used_is_not_called_unknown(any_client: Client) -> None:
    assert "secret" not in any_client.catalogue, "the service lists what may be used"
    for key in ("secret", "core.secret"):
        with fails(UnknownCodeError):
            any_client.catalogue[key]
    with fails(UnknownCodeError):
        any_client.catalogue["q4444"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("Gender", "q2_1"), r"attributes\[1\]: 'Gender' is the name of a question; .* code, 'q2'"),
        (("q44", "q44_1"), r"attributes\[1\]: Unknown question 'q44'\. Did you mean 'q4'"),
        (("q2", "Female"), r"Question 'q2' \(Gender\) has no datapoint 'Female'\. .*'q2_2'"),
        (("q20", "q20_1", "9"), r"Question 'q20' \(Media used\) has no suffix '9'"),
        (Q("q2").any("q2_7"), r"has no datapoint 'q2_7'\. Did you mean"),
        (("secret", "secret_1"), r"'secret' \(Not for everyone\) is not accessible"),
    ],
)
def test_a_chart_of_what_does_not_exist_is_not_made(
    any_client: Client, given: Any, words: str
) -> None:
    assert len(any_client.catalogue) > 0
    made = any_client.charts.create("Right", attributes=[("q2", "q2_1")]).id
    attributes = [("q20", "q20_1", "1"), given]
    with pytest.raises(UnknownCodeError, match=words):
        any_client.charts.create("Wrong", attributes=attributes)
    with pytest.raises(UnknownCodeError, match=words):
        any_client.charts.update(made, attributes=attributes)
    assert [group.attributes[0].datapoint_code for group in any_client.charts.calculate(made)] == [
        "q2_1"
    ]


def test_advice_that_cannot_be_had_leaves_a_refusal_as_it_is(survey: Survey) -> None:
    refused = Scripted([b'{"detail": "Not so."}'], status=400)
    own = connect(survey=survey, retries=0)
    own.sender.transport = door = ScriptedTransport([refused, Scripted([b"{}"], status=503)])
    with pytest.raises(InvalidRequest) as caught:
        own.stats("q21")
    assert (caught.value.status, caught.value.hints) == (400, ())
    assert door.answers == [], "the catalogue was asked for"


CREATED = Scripted([b'{"id": "7"}'], status=201)


@pytest.mark.parametrize(
    ("named", "given"),
    [
        (Scripted([b"{}"], status=503), ("q99", "q99_1")),
        (Scripted([], TransportError("Cut off.")), ("q99", "q99_1")),
        (
            Scripted([b'{"questions": [{"code": "q2", "namespace_code": "core", "name": "G"}]}']),
            ("q2", "q2_99"),
        ),
    ],
    ids=["busy", "cut off", "without its answers"],
)
def test_a_chart_whose_codes_nobody_tells_is_made_as_it_is_given(
    survey: Survey, named: Scripted, given: tuple[str, str]
) -> None:
    own = connect(survey=survey, retries=0)
    own.sender.transport = ScriptedTransport([named, replace(CREATED, chunks=list(CREATED.chunks))])
    assert own.charts.create("Kept", attributes=[given]).id == "7"


def test_a_chart_of_waves_is_made(client: Client) -> None:
    assert client.charts.create("Waves", attributes=[("waves", "q1_2023")]).id


def test_where_the_catalogue_is_not_at_hand_a_chart_is_made_as_it_is_given(served: Served) -> None:
    with connect(served.url, token=TOKEN) as fresh:
        made = fresh.charts.create("Wrong", attributes=[("q99", "q99_1")])
        assert not fresh.charts.calculate(made.id).complete


def test_arguments_are_listed_in_signatures(client: Client) -> None:
    assert list(inspect.signature(client.crosstab).parameters)[:2] == ["rows", "columns"]
    with fails(TypeError):
        client.crosstab(side=[MEN])  # type: ignore[call-arg] -- the slip


def test_a_chart_shows_questions_by_their_codes_and_names() -> None:
    with al.connect() as client:
        made = [client.charts.create("C", attributes=it).id for it in ("Gender", ["q2"])]
        shown = [client.charts.calculate(each).to_frame()["size"].tolist() for each in made]
    assert len(shown[0]) == 3
    assert shown[0] == shown[1]
