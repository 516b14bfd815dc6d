"""The directive `live`: a widget in a page, as a reader of the page can use it with no kernel.

    ```{live} picker
    ```

shows the code that makes the widget, given a client, and the widget with its figures recorded
(`scenes`). With
`:widget-only:` the code is left out, where the page has shown it. Without JavaScript the static
form stands there, as in a notebook without a kernel.

What a page needs lies beside it as scripts, since a page from the disk may fetch nothing: `live.js`
for all (`js/src/docs`), and a recording for each scene, written while the site is built.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import scenes
from docutils import nodes
from docutils.parsers.rst import Directive, directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata

__all__ = ["LiveWidget", "setup"]

FOLDER = "live"
BUNDLE = Path(__file__).parents[1] / "_static" / FOLDER / "live.js"
HERE = Path(__file__).parent
NOTE = "This is what a notebook shows without a kernel; with JavaScript it can be used here."


class live_place(nodes.General, nodes.Element):  # noqa: N801 -- docutils names nodes so
    """Where a widget stands; `scene` says which."""


class LiveWidget(Directive):
    """Puts the widget of a scene into the page."""

    required_arguments = 1
    option_spec = {"widget-only": directives.flag}  # noqa: RUF012 -- as docutils has it

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in scenes.SCENES:
            known = ", ".join(scenes.SCENES)
            raise self.error(f"there is no live widget {name!r}; there are {known}")
        for module in ("scenes", "edits", "recording", "live"):
            self.state.document.settings.env.note_dependency(str(HERE / f"{module}.py"))
        place = live_place(scene=name)
        if "widget-only" in self.options:
            return [place]
        code = scenes.SCENES[name].code.rstrip()
        return [nodes.literal_block(code, code, language="python"), place]


def visit_html(translator: Any, node: live_place) -> None:
    """The static form, in the frame that `live.js` looks for."""
    name = node["scene"]
    # No rule of the site for tables and code is meant for what a widget draws.
    translator.body.append(
        f'<div class="audiencelab-live" data-audiencelab-live="{name}">'
        f'<div class="audiencelab-live-view">{scenes.record(name).html}</div>'
        f'<p class="audiencelab-live-note">{NOTE}</p></div>\n'
    )
    raise nodes.SkipNode


def skip(translator: Any, node: live_place) -> None:
    """Elsewhere than in HTML the code says enough."""
    raise nodes.SkipNode


def add_scripts(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give a page the recordings of the widgets that stand in it, and no other page."""
    if doctree is None or app.builder.format != "html":
        return
    names = sorted({place["scene"] for place in doctree.findall(live_place)})
    if not names:
        return
    for name in names:
        file = f"{FOLDER}/recorded-{name}.js"
        write_recording(Path(app.outdir) / "_static" / file, name)
        app.add_js_file(file, loading_method="defer", priority=900)
    app.add_js_file(f"{FOLDER}/live.js", loading_method="defer", priority=901)
    app.add_css_file("live.css")


def write_recording(file: Path, name: str) -> None:
    """A recording as a script that says under which name it is found."""
    packed = scenes.record(name).packed
    words = f"(window.audiencelabRecordings??={{}})[{json.dumps(name)}]={json.dumps(packed)};\n"
    if not file.is_file() or file.read_text(encoding="utf-8") != words:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(words, encoding="utf-8")


def check_bundle(app: Sphinx, env: BuildEnvironment) -> None:
    """Say what to do, instead of building pages that cannot come to life."""
    if not BUNDLE.is_file():
        raise ExtensionError(f"There is no {BUNDLE}. Run `make frontend` first.")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Called by Sphinx."""
    app.add_node(
        live_place,
        html=(visit_html, None),
        latex=(skip, None),
        text=(skip, None),
        man=(skip, None),
        texinfo=(skip, None),
    )
    app.add_directive("live", LiveWidget)
    app.connect("html-page-context", add_scripts)
    app.connect("env-updated", check_bundle)
    # One process records everything; several would each record their own.
    return {"parallel_read_safe": True, "parallel_write_safe": False}
