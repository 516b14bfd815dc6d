"""How the site is built: Sphinx, pages in Markdown, no address outside the machine."""

import json
import re
import shutil
import sys
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.inspect import signature as signature_of
from sphinx.util.inspect import stringify_signature

from audiencelab import __version__

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "audiencelab"
author = "audiencelab contributors"
copyright = author
release = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "links",
    "live",
    "llms",
    "try_it",
]
# Figures are taken in by pages.
exclude_patterns = ["SECURITY.md", "_build", "figures", "tutorial/notebooks/data"]
myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 3

# The notebooks as they are committed: `make test-notebooks` has run them. A widget shows its
# static table, since a page has no kernel, and no script is fetched for it.
nb_execution_mode = "off"
nb_ipywidgets_js = {}
nb_mime_priority_overrides = [
    ("html", "application/vnd.jupyter.widget-view+json", None),
    ("html", "text/html", 0),
    ("html", "image/svg+xml", 1),
]
# Altair's charts are in notebooks as Vega-Lite, too, which only JupyterLab draws.
suppress_warnings = ["mystnb.unknown_mime_type"]

# Docstrings write `name` for code, as Markdown does.
default_role = "code"
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False

html_theme = "furo"
# Furo's own choice underlines modules, as if they were links.
pygments_dark_style = "github-dark-high-contrast"
html_title = f"audiencelab {release}"
html_static_path = ["_static"]
html_css_files = ["tables.css", "pages.css"]
html_js_files = ["pages.js"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    # Dark enough for the code in links, which stands on grey.
    "light_css_variables": {"color-brand-primary": "#175cd3", "color-brand-content": "#175cd3"},
    "dark_css_variables": {"color-brand-primary": "#79b8ff", "color-brand-content": "#79b8ff"},
}

# "locations, waves: codes to filter by", at the start of a line or of a sentence.
ARGUMENT = re.compile(r"(?:^|\n|(?<=[.;])\s+)([a-z_]\w*(?:,\s+[a-z_]\w*)*):\s+")


def list_arguments(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Turn the paragraphs of our docstrings that tell of arguments into definition lists."""
    paragraphs = "\n".join(lines).split("\n\n")
    lines[:] = "\n\n".join(map(define_arguments, paragraphs)).split("\n")


def define_arguments(paragraph: str) -> str:
    """A paragraph that begins with an argument as a definition list, any other as it is."""
    before, *told = ARGUMENT.split(paragraph)
    if before or not told:
        return paragraph
    # A sentence that starts a line of its own after the last argument is about all of them.
    told[-1], *rest = re.split(r"(?<=\.)\n(?=\S)", told[-1], maxsplit=1)
    definitions: list[str] = []
    for names, text in zip(told[::2], told[1::2], strict=True):
        terms = ", ".join(f"``{term}``" for term in re.split(r",\s+", names))
        definitions += [terms, f"    {' '.join(text.split()).rstrip(';')}"]
    return "\n".join([*definitions, "", *rest])


def sign(
    app: Sphinx,
    what: str,
    name: str,
    obj: type,
    options: object,
    signature: str | None,
    returns: str | None,
) -> tuple[str, str | None] | None:
    """Show what whoever makes an object has to give, and nothing where only the package does."""
    if what == "class" and obj.__module__.startswith("audiencelab.widgets"):
        # `__new__`, of a library, says only `*args, **kwargs`.
        taken = signature_of(obj.__init__, bound_method=True)
        return stringify_signature(taken, show_return_annotation=False), None
    if not signature:
        return None
    is_record = is_dataclass(obj) or hasattr(obj, "__struct_fields__")
    if what == "exception" or (what == "class" and is_of_client(obj) and not is_record):
        return "", None
    # What a record fills in by itself is printed as something that Sphinx cannot read; and what
    # numbers it takes is said in words.
    readable = signature.replace("<factory>", "...")
    return re.sub(r"Annotated\[(\w+), msgspec\.Meta\([^)]*\)\]", r"\1", readable), returns


def is_of_client(obj: type) -> bool:
    """Whether a class is one of those that `connect()` gives, at once or later."""
    return obj.__module__.startswith("audiencelab.client")


def copy_notebooks(app: Sphinx) -> None:
    """Bring the notebooks to where Sphinx can read them."""
    here = Path(app.srcdir)
    shutil.rmtree(here / "tutorial" / "notebooks", ignore_errors=True)
    copies = here / "tutorial" / "notebooks"
    shutil.copytree(here.parent / "notebooks", copies)
    for path in copies.rglob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            for output in cell.get("outputs", ()):
                leave_out_our_own_forms(output)
        path.write_text(json.dumps(notebook), encoding="utf-8")


def leave_out_our_own_forms(output: dict[str, dict[str, object]]) -> None:
    """The site shows an output's HTML; forms that only JupyterLab reads are unknown to Sphinx."""
    data = output.get("data", {})
    for kind in [kind for kind in data if kind.startswith("application/vnd.audiencelab.")]:
        del data[kind]


navigation: dict[int, str] = {}


def share_navigation(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Make the list of all pages once for the pages of source code in folders of one depth.

    These are not in the list, so it differs between pages only by how far up its links begin.
    """
    if page.startswith("_modules/"):
        depth = page.count("/")
        make = context["toctree"]

        def toctree(**options: Any) -> str:
            if depth not in navigation:
                navigation[depth] = make(**options)
            return navigation[depth]

        context["toctree"] = toctree


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("builder-inited", copy_notebooks)
    app.connect("autodoc-process-docstring", list_arguments)
    app.connect("autodoc-process-signature", sign)
    # Before the theme, which asks for the list.
    app.connect("html-page-context", share_navigation, priority=400)
