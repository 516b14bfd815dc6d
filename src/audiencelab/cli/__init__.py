"""The `audiencelab` command line.

The module of a subcommand is imported when the subcommand runs, so that `audiencelab --help` is
quick and works with no extra installed.

Exit codes: 0 done, 1 a check found something, 2 the user can fix it (usage, a bad file, a missing
extra), 3 a defect of ours, with its traceback, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.exceptions import NoArgsIsHelpError, NoSuchCommand

from audiencelab._version import __version__
from audiencelab.cli.output import echo, in_options
from audiencelab.errors import AudienceError

USAGE_ERROR = 2
DEFECT = 3
INTERRUPTED = 130


class Command(NamedTuple):
    """A subcommand: its module and the attribute that holds it, and the extra that it needs."""

    summary: str
    module: str
    attribute: str
    extra: str


COMMANDS = {
    "lab": Command("open JupyterLab on a notebook", "jupyter", "lab", "lab"),
    "lite": Command("write JupyterLab as static files, for a browser", "jupyter", "lite", "lite"),
    "connections": Command("manage the connections of JupyterLab", "jupyter", "connections", "lab"),
    "serve": Command("serve a survey over HTTP", "serve", "serve", "server"),
    "mcp": Command("answer assistants over a survey (MCP)", "mcp", "mcp", "mcp"),
    "skill": Command("print or copy what coding assistants read", "skill", "skill", "lab"),
    "credentials": Command(
        "make and revoke credentials of a served survey", "credentials", "credentials", "server"
    ),
    "import": Command("read survey files into a survey folder", "ingest", "import_files", "survey"),
    "codebook": Command("draft a codebook from survey files", "ingest", "codebook", "survey"),
    "cache": Command(
        "list or clear imported surveys and kept catalogues", "cache", "cache", "survey"
    ),
    "survey": Command("describe, check and change a survey", "survey", "survey", "survey"),
    "crosstab": Command("cross-tabulate questions of a survey", "tables", "crosstab", "survey"),
    "tab-book": Command("write a table of every question", "tables", "tab_book", "survey"),
    "snapshot": Command("list or verify a snapshot", "snapshot", "snapshot", "survey"),
    "course": Command("hand out and mark a course on reading surveys", "course", "course", "lab"),
    "export": Command("write a notebook as one HTML file", "notebook", "export_notebook", "lab"),
    "verify": Command(
        "report which outputs of a notebook still hold", "notebook", "verify_notebooks", "lab"
    ),
}


class _LazyGroup(click.Group):
    """A group that imports only the subcommand that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        if cmd_name not in COMMANDS:
            raise NoSuchCommand(cmd_name, possibilities=COMMANDS, ctx=ctx)
        found = COMMANDS[cmd_name]
        return getattr(import_module(f"audiencelab.cli.{found.module}"), found.attribute)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.summary) for name, each in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            # A closed pipe can be handled here, and not at Python's exit.
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            # The reader (`| head`) has what it wanted; keep Python's exit from complaining.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=(
        "Run audiencelab COMMAND --help for the options of a command. Shells complete commands, "
        'options and files after eval "$(_AUDIENCELAB_COMPLETE=bash_source audiencelab)"; for '
        "others zsh_source or fish_source."
    ),
)
@click.version_option(__version__, message="audiencelab %(version)s")
def audiencelab() -> None:
    """Weighted survey crosstabs in Jupyter and on the command line."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; user errors are one line on stderr.

    arguments: what follows `audiencelab`; `sys.argv` by default.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(words)
    except Exception:
        traceback.print_exc()
        echo(
            "audiencelab: this is a defect of ours. Please report it with the lines above.",
            err=True,
        )
        return DEFECT


def _run(words: list[str]) -> int:
    """The exit code of a command; only defects of ours are raised."""
    try:
        # Else click would print errors and end the process itself.
        return audiencelab.main(words, prog_name="audiencelab", standalone_mode=False) or 0
    except NoArgsIsHelpError as error:
        echo(error.format_message())
        return 0
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "audiencelab"
        return _fail(f"{path}: {error.format_message()} (try {path} --help)")
    except click.Abort as error:
        # click makes the same of an EOFError, which is a defect and not an interrupt.
        if isinstance(error.__cause__, EOFError):
            raise error.__cause__ from None
        return INTERRUPTED
    except AudienceError as error:
        return _fail(f"audiencelab: {error}")
    except ImportError as error:
        message = f"audiencelab: {error}" if _is_refusal(error) else _missing_extra(error, words)
        return _fail(message)
    except OSError as error:
        return _fail(_system_error(error))
    except (ValueError, TypeError, LookupError) as error:
        if not _is_refusal(error):
            raise
        return _fail(f"audiencelab: {error}")


def _fail(message: str) -> int:
    echo(in_options(message), err=True)
    return USAGE_ERROR


def _is_refusal(error: Exception) -> bool:
    """Whether the package raised it on purpose, for what it was given; others are defects."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    is_ours = Path(last.filename).is_relative_to(Path(__file__).parents[1])
    return is_ours and (last.line or "").startswith("raise ")


def _missing_extra(error: ImportError, words: list[str]) -> str:
    """The extra that brings a missing library; a missing module or name of ours is a defect."""
    command = next((word for word in words if word in COMMANDS), None)
    is_library = isinstance(error, ModuleNotFoundError)
    if command is None or not is_library or (error.name or "").partition(".")[0] == "audiencelab":
        raise error
    return (
        f"audiencelab: {command} needs {error.name}, which is not installed: "
        f'pip install "audiencelab[{COMMANDS[command].extra}]"'
    )


def _system_error(error: OSError) -> str:
    """What the operating system reported; an error without its message is a defect of ours."""
    if error.strerror is None:
        raise error
    if error.filename is None:
        return (
            f"audiencelab: the operating system reported: {error.strerror}. It named no file; "
            "check the free space of the disk and the limits of this session (ulimit -a)."
        )
    return f"audiencelab: {error.filename}: {error.strerror}"
