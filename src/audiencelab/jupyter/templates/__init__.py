"""Notebooks to begin with: each runs as it is, on the demo survey or on any other.

A template is a notebook with a `title`, a `description` and an `order` under `audiencelab` in its
metadata. Where it says `al.connect()` in its first cell of code, the connection's own code is put.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from audiencelab.errors import AudienceError

__all__ = ["CONNECT", "Template", "UnknownTemplate", "filled", "listed", "read"]

CONNECT = "al.connect()"

_SUFFIX = ".ipynb"


class UnknownTemplate(AudienceError, LookupError):
    """There is no template of that name."""


@dataclass(frozen=True, slots=True)
class Template:
    """A notebook to begin with.

    name: of its file. title, description: for people. icon: the name of one of the page's icons.
    """

    name: str
    title: str
    description: str
    icon: str = ""


@dataclass(frozen=True, slots=True)
class _Notebook(Template):
    content: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    order: int = 0


def listed() -> list[Template]:
    """All templates, in the order in which they are offered."""
    return [
        Template(each.name, each.title, each.description, each.icon)
        for each in sorted(_all().values(), key=lambda each: each.order)
    ]


def read(name: str) -> Template:
    """The template of a name, ready for `filled`; raises `UnknownTemplate`."""
    # By what there is: a name never becomes part of a path.
    try:
        return _all()[name]
    except KeyError:
        raise UnknownTemplate(f"There is no template {name!r}.") from None


def filled(template: Template, code: str) -> dict[str, Any]:
    """The notebook of a template that `read` gave, connected by `code`."""
    assert isinstance(template, _Notebook)
    made = copy.deepcopy(dict(template.content))
    made["metadata"] = {
        key: value for key, value in made["metadata"].items() if key != "audiencelab"
    }
    first = next(cell for cell in made["cells"] if cell["cell_type"] == "code")
    first["source"] = "".join(first["source"]).replace(CONNECT, code, 1)
    return made


def _all() -> dict[str, _Notebook]:
    found: dict[str, _Notebook] = {}
    for file in files(__name__).iterdir():
        if not file.name.endswith(_SUFFIX):
            continue
        content = json.loads(file.read_text(encoding="utf-8"))
        about = content["metadata"]["audiencelab"]
        name = file.name.removesuffix(_SUFFIX)
        found[name] = _Notebook(
            name,
            about["title"],
            about["description"],
            about.get("icon", ""),
            content,
            about["order"],
        )
    return found
