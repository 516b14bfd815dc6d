"""The subcommands `audiencelab import` and `audiencelab codebook`."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace as replace_fields
from pathlib import Path
from typing import Any

import click
import msgspec
from tqdm import tqdm

from audiencelab import ingest as importing
from audiencelab.cli.help import OUTPUT, READING, WHOM, command, option
from audiencelab.cli.imported import echo_card, imported_lines
from audiencelab.cli.opening import check_files
from audiencelab.cli.output import (
    echo,
    echo_lines,
    examples,
    one_of,
    options_of,
    out_option,
    quiet_option,
)
from audiencelab.cli.reading import OPTIONS, arguments_of, by_question, reading_options
from audiencelab.files import put_new
from audiencelab.ingest import Codebook, Draft, Progress
from audiencelab.ingest.readers.csv_dialect import dialect_of
from audiencelab.ingest.sources import Sources, find_files
from audiencelab.ingest.study import check_study, with_study
from audiencelab.schema.scope import BaseOf
from audiencelab.schema.survey_scope import STUDY_FIELDS
from audiencelab.survey.errors import SurveyError, SurveyExistsError
from audiencelab.survey.layout import MANIFEST, check_target
from audiencelab.wording import without_controls

_PRIVATE = (
    option(
        "--key",
        metavar="COLUMN",
        heading=READING,
        help="The column that names each respondent of a wave, or row (default: one that is named "
        "like that, otherwise the row of the file).",
    ),
    option(
        "--text",
        metavar="COLUMN",
        multiple=True,
        heading=READING,
        help="Open answers to keep, apart from all tables (default: columns of free text, but not "
        "names, addresses and other contact data).",
    ),
    option("--no-text", is_flag=True, heading=READING, help="Keep no open answers."),
    option(
        "--study",
        metavar="FIELD=TEXT",
        multiple=True,
        callback=by_question("'doi=10.5281/zenodo.1'", lambda text: text or None),
        heading=READING,
        help=f"What those who cite the study need: {', '.join(STUDY_FIELDS)} (default: what the "
        "file says).",
    ),
)
_DRAFTED = tuple(name for name in OPTIONS if name not in ("codebook", "decide", "pin"))
"""The options of a draft, which a codebook declares itself."""


def _drafting(body: Any) -> Any:
    """The arguments and options that `import` and `codebook` share."""
    sources = click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
    body = reading_options(*_DRAFTED)(options_of(*_PRIVATE)(quiet_option(body)))
    return sources(body)


def _given(
    options: dict[str, Any],
) -> tuple[Any, str | None, dict[str, Any], dict[str, Any]]:
    """The study, the encoding, how files are read, and the arguments of a draft that were given."""
    study = options.pop("study")
    check_study(study)
    text, no_text = options.pop("text"), options.pop("no_text")
    one_of({"--text": text, "--no-text": no_text})
    guesses: dict[str, Any] = arguments_of(options) | (
        {"text": text or False} if text or no_text else {}
    )
    encoding = guesses.pop("encoding", None)
    files = {name: guesses.pop(name) for name in ("labels", "sheet") if name in guesses}
    return study, encoding, files, guesses


@command(
    "import",
    epilog=examples(
        "import answers.sav",
        "import answers.sav -o my-survey",
        "import 2024.csv 2025.csv --codebook survey.toml -o my-survey --replace",
    ),
)
@_drafting
@option(
    "--codebook",
    metavar="FILE",
    heading=READING,
    help="What the columns mean (.toml or .json); without one, it is drafted beside DIR.",
)
@out_option(
    "DIR",
    "The folder of the new survey (default: beside a single SOURCE, with its name: answers for "
    "answers.sav).",
)
@option(
    "--name", default="", heading=OUTPUT, help="The name of the study (default: the codebook's)."
)
@option(
    "--base-of",
    type=click.Choice(["valid", "everyone"]),
    heading=WHOM,
    help="Who counts in a cell by default: those who could be in it (valid), or everyone (default: "
    "the codebook's, which is valid).",
)
@option(
    "--replace",
    is_flag=True,
    heading=OUTPUT,
    help="Replace a survey that is at DIR already.",
)
def import_files(
    sources: tuple[str, ...],
    codebook: str | None,
    out: Path | None,
    name: str,
    base_of: BaseOf | None,
    replace: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Read survey files into a survey, and report what was read and dropped.

    SOURCE is a file of SPSS, Stata, SAS, CSV, Excel, triple-S, DDI, Parquet or Arrow, or a folder
    of such; several are waves of one study, or parts of waves.
    """
    study, encoding, files, guesses = _given(options)
    target = out or _beside(sources, replace=replace)
    given: tuple[str, ...] | Sources = sources
    if codebook is None:
        given = Sources.open(sources, encoding=encoding, **files)
        draft = _draft_beside(given, guesses, target, base_of, study, replace=replace, quiet=quiet)
        book, guessed = draft.codebook, draft.guesses
    elif declared := [*files, *(name for name in guesses if guesses.get("text") or name != "text")]:
        written = "--no-weight" if guesses.get(declared[0], "") is None else f"--{declared[0]}"
        raise SurveyError(
            f"{written.replace('_', '-')} is not valid with --codebook, which declares it: write "
            "it there, or leave --codebook out."
        )
    else:
        book, guessed = _counting(importing.load_codebook(codebook), base_of), ()
        book = with_study(book, study)
        book = msgspec.structs.replace(book, texts=()) if "text" in guesses else book
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
    if len(sources) == 1:
        check_files(sources)
    if len(sources) > 1 or file.expanduser().is_dir():
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
    guesses: dict[str, Any],
    out: Path,
    base_of: BaseOf | None,
    study: dict[str, str] | None,
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
    draft = importing.draft_codebook(sources, **guesses, progress=None if quiet else Bar())
    if draft.objection:
        raise SurveyError(draft.objection)
    book = with_study(_counting(draft.codebook, base_of), study)
    draft = replace_fields(draft, codebook=book)
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


