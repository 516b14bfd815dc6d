"""The root of every error that audiencelab raises, and the form of one validation error.

Packages define their own errors beside the code that raises them (`InvalidExpression`,
`SurveyError`, the client's tree) and derive them from `AudienceError`, so that one `except`
catches all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from audiencelab.hidden_members import hide_members

__all__ = ["AudienceError", "Fault", "list_faults"]


# The page of the reference that explains the errors of a package; of the others, "expressions".
PAGES = {
    "client": "client",
    **dict.fromkeys(["engine", "ingest", "schema", "survey"], "surveys"),
    "results": "client",
    **dict.fromkeys(["local_servers", "service", "testing"], "serving"),
    **dict.fromkeys(["course", "files", "jupyter", "notebook"], "notebooks"),
    "widgets": "widgets",
}
DOCS = "https://github.com/audiencelab/audiencelab/blob/main/docs/reference/errors"


class AudienceError(Exception):
    """Every error that audiencelab raises on purpose; its message says what to do.

    A note below the traceback links the error's entry in the reference.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.add_note(f"More: {link(type(self))}")


def link(kind: type[AudienceError]) -> str:
    """The address of an error's entry in the reference.

    >>> link(AudienceError).rpartition("/")[2]
    'expressions.md#audienceerror'
    """
    page = PAGES.get(kind.__module__.split(".")[1], "expressions")
    return f"{DOCS}/{page}.md#{kind.__name__.lower()}"


@hide_members("under")
@dataclass(frozen=True, slots=True)
class Fault:
    """One error at one location of a JSON document.

    `pointer` is a JSON pointer (RFC 6901) from the document's root: `""` is the whole document,
    `"/and/0/datapoints"` the datapoints of the first child. `detail` is a sentence that names
    the error and the fix; it never repeats the input at length.

    >>> al.Fault("/waves/0", "No wave has this code.")
    Fault(pointer='/waves/0', detail='No wave has this code.')
    """

    pointer: str
    detail: str

    def __str__(self) -> str:
        return f"{self.pointer or '(root)'}: {self.detail}"

    def under(self, prefix: str) -> Fault:
        """The same fault in a document that contains this one at `prefix`.

        >>> al.Fault("/0", "No wave has this code.").under("/waves").pointer
        '/waves/0'
        """
        return Fault(prefix + self.pointer, self.detail)


def list_faults(headline: str, faults: Iterable[Fault], *, most: int = 10) -> str:
    """A message of one headline and one line for each fault, cut after `most` of them."""
    listed = list(faults)
    lines = [headline, *(f"  {fault}" for fault in listed[:most])]
    if len(listed) > most:
        lines.append(f"  … and {len(listed) - most} more")
    return "\n".join(lines)
