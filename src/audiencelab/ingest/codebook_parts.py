"""What a codebook says of the study as a whole, and of itself."""

from __future__ import annotations

from typing import ClassVar

import msgspec
from msgspec.structs import force_setattr

from audiencelab.ingest.markup import composed
from audiencelab.schema.scope import BaseOf
from audiencelab.survey.record import Sizes


class CodebookPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a codebook; a field that it does not know is a slip of the pen."""

    # Names of columns and of answers are in Unicode's form NFC, as those of files are.
    _texts: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for name in self._texts:
            value = getattr(self, name)
            # There are very many parts, and few with accents.
            if value and not (isinstance(value, str) and value.isascii()):
                force_setattr(self, name, composed(value))


class Study(CodebookPart, frozen=True):
    """What the survey is called, what those who cite it need, and where its questions live.

    citation, doi, licence, producer: as they are to be cited; the DOI without its address.
    universe: whom the sample represents. field_dates: of the fieldwork, as text, such as
    "2025-03-03 to 2025-03-28"; by default those of the waves, where they are of days.

    namespace: of every question that names none; also the survey's base namespace.
    location: code of the question whose datapoints are the locations; without one, everybody
    is in the one location "All".
    base_of: who counts in a cell of a query that names none: "valid", those who answered, or
    "everyone". sizes: weighted sizes over several waves: the "average" of samples of one
    population, or the "sum" of the parts of one sample.
    """

    name: str = ""
    description: str = ""
    namespace: str = "core"
    location: str | None = None
    base_of: BaseOf = "valid"
    sizes: Sizes = "average"
    citation: str = ""
    doi: str = ""
    licence: str = ""
    producer: str = ""
    universe: str = ""
    field_dates: str = ""


class Pinned(CodebookPart, frozen=True):
    """That a codebook was written by `al.open(…, pin=True)`, and says all that it took for granted.

    The words of answers decide nothing then that the codebook leaves out. audiencelab: the version
    that wrote it. arguments: of the call, as code, by name. files, codebook, survey: checksums of
    what was read, of what was written and of what was guessed, and the version of the survey that
    they made.
    """

    audiencelab: str
    format: int = 1
    arguments: dict[str, str] = {}
    files: str = ""
    codebook: str = ""
    guesses: str = ""
    survey: str = ""
