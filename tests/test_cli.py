"""The command line: what it says, what it returns, what it leaves unimported."""

import argparse
import errno
import importlib
import os
import shlex
import subprocess
import sys
import types
from pathlib import Path

import pytest

from audiencelab import __version__, cli
from audiencelab.errors import AudienceError


def run(*arguments: str) -> int:
    """The exit code, whether it is returned or argparse leaves with it."""
    try:
        return cli.main(arguments)
    except SystemExit as leaving:
        return int(leaving.code or 0)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch):
    """Puts a function of the test in the place of `audiencelab lab`."""

    def install(body) -> None:
        module = types.ModuleType("audiencelab._test_command")
        module.add_test_arguments = lambda parser: None
        module.run_test = lambda arguments: body()
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(
            cli.COMMANDS, "lab", cli.Command("a test", module.__name__, "test", "lab")
        )

    return install


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"audiencelab {__version__}\n"


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in cli.COMMANDS)


@pytest.mark.parametrize(
    "arguments",
    [[], ["nonsense"], ["--nonsense"], ["lab", "--nonsense"], ["lab", "no-such-notebook.ipynb"]],
)
def test_usage_error_is_one_line(
    arguments: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith("audiencelab")
    assert streams.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["improt", "answers.sav"], "there is no 'improt'; did you mean 'import'?"),
        (["panel", "inof"], "there is no 'inof'; did you mean 'info'?"),
        (["nonsense"], f"there is no 'nonsense'; there are {', '.join(cli.COMMANDS)}"),
        ([], f"COMMAND is missing, one of {', '.join(cli.COMMANDS)}"),
        (["course"], "ACTION is missing, one of start, report, answers"),
        (["import"], "the following arguments are required: SOURCE, --out"),
    ],
)
def test_a_usage_error_says_what_to_type(arguments: list[str], advice: str, capsys) -> None:
    assert run(*arguments) == 2
    assert f": {advice} (try audiencelab " in capsys.readouterr().err


ACTIONS = [
    ("panel", "info check derive add-wave rake export"),
    ("connections", "list add remove check"),
    ("snapshot", "list verify"),
    ("course", "start report answers"),
]


@pytest.mark.parametrize(
    ("name", "action"), [(name, action) for name, all_ in ACTIONS for action in all_.split()]
)
def test_the_help_of_an_action_tells_what_it_does_and_how_it_is_typed(
    name: str, action: str, capsys
) -> None:
    assert run(name, action, "--help") == 0
    usage, said, *rest = capsys.readouterr().out.split("\n\n")
    assert usage.startswith(f"usage: audiencelab {name} {action} ")
    assert said[0].isupper()
    assert said.endswith(".")
    examples = rest[-1].splitlines()
    assert examples[0] == "examples:"
    assert len(examples) > 1
    assert all(line.startswith(f"  audiencelab {name} {action}") for line in examples[1:])


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_the_examples_of_the_help_can_be_typed(name: str, capsys) -> None:
    assert run(name, "--help") == 0
    shown = capsys.readouterr().out
    command = cli.COMMANDS[name]
    parser = argparse.ArgumentParser(exit_on_error=False)
    getattr(importlib.import_module(command.module), f"add_{command.stem}_arguments")(parser)
    for example in command.examples:
        assert f"\n  audiencelab {example}\n" in shown
        verb, *arguments = shlex.split(example)
        assert verb == name
        parser.parse_args(arguments)
    assert command.examples


def test_deliberate_error_is_told_without_traceback(command, capsys) -> None:
    def fail() -> int:
        raise AudienceError("row 3 of a.csv holds no number")

    command(fail)
    assert run("lab") == 2
    assert capsys.readouterr().err == "audiencelab: row 3 of a.csv holds no number\n"


def test_unreadable_file_is_told_without_traceback(command, capsys, tmp_path: Path) -> None:
    missing = tmp_path / "missing.csv"
    command(lambda: len(missing.read_bytes()))
    assert run("lab") == 2
    assert capsys.readouterr().err == f"audiencelab: {missing}: No such file or directory\n"


