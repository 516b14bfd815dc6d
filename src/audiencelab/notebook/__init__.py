"""Notebooks as files: verification of their outputs, and HTML pages.

Modules: `verify` compares a notebook with a run of it (`run`, which notes in `run_log` what cells
do), cell by cell (`output_diff`: each `change`), with findings (`verdict`) and `causes`;
`export_html` writes one as an HTML page (`page.css`), `io` reads them.
"""

from __future__ import annotations

from audiencelab.notebook.change import Change
from audiencelab.notebook.export_html import export
from audiencelab.notebook.io import NotebookError
from audiencelab.notebook.output_diff import compare
from audiencelab.notebook.run import NotebookRun, run_notebook
from audiencelab.notebook.verdict import Cause, CellVerdict, Verification
from audiencelab.notebook.verify import compare_notebooks, verify

__all__ = [
    "Cause", "CellVerdict", "Change", "NotebookError", "NotebookRun", "Verification", "compare",
    "compare_notebooks", "export", "run_notebook", "verify",
]  # fmt: skip
