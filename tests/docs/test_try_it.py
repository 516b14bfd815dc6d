"""Links of the documentation to the lab in the browser."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "extensions"))

try_it = pytest.importorskip("try_it", reason="sphinx is not installed")


def link(page: str) -> str:
    return try_it.link(page, lambda path, resource: "../" * page.count("/") + path)


@pytest.mark.parametrize(
    ("page", "address"),
    [
        ("index", "lite/lab/index.html?path=01-quickstart.ipynb"),
        (
            "tutorial/notebooks/course/lesson-3-index",
            "../../../lite/lab/index.html?path=course/lesson-3-index.ipynb",
        ),
    ],
)
def test_pages_of_notebooks_link_to_theirs(page: str, address: str) -> None:
    assert f'href="{address}"' in link(page)


def test_other_pages_have_no_link() -> None:
    assert link("how-to/grid") == ""
