"""The command line: output, exit codes, lazy imports."""

import errno
import importlib
import os
import shlex
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from audiencelab import __version__, cli
from audiencelab.cli.output import echo, in_options
from audiencelab.errors import AudienceError


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


def commands() -> Iterator[tuple[list[str], click.Command]]:
    """Every command and subcommand, with the words that name it."""
    context = click.Context(cli.audiencelab)
    for name in cli.COMMANDS:
        found = cli.audiencelab.get_command(context, name)
        yield [name], found
        if isinstance(found, click.Group):
            yield from (([name, action], each) for action, each in found.commands.items())


COMMANDS = {" ".join(words): found for words, found in commands()}


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"audiencelab {__version__}\n"


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"\n  {name} " in shown for name in cli.COMMANDS)


@pytest.mark.parametrize("words", [[], ["survey"]])
def test_a_group_without_a_command_shows_its_help(words: list[str], capsys) -> None:
    assert cli.main(words) == 0
    assert capsys.readouterr().out.startswith("Usage: audiencelab")


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["nonsense"], "nonsense"),
        (["--nonsense"], "--nonsense"),
        (["lab", "--nonsense"], "--nonsense"),
        (["lab", "no-such-notebook.ipynb"], "no-such-notebook.ipynb"),
        (["improt", "answers.sav"], "Did you mean 'import'?"),
        (["survey", "inof"], "Did you mean 'info'?"),
        (["import"], "SOURCE"),
        (["import", "a.csv"], "--out"),
        (["import", "a", "--weight", "w", "--no-weight", "--out", "b"], "not allowed with"),
        (["course", "start", "lessons"], "--student"),
    ],
)
def test_a_usage_error_is_one_line_of_advice(
    arguments: list[str], advice: str, capsys, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith("audiencelab")
    assert advice in streams.err
    assert streams.err.count("\n") == 1


def test_an_option_is_the_same_in_every_command() -> None:
    short: dict[str, set[str]] = {}
    for found in COMMANDS.values():
        options = [each for each in found.params if isinstance(each, click.Option)]
        for option in options:
            (long,) = [each for each in option.opts if each.startswith("--")]
            short.setdefault(long, set()).add(" ".join(sorted(option.opts)))
        names = {each.name for each in options}
        assert "out" not in names or "quiet" in names, found.name
    assert [each for each in short.values() if len(each) > 1] == []
    assert {"--out -o", "--quiet -q", "--verbose -v", "--jobs -j"} <= set().union(*short.values())


def test_commands_that_read_survey_files_have_the_same_options() -> None:
    names = [
        {
            each.opts[0]: each.help
            for each in COMMANDS[name].params
            if isinstance(each, click.Option)
        }
        for name in ("import", "codebook", "crosstab", "tab-book")
    ]
    shared = ("--weight", "--no-weight", "--wave", "--person", "--labels", "--sheet", "--missing")
    assert all(each[option] == names[0][option] for each in names for option in shared)


@pytest.mark.parametrize(
    ("python", "option"),
    [
        ('al.open(…, weight="COLUMN"), or weight=None', "--weight COLUMN, or --no-weight"),
        ('weight=["A", "B"] for several', "--weight A --weight B for several"),
        ("Write wave='year of birth'.", "Write --wave 'year of birth'."),
        ("replace it with replace=True.", "replace it with --replace."),
        ("use test(vs='rest').", "use --test rest."),
        (
            "leave codebook= out, or name a folder with to=.",
            "leave --codebook out, or name a folder with --out.",
        ),
        ("al.open(…, weight=[…]).", "--weight …."),
        (
            'audiencelab.ingest.draft_codebook(…).save("survey.toml"), edit it',
            "audiencelab codebook SOURCE -o survey.toml, edit it",
        ),
        ('in the codebook: [source] encoding = "latin-1".',) * 2,
        ("https://example.org/?name=a&wave=2",) * 2,
    ],
)
def test_advice_is_given_as_options(python: str, option: str) -> None:
    assert in_options(python) == option


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_describes_itself(words: str, capsys) -> None:
    found = COMMANDS[words]
    assert cli.main([*words.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"Usage: audiencelab {words} ")
    assert (found.help or "").partition("\n")[0][-1] == "."
    lines = shown.partition("Examples:\n")[2].splitlines()
    assert bool(lines) is not isinstance(found, click.Group)
    for line in lines:
        program, *typed = shlex.split(line)
        assert program == "audiencelab"
        assert typed[: len(words.split())] == words.split()
        found.make_context(words, typed[len(words.split()) :])


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
def test_a_defect_of_ours_shows_its_traceback(command, capsys, error: Exception) -> None:
    def fail() -> None:
        raise error

    command(fail)
    assert cli.main(["lab"]) == 3
    *_, last, advice = capsys.readouterr().err.splitlines()
    assert last == f"{type(error).__name__}: {error}"
    assert "report it" in advice


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


def test_a_closed_pipe_is_not_an_error() -> None:
    # As in `audiencelab survey info DIR | head -1`: the reader leaves before all is written.
    code = (
        "import sys, types, click\n"
        "from audiencelab import cli\n"
        "chatty = types.ModuleType('audiencelab.cli.chatty')\n"
        "chatty.run = click.Command('lab', callback=lambda: print('line\\n' * 1_000_000))\n"
        "sys.modules['audiencelab.cli.chatty'] = chatty\n"
        "cli.COMMANDS['lab'] = cli.Command('a test', 'chatty', 'run', 'lab')\n"
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
    assert process.wait(timeout=60) == 0


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


@pytest.mark.parametrize(("library", "extra"), [("pptx", "pptx"), ("xlsxwriter", "excel")])
@pytest.mark.parametrize("words", ["tab-book --banner gender", "crosstab --rows gender"])
def test_a_file_that_cannot_be_written_names_the_extra(
    words: str, library: str, extra: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    file = tmp_path / f"made.{'pptx' if library == 'pptx' else 'xlsx'}"
    name, *options = words.split()
    assert cli.main([name, *options, "-q", "-o", str(file)]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("audiencelab: ")
    assert f'pip install "audiencelab[{extra}]"' in shown
    assert "defect" not in shown


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


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_options(
    shell: str, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_AUDIENCELAB_COMPLETE", f"{shell}_source")
    with pytest.raises(SystemExit, match="0"):
        cli.main([])
    assert "_AUDIENCELAB_COMPLETE" in capsys.readouterr().out
    monkeypatch.setenv("_AUDIENCELAB_COMPLETE", f"{shell}_complete")
    monkeypatch.setenv("COMP_WORDS", "audiencelab cross")
    monkeypatch.setenv("COMP_CWORD", "cross" if shell == "fish" else "1")
    with pytest.raises(SystemExit, match="0"):
        cli.main([])
    assert "crosstab" in capsys.readouterr().out


def test_help_imports_no_heavy_library() -> None:
    code = (
        "import sys\n"
        "import audiencelab\n"
        "assert 'click' not in sys.modules\n"
        "from audiencelab import cli\n"
        "cli.main(['--help'])\n"
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
