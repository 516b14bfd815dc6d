"""Commands whose options have headings in their help, and which read words of other programs."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeAlias

import click

from audiencelab.cli.other_words import in_our_words

Decorator: TypeAlias = Callable[[Any], Any]
"""What `click.option` returns."""

TABULATED, WHOM, TESTS = "What is tabulated", "Whom", "Tests"
ARRANGEMENT, READING, OUTPUT = "Arrangement", "Reading the file", "Output"
DATA, ABOUT = "The data", "About the package"
HEADINGS = (TABULATED, WHOM, TESTS, ARRANGEMENT, READING, DATA, ABOUT, OUTPUT)
"""The headings of options, in their order; options without one are at the end."""

_OF_A_TABLE = ("weight", "no_weight", "decide", "codebook")
"""Options of reading that a command explains which tabulates; `import` explains the others."""

_WIDEST = 100
"""Characters of a line of help, on a terminal that has as many."""

SETTINGS: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": _WIDEST,
}
"""The settings of every command."""


class Option(click.Option):
    """An option with a heading."""

    def __init__(self, *given: Any, heading: str = "", **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.heading = heading


class HeadedCommand(click.Command):
    """A command that shows its options under headings.

    check: raises a usage error for parameters that do not fit together, before the command runs.
    """

    def __init__(
        self, *given: Any, check: Callable[..., None] | None = None, **settings: Any
    ) -> None:
        super().__init__(*given, **settings)
        self.check = check

    def make_context(self, *given: Any, **settings: Any) -> click.Context:
        made = super().make_context(*given, **settings)
        if self.check is not None:
            with made.scope(cleanup=False), _of(made):
                self.check(**made.params)
        return made

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with _of(ctx):
            return super().parse_args(ctx, in_our_words(self, args))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in HEADINGS}
        elsewhere: list[str] = []
        tabulates = any(getattr(each, "heading", "") == TABULATED for each in self.params)
        for each in self.get_params(ctx):
            heading = getattr(each, "heading", "")
            if isinstance(each, click.Option) and (record := each.get_help_record(ctx)):
                if tabulates and heading == READING and each.name not in _OF_A_TABLE:
                    elsewhere.append(each.opts[-1])
                else:
                    sections.setdefault(heading, []).append(record)
        shown = {name: records for name, records in sections.items() if records}
        for name, records in shown.items():
            with formatter.section(name or ("Others" if len(shown) > 1 else "Options")):
                formatter.write_dl(records, col_max=28)
                if name == READING and elsewhere:
                    names = ", ".join(elsewhere)
                    formatter.write_text(f"{names}: as `audiencelab import --help` says.")


@contextmanager
def _of(ctx: click.Context) -> Generator[None]:
    """Usage errors that say which command they are of."""
    try:
        yield
    except click.UsageError as error:
        error.ctx = error.ctx or ctx
        raise


def command(
    name: str | None = None, **settings: Any
) -> Callable[[Callable[..., Any]], HeadedCommand]:
    """`click.command` of such a command."""
    return click.command(name, cls=HeadedCommand, context_settings=SETTINGS, **settings)


def option(*names: str, heading: str = "", **settings: Any) -> Decorator:
    """`click.option` of an option under a heading."""
    return click.option(*names, cls=Option, heading=heading, **settings)


class HeadedGroup(click.Group):
    """A group of such commands."""

    command_class = HeadedCommand