@command(
    epilog=examples(
        "codebook answers.csv",
        "codebook answers.csv --weight weight -o survey.toml",
    )
)
@_drafting
@out_option("FILE", "The codebook to write, a new .toml (default: print it).")
@option(
    "--delimiter",
    metavar="SIGN",
    heading=READING,
    help="Delimiter of CSV files (default: detected).",
)
@option(
    "--catalogue",
    default="",
    metavar="FILE",
    heading=READING,
    help="Catalogue of formats of a SAS file.",
)
@option("--no-bands", is_flag=True, heading=READING, help="Every number is a datapoint of its own.")
def codebook(
    sources: tuple[str, ...],
    out: Path | None,
    delimiter: str | None,
    catalogue: str,
    no_bands: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Draft a codebook from survey files, to be edited.

    SOURCE is a file of SPSS, Stata, SAS, CSV, Excel, triple-S, DDI, Parquet or Arrow, or a folder
    of such; several are waves of one study, or parts of waves.
    """
    study, encoding, files, guesses = _given(options)
    found = dialect_of([file.path for file in find_files(sources)], encoding)
    read = msgspec.structs.replace(
        found.options, delimiter=delimiter or found.options.delimiter, catalogue=catalogue
    )
    draft = importing.draft_codebook(
        Sources.open(sources, found._replace(options=read), encoding, **files),
        banded=not no_bands,
        progress=None if quiet else Bar(),
        **guesses,
    )
    draft = replace_fields(draft, codebook=with_study(draft.codebook, study))
    if out is None:
        echo(draft.to_toml().rstrip("\n"))
        return
    path = draft.save(out)
    if not quiet:
        echo_card(draft.card(), str(path))
        names = " ".join(map(shlex.quote, sources))
        echo(f"wrote     {path}: audiencelab import {names} --codebook {path} --out DIR")


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
