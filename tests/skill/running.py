"""Runs the code of a page of the skill, and writes what it prints below it.

`python -m tests.skill.running FILE …` writes the outputs again; look at the difference. Blocks of
Python share their names. A block ```text after a block of code is what that code prints. In blocks
```console lines that begin with `$ audiencelab` are run, in this process.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from audiencelab.cli import main
from audiencelab.results.record import without_run
from tests.first_hour import tracker

PAGES = Path(__file__).parents[2] / "src" / "audiencelab" / "skill"
COMMAND = "$ audiencelab "

_BLOCK = re.compile(
    r"^```(?P<language>python|console)\n(?P<code>.*?)^```\n(?P<after>\n?```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
# Dates, and paths of this machine.
_VARIES = (
    (re.compile(r"\d{4}-\d\d-\d\d"), "2026-01-31"),
    # Pages are read with a version that is published.
    (re.compile(r"(with audiencelab \d+\.\d+\.\d+)\.dev\d+"), r"\1"),
    (re.compile(r"http://127\.0\.0\.1:\d+"), "http://127.0.0.1:8000"),
)


class Block(NamedTuple):
    """A piece of code, and what the page says that it prints."""

    language: str
    code: str
    output: str | None


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a page."""
    for found in _BLOCK.finditer(text):
        yield Block(found["language"], found["code"], found["output"])


def write_files(folder: Path) -> None:
    """The files that all pages use, in a folder."""
    tracker.write(folder)
    frame = tracker.frame()
    missing = {"q3": 98, "q5": 98, "age": 999, "income": -9}
    frame.fillna(missing).to_csv(folder / "codes.csv", index=False)


def run(block: Block, names: dict[str, Any]) -> str:
    """What a block prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        if block.language == "python":
            exec(compile(block.code, "recipe", "exec"), names)
        else:
            for line in block.code.replace("\\\n", " ").splitlines():
                if line.startswith(COMMAND):
                    code = main(shlex.split(line.removeprefix("$ "))[1:])
                    assert code == 0, f"{line}\n{printed.getvalue()}"
    return plain(printed.getvalue())


def figures(text: str) -> list[str]:
    """The numbers in a text, whose words may be put better at any time."""
    return re.findall(r"\d[\d,]*(?:\.\d+)?", without_run(text))


def plain(text: str) -> str:
    """A text without what differs from day to day and from machine to machine."""
    for pattern, instead in _VARIES:
        text = pattern.sub(instead, text)
    return "".join(f"{line.rstrip()}\n" for line in text.strip("\n").splitlines())


def written_again(page: Path) -> str:
    """A page with the outputs that its code has today."""
    names: dict[str, Any] = {}

    def block(found: re.Match[str]) -> str:
        code = f"```{found['language']}\n{found['code']}```\n"
        output = run(Block(found["language"], found["code"], None), names)
        return code + (f"\n```text\n{output}```\n" if found["after"] else "")

    return _BLOCK.sub(block, page.read_text(encoding="utf-8"))


def within(folder: Path, work: Callable[[], None]) -> None:
    """Do something in a folder that has the files."""
    write_files(folder)
    with contextlib.chdir(folder):
        os.environ["COLUMNS"] = "100"
        work()


def _write(pages: list[Path]) -> None:
    for page in pages:
        page.write_text(written_again(page), encoding="utf-8")


if __name__ == "__main__":
    given = [Path(each).resolve() for each in sys.argv[1:]] or sorted(PAGES.rglob("*.md"))
    with tempfile.TemporaryDirectory() as scratch:
        within(Path(scratch), lambda: _write(given))