def test_what_the_system_refuses_is_told_without_a_name_too(command, capsys) -> None:
    def fail() -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    command(fail)
    assert run("lab") == 2
    said = capsys.readouterr().err
    assert said.startswith("audiencelab: the system said: No space left on device. It named no")
    assert said.count("\n") == 1


def test_an_error_of_our_own_making_shows(command) -> None:
    def fail() -> int:
        raise OSError("made by hand")

    command(fail)
    with pytest.raises(OSError, match="made by hand"):
        run("lab")


ACTING = "\x1b[2J\x1b]0;owned\x07\x9b31m\x08\x00\u202eabc\u2066"
SHOWN = "�[2J�]0;owned��31m���abc�"


def test_no_word_acts_on_the_terminal(command, capsys) -> None:
    """Names of questions and of files come from anywhere, with escape sequences in them too."""

    def say() -> int:
        print(f"Ünïcode שלום 👩‍👩‍👧 {ACTING}\tand\r\nso on")
        print(f"over\rwritten {ACTING}", file=sys.stderr)
        print("\rhalf", end="\r", file=sys.stderr)
        raise AudienceError(f"no {ACTING}")

    command(say)
    assert run("lab") == 2
    said = capsys.readouterr()
    assert said.out == f"Ünïcode שלום 👩‍👩‍👧 {SHOWN}\tand\r\nso on\n"
    assert said.err == f"over�written {SHOWN}\n\rhalf\raudiencelab: no {SHOWN}\n"


def test_no_line_of_several_acts_on_the_terminal_either(command, capsys) -> None:
    command(lambda: sys.stdout.writelines([f"one {ACTING}\n", "\rtwo\r"]) or 0)
    assert run("lab") == 0
    assert capsys.readouterr().out == f"one {SHOWN}\n\rtwo\r"


def test_closed_pipe_is_no_mistake() -> None:
    # As in `audiencelab panel info DIR | head -1`: the reader leaves before all is written.
    code = (
        "import sys, types\n"
        "from audiencelab import cli\n"
        "chatty = types.ModuleType('chatty')\n"
        "chatty.add_test_arguments = lambda parser: None\n"
        "chatty.run_test = lambda arguments: print('line\\n' * 1_000_000) or 0\n"
        "sys.modules['chatty'] = chatty\n"
        "cli.COMMANDS['lab'] = cli.Command('a test', 'chatty', 'test', 'lab')\n"
        "sys.exit(cli.main(['lab']))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "line\n"
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=30) == 0


def test_interrupt(command) -> None:
    def interrupt() -> int:
        raise KeyboardInterrupt

    command(interrupt)
    assert run("lab") == 130


def test_our_own_fault_shows(command) -> None:
    command(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        run("lab")


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    absent = cli.Command("a test", "no_such_library", "test", "panel")
    monkeypatch.setitem(cli.COMMANDS, "panel", absent)
    assert run("panel") == 2
    message = capsys.readouterr().err
    assert "no_such_library" in message
    assert 'pip install "audiencelab[panel]"' in message


def test_a_library_that_is_missed_only_at_work_is_named(command, capsys) -> None:
    command(lambda: importlib.import_module("no_such_library"))
    assert run("lab") == 2
    message = capsys.readouterr().err
    assert message.startswith("audiencelab: lab needs no_such_library")
    assert 'pip install "audiencelab[' in message


def test_a_module_of_ours_that_is_missing_shows(command) -> None:
    command(lambda: importlib.import_module("audiencelab.no_such_module"))
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        run("lab")


def test_help_imports_no_heavy_library() -> None:
    code = (
        "import sys\n"
        "from audiencelab import cli\n"
        "try:\n    cli.main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'pandas', 'numpy', 'pyarrow', 'altair', 'jupyterlab', 'ipywidgets', 'httpx'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "audiencelab", "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, f"audiencelab {__version__}\n")
