"""Snapshots of `al.open`: replayed by `connect` and by `open`, without the source."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.client import (
    Client,
    ConnectionChoiceError,
    SnapshotError,
    SnapshotMiss,
)
from audiencelab.client.options import ClientOptions
from audiencelab.client.snapshots.format import Header, read
from audiencelab.schema.scope import Scope
from tests.golden.api import V2
from tests.messages import fails

NAME = "my.audiencelab.jsonl"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a small tracker in a file."""
    rows = [
        {"wave": f"2025Q{n % 3 + 1}", "sex": "fm"[n % 2], "tea": ["yes", "no"][n % 7 > 2]}
        | {"weight": 0.5 + n % 4 / 2, "other": 0.7 + n % 5 / 3}
        for n in range(90)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "tracker.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def opened(weight: str | None = "weight", **given: Any) -> Client:
    return al.open("tracker.csv", weight, quiet=True, **given)


def recorded(client: Client) -> list[float]:
    """The figures of a table, recorded."""
    with client.recording(NAME):
        return figures(client)


def figures(client: Client) -> list[float]:
    return client.crosstab("tea", "sex").to_frame()["size"].tolist()


def test_what_was_recorded_after_edits_is_replayed_without_them(folder: Path) -> None:
    client = opened().edit("tea", missing="yes")
    assert recorded(client) != figures(opened())
    assert figures(al.connect(snapshot=NAME)) == figures(client)


def test_figures_before_and_after_edits_are_not_mixed(folder: Path) -> None:
    client = opened()
    with client.recording(NAME):
        figures(client)
        figures(client.edit("tea", labels={"no": "None"}).edit("tea", missing="yes"))
    again = al.connect(snapshot=NAME)
    assert figures(again) == figures(opened())


@pytest.mark.parametrize("given", [{}, {"waves": "latest 1"}, {"waves": ["2025Q1", "2025Q3"]}])
def test_the_recorded_window_is_that_of_the_replay(folder: Path, given: dict[str, Any]) -> None:
    client = opened(**given)
    expected = recorded(client)
    (folder / "tracker.csv").unlink()
    for replay in (
        al.connect(snapshot=NAME),
        al.open(NAME),
        al.open("tracker.csv", snapshot=NAME),
        opened(snapshot=NAME, **given),
    ):
        assert figures(replay) == expected
        assert replay.default_waves == client.default_waves
    with pytest.raises(SnapshotMiss, match="/waves"):
        figures(al.connect(snapshot=NAME, waves="2025Q2"))


def test_a_widget_has_the_same_code_in_a_replay(folder: Path) -> None:
    client = opened()
    with client.recording(NAME):
        code = al.Crosstab(client, "tea", "sex").wait().to_code()
    assert al.Crosstab(opened(snapshot=NAME), "tea", "sex").wait().to_code() == code


def test_respondents_are_never_recorded(folder: Path) -> None:
    client = opened()
    with client.recording(NAME):
        client.respondents(questions="tea")
        figures(client)
    assert not any("respondents" in each.path for each in read(Path(NAME)).exchanges)
    with fails(LookupError):
        al.open(NAME).respondents(questions="tea")


def test_so_is_the_weight(folder: Path) -> None:
    al.open("tracker.csv", weight=["weight", "other"], to="survey", quiet=True)
    expected = recorded(al.open("survey", weight="other"))
    assert figures(al.connect(snapshot=NAME)) == expected
    assert figures(al.open("survey", weight="other", snapshot=NAME)) == expected
    with fails(SnapshotMiss):
        figures(al.open(NAME, weight="weight"))
    with fails(SnapshotError):
        al.open(NAME, weight="sex")


@pytest.mark.parametrize("weight", ["weight", None])
def test_the_weight_of_the_import_is_the_usual_one(folder: Path, weight: str | None) -> None:
    expected = recorded(opened(weight=weight))
    assert figures(opened(weight=weight, snapshot=NAME)) == expected


def test_the_variable_holds_for_open_and_prints_what_was_printed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    client = al.open("tracker.csv")
    printed = capsys.readouterr().out
    expected = recorded(client)
    (folder / "tracker.csv").unlink()
    monkeypatch.setenv("AUDIENCELAB_SNAPSHOT", NAME)
    replay = al.open(Path("data/tracker.csv"))
    assert capsys.readouterr().out.replace("data/", "") == printed
    assert repr(replay).startswith(f"<Client of the snapshot {NAME}, survey tracker")
    assert recorded(replay) == expected
    assert figures(al.connect()) == expected


def test_another_source_is_not_answered_by_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(opened())
    frame = pd.read_csv("tracker.csv")
    frame[:40].to_csv("other.csv", index=False)
    with fails(SnapshotError):
        al.open("other.csv", snapshot=NAME)
    monkeypatch.setenv("AUDIENCELAB_SNAPSHOT", NAME)
    for source in ("other.csv", frame[:40]):
        assert "embedded" in repr(al.open(source, quiet=True))


def test_arguments_that_were_not_recorded_are_refused(folder: Path) -> None:
    recorded(opened(wave="wave"))
    assert opened(wave="wave", to="elsewhere", store="s.db", snapshot=NAME)
    with fails(SnapshotError):
        opened(wave="tea", snapshot=NAME)
    with fails(SnapshotError):
        opened(person="sex", snapshot=NAME)
    assert not Path("elsewhere").exists()


def test_folders_of_this_machine_are_not_recorded(folder: Path) -> None:
    recorded(opened(to=str(folder / "mine" / "kept")))
    header = Path(NAME).read_text("utf-8").partition("\n")[0]
    assert "kept" in header
    assert str(folder) not in header


def test_connect_opens_and_replays_a_source_like_open(folder: Path) -> None:
    client = al.connect("tracker.csv", weight="weight")
    with client.recording(NAME):
        expected = figures(client)
    assert figures(al.connect("tracker.csv", snapshot=NAME)) == expected
    with fails(ConnectionChoiceError):
        al.connect("tracker.csv", survey=folder)


def test_a_frame_is_replayed(folder: Path) -> None:
    frame = pd.read_csv("tracker.csv")
    expected = recorded(al.open(frame, weight="weight", quiet=True))
    assert figures(al.open(frame, "weight", snapshot=NAME, quiet=True)) == expected
    assert figures(al.connect(snapshot=NAME)) == expected


def test_another_frame_is_not_answered_from_the_snapshot(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.read_csv("tracker.csv")
    recorded(al.open(frame, weight="weight", quiet=True))
    other = frame.iloc[::-2].reset_index(drop=True)
    with fails(SnapshotError):
        al.open(other, "weight", snapshot=NAME, quiet=True)
    monkeypatch.setenv("AUDIENCELAB_SNAPSHOT", NAME)
    assert "snapshot" in repr(al.open(frame, "weight", quiet=True))
    assert "snapshot" not in repr(al.open(other, "weight", quiet=True))


def test_neither_the_source_nor_a_socket_is_opened(folder: Path) -> None:
    expected = recorded(opened())
    program = """
import os, sys

def forbid(event, arguments):
    if event.startswith("socket.") or event == "open" and "tracker" in str(arguments[0]):
        os.write(2, f"forbidden: {event} {arguments}\\n".encode())
        os._exit(3)

sys.addaudithook(forbid)
import audiencelab as al
client = al.open("tracker.csv")
print(client.crosstab("tea", "sex").to_frame()["size"].tolist())
forbidden = {"audiencelab.service", "audiencelab.engine", "audiencelab.ingest"} & set(sys.modules)
assert not forbidden, forbidden
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={"AUDIENCELAB_SNAPSHOT": NAME, "PATH": "", "PYTHONPATH": ":".join(sys.path)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == str(expected)


def test_a_snapshot_of_2_0_is_opened_with_the_window_that_open_had() -> None:
    file = V2 / "opened.audiencelab.jsonl"
    assert al.connect(snapshot=file).default_waves is None
    replay = al.open("tea.sav", weight="weight", snapshot=file)
    assert replay.default_waves == "all"
    assert len(replay.stats("tea", splitter="waves").rows) > 0


@pytest.mark.parametrize(
    "scope", [5, {"waves": "all"}, {"weight": 3}, {"base_of": "few"}, {"base_audience": 5}]
)
def test_a_scope_that_is_not_one_is_refused_with_its_line(folder: Path, scope: object) -> None:
    recorded(opened())
    first, *lines = Path(NAME).read_text("utf-8").splitlines(keepends=True)
    header = json.loads(first) | {"scope": scope}
    Path(NAME).write_text(json.dumps(header) + "\n" + "".join(lines), "utf-8")
    with fails(SnapshotError):
        read(Path(NAME))


def test_fields_of_a_scope_that_a_newer_version_added_are_ignored(folder: Path) -> None:
    expected = recorded(opened())
    first, *lines = Path(NAME).read_text("utf-8").splitlines(keepends=True)
    header = json.loads(first)
    header["scope"]["newer"] = [1]
    Path(NAME).write_text(json.dumps(header) + "\n" + "".join(lines), "utf-8")
    assert figures(al.open(NAME)) == expected
    assert msgspec.json.decode(json.dumps(header), type=Header).client_scope is not None


def test_all_of_the_clients_scope_is_recorded(folder: Path) -> None:
    """Also what no argument of `connect` gives yet."""
    scope = Scope(base_of="valid", waves=("latest 1",), weight=None)
    client = opened()
    client.sender.context.usual = ClientOptions(scope=scope, base_of="valid")
    recorded(client)
    assert read(Path(NAME)).header.client_scope == scope
    replay = al.connect(snapshot=NAME)
    assert replay.sender.context.own_scope(replay.sender.options) == scope


def test_who_counts_is_part_of_what_is_asked_and_of_the_scope(folder: Path) -> None:
    """`base_of` in a recorded request, in its key, and in the header."""
    client = opened()
    with client.recording(NAME):
        valid = figures(client)
        everyone = client.crosstab("tea", "sex", base_of="everyone").to_frame()
    replay = al.connect(snapshot=NAME)
    assert figures(replay) == valid
    assert replay.crosstab("tea", "sex", base_of="everyone").to_frame().equals(everyone)
    recorded(client)
    with fails(SnapshotMiss):
        al.connect(snapshot=NAME).crosstab("tea", "sex", base_of="everyone")
