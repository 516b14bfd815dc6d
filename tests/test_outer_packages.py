"""Packages that few users need are imported by no others but the declared entry points."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.test_imports import MODULES, TOP, Graph, graph, package_of

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
PAGE = Path(__file__).parents[1] / "docs" / "project" / "architecture.md"

OUTER: Mapping[str, str | None] = {
    "audiencelab.service.http": "server",
    "audiencelab.engine.distributed": "cluster",
    "audiencelab.assistants": "mcp",
    "audiencelab.jupyter.lite": "lite",
    "audiencelab.jupyter.pyodide": "lite",
    "audiencelab.course": None,
    "audiencelab.testing": None,
}
"""Each outer package or module with its extra; None where it needs no further library."""

ENTRY_POINTS = {
    # `al.connect(engine=…)` and `serve(engine=…)` take the address of a cluster.
    ("audiencelab.client.transports.embedded", "audiencelab.engine.distributed"),
}
"""Imports by inner modules, beside those of the top module and the command line."""


def outer_of(module: str) -> str:
    """The outer package that a module is in, or ""."""
    inside = (each for each in OUTER if module == each or module.startswith(f"{each}."))
    return next(inside, "")


def inward(imports: Graph) -> set[tuple[str, str]]:
    """Inner modules with the outer ones that they import."""
    return {
        (module, other)
        for module, imported in imports.items()
        if module not in TOP and package_of(module) != "cli" and not outer_of(module)
        for other in imported
        if outer_of(other)
    }


def test_no_inner_package_imports_an_outer_one() -> None:
    assert inward(graph()) == ENTRY_POINTS
    assert {each for each in OUTER if each not in MODULES} == set()


@pytest.mark.parametrize("package", OUTER)
def test_an_outer_package_has_an_extra_and_is_documented(package: str) -> None:
    project = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]
    extra = OUTER[package]
    assert extra is None or extra in project["optional-dependencies"]
    section = PAGE.read_text("utf-8").split("## Outer packages")[1].split("\n## ")[0]
    assert f"`{package.removeprefix('audiencelab.').replace('.', '/')}" in section
    assert extra is None or f"`{extra}`" in section


def test_sees_an_import_of_an_outer_package() -> None:
    imports = {
        "audiencelab.tables.base": {"audiencelab.course.student"},
        "audiencelab.cli.course": {"audiencelab.course"},
        "audiencelab.assistants.tools": {"audiencelab.service.http.server"},
    }
    assert inward(imports) == {("audiencelab.tables.base", "audiencelab.course.student")}
