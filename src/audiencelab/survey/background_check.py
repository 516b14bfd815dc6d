"""The check of a survey of format 1, whose blocks have no checksums: once, in the background."""

from __future__ import annotations

import logging
from collections.abc import Callable

from audiencelab import background

_log = logging.getLogger("audiencelab")

_DELAY = 1.0
"""Seconds until it begins, so that the first answer does not wait for it."""


class BackgroundCheck:
    """Compares all files of a survey with their checksums, beside its answers.

    changes: what differs, as a sentence; called with a function that says whether to go on.
    is_current: whether the files are still those of the survey.
    found: what differs; "" as long as nothing was found. has_ended: whether all was compared.
    """

    def __init__(
        self, changes: Callable[[Callable[[], bool]], str], is_current: Callable[[], bool]
    ) -> None:
        self.found = ""
        self.has_ended = False
        self._changes = changes
        self._is_current = is_current
        self._goes_on = True
        background.call_later(_DELAY, self._begin)

    def _begin(self) -> None:
        background.run(self._run, name="audiencelab-checksums", cancel=self._cancel)

    def _cancel(self) -> None:
        self._goes_on = False

    def _run(self) -> None:
        found = self._changes(lambda: self._goes_on)
        # The files of another version differ, and are not damaged.
        if found and self._goes_on and self._is_current():
            _log.error("%s", found)
            self.found = found
        self.has_ended = True
