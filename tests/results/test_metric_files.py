"""A metric of a cell is named by few files: those that `CONTRIBUTING.md` lists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "audiencelab"

MOST = 6
"""Files by hand that one metric may need."""

NAMES = r"\b(column_errors|row_base_errors|row_base_standard_error)\b"


def example() -> str:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return guide.partition("## Adding a metric of a cell")[2].partition("\n## ")[0]


def test_the_worked_example_lists_every_file_that_names_its_metric() -> None:
    named = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if re.search(NAMES, path.read_text(encoding="utf-8"))
    ]
    steps = re.findall(r"^\d\. `([\w/]+\.py)`", example(), re.MULTILINE)
    assert sorted(steps) == sorted(named)
    assert len(steps) <= MOST


def test_no_file_of_the_page_that_is_written_by_hand_names_it() -> None:
    pages = (ROOT / "js" / "src").rglob("*.ts*")
    by_hand = [path for path in pages if "protocol" not in path.parts]
    assert not [path for path in by_hand if "standard_error" in path.read_text(encoding="utf-8")]


def test_the_worked_example_names_files_that_are_there() -> None:
    named = re.findall(r"`((?:tests|js|engine|schema|service|client)/[\w./]+)`", example())
    assert len(named) > 5
    for name in named:
        assert (ROOT / name).is_file() or (PACKAGE / name).is_file(), name
