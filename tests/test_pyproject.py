"""The package allows newer Pythons and newer libraries, but for those known to differ."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))[
    "project"
]


def test_no_python_and_no_library_is_too_new() -> None:
    extras = PROJECT["optional-dependencies"].values()
    wanted = [*PROJECT["dependencies"], *(each for extra in extras for each in extra)]
    assert re.fullmatch(r">=3\.\d+", PROJECT["requires-python"])
    assert [each for each in wanted if re.search(r"<|==|~=", each)] == [
        "httpx>=0.28,<1",
        "jupyterlite-core[contents]>=0.7,<0.8",
        "jupyterlite-pyodide-kernel>=0.7.2,<0.8",
    ]


def test_it_says_that_it_runs_on_this_python() -> None:
    running = f"Programming Language :: Python :: {sys.version_info.major}.{sys.version_info.minor}"
    assert running in PROJECT["classifiers"]
