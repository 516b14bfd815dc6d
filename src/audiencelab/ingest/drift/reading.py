"""Read a file as the one before was read: its values, missing codes and names of columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from audiencelab.ingest.columns import Column, ColumnBuilder, Variable
from audiencelab.ingest.drift.record import Drift
from audiencelab.ingest.readers.base import ReadColumns, SurveyFile
from audiencelab.ingest.sources import Sources


def read_as_before(sources: Sources, drifts: Iterable[Drift]) -> None:
    """Change what was read of some sources so that a codebook of before reads it.

    Only columns that have been read are changed.
    """
    found = [*drifts]
    for place in range(len(sources.files)):
        read_file(sources, place, found)


def read_file(sources: Sources, place: int, drifts: Iterable[Drift]) -> None:
    """The same of one source, by its position."""
    file = sources.files[place]
    names: dict[str, str] = {}
    for drift in drifts:
        for name in drift.columns:
            table = sources.tables[place]
            if name not in table.columns:
                continue
            if drift.reads or drift.missing or drift.answers:
                sources.tables[place] = _reread(file, table, name, drift)
            if drift.was:
                names[name] = drift.was
    if names:
        # All at once: two columns may have each other's name.
        sources.tables[place] = _renamed(file, sources.tables[place], names)


def _reread(file: SurveyFile, table: ReadColumns, name: str, drift: Drift) -> ReadColumns:
    column = table.columns[name]
    known = file.variables.get(name) or Variable()
    variable = known.as_written(column.values)
    reads = drift.reads
    missing = (variable.missing | {*drift.missing}) - {*drift.answers}
    ranges = variable.missing_ranges
    if drift.answers:
        # A range cannot leave one value out: its other values are listed instead.
        declared = frozenset(filter(variable.is_missing, column.values))
        missing, ranges = (missing | declared) - {*drift.answers}, ()
    variable = replace(
        variable,
        labels={reads.get(value, value): label for value, label in variable.labels.items()},
        missing=frozenset(missing),
        missing_ranges=ranges,
        order=tuple(reads.get(value, value) for value in variable.order),
    )
    file.variables = {**file.variables, name: variable}
    builder = ColumnBuilder(variable)
    # Two values that are read as one become one.
    builder.add(column.codes, [reads.get(value, value) for value in column.values])
    return _with_column(table, {**table.columns, name: builder.finish()})


def _renamed(file: SurveyFile, table: ReadColumns, names: dict[str, str]) -> ReadColumns:
    file.header = tuple(names.get(each, each) for each in file.header)
    file.variables = {names.get(n, n): each for n, each in file.variables.items()}
    columns = {names.get(n, n): each for n, each in table.columns.items()}
    return _with_column(table, columns)


def _with_column(table: ReadColumns, columns: dict[str, Column]) -> ReadColumns:
    return ReadColumns(table.source, table.rows, columns)
