"""Surveys below the server's folder: how far they are looked for, and what is passed over."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import audiencelab as al
from audiencelab.errors import AudienceError
from audiencelab.jupyter.server import surveys as surveys
from audiencelab.survey import demo_survey


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of three surveys, two of them deeper."""
    root = tmp_path_factory.mktemp("root")
    for path in ("first", "deep/second", "deep/third"):
        shutil.copytree(demo_survey(2_400).path, root / path)
    return root


def paths(root: Path) -> list[str]:
    return [each.path for each in surveys.found(root)]


def test_only_so_many_are_listed_the_shallow_ones_first(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert paths(root) == ["deep/second", "deep/third", "first"]
    monkeypatch.setattr(surveys, "_SURVEYS", 2)
    assert paths(root) == ["deep/second", "first"]


def test_only_so_many_folders_are_looked_into(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The root, what stands in it, and one further.
    monkeypatch.setattr(surveys, "_FOLDERS", 4)
    assert paths(root) == ["deep/second", "first"]


def test_where_nothing_can_be_read_there_is_none(tmp_path: Path) -> None:
    assert surveys.found(tmp_path / "gone") == []


def test_a_circle_of_links_leads_to_no_survey(root: Path) -> None:
    (root / "there").symlink_to(root / "back")
    (root / "back").symlink_to(root / "there")
    with pytest.raises(AudienceError):
        surveys.opened(root, "there")
    assert paths(root) == ["deep/second", "deep/third", "first"]


def test_what_cannot_be_read_is_told_and_passed_over(tmp_path: Path) -> None:
    (tmp_path / "survey").mkdir()
    (tmp_path / "survey" / "panel.json").symlink_to("panel.json")
    with pytest.raises(AudienceError, match=r"'survey' cannot be read: \w"):
        surveys.opened(tmp_path, "survey")
    assert paths(tmp_path) == []


def test_the_connection_opens_the_survey(root: Path) -> None:
    made = surveys.opened(root, "deep/second")
    with al.connect(survey=made.target) as client:
        assert client.waves()
