"""Find wording that our readers stumble over: `python -m tests.prose` prints the worst files.

Checked are strings, docstrings and comments of the package, strings and comments of the front end,
Markdown pages, Markdown cells of notebooks, and exercises of the course. A line that needs such a
word says "prose: allow".

    python -m tests.prose              counts by word, and the files with most hits
    python -m tests.prose FILE…        every hit in these files
    python -m tests.prose --write      lower the counts that tests/test_prose.py allows
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
ALLOWED = ROOT / "tests" / "data" / "prose.json"
"""How many hits each area may still have, by word; counts only go down, the aim is none."""

BUILT = ("docs/_build/", "labextension/", "widgets/static/", "node_modules/", "/_generated")
AREAS = {
    "src": ("src/audiencelab/**/*.py",),
    "js": ("js/*.mjs", "js/src/**/*.ts", "js/src/**/*.tsx", "js/src/**/*.css"),
    "docs": ("*.md", "docs/**/*.md", "notebooks/**/*.md", "tests/**/*.md"),
    "notebooks": ("notebooks/**/*.ipynb", "src/audiencelab/course/*.toml"),
}

_BE = r"\b(?:is|are|was|were|be|been|being)"

WORDS: dict[str, tuple[str, str]] = {
    "is no": (rf"(?<!there )(?<!there's ){_BE} no (?!longer|more|less|one)[a-z]", "is not a"),
    "is none": (rf"(?<!there ){_BE} none\b", "does not exist, is not one"),
    "stand": (r"\b(?:stands?|stood|standing)\b", "is, appears, is documented in"),
    "is told": (rf"{_BE} told\b", "gets, is shown, is given"),
    "tell": (r"\btells? (?:of|which|what|whether|how|where|who|that)\b", "shows, reports"),
    "is said": (rf"{_BE} said\b", "is given, is documented"),
    "whoever": (r"\bwho(?:m|so)?ever\b", "callers, users, those who"),
    "nobody": (r"\b(?:nobody|somebody)\b", "no respondent, another user, someone by role"),
    "surely": (r"\bsurely\b|\bsurest\b", "significantly, most significant"),
    "anew": (r"\banew\b", "again"),
    "unless told": (r"\bunless told\b", "by default"),
    "in words": (r"\bin words\b", "as text"),
    "12 %": (r"\d %(?![\w(])", "12% without a space"),
    "besides": (r"\bbesides\b", "also, in addition to"),
    "nought": (r"\bnought\b", "zero"),
    "wholly": (r"\bwholly\b", "entirely"),
    "hand on": (r"\bhand(?:s|ed|ing)? on\b", "pass, export"),
    "take away": (r"\b(?:takes?|took|taken|taking) away\b", "remove, export"),
    "octets": (r"\boctets?\b", "bytes"),
    "whole number": (r"\bwhole numbers?\b", "int, integer"),
    "content network": (r"\bcontent networks?\b", "CDN"),
    "store of objects": (r"\bstores? of objects\b", "object storage"),
    "door": (r"\bdoors?\b", "transport"),
    "room": (r"\brooms?\b", "module, package"),
    "deployment": (r"\bdeployments?\b", "remote service, server"),
    "heads": (r"\bheads\b|\bunder (?:its|their|each|a|the) head\b", "groups of the banner"),
    "place": (
        r"(?<!in )(?<!take )(?<!takes )(?<!taking )(?<!decimal )(?<!first )\bplaces?\b",
        "position, path, JSON pointer",
    ),
    "picture": (r"\bpictures?\b", "chart, image"),
    "recipe": (r"\brecipes?\b", "method, definition"),
}
"""What is counted: a name, a pattern, and what to write instead."""

_PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, (pattern, _) in WORDS.items()}
_IN_LESSONS = {"nobody", "stand", "surely", "room", "door", "picture", "place", "recipe"}
"""Words that notebooks and exercises may use: they tell stories."""


class Hit(NamedTuple):
    """A word in a file."""

    file: str
    line: int
    word: str
    text: str


class Fragment(NamedTuple):
    """Text that people read, and the number of the first line it is on."""

    line: int
    text: str


def python_prose(source: str) -> Iterator[Fragment]:
    """Comments, docstrings, and strings of more than one word."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield Fragment(token.start[0], token.string)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield Fragment(node.lineno, node.value)


