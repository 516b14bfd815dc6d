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
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from audiencelab._version import __version__
from audiencelab.errors import AudienceError

__all__ = ["main"]

USAGE_ERROR = 2
INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Command:
    """Where a subcommand lives: a module with `add_<stem>_arguments` and `run_<stem>`."""

    summary: str
    module: str
    stem: str
    extra: str


COMMANDS = {
    "lab": Command("open JupyterLab on a notebook", "audiencelab.lab.launch", "lab", "lab"),
    "serve": Command(
        "serve a panel over HTTP", "audiencelab.service.http.commands", "serve", "server"
    ),
    "import": Command(
        "read survey files into a panel", "audiencelab.panel.commands", "import", "panel"
    ),
    "codebook": Command(
        "draft what the columns of survey files mean",
        "audiencelab.panel.commands",
        "codebook",
        "panel",
    ),
    "panel": Command(
        "look into a panel, check and change it",
        "audiencelab.panel.panel_commands",
        "panel",
        "panel",
    ),
    "snapshot": Command(
        "list or verify a snapshot", "audiencelab.client.inspecting.commands", "snapshot", "panel"
    ),
    "export": Command(
        "write a notebook as one HTML file", "audiencelab.notebook.commands", "export", "lab"
    ),
    "verify": Command(
        "tell which outputs of a notebook still hold",
        "audiencelab.notebook.commands",
        "verify",
        "lab",
    ),
}


class _Parser(argparse.ArgumentParser):
    """Argparse, but a usage error is one line; the usage is a `--help` away."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE_ERROR, f"{self.prog}: {message} (try {self.prog} --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        arguments: What follows `audiencelab`; `sys.argv` where it is left out.
    """
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        # Here, and not at exit, a pipe that was closed can still be handled.
        sys.stdout.flush()
        return code
    except AudienceError as error:
        return _complain(str(error))
    except BrokenPipeError:
        return _leave_closed_pipe()
    except OSError as error:
        # A file that is not there or not ours to write. Without a name it is no such thing.
        if error.filename is None:
            raise
        return _complain(f"{error.filename}: {error.strerror}")
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED


def _complain(message: str) -> int:
    print(f"audiencelab: {message}", file=sys.stderr)
    return USAGE_ERROR


def _leave_closed_pipe() -> int:
    """The reader (`| head`) has what it wanted; so that Python's exit does not complain either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _run(arguments: list[str]) -> int:
    # Two parsers, one after the other: the first need not know the options of the second.
    name = str(_outer_parser().parse_args(arguments[:1]).command)
    command = COMMANDS[name]
    add_arguments, run = _load(name, command)
    parser = _Parser(prog=f"audiencelab {name}", description=command.summary)
    add_arguments(parser)
    return run(parser.parse_args(arguments[1:]))


def _outer_parser() -> _Parser:
    width = max(map(len, COMMANDS)) + 2
    listing = "\n".join(f"  {name:<{width}}{each.summary}" for name, each in COMMANDS.items())
    parser = _Parser(
        prog="audiencelab",
        description="Audience research inside Jupyter.",
        epilog=f"commands:\n{listing}\n\naudiencelab COMMAND --help says more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"audiencelab {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of those below")
    return parser


def _load(
    name: str, command: Command
) -> tuple[
    Callable[[argparse.ArgumentParser], None],
    Callable[[argparse.Namespace], int],
]:
    try:
        module = importlib.import_module(command.module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "audiencelab":
            raise
        raise AudienceError(
            f"{name} needs {error.name}, which is not installed: "
            f'pip install "audiencelab[{command.extra}]"'
        ) from error
    return (
        getattr(module, f"add_{command.stem}_arguments"),
        getattr(module, f"run_{command.stem}"),
    )
