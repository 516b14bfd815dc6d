"""A field of a scope is named by few files: those that `CONTRIBUTING.md` lists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "audiencelab"

MOST = 12
"""Files by hand that one field may need."""


def test_the_worked_example_lists_every_file_that_names_its_field():
    pages = [path for path in (ROOT / "js" / "src").rglob("*.ts") if "generated" not in path.name]
    named = [
        path
        for path in (*PACKAGE.rglob("*.py"), *pages)
        if re.search(r"\bbase_of\b", path.read_text(encoding="utf-8"))
    ]
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    example = guide.partition("## Adding a field to the scope of a query")[2].partition("\n## ")[0]
    listed = re.findall(r"`((?:\w+/)+\w+\.(?:py|ts))`", example.partition("\n| ")[0])
    ours = [each for each in listed if not each.startswith("tests/")]
    assert sorted(ours) == sorted(str(path.relative_to(PACKAGE)) for path in named)
    assert len(named) <= MOST


def test_the_worked_example_names_tests_that_are_there():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    example = guide.partition("## Adding a field to the scope of a query")[2].partition("\n## ")[0]
    tests = {*re.findall(r"`(tests/[\w/]+\.py)`", example)}
    assert tests
    for test in tests:
        assert (ROOT / test).is_file(), test
