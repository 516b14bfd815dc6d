"""Names for codes, and the namespace of questions without one."""

from __future__ import annotations

import pytest

from audiencelab.client import UnknownCodeError, connect
from audiencelab.client.context import ClientContext
from audiencelab.client.operations.catalogue import Questions
from audiencelab.client.options import Options
from audiencelab.client.questions import QuestionsAnswer
from audiencelab.client.sending import Sender, look_up
from audiencelab.schema.http import TransportError
from audiencelab.survey import Survey
from tests.client.snapshots.scripted import Scripted, ScriptedTransport


@pytest.mark.parametrize(
    ("status", "failure", "times"),
    [
        (403, None, 1),
        (404, None, 1),
        (429, None, 2),
        (503, None, 2),
        (200, TransportError("Cut off."), 2),
    ],
)
def test_a_name_that_does_not_come_is_no_error(
    survey: Survey, status: int, failure: TransportError | None, times: int
) -> None:
    with connect(survey=survey) as client:
        door = ScriptedTransport(Scripted([], failure, status) for _ in range(2))
        for _ in range(2):
            found = look_up(Sender(door, client._context, client._options), "q2")
            assert found is None
        assert 2 - len(door.answers) == times


def asked(*codes: str) -> QuestionsAnswer:
    """Asked of a service that tells no namespace of `q2`, and knows nothing else."""
    door = ScriptedTransport([Scripted([b'{"questions": [{"code": "q2", "name": "Gender"}]}'])])
    return Questions(Sender(door, ClientContext("https://a.example"), Options())).filter(codes)


def test_a_question_that_tells_no_namespace_is_of_the_base_namespace() -> None:
    assert asked("q2").questions[0].name == "Gender"
    with pytest.raises(UnknownCodeError, match=r"no question 'sport\.q2', or"):
        asked("q2", "sport.q2")
