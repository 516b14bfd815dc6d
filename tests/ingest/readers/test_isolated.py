"""A file is read in a process of its own: whatever becomes of that one, this one goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import isolated, open_file, read_columns
from audiencelab.ingest.readers.isolated import IsolatedFile, NoProcessError
from audiencelab.ingest.readers.reader import SurveyFile
from audiencelab.ingest.tables import Piece, Progress
from audiencelab.survey.errors import SourceError, SurveyError
from tests.ingest.readers.scripted import Scripted, scripted
from tests.surveys.data import MRSETS
from tests.waiting import wait_until

REAL = MRSETS


def reader(file: SurveyFile, progress: Progress | None = None) -> int:
    """Which process reads the file."""
    found = read_columns(file, ["process"], progress)
    assert found.rows == len(found.columns["process"].codes) == 4
    return int(found.columns["process"].values[0])


def process_of(piece: Piece) -> int:
    return int("".join(filter(None, piece.values)))


def is_there(process: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(process, 0)
        return True
    return False


ENDS = {
    "crash": "the library for such files breaks down over it (SIGSEGV), so it is damaged",
    "exit": "the library for such files breaks down over it, so it is damaged",
    "kill": "most often there was too little memory for it",
    "exhaust": "there is too little memory for it",
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("when", ["{} -", "- {}"], ids=["opened", "read"])
def test_the_end_of_the_process_is_told_as_a_fault_of_the_file(
    tmp_path: Path, end: str, when: str
) -> None:
    with pytest.raises(SourceError) as caught:
        reader(scripted(tmp_path, when.format(end)))
    assert str(caught.value).startswith(f"{tmp_path / 'survey.scripted'}: ")
    assert ENDS[end] in str(caught.value)
    # The next file has a process again.
    assert is_there(reader(scripted(tmp_path, "- -")))


def test_what_is_raised_there_is_raised_here(tmp_path: Path) -> None:
    with pytest.raises(SurveyError, match=r"^It is refused\.$"):
        scripted(tmp_path, "refuse -")
    with pytest.raises(LookupError) as caught:
        reader(scripted(tmp_path, "- fail"))
    assert "in pieces" in "".join(caught.value.__notes__)


def test_one_process_reads_one_file_after_another(tmp_path: Path) -> None:
    first = reader(scripted(tmp_path, "- -"))
    assert first != os.getpid()
    assert reader(scripted(tmp_path, "print print")) == first
    with pytest.raises(SurveyError):
        scripted(tmp_path, "refuse -")
    assert reader(scripted(tmp_path, "- -")) == first
    assert open_file(REAL, Source()).rows == 6


def test_a_process_that_waits_ends_in_time_and_may_end_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = reader(scripted(tmp_path, "- -"))
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    second = reader(scripted(tmp_path, "- -"))
    assert second != first
    monkeypatch.setattr(isolated, "_WAITS", 0.0)
    assert reader(scripted(tmp_path, "- -"))
    wait_until(lambda: not is_there(second))


def test_a_process_that_waits_ends_with_this_one(tmp_path: Path) -> None:
    process = reader(scripted(tmp_path, "- -"))
    assert is_there(process)
    isolated._end_all()  # As it is done when Python ends.
    assert not is_there(process)


def test_a_file_that_has_changed_is_opened_again(tmp_path: Path) -> None:
    file = scripted(tmp_path, "- -")
    reader(file)
    scripted(tmp_path, "print refuse")
    with pytest.raises(SurveyError, match="refused"):
        reader(file)


def test_progress_is_told_piece_by_piece(tmp_path: Path) -> None:
    told: list[int] = []

    class Told(Progress):
        def at(self, octets: int) -> None:
            told.append(octets)

    file = scripted(tmp_path, "- -")
    reader(file, Told())
    assert sorted(set(told)) == told == [0, file.octets // 2, file.octets]


def test_several_are_read_at_once(tmp_path: Path) -> None:
    """Each in a process of its own; one of these waits for more, and the others end."""
    file = scripted(tmp_path, "- -")
    begun = [file.pieces(["process"], Progress()) for _ in range(3)]
    found = [process_of(next(pieces)) for pieces in begun]
    assert len(set(found)) == 3
    assert [len(list(pieces)) for pieces in begun] == [1, 1, 1]
    assert [is_there(process) for process in found] == [False, False, True]
    with ThreadPoolExecutor(3) as threads:
        assert len(list(threads.map(reader, [file] * 6))) == 6


def test_what_is_not_read_to_its_end_ends_its_process(tmp_path: Path) -> None:
    with closing(scripted(tmp_path, "- sleep").pieces(["process"], Progress())) as pieces:
        process = process_of(next(pieces))
        assert is_there(process)
    assert not is_there(process)


def test_a_relative_path_is_found_wherever_this_process_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader(scripted(tmp_path, "- -"))
    monkeypatch.chdir(tmp_path)
    assert reader(IsolatedFile(Path("survey.scripted"), Source(), Scripted))
    with pytest.raises(SourceError, match=r"^survey\.scripted: "):
        scripted(Path(), "crash -")


def test_where_no_process_can_be_had_the_file_is_read_in_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SourceError):  # None waits from now on.
        scripted(tmp_path, "crash -")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "frozen", True, raising=False)
        with pytest.raises(NoProcessError, match="part of another program"):
            scripted(tmp_path, "- -")
        assert open_file(REAL, Source()).rows == 6
    with monkeypatch.context() as patched:
        # A program that is no Python answers something else, or nothing.
        patched.setattr("multiprocessing.spawn.get_executable", lambda: "/bin/echo")
        with pytest.raises(NoProcessError, match="did not answer"):
            scripted(tmp_path, "- -")
        assert open_file(REAL, Source()).rows == 6


@pytest.mark.skipif(sys.platform == "win32", reason="no such scripts")
def test_a_program_that_answers_in_pickles_and_is_none_of_ours_reads_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SourceError):  # None waits from now on.
        scripted(tmp_path, "crash -")
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\nprintf N.\n")  # None, in a pickle
    other.chmod(0o755)
    monkeypatch.setattr("multiprocessing.spawn.get_executable", lambda: str(other))
    with pytest.raises(NoProcessError, match="did not answer"):
        scripted(tmp_path, "- -")


SCRIPT = """
import sys
from pathlib import Path
from audiencelab.ingest.tables import Progress
from tests.ingest.readers.scripted import scripted

pieces = scripted(Path(sys.argv[1]), "- sleep").pieces(["process"], Progress())
values = next(pieces).values
try:
    print(*values, flush=True)
    next(pieces)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize(("sent", "said"), [(signal.SIGINT, "interrupted\n"), (signal.SIGKILL, "")])
def test_no_process_is_left_behind(tmp_path: Path, sent: signal.Signals, said: str) -> None:
    """Ctrl-C is heard while a library reads; whoever is ended at once takes its process along."""
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as asking:
        assert asking.stdout is not None
        process = int(asking.stdout.readline())
        assert is_there(process)
        asking.send_signal(sent)
        assert asking.stdout.read() == said
    wait_until(lambda: not is_there(process))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_a_fork_has_a_process_of_its_own(tmp_path: Path) -> None:
    mine = reader(scripted(tmp_path, "- -"))
    with (tmp_path / "theirs").open("w+", encoding="ascii") as found:
        fork = os.fork()
        if fork == 0:
            found.write(str(reader(scripted(tmp_path, "- -"))))
            found.flush()
            os._exit(0)
        assert os.waitpid(fork, 0)[1] == 0
        found.seek(0)
        assert int(found.read()) != mine
    assert reader(scripted(tmp_path, "- -")) == mine
