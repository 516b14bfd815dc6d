"""How the site is built: Sphinx, pages in Markdown, no address outside the machine."""

import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.inspect import signature as signature_of
from sphinx.util.inspect import stringify_signature

from audiencelab import __version__

project = "audiencelab"
author = "audiencelab contributors"
copyright = author
release = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build"]
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

# Docstrings write `name` for code, as Markdown does.
default_role = "code"
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = f"audiencelab {release}"
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f6feb", "color-brand-content": "#1f6feb"},
    "dark_css_variables": {"color-brand-primary": "#79b8ff", "color-brand-content": "#79b8ff"},
}

# A line of a docstring such as "locations, waves: codes to filter by".
ARGUMENT = re.compile(r"(?P<names>\w+(?:, \w+)*): (?P<text>.+)")


def list_arguments(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Turn the argument lines of our docstrings into a definition list, in place."""
    written: list[str] = []
    inside = False
    for before, line in zip(["", *lines], lines, strict=False):
        # In the middle of a paragraph such a line is a sentence that happens to break there.
        found = ARGUMENT.fullmatch(line) if inside or not before else None
        if found:
            terms = ", ".join(f"``{term}``" for term in found["names"].split(", "))
            written += ["", terms, f"    {found['text']}"]
        elif inside and not line.startswith(" "):
            written += ["", line]
        else:
            written.append(line)
        inside = bool(found) or (inside and line.startswith(" "))
    lines[:] = written


def sign_widgets(
    app: Sphinx,
    what: str,
    name: str,
    obj: type,
    options: object,
    signature: str | None,
    returns: str | None,
) -> tuple[str, None] | None:
    """Show what a widget takes: its `__new__`, of a library, says only `*args, **kwargs`."""
    if what != "class" or not obj.__module__.startswith("audiencelab.widgets"):
        return None
    taken = signature_of(obj.__init__, bound_method=True)
    return stringify_signature(taken, show_return_annotation=False), None


def copy_notebooks(app: Sphinx) -> None:
    """Bring the notebooks to where Sphinx can read them."""
    here = Path(app.srcdir)
    shutil.rmtree(here / "tutorial" / "notebooks", ignore_errors=True)
    shutil.copytree(here.parent / "notebooks", here / "tutorial" / "notebooks")


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("builder-inited", copy_notebooks)
    app.connect("autodoc-process-docstring", list_arguments)
    app.connect("autodoc-process-signature", sign_widgets)
