"""The threads of the server are shared among connections: none of them takes all."""

from __future__ import annotations

import asyncio
import shutil
import threading
from pathlib import Path

import pytest

from audiencelab.jupyter.connections import places
from audiencelab.jupyter.server.office import AT_ONCE, Office
from audiencelab.jupyter.server.surveys import OutsideRoot, found
from audiencelab.survey import demo_survey

SLOW = places.survey("slow", Path("/surveys/slow"), "file")
QUICK = places.survey("quick", Path("/surveys/quick"), "file")


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


def test_where_files_are_in_no_folder_no_survey_is_opened() -> None:
    office = Office({}, None)
    with pytest.raises(OutsideRoot, match="keeps its files in no folder"):
        office.open_survey("survey")
    office.close()


def test_of_very_many_surveys_the_oldest_is_found_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audiencelab.jupyter.server.office._OPENED", 1)
    for name in ("first", "second"):
        shutil.copytree(demo_survey(2_400).path, tmp_path / name)
    office = Office({}, tmp_path)
    made = [office.open_survey(name) for name in ("first", "second")]
    assert list(office._opened) == [made[1].name]
    assert [office.connection(each.name) for each in made] == made
    office.close()


def test_a_manifest_too_large_to_be_one_is_not_read(tmp_path: Path) -> None:
    strange = tmp_path / "strange"
    strange.mkdir()
    with (strange / "panel.json").open("wb") as manifest:
        manifest.truncate(65 * 1024 * 1024)
    assert found(tmp_path) == []
