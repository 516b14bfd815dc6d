"""Command lines of people who have read the README alone: each works, or names one that does.

`cli-*.txt` are theirs, in their words, each with the figure that the table must show: an expression
of pandas, which shares no code with the package. `python -m tests.first_hour.test_command_lines`
prints what became of each.
"""

from __future__ import annotations

import io
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from audiencelab import cli
from tests.first_hour import tracker
from tests.first_hour.grading import CRASH, GOOD, LINE, MISLEADING, REFUSED, WORKS, Guess, figures

HERE = Path(__file__).parent
LEAST_GOOD = 0.85
LONG = 10
"""Signs of a number that is not rounded."""


def read_lines() -> Iterator[Guess]:
    for file in sorted(HERE.glob("cli-*.txt")):
        for line in file.read_text("utf-8").splitlines():
            if line and not line.startswith("#"):
                code, _, figure = line.partition("  ->  ")
                yield Guess(file.stem.removeprefix("cli-"), code.strip(), figure.strip())


@contextmanager
def setting() -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """What {path} and {folder} are, and the names of figures; nothing else is written to."""
    before = os.environ.get("AUDIENCELAB_CACHE")
    with TemporaryDirectory() as name:
        folder = Path(name)
        df = tracker.frame()
        os.environ["AUDIENCELAB_CACHE"] = str(folder / "cache")
        try:
            written = {"path": str(tracker.write(folder)), "folder": str(folder)}
            yield written, figures(df, tracker.raw_frame(df))
        finally:
            os.environ.pop("AUDIENCELAB_CACHE")
            if before is not None:
                os.environ["AUDIENCELAB_CACHE"] = before


def run(words: list[str]) -> tuple[int, str, str]:
    """The exit code of a command, what it printed, and its messages."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = cli.main(words)
    return code, out.getvalue(), err.getvalue()


def graded(guess: Guess, names: dict[str, str], expected: dict[str, Any]) -> tuple[str, str]:
    """What became of a line, and its message."""
    _, *words = (word.format(**names) for word in shlex.split(guess.code))
    code, out, message = run(words)
    if code == 3:
        return CRASH, message
    if code == 0:
        return (WORKS if has(out, guess.figure, expected) else MISLEADING), ""
    meant = message.splitlines()[-1]
    if not meant.startswith("  audiencelab "):
        return REFUSED, message
    code, out, failed = run(shlex.split(meant)[1:])
    if code:
        return (CRASH if code == 3 else REFUSED), message + failed
    return (LINE if has(out, guess.figure, expected) else MISLEADING), message


def has(shown: str, figure: str, expected: dict[str, Any]) -> bool:
    """Whether a number is shown, with as many decimals as it is shown with."""
    if not figure:
        return True
    number = float(eval(figure, dict(expected)))
    printed = (each.replace(",", "") for each in re.findall(r"-?\d[\d,]*(?:\.\d+)?", shown))
    return any(
        f"{number:.{len(each.partition('.')[2])}f}" == each
        or (len(each) > LONG and isclose(float(each), number, rel_tol=1e-9))
        for each in printed
    )


def test_command_lines_work_or_name_one_that_does() -> None:
    with setting() as (names, expected):
        found = [(guess, *graded(guess, names, expected)) for guess in read_lines()]
    bad = [
        f"{grade}: {guess.code}\n{message}" for guess, grade, message in found if grade not in GOOD
    ]
    assert len(found) == 40
    counts = Counter(grade for _, grade, _ in found)
    assert counts[MISLEADING] == counts[CRASH] == 0, "\n".join(bad)
    for persona in {guess.persona for guess, *_ in found}:
        own = [grade in GOOD for guess, grade, _ in found if guess.persona == persona]
        assert sum(own) >= LEAST_GOOD * len(own), "\n".join(bad)


if __name__ == "__main__":
    with setting() as (names, expected):
        for each in read_lines():
            grade, text = graded(each, names, expected)
            print(f"{grade:10} {each.code}", *text.splitlines(), sep="\n    " if text else "")
