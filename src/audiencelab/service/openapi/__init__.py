"""The published interface: an OpenAPI 3.1 document made from what validates and what is sent.

`document(limits)` reads the declarations of the operations, so it cannot say anything else than
the service does. It holds no code of any survey: it is the same for every survey.

Rooms: `document` paths, statuses and security; `schemas` bodies and answers; `examples` requests
that the demo survey answers.
"""

from audiencelab.service.openapi.document import document

__all__ = ["document"]
