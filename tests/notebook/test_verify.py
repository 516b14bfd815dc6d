"""A notebook is run again by a real kernel, and each output is judged."""

from __future__ import annotations

import io
import json
import platform
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

from audiencelab.cli import main
from audiencelab.cli.notebook import lines
from audiencelab.notebook import Cause, CellVerdict, Change, NotebookError, Verification, verify

pytestmark = pytest.mark.slow

SURVEY = """\
import audiencelab as al
client = al.connect()
ages = client.catalogue.audiences("q4")
"""
TABLE = 'client.crosstab(rows=ages, columns=client.catalogue.audiences("q2"))'

Written = Callable[..., Path]


def write(path: Path, *cells: str, kernel: str = "python3") -> Path:
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(c, execution_count=1) for c in cells]
    )
    notebook.metadata["kernelspec"] = {"name": kernel, "display_name": kernel}
    nbformat.write(notebook, path)
    return path


@pytest.fixture(scope="module")
def kernel() -> Iterator[KernelManager]:
    """What notebooks are first run in, emptied for each; `verify` starts kernels of its own."""
    kernel = KernelManager()
    kernel.start_kernel()
    yield kernel
    kernel.shutdown_kernel(now=True)


def run(path: Path, kernel: KernelManager) -> None:
    notebook = nbformat.read(path, as_version=4)
    empty = f"get_ipython().reset(new_session=True)\n%cd -q {path.parent}"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(empty))
    running = NotebookClient(notebook, km=kernel, allow_errors=True)
    running.execute()
    running.kc.stop_channels()
    del notebook.cells[0]
    nbformat.write(notebook, path)


@pytest.fixture
def written(tmp_path: Path, kernel: KernelManager) -> Written:
    """Writes a notebook of these cells and runs it."""

    def write_and_run(*cells: str) -> Path:
        path = write(tmp_path / "study.ipynb", *cells)
        run(path, kernel)
        return path

    return write_and_run


def edited(path: Path, before: str, now: str) -> Path:
    """The notebook with one text exchanged in every form of its outputs, as if so saved."""
    notebook = nbformat.read(path, as_version=4)
    found = 0
    for cell in notebook.cells:
        written = json.dumps(cell.outputs)
        found += written.count(before)
        cell.outputs = nbformat.from_dict(json.loads(written.replace(before, now)))
    assert found
    nbformat.write(notebook, path)
    return path


def test_a_notebook_of_a_survey_holds_and_is_left_as_it_was(written: Written) -> None:
    path = written(SURVEY, TABLE, "print('done')")
    before = path.read_bytes()
    found = verify(path)
    assert [cell.state for cell in found.cells] == ["left out", "holds", "holds"]
    assert found.holds
    assert found.reasons == ()
    assert path.read_bytes() == before


def test_what_moved_is_told_with_its_place_and_a_reason(written: Written) -> None:
    frame = "import pandas as pd\npd.DataFrame({'index': [112.4]}, index=['Women'])"
    path = written(frame, "1 + 1", "import random\nrandom.random()")
    moved, held, restless = (found := verify(edited(path, "112.4", "115.0"))).cells
    assert (moved.state, held.state, restless.state) == ("moved", "holds", "differs each time")
    told = [str(change) for change in moved.changes if not change.repeated]
    assert told == ["Women, index: 115.0 → 112.4"]
    assert lines(found)[3] == "      also in: text"
    assert not found.holds
    assert found.reasons[0].startswith("Cell 3: two runs one after the other differ too.")
    assert found.reasons[1].startswith("Cell 1 is the first that moved")


def test_other_words_are_a_change_where_one_version_wrote_both(written: Written) -> None:
    path = written("print('Base: 1,151 people')", "'left'")
    edited(edited(path, "people", "respondents"), "'left'", "'right'")
    found = verify(path)
    assert [cell.state for cell in found.cells] == ["moved", "moved"]
    assert lines(found)[2] == "      Base: 1,151 respondents → Base: 1,151 people"


def test_words_of_another_version_are_reported_and_hold() -> None:
    change = Change("", "about 1,151 persons", "about 1,151 people", is_wording=True)
    found = Verification(Path("study.ipynb"), (CellVerdict(1, "table", "reworded", (change,)),))
    assert found.holds
    assert lines(found) == [
        "study.ipynb: its one output holds; 1 with other words and the same numbers.",
        "  cell 1: reworded          table",
        "      about 1,151 persons → about 1,151 people",
    ]


def test_a_notebook_that_was_never_run_says_how_to_run_it(tmp_path: Path) -> None:
    path = write(tmp_path / "study.ipynb", "1 + 1")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].execution_count = None
    nbformat.write(notebook, path)
    with pytest.raises(NotebookError, match=r"never run.*--execute --inplace.*store_widget_state"):
        verify(path)


