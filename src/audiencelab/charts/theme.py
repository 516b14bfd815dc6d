"""Colours and type of every chart, light and dark.

The series colours are distinguishable with the common kinds of colour blindness (after Okabe and
Ito's palette, lightened for dark grounds); the heat runs from blue over the ground to orange, as
the crosstab grid's does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, cast

Theme = Literal["light", "dark"]
Palette = Literal["standard", "blue", "green", "orange", "purple", "grey"]
"""The colours of a chart's series: eight hues, or shades of one."""

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
SIZE = 13
SMALL = 12


@dataclass(frozen=True, slots=True)
class Look:
    """The colours of one theme.

    ground: behind everything. ink, quiet: text. line: hairlines. accent: a single series.
    series: several, in order. scale: the steps of an ordered scale, strongest first; favourable,
        unfavourable: those towards its two ends, strongest first, with neutral between them;
        outside: answers beside the scale, such as "don't know".
    mark: reference marks. under, middle, over: the heat.
    on_accent: text on a cell filled with the accent, from the strength `on_accent_from` (0 to 1),
        where it has more contrast than the ink.
    """

    ground: str
    ink: str
    quiet: str
    line: str
    accent: str
    mark: str
    under: str
    over: str
    middle: str
    on_accent: str
    on_accent_from: float
    series: tuple[str, ...]
    scale: tuple[str, ...]
    favourable: tuple[str, ...]
    unfavourable: tuple[str, ...]
    neutral: str
    outside: str


LIGHT = Look(
    ground="#ffffff",
    ink="#1f1f1f",
    quiet="#616161",
    line="#e2e2e2",
    accent="#2b73b3",
    mark="#1f1f1f",
    under="#5b9bd5",
    over="#e8862e",
    middle="#f5f5f5",
    on_accent="#ffffff",
    on_accent_from=0.85,
    series=(
        "#0072b2",
        "#d55e00",
        "#009e73",
        "#b5659a",
        "#b98500",
        "#3f93c6",
        "#6b5b4b",
        "#767676",
    ),
    scale=(
        "#0b3f7a",
        "#14589d",
        "#2b73b3",
        "#4a90c8",
        "#74add9",
        "#9cc7e6",
        "#bfdcf0",
        "#dbebf6",
    ),
    favourable=("#14589d", "#3f86c0", "#7db3dc", "#b5d4ec"),
    unfavourable=("#b4530a", "#da7f2e", "#edac6d", "#f6d1a8"),
    neutral="#e0e0e0",
    outside="#9a9a9a",
)
DARK = Look(
    ground="#111111",
    ink="#ececec",
    quiet="#a8a8a8",
    line="#333333",
    accent="#5ba3dc",
    mark="#ececec",
    under="#2c659a",
    over="#a4530f",
    middle="#262626",
    on_accent="#0c0c0c",
    on_accent_from=0.65,
    series=(
        "#5ba3dc",
        "#f0924d",
        "#37c2a0",
        "#e0a0c8",
        "#e9bd49",
        "#96d0f2",
        "#c2ad98",
        "#a8a8a8",
    ),
    scale=(
        "#b9dcf6",
        "#93c6ee",
        "#6fb0e4",
        "#4f97d0",
        "#3f7fb3",
        "#346894",
        "#2a5275",
        "#213f59",
    ),
    favourable=("#7fbdf0", "#4f97d0", "#38719f", "#294f6f"),
    unfavourable=("#f0a05c", "#c4762f", "#8f5522", "#633e1d"),
    neutral="#4d4d4d",
    outside="#767676",
)


_HUES = {
    "blue": (LIGHT.accent, DARK.accent),
    "green": ("#1b7f5c", "#3fb08a"),
    "orange": ("#b85c14", "#e08a45"),
    "purple": ("#9a5aa5", "#c58fd0"),
    "grey": ("#727272", "#9e9e9e"),
}
"""On light and on dark grounds, as bright as the accents: text on them has the same contrast."""

_TINTS, _SHADES = (0.0, 0.5, 0.25, 0.7, 0.38), (0.4, 0.65, 0.2)
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
    made = [_mixed(hue, colours.ground, share) for share in _TINTS]
    made += [_mixed(hue, colours.ink, share) for share in _SHADES]
    return replace(colours, accent=hue, series=tuple(made))


def series_colours(count: int, colours: Look) -> list[str]:
    """A colour for each of several series: the theme's, then their tints, then their shades.

    Colours repeat from three times the theme's number on.
    """
    toward = ((colours.ground, 0.0), (colours.ground, 0.5), (colours.ink, 0.5))
    made = [_mixed(each, end, share) for end, share in toward for each in colours.series]
    return [made[place % len(made)] for place in range(count)]


def _mixed(colour: str, other: str, share: float) -> str:
    """A colour between two; share: how much of the other, from 0 to 1."""
    parts = (
        round(int(colour[at : at + 2], 16) * (1 - share) + int(other[at : at + 2], 16) * share)
        for at in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02x}" for part in parts)


def readable_on(fill: str, colours: Look) -> str:
    """The ground's colour or the ink, whichever has more contrast on a fill (after WCAG 2.2)."""
    on = _luminance(fill)
    return max((colours.ground, colours.ink), key=lambda each: _contrast(_luminance(each), on))


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    # Relative luminance of sRGB, as WCAG 2.2 defines it.
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


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


def styled(view: dict[str, Any], config: dict[str, Any], *, inside: bool = False) -> dict[str, Any]:
    """A view with a theme on its marks, axes, legends and titles instead of in `config`.

    altair refuses `config` in charts that are combined. inside: whether the view is a layer.
    """
    made = {name: value for name, value in view.items() if name != "config"}
    if "title" in made:
        made["title"] = _with_fonts(config["title"], "font", "subtitleFont") | made["title"]
    for several in ("layer", "concat", "hconcat", "vconcat"):
        if several in made:
            parts = made[several]
            made[several] = [styled(each, config, inside=several == "layer") for each in parts]
    if "spec" in made:
        made["spec"] = styled(made["spec"], config)
        header = _with_fonts(config["header"], "labelFont", "titleFont")
        made["facet"] = made["facet"] | {"header": header | made["facet"].get("header", {})}
    elif not inside and made.keys().isdisjoint(("concat", "hconcat", "vconcat")):
        made["view"] = {"stroke": None}
    if "mark" in made:
        kind = made["mark"]["type"]
        style = _with_fonts(config["text"], "font") if kind == "text" else config.get(kind, {})
        made["mark"] = style | made["mark"]
        channels = cast("dict[str, dict[str, Any]]", made.get("encoding", {}))
        # A tooltip lists several fields, and has neither axis nor legend.
        made["encoding"] = {
            name: each if name == "tooltip" else _styled(name, each, config)
            for name, each in channels.items()
        }
    return made


def _styled(name: str, channel: dict[str, Any], config: dict[str, Any]) -> dict[str, Any]:
    guide = {"x": "axis", "y": "axis"}.get(name, "legend")
    # Layers share an axis, so only one that describes it gets the style.
    own = channel.get(guide, {} if guide == "axis" and "title" in channel else None)
    if own is None:
        return channel
    return channel | {guide: _with_fonts(config[guide], "labelFont", "titleFont") | own}


def _with_fonts(style: dict[str, Any], *names: str) -> dict[str, Any]:
    return dict.fromkeys(names, FONT) | style
