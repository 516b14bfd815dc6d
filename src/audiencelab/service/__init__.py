"""The embedded service: the audience research operations over a survey, free of any transport.

`Service(survey).handle(Request(...))` returns a `Response` whose body is made while it is read.

Modules, from the bottom: `limits`; `responses`; `validation` and `survey_fields`, the declarative
types of bodies; `store`; `context`; `requests`; `operations`, one module a resource; `openapi`;
`service`. `http` serves it on a port, `faults` makes it misbehave for the tests of clients.
"""

from audiencelab.schema.http import Request, Response
from audiencelab.service.limits import Limits, RateLimit
from audiencelab.service.requests import REQUEST_ID
from audiencelab.service.service import Service, UnknownIdError
from audiencelab.service.store import Store, StoreError

__all__ = [
    "REQUEST_ID",
    "Limits",
    "RateLimit",
    "Request",
    "Response",
    "Service",
    "Store",
    "StoreError",
    "UnknownIdError",
]
