"""Notebooks as files: verification of their outputs, and HTML pages.

Modules: `verify` runs a notebook again, `output_diff` compares the outputs of its cells,
`export_html` writes one as an HTML page (`page.css`), `io` reads them.
"""

from __future__ import annotations

from audiencelab.notebook.export_html import export
from audiencelab.notebook.io import NotebookError
from audiencelab.notebook.output_diff import Change, compare
from audiencelab.notebook.verify import CellVerdict, Verification, verify

__all__ = ["CellVerdict", "Change", "NotebookError", "Verification", "compare", "export", "verify"]
