"""A theme in a specification: in its `config`, or on the marks, axes and titles of a part."""

from __future__ import annotations

from typing import Any, cast

from audiencelab.charts.renderer import Spec
from audiencelab.render.svg_text import FONT

_SEVERAL = ("layer", "concat", "hconcat", "vconcat")
_AXES = {"x": "axis", "y": "axis"}
_PANELS = ("row", "column")


def configured(theme: Spec, own: Spec) -> Spec:
    """The `config` of a theme, with what a chart of its own changes in each part."""
    made = theme | own
    for name in theme.keys() & own.keys():
        if isinstance(theme[name], dict) and isinstance(own[name], dict):
            made[name] = theme[name] | own[name]
    return made


def styled(view: Spec, theme: Spec, *, inside: bool = False) -> Spec:
    """A view with a theme on its marks, axes, legends and titles instead of in `config`.

    altair refuses `config` in charts that are combined. inside: whether the view is a layer.
    """
    made = dict(view)
    if "title" in made:
        title: Any = made["title"]
        text = cast(Spec, title if isinstance(title, dict) else {"text": title})
        made["title"] = _with_fonts(theme["title"], "font", "subtitleFont") | text
    for several in _SEVERAL:
        if several in made:
            parts = cast("list[Spec]", made[several])
            made[several] = [styled(each, theme, inside=several == "layer") for each in parts]
    if "spec" in made:
        made["spec"] = styled(made["spec"], theme)
        made["facet"] = _with_header(made["facet"], theme)
    elif not inside and ("layer" in made or "mark" in made):
        made["view"] = {"stroke": None} | made.get("view", {})
    if "mark" in made:
        kind = made["mark"]["type"]
        style = _with_fonts(theme["text"], "font") if kind == "text" else theme.get(kind, {})
        made["mark"] = style | made["mark"]
        channels = cast("dict[str, Any]", made.get("encoding", {}))
        made["encoding"] = {name: _guided(name, each, theme) for name, each in channels.items()}
    return made


def _with_header(facet: Spec, theme: Spec) -> Spec:
    """The panels of one field, or of one for rows and one for columns."""
    if inner := {name: _with_header(facet[name], theme) for name in _PANELS if name in facet}:
        return facet | inner
    header = _with_fonts(theme["header"], "labelFont", "titleFont")
    return facet | {"header": header | (facet.get("header") or {})}


def _guided(name: str, channel: Any, theme: Spec) -> Any:
    """A channel with the style of its axis or its legend."""
    # A tooltip lists several fields, and has neither axis nor legend.
    if not isinstance(channel, dict):
        return channel
    fields = cast(Spec, channel)
    guide = _AXES.get(name, "legend")
    # Layers share an axis, so only one that describes it gets the style.
    own = fields.get(guide, {} if guide == "axis" and "title" in fields else None)
    if own is None:
        return fields
    return fields | {guide: _with_fonts(theme[guide], "labelFont", "titleFont") | own}


def _with_fonts(style: Spec, *names: str) -> Spec:
    return dict.fromkeys(names, FONT) | style
