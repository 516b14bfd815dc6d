"""Template notebooks: each runs unchanged, on the demo survey or on any other.

A template is a notebook with a `title`, a `description` and an `order` under `audiencelab` in its
metadata. `al.connect()` in its first code cell is replaced by the connection's own code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from audiencelab.errors import AudienceError

CONNECT = "al.connect()"


class UnknownTemplate(AudienceError, LookupError):
    """There is no template of that name."""


@dataclass(frozen=True, slots=True)
class Template:
    """A template notebook.

    name: of its file. title, description: for people. icon: the name of one of the page's icons.
    """

    name: str
    title: str
    description: str
    icon: str = ""


def list_templates() -> list[Template]:
    """All templates, in the order in which they are offered."""
    about = {name: content["metadata"]["audiencelab"] for name, content in _notebooks().items()}
    return [
        Template(name, each["title"], each["description"], each.get("icon", ""))
        for name, each in sorted(about.items(), key=lambda item: item[1]["order"])
    ]


def read_template(name: str, code: str) -> tuple[str, dict[str, Any]]:
    """The title and the notebook of a template, connected by `code`.

    Raises `UnknownTemplate`.
    """
    # Names are looked up and never part of a path.
    notebook = _notebooks().get(name)
    if notebook is None:
        raise UnknownTemplate(f"There is no template {name!r}.")
    about = notebook["metadata"].pop("audiencelab")
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    first["source"] = "".join(first["source"]).replace(CONNECT, code, 1)
    return about["title"], notebook


def _notebooks() -> dict[str, dict[str, Any]]:
    return {
        file.name.removesuffix(".ipynb"): json.loads(file.read_text(encoding="utf-8"))
        for file in files(__name__).iterdir()
        if file.name.endswith(".ipynb")
    }
