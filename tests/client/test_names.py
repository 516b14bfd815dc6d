"""Names for codes and codes for names: what is requested for them, and when."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import audiencelab as al
from audiencelab.client import UnknownCodeError, connect
from audiencelab.client.context import ClientContext
from audiencelab.client.names import Needs, names_in
from audiencelab.client.operations.catalogue import Questions
from audiencelab.client.options import ClientOptions
from audiencelab.client.questions import QuestionsAnswer
from audiencelab.client.sending import Sender, load_names
from audiencelab.expressions import Audience, Q
from audiencelab.schema.http import TransportError
from audiencelab.survey import Survey
from tests.client.snapshots.scripted import Scripted, ScriptedTransport
from tests.messages import fails

HERE = TransportError("Cut off.")
LATE = TransportError("Too late.", timeout=True)


@pytest.mark.parametrize(
    ("status", "failure", "times"),
    [
        (403, None, 1),
        (404, None, 1),
        (200, None, 1),
        (200, LATE, 1),
        (429, None, 2),
        (503, None, 2),
        (200, HERE, 2),
    ],
)
def test_a_catalogue_that_does_not_come_is_no_error(
    survey: Survey,
    status: int,
    failure: TransportError | None,
    times: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "audiencelab")
    with connect(survey=survey) as client:
        door = ScriptedTransport(Scripted([b"no JSON"], failure, status) for _ in range(2))
        sender = Sender(door, client.sender.context, client.sender.options)
        for _ in range(2):
            load_names(sender, ["q2"])
            assert client.sender.context.describe(Q("q2").any("q2_1")) == "q2 is q2_1"
    assert 2 - len(door.answers) == times
    told = [each.message for each in caplog.records if "codes are shown" in each.message]
    assert len(told) == 2 - times


def test_a_short_deadline_of_one_call_leaves_names_to_the_others(survey: Survey) -> None:
    with connect(survey=survey) as client:
        door = ScriptedTransport([Scripted([], LATE), Scripted([b'{"questions": []}'])])
        sender = Sender(
            door, client.sender.context, client.with_options(deadline=0.5).sender.options
        )
        load_names(sender, ["q2"])
        load_names(sender, ["q2"])
    assert door.answers == []


def test_many_threads_load_the_catalogue_once(survey: Survey, tmp_path: Path) -> None:
    with connect(survey=survey) as client, client.recording(tmp_path / "a.jsonl") as heard:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: client.stats("q2"), range(8)))
        assert len(heard) == 9


# -- what a call needs -------------------------------------------------------------------------

WOMEN = Q("q2").any("q2_2")
NOTHING, NAMES, WAVES, BOTH = (
    Needs(*each) for each in ((False, False), (True, False), (False, True), (True, True))
)


@pytest.mark.parametrize(
    ("needs", "found"),
    [
        (NOTHING, names_in(None)),
        (NOTHING, names_in([WOMEN, Audience("x", WOMEN & Q("q4").any("1"))], {"A": WOMEN})),
        (NOTHING, names_in(base="q2", questions=("q2", "waves", None), answers=["q2_1", ("3", 4)])),
        (NOTHING, names_in(al.asked("q2"), Q("waves").any("Q1 2024"))),
        (NAMES, names_in("q2")),
        (NAMES, names_in({"A": {"B": ["q2"]}})),
        (NAMES, names_in([WOMEN | Q("Age").any("q4_1")])),
        (NAMES, names_in(base=Q("q4").any("18 to 24"))),
        (NAMES, names_in(base="Age")),
        (NAMES, names_in(questions=("2023",))),
        (NAMES, names_in(answers=[["q4_1", "18 to 24"]])),
        (NAMES, names_in("Total")),
        (NAMES, names_in(al.nest("Gender", "Age"), al.mean("Age").named("Mean"))),
        (WAVES, names_in(["waves"])),
        (BOTH, names_in({"A": "Gender > waves"})),
        (BOTH, names_in(al.nest("Gender", "waves"))),
    ],
)
def test_what_a_call_needs_is_read_off_its_arguments(needs: Needs, found: Needs) -> None:
    assert needs == found


def test_arguments_that_hold_themselves_end() -> None:
    listed: list[Any] = ["q2"]
    listed += [listed, {"Again": listed}]
    assert names_in(listed) == NAMES


def test_iterators_are_read_once(survey: Survey) -> None:
    with connect(survey=survey) as client:
        rows = {"Gender": (each for each in client["Gender"].audiences())}
        table = client.crosstab(rows, iter(["Age"]))
        assert table.shape == (2, 2)
        found = client.stats("Gender", datapoints=iter(["Male"]))
        assert found.datapoints == ("q2_1",)


def test_codes_cost_one_request_for_the_names_that_are_shown(
    survey: Survey, tmp_path: Path
) -> None:
    with connect(survey=survey) as client, client.recording(tmp_path / "a.jsonl") as heard:
        client.crosstab([WOMEN], [Q("q4").any("q4_1")])
        assert len(heard) == 2
        client.stats("q20", suffixes=[1], splitter="q4", audiences=[WOMEN], base_audience="q4")
        client.crosstab("Gender", "Age")
        assert client["Age"].code == "q4"
        assert len(heard) == 4


def asked(*codes: str) -> QuestionsAnswer:
    """Asked of a service that tells no namespace of `q2`, and knows nothing else."""
    door = ScriptedTransport([Scripted([b'{"questions": [{"code": "q2", "name": "Gender"}]}'])])
    return Questions(Sender(door, ClientContext("https://a.example"), ClientOptions())).filter(
        codes
    )


def test_a_question_that_tells_no_namespace_is_of_the_base_namespace() -> None:
    assert asked("q2").questions[0].name == "Gender"
    with fails(UnknownCodeError):
        asked("q2", "sport.q2")
