"""The embedded service: one synchronous function from a request to a response.

`handle` is re-entrant and safe to call from many threads: each request reads one version of the
survey, which never changes, and shares only caches with others.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, Self

from msgspec import UNSET

from audiencelab.engine import (
    CrosstabSpec,
    Engine,
    TabulationError,
)
from audiencelab.engine.engine import WaveFlags
from audiencelab.engine.patterns import Patterns
from audiencelab.engine.statistics import StatisticSpec
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Expression, as_audience
from audiencelab.schema import SavedAudience, SavedChart
from audiencelab.schema.http import BASE_OF, SURVEY_SCOPE, SURVEY_VERSION, Request, Response
from audiencelab.schema.listing import ListedTuple
from audiencelab.schema.scope import BaseOf, Scope
from audiencelab.schema.survey_scope import SurveyScope
from audiencelab.service.context import Operation, RequestContext, ServiceContext
from audiencelab.service.credentials import Caller, Credentials, Tokens, new_token
from audiencelab.service.entity_tags import with_tag
from audiencelab.service.fields import is_uuid
from audiencelab.service.limits import Limiter, Limits, RateLimit
from audiencelab.service.operations import OPERATIONS
from audiencelab.service.operations.charts import chart_of, charts_of
from audiencelab.service.operations.saved_audiences import (
    FLAGS,
    make_saved_audience,
    saved_audience_of,
    saved_audiences_of,
)
from audiencelab.service.requests import (
    REQUEST_ID,
    Router,
    check_version,
    read_body,
    read_include,
    read_weight,
    request_id,
)
from audiencelab.service.responses import (
    ForbiddenError,
    ServiceError,
    StorageFullError,
    TooManyRequestsError,
    UnavailableError,
    problem_response,
)
from audiencelab.service.store import (
    Store,
    StoreBusyError,
    StoreClosedError,
    StoreError,
    StoreFullError,
)
from audiencelab.survey import DamagedSurveyError, Survey, SurveyError
from audiencelab.survey.reader import Version, version_of
from audiencelab.survey.reweighted import weighted_by

_RETRY_SECONDS = 1.0
"""Pause between attempts to open one version of a survey that cannot be opened."""

_LEAST_FREE = 64 * 1024 * 1024
"""Bytes of the store's disk below which the service is not ready."""

_log = logging.getLogger("audiencelab.service")


class UnknownIdError(AudienceError, LookupError):
    """No saved audience or chart has this id."""


