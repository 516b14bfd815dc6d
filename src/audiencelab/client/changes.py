"""Let a client answer from the next version of its survey, with the code that makes it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from audiencelab.client.context import ClientContext
from audiencelab.import_card import ImportCard, show

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
    *,
    quiet: bool = False,
) -> None:
    """Let the clients of a context answer from the next version of their survey.

    make: returns that version, or the survey itself if it has the change already. record: the
    change as JSON, as the survey keeps it (`ingest.versions`). code: the Python that makes it, as
    it follows the client: ".edit(…)". quiet: show no card of raked weights that do not hold then.
    """
    from audiencelab.ingest.card import card_lines
    from audiencelab.ingest.raking import raking_guesses
    from audiencelab.ingest.versions import is_cached

    check_own_survey(context)
    if context.service is not None:
        survey = context.service.survey
        changed = make(survey)
        if changed is not survey:
            context.service.use(changed)
            known = raking_guesses(survey)
            lines = card_lines(each for each in raking_guesses(changed) if each not in known)
            if lines and not quiet:
                show(ImportCard("Weights that were raked before this change", (), lines))
        if is_cached(changed):
            context.edits.code.append(code)
    # Keys of mappings are texts in JSON, as in the survey and in snapshots.
    context.edits.made.append(msgspec.to_builtins(record, str_keys=True))
    context.forget()
