"""The threads of the server are shared among connections: none of them takes all."""

from __future__ import annotations

import asyncio
import shutil
import threading
from pathlib import Path

import pytest

from audiencelab.lab.connections import places
from audiencelab.lab.server.office import AT_ONCE, Office
from audiencelab.lab.server.panels import OutsideRoot, found
from audiencelab.panel import demo_panel

SLOW = places.panel("slow", Path("/panels/slow"), "file")
QUICK = places.panel("quick", Path("/panels/quick"), "file")


def test_a_service_that_hangs_leaves_threads_for_the_others() -> None:
    hangs, begun = threading.Event(), threading.Semaphore(0)

    def hang() -> None:
        begun.release()
        assert hangs.wait(30)

    async def ask() -> str:
        office = Office({}, None)
        waiting = [asyncio.create_task(office.work_for(SLOW, hang)) for _ in range(3 * AT_ONCE)]
        await asyncio.to_thread(begun.acquire)
        try:
            return await asyncio.wait_for(office.work_for(QUICK, lambda: "answered"), 20)
        finally:
            hangs.set()
            await asyncio.gather(*waiting)
            office.close()

    assert asyncio.run(ask()) == "answered"


def test_where_files_are_in_no_folder_no_panel_is_opened() -> None:
    office = Office({}, None)
    with pytest.raises(OutsideRoot, match="keeps its files in no folder"):
        office.open_panel("survey")
    office.close()


def test_of_very_many_panels_the_oldest_is_found_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audiencelab.lab.server.office._OPENED", 1)
    for name in ("first", "second"):
        shutil.copytree(demo_panel(2_400).path, tmp_path / name)
    office = Office({}, tmp_path)
    made = [office.open_panel(name) for name in ("first", "second")]
    assert list(office._opened) == [made[1].name]
    assert [office.connection(each.name) for each in made] == made
    office.close()


def test_a_manifest_too_large_to_be_one_is_not_read(tmp_path: Path) -> None:
    strange = tmp_path / "strange"
    strange.mkdir()
    with (strange / "panel.json").open("wb") as manifest:
        manifest.truncate(65 * 1024 * 1024)
    assert found(tmp_path) == []
