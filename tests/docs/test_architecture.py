"""The page of the architecture lists the packages that `tests/test_imports.py` enforces."""

from __future__ import annotations

import re
from pathlib import Path

from tests.test_imports import MODULES, ORDER

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "project" / "architecture.md").read_text(encoding="utf-8")


def test_the_table_lists_all_packages_in_their_order() -> None:
    table = TEXT.partition("## Packages")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == ORDER


def test_single_modules_are_named() -> None:
    single = {name.split(".")[1] for name in MODULES if name.count(".") == 1} - set(ORDER)
    assert [name for name in single - {"__main__"} if f"`{name}`" not in TEXT] == []


def test_paths_on_the_page_exist() -> None:
    paths = re.findall(r"`((?:\w+/)+\w+(?:\.\w+)?)`", TEXT)
    package = ROOT / "src" / "audiencelab"
    missing = [
        path
        for path in paths
        if not any((base / path).exists() for base in (ROOT, package))
        and not (package / f"{path}.py").exists()
    ]
    assert paths
    assert missing == []
