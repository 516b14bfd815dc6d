"""`snapshot trim`: labels that nothing asks for go, and a replay gives the same."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

import audiencelab as al
from audiencelab import cli
from audiencelab.client.snapshots.format import read
from audiencelab.client.snapshots.trim import trim

NAME = "own.audiencelab.jsonl"


def tables(client: al.Client) -> list[object]:
    table = client.crosstab("Finding brands", "Age")
    return [
        table._repr_html_(),
        table.test().to_wide().to_csv(),
        client.stats("q17", splitter="q2").to_frame().to_csv(),
        client.profile(client["Gender"].any("Female"), ["Age"]).to_frame().to_csv(),
    ]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trim") / NAME
    with al.connect() as client, client.recording(path):
        tables(client)
    return path


def test_replays_equal_without_the_questions_that_nothing_asks(recorded: Path) -> None:
    out = recorded.with_name("trimmed.jsonl")
    assert cli.main(["snapshot", "trim", str(recorded), "-o", str(out)]) == 0
    assert tables(al.connect(snapshot=out)) == [
        str(each).replace(NAME, out.name) for each in tables(al.connect(snapshot=recorded))
    ]
    text = out.read_text("utf-8")
    assert "Alcohol" in recorded.read_text("utf-8")
    assert "Alcohol" not in text
    assert "q4_2" in text
    assert out.stat().st_size < recorded.stat().st_size / 2
    found = read(out)
    assert found.header.left_out == len(trim(read(recorded)).unused) > 60
    # What is trimmed already has nothing to go.
    assert trim(found).unused == ()


def test_verify_compares_what_is_left(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = recorded.with_name("again.jsonl")
    trim(read(recorded)).write(out)
    assert cli.main(["snapshot", "verify", str(out), "--demo"]) == 0
    assert cli.main(["snapshot", "list", str(out)]) == 0
    assert "trimmed: without 7" in capsys.readouterr().out


def test_questions_that_a_notebook_names_are_kept(recorded: Path) -> None:
    names = [each["name"] for each in trim(read(recorded), "We look at 'Alcohol' too.").questions]
    assert "Alcohol" in names
    assert "Radio in the day" not in names


def test_a_file_is_not_overwritten(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = recorded.read_bytes()
    assert cli.main(["snapshot", "trim", str(recorded), "-o", str(recorded)]) == 2
    assert "--replace" in capsys.readouterr().err
    assert recorded.read_bytes() == before


def test_a_run_leaves_out_what_no_cell_asks(recorded: Path) -> None:
    code = 'import audiencelab as al\nal.connect().stats("q17", splitter="q2").to_frame()'
    cell = nbformat.v4.new_code_cell(code, execution_count=1)
    notebook = recorded.with_name("analysis.ipynb")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), notebook)
    out = recorded.with_name("run.jsonl")
    words = ["snapshot", "trim", str(recorded), "--notebook", str(notebook), "--run"]
    assert cli.main([*words, "-o", str(out)]) == 0
    found = read(out).exchanges
    assert [each.path for each in found] == ["/v3/questions/filter", "/v2/query/stats"]
    assert len(read(recorded).exchanges) > 4
    frames = [al.connect(snapshot=each).stats("q17", splitter="q2") for each in (out, recorded)]
    assert frames[0].to_frame().equals(frames[1].to_frame())
