"""What a crosstab grid asks: audiences on both sides, a base, waves and locations, as one value.

It prints back as the code that asks the same without a widget.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from textwrap import indent

from audiencelab.expressions import Audience, combine
from audiencelab.widgets.crosstab.lines import Lines

__all__ = ["GridQuery"]


@dataclass(frozen=True, slots=True)
class GridQuery:
    """A crosstab query; None on a side means the base audience, None elsewhere the defaults.

    rows, columns: the audiences of either side in order, with the heads over them.
    base_audience: whom everything is counted within; None is everyone.
    waves, locations: codes; None is the service's default (the last four waves, everywhere).
    bases: several bases side by side, each within `base_audience`: all columns stand under each.
    """

    rows: Lines | None = None
    columns: Lines | None = None
    base_audience: Audience | None = None
    waves: tuple[str, ...] | None = None
    locations: tuple[str, ...] | None = None
    bases: tuple[Audience, ...] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns; a side that is not given is the base alone."""
        rows, columns = (1 if side is None else len(side) for side in (self.rows, self.columns))
        return rows, columns * max(1, len(self.bases or ()))

    @property
    def parts(self) -> tuple[GridQuery, ...]:
        """A query of one base for each of several side by side; itself where there are none."""
        if not self.bases:
            return (self,)
        bases, shared = self.bases, self.base_audience
        if shared is not None:
            within = [combine([shared.renamed(shared.name or "base")], [each]) for each in bases]
            bases = [both.renamed(each.name) for each, (both,) in zip(bases, within, strict=True)]
        return tuple(replace(self, bases=None, base_audience=each) for each in bases)

    def to_code(self) -> str:
        """Python that asks the same query, given `client` and `audiencelab` as `al`."""
        if not self.bases:
            base = self.base_audience
            return f"table = {self._call('' if base is None else base.to_code())}"
        bases = "".join(f"    {_base(part).to_code()},\n" for part in self.parts)
        call = indent(self._call("base"), "    ").lstrip()
        return (
            f"bases = [\n{bases}]\n"
            f"table = al.side_by_side({{\n    base.name: {call}\n    for base in bases\n}})"
        )

    def _call(self, base: str) -> str:
        """The crosstab of a base that is written as `base`; nothing is none."""
        arguments = [
            *_audiences_argument("rows", self.rows),
            *_audiences_argument("columns", self.columns),
        ]
        if base:
            arguments.append(f"base_audience={base},")
        for name, codes in (("waves", self.waves), ("locations", self.locations)):
            if codes is not None:
                arguments.append(f"{name}={list(codes)!r},")
        if not arguments:
            return "client.crosstab()"
        return f"client.crosstab(\n{indent(chr(10).join(arguments), '    ')}\n)"


def _base(part: GridQuery) -> Audience:
    return part.base_audience or Audience("All")


def _audiences_argument(name: str, lines: Lines | None) -> list[str]:
    return [] if lines is None else [f"{name}={lines.to_code()},"]
