"""The crosstab grid.

`widget` composes `session` (query, loader, newest wins), `table_view` (arrangement), `export`
(files, charts, drill-down); `query_widget` has edits and undo, `formatting` the cell traits.
"""

from audiencelab.widgets.crosstab.widget import Crosstab

__all__ = ["Crosstab"]
