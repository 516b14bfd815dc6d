"""A field of a scope is named by few files: those that `CONTRIBUTING.md` lists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "audiencelab"

MOST = 12
"""Files by hand that one field may need to be carried from a call to the engine."""

FILE = r"`((?:\w+/)*\w+\.(?:py|ts))`"


def test_the_worked_example_lists_every_file_that_names_its_field():
    pages = [path for path in (ROOT / "js" / "src").rglob("*.ts") if "generated" not in path.name]
    named = [
        path
        for path in (*PACKAGE.rglob("*.py"), *pages)
        if re.search(r"\bbase_of\b", path.read_text(encoding="utf-8"))
    ]
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    example = guide.partition("## Adding a field to the scope of a query")[2].partition("\n## ")[0]
    carried, _, meant = example.partition("\n| ")[0].partition("What the field means")
    carrying, meaning = (
        [each for each in re.findall(FILE, part) if not each.startswith("tests/")]
        for part in (carried, meant)
    )
    found = [path.relative_to(PACKAGE if PACKAGE in path.parents else ROOT) for path in named]
    assert sorted([*carrying, *meaning]) == sorted(each.as_posix() for each in found)
    assert len(carrying) <= MOST


def test_the_worked_example_names_tests_that_are_there():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    example = guide.partition("## Adding a field to the scope of a query")[2].partition("\n## ")[0]
    tests = {*re.findall(r"`(tests/[\w/]+\.py)`", example)}
    assert tests
    for test in tests:
        assert (ROOT / test).is_file(), test