class Service:
    """The audience research service over one survey.

    tokens: the credentials it accepts, as texts or as `Credentials` of named callers; None makes
        one token, which `token` returns.
    limits: limits of one request.
    engine: an engine over the survey; by default the service makes one, and a new one as soon as
        there is a new version of the survey: requests in progress end on the old version.
    tells_causes: whether a response contains the cause of a failure in a cluster or in the
        survey's files, with addresses and folders: for callers who run the service themselves.
    store: where charts and saved audiences are stored: a file, or an open store; by default in
        memory, for as long as the service lives.
    rate_limit: how often one credential may ask, or a limiter; by default without a limit.
    minimum_base: figures that count, or rest on, fewer respondents (but at least one) are withheld
        from every response: null, and marked `suppressed`. By default none are.
    base_of: who of the base counts in a cell, for clients that do not name it; by default what the
        survey says. A query itself that does not name it counts everyone.

    Close it, or use it in a `with` block, so that the store's file is closed. Raises `StoreError`.
    """

    def __init__(
        self,
        survey: Survey,
        tokens: Iterable[str] | Credentials | None = None,
        limits: Limits | None = None,
        *,
        engine: Engine | None = None,
        tells_causes: bool = False,
        store: Store | str | Path | None = None,
        rate_limit: RateLimit | Limiter | None = None,
        minimum_base: int = 0,
        base_of: BaseOf | None = None,
    ) -> None:
        self._own_token = new_token() if tokens is None else None
        if tokens is None or isinstance(tokens, Iterable):
            tokens = Tokens([self._own_token] if self._own_token else tokens or ())
        self._credentials = tokens
        context = ServiceContext(
            survey,
            engine or Engine(survey),
            limits or Limits(),
            store if isinstance(store, Store) else Store.open(store),
            minimum_base,
            base_of=base_of and Scope(base_of=base_of).base_of,
        )
        self._contexts = _ReloadingContext(context, follows=engine is None)
        self._own_store = not isinstance(store, Store)
        self._tells_causes = tells_causes
        self._limiter = Limiter(rate_limit) if isinstance(rate_limit, RateLimit) else rate_limit
        self._router = Router(OPERATIONS)
        self._by_weight: dict[str | None, Service] = {}
        self._reweighting = Lock()

    @property
    def survey(self) -> Survey:
        """The survey, in the version that new requests are answered from."""
        return self._contexts.current().survey

    def weighted(self, weight: str | None) -> Service:
        """This service with another weight of the survey; None counts every respondent as one.

        It shares store, credentials and limits, and counts on this machine. Raises `SurveyError`
        for a weight that the survey does not have.
        """
        context = self._contexts.current()
        survey = weighted_by(context.survey, weight)
        if survey is context.survey:
            return self
        with self._reweighting:
            found = self._by_weight.get(weight)
            if found is None:
                found = self._by_weight[weight] = copy(self)
                context = replace(context, survey=survey, engine=Engine(survey), weight=weight)
                found._contexts = _ReloadingContext(context, follows=self._contexts.follows)
                found._own_store = False
            return found

    def use(self, survey: Survey) -> None:
        """Answer from another survey from now on: this one with an edit.

        Raises `SurveyError` where the engine is the caller's own, which counts one survey.
        """
        if not self._contexts.follows:
            raise SurveyError(
                "The survey of this client cannot be edited: its engine, or a survey elsewhere, "
                "has one version. Open the survey's folder: al.open(folder)."
            )
        context = replace(self._contexts.current(), survey=survey, engine=Engine(survey))
        self._contexts = _ReloadingContext(context, follows=True)
        self._by_weight = {}

    def pinned(self) -> Service:
        """This service with the version of the survey that it answers from now, for good."""
        found = copy(self)
        found._contexts = _ReloadingContext(self._contexts.current(), follows=False)
        found._own_store = False
        return found

    @property
    def limits(self) -> Limits:
        """Limits of one request."""
        return self._contexts.current().limits

    @property
    def minimum_base(self) -> int:
        """The fewest respondents that a figure may count or rest on; 0 for no minimum."""
        return self._contexts.current().minimum_base

    @property
    def survey_scope(self) -> SurveyScope:
        """What the survey says of queries that name nothing themselves."""
        return self._contexts.current().survey_scope

    @property
    def token(self) -> str:
        """The token that the service made; `LookupError` if it was given its own."""
        if self._own_token is None:
            raise LookupError("This service was given its tokens; it does not keep them.")
        return self._own_token

    def admit(self, request: Request) -> Caller:
        """The caller of a request; raises the `ServiceError` with which `handle` refuses any body.

        It checks path, method, credential and rights, so that a server need not read the body of a
        caller without a credential.
        """
        _, _, caller = self._admitted(request)
        return caller

    def _admitted(self, request: Request) -> tuple[Operation, dict[str, str], Caller]:
        """The operation, the parameters of its path, and the caller, who may call it."""
        operation, path = self._router.find(request.method, request.path)
        caller = self._credentials.check(request)
        if operation.endpoint.writes and not caller.may_write:
            raise ForbiddenError("This credential may read, and neither create nor update.")
        return operation, path, caller

    def handle(self, request: Request) -> Response:
        """Answer one request; never raises for what a request contains.

        A body that fails while it is read raises `BrokenStreamError` from its iterator, except for
        the crosstab's, which ends with a problem document as its last line.
        """
        name = request_id(request)
        # Those that belong to refusals as well.
        headers = {REQUEST_ID: name}
        details: dict[str, Any] = {}
        try:
            operation, path, caller = self._admitted(request)
            details = {"operation": operation.name, "caller": caller.name}
            # After the credential is known: strangers have no bucket, and would fill the table of
            # callers.
            if self._limiter is not None:
                allowance = self._limiter.take(caller.key)
                headers |= allowance.headers
                if not allowance.granted:
                    raise TooManyRequestsError(allowance.wait)
            include = read_include(operation, request) if request.query else ()
            weight = read_weight(operation, request, self.survey)
            counting = self if weight is UNSET else self.weighted(weight)
            context = counting._contexts.current()
            details["survey_version"] = headers[SURVEY_VERSION] = context.version
            check_version(request, context)
            context.survey.check_in_background()
            body = read_body(operation, request, context)
            response = operation.answer(
                RequestContext(context, request, path, include, body, caller)
            )
            if operation.endpoint.tagged:
                response = with_tag(request, response)
            if operation.describes_survey:
                response.headers[SURVEY_SCOPE] = context.survey_scope.to_header()
            if operation.endpoint.weighted and (body or {}).get("base_of") == "valid":
                response.headers[BASE_OF] = "valid"
        except Exception as error:
            response = problem_response(self._refusal(error, name))
        response.headers.update(headers)
        response.details.update(details)
        return response

    def _refusal(self, error: Exception, name: str) -> ServiceError:
        """What the caller learns of an error; the log has the rest, under the request's id."""
        match error:
            case ServiceError():
                return error
            case StoreBusyError():
                # The store's own message names its file, which is not the caller's business.
                return UnavailableError("The store is locked by another writer. Try again.")
            case StoreClosedError():
                return UnavailableError("The service is closed.")
            case StoreFullError():
                _log.error("Request %s: %s", name, error)
                return StorageFullError("Its disk is full or fails. Nothing was changed.")
            case TabulationError():
                _log.error("Request %s: %s", name, error)
                cause = "Some respondents could not be counted; the service's log has the cause."
                return ServiceError(str(error) if self._tells_causes else cause)
            case DamagedSurveyError():
                _log.error("Request %s: %s", name, error)
                cause = "The survey's files are damaged; the service's log has details."
                return ServiceError(str(error) if self._tells_causes else cause)
            case SurveyError():
                _log.exception("Request %s found the survey changed or gone", name)
                return UnavailableError(
                    "The survey's files were changed or are not there; the service's log has "
                    "details. The service may have to be restarted."
                )
            case _:
                _log.exception("Request %s failed", name)
                return ServiceError("The request may be right; the service's log has the cause.")

    def unready_reasons(self) -> dict[str, str]:
        """What keeps it from answering, by part (`survey`, `store`, `disk`); empty if nothing."""
        found: dict[str, str] = {}
        context = self._contexts.current()
        if not context.survey.is_current:
            found["survey"] = "Its files were changed or are gone; an older version is in use."
        try:
            with context.store.reading() as documents:
                documents.get("charts", "")
        except StoreError:
            found["store"] = "It cannot be read."
        file = context.store.file
        if file is not None and shutil.disk_usage(file.parent).free < _LEAST_FREE:
            found["disk"] = f"Less than {_LEAST_FREE // 1024**2} MB are free for the store."
        return found

    def save_audience(
        self,
        audience: Audience | Expression,
        *,
        folder_id: str | None = None,
        flags: Iterable[str] = (),
        datasets: Iterable[str] | None = None,
        shared: bool = False,
    ) -> SavedAudience:
        """Save an audience, and return it with its new id; no operation of the interface does this.

        audience: an expression, or one without a name, is named by its sentence.
        flags: of `authored`, `curated` and `isP2`. folder_id: a UUID; none by default.
        datasets: codes; those of the expression's questions by default.
        Raises `TypeError` for what is not an audience, `UnknownCodeError` for codes that the survey
        lacks, `ValueError` for another flag or a folder that is not a UUID, and `StoreError`.
        """
        if not isinstance(audience, Audience):
            audience = as_audience(audience, self.survey.catalogue.labels)
        context = self._contexts.current()
        context.engine.coverage(audience.expression)
        flags = list(flags)
        if wrong := [flag for flag in flags if flag not in FLAGS]:
            raise ValueError(f"flags must be of {', '.join(FLAGS)}; got {wrong[0]!r}.")
        if folder_id is not None and not is_uuid(folder_id):
            raise ValueError("folder_id must be a UUID, or None for no folder.")
        return make_saved_audience(
            context,
            audience,
            folder_id=folder_id,
            flags=flags,
            datasets=datasets,
            shared=shared,
        )

    def saved_audiences(self) -> ListedTuple[SavedAudience]:
        """Every saved audience: the survey's, as updated, and those created since."""
        return saved_audiences_of(self._contexts.current())

    def saved_audience(self, id: str) -> SavedAudience:  # noqa: A002 -- the resource's own field name
        """The saved audience of an id; `UnknownIdError` if there is none."""
        found = saved_audience_of(self._contexts.current(), id)
        if found is None:
            raise UnknownIdError(
                f"No saved audience has the id {id!r}. saved_audiences() lists them with their ids."
            )
        return found

    def charts(self) -> ListedTuple[SavedChart]:
        """Every chart, in the order in which they were created."""
        return charts_of(self._contexts.current())

    def chart(self, id: str) -> SavedChart:  # noqa: A002 -- as above
        """The chart of an id; `UnknownIdError` if there is none."""
        found = chart_of(self._contexts.current(), id)
        if found is None:
            raise UnknownIdError(f"No chart has the id {id!r}. charts() lists them with their ids.")
        return found

    def respondents(
        self, spec: CrosstabSpec, amounts: Sequence[StatisticSpec] = ()
    ) -> Iterator[WaveFlags]:
        """The respondents of a base, see `Engine.respondents`; no operation returns them."""
        return self._contexts.current().engine.respondents(spec, amounts)

    def patterns(self, spec: CrosstabSpec) -> Patterns:
        """The respondents of a base by the audiences they are in, see `Engine.patterns`."""
        return self._contexts.current().engine.patterns(spec)

    def close(self) -> None:
        """Close the store if the service opened it."""
        if self._own_store:
            self._contexts.current().store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Service over {self.survey!r}>"


