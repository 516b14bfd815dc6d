"""What calls return beside tables: listings of waves and locations, and responses as they came."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from audiencelab.client.decoding import read_legible
from audiencelab.client.errors import InvalidResponse, RequestLine
from audiencelab.results.arrow import HasFrame
from audiencelab.schema import listing
from audiencelab.schema.listing import listed_fields, shown

if TYPE_CHECKING:
    import pandas as pd

Entry = TypeVar("Entry")
T = TypeVar("T")

_SHOWN = frozenset(
    {"content-length", "content-type", "date", "etag", "retry-after", "x-request-id"}
)


class Listing(HasFrame, listing.ListedTuple[Entry]):
    """Waves, locations or answers in order: a tuple that shows itself as a table."""

    def to_frame(self) -> pd.DataFrame:
        """One row for each entry, a column for each listed field."""
        import pandas as pd

        rows = [listed_fields(each, self._fields) for each in self]
        return pd.DataFrame(rows, columns=list(self._fields))

    def _repr_html_(self) -> str:
        from audiencelab.markup import card, table
        from audiencelab.wording import plural

        rows = [listed_fields(each, self._fields) for each in self]
        # Empty columns are left out: few questions have midpoints.
        names = [name for name in self._fields if any(shown(row[name]) for row in rows)]
        listed = table(
            [name.capitalize() for name in names],
            [[shown(row[name]) for name in names] for row in rows],
            numeric=[place for place, name in enumerate(names) if name not in self._fields[:2]],
        )
        title = plural(len(self), type(self[0]).__name__.lower()) if self else "None"
        return str(card(title, listed))


@dataclass(frozen=True, slots=True)
class Wave:
    """A wave of the survey. sample: its respondents; size: their weighted count.

    The sample is None, and the size NaN, where a service does not return them.
    """

    code: str
    name: str
    sample: int | None
    size: float


@dataclass(frozen=True, slots=True)
class Location:
    """A location of the survey, by the code that `locations=` takes."""

    code: str
    name: str


@dataclass(frozen=True, slots=True)
class RawResponse:
    """A successful response as it came, without connection, credential and cookies.

    request: which request it answers, with its status, id and number of attempts.
    headers: those that describe the response, by lower-case name.
    body: its bytes after decompression.
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

    def json(self) -> Any:
        """The body as dictionaries, lists and plain values; raises `InvalidResponse`.

        >>> sorted(client.request("GET", "/v2/questions/core.q2").json())[:2]
        ['question']
        """
        return self.parse(object)

    def parse(self, kind: type[T]) -> T:
        """The body as a value of a type that msgspec knows; raises `InvalidResponse`.

        >>> response = client.request("GET", "/v2/questions/core.q2")
        >>> response.parse(dict[str, object]).keys()
        dict_keys(['question'])
        """
        try:
            return read_legible(lambda body: msgspec.json.decode(body, type=kind), self.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            detail = str(error)
        raise InvalidResponse(f"The response is not what was expected: {detail}.", self.request)


def shown_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that describe the response and do not reveal who asked."""
    return {
        name: value
        for name, value in headers.items()
        if name in _SHOWN or name.startswith("x-ratelimit-")
    }
