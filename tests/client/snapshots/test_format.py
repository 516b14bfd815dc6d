"""The file: what we write we read, and what anybody else wrote is believed in nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiencelab.client.snapshots.format import SnapshotError, read, read_lines
from audiencelab.schema.http import TransportError
from tests.client.snapshots.scripted import Scripted, ask, heard, put
from tests.messages import fails

LIMITS = {"x-ratelimit-limit": "9", "content-type": "application/json"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A header and three exchanges: a good one, a broken one, one that is no text."""
    exchanges = heard(
        [
            (ask(), Scripted([b'{"data":[]}'], headers=LIMITS)),
            (ask(body=b"[1]"), Scripted([b"half"], TransportError("Cut off.", timeout=True))),
            (ask(body=b"\xff"), Scripted([b"\x00\xff"], status=500)),
        ]
    )
    return put(tmp_path / "my.jsonl", exchanges)


def changed(file: Path, line: int, change: Callable[[dict[str, Any]], object]) -> Path:
    """The file with one line's fields changed; lines count from 1."""
    lines = file.read_text().splitlines()
    fields = json.loads(lines[line - 1])
    change(fields)
    lines[line - 1] = json.dumps(fields)
    file.write_text("\n".join(lines) + "\n")
    return file


def test_what_was_written_is_read(file: Path) -> None:
    snapshot = read(file)
    assert snapshot.header.survey == "a survey"
    good, broken, binary = snapshot.exchanges
    assert (good.content, good.headers, good.complete) == (b'{"data":[]}', LIMITS, True)
    assert (broken.content, broken.complete, broken.broken) == (b"half", False, "Cut off.")
    assert (binary.content, binary.sent, binary.status) == (b"\x00\xff", b"\xff", 500)


@pytest.mark.parametrize(
    ("line", "change", "message"),
    [
        (1, {"format": "other"}, "is not a snapshot"),
        (1, {"version": 2}, "Upgrade audiencelab"),
        (1, {"exchanges": 4}, "lines were removed or added"),
        (1, {"waves": "q1_2024"}, "line 1: Expected `array`"),
        (2, {"body": '{"data":[1]}'}, "line 2: the response is not the recorded one"),
        (4, {"body_base64": "AP8"}, "line 4: a body in it is not valid base64"),
        (2, {"path": "/\ud800"}, "line 2: is not JSON"),
        (2, {"request": {"question": "q5"}}, "line 2: the request is not the recorded one"),
        (2, {"request": 2**60}, "line 2: a body in it is not valid base64 or canonical JSON"),
        (2, {"path": "/../../etc/passwd"}, "line 2: the request is not the recorded one"),
        (2, {"query": {"a": "b"}}, "line 2: the request is not the recorded one"),
        (2, {"key": "0" * 64}, "line 2: the request is not the recorded one"),
        (2, {"status": 99}, r"line 2: Expected `int` >= 100"),
        (2, {"asked": 2}, "was changed after it was recorded"),
        (3, {"complete": True}, "was changed after it was recorded"),
        (2, {"surprise": 1}, "was changed after it was recorded"),
    ],
)
def test_a_changed_line_is_named(
    file: Path, line: int, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(SnapshotError, match=message):
        read(changed(file, line, lambda fields: fields.update(change)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "line 2: is not JSON"),
        (b"[]", "line 2: Expected `object`"),
        (b'{"a":"\xff"}', "line 2: "),
        (b"[" * 100_000, "line 2: "),
    ],
)
def test_a_line_that_is_not_an_object_is_an_error(file: Path, content: bytes, message: str) -> None:
    header, _, *rest = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([header, content + b"\n", *rest]))
    with pytest.raises(SnapshotError, match=message):
        read(file)


@pytest.mark.parametrize("content", [b"", b"\n", b"\x00" * 64, b"%PDF-1.7", b'{"cells":[]}'])
def test_another_kind_of_file_is_no_snapshot(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other").write_bytes(content)
    with fails(SnapshotError):
        read(tmp_path / "other")


def test_what_is_no_file_says_so(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, words in [
        ("nothing", "does not exist"),
        (".", "is not a file"),
        ("pipe", "is not a file"),
    ]:
        with pytest.raises(SnapshotError, match=words):
            read(tmp_path / name)


def test_every_fault_is_found_and_not_the_first_alone(file: Path) -> None:
    changed(file, 2, lambda fields: fields.update(body="x"))
    changed(file, 4, lambda fields: fields.update(key="x"))
    faults = [str(part) for part in read_lines(file) if isinstance(part, SnapshotError)]
    assert [fault.partition("line ")[2][:1] for fault in faults] == ["2", "4", ""]
    assert "was changed after it was recorded" in faults[-1]


def test_line_ends_of_another_system_are_no_fault(file: Path) -> None:
    before = read(file)
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert read(file) == before


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_flipped_bit_gives_the_same_answers_or_an_error(file: Path, data: st.DataObject) -> None:
    before = read(file)
    content = bytearray(file.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= 1 << data.draw(st.integers(0, 7))
    other = file.with_name("flipped")
    other.write_bytes(content)
    try:
        after = read(other)
    except SnapshotError:
        return
    assert after.exchanges == before.exchanges


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_that_was_cut_is_known_for_one(file: Path, data: st.DataObject) -> None:
    content = file.read_bytes()
    other = file.with_name("cut")
    # The last line break may be missing: an editor takes it away, and nothing is lost with it.
    other.write_bytes(content[: data.draw(st.integers(0, len(content) - 2))])
    with pytest.raises(SnapshotError):
        read(other)
