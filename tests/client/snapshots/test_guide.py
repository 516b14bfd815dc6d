"""The guide to snapshots says what is so: its code runs, and its error is the one that comes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import audiencelab as al
from audiencelab.client import Client
from audiencelab.client.snapshots.format import Exchange, Header
from audiencelab.client.snapshots.replay import SnapshotMiss

DOCS = Path(__file__).parents[3] / "docs"


def test_its_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "how-to" / "snapshots.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(code, names)
    client: Client = names["client"]
    assert repr(client) == "<Client of the snapshot analysis.audiencelab.jsonl, demo survey>"
    other = al.Audience(name="18 to 34", expression=al.Q("q4").any("q4_2", "q4_4"))
    with pytest.raises(SnapshotMiss) as caught:
        client.stats("q20", audiences=[other])
    [message] = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    assert str(caught.value) == message.rstrip("\n")


@pytest.mark.parametrize(("kind", "after"), [(Header, "## Header"), (Exchange, "## Exchange")])
def test_the_format_page_lists_every_field(kind: Any, after: str) -> None:
    page = (DOCS / "reference" / "snapshot-format.md").read_text(encoding="utf-8")
    section = page.partition(after)[2].partition("\n## ")[0]
    listed = {
        name
        for names in re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", names)
    }
    assert listed == set(kind.__struct_fields__)
