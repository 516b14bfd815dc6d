"""The subcommands `audiencelab import` and `audiencelab codebook`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace as replace_fields
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec
from msgspec import UNSET, UnsetType
from tqdm import tqdm

from audiencelab import ingest as importing
from audiencelab.cli.imported import echo_card, imported_lines
from audiencelab.cli.output import (
    Function,
    echo,
    echo_lines,
    examples,
    import_options,
    one_of,
    out_option,
    quiet_option,
)
from audiencelab.files import put_new
from audiencelab.ingest import Codebook, Draft, Progress
from audiencelab.ingest.readers.csv_dialect import dialect_of
from audiencelab.ingest.sources import Sources, find_files
from audiencelab.schema.scope import BaseOf
from audiencelab.survey.errors import SurveyError, SurveyExistsError
from audiencelab.survey.layout import MANIFEST, check_target
from audiencelab.wording import without_controls


class Guesses(NamedTuple):
    """What a draft would otherwise guess, and how the files are read."""

    weight: str | Sequence[str] | UnsetType | None
    wave: str | None
    person: str | None
    encoding: str | None
    labels: str | None
    sheet: str | None
    missing: dict[str, list[str]] | None
    text: bool | Sequence[str]
    key: str | None


_PRIVATE = (
    click.option(
        "--key",
        metavar="COLUMN",
        help="The column that names each respondent of a wave, or row (default: one that is named "
        "like that, otherwise the row of the file).",
    ),
    click.option(
        "--text",
        metavar="COLUMN",
        multiple=True,
        help="Open answers to keep, apart from all tables (default: columns of free text, but not "
        "names, addresses and other contact data).",
    ),
    click.option("--no-text", is_flag=True, help="Keep no open answers."),
)


def _drafting(command: Function) -> Function:
    """The arguments and options that `import` and `codebook` share."""
    sources = click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
    command = quiet_option(command)
    for option in reversed(_PRIVATE):
        command = option(command)
    return sources(import_options(command))


def _guesses(
    key: str | None,
    text: tuple[str, ...],
    no_text: bool,
    weight: tuple[str, ...],
    no_weight: bool,
    wave: str | None,
    person: str | None,
    encoding: str | None,
    labels: str | None,
    sheet: str | None,
    missing: dict[str, list[str]] | None,
) -> Guesses:
    one_of({"--weight": weight, "--no-weight": no_weight})
    one_of({"--text": text, "--no-text": no_text})
    chosen = None if no_weight else weight or UNSET
    kept = text or not no_text
    return Guesses(chosen, wave, person, encoding, labels, sheet, missing, kept, key)


@click.command(
    "import",
    epilog=examples(
        "import answers.sav",
        "import answers.sav -o my-survey",
        "import 2024.csv 2025.csv --codebook survey.toml -o my-survey --replace",
    ),
)
@_drafting
@click.option(
    "--codebook",
    metavar="FILE",
    help="What the columns mean (.toml or .json); without one, it is drafted beside DIR.",
)
@out_option(
    "DIR",
    "The folder of the new survey (default: beside a single SOURCE, with its name: answers for "
    "answers.sav).",
)
@click.option("--name", default="", help="The name of the study (default: the codebook's).")
@click.option(
    "--base-of",
    type=click.Choice(["valid", "everyone"]),
    help="Who counts in a cell by default: those who could be in it (valid), or everyone (default: "
    "the codebook's, which is valid).",
)
@click.option(
    "--replace",
    is_flag=True,
    help="Replace a survey that is at DIR already.",
)
def import_files(
    sources: tuple[str, ...],
    codebook: str | None,
    out: Path | None,
    name: str,
    base_of: BaseOf | None,
    replace: bool,
    weight: tuple[str, ...],
    no_weight: bool,
    wave: str | None,
    person: str | None,
    labels: str | None,
    sheet: str | None,
    missing: dict[str, list[str]] | None,
    encoding: str | None,
    key: str | None,
    text: tuple[str, ...],
    no_text: bool,
    quiet: bool,
) -> None:
    """Read survey files into a survey, and report what was read and dropped.

    SOURCE is a file of SPSS, Stata, SAS, CSV, Excel, triple-S, DDI, Parquet or Arrow, or a folder
    of such; several are waves of one study, or parts of waves.
    """
    guesses = _guesses(
        key, text, no_text, weight, no_weight, wave, person, encoding, labels, sheet, missing
    )
    target = out or _beside(sources, replace=replace)
    given: tuple[str, ...] | Sources = sources
    if codebook is None:
        given = Sources.open(sources, encoding=encoding, labels=labels, sheet=sheet)
        draft = _draft_beside(given, guesses, target, base_of, replace=replace, quiet=quiet)
        book, guessed = draft.codebook, draft.guesses
    elif guesses.weight is not UNSET or any((wave, person, key, labels, sheet, missing, text)):
        raise SurveyError(
            "--weight, --no-weight, --wave, --person, --key, --labels, --sheet, --missing and "
            "--text are not valid with --codebook, which declares them: write them there, or leave "
            "--codebook out."
        )
    else:
        book, guessed = _counting(importing.load_codebook(codebook), base_of), ()
        book = msgspec.structs.replace(book, texts=()) if no_text else book
    survey = importing.import_survey(
        given,
        book,
        target,
        name=name,
        replace=replace,
        progress=None if quiet else Bar(),
        encoding=encoding,
        guesses=guessed,
    )
    if not quiet:
        echo_lines(imported_lines(survey))
        folder = shlex.quote(str(target))
        echo(f"wrote     {survey.path}: audiencelab lab --survey {folder}")


def _beside(sources: tuple[str, ...], *, replace: bool) -> Path:
    """The folder beside a single file, named after it; raises where a survey is there already."""
    file = Path(sources[0])
    if len(sources) > 1 or not file.expanduser().is_file():
        raise click.UsageError("Missing option --out DIR: only a single file names its own folder.")
    # A name such as ".sav" has nothing before its dot.
    target = file.with_name(file.name.partition(".")[0] or "survey")
    if (target.expanduser() / MANIFEST).is_file() and not replace:
        folder = shlex.quote(str(target))
        raise SurveyExistsError(
            f"{target} is a survey already. Open it with audiencelab lab --survey {folder}, import "
            "again with --replace, or name another folder with -o DIR."
        )
    return target


def _counting(book: Codebook, base_of: BaseOf | None) -> Codebook:
    """The codebook of a survey that counts those by default."""
    if base_of is None:
        return book
    study = msgspec.structs.replace(book.study, base_of=base_of)
    return msgspec.structs.replace(book, study=study)


def _draft_beside(
    sources: Sources,
    guesses: Guesses,
    out: Path,
    base_of: BaseOf | None,
    *,
    replace: bool,
    quiet: bool,
) -> Draft:
    """Draft a codebook, and write it beside the survey that is to be made."""
    target = out.expanduser()
    # Before anything is written: a draft beside a survey that cannot be made is of no use.
    check_target(target, replace=replace)
    path = target.with_name(f"{target.name}.toml")
    if path.exists() and not replace:
        raise _edited(path)
    draft = importing.draft_codebook(
        sources,
        weight=guesses.weight,
        wave=guesses.wave,
        person=guesses.person,
        key=guesses.key,
        missing=guesses.missing,
        text=guesses.text,
        progress=None if quiet else Bar(),
    )
    if draft.objection:
        raise SurveyError(draft.objection)
    draft = replace_fields(draft, codebook=_counting(draft.codebook, base_of))
    text = draft.to_toml()
    try:
        put_new(path, text.encode())
    except FileExistsError:
        if not (replace and _has_text(path, text)):
            raise _edited(path) from None
    if not quiet:
        echo(f"wrote     {path}: edit it, and import again with --codebook {path} --replace")
    return draft


def _has_text(path: Path, text: str) -> bool:
    """Whether a file is the draft as it would be written again."""
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


def _edited(path: Path) -> SurveyError:
    return SurveyError(
        f"{path} may be the codebook that you edited: add --codebook {path}, or move it away "
        "to have it drafted again."
    )


@click.command(epilog=examples("codebook answers.csv --weight weight -o survey.toml"))
@_drafting
@out_option("FILE", "The codebook to write, a new .toml.", required=True)
@click.option("--delimiter", metavar="SIGN", help="Delimiter of CSV files (default: detected).")
@click.option("--catalogue", default="", metavar="FILE", help="Catalogue of formats of a SAS file.")
@click.option("--no-bands", is_flag=True, help="Every number is a datapoint of its own.")
def codebook(
    sources: tuple[str, ...],
    out: Path,
    delimiter: str | None,
    catalogue: str,
    no_bands: bool,
    weight: tuple[str, ...],
    no_weight: bool,
    wave: str | None,
    person: str | None,
    labels: str | None,
    sheet: str | None,
    missing: dict[str, list[str]] | None,
    encoding: str | None,
    key: str | None,
    text: tuple[str, ...],
    no_text: bool,
    quiet: bool,
) -> None:
    """Draft a codebook from survey files, to be edited.

    SOURCE is a file of SPSS, Stata, SAS, CSV, Excel, triple-S, DDI, Parquet or Arrow, or a folder
    of such; several are waves of one study, or parts of waves.
    """
    guesses = _guesses(
        key, text, no_text, weight, no_weight, wave, person, encoding, labels, sheet, missing
    )
    found = dialect_of([file.path for file in find_files(sources)], encoding)
    options = msgspec.structs.replace(
        found.options, delimiter=delimiter or found.options.delimiter, catalogue=catalogue
    )
    draft = importing.draft_codebook(
        Sources.open(sources, found._replace(options=options), encoding, labels, sheet),
        weight=guesses.weight,
        wave=guesses.wave,
        person=guesses.person,
        key=guesses.key,
        missing=guesses.missing,
        text=guesses.text,
        banded=not no_bands,
        progress=None if quiet else Bar(),
    )
    path = draft.save(out)
    if not quiet:
        echo_card(draft.card(), str(path))
        files = " ".join(map(shlex.quote, sources))
        echo(f"wrote     {path}: audiencelab import {files} --codebook {path} --out DIR")


class Bar(Progress):
    """Progress as a bar on standard error; silent where that is not a terminal."""

    def __init__(self) -> None:
        self._bar: tqdm[Any] | None = None

    def start(self, description: str, total: int) -> None:
        self._bar = tqdm(
            desc=without_controls(description),
            total=total,
            unit="B",
            unit_scale=True,
            file=sys.stderr,
            disable=None,
            leave=False,
        )

    def at(self, done: int) -> None:
        if self._bar is not None:
            self._bar.update(done - self._bar.n)

    def done(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
