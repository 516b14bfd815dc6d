"""Notebooks from templates, with any contents manager."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError

from audiencelab.jupyter.connections.connection import demo_connection
from audiencelab.jupyter.server.notebooks import NoFolder, create
from tests.messages import fails


def created(contents: Any, folder: str, root: Path | None) -> str:
    return asyncio.run(create(contents, "trend", folder, demo_connection(is_default=True), root))


def test_a_refusal_of_the_server_is_reported(tmp_path: Path) -> None:
    def refuse(**_: object) -> None:
        raise HTTPError(409, "Notebooks are written by the team alone")

    contents = AsyncLargeFileManager(root_dir=str(tmp_path))
    contents.pre_save_hook = refuse
    with fails(NoFolder):
        created(contents, "", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_forbidden_folder_does_not_exist(tmp_path: Path) -> None:
    class Guarded(AsyncLargeFileManager):
        async def dir_exists(self, path: str) -> bool:
            raise HTTPError(403, f"{path} is not yours")

    (tmp_path / "work").mkdir()
    with fails(NoFolder):
        created(Guarded(root_dir=str(tmp_path)), "work", tmp_path)


def test_without_a_root_folder_the_manager_decides(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    path = created(AsyncLargeFileManager(root_dir=str(tmp_path)), "work", None)
    assert path.startswith("work/")
    assert json.loads((tmp_path / path).read_text())["cells"]
