"""Tables as files and as text of other programs, and what is checked before anything is opened."""

from __future__ import annotations

import fnmatch
import re
import shlex
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

import click

from audiencelab.cli.help import OUTPUT, TABULATED, option
from audiencelab.cli.output import echo, out_option, quiet_option, replace_option
from audiencelab.cli.suggestions import SuggestedCommand
from audiencelab.cli.table_options import names
from audiencelab.client import Client
from audiencelab.expressions.codes import WAVES
from audiencelab.files import put
from audiencelab.ingest.readers import is_survey_file

_FORMS = {".html": "to_html", ".md": "to_markdown", ".tex": "to_latex"}
_BINARY = {".xlsx": "to_excel", ".pptx": "to_pptx"}
_OF_FORMAT = {"csv": ".csv", "json": ".json", "markdown": ".md", "html": ".html", "latex": ".tex"}
_FORMATS = ("text", *_OF_FORMAT)

TESTED_ENDINGS = (*_BINARY, *_FORMS)
ENDINGS = (*_BINARY, ".csv", ".json", ".parquet", *_FORMS)
"""The endings of files, and of those that hold tests; the others have every metric of a cell."""

slide_options = (
    option(
        "--chart",
        metavar="KIND",
        heading=OUTPUT,
        help="The chart of slides: auto, bar, column, line, stack …; none for the table alone.",
    ),
    option(
        "--template",
        metavar="FILE",
        heading=OUTPUT,
        help="A presentation whose layouts, fonts and colours slides take.",
    ),
)


