"""The root of every error that audiencelab raises, and the form in which one fault is told.

What this is not: the place of any particular error. Each room defines its own beside the code
that raises it (`InvalidExpression`, `SurveyError`, the client's tree) and derives it from
`AudienceError`, so that one `except` catches whatever this package says on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["AudienceError", "Fault", "list_faults"]


class AudienceError(Exception):
    """Every error that audiencelab raises on purpose; its message says what to do."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with one place of a JSON document.

    `pointer` is a JSON pointer (RFC 6901) from the document's root: `""` is the whole document,
    `"/and/0/datapoints"` the datapoints of the first child. `detail` is a sentence that names
    the fault and the fix; it never repeats what was submitted at length.
    """

    pointer: str
    detail: str

    def __str__(self) -> str:
        return f"{self.pointer or '(root)'}: {self.detail}"

    def under(self, prefix: str) -> Fault:
        """The same fault seen from a document in which this one stands at `prefix`."""
        return Fault(prefix + self.pointer, self.detail)


def list_faults(headline: str, faults: Iterable[Fault], *, most: int = 10) -> str:
    """A message of one headline and one line for each fault, cut after `most` of them."""
    listed = list(faults)
    lines = [headline, *(f"  {fault}" for fault in listed[:most])]
    if len(listed) > most:
        lines.append(f"  … and {len(listed) - most} more")
    return "\n".join(lines)
