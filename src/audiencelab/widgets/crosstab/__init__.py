"""The crosstab grid.

`widget` composes `session` (query, loader, newest wins), `table_view` (arrangement), `exporter`
(files, charts, drill-down) and `query_editor` (edits and undo); `formatting` has the cell traits.
"""

from audiencelab.widgets.crosstab.widget import CrosstabGrid

__all__ = ["CrosstabGrid"]
