"""Which files JupyterLab opens as a survey."""

from __future__ import annotations

from audiencelab.ingest.readers import SUFFIXES

_SHOWN = (".csv", ".tsv", ".tab", ".dat", ".asc", ".txt", ".xml", ".gz")
"""Of files that JupyterLab shows itself, as tables or text: *Open as survey* is in their menu."""

BY_ITSELF = (*(each for each in SUFFIXES if not each.endswith(_SHOWN)), ".zip")
"""Of files that a double click opens as a survey; a .zip may contain one."""


def opens_by_itself(name: str) -> bool:
    """Whether a double click on a file of this name opens it as a survey.

    >>> [opens_by_itself(name) for name in ("a.sav", "a.CSV", "a.csv.gz", "notes.md")]
    [True, False, False, False]
    """
    return name.lower().endswith(BY_ITSELF)
