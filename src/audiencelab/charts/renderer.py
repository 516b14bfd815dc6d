"""altair's renderer `audiencelab`: charts of your own, drawn in JupyterLab with no network.

altair's default display fetches its libraries from a content network, and the type that its
renderer `mimetype` sends is one that no notebook may hold (JSON under a name that does not end in
`+json`). This one sends the chart under the right name, which the JupyterLab extension of this
package draws, and beside it as SVG for readers that have no extension. It is enabled by the user
alone, with `alt.renderers.enable("audiencelab")`; a `Drawing` needs none of it.
"""

from __future__ import annotations

import json
from typing import Any

import altair.vegalite.v6.display as altair_display

from audiencelab.charts.theme import LIGHT, Look, configuration
from audiencelab.render.svg_text import drawable

__all__ = ["defaults", "render"]

LONGEST = 20_000
"""Characters of a chart that gets a picture: of a longer one it takes seconds, and is long too."""

Bundle = dict[str, Any]


def render(spec: dict[str, Any], *, svg: bool = True, **options: Any) -> tuple[Bundle, Bundle]:
    """The chart as data by MIME type, and metadata by MIME type, as altair asks of a renderer.

    svg: whether a picture comes along, for readers without the extension. There is none of a
        chart whose data has to be fetched, nor of one longer than `LONGEST`.
    options: such as `embed_options={"renderer": "canvas"}`; see the guide on JupyterLab.
    """
    bundle, metadata = altair_display.mimetype_renderer(spec, **options)
    shown: Bundle = {_valid(name): content for name, content in bundle.items()}
    if svg and (picture := _picture(spec)):
        shown["image/svg+xml"] = picture
    return shown, {_valid(name): content for name, content in metadata.items()}


def defaults(colours: Look) -> dict[str, Any]:
    """What a chart of the user's own gets where it says nothing; the extension has the same.

    The theme of our charts, with two differences: marks have labels for screen readers, which can
    be asked there, and titles of axes stand beyond labels of any length that is let through.
    """
    config = configuration(colours)
    axis = config["axis"] | {"maxExtent": config["axis"]["labelLimit"] + 20}
    return {name: value for name, value in config.items() if name != "aria"} | {"axis": axis}


def _valid(mime_type: str) -> str:
    is_vega = mime_type.startswith("application/vnd.vega")
    return mime_type.replace(".json", "+json") if is_vega else mime_type


def _picture(spec: dict[str, Any]) -> str | None:
    import vl_convert

    config = defaults(LIGHT) | {"aria": False}
    if len(json.dumps(spec)) > LONGEST:
        return None
    try:
        # No address at all: showing a chart asks nobody for anything.
        return vl_convert.vegalite_to_svg(
            drawable(spec), config=config, show_warnings=False, allowed_base_urls=[]
        )
    except ValueError:
        # Data to be fetched, or a fault: either is told where the chart is drawn.
        return None
