"""Paths in code and messages are those of the reader's folder, where they can be."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.relative_paths import relative_code


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("al.open('/study/kunden.sav')", "al.open('kunden.sav')"),
        ("al.open('/study/a b/k.sav', weight='wgt')", "al.open('a b/k.sav', weight='wgt')"),
        ("al.open('/study/k.csv', codebook='/study/k.toml')",
         "al.open('k.csv', codebook='k.toml')"),
        ("al.connect(survey='/study/kunden')", "al.connect(survey='kunden')"),
        ("al.open('/data/kunden.sav')", "al.open('/data/kunden.sav')"),
        ("al.open('/study2/kunden.sav')", "al.open('/study2/kunden.sav')"),
        ("al.connect('https://example.org')", "al.connect('https://example.org')"),
        ("al.connect()", "al.connect()"),
    ],
)  # fmt: skip
def test_paths_below_a_folder_are_relative(code: str, expected: str) -> None:
    assert relative_code(code, "/study") == expected


def test_paths_near_a_folder_are_relative() -> None:
    data = "al.open('/home/anna/study/data/k.sav')"
    assert relative_code(data, "/home/anna/study/notebooks") == "al.open('../data/k.sav')"
    assert relative_code(data, "/home/anna/study/a/b/c") == data
    assert relative_code(data, "/mnt/study") == data


def test_no_folder_of_this_machine_is_in_what_a_notebook_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    study = tmp_path / "Anna Müller" / "study"
    (study / "data").mkdir(parents=True)
    (study / "notebooks").mkdir()
    frame = pd.DataFrame({"Größe": ["klein", "groß"] * 20, "g": [1.0, 1.25] * 20})
    frame.to_csv(study / "data" / "k.csv", index=False)
    monkeypatch.chdir(study / "notebooks")
    client = al.open("../data/k.csv", weight="g", quiet=True)
    assert client.to_code() == "al.open('../data/k.csv', weight='g')"
    recording = client.recording("k.audiencelab.jsonl").start()
    table = client.crosstab("Größe")
    workbench = al.Workbench(client, "Größe")
    shown = [
        *(client, client.to_code(), recording, recording.save(), table, table.provenance),
        *(workbench.to_document(), workbench.save("w.json"), workbench.to_notebook("w.ipynb")),
        Path("w.ipynb").read_text("utf-8"),
    ]
    for call in (
        lambda: client.recording("../data/k.csv").start(),
        lambda: client.recording("../none/k.jsonl").start(),
        lambda: table.save("../none/k.xlsx"),
        lambda: al.open("../none.sav"),
        lambda: al.connect(survey="../data"),
        lambda: al.connect(snapshot="../none.jsonl"),
    ):
        with pytest.raises((al.AudienceError, OSError, ValueError)) as caught:
            call()
        shown.append(str(caught.value))
    for each in shown:
        assert "Anna" not in str(each), each
