"""Themes of charts: their colours by name, their type, and Vega-Lite's configuration."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from audiencelab.render.colours import DARK, LIGHT, Look, mixed
from audiencelab.render.svg_text import FONT

Theme = Literal["light", "dark"]
Palette = Literal["standard", "blue", "green", "orange", "purple", "grey"]
"""The colours of a chart's series: six hues, or shades of one."""

SIZE = 13
SMALL = 12


_HUES = {
    "blue": (LIGHT.accent, DARK.accent),
    "green": ("#1b7f5c", "#3fb08a"),
    "orange": ("#b85c14", "#e08a45"),
    "purple": ("#9a5aa5", "#c58fd0"),
    "grey": ("#727272", "#9e9e9e"),
}
"""On light and on dark grounds, as bright as the accents: text on them has the same contrast."""

_TINTS, _SHADES = (0.0, 0.55, 0.3, 0.78), (0.38, 0.72)
"""How much of the ground, and then of the ink, is mixed into a hue for each series."""


def look(theme: str, palette: str = "standard") -> Look:
    """The colours of a theme and a palette by name; raises `ValueError` for another name."""
    looks = {"light": LIGHT, "dark": DARK}
    if theme not in looks:
        raise ValueError(f"No theme {theme!r}. Choose 'light' or 'dark'.")
    colours = looks[theme]
    if palette == "standard":
        return colours
    if palette not in _HUES:
        raise ValueError(
            f"No palette {palette!r}. Choose 'standard', {', '.join(map(repr, _HUES))}."
        )
    hue = _HUES[palette][theme == "dark"]
    tints = [mixed(hue, colours.ground, share) for share in _TINTS]
    shades = [mixed(hue, colours.ink, share) for share in _SHADES]
    in_order = (*reversed(shades), *(mixed(hue, colours.ground, share) for share in sorted(_TINTS)))
    return replace(colours, accent=hue, series=(*tints, *shades), steps=in_order)


def configuration(colours: Look) -> dict[str, Any]:
    """A theme as Vega-Lite's `config` object."""
    return {
        # A label on every mark doubles the drawing and reads as noise; it gets one as a whole.
        "aria": False,
        "background": colours.ground,
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            "domain": False,
            "ticks": False,
            "gridColor": colours.line,
            "labelColor": colours.ink,
            "labelFontSize": SIZE,
            "labelLimit": 280,
            "labelPadding": 6,
            "titleColor": colours.quiet,
            "titleFontSize": SMALL,
            "titleFontWeight": "normal",
        },
        "header": {
            "labelColor": colours.ink,
            "labelFontSize": SIZE,
            "labelFontWeight": 600,
            "labelAnchor": "start",
            "titleColor": colours.quiet,
        },
        "legend": {
            "labelColor": colours.ink,
            "labelFontSize": SIZE,
            "labelLimit": 260,
            "titleColor": colours.quiet,
            "titleFontSize": SMALL,
            "titleFontWeight": "normal",
        },
        "title": {
            "anchor": "start",
            "frame": "group",
            "color": colours.ink,
            "fontSize": 15,
            "fontWeight": 600,
            "subtitleColor": colours.quiet,
            "subtitleFontSize": SMALL,
            "subtitlePadding": 4,
            "offset": 14,
        },
        "text": {"color": colours.ink, "fontSize": SMALL},
        "bar": {"color": colours.accent},
        "range": {"category": list(colours.series)},
    }
