"""Tables of variables, values and labels, in CSV and in the sheets of workbooks."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from audiencelab.ingest.codebook import canonical_value
from audiencelab.ingest.columns import Variable
from audiencelab.ingest.dictionaries.base import Dictionary
from audiencelab.ingest.label_tables import label_columns
from audiencelab.ingest.readers.csv_dialect import dialect_of, open_bytes, usual_delimiter
from audiencelab.ingest.readers.excel import excel_errors

# "NA" and "None" may be labels, and 01 is not 1.
_AS_IS = {"dtype": str, "header": None, "keep_default_na": False}

Rows = Sequence[Sequence[str]]


def label_table(path: Path) -> Dictionary | None:
    """A table of labels in a CSV file; None for any other table."""
    variables = _variables(rows_of(path))
    if not variables:
        return None
    return Dictionary(path.name, variables, encoding=dialect_of([path]).encoding)


def label_workbook(path: Path) -> Dictionary | None:
    """The tables of labels in the sheets of a workbook; None where there are none."""
    variables = sheet_variables(path)
    return Dictionary(path.name, variables) if variables else None


def sheet_variables(path: Path, answers: str | None = None) -> dict[str, Variable]:
    """What the sheets of a workbook say of columns. answers: the sheet that has the answers."""
    found: dict[str, Variable] = {}
    for rows in sheets_of(path, answers).values():
        found |= _variables(rows)
    return found


def rows_of(path: Path) -> Rows:
    """The rows of a CSV file as text, its delimiter and encoding found."""
    found = dialect_of([path]).options
    with open_bytes(path) as stream:
        text = io.TextIOWrapper(stream, found.encoding or "utf-8-sig", newline="")
        return list(csv.reader(text, delimiter=found.delimiter or usual_delimiter(path)))


def sheets_of(path: Path, without: str | None = None) -> dict[str, Rows]:
    """The rows of the sheets of a workbook as text, by name, but for one of them."""
    import pandas

    library: Any = pandas
    with excel_errors(path), pandas.ExcelFile(path, engine="openpyxl") as book:
        return {
            str(name): library.read_excel(book, sheet_name=name, **_AS_IS).to_numpy().tolist()
            for name in book.sheet_names
            if name != without
        }


def _variables(rows: Rows) -> dict[str, Variable]:
    """The labels in a table whose first row names its columns; nothing for any other table.

    A blank variable is the one above. A row without a value is the label of the variable.
    """
    columns = label_columns(rows[0]) if rows else None
    if columns is None:
        return {}
    variable, value, label = columns
    texts: dict[str, str] = {}
    labels: defaultdict[str, dict[str, str]] = defaultdict(dict)
    name = ""
    for row in rows[1:]:
        cells = [*map(str.strip, row), *[""] * (len(rows[0]) - len(row))]
        # Such tables often write the variable in the first of its rows alone.
        name = cells[variable] or name
        code = "" if value is None else canonical_value(cells[value])
        if code:
            labels[name][code] = cells[label]
        elif cells[label]:
            texts[name] = cells[label]
    return {
        each: Variable(label=texts.get(each, ""), labels=labels[each])
        for each in dict.fromkeys([*texts, *labels])
        if each
    }
