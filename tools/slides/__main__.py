"""Slides of notebooks: one HTML file each, which opens from the disk with no network.

    python -m tools.slides OUT NOTEBOOK…

A notebook says in its cells' metadata (`slideshow.slide_type`, as Jupyter has it) what goes where:
"slide" and "subslide" begin a slide, "fragment" appears at a key, "-" belongs to the slide it is
on, "notes" is the text beside it, and what says nothing is left out. Of code, a slide shows what it
puts out, and the code itself where the cell is tagged "show-code". reveal.js shows the slides; it
comes from `js/node_modules` and is put into each file, with its licence.
"""

from __future__ import annotations

import base64
import hashlib
import html
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbconvert import HTMLExporter
from traitlets.config import Config

HERE = Path(__file__).parent
REVEAL = HERE.parents[1] / "js" / "node_modules" / "reveal.js"
SHOW_CODE = "show-code"
_FORMS = ["text/html", "image/png", "text/markdown", "text/plain"]


@dataclass
class Slide:
    """One slide: its parts in order, as HTML, and the text beside it."""

    parts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def markup(self) -> str:
        """The section that reveal.js takes."""
        notes = f'<aside class="notes">{"".join(self.notes)}</aside>' if self.notes else ""
        return f"<section>{''.join(self.parts)}{notes}</section>"


def write_slides(notebook: Path, folder: Path) -> Path:
    """Write the slides of a notebook, as it was saved, into a folder; their path."""
    document = nbformat.read(notebook, as_version=4)
    slides = slides_of(document)
    if not slides:
        sys.exit(f"{notebook}: no cell begins a slide (metadata slideshow.slide_type)")
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{notebook.stem}.html"
    target.write_text(page(title_of(document), slides), encoding="utf-8")
    return target


def slides_of(document: Any) -> list[Slide]:
    """The slides, in order; what stands before the first is left out."""
    slides: list[Slide] = []
    for cell in document.cells:
        kind = cell.metadata.get("slideshow", {}).get("slide_type", "skip")
        if kind in ("slide", "subslide"):
            slides.append(Slide())
        if kind == "skip" or not slides:
            continue
        shown = cell_markup(cell)
        if kind == "notes":
            slides[-1].notes.append(shown)
        elif kind == "fragment":
            slides[-1].parts.append(f'<div class="fragment">{shown}</div>')
        else:
            slides[-1].parts.append(shown)
    return slides


def cell_markup(cell: Any) -> str:
    """A cell as HTML; of code, its output alone unless it is tagged otherwise."""
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if "image/svg+xml" in data:
            # An image and not the elements themselves: names inside two charts may be the same.
            # Below the first line stands how to see it in a notebook.
            first = data.get("text/plain", "").partition("\n")[0]
            words = first.strip("<>").removeprefix("Chart: ") or "Chart"
            packed = base64.b64encode(data["image/svg+xml"].encode()).decode()
            source = f"data:image/svg+xml;base64,{packed}"
            data["text/html"] = f'<img class="chart" alt="{html.escape(words)}" src="{source}">'
    settings = Config()
    settings.NbConvertBase.display_data_priority = _FORMS
    exporter = HTMLExporter(
        template_name="basic",
        exclude_input=SHOW_CODE not in cell.metadata.get("tags", ()),
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        config=settings,
    )
    body, _ = exporter.from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    return body


def title_of(document: Any) -> str:
    """The first heading."""
    lines = (line for cell in document.cells for line in cell.source.splitlines())
    return next((line[2:] for line in lines if line.startswith("# ")), "Slides")


def page(title: str, slides: list[Slide]) -> str:
    """The whole file. It loads nothing, and says so to the browser."""
    scripts = [
        (REVEAL / "dist" / "reveal.js").read_text("utf-8"),
        (HERE / "slides.js").read_text("utf-8"),
    ]
    styles = [
        (REVEAL / "dist" / "reset.css").read_text("utf-8"),
        (REVEAL / "dist" / "reveal.css").read_text("utf-8"),
        (HERE / "slides.css").read_text("utf-8"),
    ]
    digests = (base64.b64encode(hashlib.sha256(each.encode()).digest()) for each in scripts)
    allowed = " ".join(f"'sha256-{digest.decode()}'" for digest in digests)
    policy = (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src {allowed}; form-action 'none'; base-uri 'none'"
    )
    licence = (REVEAL / "LICENSE").read_text("utf-8").replace("--", "- -")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<!-- reveal.js:\n{licence}\n-->\n"
        + "".join(f"<style>{style}</style>\n" for style in styles)
        + '</head>\n<body>\n<div class="reveal"><div class="slides">\n'
        + "\n".join(slide.markup() for slide in slides)
        + "\n</div></div>\n"
        + "".join(f"<script>{script}</script>\n" for script in scripts)
        + "</body>\n</html>\n"
    )


def main(arguments: list[str]) -> int:
    """Write the slides of each notebook and say where they stand."""
    if len(arguments) < 2:
        sys.exit("usage: python -m tools.slides OUT NOTEBOOK…")
    if not (REVEAL / "dist" / "reveal.js").is_file():
        sys.exit("reveal.js is not installed: make frontend")
    folder, *notebooks = map(Path, arguments)
    for notebook in notebooks:
        written = write_slides(notebook, folder)
        print(f"{written}: {written.stat().st_size / 1000:,.0f} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
