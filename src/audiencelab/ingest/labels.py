"""Labels of columns and values that are in another file or sheet than the answers.

A table of variables, values and labels (CSV, TSV, a sheet of a workbook), the dictionary of a
statistics file or of triple-S, or a datamap of Forsta (Decipher) in text.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from audiencelab.ingest.codebook import Source, canonical_value
from audiencelab.ingest.columns import ResponseSet, Variable
from audiencelab.ingest.label_tables import label_columns
from audiencelab.ingest.readers import SurveyFile, is_survey_file, open_file
from audiencelab.ingest.readers.csv_dialect import encoding_of, open_bytes, sniffed, usual_delimiter
from audiencelab.ingest.readers.excel import ExcelFile, excel_errors
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError, listed

_TABLES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".tab")
# "NA" and "None" may be labels, and 01 is not 1.
_AS_IS = {"dtype": str, "header": None, "keep_default_na": False}
_DATAMAP_NAME = re.compile(r"\[?(\w+)\]?:\s*(.*)")
_DATAMAP_ITEM = re.compile(r"\s+\[(\w+)\]\s*(.*)")
_DATAMAP_VALUE = re.compile(r"\s+(-?\d+)\s+(.*)")

_Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class ColumnLabels:
    """What a file says of the columns of another. name: its name, and the sheet perhaps."""

    name: str
    variables: Mapping[str, Variable]
    sets: tuple[ResponseSet, ...] = ()
    declared_weight: str = ""

    def describe(self, files: Sequence[SurveyFile]) -> None:
        """Give the labels to the columns of some files, whatever the case of their names.

        Raises `SurveyError` if none of the columns is in the files.
        """
        known = {name.lower(): variable for name, variable in self.variables.items()}
        columns = {name for file in files for name in file.header if name.lower() in known}
        if not columns:
            raise SurveyError(
                f"{self.name} describes none of the columns of {files[0].name}: it has labels of "
                f"{listed([*self.variables])}, and the file has {listed(files[0].header)}."
            )
        for file in files:
            found = {name: known[name.lower()] for name in file.header if name in columns}
            own = file.variables
            file.variables = {
                **own,
                **{
                    name: replace(
                        own[name],
                        label=variable.label or own[name].label,
                        labels=variable.labels or own[name].labels,
                    )
                    if name in own
                    else variable
                    for name, variable in found.items()
                },
            }
            file.sets = file.sets or self.sets
            if self.declared_weight in file.header:
                file.declared_weight = file.declared_weight or self.declared_weight
            reason = f"labels of {len(found):,} columns from {self.name}"
            file.heading = "; ".join(filter(None, [file.heading, reason]))


def read_labels(path: str | Path) -> ColumnLabels:
    """The labels in a file; `SurveyError` for one that is not there, or has none."""
    file = labels_file(path)
    suffix = file.name.lower()
    if suffix.endswith(".txt"):
        text = file.read_text(encoding_of(file) or "utf-8-sig")
        variables = _of_datamap(text.splitlines())
    elif suffix.endswith(".xlsx"):
        variables = _of_workbook(file)
    elif suffix.endswith(_TABLES):
        variables = _of_table(_rows_of(file))
    elif is_survey_file(file) or suffix.endswith(".xml"):
        opened = open_file(file, Source())
        opened.close()
        return ColumnLabels(file.name, opened.variables, opened.sets, opened.declared_weight)
    else:
        raise SurveyError(
            f"{file}: labels are read from a table (.csv, .tsv, .xlsx), a statistics file such as "
            ".sav, triple-S, or a datamap (.txt)."
        )
    if not variables:
        raise SourceError(
            SourcePlace(str(file)),
            "has no labels: its first row must name the columns variable, value and label.",
        )
    return ColumnLabels(file.name, variables)


def labels_file(path: str | Path) -> Path:
    """The path of a file of labels; `SurveyError` if there is none."""
    file = Path(path).expanduser()
    if not file.is_file():
        raise SurveyError(f"{file}: there is no such file of labels.")
    return file


def sheet_labels(files: Sequence[SurveyFile]) -> list[ColumnLabels]:
    """The labels of columns of workbooks that are in their other sheets."""
    books = [file for file in files if isinstance(file, ExcelFile)]
    found = [(file, _of_workbook(file.path, file.sheet)) for file in books]
    return [
        ColumnLabels(f"another sheet of {file.name}", variables)
        for file, variables in found
        if not {*file.header}.isdisjoint(variables)
    ]


def _of_workbook(path: Path, answers: str | None = None) -> dict[str, Variable]:
    """The labels in the sheets of a workbook. answers: a sheet that has none."""
    import pandas

    library: Any = pandas
    found: dict[str, Variable] = {}
    with excel_errors(path), pandas.ExcelFile(path) as book:
        for name in book.sheet_names:
            if name != answers:
                sheet = library.read_excel(book, sheet_name=name, **_AS_IS)
                found |= _of_table(sheet.to_numpy().tolist())
    return found


def _rows_of(path: Path) -> _Rows:
    found = sniffed([path])
    with open_bytes(path) as stream:
        text = io.TextIOWrapper(stream, found.encoding or "utf-8-sig", newline="")
        return list(csv.reader(text, delimiter=found.delimiter or usual_delimiter(path)))


def _of_table(rows: _Rows) -> dict[str, Variable]:
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


def _of_datamap(lines: Iterable[str]) -> dict[str, Variable]:
    """The labels in a datamap: `[q1]: text`, below it its values, or items `[q2r1] text`."""
    found: dict[str, Variable] = {}
    stem = text = ""
    labels: dict[str, str] = {}
    for line in lines:
        if head := _DATAMAP_NAME.match(line):
            if head[1] == "Values":
                continue
            stem, text, labels = head[1], head[2].strip(), {}
            if line.startswith("["):
                found[head[1]] = Variable(label=text, labels=labels)
        elif item := _DATAMAP_ITEM.match(line):
            label = " - ".join(filter(None, [text, item[2].strip()]))
            found[item[1]] = Variable(label=label, labels=labels, stem=stem)
        elif value := _DATAMAP_VALUE.match(line):
            # The variables above share this dictionary, and get the values that follow them.
            labels[value[1]] = value[2].strip()
    return found
