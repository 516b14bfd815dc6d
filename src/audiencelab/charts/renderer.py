"""Vega-Lite as SVG and PNG by vl-convert; and altair's renderer `audiencelab`.

altair's default display fetches its libraries from a CDN, and the type that its renderer
`mimetype` sends is not allowed in notebooks (JSON under a name that does not end in `+json`).
`render` sends a chart under the right name, which the JupyterLab extension of this package
displays, and as SVG for readers without it. `alt.renderers.enable("audiencelab")` enables it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from dataclasses import fields
from typing import Any, cast

from audiencelab.browser import IN_BROWSER
from audiencelab.charts.theme import DARK, LIGHT, Look, configuration
from audiencelab.markup import escape
from audiencelab.render.colours import legible
from audiencelab.render.png import compact
from audiencelab.render.svg_text import FONT, drawable, font_of
from audiencelab.results.record import without_run

MAX_LENGTH = 20_000
"""Characters of the longest specification that gets an image: a longer one takes seconds."""

Spec = dict[str, Any]
"""A Vega-Lite specification, or a part of one."""

_EMBEDDED = {"actions": {"export": True, "source": False, "compiled": False, "editor": False}}
"""The menu of a page saves images, and sends nothing to an editor on the web."""

_SIZE = re.compile(
    r'width="(?P<width>[\d.]+)" height="[\d.]+" viewBox="0 0 [\d. ]+">(<rect width="[\d.]+")?'
)
"""The size of an SVG, and that of its background."""

_COUNTED = re.compile(r'(?<=\bid=")(?:clip|gradient_)\d+(?=")')
_USED = re.compile(r"(?:clip|gradient_)\d+\b")
_PAINT = re.compile(r'\b(fill|stroke|stop-color)="(#[0-9a-fA-F]{3,8}|rgb\([^")]*\))"')
_NEXT_LINE = re.compile(r"</tspan><tspan[^>]*>")
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")


def svg(spec: Spec) -> str:
    """A chart as SVG; nothing is fetched."""
    import vl_convert

    return name_after_content(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]))


def at_least_as_wide(drawn: str, pixels: float) -> str:
    """An SVG that is made wider, with its background, if it is narrower."""
    found = _SIZE.search(drawn)
    if found is None or float(found["width"]) >= pixels:
        return drawn
    head = found[0].replace(f'"{found["width"]}"', f'"{pixels:g}"')
    head = head.replace(f"0 0 {found['width']} ", f"0 0 {pixels:g} ")
    return drawn[: found.start()] + head + drawn[found.end() :]


def labelled(drawn: str, summary: str) -> str:
    """An SVG that says what it shows to people who do not see it."""
    label = escape(drawable(summary))
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1) if label else drawn


def png(spec: Spec, pixels: float, drawn: str = "") -> bytes:
    """A chart as PNG, with so many device pixels for each of its own. drawn: its SVG, if known."""
    return picture(_for_image(spec, drawn), pixels)


def picture(drawn: str, pixels: float) -> bytes:
    """An SVG as PNG, with so many device pixels for each of its own."""
    import vl_convert

    # At 72 pixels an inch, a pixel of the SVG is `pixels` of the image.
    return compact(vl_convert.svg_to_png(drawn, scale=pixels, ppi=72))


def pdf(spec: Spec) -> bytes:
    """A chart as a page of a PDF of its size."""
    import vl_convert

    return vl_convert.svg_to_pdf(_for_image(spec, ""))


def _for_image(spec: Spec, drawn: str) -> str:
    here = in_installed_fonts(spec)
    return drawn if drawn and here is spec else svg(here)


def page(spec: Spec, drawn: str, data: str = "") -> str:
    """A page that contains Vega and the chart.

    drawn: its SVG, for readers that run no scripts. data: what the page holds for programs.
    """
    import vl_convert

    # Its stub asks for a script that uses the libraries; without one, a page has them by name.
    libraries = cast(Any, vl_convert).javascript_bundle()
    # A label must not end the script: the page of vl-convert, and of altair, would let it.
    chart = json.dumps({"spec": spec, "options": _EMBEDDED}).replace("<", "\\u003c")
    ground: str = spec["config"]["background"]
    return f"""<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{escape(_title(spec))}</title>
