"""The command line: what it says, what it returns, what it leaves unimported."""

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
