"""What a crosstab grid asks: audiences on both sides, a base, waves and locations, as one value.

It prints back as the code that asks the same without a widget.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import indent

from audiencelab.audience import Audience
from audiencelab.widgets.grid.lines import Lines

__all__ = ["GridQuery"]


@dataclass(frozen=True, slots=True)
class GridQuery:
    """A crosstab query; None on a side means the base audience, None elsewhere the defaults.

    rows, columns: the audiences of either side in order, with the heads over them.
    base_audience: whom everything is counted within; None is everyone.
    waves, locations: codes; None is the service's default (the last four waves, everywhere).
    """

    rows: Lines | None = None
    columns: Lines | None = None
    base_audience: Audience | None = None
    waves: tuple[str, ...] | None = None
    locations: tuple[str, ...] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns; a side that is not given is the base alone."""
        return len(self.rows or ()) or 1, len(self.columns or ()) or 1

    def to_code(self) -> str:
        """Python that asks the same query, given `client` and `audiencelab` as `al`."""
        arguments = self.to_arguments()
        if not arguments:
            return "table = client.crosstab()"
        return f"table = client.crosstab(\n{indent(chr(10).join(arguments), '    ')}\n)"

    def to_arguments(self) -> list[str]:
        """The query as arguments in Python, each with its comma: of a crosstab, or of a widget."""
        arguments = [
            *_audiences_argument("rows", self.rows),
            *_audiences_argument("columns", self.columns),
        ]
        if self.base_audience is not None:
            arguments.append(f"base_audience={self.base_audience.to_code()},")
        for name, codes in (("waves", self.waves), ("locations", self.locations)):
            if codes is not None:
                arguments.append(f"{name}={list(codes)!r},")
        return arguments


def _audiences_argument(name: str, lines: Lines | None) -> list[str]:
    return [] if lines is None else [f"{name}={lines.to_code()},"]