def slides_of(options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of slides, taken out of a command's options."""
    given = {name: options.pop(name) for name in ("chart", "template")}
    found = {name: each for name, each in given.items() if each is not None}
    if str(found.get("chart", "")).casefold() == "none":
        found["chart"] = None
    return found


def check_slides(outs: Iterable[Path], chart: str | None, template: str | None) -> None:
    """Raise a usage error for options of slides without a file of slides."""
    if (chart or template) and not any(each.suffix.casefold() == ".pptx" for each in outs):
        option = "--chart" if chart else "--template"
        raise click.UsageError(f"{option} is about slides: write them with -o deck.pptx.")


written_options = (
    out_option("FILE", f"A file ({', '.join(ENDINGS)}; default: print the table)."),
    option(
        "--format",
        "form",
        type=click.Choice(_FORMATS),
        default="text",
        metavar="FORMAT",
        heading=OUTPUT,
        help=f"What is printed: {', '.join(_FORMATS)}. As csv and json it has every metric.",
    ),
    replace_option,
    quiet_option,
)


def write_table(
    table: Any, out: Path | None, form: str, shown: dict[str, Any], *, quiet: bool
) -> bool:
    """Write a table to a file, or print it in a format; False for the text of a terminal."""
    if out is not None:
        put(out, _contents(table, shown, out.suffix.casefold()))
        if not quiet:
            echo(f"wrote     {out}")
    elif form != "text":
        echo(_contents(table, shown, _OF_FORMAT[form]).decode().rstrip("\n"))
    return out is not None or form != "text"


def _contents(table: Any, shown: dict[str, Any], ending: str) -> bytes:
    """The contents of a file; as .csv and .json every metric of each cell."""
    if ending in _BINARY:
        file = BytesIO()
        getattr(table, _BINARY[ending])(file, **shown)
        return file.getvalue()
    if ending in _FORMS:
        page = {"page": True} if ending == ".html" else {}
        return getattr(table, _FORMS[ending])(**shown, **page).encode()
    if ending == ".parquet":
        from pyarrow import parquet

        file = BytesIO()
        parquet.write_table(table.to_arrow(), file)
        return file.getvalue()
    if ending == ".json":
        return table.to_frame().to_json(orient="records", force_ascii=False, indent=1).encode()
    return (table.to_csv() or "").encode()


def check_file(out: Path, endings: tuple[str, ...], *, replace: bool) -> None:
    """Raise a usage error for an ending that is not written, and for a file that exists."""
    if out.suffix.casefold() not in endings:
        tests = "" if ".csv" in endings or ".md" not in endings else ", which hold tests"
        listed = f"{', '.join(endings[:-1])} or {endings[-1]}"
        raise SuggestedCommand(
            f"{out} must end in {listed}{tests}.", {str(out): [str(out.with_suffix(".xlsx"))]}
        )
    if out.exists() and not replace:
        raise click.UsageError(f"{out} exists: add --replace, or choose another name.")


def check_sources(sources: tuple[str, ...], *given: tuple[str, list[str]]) -> None:
    """Raise a usage error for questions behind a file, with the command that was meant.

    given: options of questions, in the order in which words are meant for them, with their values.
    """
    files = [each for each in sources if "://" in each or Path(each).expanduser().exists()]
    typed = [each for each in sources if each not in files]
    # SPSS writes q5 BY gender, or q5 * gender.
    parts = [part for each in typed for part in each.split("*") if part]
    others = [each for each in parts if each.casefold() not in ("by", "x")]
    patterns = any(sign in each for each in others for sign in "*?[/\\.")
    free = [option for option, value in given if not value]
    if not others or patterns or not free or (not files and len(others) > 2):
        return
    pairs = zip(free, _split(others, len(free)), strict=False)
    words = [word for option, value in pairs for word in (option, ",".join(value))]
    raise SuggestedCommand(
        f"There is no file {others[0]!r}. Questions are named by options.",
        dict.fromkeys(typed, ()),
        words,
    )


def _split(words: list[str], count: int) -> list[list[str]]:
    """The first for the first option, the others for the second."""
    return [words[:1], words[1:]][:count] if len(words) > 1 else [words]


questions_option = names(
    "--questions",
    "QUESTION,…",
    "Questions, where they are not named behind SOURCE.",
    heading=TABULATED,
)


def source_of(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The source among words, if the first one is a file, a folder or an address, and the rest."""
    for at, word in enumerate(words):
        path = Path(word).expanduser()
        if "://" in word or path.exists() or is_survey_file(path):
            return (word,), (*words[:at], *words[at + 1 :])
    return (), words


def groups_of(words: tuple[str, ...], by: list[str]) -> tuple[tuple[str, ...], list[str]]:
    """The words before "by", and the groups: those behind it and those of the option."""
    folded = [word.casefold() for word in words]
    at = folded.index("by") if "by" in folded else len(words)
    return words[:at], [*by, *words[at + 1 :]]


def parted(words: tuple[str, ...], questions: list[str]) -> tuple[tuple[str, ...], list[str]]:
    """The source and the questions of what was typed; raises a usage error without questions."""
    sources, named = source_of(words)
    asked = [*named, *questions]
    if not asked:
        context = click.get_current_context()
        file = shlex.quote(sources[0]) if sources else "answers.sav"
        raise click.UsageError(f"Name the questions: {context.command_path} {file} q5.")
    return sources, asked


def names_of(client: Client, words: list[str]) -> list[str]:
    """Questions that were named one by one, several between commas, or by a pattern."""
    found: list[str] = []
    for word in words:
        parts = [part.strip() for part in word.split(",") if part.strip()]
        if word in client.catalogue or re.search(r"[<>=!|]", word) is not None:
            found.append(word)
        else:
            found += [code for part in parts for code in _expanded(client, part)]
    return found


def _expanded(client: Client, name: str) -> list[str]:
    """A question; those of a pattern, "q*", or from one to another, "q1 to q5"; "wave" as waves."""
    codes = [each.code for each in client.catalogue]
    if name in client.catalogue:
        return [name]
    if name.casefold() == "wave":
        return [WAVES]
    crossed = re.split(r"\s*[*×]\s*|\s+(?:x|by)\s+", name)
    if len(crossed) > 1 and all(each in client.catalogue for each in crossed):
        return [" > ".join(crossed)]
    if "*" in name or "?" in name:
        return fnmatch.filter(codes, name) or [name]
    if all(each in codes for each in name.split()):
        return name.split()
    ends = re.fullmatch(r"(\w+)\s*(?:-|:|\bto\b|\.\.)\s*(\w+)", name, re.IGNORECASE)
    if ends and all(each in codes for each in ends.groups()):
        first, last = map(codes.index, ends.groups())
        return codes[first : last + 1] or [name]
    return [name]
