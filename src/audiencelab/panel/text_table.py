"""A table as lines of text, for the command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

__all__ = ["text_table"]


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns in line, numbers to the right; cells that are too long are cut."""
    cut = [[_short(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[place]) for row in cut) for place in range(len(header))]
    right = [all(_is_number(row[place]) for row in cut[1:]) for place in range(len(header))]
    for number, row in enumerate(cut):
        cells = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        )
        yield "  ".join(cells).rstrip()
        if number == 0:
            yield "  ".join("-" * width for width in widths)


def _is_number(cell: str) -> bool:
    return cell.replace(",", "").replace(".", "").isdecimal()


def _short(cell: str, most: int = 60) -> str:
    return cell if len(cell) <= most else cell[: most - 1] + "…"
