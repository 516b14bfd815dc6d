"""Questions whose answers name people, or where they live."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from audiencelab.client.catalogue.search_words import folded
from audiencelab.notebook.check_findings import CheckFinding, some

_MOST_WORDS = 6
"""Of a name that asks for that; longer ones may only speak of it."""

_PERSON = re.compile(
    r"[^\W\d_a-z][\w'’-]+(?: (?:d[aeo]s?|v[ao]n|de la|di|del|y|e))?(?: [^\W\d_a-z][\w'’.-]*){1,3}"
)

WORDS = "Answers may name people or where they live: "
MEND = "leave the question out of the notebook, and run it again"


def names_people(name: str) -> bool:
    """Whether a question of this name, or a table of this title, may have names as answers."""
    words = folded(name.replace("_", " "))
    return len(words.split()) <= _MOST_WORDS and _people().search(words) is not None


def columns_of_people(table: Sequence[Sequence[str]]) -> list[str]:
    """The columns of a frame that by their names, or by what they hold, name people."""
    header = table[0] if table else ()
    if "code" in header:  # a frame of questions or answers
        return []
    return [
        name
        for place, name in enumerate(header)
        if names_people(name)
        or (
            folded(name) in _bare_names()
            and _are_people([row[place] for row in table[1:] if len(row) == len(header)])
        )
    ]


def _are_people(values: Sequence[str]) -> bool:
    """Whether most values look like a first name with a last name."""
    like = sum(_PERSON.fullmatch(each) is not None for each in values)
    return like > 0 and 2 * like >= len(values)


@cache
def _bare_names() -> frozenset[str]:
    """The folded words of `people_words.toml` for a name, of a person or of anything else."""
    return frozenset(folded(each) for each in _words()["any"]["name"].split(", "))


def _words() -> dict[str, dict[str, str]]:
    text = files("audiencelab.notebook").joinpath("people_words.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def _people() -> re.Pattern[str]:
    """What finds a word of `people_words.toml` in a folded name."""
    listed = _words()["people"]
    found = dict.fromkeys(folded(each) for line in listed.values() for each in line.split(", "))
    # Japanese and Chinese have no spaces between words.
    return re.compile("|".join(_pattern(each) for each in found))


def _pattern(word: str) -> str:
    if not word.isascii():
        return re.escape(word)
    return rf"^\W*{re.escape(word[1:])}\W*$" if word.startswith("=") else rf"\b{re.escape(word)}"


def people_in_titles(path: Path, cell: int, titles: Iterable[str]) -> Iterator[CheckFinding]:
    """What titles of tables say."""
    # A title names rows and columns: "Interviewer by Region".
    if found := sorted(each for each in titles if any(map(names_people, each.split(" by ")))):
        yield CheckFinding("names", "medium", path, cell, f"{WORDS}{some(found)}.", MEND)


def people_in_columns(path: Path, cell: int, columns: Sequence[str]) -> Iterator[CheckFinding]:
    """What the columns of frames hold."""
    if columns:
        words = f"{some(columns, 'column')} may name people or where they live."
        mend = "leave the column out, and run the cell again"
        yield CheckFinding("names", "medium", path, cell, words, mend)
