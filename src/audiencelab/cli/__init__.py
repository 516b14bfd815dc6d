"""The `audiencelab` command line.

The module of a subcommand is imported when the subcommand runs, so that `audiencelab --help` is
quick and works with no extra installed.

Exit codes: 0 done, 1 a check found something, 2 the user can fix it (usage, a bad file, a missing
extra), 3 a defect of ours, 130 interrupted. `--debug` shows the traceback of any error.
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
from click.exceptions import NoArgsIsHelpError, NoSuchCommand, NoSuchOption

from audiencelab._version import __version__
from audiencelab.cli.advice import in_options
from audiencelab.cli.help import SETTINGS
from audiencelab.cli.output import echo
from audiencelab.cli.suggestions import in_our_commands, near_hit, suggestion
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


HEADINGS: dict[str, dict[str, Command]] = {
    "Tables": {
        "crosstab": Command("cross-tabulate questions", "crosstab", "crosstab", "survey"),
        "stats": Command("frequencies and means of questions", "one_way", "stats", "survey"),
        "trend": Command("questions over time, with changes", "one_way", "trend", "survey"),
        "tab-book": Command(
            "a table of every question, as a file", "tab_book", "tab_book", "survey"
        ),
        "summary": Command("many questions by groups, with tests", "summary", "summary", "survey"),
        "mean": Command("means, with their intervals", "estimates", "mean", "survey"),
        "median": Command("medians", "estimates", "median", "survey"),
        "quantile": Command("quantiles", "estimates", "quantile", "survey"),
        "total": Command("weighted sums", "estimates", "total", "survey"),
        "nps": Command("net promoter scores", "estimates", "nps", "survey"),
        "correlation": Command("correlations", "estimates", "correlation", "survey"),
        "proportion": Command(
            "shares of answers and conditions", "estimates", "proportion", "survey"
        ),
    },
    "Surveys": {
        "import": Command(
            "read survey files into a survey folder", "ingest", "import_files", "survey"
        ),
        "survey": Command(
            "describe, check, change and export a survey", "survey", "survey", "survey"
        ),
        "codebook": Command("draft a codebook from survey files", "ingest", "codebook", "survey"),
        "cache": Command("list or clear what is kept on this machine", "cache", "cache", "survey"),
    },
    "JupyterLab and sharing": {
        "lab": Command("open JupyterLab on a notebook", "jupyter", "lab", "lab"),
        "lite": Command("JupyterLab as static files, for a browser", "jupyter", "lite", "lite"),
        "connections": Command("the connections of JupyterLab", "jupyter", "connections", "lab"),
        "check": Command(
            "what to look at before a notebook is shared", "check", "check_notebooks", "lab"
        ),
        "export": Command("a notebook as one HTML file", "notebook", "export_notebook", "lab"),
        "verify": Command(
            "which outputs of a notebook still hold", "notebook", "verify_notebooks", "lab"
        ),
        "package": Command(
            "a notebook with all that others need, as a zip", "package", "package_notebooks", "lab"
        ),
        "snapshot": Command("list, verify or trim a snapshot", "snapshot", "snapshot", "survey"),
    },
    "Services and assistants": {
        "serve": Command("serve a survey over HTTP", "serve", "serve", "server"),
        "credentials": Command(
            "who may ask a served survey", "credentials", "credentials", "server"
        ),
        "mcp": Command("answer assistants over a survey (MCP)", "mcp", "mcp", "mcp"),
        "skill": Command("what coding assistants read", "skill", "skill", "lab"),
    },
    "Teaching": {
        "course": Command("a course on reading surveys", "course", "course", "lab"),
    },
}
"""The subcommands by what people do."""

COMMANDS = {name: each for listed in HEADINGS.values() for name, each in listed.items()}


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
        widest = max(map(len, COMMANDS))
        for heading, listed in HEADINGS.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(name.ljust(widest), each.summary) for name, each in listed.items()]
                )

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
    context_settings=SETTINGS,
    epilog=(
        "Run audiencelab COMMAND --help for the options of a command. Shells complete commands, "
        'options and files after eval "$(_AUDIENCELAB_COMPLETE=bash_source audiencelab)"; for '
        "others zsh_source or fish_source."
    ),
)
@click.version_option(__version__, message="audiencelab %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback of an error, in any command.")
def audiencelab(debug: bool) -> None:
    """Weighted survey crosstabs in Jupyter and on the command line."""
    del debug  # read by `main`, wherever it is


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; user errors are short texts on stderr.

    arguments: what follows `audiencelab`; `sys.argv` by default.
    """
    typed = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in typed or bool(os.environ.get("AUDIENCELAB_DEBUG"))
    words = in_our_commands([word for word in typed if word != "--debug"])
    try:
        return _run(words, debug=debug)
    except Exception as error:
        if debug:
            traceback.print_exc()
            advice = "Please report it with the lines above."
        else:
            advice = "Please report it with what the same command shows with --debug."
        what = " ".join(f"{type(error).__name__}: {error}".split())
        echo(f"audiencelab: this is a defect of ours: {what}. {advice}", err=True)
        return DEFECT


def _run(words: list[str], *, debug: bool) -> int:
    """The exit code of a command; only defects of ours are raised."""
    try:
        # Else click would print errors and end the process itself.
        return audiencelab.main(words, prog_name="audiencelab", standalone_mode=False) or 0
    except NoArgsIsHelpError as error:
        echo(error.format_message())
        return 0
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "audiencelab"
        meant = suggestion(words, error, _parse) or near_hit(words, error.message)
        return _fail(*_usage(error, path, meant))
    except click.Abort as error:
        # click makes the same of an EOFError, which is a defect and not an interrupt.
        if isinstance(error.__cause__, EOFError):
            raise error.__cause__ from None
        return INTERRUPTED
    except (AudienceError, ImportError, OSError, ValueError, TypeError, LookupError) as error:
        message = _message(error, words)
        if debug:
            traceback.print_exc()
        return _fail(message, near_hit(words, message))


def _usage(error: click.UsageError, path: str, meant: str) -> tuple[str, str]:
    """The message of a usage error, and what follows it."""
    if isinstance(error, NoSuchOption) or (meant and isinstance(error, NoSuchCommand)):
        # Without the nearest names, which may be others.
        text = error.message
    else:
        text = error.format_message()
    return f"{path}: {text}", meant or ("" if "\n" in text else f" (try {path} --help)")


def _message(error: Exception, words: list[str]) -> str:
    """The message of an error that the user can fix; a defect of ours is raised again."""
    if isinstance(error, ImportError):
        return f"audiencelab: {error}" if _is_refusal(error) else _missing_extra(error, words)
    if isinstance(error, OSError) and not isinstance(error, AudienceError):
        return _system_error(error)
    if isinstance(error, AudienceError) or _is_refusal(error):
        return f"audiencelab: {error}"
    raise error


def _parse(words: Sequence[str]) -> click.UsageError | None:
    """The usage error of a command, which is not run."""
    context, rest = click.Context(audiencelab, info_name="audiencelab"), [*words]
    try:
        while isinstance(context.command, click.Group) and rest:
            name = rest.pop(0)
            found = context.command.get_command(context, name)
            if found is None:
                raise NoSuchCommand(name, ctx=context)
            context = click.Context(found, context, name)
        context.command.make_context(context.info_name, rest, parent=context.parent)
    except click.UsageError as error:
        return error
    return None


def _fail(message: str, meant: str = "") -> int:
    echo(in_options(message) + meant, err=True)
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
