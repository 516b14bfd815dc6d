"""The version of the survey that requests are answered from, when others write new ones.

A request is answered from one version to its end. The next one is answered from the version that
stands in the survey's folder by then, which is opened again when it has changed.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from threading import Lock
from time import monotonic

from audiencelab.engine import Engine
from audiencelab.service.operations import Rooms
from audiencelab.survey import Survey, SurveyError, layout

__all__ = ["CurrentRooms"]

_PAUSE = 1.0
"""Seconds between tries to open one and the same thing that is no survey, or not a whole one."""

_log = logging.getLogger("audiencelab.service")


class CurrentRooms:
    """What operations work on, with the survey as it stands.

    follows: whether to open the survey again. An engine that somebody else made belongs to one
    version; a survey on another machine would have to be asked for every request.
    """

    def __init__(self, rooms: Rooms, *, follows: bool) -> None:
        self._follows = follows and isinstance(rooms.survey.folder, Path)
        self._opening = Lock()
        self._failed: layout.Version | None = None
        self._next_try = 0.0
        if self._follows:
            rooms.survey.hold()
        self._rooms = rooms

    def now(self) -> Rooms:
        """The rooms for a request that begins; any thread may ask."""
        rooms = self._rooms
        if not self._follows or rooms.survey.is_current:
            return rooms
        with self._opening:
            if not self._rooms.survey.is_current:
                self._reopen()
            return self._rooms

    def _reopen(self) -> None:
        old = self._rooms.survey
        # Before: a version that comes while this one is opened is worth a try at once.
        version = layout.version_of(old.folder)
        if version == self._failed and monotonic() < self._next_try:
            return
        try:
            survey = Survey.open(old.path).hold()
        except SurveyError as error:
            # All of the old version is held, and answers as well as before.
            _log.warning("The old version of the survey is used on: %s", error)
            self._failed, self._next_try = version, monotonic() + _PAUSE
            return
        self._rooms = replace(self._rooms, survey=survey, engine=Engine(survey))
        _log.info("A new version of %s is used", survey)