_SCRIPT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`""", re.DOTALL
)


def script_prose(source: str) -> Iterator[Fragment]:
    """Comments and strings of TypeScript and CSS; close enough for counting words."""
    for found in _SCRIPT.finditer(source):
        if " " in found[0]:
            text = re.sub(r"\$\{[^{}\n]*\}", "", found[0])
            yield Fragment(source.count("\n", 0, found.start()) + 1, text)


def markdown_prose(source: str) -> Iterator[Fragment]:
    """Lines outside of blocks of code; code between backticks is left out."""
    in_code = False
    for number, line in enumerate(source.splitlines(), 1):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        elif not in_code:
            yield Fragment(number, re.sub(r"`[^`]*`|\]\([^)]*\)", "", line))


def notebook_prose(source: str) -> Iterator[Fragment]:
    """The Markdown cells of a notebook; lines are counted through them."""
    for cell in json.loads(source)["cells"]:
        if cell["cell_type"] == "markdown":
            yield from markdown_prose("".join(cell["source"]))


def toml_prose(source: str) -> Iterator[Fragment]:
    """Lines without their keys."""
    for number, line in enumerate(source.splitlines(), 1):
        yield Fragment(number, re.sub(r"^\w+ = ", "", line))


_READERS = {
    ".py": python_prose,
    ".css": script_prose,
    ".mjs": script_prose,
    ".ts": script_prose,
    ".tsx": script_prose,
    ".md": markdown_prose,
    ".ipynb": notebook_prose,
    ".toml": toml_prose,
}


def hits(file: Path) -> Iterator[Hit]:
    """Every word of `WORDS` in a file."""
    source = file.read_text(encoding="utf-8")
    lines = source.splitlines()
    allowed = _IN_LESSONS if file.suffix in (".ipynb", ".toml") else set[str]()
    patterns = {name: each for name, each in _PATTERNS.items() if name not in allowed}
    for fragment in _READERS[file.suffix](source):
        for name, pattern in patterns.items():
            for found in pattern.finditer(fragment.text):
                line = fragment.line + fragment.text.count("\n", 0, found.start())
                if "prose: allow" not in lines[min(line, len(lines)) - 1]:
                    start = max(0, found.start() - 40)
                    around = " ".join(fragment.text[start : found.end() + 40].split())
                    yield Hit(str(file), line, name, around)


def files(area: str) -> list[Path]:
    """The files of an area that people write."""
    found = {path for pattern in AREAS[area] for path in ROOT.glob(pattern)}
    return sorted(path for path in found if not any(part in str(path) for part in BUILT))


def counts() -> dict[str, dict[str, int]]:
    """Hits by area and word; words without a hit are left out."""
    return {
        area: dict(sorted(Counter(hit.word for file in files(area) for hit in hits(file)).items()))
        for area in AREAS
    }


def worst(most: int = 25) -> Iterator[str]:
    """The files with most hits, a line each."""
    by_file = {
        file.relative_to(ROOT): Counter(hit.word for hit in hits(file))
        for area in AREAS
        for file in files(area)
    }
    for file, words in sorted(by_file.items(), key=lambda item: -item[1].total())[:most]:
        common = ", ".join(f"{word} {count}" for word, count in words.most_common(5))
        yield f"{words.total():5}  {file}  ({common})"


def main(arguments: list[str]) -> None:
    """Print hits, or write the counts that are allowed from now on."""
    if arguments == ["--write"]:
        ALLOWED.write_text(json.dumps(counts(), indent=1) + "\n", encoding="utf-8")
    elif arguments:
        for hit in (hit for name in arguments for hit in hits(Path(name))):
            print(f"{hit.file}:{hit.line}: {hit.word} → {WORDS[hit.word][1]}: … {hit.text} …")
    else:
        for area, words in counts().items():
            print(f"{area}: {sum(words.values())}  {words}")
        print(*worst(), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
