"""`audiencelab snapshot`: a table to read, and a verdict to rely on."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import msgspec
import numpy as np
import pytest

import audiencelab as al
from audiencelab import cli
from audiencelab.client import connect
from audiencelab.client.snapshots.format import read
from audiencelab.client.snapshots.verify import send_again
from audiencelab.schema.http import Request, TransportError
from audiencelab.survey import Survey
from tests.client.conftest import TOKEN, Served
from tests.client.snapshots.scripted import Scripted, ask, heard, put

NAME = "my.audiencelab.jsonl"
YOUNG = al.Audience(name="Young", expression=al.Q("q4").any("q4_1"))


@pytest.fixture
def file(survey: Survey, tmp_path: Path) -> Path:
    """A real recording on the survey."""
    client = connect(survey=survey)
    with client.recording(tmp_path / NAME):
        client.stats("q2", audiences=[YOUNG], waves=["q1_2023"])
        client.crosstab(rows=[YOUNG], columns=[al.Q("q2").any("q2_2")])
        client.questions.filter()
    return tmp_path / NAME


def rewritten(file: Path, place: int, change: Callable[[str], str]) -> Path:
    """The file with another answer, and yet sound: as a service of other figures would give it."""
    from audiencelab.client.snapshots.format import encode_lines

    snapshot = read(file)
    exchanges = list(snapshot.exchanges)
    old = exchanges[place]
    body = change(old.body)
    request = Request(old.method, old.path, urlencode(old.query), body=old.sent)
    (new,) = heard([(request, Scripted([body.encode()]))])
    exchanges[place] = msgspec.structs.replace(new, when=old.when)
    header = msgspec.structs.asdict(snapshot.header)
    for name in ("format", "version", "exchanges", "sha256"):
        del header[name]
    file.write_bytes(b"".join(encode_lines(header, exchanges)))
    return file


def test_list_says_what_was_asked_and_how_much_came(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert cli.main(["snapshot", "list", str(file)]) == 0
    first, versions, waves, _, header, _, *rows = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{NAME}: survey, recorded 20")
    assert al.__version__ in versions
    assert waves == "waves q1_2023"
    assert header.split() == ["line", "when", "operation", "came", "bytes", "asked"]
    cells = [[cell for cell in row.split("  ") if cell] for row in rows]
    told = {cell[2]: (cell[3].strip(), cell[-1].strip()) for cell in cells}
    assert told["stats"] == ("2 rows", "q2; audiences Young; waves q1_2023")
    assert told["crosstab"] == ("1 cell", "rows Young; columns Gender is Female")


def test_list_keeps_to_the_terminal(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: dict[int, list[str]] = {}
    for columns in (75, 200):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert cli.main(["snapshot", "list", str(file)]) == 0
        lines[columns] = capsys.readouterr().out.splitlines()
    assert max(map(len, lines[75])) <= 75 < max(map(len, lines[200]))
    assert [line[:70] for line in lines[75]] == [line[:70] for line in lines[200]]


def test_list_says_what_did_not_come_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = Scripted([b"{}"], TransportError("The connection broke."))
    put(tmp_path / NAME, heard([(ask(), broken), (ask(body=b"1"), Scripted([b"no"], status=404))]))
    assert cli.main(["snapshot", "list", str(tmp_path / NAME)]) == 0
    shown = capsys.readouterr().out
    assert "whole" in shown
    assert "no: The connection broke." in shown
    assert "refused (404)" in shown


def test_no_snapshot_commands_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "\x1b[2J\r\u202e"
    body = msgspec.json.encode({"question": evil, "waves": [evil], "audiences": [{"name": evil}]})
    put(tmp_path / NAME, heard([(ask(body=body), Scripted([], TransportError(evil)))]))
    assert cli.main(["snapshot", "list", str(tmp_path / NAME)]) == 0
    assert set(evil) & set(capsys.readouterr().out) == {"[", "2", "J"}


def test_verify_finds_a_sound_file_sound(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["snapshot", "verify", str(file)]) == 0
    count = len(read(file).exchanges)
    assert capsys.readouterr().out == f"{count} exchanges, each as it was recorded.\n"


def test_verify_names_every_line_that_was_changed(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(file.read_text().replace("Female", "Males!"))
    assert cli.main(["snapshot", "verify", str(file)]) == 1
    assert "line 3: the response is not the recorded one" in capsys.readouterr().out


def test_verify_asks_the_survey_again(
    file: Path, survey: Survey, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["snapshot", "verify", str(file), "--survey", str(survey.path)]) == 0
    assert capsys.readouterr().out.endswith(f"{len(read(file).exchanges)} hold.\n")


def test_verify_asks_a_deployment_again(
    file: Path,
    served: Served,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AUDIENCELAB_TOKEN", TOKEN)
    assert cli.main(["snapshot", "verify", str(file), "--url", served.url]) == 0
    assert TOKEN not in capsys.readouterr().out


@pytest.mark.parametrize("operation", ["stats", "crosstab"])
def test_verify_says_which_answers_moved_and_by_what(
    file: Path, survey: Survey, capsys: pytest.CaptureFixture[str], operation: str
) -> None:
    exchanges = read(file).exchanges
    place = next(n for n, each in enumerate(exchanges) if each.path.endswith(operation))
    moved = rewritten(
        file,
        place,
        lambda body: body.replace('"size":', '"size":1', 1).replace(
            '"positive_size":', '"positive_size":1', 1
        ),
    )
    assert cli.main(["snapshot", "verify", str(moved), "--survey", str(survey.path)]) == 1
    streams = capsys.readouterr()
    assert f"line {place + 2}: moved      {operation}" in streams.out
    assert "size: recorded 1" in streams.out
    assert f"{len(exchanges) - 1} hold" in streams.out
    assert "does not hold there as it was recorded" in streams.out


def test_cells_in_another_order_have_not_moved(
    survey: Survey, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client = connect(survey=survey)
    with client.recording(tmp_path / NAME):
        client.crosstab(rows=[YOUNG, al.Q("q2").any("q2_1")], columns=[al.Q("q2").any("q2_2")])
    place = len(read(tmp_path / NAME).exchanges) - 1
    file = rewritten(
        tmp_path / NAME, place, lambda body: "\n".join(reversed(body.splitlines())) + "\n"
    )
    assert cli.main(["snapshot", "verify", str(file), "--survey", str(survey.path)]) == 0


def test_verify_writes_nothing(survey: Survey, tmp_path: Path) -> None:
    charted = Request("POST", "/v1/charts", body=b'{"name":"Mine"}')
    other = Request("GET", "/admin/reset")
    calculated = Request("POST", "/v1/charts/1/calculate")
    answers = [(each, Scripted([b'{"id":"1"}'])) for each in (charted, other, calculated)]
    snapshot = read(put(tmp_path / NAME, heard(answers)))
    findings = list(send_again(snapshot, mute))
    assert [finding.state for finding in findings] == ["not asked"] * 3


def test_verify_asks_for_nothing_that_cannot_be_compared(tmp_path: Path) -> None:
    broken = Scripted([b"{}"], TransportError("The connection broke."))
    answers = [(ask(), broken), (ask(body=b"\xff"), Scripted([b"{}"]))]
    findings = send_again(read(put(tmp_path / NAME, heard(answers))), mute)
    assert [(finding.state, *finding.details) for finding in findings] == [
        ("not asked", "the response is not complete"),
        ("not asked", "the body of the request is not JSON"),
    ]


def test_verify_tells_a_refusal_an_answer_that_is_no_json_and_none_at_all(
    survey: Survey, tmp_path: Path
) -> None:
    answers = [
        (Request("GET", "/v2/questions/q999"), Scripted([b"{}"])),
        (Request("GET", "/v2/questions/q2"), Scripted([b"no JSON"])),
    ]
    snapshot = read(put(tmp_path / NAME, heard(answers)))
    with connect(survey=survey) as client:
        gone, other = send_again(snapshot, client.request)
    assert (gone.state, *gone.details) == ("moved", "the status: recorded 200, now 404")
    assert other.state == "moved"
    assert 'recorded "no JSON"' in other.details[0]
    # Nobody listens there.
    with connect("http://127.0.0.1:9", token=TOKEN, retries=0) as client:
        findings = list(send_again(snapshot, client.request))
    assert [finding.state for finding in findings] == ["no answer"] * 2
    assert "could not be reached" in findings[0].details[0]


def mute(*_: object, **__: object) -> None:
    """A client's `request` that must not be called."""
    raise AssertionError("called")