def test_another_survey_behind_a_table_is_a_reason(written: Written) -> None:
    path = written(SURVEY, TABLE)
    found = verify(edited(path, "Source: ", "Source: another "))
    assert found.cells[1].state == "moved"
    assert found.reasons[0].startswith("Cell 2 has another source: another ")


def test_a_cell_that_fails_does_not_end_the_run(tmp_path: Path, kernel: KernelManager) -> None:
    read = "from pathlib import Path\nPath('data.txt').read_text()"
    path = write(tmp_path / "study.ipynb", read, "1 + 1")
    (tmp_path / "data.txt").write_text("here")
    run(path, kernel)
    (tmp_path / "data.txt").unlink()
    found = verify(path)
    assert [cell.state for cell in found.cells] == ["failed", "holds"]
    assert "FileNotFoundError" in found.cells[0].changes[-1].now


def test_cells_that_were_run_in_another_order_are_a_reason(written: Written) -> None:
    path = written("n = 1", "n", "n = 2")
    notebook = nbformat.read(path, as_version=4)
    for cell, count in zip(notebook.cells, (1, 3, 2), strict=True):
        cell.execution_count = count
    notebook.cells[1].outputs[0].data["text/plain"] = "2"
    nbformat.write(notebook, path)
    found = verify(path)
    assert found.cells[1].state == "moved"
    assert any("cell 3 had been run before cell 2" in reason for reason in found.reasons)


def test_a_snapshot_answers_in_place_of_the_service(written: Written, tmp_path: Path) -> None:
    file = tmp_path / "study.audiencelab.jsonl"
    path = written(SURVEY, f"with client.recording({str(file)!r}):\n    table = {TABLE}", TABLE)
    found = verify(path, snapshot=file)
    assert [cell.state for cell in found.cells][2] == "holds"
    with pytest.raises(NotebookError, match="there is no such snapshot"):
        verify(path, snapshot=tmp_path / "none.jsonl")
    first, second, rest = file.read_text("utf-8").split("\n", 2)
    file.write_text("\n".join([first, second.replace('"body":"', '"body":" ', 1), rest]), "utf-8")
    changed = r"^study\.audiencelab\.jsonl, line 2: .* is not the recorded one.*\nNothing was run\."
    with pytest.raises(NotebookError, match=changed):
        verify(path, snapshot=file)


class Terminal(io.StringIO):
    """What somebody at a terminal sees."""

    def isatty(self) -> bool:
        return True


