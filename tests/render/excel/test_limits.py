"""Tables at the limits of Excel and of a workbook in memory, made smaller here."""

from __future__ import annotations

import pytest

from audiencelab.render.excel import WorkbookError
from tests.messages import fails
from tests.render.excel.test_workbook import crosstab, letters, lines, sheets, varied, written


def test_what_excel_cannot_hold_is_an_error_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audiencelab.render.excel.styles.COLUMNS", 6)
    with fails(WorkbookError):
        written(crosstab())
    written(crosstab(), layout="sheets")


def test_a_large_table_is_written_line_by_line_and_reads_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = varied()
    as_cells = sheets(written(result, comparison=letters()))
    monkeypatch.setattr("audiencelab.render.excel.workbook._MANY_CELLS", 0)
    by_line = sheets(written(result, comparison=letters()))
    for name, sheet in as_cells.items():
        assert lines(by_line[name]) == lines(sheet)
