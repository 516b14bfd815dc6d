"""The subcommand `audiencelab package`: a notebook with everything that others need."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from audiencelab.cli.help import ABOUT, DATA, command, option
from audiencelab.cli.notebook import show_progress
from audiencelab.cli.output import (
    FINDINGS,
    echo,
    echo_lines,
    examples,
    one_of,
    out_option,
    quiet_option,
    replace_option,
)
from audiencelab.notebook.package import Details, MadePackage, make_package
from audiencelab.notebook.package.selection import Choice
from audiencelab.notebook.report import lines
from audiencelab.wording import plural


@command(
    "package",
    epilog=examples(
        "package analysis.ipynb --data -o package.zip",
        'package analysis.ipynb --snapshot --author "Müller, Anna" --licence CC-BY-4.0',
    ),
)
@click.argument(
    "notebooks", nargs=-1, required=True, metavar="NOTEBOOK...", type=click.Path(path_type=Path)
)
@option("--data", is_flag=True, heading=DATA, help="Copy the files that the notebook reads.")
@option(
    "--snapshot",
    is_flag=True,
    heading=DATA,
    help="Record what the notebook asks of its survey, without respondents.",
)
@option("--no-data", is_flag=True, heading=DATA, help="Leave the files out.")
@option(
    "--include",
    multiple=True,
    metavar="FILE",
    heading=DATA,
    help="Add a file, or those of a pattern; may be repeated.",
)
@option("--title", metavar="TEXT", heading=ABOUT, help="The title (default: the heading).")
@option(
    "--author",
    multiple=True,
    metavar="NAME",
    heading=ABOUT,
    help='An author, as "Family, Given", or an organisation; may be repeated.',
)
@option("--licence", metavar="NAME", heading=ABOUT, help="The licence, such as CC-BY-4.0.")
@option(
    "--availability",
    metavar="TEXT",
    heading=ABOUT,
    help="How others get the data that are not in it.",
)
@option("--rights", metavar="TEXT", heading=ABOUT, help="The right to use and share the data.")
@out_option("FILE", "The zip (default: beside the notebook).")
@replace_option
@click.option(
    "--timeout",
    default=600.0,
    metavar="SECONDS",
    help="Seconds allowed for one cell (default: 600).",
)
@quiet_option
def package_notebooks(
    notebooks: tuple[Path, ...],
    data: bool,
    snapshot: bool,
    no_data: bool,
    include: tuple[str, ...],
    title: str | None,
    author: tuple[str, ...],
    licence: str | None,
    availability: str | None,
    rights: str | None,
    out: Path | None,
    replace: bool,
    timeout: float,
    quiet: bool,
) -> int:
    """Write a notebook with its data, environment and README as a zip that others can verify.

    The notebook is run once, in an empty folder with copies of the files that its code names; its
    file is not changed. Exit code 1: the package was written, and others would not get the same
    outputs from it.
    """
    given: dict[str, object] = {"--data": data, "--snapshot": snapshot, "--no-data": no_data}
    one_of(given)
    choices: dict[str, Choice] = {
        "--data": "data",
        "--snapshot": "snapshot",
        "--no-data": "no-data",
    }
    choice: Choice | None = next((choices[name] for name, value in given.items() if value), None)
    made = make_package(
        notebooks,
        out,
        data=choice,
        include=include,
        details=Details(title or "", author, licence or "", availability or "", rights or ""),
        replace_existing=replace,
        timeout=timeout,
        report=None if quiet else show_progress(notebooks[0]),
    )
    if not quiet:
        echo_lines(_lines(made))
        echo(f"Check it as others would: audiencelab verify {shlex.quote(str(made.path))}")
    return 0 if made.works else FINDINGS


def _lines(made: MadePackage) -> Iterator[str]:
    size = made.path.stat().st_size / 1000
    yield f"{made.path}: {plural(len(made.files), 'file')}, {size:,.0f} KB."
    for each, summary in zip(made.verified, made.summary, strict=True):
        yield f"  {summary}"
        yield from () if each.holds else (f"  {line}" for line in lines(each)[1:])
    for heading, texts in (
        ("what does not work yet", made.problems),
        ("what a data editor will ask for", made.missing),
    ):
        if texts:
            yield f"  {heading}"
            yield from (f"      {each}" for each in texts)
