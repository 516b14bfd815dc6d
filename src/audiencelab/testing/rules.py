"""Rules of faults: what a misbehaving service does, in Python or in a TOML file.

seed = 7

[[rules]]                      # the first two requests are refused …
status = 429
retry_after = 0.5
retry_after_as = "fraction"
times = 2

[[rules]]                      # … and crosstabs end in the middle from then on
path = "/v2/query/crosstab"
shuffle = true
cut_after = 20000
cut = "clean"
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from audiencelab.errors import AudienceError

_Count = Annotated[int, Meta(ge=0)]
_AtLeastOne = Annotated[int, Meta(ge=1)]
_Seconds = Annotated[float, Meta(ge=0)]
_Share = Annotated[float, Meta(ge=0, le=1)]


class FaultProfileError(AudienceError):
    """A fault profile that cannot be read, or has unknown or invalid fields."""


class FaultRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of misbehaviour, and the requests that it applies to.

    Which requests:

    path: a pattern of paths, `*` for any characters.
    after: number of matching requests that are answered properly first.
    times: number of requests that are disturbed, later ones are not; None for no end.

    A refusal, instead of a response:

    status: 429, 500, 503, …
    body: sent with it as HTML; None for a problem document.
    headers: sent with it.
    retry_after: seconds in `Retry-After`; retry_after_as: whole `seconds`, a `fraction`, or an
        HTTP `date`.

    Delays (seconds):

    delay: before the headers. pause: before each chunk of the body. With `split`, a drip.

    The objects of a stream (crosstab as JSON; other bodies are left alone):

    shuffle: in any order. duplicate: the share of them that come twice.
    foreign_ids: audiences have ids that nobody sent. no_echo: `row` and `column` are left out.
    zero_based: requested audiences count from 0.
    garbage_after: after this many objects come bytes that are not JSON, and then the rest.
    problem_after: after this many objects comes a problem document, and then nothing.
    framing: `lines`, `sequence` (each object after a record separator), `joined` (back to
        back) or `pretty` (indented; JSON responses of other operations too).

    The bytes of any body:

    cut_after: it ends after this many bytes; cut: `clean`, as if that were all, or `broken`,
        with the connection.
    split: it comes in pieces of 1 to this many bytes, cut anywhere.
    """

    path: str = "*"
    after: _Count = 0
    times: _Count | None = None

    status: Annotated[int, Meta(ge=400, le=599)] | None = None
    body: str | None = None
    headers: dict[str, str] = {}
    retry_after: _Seconds | None = None
    retry_after_as: Literal["seconds", "fraction", "date"] = "seconds"

    delay: _Seconds = 0.0
    pause: _Seconds = 0.0

    shuffle: bool = False
    duplicate: _Share = 0.0
    foreign_ids: bool = False
    no_echo: bool = False
    zero_based: bool = False
    garbage_after: _Count | None = None
    problem_after: _Count | None = None
    framing: Literal["lines", "sequence", "joined", "pretty"] = "lines"

    cut_after: _Count | None = None
    cut: Literal["clean", "broken"] = "clean"
    split: _AtLeastOne | None = None

    @property
    def changes_objects(self) -> bool:
        """Whether the rule is about the objects of a stream, not its bytes alone."""
        return (
            self.shuffle
            or self.foreign_ids
            or self.no_echo
            or self.zero_based
            or bool(self.duplicate)
            or self.framing != "lines"
            or self.garbage_after is not None
            or self.problem_after is not None
        )

    def matches(self, path: str) -> bool:
        """Whether the rule applies to requests of this path."""
        return fnmatchcase(path, self.path)
