"""The masculinity survey of May 2018: its files, its codebook, and its published tables."""

from __future__ import annotations

import csv
from functools import cache

from audiencelab.ingest import Codebook, load_codebook
from tests.surveys.data import DATA, MASCULINITY

SOURCES = (MASCULINITY / "raw-responses.csv.gz",)
PUBLISHED = MASCULINITY / "masculinity-survey.csv"
CODEBOOK = DATA / "v1" / "masculinity.toml"

GRID, GRID_ITEMS = "q0007", 11
IN_PRINT = (
    *("q0001", "q0002", "q0004", "q0005"),
    *(f"{GRID}_{item:04}" for item in range(1, GRID_ITEMS + 1)),
    *(f"q{number:04}" for number in (*range(8, 16), *range(17, 23), 24, 25, 26, 28, 29)),
    "age3",
)
"""The questions, or columns of the grid, of the published tables, in their order."""


def make_masculinity_codebook() -> Codebook:
    """The codebook of all closed questions and banner variables."""
    return load_codebook(CODEBOOK)


@cache
def published_tables() -> dict[str, tuple[str, tuple[str, ...]]]:
    """The published tables in order: question or grid column → wording, answers."""
    tables: list[tuple[str, list[str]]] = []
    with PUBLISHED.open(encoding="latin-1", newline="") as file:
        for title, answer, *_ in list(csv.reader(file))[2:]:
            if title:
                tables.append((title, []))
            elif answer:
                tables[-1][1].append(mended(answer))
    return {
        code: (mended(title), tuple(answers))
        for code, (title, answers) in zip(IN_PRINT, tables, strict=True)
    }


def mended(text: str) -> str:
    """Curly apostrophes were lost in the file, and stand there as question marks."""
    for lost in ("?s ", "?t ", "?re "):
        text = text.replace(lost, f"'{lost[1:]}")
    return text
