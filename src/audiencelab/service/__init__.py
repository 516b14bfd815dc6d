"""The embedded service: the audience research operations over a panel, free of any transport.

`Service(panel).handle(Request(...))` gives a `Response` whose body is made while it is read.

Rooms: `messages` what comes in and goes out; `routing`, `auth`, `reading` the way in; `fields`
and `expressions` the declarative types that validate; `problems` how a request fails; `limits`;
`catalogue` resources; `streams` bodies; `operations` one module a resource.
"""

from audiencelab.service.limits import Limits
from audiencelab.service.messages import Request, Response
from audiencelab.service.service import REQUEST_ID, Service

__all__ = ["REQUEST_ID", "Limits", "Request", "Response", "Service"]
