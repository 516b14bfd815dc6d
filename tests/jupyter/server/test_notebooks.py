"""Notebooks of templates, by whatever manager of contents the server has."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError

from audiencelab.jupyter.connections import places
from audiencelab.jupyter.server.notebooks import NoFolder, create
from audiencelab.jupyter.templates import read

DEMO = places.demo(is_default=True)


def made(contents: Any, folder: str, root: Path | None) -> str:
    return asyncio.run(create(contents, read("trend"), folder, DEMO, root))


def test_what_the_server_will_not_write_is_told(tmp_path: Path) -> None:
    def refuse(**_: object) -> None:
        raise HTTPError(409, "Notebooks are written by the team alone")

    contents = AsyncLargeFileManager(root_dir=str(tmp_path))
    contents.pre_save_hook = refuse
    with pytest.raises(NoFolder, match=r"could not be written: .*by the team alone"):
        made(contents, "", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_the_server_will_not_tell_of_is_none(tmp_path: Path) -> None:
    class Guarded(AsyncLargeFileManager):
        async def dir_exists(self, path: str) -> bool:
            raise HTTPError(403, f"{path} is not yours")

    (tmp_path / "work").mkdir()
    with pytest.raises(NoFolder, match="There is no folder 'work'"):
        made(Guarded(root_dir=str(tmp_path)), "work", tmp_path)


def test_where_files_are_in_no_folder_of_the_disk_the_manager_knows(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    contents = AsyncLargeFileManager(root_dir=str(tmp_path))
    path = made(contents, "work", None)
    assert path.startswith("work/")
    assert json.loads((tmp_path / path).read_text())["cells"]
