"""A count with its noun, as every layer tells it."""

from __future__ import annotations

__all__ = ["plural"]


def plural(count: int, noun: str) -> str:
    """A count with its noun: "1 row", "1,000 rows", "5 suffixes"."""
    ending = "es" if noun.endswith("x") else "s"
    return f"{count:,} {noun}{'' if count == 1 else ending}"
