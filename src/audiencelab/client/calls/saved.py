"""The update of a saved audience."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from audiencelab.client.calls.asking import ask, require_respondents
from audiencelab.client.flow import Flow
from audiencelab.client.operations import saved
from audiencelab.client.operations.audiences import to_audience
from audiencelab.client.options import Options
from audiencelab.client.session import Session
from audiencelab.schema import SavedAudience

__all__ = ["update"]


def update(
    session: Session, options: Options, audience_id: str, changes: Mapping[str, Any]
) -> Flow[SavedAudience]:
    """See `Audiences.update`."""
    call = saved.update(audience_id, changes)
    if (given := changes.get("expression")) is not None:
        require_respondents(session, [to_audience("expression", given)])
    return (yield from ask(session, options, call))
