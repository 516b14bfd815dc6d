"""New notebooks from templates, created by the server's contents manager."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Any

from jupyter_server.utils import ensure_async
from tornado.web import HTTPError

from audiencelab.errors import AudienceError
from audiencelab.jupyter.connections.connection import Connection
from audiencelab.jupyter.templates import read_template


class NoFolder(AudienceError, ValueError):
    """The folder does not exist among Jupyter's files, or is not writable."""


async def create(
    contents: Any, template: str, folder: str, connection: Connection, root: Path | None
) -> str:
    """Create a notebook from a template under a free name and return its path.

    folder: as Jupyter writes it, from the root, with slashes; `""` is the root itself. One call at
    a time: another one could take the name that was found free.
    Raises `NoFolder` and `UnknownTemplate`.
    """
    folder = await _checked(contents, folder, root)
    title, notebook = read_template(template, _code_in(connection, folder, root))
    try:
        name = await ensure_async(contents.increment_filename(f"{title}.ipynb", folder, insert=" "))
        model = {"type": "notebook", "format": "json", "content": notebook}
        created = await ensure_async(contents.new(model, f"{folder}/{name}".lstrip("/")))
    except HTTPError as error:
        raise NoFolder(f"The notebook could not be written: {error.log_message}.") from None
    return str(created["path"])


async def _checked(contents: Any, given: str, root: Path | None) -> str:
    folder = given.strip("/")
    parts = PurePosixPath(folder).parts
    if "\\" in given or "\0" in given or ".." in parts:
        raise NoFolder(f"{given!r} is not a folder of this Jupyter.")
    try:
        exists = await ensure_async(contents.dir_exists(folder))
        is_visible = exists and not await ensure_async(contents.is_hidden(folder))
    except HTTPError:
        is_visible = False
    if not is_visible or not _is_inside(root, parts):
        raise NoFolder(f"There is no folder {given!r}. Choose one that the file browser shows.")
    return folder


def _is_inside(root: Path | None, parts: tuple[str, ...]) -> bool:
    """Whether the folder is below the root on the disk as well: it may be a link."""
    return root is None or root.joinpath(*parts).resolve().is_relative_to(root.resolve())


def _code_in(connection: Connection, folder: str, root: Path | None) -> str:
    """Python that connects; by a relative path to a survey of the folder, so both can move."""
    if connection.source != "server folder" or root is None or connection.target is None:
        return connection.code
    path = os.path.relpath(connection.target, root.resolve() / folder)
    return f"al.connect(survey={Path(path).as_posix()!r})"
