"""A notebook as one HTML file that anybody can open: no kernel, no server, no network.

nbconvert writes the cells; here they become a page. Widgets appear in their static form, charts as
pictures, tables can be sorted (`js/src/page`). The page says itself, in its content security
policy, that it loads nothing and runs no script but ours, so what a notebook holds of scripts and
of pictures from elsewhere stays silent.
"""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from audiencelab.files import make_folder, put
from audiencelab.flags import flag
from audiencelab.frames.drawable import drawable
from audiencelab.frames.markup import CODE, escape
from audiencelab.notebook.charts import Specification, specification
from audiencelab.notebook.errors import NotebookError
from audiencelab.notebook.files import read_notebook

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["export"]

_FORMS = (
    # What a reader without a kernel sees of each output, best first. No scripts among them.
    "text/html",
    "text/markdown",
    "image/png",
    "image/jpeg",
    "text/latex",
    "text/plain",
)
_SVG = "image/svg+xml"
_REACHING_OUT = re.compile(r"<(?=(?:meta|link|base)[\s/>])", re.IGNORECASE)
"""Elements that lead the reader elsewhere, or tell a name server, whatever the policy says."""

_OWN_CODE = re.compile(rf"<pre\b[^>]*\bdata-al=(['\"]){CODE}\1[^>]*>[^<]*</pre>")

_UNDRAWN = "A chart that could not be drawn for this page."


def export(
    notebook: str | Path, out: str | Path | None = None, *, code: bool = True, replace: bool = False
) -> Path:
    """Write a notebook, as it was saved, as one HTML file; its path.

    out: the file; None is beside the notebook, with the ending `.html`.
    code: whether the code is shown too. replace: whether a file that is there may be replaced.

    Raises `NotebookError` for a file that is no notebook, or where `out` is there already; a file
    is put in place when it is complete.
    """
    path = Path(notebook)
    target = path.with_suffix(".html") if out is None else Path(out)
    code, replace = flag("code", code), flag("replace", replace)
    drawn = _drawn(read_notebook(path))
    page = _page(drawn if code else _without_own_code(drawn), path, code)
    if target.exists() and not replace:
        raise NotebookError(f"{target} is there already: give another name, or replace it.")
    make_folder(target.parent)
    put(target, page.encode())
    return target


def _drawn(notebook: NotebookNode) -> NotebookNode:
    """The notebook with each chart as a picture, which its words describe to those who hear it."""
    for cell in cast("list[Any]", notebook.cells):
        for output in cell.get("outputs", ()):
            data = cast("dict[str, Any]", output.get("data", {}))
            spec = specification(data)
            if spec is not None and _SVG not in data:
                # The renderer's own HTML would ask the network for scripts.
                data.pop("text/html", None)
                picture = _picture(spec)
                data |= {"text/plain": _UNDRAWN} if picture is None else {_SVG: picture}
            if _SVG in data:
                data["text/html"] = _image(data.pop(_SVG), data.get("text/plain", ""))
    return notebook


def _without_own_code(notebook: NotebookNode) -> NotebookNode:
    """The notebook without the Python that widgets show beside their tables."""
    for cell in cast("list[Any]", notebook.cells):
        for output in cell.get("outputs", ()):
            data = cast("dict[str, Any]", output.get("data", {}))
            if isinstance(data.get("text/html"), str):
                data["text/html"] = _OWN_CODE.sub("", data["text/html"])
    return notebook


def _image(svg: str, words: str) -> str:
    """An image and not the elements themselves: names inside two charts may be the same."""
    packed = base64.b64encode(svg.encode()).decode()
    alternative = escape(words.partition("\n")[0].strip("<>") or "Chart")
    return f'<img class="chart" alt="{alternative}" src="data:image/svg+xml;base64,{packed}">'


def _picture(spec: Specification) -> str | None:
    """The chart as SVG; None where nothing draws it, or where it has a fault or wants a file."""
    try:
        import vl_convert

        # No address at all: a notebook of somebody else's makes this machine ask nobody.
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
    # Pictures that markdown names lie beside the notebook.
    beside = {"metadata": {"path": str(path.resolve().parent)}}
    body, _ = exporter.from_notebook_node(notebook, resources=beside)
    script = (files("audiencelab.widgets") / "static" / "page.js").read_text("utf-8").strip()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; form-action 'none'; base-uri 'none'"
    )
    style = (files("audiencelab.notebook") / "page.css").read_text("utf-8") + _highlighting()
    return (
        "<!doctype html>\n"
        f'<html lang="{escape(_language(notebook))}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(_title(notebook, path))}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{_kept_here(body)}\n</main>\n<script>{script}</script>\n</body>\n</html>\n"
    )


def _kept_here(body: str) -> str:
    """What a notebook holds of such elements is shown as the text that it is.

    A browser takes for an element what begins so, and nothing else: no parser is asked.
    """
    return _REACHING_OUT.sub("&lt;", body)


def _title(notebook: NotebookNode, path: Path) -> str:
    """The first heading, or the name of the file."""
    for cell in cast("list[Any]", notebook.cells):
        if cell.cell_type == "markdown":
            for line in cell.source.split("\n"):
                if line.startswith("# "):
                    return line[2:].strip()
    return path.stem


def _language(notebook: NotebookNode) -> str:
    return str(notebook.metadata.get("language", "en"))


def _highlighting() -> str:
    """Colours of code, in light and in dark."""
    from pygments.formatters import HtmlFormatter

    def rules(style: str) -> str:
        formatter = HtmlFormatter[str](style=style, nobackground=True)
        return cast(str, formatter.get_style_defs(".highlight"))  # pyright: ignore[reportUnknownMemberType] -- pygments' types leave it open

    dark = rules("github-dark")
    # Of the styles that Pygments brings along, the one whose every colour is read on our tint.
    return f"{rules('xcode')}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"
