"""Names for codes: what is refused for good is asked once, what is only late is asked again."""

from __future__ import annotations

import pytest

from audiencelab.client import connect
from audiencelab.client._sync.sending import Sender, look_up
from audiencelab.client.transports.base import TransportError
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
            found = look_up(Sender(door, client._session, client._options), "q2")
            assert found is None
        assert 2 - len(door.answers) == times
