"""The `audiencelab` command: finds the subcommand and says mistakes in one line.

What each subcommand does lives with the layer that does it. Only the module of the
subcommand that was asked for is imported, so that `audiencelab --help` is quick and works
with no extra installed.

Exit codes: 0 done, 2 the user can put it right (usage, a bad file, a missing extra), 130
interrupted. Anything else is our fault, and shows as a traceback.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NoReturn, TextIO, cast

from audiencelab._version import __version__
from audiencelab.errors import AudienceError
from audiencelab.wording import harmless

__all__ = ["main"]

USAGE_ERROR = 2
INTERRUPTED = 130

# What argparse says of a command that is none.
_NO_CHOICE = re.compile(r"argument [^:]+: invalid choice: '([^']*)'")


@dataclass(frozen=True, slots=True)
class Command:
    """Where a subcommand lives: a module with `add_<stem>_arguments` and `run_<stem>`.

    examples: what people type most, shown below its help and below that of the action they are of.
    has_colours: it shows the log of another program, which is coloured.
    """

    summary: str
    module: str
    stem: str
    extra: str
    examples: tuple[str, ...] = ()
    has_colours: bool = False


COMMANDS = {
    "lab": Command(
        "open JupyterLab on a notebook",
        "audiencelab.lab.launch",
        "lab",
        "lab",
        ("lab", "lab analysis.ipynb --panel my-panel"),
        has_colours=True,
    ),
    "connections": Command(
        "name the services that JupyterLab offers",
        "audiencelab.lab.connections.commands",
        "connections",
        "lab",
        (
            "connections list",
            "connections add survey my-panel",
            'connections add team https://research.example --title "Team panel"',
            "connections check team",
            "connections remove team",
        ),
    ),
    "serve": Command(
        "serve a panel over HTTP",
        "audiencelab.service.http.commands",
        "serve",
        "server",
        ("serve --panel my-panel --port 8080 --store charts.db",),
    ),
    "import": Command(
        "read survey files into a panel",
        "audiencelab.panel.commands",
        "import",
        "panel",
        (
            "import answers.sav --out my-panel",
            "import 2024.csv 2025.csv --codebook survey.toml --out my-panel --replace",
        ),
    ),
    "codebook": Command(
        "draft what the columns of survey files mean",
        "audiencelab.panel.commands",
        "codebook",
        "panel",
        ("codebook answers.csv --weight weight --out survey.toml",),
    ),
    "panel": Command(
        "look into a panel, check and change it",
        "audiencelab.panel.panel_commands",
        "panel",
        "panel",
        (
            "panel info my-panel",
            "panel check my-panel",
            "panel derive my-panel --add recipes.toml",
            "panel add-wave my-panel summer.csv --codebook summer.toml",
            "panel rake my-panel --targets margins.toml --out raked",
            "panel export my-panel --out answers.parquet",
        ),
    ),
    "snapshot": Command(
        "list or verify a snapshot",
        "audiencelab.client.inspecting.commands",
        "snapshot",
        "panel",
        (
            "snapshot list analysis.audiencelab.jsonl",
            "snapshot verify analysis.audiencelab.jsonl --demo",
        ),
    ),
    "course": Command(
        "hand out a course on reading surveys, and mark it",
        "audiencelab.course.commands",
        "course",
        "lab",
        (
            "course start lessons --student Ann",
            "course start class --class names.txt",
            "course report class",
            "course answers Ann",
        ),
    ),
    "export": Command(
        "write a notebook as one HTML file",
        "audiencelab.notebook.commands",
        "export",
        "lab",
        ("export analysis.ipynb", "export analysis.ipynb --no-code --out report.html"),
    ),
    "verify": Command(
        "tell which outputs of a notebook still hold",
        "audiencelab.notebook.commands",
        "verify",
        "lab",
        (
            "verify analysis.ipynb",
            "verify *.ipynb --snapshot analysis.audiencelab.jsonl",
        ),
    ),
}


class _Lines(argparse.HelpFormatter):
    """Wraps paragraphs, and leaves text of several lines as it is: examples are to be copied."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


