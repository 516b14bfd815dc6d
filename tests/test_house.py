"""No file is too long to be read as a whole, and docstrings have one form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

MOST_LINES = 500
"""In a file, unless its first lines say why it is longer."""

WRITTEN_BY_HAND = (
    *("src/audiencelab/**/*.py", "tests/**/*.py", "tools/**/*", "docs/extensions/**/*.py"),
    *("js/src/**/*.*", "js/tests/**/*.*", "js/*.mjs", "*.py"),
)


def lines_too_many(text: str) -> int:
    lines = text.splitlines()
    says_why = any("long because" in line.lower() for line in lines[:12])
    return 0 if says_why else max(0, len(lines) - MOST_LINES)


def files() -> list[Path]:
    found = {path for pattern in WRITTEN_BY_HAND for path in ROOT.glob(pattern)}
    return sorted(
        path for path in found if path.suffix in {".py", ".sh", ".mjs", ".ts", ".tsx", ".css"}
    )


def test_a_file_can_be_read_whole() -> None:
    too_many = {
        str(path.relative_to(ROOT)): over
        for path in files()
        if (over := lines_too_many(path.read_text(encoding="utf-8")))
    }
    assert too_many == {}, (
        "split it by subject, or say in its first lines that it is long because …"
    )


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("x\n" * MOST_LINES, 0),
        ("x\n" * (MOST_LINES + 2), 2),
        ('"""A table.\n\nLong because a table is read as one.\n"""\n' + "x\n" * MOST_LINES, 0),
        ("x\n" * MOST_LINES + "# long because this comment is too far down\n", 1),
    ],
)
def test_sees_what_is_too_long(text: str, over: int) -> None:
    assert lines_too_many(text) == over


def test_docstrings_describe_arguments_in_one_form() -> None:
    sections = re.compile(
        r"^\s+(Args|Parameters|Raises|Returns|Yields|Examples?):\s*$", re.MULTILINE
    )
    others = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "src").rglob("*.py")
        if sections.search(path.read_text("utf-8"))
    ]
    assert others == [], (
        "write `name: meaning`, and the errors in a sentence that begins with Raises"
    )
