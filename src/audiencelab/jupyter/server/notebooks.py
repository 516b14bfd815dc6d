"""New notebooks of templates, by the server's own contents manager: it knows where files are.

Nothing that is there is written over, and nothing is written outside the folder that it serves.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Any

from jupyter_server.utils import ensure_async
from tornado.web import HTTPError

from audiencelab.errors import AudienceError
from audiencelab.jupyter.connections.places import Connection
from audiencelab.jupyter.templates import Template, filled

__all__ = ["NoFolder", "create"]


class NoFolder(AudienceError, ValueError):
    """There is no such folder where Jupyter's files are, or it may not be written to."""


async def create(
    contents: Any, template: Template, folder: str, connection: Connection, root: Path | None
) -> str:
    """Make a notebook of a template in a folder, under a name that is free; return its path.

    folder: as Jupyter writes it, from the root, with slashes; `""` is the root itself. Only one at
    a time may be made: between looking for a free name and taking it nobody else may.
    Raises `NoFolder`.
    """
    place = await _checked(contents, folder, root)
    made = filled(template, _code_in(connection, place, root))
    try:
        name = await ensure_async(
            contents.increment_filename(f"{template.title}.ipynb", place, insert=" ")
        )
        path = f"{place}/{name}".lstrip("/")
        model = {"type": "notebook", "format": "json", "content": made}
        created = await ensure_async(contents.new(model, path))
    except HTTPError as error:
        raise NoFolder(f"The notebook could not be written: {error.log_message}.") from None
    return str(created["path"])


async def _checked(contents: Any, folder: str, root: Path | None) -> str:
    place = folder.strip("/")
    parts = PurePosixPath(place).parts
    if "\\" in folder or "\0" in folder or ".." in parts:
        raise NoFolder(f"{folder!r} is no folder of this Jupyter.")
    try:
        there = await ensure_async(contents.dir_exists(place))
        hidden = there and await ensure_async(contents.is_hidden(place))
    except HTTPError:
        there, hidden = False, False
    if not there or hidden or not _is_inside(root, parts):
        raise NoFolder(f"There is no folder {folder!r}. Choose one that the file browser shows.")
    return place


def _is_inside(root: Path | None, parts: tuple[str, ...]) -> bool:
    """Whether the folder stands below the root on the disk too: a link may lead anywhere."""
    if root is None:
        return True
    base = root.resolve()
    return base.joinpath(*parts).resolve().is_relative_to(base)


def _code_in(connection: Connection, folder: str, root: Path | None) -> str:
    """Python that connects; a survey beside the notebook by the way from it, so both can move."""
    if connection.source != "server folder" or root is None or connection.target is None:
        return connection.code
    way = os.path.relpath(connection.target, root.resolve() / folder)
    return f"al.connect(survey={Path(way).as_posix()!r})"