<style>body{{margin:8px;background:{escape(ground)}}}</style>
</head>
<body>
<div id="chart">{drawn}</div>
{data}<script type="application/json" id="data">{chart}</script>
<script>{libraries}</script>
<script>
const data = JSON.parse(document.getElementById("data").textContent);
vegaEmbed("#chart", data.spec, data.options);
</script>
</body>
</html>
"""


def _title(spec: Spec) -> str:
    title: Any = spec.get("title", "")
    text: Any = cast(Spec, title).get("text", "") if isinstance(title, dict) else title
    return " ".join(cast("list[str]", text)) if isinstance(text, list) else str(text)


def in_installed_fonts(spec: Spec) -> Spec:
    """The same chart for an image, whose Chinese, Japanese and Korean has no serifs."""
    text = json.dumps(spec, ensure_ascii=False)
    font = font_of(text)
    return spec if font == FONT else json.loads(text.replace(FONT, font))


def adaptive(light: str, spec: Spec) -> str:
    """The SVG of a chart of the light theme that takes the dark colours on a dark page.

    JupyterLab and exported pages show it as an image, into which no style sheet of the page
    reaches, but its `color-scheme` does. Readers that know neither keep the light colours.
    """
    written, pairs = json.dumps(spec), _pairs()
    if {found[2] for found in _PAINT.finditer(light)} <= set(_COLOUR.findall(written)):
        return adapt(light, _COLOUR.sub(lambda found: pairs.get(found[0], found[0]), light))
    # Colours between those of a scale are known once it is drawn.
    return adapt(light, svg(darkened(spec)))


def darkened(spec: Spec) -> Spec:
    """The chart with the dark colours where it has the light ones."""
    pairs = _pairs()
    # All at once: one replacement after the other could change a colour twice.
    return json.loads(_COLOUR.sub(lambda found: pairs.get(found[0], found[0]), json.dumps(spec)))


def _pairs() -> dict[str, str]:
    """The dark colour of each light one; of one that has several roles, that of the first."""
    pairs: dict[str, str] = {}
    for light, dark in zip(_colours(LIGHT), _colours(DARK), strict=True):
        pairs.setdefault(light, dark)
    # Names in the colours of series are darker than their marks, and on a dark page lighter.
    for name in ("series", "steps"):
        for light, dark in zip(getattr(LIGHT, name), getattr(DARK, name), strict=True):
            pairs.setdefault(legible(light, LIGHT), legible(dark, DARK))
    return pairs


def _colours(look: Look) -> list[str]:
    values: list[Any] = [getattr(look, each.name) for each in fields(look)]
    # Colours and tuples of colours; the strength `on_accent_from` is a number.
    return [each for value in values for each in _COLOUR.findall(str(value))]


def adapt(light: str, dark: str) -> str:
    """The light SVG with rules for dark pages; the two differ in colours only.

    Marks keep their light colours as attributes, which the rules of a style sheet override.
    """
    seen: dict[tuple[str, str], Counter[str]] = {}
    for one, other in zip(_PAINT.finditer(light), _PAINT.finditer(dark), strict=False):
        seen.setdefault((one[1], one[2]), Counter())[other[2]] += 1
    name = f"d{_digest(light)}"
    rules = [
        f'.{name} [{paint}="{old}"]{{{paint}:light-dark({old},{new})}}'
        for (paint, old), found in seen.items()
        # A rule has one dark colour for each light one: the most frequent.
        if (new := found.most_common(1)[0][0]) != old
    ]
    # Inside a page the root is the page's own, whose scheme is left alone.
    style = f"<style>svg:root{{color-scheme:light dark}}{''.join(rules)}</style>"
    head, _, rest = light.partition(">")
    named = head.replace('class="', f'class="{name} ', 1)
    return f"{named}>{style}{rest}"


def _digest(svg: str) -> str:
    """What an image is named after: its content without the date, which differs from run to run."""
    in_one_line = _NEXT_LINE.sub(" ", svg)
    return hashlib.sha256(without_run(in_one_line).encode()).hexdigest()[:8]


def name_after_content(svg: str) -> str:
    """The SVG with ids named after its content.

    Vega counts ids through the life of the process: the same chart drawn twice would differ, and
    two charts of different processes in one page could use each other's clip paths.
    """
    counted = list(dict.fromkeys(_COUNTED.findall(svg)))
    if not counted:
        return svg
    order = {name: str(number) for number, name in enumerate(counted)}
    # Only ids: a label may read "clip1" too.
    content = _USED.sub(lambda found: order.get(found[0], found[0]), svg)
    stem = _digest(content)
    for name, number in order.items():
        svg = svg.replace(f'id="{name}"', f'id="d{stem}-{number}"')
        svg = svg.replace(f'="url(#{name})"', f'="url(#d{stem}-{number})"')
    return svg


# -- charts of the user's own ---------------------------------------------------------------------


def render(spec: Spec, *, svg: bool = True, **options: Any) -> tuple[Spec, Spec]:
    """A chart as data by MIME type, and metadata by MIME type, as altair requires of a renderer.

    svg: whether to add an image, for readers without the extension. Charts whose data have to be
        fetched, and those longer than `MAX_LENGTH`, have none.
    options: such as `embed_options={"renderer": "canvas"}`; see the guide on JupyterLab.
    """
    import altair.vegalite.v6.display as altair_display

    bundle, metadata = altair_display.mimetype_renderer(spec, **options)
    shown: Spec = {_valid(name): for_page(content) for name, content in bundle.items()}
    if svg and not IN_BROWSER and (image := _image(spec)):
        shown["image/svg+xml"] = labelled(image, spec.get("description", ""))
    if summary := spec.get("description"):
        # In place of altair's advice for pages that cannot draw it.
        shown["text/plain"] = f"<Chart: {summary}>"
    return shown, {_valid(name): content for name, content in metadata.items()}


def for_page(content: Any) -> Any:
    """The specification of a chart for the page; in a browser as text, which the extension parses.

    There `None`, as in `title=None`, would not arrive as null: Pyodide makes it undefined.
    """
    return json.dumps(content) if IN_BROWSER and isinstance(content, dict) else content


def defaults(colours: Look) -> Spec:
    """The `config` of charts of the user's own; the JupyterLab extension has the same.

    The theme of our charts, with two differences: marks have labels for screen readers, and titles
    of axes are placed beyond labels of any length up to the limit.
    """
    config = configuration(colours)
    axis = config["axis"] | {"maxExtent": config["axis"]["labelLimit"] + 20}
    return {name: value for name, value in config.items() if name != "aria"} | {"axis": axis}


def _valid(mime_type: str) -> str:
    is_vega = mime_type.startswith("application/vnd.vega")
    return mime_type.replace(".json", "+json") if is_vega else mime_type


def _image(spec: Spec) -> str | None:
    import vl_convert

    if len(json.dumps(spec)) > MAX_LENGTH:
        return None
    config = defaults(LIGHT) | {"aria": False}
    try:
        return vl_convert.vegalite_to_svg(
            drawable(spec), config=config, show_warnings=False, allowed_base_urls=[]
        )
    except ValueError:
        # Data to be fetched, or an error in the chart, which the extension shows.
        return None
