"""The embedded service: one synchronous function from a request to a response.

`handle` is re-entrant and safe to call from many threads: each request reads one version of the
survey, which never changes, and shares nothing else but caches. Whatever carries requests (an
in-process transport, an HTTP server) stands outside and hands them in.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from audiencelab.engine import (
    CrosstabSpec,
    Engine,
    Lonely,
    Precision,
    StatsSpec,
    TabulationError,
)
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Expression, as_audience
from audiencelab.flags import flag
from audiencelab.schema import Chart, SavedAudience
from audiencelab.schema.http import Request, Response
from audiencelab.schema.listing import Listing
from audiencelab.service.context import ReloadingContext
from audiencelab.service.limits import Limiter, Limits, RateLimit
from audiencelab.service.operations import OPERATIONS, RequestContext, ServiceContext
from audiencelab.service.operations.charts import chart_of, charts_of
from audiencelab.service.operations.saved_audiences import (
    FLAGS,
    make_saved_audience,
    saved_audience_of,
    saved_audiences_of,
)
from audiencelab.service.requests import (
    REQUEST_ID,
    Credentials,
    Router,
    new_token,
    read_body,
    read_include,
    request_id,
)
from audiencelab.service.responses import (
    ServiceError,
    StorageFullError,
    TooManyRequestsError,
    UnavailableError,
    problem_response,
)
from audiencelab.service.store import Store, StoreBusyError, StoreClosedError, StoreFullError
from audiencelab.service.validation import is_uuid
from audiencelab.survey import Survey, SurveyError

_log = logging.getLogger("audiencelab.service")


class UnknownIdError(AudienceError, LookupError):
    """Nothing saved has the id that was asked for in Python."""


class Service:
    """The audience research service over one survey.

    tokens: the credentials it accepts; None makes one, which `token` returns.
    limits: what one request may ask for.
    engine: a ready engine over the survey; by default the service makes its own. With its own, it
        goes over to a new version of the survey as soon as there is one: a request that has begun
        ends on the old version.
    tells_causes: whether an answer says why a cluster behind the engine failed, with its addresses
        and folders: for callers who run the service themselves.
    store: where charts and saved audiences are kept: a file, or an open store; by default in
        memory, for as long as the service lives.
    rate_limit: how often one credential may ask; by default as often as it likes.

    Close it, or use it in a `with` block, so that the store's file is closed. Raises `StoreError`.
    """

    def __init__(
        self,
        survey: Survey,
        tokens: Iterable[str] | None = None,
        limits: Limits | None = None,
        *,
        engine: Engine | None = None,
        tells_causes: bool = False,
        store: Store | str | Path | None = None,
        rate_limit: RateLimit | None = None,
    ) -> None:
        self._own_token = new_token() if tokens is None else None
        self._credentials = Credentials([self._own_token] if self._own_token else tokens or ())
        context = ServiceContext(
            survey,
            engine or Engine(survey),
            limits or Limits(),
            store if isinstance(store, Store) else Store.open(store),
        )
        self._contexts = ReloadingContext(context, follows=engine is None)
        self._own_store = not isinstance(store, Store)
        self._tells_causes = flag("tells_causes", tells_causes)
        self._limiter = Limiter(rate_limit) if rate_limit else None
        self._router = Router(OPERATIONS)

    @property
    def survey(self) -> Survey:
        """The survey that the service answers from, in the version that it answers from now."""
        return self._rooms.survey

    @property
    def _rooms(self) -> ServiceContext:
        return self._contexts.current()

    @property
    def limits(self) -> Limits:
        """What one request may ask for."""
        return self._rooms.limits

    @property
    def token(self) -> str:
        """The token that the service made; `LookupError` if it was given its own."""
        if self._own_token is None:
            raise LookupError("This service was given its tokens; it does not keep them.")
        return self._own_token

    def admit(self, request: Request) -> None:
        """Raise the `ServiceError` of a request that `handle` refuses whatever its body says.

        Its path, its method and its credential are looked at, so that whoever carries bodies need
        not take one in to learn that it comes from a stranger.
        """
        self._router.find(request.method, request.path)
        self._credentials.check(request)

    def handle(self, request: Request) -> Response:
        """Answer one request; never raises for what a request contains.

        A body that fails while it is read raises `BrokenStreamError` from its iterator, except for
        the crosstab's, which ends with a problem document as its last line.
        """
        name = request_id(request)
        headers: dict[str, str] = {}
        try:
            response = self._answer(request, headers)
        except ServiceError as error:
            response = problem_response(error)
        except StoreBusyError:
            # The store's own words name its file, which is not the caller's affair.
            response = problem_response(UnavailableError("Somebody else is writing. Ask again."))
        except SurveyError:
            _log.exception("Request %s found the survey changed or gone", name)
            response = problem_response(
                UnavailableError(
                    "The survey's files were changed or are not there; the service's log tells "
                    "more. It may have to be started again."
                )
            )
        except StoreFullError as error:
            _log.error("Request %s: %s", name, error)
            response = problem_response(
                StorageFullError("Its disk is full or fails. Nothing was changed.")
            )
        except StoreClosedError:
            response = problem_response(UnavailableError("The service is closed."))
        except TabulationError as error:
            _log.error("Request %s: %s", name, error)
            cause = "Some respondents could not be counted; the service's log tells why."
            response = problem_response(ServiceError(str(error) if self._tells_causes else cause))
        except Exception:
            _log.exception("Request %s failed", name)
            response = problem_response(
                ServiceError("The request may be right; the service's log tells what happened.")
            )
        response.headers.update(headers | {REQUEST_ID: name})
        return response

    def save_audience(
        self,
        audience: Audience | Expression,
        *,
        folder_id: str | None = None,
        flags: Iterable[str] = (),
        datasets: Iterable[str] | None = None,
        shared: bool = False,
    ) -> SavedAudience:
        """Save an audience, and return it with its new id; no operation over the wire does this.

        audience: an expression, or one without a name, is called by its own words.
        flags: of `authored`, `curated` and `isP2`. folder_id: a UUID; none by default.
        datasets: codes; those of the expression's questions by default.
        Raises `TypeError` for what is no audience, `UnknownCodeError` for codes that the survey
        lacks, `ValueError` for another flag or a folder that is no UUID, and `StoreError`.
        """
        if not isinstance(audience, Audience):
            audience = as_audience(audience, self.survey.catalogue.labels)
        context = self._rooms
        context.engine.coverage(audience.expression)
        flags = list(flags)
        if wrong := [flag for flag in flags if flag not in FLAGS]:
            raise ValueError(f"{wrong[0]!r} is no flag; there are {', '.join(FLAGS)}.")
        if folder_id is not None and not is_uuid(folder_id):
            raise ValueError("folder_id is a UUID, or None for no folder.")
        return make_saved_audience(
            context,
            audience,
            folder_id=folder_id,
            flags=flags,
            datasets=datasets,
            shared=flag("shared", shared),
        )

    def saved_audiences(self) -> Listing[SavedAudience]:
        """Every saved audience: the survey's, as they are now, and those made since."""
        return saved_audiences_of(self._rooms)

    def saved_audience(self, id: str) -> SavedAudience:  # noqa: A002 -- the resource's own field name
        """The saved audience of an id; `UnknownIdError` if there is none."""
        found = saved_audience_of(self._rooms, id)
        if found is None:
            raise UnknownIdError(
                f"No saved audience has the id {id!r}. saved_audiences() lists them with their ids."
            )
        return found

    def charts(self) -> Listing[Chart]:
        """Every chart, in the order in which they were created."""
        return charts_of(self._rooms)

    def chart(self, id: str) -> Chart:  # noqa: A002 -- as above
        """The chart of an id; `UnknownIdError` if there is none."""
        found = chart_of(self._rooms, id)
        if found is None:
            raise UnknownIdError(f"No chart has the id {id!r}. charts() lists them with their ids.")
        return found

    def precision(
        self,
        spec: CrosstabSpec | StatsSpec,
        lonely: Lonely | None = "adjust",
        *,
        where_known: bool = False,
    ) -> Precision:
        """How sure the shares of a query are, from the respondents; see `Engine.precision`.

        No operation over the wire does this: it is for whoever has made the service. Raises
        `UnknownCodeError` for codes that the survey lacks, and `VarianceError`.
        """
        return self._rooms.engine.precision(spec, lonely, where_known=where_known)

    def close(self) -> None:
        """Close the store that the service opened; one that it was given stays open."""
        if self._own_store:
            self._rooms.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self, request: Request, headers: dict[str, str]) -> Response:
        """The operation's answer; `headers` collects those that belong to refusals as well."""
        operation, path = self._router.find(request.method, request.path)
        caller = self._credentials.check(request)
        if self._limiter is not None:
            allowance = self._limiter.take(caller)
            headers.update(allowance.headers)
            if not allowance.granted:
                raise TooManyRequestsError(allowance.wait)
        include = read_include(operation, request)
        context = self._rooms
        body = read_body(operation, request, context)
        return operation.answer(RequestContext(context, request, path, include, body))

    def __repr__(self) -> str:
        return f"<Service over {self.survey!r}>"
