"""Questions asked for by code: what came is told from what is missing."""

from __future__ import annotations

import pytest

from audiencelab.client._sync.catalogue import Questions
from audiencelab.client._sync.sending import Sender
from audiencelab.client.errors import UnknownCodeError
from audiencelab.client.options import Options
from audiencelab.client.questions import QuestionsAnswer
from audiencelab.client.session import Session
from tests.client.snapshots.scripted import Scripted, ScriptedTransport


def asked(*codes: str) -> QuestionsAnswer:
    """Asked of a service that tells no namespace of `q2`, and knows nothing else."""
    door = ScriptedTransport([Scripted([b'{"questions": [{"code": "q2", "name": "Gender"}]}'])])
    return Questions(Sender(door, Session("https://a.example"), Options())).filter(codes)


def test_a_question_that_tells_no_namespace_is_of_the_base_namespace() -> None:
    assert asked("q2").questions[0].name == "Gender"
    with pytest.raises(UnknownCodeError, match=r"no question 'sport\.q2', or"):
        asked("q2", "sport.q2")
