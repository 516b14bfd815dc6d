"""Notebooks as files: whether their outputs still hold, and how they are passed on.

Not here: anything that a notebook asks or shows. This layer runs notebooks and reads what they put
out, whoever put it there.

Rooms: `verifying` runs one again, `outputs` compares what cells said (tables, the `figures` saved
beside them, `charts`), `exporting` makes a page of one (`page.css`); `files` reads them, `errors`.
"""

from __future__ import annotations

from audiencelab.notebook.errors import NotebookError
from audiencelab.notebook.exporting import export
from audiencelab.notebook.outputs import Change, compare
from audiencelab.notebook.verifying import CellVerdict, Verification, verify

__all__ = ["CellVerdict", "Change", "NotebookError", "Verification", "compare", "export", "verify"]
