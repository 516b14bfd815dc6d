"""Panels below the server's folder: how far they are looked for, and what is passed over."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import audiencelab as al
from audiencelab.errors import AudienceError
from audiencelab.lab.server import panels
from audiencelab.panel import demo_panel


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of three panels, two of them deeper."""
    root = tmp_path_factory.mktemp("root")
    for path in ("first", "deep/second", "deep/third"):
        shutil.copytree(demo_panel(2_400).path, root / path)
    return root


def paths(root: Path) -> list[str]:
    return [each.path for each in panels.found(root)]


def test_only_so_many_are_listed_the_shallow_ones_first(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert paths(root) == ["deep/second", "deep/third", "first"]
    monkeypatch.setattr(panels, "_PANELS", 2)
    assert paths(root) == ["deep/second", "first"]


def test_only_so_many_folders_are_looked_into(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The root, what stands in it, and one further.
    monkeypatch.setattr(panels, "_FOLDERS", 4)
    assert paths(root) == ["deep/second", "first"]


def test_where_nothing_can_be_read_there_is_none(tmp_path: Path) -> None:
    assert panels.found(tmp_path / "gone") == []


def test_a_circle_of_links_leads_to_no_panel(root: Path) -> None:
    (root / "there").symlink_to(root / "back")
    (root / "back").symlink_to(root / "there")
    with pytest.raises(AudienceError):
        panels.opened(root, "there")
    assert paths(root) == ["deep/second", "deep/third", "first"]


def test_what_cannot_be_read_is_told_and_passed_over(tmp_path: Path) -> None:
    (tmp_path / "survey").mkdir()
    (tmp_path / "survey" / "panel.json").symlink_to("panel.json")
    with pytest.raises(AudienceError, match=r"'survey' cannot be read: \w"):
        panels.opened(tmp_path, "survey")
    assert paths(tmp_path) == []


def test_the_connection_opens_the_panel(root: Path) -> None:
    made = panels.opened(root, "deep/second")
    with al.connect(panel=made.target) as client:
        assert client.waves()
