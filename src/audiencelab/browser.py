"""Python in a browser (emscripten, as in JupyterLite): what it lacks, and what to do instead.

It has no threads, no sockets and no processes, and it loads a package when a cell that imports it
runs. A function cannot load one, so an import that fails there says what to do.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

IN_BROWSER: bool = sys.platform == "emscripten"
"""Whether this is the Python of a browser."""

_LOADED_BY_A_CELL = {
    "altair": "",
    "pandas": "",
    "polars": "",
    "pyarrow": ' A CSV file can be opened without it: al.open(pandas.read_csv("file.csv")).',
    "scipy": "",
}
"""Packages that a page may have, each with what to do where it has not."""

_ELSEWHERE = (
    "cannot be read in a browser: import the file elsewhere with `audiencelab import`, and open "
    "the survey folder here."
)

_NOT_THERE = {
    "openpyxl": f"Excel workbooks {_ELSEWHERE}",
    "pyreadstat": f"SPSS, Stata and SAS files {_ELSEWHERE}",
    "vl_convert": (
        "Files of charts cannot be written in a browser: display the chart and save "
        'it from the menu in its corner, or write its specification with .save("chart.json").'
    ),
}


def is_installed(package: str) -> bool:
    """Whether a package can be imported; it is not imported."""
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


class MissingPackages:
    """Raises `ModuleNotFoundError` with what to do for packages that a browser has not loaded.

    The last finder of `sys.meta_path`, so that it is asked after all others found nothing.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """None for all packages that it does not know."""
        if name in _NOT_THERE:
            raise ModuleNotFoundError(_NOT_THERE[name], name=name)
        if name in _LOADED_BY_A_CELL:
            raise ModuleNotFoundError(
                f"{name} is not loaded: run `import {name}` in a cell of its own, then this cell "
                f"again. If that import fails too, this page cannot load {name}."
                f"{_LOADED_BY_A_CELL[name]}",
                name=name,
            )
        return None


def explain_missing_packages() -> None:
    """Make failed imports say what to do, in a browser only."""
    if IN_BROWSER and not any(isinstance(each, MissingPackages) for each in sys.meta_path):
        sys.meta_path.append(MissingPackages())
