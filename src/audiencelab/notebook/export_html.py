"""A notebook as one HTML file that needs no kernel, no server and no network.

nbconvert writes the cells. Widgets appear in their static form, charts as images, tables can be
sorted (`js/src/docs/page`). The page's content security policy lets it load nothing and run no
script but ours, so scripts and remote images in a notebook have no effect.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, cast

from audiencelab.files import make_folder, put
from audiencelab.flags import flag
from audiencelab.markup import CODE, escape
from audiencelab.notebook.io import (
    NotebookError,
    Specification,
    heading,
    read_notebook,
    specification,
)
from audiencelab.render.record_carriers import in_page
from audiencelab.render.records import of_output
from audiencelab.render.svg_text import drawable
from audiencelab.results.record import Record

if TYPE_CHECKING:
    from nbformat import NotebookNode

# The MIME types of outputs in a page, best first; none of them can contain scripts.
_FORMS = (
    "text/html",
    "text/markdown",
    "image/png",
    "image/jpeg",
    "text/latex",
    "text/plain",
)
_SVG = "image/svg+xml"
_REACHING_OUT = re.compile(r"<(?=(?:meta|link|base)[\s/>])", re.IGNORECASE)
"""Elements, shown as text, that redirect or cause a DNS lookup, whatever the policy is."""

_OWN_CODE = re.compile(rf"<pre\b[^>]*\bdata-al=(['\"]?){CODE}\1[^>]*>[^<]*</pre>")

_UNDRAWN = "A chart that could not be drawn for this page."


def export(
    notebook: str | Path, out: str | Path | None = None, *, code: bool = True, replace: bool = False
) -> Path:
    """Write a notebook, as it was saved, as one HTML file.

    notebook: the file (.ipynb).
    out: the page; by default beside the notebook, with the suffix `.html`.
    code: whether the code is shown too.
    replace: whether an existing file may be replaced.

    Returns the path of the page, which is put in place when it is complete.

    Raises `NotebookError`: the file is not a notebook, or `out` exists already.
    """
    path = Path(notebook)
    target = path.with_suffix(".html") if out is None else Path(out)
    flag("replace", replace)
    page = _page(_prepared(read_notebook(path), code=code), path, code)
    if target.exists() and not replace:
        raise NotebookError(f"{target} exists already: give another name, or replace it.")
    make_folder(target.parent)
    put(target, page.encode())
    return target


def _prepared(notebook: NotebookNode, *, code: bool) -> NotebookNode:
    """The notebook with each chart as an image, and without the Python of widgets if asked."""
    for cell in cast("list[Any]", notebook.cells):
        for output in cell.get("outputs", ()):
            data = cast("dict[str, Any]", output.get("data", {}))
            spec = specification(data)
            if spec is not None and _SVG not in data:
                # The renderer's own HTML would load scripts from the network.
                data.pop("text/html", None)
                picture = _picture(spec)
                data |= {"text/plain": _UNDRAWN} if picture is None else {_SVG: picture}
            if _SVG in data:
                told = _told(data.get("text/plain", ""), _records([output]))
                data["text/html"] = _image(data.pop(_SVG), told)
            if not code and "text/html" in data:
                data["text/html"] = _OWN_CODE.sub("", data["text/html"])
    return notebook


def _told(summary: str, records: Sequence[Record]) -> str:
    """What a chart shows, for people who do not see it: its title, its kind and its base."""
    titles = dict.fromkeys(each.title for each in records)
    bases = dict.fromkeys(f"Base: {each.base}" for each in records if each.base)
    kind = summary.partition("\n")[0].strip("<>") or "Chart"
    return ". ".join(filter(None, [*titles, kind, *bases]))


def _image(svg: str, told: str) -> str:
    """An image instead of inline SVG, because two charts may use the same ids."""
    packed = base64.b64encode(svg.encode()).decode()
    return f'<img class="chart" alt="{escape(told)}" src="data:image/svg+xml;base64,{packed}">'


def _picture(spec: Specification) -> str | None:
    """The chart as SVG; None where it is not valid, needs a file, or nothing can draw it."""
    try:
        import vl_convert

        # No URLs: a notebook from elsewhere must not make this machine load anything.
        return vl_convert.vegalite_to_svg(drawable(spec), show_warnings=False, allowed_base_urls=[])
    except (ImportError, ValueError):
        return None


def _page(notebook: NotebookNode, path: Path, code: bool) -> str:
    from nbconvert import HTMLExporter
    from traitlets.config import Config

    settings = Config()
    settings.NbConvertBase.display_data_priority = list(_FORMS)
    exporter = HTMLExporter(
        template_name="basic",
        embed_images=True,
        exclude_input=not code,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        config=settings,
    )
    # Images that markdown names are relative to the notebook.
    resources = {"metadata": {"path": str(path.resolve().parent)}}
    body, _ = exporter.from_notebook_node(notebook, resources=resources)
    cells = cast("list[Any]", notebook.cells)
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    here = files("audiencelab.notebook")
    script = (files("audiencelab.widgets") / "static" / "page.js").read_text("utf-8").strip()
    return Template((here / "page.html").read_text("utf-8")).substitute(
        language=escape(str(notebook.metadata.get("language", "en"))),
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        title=escape(heading(notebook, path)),
        style=(here / "page.css").read_text("utf-8") + _highlighting(),
        body=_REACHING_OUT.sub("&lt;", body),
        script=script,
        records=in_page(_records(outputs)),
    )


def _records(outputs: Sequence[Any]) -> list[Record]:
    """What outputs are of, each once; those of other versions are left out."""
    found: dict[Record, None] = {}
    for told in (each for output in outputs for each in of_output(output)):
        with suppress(ValueError):
            found[Record.from_dict(told)] = None
    return [*found]


def _highlighting() -> str:
    """The colours of code, in light and in dark."""
    from pygments.formatters import HtmlFormatter

    def rules(style: str) -> str:
        formatter = HtmlFormatter[str](style=style, nobackground=True)
        return cast(str, formatter.get_style_defs(".highlight"))  # pyright: ignore[reportUnknownMemberType] -- pygments' types leave it open

    dark = rules("github-dark")
    # The style of Pygments whose every colour is legible on our background.
    return f"{rules('xcode')}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"
