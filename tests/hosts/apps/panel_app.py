"""An app of Panel."""

import panel
from everything import widgets

panel.extension("ipywidgets")
panel.Column(*map(panel.pane.IPyWidget, widgets().values())).servable()
