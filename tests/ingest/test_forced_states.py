"""Imports where the cache is full, the package has changed or a call is interrupted.

Each is forced by replacing one part of the package.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import audiencelab as al
from audiencelab import import_card
from audiencelab.import_card import ImportCard
from audiencelab.ingest import cache, opening
from audiencelab.survey import answers
from tests.ingest.sources import imported
from tests.ingest.test_card import tracker
from tests.ingest.test_opening import RESPONDENTS, imports, respondents
from tests.messages import fails


@pytest.fixture
def frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    return respondents()


def test_a_development_version_imports_again_after_a_change_of_its_code(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "ingest" / "opening.py"
    module.parent.mkdir()
    module.touch()
    monkeypatch.setattr(opening, "__file__", str(module))
    for version, again in (("1.2.0", 0), ("1.3.0.dev0", 1)):
        monkeypatch.setattr(opening, "__version__", version)
        al.open(frame, quiet=True)
        before = imports()
        os.utime(module, (1_700_000_000, 1_700_000_000 + len(before)))
        al.open(frame, quiet=True)
        assert len(imports() - before) == again


def test_an_unchanged_file_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.csv"
    path.write_text("a,b\n1,2\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    first = cache.digest(path)

    def unread(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(cache.hashlib, "file_digest", unread)
    assert cache.digest(path) == first
    path.write_text("a,b\n1,3\n")
    with fails(AssertionError):
        cache.digest(path)


def test_the_cache_is_private_and_bounded(
    frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = al.open(frame, quiet=True)
    assert stat.S_IMODE(cache.imports_folder().stat().st_mode) == 0o700
    monkeypatch.setattr(cache, "MOST_BYTES", 1)
    al.open(frame, weight=None, quiet=True)
    [kept] = cache.cached_surveys()
    assert kept.entry.source == "frame"
    # What is open stays readable.
    assert first.crosstab("gender").to_frame()["sample"].sum() == RESPONDENTS
    assert cache.clear_cache() == 1
    assert cache.cached_surveys() == []


def test_the_survey_used_longest_ago_is_removed_first(
    frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    al.open(frame, quiet=True)
    al.open(frame, weight=None, quiet=True)
    old, new = cache.cached_surveys()[::-1]
    os.utime(old.folder / "entry.json", (1, 1))
    al.open(frame, quiet=True)  # used again, so the other is older now
    os.utime(new.folder / "entry.json", (2, 2))
    monkeypatch.setattr(cache, "MOST_BYTES", old.entry.size + new.entry.size)
    al.open(frame.head(300), quiet=True)
    assert {each.folder for each in cache.cached_surveys()} >= {old.folder}
    assert new.folder not in {each.folder for each in cache.cached_surveys()}


def test_a_notebook_shows_the_card_as_html(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    shown: list[object] = []

    class Page:
        display = staticmethod(shown.append)

    class Shell:
        kernel = None

    class Python:
        get_ipython = staticmethod(Shell)

    monkeypatch.setitem(import_card.sys.modules, "IPython", Python)
    monkeypatch.setitem(import_card.sys.modules, "IPython.display", Page)
    al.open(tracker())
    [card] = shown
    assert isinstance(card, ImportCard)
    assert "al.open(frame, weight=&quot;wgt&quot;)" in card.html()


def test_an_import_interrupted_while_writing_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0
    write_rows = answers.answer_rows

    def interrupted(*arguments: Any) -> object:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise KeyboardInterrupt
        return write_rows(*arguments)

    monkeypatch.setattr(answers, "answer_rows", interrupted)
    with pytest.raises(KeyboardInterrupt):
        imported(tmp_path)
    assert calls == 5
    assert not [each for each in tmp_path.iterdir() if each.is_dir() and "survey" in each.name]
