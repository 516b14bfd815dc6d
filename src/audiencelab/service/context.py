"""What operations work on, and what one of them is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol

from msgspec import UNSET, UnsetType

from audiencelab.engine import Engine
from audiencelab.schema.endpoints import Endpoint
from audiencelab.schema.http import JSON, Request, Response
from audiencelab.schema.scope import BaseOf, Scope
from audiencelab.schema.survey_scope import SurveyScope
from audiencelab.service.credentials import Caller
from audiencelab.service.fields import FieldType, read_scope
from audiencelab.service.limits import Limits
from audiencelab.service.store import Store
from audiencelab.survey import Survey
from audiencelab.survey.study import study_of

INCLUDE = "include"
"""The name of the query parameter that lists the relationships wanted, separated by commas."""


class Handler(Protocol):
    """What answers requests: a `Service`, or a wrapper around one."""

    @property
    def limits(self) -> Limits: ...
    @property
    def minimum_base(self) -> int: ...
    def admit(self, request: Request) -> Caller | None: ...
    def handle(self, request: Request) -> Response: ...
    def unready_reasons(self) -> dict[str, str]: ...


@dataclass(frozen=True, slots=True)
class ServiceContext:
    """What operations work on; shared by all requests and never changed by them.

    minimum_base: figures on fewer respondents are withheld; see `minimum_base`.
    weight: which weight of the survey the engine counts with, as `Scope.weight`.
    base_of: who counts in a cell, for clients that do not name it; None for the survey's own
        default. A query itself that does not name it counts everyone.
    """

    survey: Survey
    engine: Engine
    limits: Limits
    store: Store
    minimum_base: int = 0
    weight: str | UnsetType | None = UNSET
    base_of: BaseOf | None = None

    @property
    def survey_scope(self) -> SurveyScope:
        """What callers count who name nothing: they read it and name it."""
        record = self.survey.record
        return SurveyScope(
            base_of=self.base_of or record.base_of,
            waves=record.waves,
            sizes=record.sizes,
            routed_known=record.routed is not None,
            wave_names=_wave_names(self.survey),
            weight=self.survey.manifest.weight,
            minimum_base=self.minimum_base,
            study=study_of(self.survey.manifest),
        )

    @property
    def version(self) -> str:
        """What names the version of the survey in answers, 32 hex digits.

        Contexts with the same version answer every query with the same figures, in any process.
        """
        return sha256(f"{self.survey.seal} {self.minimum_base}".encode()).hexdigest()[:32]


def _wave_names(survey: Survey) -> dict[str, str]:
    """The names of the accessible waves, by code."""
    named = {each.code: each.name for each in survey.waves if each.accessible}
    # An import gives the only wave the name of the study, which may be that of its file.
    is_whole = len(survey.waves) == 1 and [*named.values()] == [survey.name]
    return dict.fromkeys(named, "All respondents") if is_whole else named


@dataclass(frozen=True, slots=True)
class RequestContext:
    """One valid request to one operation.

    context: of the service. http: the request itself, for its headers and the bytes of its body.
    path: the path parameters, decoded. include: the relationships asked for.
    body: the validated body; None for an operation without one. caller: who sent it.
    """

    context: ServiceContext
    http: Request
    path: Mapping[str, str]
    include: tuple[str, ...]
    body: Any
    caller: Caller

    @property
    def scope(self) -> Scope:
        """Whom the query of the body counts."""
        return read_scope(self.body, self.context.weight)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the service.

    The router, the reading of requests and the OpenAPI document all use this declaration.

    endpoint: its method and path, which the client shares.
    body: the type of its JSON body; None if it takes none.
    may_be_empty: whether no body at all is the empty object.
    may_repeat: whether it takes an `Idempotency-Key`.
    is_conditional: whether it takes `If-Match`.
    includes: the values of its `include` parameter; None if it has no such parameter.
    answers: the wire type of the response, for a stream that of one object.
    media: the media type of the response.
    blocks: whether a caller that accepts columnar blocks gets them.
    describes_survey: whether its answers have the header with the survey's own scope.
    errors: the statuses of its refusals beyond those that every operation of its kind has.
    """

    endpoint: Endpoint
    answer: Callable[[RequestContext], Response]
    summary: str
    body: FieldType | None = None
    may_be_empty: bool = False
    may_repeat: bool = False
    is_conditional: bool = False
    includes: tuple[str, ...] | None = None
    answers: Any = None
    media: str = JSON
    blocks: bool = False
    describes_survey: bool = False
    errors: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """Its `operationId` in the OpenAPI document: that of the function that answers."""
        return self.answer.__name__  # type: ignore[attr-defined] -- a function