class _ReloadingContext:
    """The context of new requests, with the latest version of the survey.

    A request is answered from one version to its end, even if another one is written meanwhile.

    follows: whether to open the survey again. An engine that the caller made belongs to one
        version; a survey on another machine would have to be asked for every request.
    """

    def __init__(self, context: ServiceContext, *, follows: bool) -> None:
        self.follows = follows and isinstance(context.survey.folder, Path)
        self._opening = Lock()
        self._failed: Version | None = None
        self._next_try = 0.0
        if self.follows:
            context.survey.pin()
        self._latest = context

    def current(self) -> ServiceContext:
        """The context for a new request; safe to call from any thread."""
        context = self._latest
        if not self.follows or context.survey.is_current:
            return context
        with self._opening:
            if not self._latest.survey.is_current:
                self._reopen()
            return self._latest

    def _reopen(self) -> None:
        old = self._latest.survey
        # Taken before: a version that comes while this one is opened is tried at once.
        version = version_of(old.folder)
        if version == self._failed and monotonic() < self._next_try:
            return
        try:
            survey = old.reopen().pin()
        except SurveyError as error:
            # The old version is held open, and answers as before.
            _log.warning("The old version of the survey stays in use: %s", error)
            self._failed, self._next_try = version, monotonic() + _RETRY_SECONDS
            return
        self._latest = replace(self._latest, survey=survey, engine=Engine(survey))
        _log.info("A new version of %s is in use", survey)
