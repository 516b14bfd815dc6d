"""The embedded service: the audience research operations over a survey, free of any transport.

`Service(survey).handle(Request(...))` gives a `Response` whose body is made while it is read.

Rooms: `routing`, `auth`, `reading` the way in, `repeated`
names that stand twice; `fields` and `expressions` the declarative types that validate; `problems`
how a request fails; `limits`; `rates` how often one may ask; `current` which version of
the survey; `store` what is kept; `catalogue` resources; `streams` bodies; `operations` one module a
resource.

Doors: `http` serves it on a port, `openapi` publishes its interface, `faults` makes it misbehave
for the tests of what asks it.
"""

from audiencelab.schema.http import Request, Response
from audiencelab.service.limits import Limits
from audiencelab.service.rates import RateLimit
from audiencelab.service.service import REQUEST_ID, Service, UnknownIdError
from audiencelab.service.store import Store, StoreError, StoreWarning

__all__ = [
    "REQUEST_ID",
    "Limits",
    "RateLimit",
    "Request",
    "Response",
    "Service",
    "Store",
    "StoreError",
    "StoreWarning",
    "UnknownIdError",
]
