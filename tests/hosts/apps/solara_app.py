"""An app of Solara."""

import solara
from everything import widgets


@solara.component
def Page():  # noqa: N802 - as Solara looks for it
    shown = solara.use_memo(widgets, [])
    for widget in shown.values():
        solara.display(widget)