def test_at_a_terminal_each_cell_is_told_and_every_reason_for_what_moved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = nbformat.v4.new_output("execute_result", {"text/plain": "1"}, execution_count=1)
    cells = [
        nbformat.v4.new_code_cell("n = 1 / 0\nn", outputs=[saved], execution_count=1),
        nbformat.v4.new_code_cell("n", outputs=[saved]),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["language_info"] = {"name": "python", "version": "3.1.4"}
    path = tmp_path / "old.ipynb"
    nbformat.write(notebook, path)
    terminal = Terminal()
    with redirect_stderr(terminal):
        assert main(["verify", str(path)]) == 1
    told = capsys.readouterr().out
    assert "Cell 1 failed; cells below it may need what it makes." in told
    assert f"It was saved with Python 3.1.4 and ran with {platform.python_version()}." in told
    assert "these cells had not been run: 2." in told
    first, last, wiped = re.split(r"\r+", terminal.getvalue())[:3]
    assert [first, last] == [f"old.ipynb: cell {number} of 2 …" for number in (1, 2)]
    assert wiped.isspace()
    assert len(wiped) > len(last)


def test_the_command_says_it_in_words_and_by_its_exit_code(
    written: Written, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written("1 + 1", "print('four', 2 + 2)")
    assert main(["verify", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: all 2 outputs hold.\n"
    assert main(["verify", "--json", str(edited(path, "four 4", "four 5"))]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    (change,) = found["cells"][1]["changes"]
    assert change == {
        "where": "",
        "before": "four 5",
        "now": "four 4",
        "form": "text",
        "is_wording": False,
        "repeated": False,
    }
    assert found["causes"][0]["cells"] == [2]


def test_several_notebooks_run_at_once_and_all_cells_are_listed_on_request(
    written: Written, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = written("1 + 1")
    other = tmp_path / "other.ipynb"
    other.write_text(edited(path, '"2"', '"3"').read_text())
    path = written("1 + 1")
    assert main(["verify", "-j", "2", "-v", str(path), str(other)]) == 1
    shown = capsys.readouterr().out
    assert shown.index(f"{path}: its one output holds.") < shown.index(f"{other}: its one output")
    assert "cell 1: holds" in shown
    assert "cell 1: moved" in shown
    assert main(["verify", "-q", str(other)]) == 1
    assert capsys.readouterr().out == ""


def test_findings_are_summarised() -> None:
    changes = tuple(Change(f"Row {n}, index", "1", "2") for n in range(11))
    cells = (CellVerdict(1, "table", "moved", changes), CellVerdict(2, "1 + 1", "holds"))
    found = Verification(Path("study.ipynb"), cells, (Cause("place", "Because."),))
    assert repr(found) == "<Verification of study.ipynb: 1 holds, 1 moved, 0 failed>"
    shown = lines(found)
    assert shown[0] == "study.ipynb: 1 of 2 outputs hold."
    assert shown[2] == "      Row 0, index: 1 → 2"
    assert shown[-3:] == ["      … and 3 more", "  why", "      Because."]
    for state, words in (
        ("left out", "there is no output to compare."),
        ("holds", "its one output holds."),
        ("moved", "its one output does not hold."),
    ):
        found = Verification(Path("study.ipynb"), (CellVerdict(1, "n", state),))
        assert lines(found)[0] == f"study.ipynb: {words}"


# -- what cannot be run --


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("study.ipynb", None, "there is no such notebook"),
        ("study.ipynb", "not json", "is not a notebook"),
        (
            "study.ipynb",
            '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
            "has no code cell",
        ),
        (".", None, "is a folder; name a notebook in it"),
        ("n" * 300 + ".ipynb", None, r"cannot be read: .*[Nn]ame too long"),
    ],
)
def test_a_file_that_is_not_a_notebook_is_refused(
    name: str, content: str | None, words: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(NotebookError, match=words):
        verify(tmp_path / name)


def test_a_kernel_that_is_not_installed_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "strange.ipynb", "1", kernel="of-nobody")
    with pytest.raises(NotebookError, match="wants the kernel 'of-nobody', which is not installed"):
        verify(path)


@pytest.mark.parametrize(
    ("command", "words"),
    [("/nowhere/bin/python", "No such file"), ("/bin/false", "died before replying")],
)
def test_a_kernel_without_its_python_is_named(
    command: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "jupyter" / "kernels" / "of-old"
    folder.mkdir(parents=True)
    spec = {"argv": [command, "{connection_file}"], "display_name": "Old", "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(spec))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    path = write(tmp_path / "old.ipynb", "1", kernel="of-old")
    with pytest.raises(NotebookError, match=f"kernel 'of-old' could not be started .*{words}"):
        verify(path)


def test_a_cell_that_does_not_end_or_kills_its_kernel_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotebookError, match=r"a cell took longer than 0\.2 seconds"):
        verify(write(tmp_path / "endless.ipynb", "while True: pass"), timeout=0.2)
    dies = "import os\nos.write(2, b'out of everything\\n')\nos._exit(1)"
    with pytest.raises(NotebookError, match=r"died in code cell 1\.(?s:.*)out of everything"):
        verify(write(tmp_path / "dies.ipynb", dies))


RECORDED = """\
import audiencelab as al
client = al.open("tracker.csv", quiet=True)
recording = client.recording("my.audiencelab.jsonl").start()
"""
SAVED = "recording.save().name"
WIDE = 'client.crosstab("tea", "sex").to_wide("size")'


@pytest.fixture
def tracker(tmp_path: Path) -> Path:
    """A file of respondents, beside the notebook."""
    rows = "".join(f"{'fm'[n % 2]},{'yes' if n % 7 < 3 else 'no'}\n" for n in range(60))
    (tmp_path / "tracker.csv").write_text(f"sex,tea\n{rows}")
    return tmp_path / "my.audiencelab.jsonl"


def test_an_opened_file_is_replayed_and_what_is_not_replayed_does_not_hold(
    written: Written, tracker: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = 'other = al.open(pd.DataFrame({"tea": ["yes", "no"] * 9}), quiet=True)'
    path = written(RECORDED, WIDE, SAVED, "import pandas as pd\n" + other, "1 + 1")
    (path.parent / "tracker.csv").unlink()
    assert main(["verify", str(path)]) == 1
    assert f"audiencelab verify {path} --snapshot {tracker}\n" in capsys.readouterr().out
    assert main(["verify", str(path), "--snapshot", str(tracker), "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert [cell["state"] for cell in found["cells"]] == [
        *("left out", "holds", "holds", "left out", "not replayed")
    ]
    assert (found["holds"], found["replayed"]) == (False, False)
    assert found["reasons"][0].startswith("Cell 4 connected to the embedded service, survey ")
    assert 'al.connect(snapshot="my.audiencelab.jsonl")' in found["reasons"][1]


def test_a_notebook_without_a_client_has_nothing_of_the_snapshot(tracker: Path) -> None:
    tracker.touch()
    path = write(tracker.with_name("study.ipynb"), "print('done')")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].outputs = [nbformat.v4.new_output("stream", text="done\n")]
    nbformat.write(notebook, path)
    found = verify(path, snapshot=tracker)
    assert (found.cells[0].state, found.holds) == ("not replayed", False)
    assert found.reasons[0] == "No cell connected to my.audiencelab.jsonl: nothing was replayed."
    assert lines(found)[0].endswith("1 not replayed from the snapshot.")
