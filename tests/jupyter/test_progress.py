"""Progress of an import, as the tab that runs it receives it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest.columns import watched
from audiencelab.jupyter import progress
from audiencelab.jupyter.progress import Reports


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache: what is in it is not imported again."""
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_an_import_reports_its_rows_and_waves(tmp_path: Path) -> None:
    frame = pd.DataFrame({"wave": ["a", "a", "b"] * 40, "tea": ["yes", "no", "no"] * 40})
    frame.to_parquet(tmp_path / "tea.parquet")
    sent: list[Mapping[str, Any]] = []
    with watched(Reports(sent.append)):
        al.open(tmp_path / "tea.parquet", wave="wave", quiet=True)
    al.open(tmp_path / "tea.parquet", weight=None, quiet=True)
    done = [(each["step"], each["rows"]) for each in sent if each["share"] == 1]
    steps = [("tea.parquet", 120), ("writing wave_a", 80), ("writing wave_b", 40)]
    assert list(dict.fromkeys(done)) == steps


def test_reports_are_at_most_ten_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    sent: list[Mapping[str, Any]] = []
    reports = Reports(sent.append)
    reports.rows = 1_000_000
    reports.start("a.sav", 1_000)
    for done in range(1_000):
        now = done / 250
        reports.at(done)
    reports.done()
    assert 35 <= len(sent) <= 42
    assert [sent[0]["share"], sent[-1]["share"]] == [0, 1]
    assert all(each["rows"] == 1_000_000 for each in sent)


def test_a_stopped_import_leaves_nothing(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "a.csv").write_text("tea,sex\n" + "yes,f\nno,m\n" * 50)

    def stop(report: Mapping[str, Any]) -> None:
        if report["step"].startswith("writing"):
            raise KeyboardInterrupt

    with watched(Reports(stop)), pytest.raises(KeyboardInterrupt):
        al.open(tmp_path / "a.csv", quiet=True)
    kept = {each.suffix for each in cache.rglob("*")}
    assert kept <= {"", ".lock", ".json"}
    assert not list(cache.rglob("panel.json"))
    assert not [each for each in (cache / "imports").iterdir() if each.is_dir()]
    assert al.open(tmp_path / "a.csv", quiet=True).crosstab("tea", "sex").shape == (2, 2)