def test_list_tells_every_kind_of_request_by_what_it_asks_for(
    survey: Survey, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client = connect(survey=survey)
    with client.recording(tmp_path / NAME):
        client.stats("q2", splitter="waves")
        client.insights.filter(categories=["1", "2"], limit=5)
        client.questions.get("q4")
    assert cli.main(["snapshot", "list", str(tmp_path / NAME)]) == 0
    shown = capsys.readouterr().out
    assert "q2; splitter waves" in shown
    assert "filters categories 1, 2" in shown
    assert shown.rstrip().splitlines()[-1].endswith("q4")


LOCAL = {
    "precision": {"columns": [{"expression": {"question": "q2", "datapoints": ["q2_2"]}}]},
    "pairs": {
        "rows": [{"expression": {"question": "q4", "datapoints": [f"q4_{n}"]}} for n in "12"]
    },
    "items": {
        "rows": [{"expression": {"question": "q4", "datapoints": [f"q4_{n}"]}} for n in "12"]
    },
    "numbers": {"question": "q4"},
}


@pytest.fixture
def local(survey: Survey, tmp_path: Path) -> Path:
    """A recording of the local operations, and of a weight that was chosen."""
    client = connect(survey=survey)
    with client.recording(tmp_path / NAME):
        for name, body in LOCAL.items():
            client.request("POST", f"/local/{name}", json=body)
        client.stats("q2", weight=None)
    return tmp_path / NAME


def test_list_names_local_operations_and_weights(
    local: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert cli.main(["snapshot", "list", str(local)]) == 0
    rows = [row.split("  ") for row in capsys.readouterr().out.splitlines()[5:]]
    found = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    told = {cells[2]: (cells[3], cells[-1]) for cells in found if len(cells) > 4}
    assert told["precision"] == ("1 cell", "columns q2")
    assert told["pairs"] == ("4 pairs", "rows q4, q4")
    assert told["items"] == ("2 cells", "rows q4, q4")
    assert told["numbers"][-1] == "q4"
    assert told["stats"][1] == "q2; weight none, everybody counts as one"


def test_they_hold_where_they_were_recorded(
    local: Path, survey: Survey, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["snapshot", "verify", str(local), "--survey", str(survey.path)]) == 0
    assert "moved" not in capsys.readouterr().out


def test_arrays_differ_by_their_values_and_not_in_the_last_digit(
    local: Path, survey: Survey
) -> None:
    shape = {"shape": [1, 2], "kept": [1, 2]}

    def answer(*values: float) -> str:
        data = base64.b64encode(np.array(values, "<f8").tobytes()).decode()
        return json.dumps({"sample": {**shape, "data": data}})

    rewritten(local, 0, lambda _: answer(0.1, 0.2))
    snapshot = read(local)
    for now, state in ((answer(0.1, 0.2 + 1e-16), "holds"), (answer(0.1, 0.3), "moved")):
        response = SimpleNamespace(status=200, body=now.encode())
        finding = next(send_again(snapshot, lambda *_, response=response, **__: response))
        assert finding.state == state
    assert finding.details == ("/sample/1: recorded 0.2, now 0.3",)
