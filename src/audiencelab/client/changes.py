"""Let a client answer from the next version of its survey, with the code that makes it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from audiencelab.client.context import ClientContext

if TYPE_CHECKING:
    from audiencelab.survey.reader import Survey


def check_own_survey(context: ClientContext) -> None:
    """Raise `LookupError` where a client has no survey to change, `RuntimeError` once it is closed.

    The client of a snapshot may change it: what was recorded after the change is then replayed.
    """
    context.check_open()
    if context.snapshot is None and context.service is None:
        raise LookupError(
            f"The survey of {context} cannot be changed: it is not in this process. Change it "
            "where its files are: al.open(folder)."
        )


def change_survey(
    context: ClientContext,
    make: Callable[[Survey], Survey],
    record: Mapping[str, Any],
    code: str,
) -> None:
    """Let the clients of a context answer from the next version of their survey.

    make: returns that version, or the survey itself if it has the change already. record: the
    change as JSON, as the survey keeps it (`ingest.versions`). code: the Python that makes it, as
    it follows the client: ".edit(…)".
    """
    from audiencelab.ingest.versions import is_cached

    check_own_survey(context)
    if context.service is not None:
        survey = context.service.survey
        changed = make(survey)
        if changed is not survey:
            context.service.use(changed)
        if is_cached(changed):
            context.edits.code.append(code)
    # Keys of mappings are texts in JSON, as in the survey and in snapshots.
    context.edits.made.append(msgspec.to_builtins(record, str_keys=True))
    context.forget()
