"""What a misbehaving service does, declared: in Python or in a TOML file.

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

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from audiencelab.errors import AudienceError

__all__ = ["FaultProfile", "FaultProfileError", "FaultRule"]

_Count = Annotated[int, Meta(ge=0)]
_AtLeastOne = Annotated[int, Meta(ge=1)]
_Seconds = Annotated[float, Meta(ge=0)]
_Share = Annotated[float, Meta(ge=0, le=1)]


class FaultProfileError(AudienceError):
    """A fault profile that cannot be read, or asks for what there is not."""


class FaultRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of misbehaviour, and the requests that it meets.

    Which requests:

    path: a pattern of paths, `*` for any characters.
    after: so many of them are answered properly first.
    times: so many are disturbed, the others answered properly; None for no end.

    A refusal, instead of an answer:

    status: 429, 500, 503, …
    body: sent with it as HTML; None for a problem document.
    headers: sent with it.
    retry_after: seconds to tell in `Retry-After`; retry_after_as: whole `seconds`, a
        `fraction`, or an HTTP `date`.

    When it comes (seconds):

    delay: before the head. pause: before each chunk of the body. With `split`, a drip.

    The objects of a stream (crosstab; other bodies are left alone):

    shuffle: in any order. duplicate: the share of them that come twice.
    foreign_ids: audiences carry ids that nobody sent. no_echo: `row` and `column` are left
        out. zero_based: requested audiences count from 0.
    garbage_after: after so many objects come bytes that are no JSON, and then the rest.
    problem_after: after so many objects comes a problem document, and then nothing.
    framing: `lines`, `sequence` (each object after a record separator), `joined` (back to
        back) or `pretty` (indented; JSON answers of other operations too).

    The bytes of any body:

    cut_after: it ends after so many bytes; cut: `clean`, as if that were all, or `broken`,
        with the connection.
    split: it comes in pieces of 1 to so many bytes, cut anywhere.
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

    def meets(self, path: str) -> bool:
        """Whether the rule is about requests of this path."""
        return fnmatchcase(path, self.path)


class FaultProfile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rules in order; the first that meets a request and is due disturbs it, and no other.

    seed: what comes by chance comes the same with the same seed and the same order of requests.
    """

    rules: tuple[FaultRule, ...] = ()
    seed: int = 0

    @classmethod
    def load(cls, file: str | Path) -> FaultProfile:
        """The profile of a TOML file.

        Raises `FaultProfileError`, which names the file and the place in it, and `OSError`.
        """
        text = Path(file).read_bytes()
        try:
            return msgspec.convert(tomllib.loads(text.decode("utf-8")), cls)
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise FaultProfileError(f"{file} is not TOML: {error}") from None
        except msgspec.ValidationError as error:
            raise FaultProfileError(f"{file} is no fault profile: {error}") from None
