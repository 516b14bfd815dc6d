"""Prose uses the terms that people search for: the counts of other words only go down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.prose import ALLOWED, WORDS, counts, hits


def test_no_more_of_these_words_than_before() -> None:
    allowed = json.loads(ALLOWED.read_text(encoding="utf-8"))
    more = {
        f"{area}: {word}, write: {WORDS[word][1]}": count - allowed[area].get(word, 0)
        for area, words in counts().items()
        for word, count in words.items()
        if count > allowed[area].get(word, 0)
    }
    assert more == {}, "python -m tests.prose FILE shows where; --write lowers what is allowed"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.py", '"""A token is no secret."""', ["is no"]),
        ("a.py", "# Whoever asks\nx = 'stands here'", ["whoever", "stand"]),
        ("a.py", "x = {'stands': 1}", []),
        ("a.py", "y = 10 % 3", []),
        ("a.py", "# There is no file, and no longer one. It is no longer so.", []),
        ("a.py", "# the doors of a house  (prose: allow)", []),
        ("a.md", "It rose by 12 %.\n```\nsurely code\n```\n`surely`", ["12 %"]),
        ("a.toml", 'place = "It is told anew, nobody knows"', ["is told", "anew"]),
        ("a.ts", "const told = 1; // is told anew", ["is told", "anew"]),
        ("a.ts", "const text = `${place} of ${all} doors`;", ["door"]),
        ("a.css", "/* It stands there. */ .door {}", ["stand"]),
    ],
)
def test_finds_words_where_people_read(
    tmp_path: Path, name: str, text: str, words: list[str]
) -> None:
    file = tmp_path / name
    file.write_text(text + "\n", encoding="utf-8")
    assert [hit.word for hit in hits(file)] == words


def test_notebooks_are_read_in_their_markdown(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["Nobody knows.\n", "12 % more, anew"]},
        {"cell_type": "code", "source": ["# anew"]},
    ]
    file = tmp_path / "a.ipynb"
    file.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    assert [hit.word for hit in hits(file)] == ["anew", "12 %"]
