"""An answer as it came, for those who ask for a path of the service themselves.

What it is not: the HTTP library's response. It holds no connection, no credential and no cookie,
so it can be shown, stored and pickled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

import msgspec

from audiencelab.client.errors import InvalidResponse, RequestLine

T = TypeVar("T")

_SHOWN = frozenset({"content-length", "content-type", "date", "retry-after", "x-request-id"})
_SHOWN_PREFIX = "x-ratelimit-"


def shown_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that say something of the answer and nothing of whoever asked."""
    return {
        name: value
        for name, value in headers.items()
        if name in _SHOWN or name.startswith(_SHOWN_PREFIX)
    }


@dataclass(frozen=True, slots=True)
class RawResponse:
    """An answer with a status of success.

    request: which request it answers, with its status, id and number of attempts.
    headers: those that say something of the answer, by lower-case name.
    body: its bytes, any compression undone.
    seconds: from the first attempt to the last byte.
    """

    request: RequestLine
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    seconds: float

    @property
    def status(self) -> int:
        """The HTTP status, 200 to 299."""
        return self.request.status or 0

    @property
    def request_id(self) -> str:
        """The service's id for the request where it gave one, else the client's."""
        return self.request.request_id

    @property
    def attempts(self) -> int:
        """How often the request was sent."""
        return self.request.attempts

    def __getitem__(self, key: object) -> NoReturn:
        raise TypeError(f"An answer has no items, its JSON has: answer.json()[{key!r}].")

    def json(self) -> Any:
        """The body as dictionaries, lists and plain values; raises `InvalidResponse`."""
        return self.parse(object)

    def parse(self, kind: type[T]) -> T:
        """The body as a value of a type that msgspec knows; raises `InvalidResponse`."""
        try:
            return msgspec.json.decode(self.body, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            detail = str(error)
        raise InvalidResponse(f"The answer is not what was expected: {detail}.", self.request)
