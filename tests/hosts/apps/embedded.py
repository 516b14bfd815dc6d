"""Writes `embedded.html` as ipywidgets does; `python embedded.py True` drops traits at default."""

import sys

from everything import widgets
from ipywidgets.embed import embed_minimal_html

shown = widgets()
shown["grid"].wait(60)
shown["workbench"].grid.wait(60)
embed_minimal_html("embedded.html", list(shown.values()), drop_defaults=sys.argv[1] == "True")
