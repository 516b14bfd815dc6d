"""The command line: output, exit codes, lazy imports."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from audiencelab import __version__, cli
from audiencelab.cli.advice import in_options
from tests.messages import fails


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
        (["improt", "answers.sav"], "audiencelab import answers.sav"),
        (["survey", "inof", "my-survey"], "audiencelab survey info my-survey"),
        (["survey", "inof"], "Did you mean 'info'?"),
        (["import"], "SOURCE"),
        (["import", "."], "--out"),
        (["import", "a.csv"], "a.csv"),
        (["import", "a", "--weight", "w", "--no-weight", "--out", "b"], "not allowed with"),
        (["course", "start", "lessons"], "--student"),
    ],
)
def test_a_usage_error_is_one_line_of_advice_and_a_command(
    arguments: list[str], advice: str, capsys, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith("audiencelab")
    assert advice in streams.err
    _, *command = streams.err.splitlines()
    assert len(command) < 2
    assert all(line.startswith("  audiencelab ") for line in command)


def test_an_option_is_the_same_in_every_command() -> None:
    short: dict[str, set[str]] = {}
    for found in COMMANDS.values():
        options = [each for each in found.params if isinstance(each, click.Option)]
        for option in options:
            # A second long name is another word for the option, in every command that has it.
            long = next(each for each in option.opts if each.startswith("--"))
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
        ('al.open(…, missing={"q3": [98, 99]})', "--missing q3=98,99"),
        ('al.open(…, missing={"*": [-9]})', "--missing -9"),
        ("al.open(…, clusters=None)", "--clusters none"),
        ('client.edit("q3", top="first")', 'In Python: client.edit("q3", top="first")'),
        (
            "-9 counts: client.edit('pay', missing=[-9]), or missing=[-9]",
            "-9 counts: in Python: client.edit('pay', missing=[-9]), or --missing -9",
        ),
        ("Refused. Write client.mean('age').", "Refused. In Python: client.mean('age')."),
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


@pytest.mark.parametrize(("library", "extra"), [("pptx", "pptx"), ("xlsxwriter", "excel")])
@pytest.mark.parametrize("words", ["tab-book --banner gender", "crosstab --rows gender"])
def test_a_file_that_cannot_be_written_names_the_extra(
    words: str, library: str, extra: str, tmp_path: Path, not_installed, capsys
) -> None:
    not_installed(library)
    file = tmp_path / f"made.{'pptx' if library == 'pptx' else 'xlsx'}"
    name, *options = words.split()
    assert cli.main([name, *options, "-q", "-o", str(file)]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("audiencelab: ")
    assert f'pip install "audiencelab[{extra}]"' in shown
    assert "defect" not in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_options(
    shell: str, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_AUDIENCELAB_COMPLETE", f"{shell}_source")
    with fails(SystemExit):
        cli.main([])
    assert "_AUDIENCELAB_COMPLETE" in capsys.readouterr().out
    monkeypatch.setenv("_AUDIENCELAB_COMPLETE", f"{shell}_complete")
    monkeypatch.setenv("COMP_WORDS", "audiencelab cross")
    monkeypatch.setenv("COMP_CWORD", "cross" if shell == "fish" else "1")
    with fails(SystemExit):
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
