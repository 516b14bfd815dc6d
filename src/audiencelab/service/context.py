"""What operations work on, what one of them is, and which version of the survey they see."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from audiencelab.engine import Engine
from audiencelab.schema.http import JSON, Request, Response
from audiencelab.service.limits import Limits
from audiencelab.service.store import Store
from audiencelab.service.validation import FieldType
from audiencelab.survey import Survey, SurveyError, layout

INCLUDE = "include"
"""The name of the query parameter that lists the relationships wanted, separated by commas."""

_RETRY_SECONDS = 1.0
"""Pause between attempts to open one version of a survey that cannot be opened."""

_log = logging.getLogger("audiencelab.service")


@dataclass(frozen=True, slots=True)
class ServiceContext:
    """What operations work on; shared by all requests and never changed by them."""

    survey: Survey
    engine: Engine
    limits: Limits
    store: Store


@dataclass(frozen=True, slots=True)
class RequestContext:
    """One valid request to one operation.

    context: of the service. http: the request itself, for its headers and the bytes of its body.
    path: the path parameters, decoded. include: the relationships asked for.
    body: the validated body; None for an operation without one.
    """

    context: ServiceContext
    http: Request
    path: Mapping[str, str]
    include: tuple[str, ...]
    body: Any


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the service.

    The router, the reading of requests and the OpenAPI document all use this declaration.

    path: a template such as `/v2/questions/{question_code}`.
    body: the type of its JSON body; None if it takes none.
    may_be_empty: whether no body at all is the empty object.
    may_repeat: whether it takes an `Idempotency-Key`.
    includes: the values of its `include` parameter; None if it has no such parameter.
    answers: the wire type of the response, for a stream that of one object.
    media: the media type of the response.
    blocks: whether a caller that accepts columnar blocks gets them.
    errors: the statuses of its refusals beyond those that every operation of its kind has.
    """

    name: str
    method: str
    path: str
    answer: Callable[[RequestContext], Response]
    summary: str
    body: FieldType | None = None
    may_be_empty: bool = False
    may_repeat: bool = False
    includes: tuple[str, ...] | None = None
    answers: Any = None
    media: str = JSON
    blocks: bool = False
    errors: tuple[int, ...] = ()


class ReloadingContext:
    """The context of new requests, with the latest version of the survey.

    A request is answered from one version to its end, even if another one is written meanwhile.

    follows: whether to open the survey again. An engine that the caller made belongs to one
        version; a survey on another machine would have to be asked for every request.
    """

    def __init__(self, context: ServiceContext, *, follows: bool) -> None:
        self._follows = follows and isinstance(context.survey.folder, Path)
        self._opening = Lock()
        self._failed: layout.Version | None = None
        self._next_try = 0.0
        if self._follows:
            context.survey.pin()
        self._latest = context

    def current(self) -> ServiceContext:
        """The context for a new request; safe to call from any thread."""
        context = self._latest
        if not self._follows or context.survey.is_current:
            return context
        with self._opening:
            if not self._latest.survey.is_current:
                self._reopen()
            return self._latest

    def _reopen(self) -> None:
        old = self._latest.survey
        # Taken before: a version that comes while this one is opened is tried at once.
        version = layout.version_of(old.folder)
        if version == self._failed and monotonic() < self._next_try:
            return
        try:
            survey = Survey.open(old.path).pin()
        except SurveyError as error:
            # The old version is held open, and answers as before.
            _log.warning("The old version of the survey stays in use: %s", error)
            self._failed, self._next_try = version, monotonic() + _RETRY_SECONDS
            return
        self._latest = replace(self._latest, survey=survey, engine=Engine(survey))
        _log.info("A new version of %s is in use", survey)
