"""What the handlers share: worker threads, open clients, surveys below the server's folder."""

from __future__ import annotations

import asyncio
import inspect
import shutil
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import audiencelab as al
from audiencelab.errors import AudienceError
from audiencelab.jupyter.connections.connection import (
    Connection,
    demo_connection,
    survey_connection,
)
from audiencelab.jupyter.server import client_pool, folder_surveys
from audiencelab.jupyter.server.client_pool import ClientPool, PoolClosedError
from audiencelab.jupyter.server.context import WORKERS, ServerContext
from audiencelab.jupyter.server.handlers import AskHandler
from audiencelab.jupyter.server.operations import parse_request
from audiencelab.survey import demo_survey
from audiencelab.widgets.rpc_types import Cancelled
from tests.messages import fails

DEMO = demo_connection(is_default=True)


def numbered(number: int) -> Connection:
    return survey_connection(f"p{number}", Path(f"/surveys/{number}"), "file")


# -- worker threads --------------------------------------------------------------------------------


def test_a_service_that_hangs_leaves_threads_for_the_others() -> None:
    hangs, begun = threading.Event(), threading.Semaphore(0)

    def hang() -> None:
        begun.release()
        assert hangs.wait(120)

    async def ask() -> str:
        context = ServerContext({}, None)
        slow = [asyncio.create_task(context.run_for(numbered(1), hang)) for _ in range(3 * WORKERS)]
        await asyncio.to_thread(begun.acquire)
        try:
            return await asyncio.wait_for(context.run_for(numbered(2), lambda: "answered"), 60)
        finally:
            hangs.set()
            await asyncio.gather(*slow)
            context.close()

    assert asyncio.run(ask()) == "answered"


def test_a_closed_page_cancels_its_request_while_the_connection_is_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handler = AskHandler.__new__(AskHandler)
    handler.on_connection_close()  # before the request was read
    cancelled: list[bool] = []

    async def look_up(*_: object) -> str:
        handler.on_connection_close()
        return "a connection"

    async def ask(_: object, answer: object, connection: object, request: Any) -> None:
        cancelled.append(request.cancelled)
        raise Cancelled

    handler.context = cast("Any", SimpleNamespace(run=look_up, run_for=ask, connection=None))
    monkeypatch.setattr(AskHandler, "body", lambda _: {"op": "catalogue"})
    asyncio.run(inspect.unwrap(AskHandler.post)(handler, "survey"))
    assert cancelled == [True]


# -- clients ---------------------------------------------------------------------------------------


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the connections that were opened, all of them on the demo survey."""
    names: list[str] = []

    def open_client(connection: Connection) -> al.Client:
        names.append(connection.name)
        return al.connect(survey=al.demo_survey())

    monkeypatch.setattr(client_pool, "open_client", open_client)
    return names


def is_closed(client: al.Client) -> bool:
    try:
        _ = client.transport
    except RuntimeError:
        return True
    return False


def test_a_client_requested_by_many_at_once_is_opened_once(opened: list[str]) -> None:
    pool = ClientPool()
    barrier = threading.Barrier(6)

    def ask() -> None:
        barrier.wait()
        with pool.use(DEMO):
            pass

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert opened == ["demo"]
    pool.close()


def test_the_least_recently_used_is_closed_first(opened: list[str]) -> None:
    pool = ClientPool(2)
    clients: list[al.Client] = []
    for number in (1, 2, 1, 3):
        with pool.use(numbered(number)) as operations:
            clients.append(operations.client)
    assert opened == ["p1", "p2", "p3"]
    assert clients[2] is clients[0]
    assert [is_closed(each) for each in clients] == [False, True, False, False]
    pool.close()
    assert all(map(is_closed, clients))


def test_a_client_in_use_is_not_closed(opened: list[str]) -> None:
    pool = ClientPool(1)
    with pool.use(numbered(1)) as operations:
        with pool.use(numbered(2)):
            pass
        pool.drop(numbered(1))
        assert not is_closed(operations.client)
    assert is_closed(operations.client)


def test_a_name_with_another_target_is_opened_again(opened: list[str]) -> None:
    pool = ClientPool()
    for folder in ("/surveys/a", "/surveys/b"):
        with pool.use(survey_connection("mine", folder, "file")):
            pass
    assert opened == ["mine", "mine"]
    pool.close()
    with pytest.raises(PoolClosedError), pool.use(DEMO):
        pass


def test_a_client_that_failed_to_open_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = ClientPool()
    gone = survey_connection("gone", "/nowhere/at/all", "file")
    assert pool.check(gone).status == "broken"
    monkeypatch.setattr(client_pool, "open_client", lambda _: al.connect(survey=al.demo_survey()))
    assert pool.check(gone).status == "ready"
    pool.close()


def test_the_widget_libraries_are_not_loaded_in_the_server() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from audiencelab.jupyter.server.operations import *; "
        "import audiencelab as al; "
        "page = PageOperations(al.connect(survey=al.demo_survey())); "
        "page.answer(parse_request({'op': 'catalogue'})); "
        "sys.exit(', '.join({'ipywidgets', 'anywidget', 'pandas'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"loaded: {done.stderr}"
    assert parse_request({"op": "size"}).op == "size"


# -- surveys below the server's folder -----------------------------------------------------------


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of three surveys, two of them deeper, and a circle of links."""
    root = tmp_path_factory.mktemp("root")
    for path in ("first", "deep/second", "deep/third"):
        shutil.copytree(demo_survey(2_400).path, root / path)
    (root / "there").symlink_to(root / "back")
    (root / "back").symlink_to(root / "there")
    return root


