"""Packages of notebooks: a zip with everything that others need to get the same outputs.

Modules: `making` makes one (`sources` and `watch` find its files, `selection` chooses, `problems`
says what receivers cannot do), `facts` is what its texts are written from (`readme`, `exhibits`,
`citation`, `crate`, `environment`), `archive` writes and checks the zip, `checking` verifies one.
"""

from __future__ import annotations

from audiencelab.notebook.package.about import Details
from audiencelab.notebook.package.checking import verify_package
from audiencelab.notebook.package.making import MadePackage, make_package

__all__ = ["Details", "MadePackage", "make_package", "verify_package"]
