"""What the files of an import say of its columns, kept in its report for the next wave.

A codebook may name questions and answers otherwise, so its names show nothing of the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from audiencelab.ingest.columns import Variable


class ColumnAsRead(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """A column. labels: which of the lists of labels, -1 for none. The rest is as in `Variable`."""

    text: str = ""
    labels: int = -1
    missing: tuple[str, ...] = ()
    missing_ranges: tuple[tuple[float, float], ...] = ()


class AsRead(msgspec.Struct, frozen=True, omit_defaults=True):
    """The columns of an import of which its files say anything. labels: each list once."""

    labels: tuple[dict[str, str], ...] = ()
    columns: dict[str, ColumnAsRead] = {}

    def variable(self, name: str) -> Variable:
        """What the files say of a column."""
        found = self.columns.get(name, ColumnAsRead())
        labels = self.labels[found.labels] if found.labels >= 0 else {}
        return Variable(found.text, labels, frozenset(found.missing), found.missing_ranges)

    def with_later(self, later: AsRead) -> AsRead:
        """The record of both, where the later one says something its own."""
        names = dict.fromkeys([*self.columns, *later.columns])
        return as_read(
            names, [{n: each.variable(n) for n in each.columns} for each in (self, later)]
        )


def as_read(names: Iterable[str], files: Sequence[Mapping[str, Variable]]) -> AsRead:
    """The record of some columns, of the last file that has each."""
    lists: dict[tuple[tuple[str, str], ...], int] = {}
    columns: dict[str, ColumnAsRead] = {}
    for name in names:
        variable = next((each[name] for each in reversed(files) if name in each), None)
        if variable is None:
            continue
        items = tuple(variable.labels.items())
        place = lists.setdefault(items, len(lists)) if items else -1
        text = variable.text or variable.label
        column = ColumnAsRead(text, place, tuple(sorted(variable.missing)), variable.missing_ranges)
        if column != ColumnAsRead():
            columns[name] = column
    return AsRead(tuple(map(dict, lists)), columns)
