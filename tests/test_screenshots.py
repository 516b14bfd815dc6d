"""The screenshots of the guides are small, in both themes, and shown; see `make screenshots`."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
LIGHT = sorted((DOCS / "images").glob("*-light.png"))
# A page of the guides shows several.
BUDGET_BYTES = 64_000

pytestmark = pytest.mark.parametrize("light", LIGHT, ids=lambda path: path.stem)


def dark_twin(light: Path) -> Path:
    return light.with_name(light.name.replace("-light", "-dark"))


def size(png: Path) -> tuple[int, int]:
    """Width and height, as its header says."""
    return struct.unpack(">II", png.read_bytes()[16:24])


def test_has_a_dark_twin_of_its_size(light: Path) -> None:
    assert size(dark_twin(light)) == size(light)


def test_is_small(light: Path) -> None:
    assert max(png.stat().st_size for png in (light, dark_twin(light))) <= BUDGET_BYTES


def test_is_shown_in_both_themes(light: Path) -> None:
    pages = [page.read_text(encoding="utf-8") for page in DOCS.glob("**/*.md")]
    for png in (light, dark_twin(light)):
        assert any(png.name in page for page in pages), f"no page shows {png.name}"