def paths(root: Path) -> list[str]:
    return [each.path for each in folder_surveys.list_surveys(root)]


def test_surveys_are_listed_by_path_within_bounds(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert paths(root) == ["deep/second", "deep/third", "first"]
    monkeypatch.setattr(folder_surveys, "_MAX_LISTED", 2)
    assert paths(root) == ["deep/second", "first"]
    monkeypatch.setattr(folder_surveys, "_MAX_LISTED", 100)
    # The root, its two folders, and one further.
    monkeypatch.setattr(folder_surveys, "_MAX_FOLDERS", 4)
    assert paths(root) == ["deep/second", "first"]
    assert paths(root / "gone") == []


def test_files_that_can_be_opened_are_listed_with_surveys(tmp_path: Path) -> None:
    shutil.copytree(demo_survey(2_400).path, tmp_path / "demo")
    (tmp_path / "demo" / "export.csv").write_text("a\n1")
    (tmp_path / "data").mkdir()
    hidden = [".a.sav", "_a.sav", "notes.txt", "book.ipynb", "codebook.xml"]
    for name in ["b.sav", "B.CSV", *hidden]:
        (tmp_path / "data" / name).write_bytes(b"12345")
    (tmp_path / "link.sav").symlink_to(tmp_path / "data" / "b.sav")
    found = folder_surveys.list_surveys(tmp_path)
    assert [(each.path, each.kind, each.size) for each in found] == [
        ("data/B.CSV", "file", 5),
        ("data/b.sav", "file", 5),
        ("demo", "survey", 0),
    ]
    assert [each.title for each in found][:2] == ["B.CSV", "b.sav"]


def test_unreadable_surveys_are_refused_and_left_out(root: Path, tmp_path: Path) -> None:
    with pytest.raises(AudienceError):
        folder_surveys.open_in(root, "there")
    for name in ("circle", "huge"):
        (tmp_path / name).mkdir()
    (tmp_path / "circle" / "panel.json").symlink_to("panel.json")
    with (tmp_path / "huge" / "panel.json").open("wb") as manifest:
        manifest.truncate(65 * 1024 * 1024)
    with fails(AudienceError):
        folder_surveys.open_in(tmp_path, "circle")
    assert paths(tmp_path) == []


def test_a_survey_is_found_by_name_also_after_it_was_forgotten(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audiencelab.jupyter.server.context._MAX_OPENED", 1)
    context = ServerContext({}, root)
    made = [context.open_survey(name) for name in ("first", "deep/second")]
    assert [context.connection(each.name) for each in made] == made
    assert folder_surveys.find_by_name(root, "folder-0000000000000000") is None
    with al.connect(survey=made[1].target) as client:
        assert client.waves()
    context.close()


def test_without_a_folder_no_survey_is_opened() -> None:
    context = ServerContext({}, None)
    with fails(folder_surveys.OutsideRoot):
        context.open_survey("survey")
    context.close()
