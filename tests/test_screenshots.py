"""The screenshots of the guides are small, in both themes, and shown; see `make screenshots`."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from PIL import Image

DOCS = Path(__file__).parents[1] / "docs"
LIGHT = sorted((DOCS / "images").glob("*-light.png"))
# A page of the guides shows several; the widest is a workbench of 1392 pixels.
BUDGET_BYTES = 80_000

in_both_themes = pytest.mark.parametrize("light", LIGHT, ids=lambda path: path.stem)


def dark_twin(light: Path) -> Path:
    return light.with_name(light.name.replace("-light", "-dark"))


def size(png: Path) -> tuple[int, int]:
    """Width and height, as its header says."""
    return struct.unpack(">II", png.read_bytes()[16:24])


@in_both_themes
def test_has_a_dark_twin_of_its_size(light: Path) -> None:
    assert size(dark_twin(light)) == size(light)


@in_both_themes
def test_is_small(light: Path) -> None:
    assert max(png.stat().st_size for png in (light, dark_twin(light))) <= BUDGET_BYTES


@in_both_themes
def test_is_shown_in_both_themes(light: Path) -> None:
    pages = [page.read_text(encoding="utf-8") for page in DOCS.glob("**/*.md")]
    for png in (light, dark_twin(light)):
        assert any(png.name in page for page in pages), f"no page shows {png.name}"


# ---- the moving picture of the README ----

README = (DOCS.parent / "README.md").read_text(encoding="utf-8")
MOVING_BYTES = 1_500_000
themes = pytest.mark.parametrize("theme", ["light", "dark"])


@themes
def test_the_tour_moves_and_is_small(theme: str) -> None:
    file = DOCS / "images" / f"tour-{theme}.webp"
    assert file.stat().st_size <= MOVING_BYTES
    with Image.open(file) as tour, Image.open(file.with_stem(f"{file.stem}-still")) as still:
        assert getattr(tour, "n_frames", 1) >= 10
        assert getattr(still, "n_frames", 1) == 1
        assert tour.size == still.size


@themes
def test_who_wants_nothing_to_move_sees_a_still(theme: str) -> None:
    sources = re.findall(r'<source media="([^"]+)" srcset="([^"]+)"', README)
    calm = {to for media, to in sources if "prefers-reduced-motion: reduce" in media}
    assert f"docs/images/tour-{theme}-still.webp" in calm
    # A browser takes the first that fits.
    assert [to in calm for _, to in sources] == sorted(
        (to in calm for _, to in sources), reverse=True
    )
