"""The page of the architecture and its picture say what `tests/test_layers.py` enforces."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.picture_of_layers import PICTURE, arrows, doors, draw, layers
from tests.test_layers import GROUND

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "architecture.md"


def rows_of_the_table() -> dict[str, set[str]]:
    """Each layer of the page's table, by its folder's name, and what it says it may import."""
    lines = re.findall(
        r"^\| [^|]+ \| `(\w+)`[^|]* \| [^|]+ \| ([^|]+) \|$", PAGE.read_text(), re.MULTILINE
    )
    return {
        "language" if folder == "audience" else str(folder): set(
            re.findall(r"\w+", said.replace("–", ""))
        )
        for folder, said in lines
    }


def test_the_table_is_what_is_enforced() -> None:
    assert rows_of_the_table() == layers()


def test_the_page_names_the_ground() -> None:
    said = PAGE.read_text().partition("Every layer may also use the ground")[2]
    assert [name for name in GROUND if f"`{name}`" not in said] == []


def test_the_picture_is_of_today() -> None:
    assert PICTURE.read_text(encoding="utf-8") == draw(), "make pictures draws it again"


def test_the_page_shows_the_picture() -> None:
    assert f":file: ../images/{PICTURE.name}" in PAGE.read_text()


def test_arrows_lead_to_all_that_may_be_imported_and_to_nothing_else() -> None:
    table = layers()
    for above, below in arrows():
        assert below in table[above]

    def reached(layer: str) -> set[str]:
        below = {end for start, end in arrows() if start == layer}
        return below.union(*(reached(each) for each in below))

    for layer, may in table.items():
        assert may <= reached(layer)


def test_doors_are_drawn_apart() -> None:
    assert ("client", "service") in doors()
    assert not set(doors()) & set(arrows())
