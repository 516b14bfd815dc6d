"""Questions whose answers name people, or where they live."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

from audiencelab.client.catalogue.search_words import folded
from audiencelab.notebook.check_findings import CheckFinding, some

_MOST_WORDS = 6
"""Of a name that asks for that; longer ones may only speak of it."""

WORDS = "Answers may name people or where they live: "
MEND = "leave the question out of the notebook, and run it again"


def names_people(name: str) -> bool:
    """Whether a question of this name, or a table of this title, may have names as answers."""
    words = folded(name.replace("_", " "))
    return len(words.split()) <= _MOST_WORDS and _people().search(words) is not None


@cache
def _people() -> re.Pattern[str]:
    """What finds a word of `people_words.toml` in a folded name."""
    text = files("audiencelab.notebook").joinpath("people_words.toml").read_text("utf-8")
    listed = tomllib.loads(text)["people"]
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
