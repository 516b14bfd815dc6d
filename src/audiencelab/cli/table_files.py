"""What commands that count check before they open anything: files to write, words for files."""

from __future__ import annotations

from pathlib import Path

import click

from audiencelab.cli.suggestions import SuggestedCommand


def check_file(out: Path, endings: tuple[str, ...], *, replace: bool) -> None:
    """Raise a usage error for an ending that is not written, and for a file that exists."""
    if out.suffix.casefold() not in endings:
        tests = "" if ".csv" in endings or ".md" not in endings else ", which hold tests"
        listed = f"{', '.join(endings[:-1])} or {endings[-1]}"
        ending = ".xlsx" if tests or out.suffix.casefold() != ".parquet" else ".csv"
        raise SuggestedCommand(
            f"{out} must end in {listed}{tests}.", {str(out): [str(out.with_suffix(ending))]}
        )
    if out.exists() and not replace:
        raise click.UsageError(f"{out} exists: add --replace, or choose another name.")


def check_sources(sources: tuple[str, ...], *given: tuple[str, list[str]]) -> None:
    """Raise a usage error for questions behind a file, with the command that was meant.

    given: options of questions, in the order in which words are meant for them, with their values.
    """
    files = [each for each in sources if "://" in each or Path(each).expanduser().exists()]
    others = [each for each in sources if each not in files]
    patterns = any(sign in each for each in others for sign in "*?[/\\.")
    free = [option for option, value in given if not value]
    if not others or patterns or not free or (not files and len(others) > 2):
        return
    pairs = zip(free, _split(others, len(free)), strict=False)
    words = [word for option, value in pairs for word in (option, ",".join(value))]
    raise SuggestedCommand(
        f"There is no file {others[0]!r}. Questions are named by options.",
        dict.fromkeys(others, ()),
        words,
    )


def _split(words: list[str], count: int) -> list[list[str]]:
    """The first for the first option, the others for the second."""
    return [words[:1], words[1:]][:count] if len(words) > 1 else [words]
