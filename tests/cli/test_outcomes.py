"""How a command ends: errors, defects and interrupts, made by a command of the test."""

from __future__ import annotations

import errno
import importlib
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from audiencelab import cli
from audiencelab import ingest as importing
from audiencelab.cli import main
from audiencelab.cli.output import echo
from audiencelab.errors import AudienceError
from audiencelab.ingest import Draft, draft_codebook
from tests.ingest.sources import ROWS, write


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch):
    """Puts a function of the test in the place of `audiencelab lab`."""

    def install(body: Callable[[], object]) -> None:
        module = types.ModuleType("audiencelab.cli.test_command")
        module.test = click.Command("lab", callback=body)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(
            cli.COMMANDS, "lab", cli.Command("a test", "test_command", "test", "lab")
        )

    return install


def test_an_error_of_the_user_is_shown_without_traceback(command, capsys) -> None:
    def fail() -> None:
        raise AudienceError("row 3 of a.csv contains no number")

    command(fail)
    assert cli.main(["lab"]) == 2
    assert capsys.readouterr().err == "audiencelab: row 3 of a.csv contains no number\n"


def test_what_the_system_refuses_is_shown_without_traceback(
    command, capsys, tmp_path: Path
) -> None:
    missing = tmp_path / "missing.csv"
    command(lambda: len(missing.read_bytes()))
    assert cli.main(["lab"]) == 2
    assert capsys.readouterr().err == f"audiencelab: {missing}: No such file or directory\n"

    def fill_disk() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    command(fill_disk)
    assert cli.main(["lab"]) == 2
    shown = capsys.readouterr().err
    assert "No space left on device" in shown
    assert shown.count("\n") == 1


@pytest.mark.parametrize(
    "error", [OSError("made by hand"), ZeroDivisionError("ours"), EOFError("ours")]
)
def test_a_defect_of_ours_shows_its_traceback_with_debug(command, capsys, error: Exception) -> None:
    def fail() -> None:
        raise error

    command(fail)
    what = f"{type(error).__name__}: {error}"
    assert cli.main(["lab"]) == 3
    [shown] = capsys.readouterr().err.strip().splitlines()
    assert what in shown
    assert "report it" in shown
    assert cli.main(["lab", "--debug"]) == 3
    *_, last, advice = capsys.readouterr().err.splitlines()
    assert last == what
    assert "report it" in advice


def test_debug_shows_the_traceback_of_an_error_of_the_user(command, capsys) -> None:
    def fail() -> None:
        raise AudienceError("row 3 of a.csv contains no number")

    command(fail)
    assert cli.main(["--debug", "lab"]) == 2
    first, *_, last = capsys.readouterr().err.splitlines()
    assert first.startswith("Traceback")
    assert last == "audiencelab: row 3 of a.csv contains no number"


def test_no_text_acts_on_the_terminal(command, capsys) -> None:
    """Names of questions and of files come from anywhere, with escape sequences in them too."""
    acting = "\x1b[2J\x1b]0;owned\x07\x9b31m\x08\x00\u202eabc\u2066"
    shown = "�[2J�]0;owned��31m���abc�"

    def print_and_fail() -> None:
        echo(f"Ünïcode שלום 👩‍👩‍👧 {acting}\tand\r\nso on")
        raise AudienceError(f"no {acting}")

    command(print_and_fail)
    assert cli.main(["lab"]) == 2
    streams = capsys.readouterr()
    assert streams.out == f"Ünïcode שלום 👩‍👩‍👧 {shown}\tand\r\nso on\n"
    assert streams.err == f"audiencelab: no {shown}\n"


def test_interrupt(command) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    command(interrupt)
    assert cli.main(["lab"]) == 130


def test_a_missing_library_names_the_extra(command, capsys) -> None:
    command(lambda: importlib.import_module("no_such_library"))
    assert cli.main(["lab"]) == 2
    message = capsys.readouterr().err
    assert message.startswith("audiencelab: lab needs no_such_library")
    assert 'pip install "audiencelab[lab]"' in message


def test_a_name_that_a_library_does_not_have_is_a_defect(command, capsys) -> None:
    def broken() -> None:
        exec("from os import no_such_name")

    command(broken)
    assert cli.main(["lab"]) == 3
    assert "no_such_name" in capsys.readouterr().err


def test_a_module_of_ours_that_is_missing_is_a_defect(command, capsys) -> None:
    command(lambda: importlib.import_module("audiencelab.no_such_module"))
    assert cli.main(["lab"]) == 3
    assert "no_such_module" in capsys.readouterr().err


def test_a_draft_that_is_edited_while_the_next_is_drafted_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "survey.csv", ROWS)
    assert main(["import", "survey.csv", "--out", "survey", "--quiet"]) == 0
    book = tmp_path / "survey.toml"

    def edit_meanwhile(*given: Any, **options: Any) -> Draft:
        book.write_text("# mine\n")
        return draft_codebook(*given, **options)

    monkeypatch.setattr(importing, "draft_codebook", edit_meanwhile)
    assert main(["import", "survey.csv", "--out", "survey", "--replace"]) == 2
    assert book.read_text() == "# mine\n"
