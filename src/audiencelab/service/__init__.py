"""The embedded service: the audience research operations over a survey, free of any transport.

`Service(survey).handle(Request(...))` returns a `Response` whose body is made while it is read.

`fields` declares and validates bodies, `requests` and `responses` read and write them, `operations`
has one module a resource, and `http` serves them on a port.
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
