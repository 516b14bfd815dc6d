"""Comments and docstrings name files that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[1]

FOLDERS = ("src/audiencelab", "js/src", "js/tests", "tests", "tools")

NAMED = re.compile(r"`([\w.-]+(?:/[\w.-]+)*\.(?:py|tsx?|mjs|css))`")
"""A file of ours in backticks, from any folder above it."""


def sources() -> Iterator[Path]:
    for folder in FOLDERS:
        for ending in ("*.py", "*.ts", "*.tsx", "*.css"):
            yield from (ROOT / folder).rglob(ending)


def missing(text: str, known: set[str]) -> list[str]:
    return [name for name in NAMED.findall(text) if f"/{name}" not in known]


def known_files() -> set[str]:
    """Every file by each end of its path, such as `/engine/metrics.py`."""
    tops = (
        ROOT / top for top in ("src", "js/src", "js/tests", "js/facade", "tests", "tools", "docs")
    )
    found = chain(ROOT.glob("*"), (ROOT / "js").glob("*"), *(top.rglob("*.*") for top in tops))
    ends: set[str] = set()
    for path in found:
        parts = path.relative_to(ROOT).parts
        ends |= {"/" + "/".join(parts[at:]) for at in range(len(parts))}
    return ends


def test_files_that_comments_name_exist() -> None:
    known = known_files()
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sources()
        for name in missing(path.read_text("utf-8"), known)
    ]
    assert found == []


def test_a_file_that_does_not_exist_is_found() -> None:
    known = {"/engine/metrics.py", "/metrics.py"}
    assert missing("See `engine/metrics.py` and `metrics.py`.", known) == []
    other = "frames/heat.py"
    assert missing(f"/* `{other}` has the rule */", known) == [other]
