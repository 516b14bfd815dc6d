"""Only `ingest.meaning` knows words of answers: no other module guesses what an answer means."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import audiencelab

SOURCE = Path(audiencelab.__file__).parent
MEANING = SOURCE / "ingest" / "meaning"
OUTSIDE = sorted(path for path in SOURCE.rglob("*.py") if MEANING not in path.parents)

ANSWERS = re.compile(
    r"disagree|satisf|unlikely|somewhat|neither|neutral|don.{0,3}t.{0,3}know|no.{0,3}answer|refus|"
    r"not.{0,3}sure|unsure|no.{0,3}opinion|undecided|never|always|often|worse|better|approve|"
    r"favou?r|very\b|hardly|prefer.{0,3}not|weiß|keine.{0,3}angabe|zufrieden|d'accord|acuerdo",
    re.IGNORECASE,
)
"""Words that a pattern has only to find out what an answer means."""


def patterns(path: Path) -> Iterator[str]:
    """The texts that a module gives to functions of `re`."""
    text = path.read_text(encoding="utf-8")
    if not (re.search(r"^import re$", text, re.MULTILINE) and ANSWERS.search(text)):
        return
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
        ):
            for each in ast.walk(node):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each.value


def test_no_other_module_opens_the_words() -> None:
    files = {path.name for path in MEANING.glob("*.toml")}
    assert {"words.toml", "scale_words.toml"} <= files
    readers = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for name in files
        if f'"{name}"' in path.read_text(encoding="utf-8")
    }
    assert {Path(reader).parent.as_posix() for reader in readers} == {"ingest/meaning"}


def test_no_other_module_looks_for_words_of_answers() -> None:
    found = [
        (path.relative_to(SOURCE).as_posix(), text)
        for path in OUTSIDE
        for text in patterns(path)
        if ANSWERS.search(text)
    ]
    assert found == []
