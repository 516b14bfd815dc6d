"""Tables of labels: by which names their columns are found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_VARIABLE = ("variable", "var", "varname", "variablename", "column", "question", "field", "name")
_VALUE = ("value", "code", "valuecode", "answer", "option")
_LABEL = ("label", "valuelabel", "text", "meaning", "description")


class LabelColumns(NamedTuple):
    """The indices of the columns in a table of labels; of the values None where it has none."""

    variable: int
    value: int | None
    label: int


def label_columns(header: Sequence[str]) -> LabelColumns | None:
    """Where a table of labels has its columns; None for any other table."""
    plain = [re.sub(r"[^a-z]", "", cell.lower()) for cell in header]
    variable, value, label = (_place(plain, names) for names in (_VARIABLE, _VALUE, _LABEL))
    if variable is None or label is None:
        return None
    return LabelColumns(variable, value, label)


def _place(header: Sequence[str], names: Sequence[str]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)
