"""Results as Excel workbooks: formatted tables, ready to print, and a sheet of their source.

`to_excel` of a result writes one table; `write_workbook` writes several into one file, each laid
out by `table_layout`. A workbook contains the result only: no charts, formulas or further values.
"""

from audiencelab.render.excel.sheet import Layout
from audiencelab.render.excel.styles import WorkbookError, sheet_name
from audiencelab.render.excel.workbook import write_workbook
from audiencelab.render.layout import table_layout

__all__ = ["Layout", "WorkbookError", "sheet_name", "table_layout", "write_workbook"]
