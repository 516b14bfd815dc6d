"""The crosstab grid, and decks of what it shows.

`widget` composes `session` (query, loader, newest wins), `table_view` (arrangement), `export`
(cells of files, drill-down), `sending` (files for the page) and `deck`; `query_widget` has edits
and undo, `formatting` the cell traits.
"""

from audiencelab.widgets.crosstab.deck import Deck
from audiencelab.widgets.crosstab.widget import Crosstab

__all__ = ["Crosstab", "Deck"]
