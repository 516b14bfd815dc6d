"""Results as Excel workbooks: formatted tables, ready to print, and a sheet of their source.

The public things are `to_excel` of a result, and here `write_workbook` for several results in one
file, with `tabulate` to say how each is laid out. What is not here: charts, formulas, and figures
that the result does not hold; a workbook is the result as it is, for those who do not write code.

Rooms: `book` the file as a whole, `sheet` one table on one sheet, `layouts` which figure stands
where, `pages` where pages end, `source` the sheet of provenance, `looks` formats and colours,
`limits` what Excel can take.
"""

from audiencelab.render.excel.limits import WorkbookError
from audiencelab.render.excel.sheet_layouts import Layout
from audiencelab.render.excel.workbook import write_workbook
from audiencelab.render.layout import tabulate

__all__ = ["Layout", "WorkbookError", "tabulate", "write_workbook"]
