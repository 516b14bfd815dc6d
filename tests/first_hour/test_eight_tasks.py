"""Eight tasks of a first week run as one script of a user's; `make types` checks its types."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from tests.first_hour import tracker

SCRIPT = Path(__file__).with_name("eight_tasks.py")
WRITTEN = {
    "analysis.audiencelab.jsonl",
    "banner.xlsx",
    "brands.svg",
    "deck.pptx",
    "promoters.xlsx",
    "satisfaction.xlsx",
    "table-1.xlsx",
    "two.html",
}


def test_eight_tasks_run_as_one_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tracker.write(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), str(file), str(tmp_path / "out")])
    runpy.run_path(str(SCRIPT), run_name="__main__")
    assert {each.name for each in (tmp_path / "out").iterdir()} >= WRITTEN
    # The share of women is theirs of the sums of weights, whatever is asked of whom.
    df = tracker.frame()
    share = 100 * df.weight[df.gender == 2].sum() / df.weight.sum()
    assert f"Women: share {share:.1f}%" in capsys.readouterr().out