class _Parser(argparse.ArgumentParser):
    """Argparse, but a usage error is one line with advice; the usage is a `--help` away."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE_ERROR, f"{self.prog}: {self._advised(message)} (try {self.prog} --help)\n")

    def _advised(self, message: str) -> str:
        """The message, or a better one where what is wrong is the name of a command."""
        named = next((each for each in self._actions if each.choices and each.required), None)
        if named is None or not named.choices:
            return message
        listed = ", ".join(named.choices)
        if wrong := _NO_CHOICE.match(message):
            near = get_close_matches(wrong[1], named.choices, n=1)
            return f"there is no {wrong[1]!r}; " + (
                f"did you mean {near[0]!r}?" if near else f"there are {listed}"
            )
        missing = message.startswith("the following arguments are required")
        return f"{named.metavar} is missing, one of {listed}" if missing else message


class _Harmless:
    """A stream on which words only show: labels and names of files come from anywhere.

    What would colour a terminal, move its cursor or set its title is shown as a sign instead. A
    return to the beginning of a line is left at either end of what is written, for progress.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        words = text.strip("\r")
        start = len(text) - len(text.lstrip("\r"))
        shown = harmless(words)
        self._stream.write(f"{text[:start]}{shown}{text[start + len(words) :]}")
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _harmless(stream: TextIO) -> TextIO:
    return cast(TextIO, _Harmless(stream))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        arguments: What follows `audiencelab`; `sys.argv` where it is left out.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    command = COMMANDS.get(words[0]) if words else None
    if command is not None and command.has_colours:
        return _told(words)
    with redirect_stdout(_harmless(sys.stdout)), redirect_stderr(_harmless(sys.stderr)):
        return _told(words)


def _told(arguments: list[str]) -> int:
    """The exit code of a command whose mistakes are told."""
    try:
        code = _run(arguments)
        # Here, and not at exit, a pipe that was closed can still be handled.
        sys.stdout.flush()
        return code
    except AudienceError as error:
        return _complain(str(error))
    except BrokenPipeError:
        return _leave_closed_pipe()
    except OSError as error:
        # What the system refuses; an error without its words is of our own making.
        if error.strerror is None:
            raise
        if error.filename is None:
            return _complain(
                f"the system said: {error.strerror}. It named no file; see that the disk has room, "
                "and what the limits of this session are (ulimit -a)."
            )
        return _complain(f"{error.filename}: {error.strerror}")
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED


def _complain(message: str) -> int:
    print(f"audiencelab: {message}", file=_harmless(sys.stderr))
    return USAGE_ERROR


def _leave_closed_pipe() -> int:
    """The reader (`| head`) has what it wanted; so that Python's exit does not complain either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _run(arguments: list[str]) -> int:
    # Two parsers, one after the other: the first need not know the options of the second.
    name = str(_outer_parser().parse_args(arguments[:1]).command)
    command = COMMANDS[name]
    try:
        add_arguments, run = _load(command)
        parser = _Parser(prog=f"audiencelab {name}")
        add_arguments(parser)
        _tell(parser, command.summary, command.examples)
        for action, summary, its_parser in _actions_of(parser):
            its_examples = [each for each in command.examples if each.split()[1] == action]
            _tell(its_parser, summary, its_examples)
        return run(parser.parse_args(arguments[1:]))
    except ModuleNotFoundError as error:
        # Some libraries are imported only when the work begins. A module of ours is never missing
        # for want of an extra.
        if (error.name or "").partition(".")[0] == "audiencelab":
            raise
        raise AudienceError(
            f"{name} needs {error.name}, which is not installed: "
            f'pip install "audiencelab[{command.extra}]"'
        ) from error


def _tell(parser: argparse.ArgumentParser, summary: str, examples: Sequence[str]) -> None:
    """What it does above the help, where nothing more is said there, and examples below."""
    parser.formatter_class = _Lines
    parser.description = parser.description or f"{summary[0].upper()}{summary[1:]}."
    lines = "\n".join(f"  audiencelab {each}" for each in examples)
    parser.epilog = f"examples:\n{lines}" if lines else None


def _actions_of(
    parser: argparse.ArgumentParser,
) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    """The actions of a command that has some, such as `panel info`: name, summary and parser."""
    for each in parser._actions:
        if isinstance(each, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage] -- argparse has no public name for it
            for told in each._get_subactions():
                yield told.dest, told.help or "", each.choices[told.dest]


def _outer_parser() -> _Parser:
    width = max(map(len, COMMANDS)) + 2
    listing = "\n".join(f"  {name:<{width}}{each.summary}" for name, each in COMMANDS.items())
    parser = _Parser(
        prog="audiencelab",
        description="Audience research inside Jupyter.",
        epilog=f"commands:\n{listing}\n\naudiencelab COMMAND --help says more.",
        formatter_class=_Lines,
    )
    parser.add_argument("--version", action="version", version=f"audiencelab {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of those below")
    return parser


def _load(
    command: Command,
) -> tuple[
    Callable[[argparse.ArgumentParser], None],
    Callable[[argparse.Namespace], int],
]:
    module = importlib.import_module(command.module)
    return (
        getattr(module, f"add_{command.stem}_arguments"),
        getattr(module, f"run_{command.stem}"),
    )
