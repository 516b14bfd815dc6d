"""Reading a notebook file, and the chart that one of its outputs contains."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from audiencelab.errors import AudienceError

if TYPE_CHECKING:
    from nbformat import NotebookNode

Specification = dict[str, Any]

RUN_AND_SAVE = (
    "jupyter nbconvert --to notebook --execute --inplace "
    "--ExecutePreprocessor.store_widget_state=False"
)
"""The command, before the file, that saves outputs without the state of widgets."""


class NotebookError(AudienceError):
    """The file is not a notebook that can be read, run or written."""


def read_notebook(path: Path) -> NotebookNode:
    """Read a notebook in its newest format; raises `NotebookError`."""
    import nbformat

    try:
        return cast("NotebookNode", nbformat.read(path, as_version=4))  # pyright: ignore[reportUnknownMemberType] -- nbformat has no types
    except FileNotFoundError:
        raise NotebookError(f"{path}: there is no such notebook.") from None
    except IsADirectoryError:
        raise NotebookError(f"{path} is a folder; name a notebook in it (.ipynb).") from None
    except OSError as error:
        raise NotebookError(f"{path} cannot be read: {error.strerror}.") from error
    except Exception as error:  # nbformat raises any error of its parsers
        raise NotebookError(f"{path} is not a notebook: {error}") from error


def code_cells(notebook: NotebookNode) -> list[Any]:
    """The cells with code, which findings number from 1."""
    cells = cast("list[Any]", notebook.cells)
    return [cell for cell in cells if cell.cell_type == "code" and cell.source.strip()]


def raises(cell: Any) -> bool:
    """Whether a cell shows an error that no tag allows."""
    shows = any(output.get("output_type") == "error" for output in cell.outputs)
    return shows and "raises-exception" not in cell.metadata.get("tags", ())


def heading(notebook: NotebookNode, path: Path) -> str:
    """The first heading, or the name of the file."""
    for cell in cast("list[Any]", notebook.cells):
        if cell.cell_type == "markdown":
            for line in cell.source.split("\n"):
                if line.startswith("# "):
                    return line[2:].strip()
    return path.stem


def python_of(notebook: NotebookNode) -> str:
    """The version of Python that a notebook was saved with; "" where it names none."""
    return str(notebook.metadata.get("language_info", {}).get("version", ""))


def text_of(written: object) -> str:
    """The text of a notebook file, which may be stored line by line."""
    lines = cast("list[object]", written) if isinstance(written, list) else [written or ""]
    return "".join(map(str, lines))


# altair's renderer `mimetype` writes a dot where a plus should be.
_VEGALITE = re.compile(r"application/vnd\.vegalite\.v\d+[+.]json")
# What precedes the chart in the page that altair's renderer `html`, its default, writes.
_CALL = re.compile(r"\}\)\(")


def specification(data: Mapping[str, Any]) -> Specification | None:
    """The Vega-Lite specification of an output; None where it has no chart, or only an image.

    data: the output by MIME type; which types there are depends on altair's renderer.
    """
    for form, content in data.items():
        if _VEGALITE.fullmatch(form) and isinstance(content, dict):
            return cast("Specification", content)
    page = text_of(data.get("text/html"))
    for call in _CALL.finditer(page) if "vegaEmbed" in page else ():
        try:
            found, _ = json.JSONDecoder().raw_decode(page, call.end())
        except ValueError:
            continue
        if isinstance(found, dict):
            return cast("Specification", found)
    return None
