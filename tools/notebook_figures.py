"""Report how the numbers of notebooks differ from those that are committed.

    python -m tools.notebook_figures [--since REVISION] [NOTEBOOK …]

Prints two lists, for the notebooks that are named, by default all:

- every number in an output that changed since a revision (HEAD by default), old and new. `[7]` is
  the code cell that JupyterLab shows as `[7]`. Cells that are tagged as different each time are
  left out, and so are outputs with other words and the same numbers.
- numbers in Markdown cells that no output of the notebook has. "after [7]" is the text below that
  code cell. An output has a number if one of its numbers rounds to it; a percentage may be a share
  there (14% and 0.142), "57 million" a count. Not searched: code, links, headings, formulas,
  numbers of list items, years (1900 to 2099), integers up to 10 without a percent sign, numbers
  in a word such as q20, and numbers that are spelled out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple, cast

from audiencelab.notebook import Change, compare
from audiencelab.notebook.io import read_notebook
from audiencelab.notebook.output_diff import contents
from audiencelab.notebook.sameness import figures_of
from audiencelab.notebook.verify import LEFT_OUT

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ("notebooks/*.ipynb", "notebooks/course/*.ipynb")

NUMBER = re.compile(
    r"(?<![\w.,/-])(?P<figure>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e[+-]\d+)?)"
    r"(?P<unit>%|\s?(?:million|billion|M|B|k)\b)?(?![\w/]|\.\d)"
)
UNITS = {"million": 1e6, "M": 1e6, "billion": 1e9, "B": 1e9, "k": 1e3}
NOT_SEARCHED = re.compile(
    r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$\n]+\$|\]\([^)]*\)|<[^>]*>|https?://\S+"
    r"|^\#.*$|^\s*\d+\.(?=\s)",
    re.DOTALL | re.MULTILINE,
)
LONGEST = 100
"""Of a text that is printed whole."""
SMALLEST = 11
"""Integers below it count things that a reader sees, or name sections."""


class Number(NamedTuple):
    """A number as it is written. decimals: of the figure, before its unit is applied."""

    text: str
    value: float
    decimals: int
    unit: str

    @property
    def is_figure(self) -> bool:
        """Whether it is searched in the outputs."""
        if self.unit or self.decimals:
            return True
        return self.value >= SMALLEST and not (1900 <= self.value <= 2099 and "," not in self.text)


def numbers(text: str) -> Iterator[Number]:
    """The numbers in a text."""
    for found in NUMBER.finditer(text):
        figure, unit = found["figure"], (found["unit"] or "").strip()
        decimals = len(figure.partition(".")[2])
        yield Number(found[0], float(figure.replace(",", "")), decimals, unit)


def changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """A line for every number that differs between two versions of a notebook."""
    old = {cell.get("id"): cell for cell in code_cells(before)}
    for number, cell in enumerate(code_cells(now), 1):
        former = old.get(cell.get("id"))
        if former is None:
            yield f"[{number}]: a new cell"
        elif not LEFT_OUT & set(cell.metadata.get("tags", ())):
            for change in compare(former["outputs"], cell["outputs"]):
                yield from (f"[{number}]: {line}" for line in differing(change))
    gone = old.keys() - {cell.get("id") for cell in code_cells(now)}
    if gone:
        yield f"cells that are gone: {len(gone)}"


def differing(change: Change) -> Iterator[str]:
    """Lines for a change; of a long text only the numbers that are others, with its first words."""
    same = figures_of(change.before) == figures_of(change.now)
    if same or change.repeated or not re.search(r"\d", change.before + change.now):
        return
    before, now = ([each.text for each in numbers(text)] for text in (change.before, change.now))
    if before == now or max(len(change.before), len(change.now)) <= LONGEST:
        yield str(change)
        return
    start = " ".join((change.now or change.before).split()[:6])
    for kind, a, b, c, d in SequenceMatcher(None, before, now, autojunk=False).get_opcodes():
        if kind != "equal":
            one, other = ", ".join(before[a:b]), ", ".join(now[c:d])
            yield f"{start} …: {one or 'nothing'} → {other or 'nothing'}"


def unsupported(notebook: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Where the numbers are that no output has: the place of a Markdown cell, and its numbers."""
    known = {number.value for text in outputs(notebook) for number in shown(text)}
    place = "at the top"
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            place = f"after [{count}]"
            continue
        text = NOT_SEARCHED.sub(" ", cell["source"])
        found = [each.text for each in numbers(text) if each.is_figure and not has(known, each)]
        if found:
            yield place, found


def has(known: Iterable[float], number: Number) -> bool:
    """Whether a number of the outputs rounds to this one."""
    unit = UNITS.get(number.unit, 1.0)
    half = 0.5 * 10.0**-number.decimals + 1e-9
    # The unit may be in a header of the table.
    shares = (1.0, 100.0) if number.unit == "%" else (1.0, 1.0 / unit)
    return any(abs(abs(each) * share - number.value) <= half for each in known for share in shares)


def shown(text: str) -> Iterator[Number]:
    """The numbers of an output with their units applied, and as they are written."""
    for number in numbers(re.sub(r"(?<!e)[−–-](?=\d)|[\\*]", " ", text)):
        yield number
        if number.unit in UNITS:
            yield number._replace(value=number.value * UNITS[number.unit])


def outputs(notebook: Mapping[str, Any]) -> Iterator[str]:
    """The texts of all outputs."""
    for cell in code_cells(notebook):
        found = contents(cell["outputs"])
        yield from found.lines
        yield from (
            cell for table in [*found.tables, *found.saved] for row in table for cell in row
        )


def code_cells(notebook: Mapping[str, Any]) -> list[Any]:
    """The code cells, in order."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def committed(notebook: Path, revision: str) -> Any:
    """The notebook of a revision; None where it has none."""
    folder, name = notebook.resolve().parent, notebook.name
    command = ["git", "-C", str(folder), "show", f"{revision}:./{name}"]
    found = subprocess.run(command, capture_output=True, check=False)
    if found.returncode:
        if b"fatal: path " in found.stderr:
            return None
        raise SystemExit(found.stderr.decode().strip())
    import nbformat

    return cast("Any", nbformat.reads(found.stdout.decode(), as_version=4))


def main(arguments: list[str] | None = None) -> None:
    """Read the arguments of the command line and print both lists."""
    parser = argparse.ArgumentParser(prog="python -m tools.notebook_figures")
    parser.add_argument("notebooks", nargs="*", type=Path, metavar="NOTEBOOK")
    parser.add_argument("--since", default="HEAD", metavar="REVISION", help="default: HEAD")
    asked = parser.parse_args(arguments)
    paths = asked.notebooks or [path for each in NOTEBOOKS for path in sorted(ROOT.glob(each))]
    read = {path: read_notebook(path) for path in paths}
    print(f"Numbers that changed since {asked.since}:")
    for path, notebook in read.items():
        before = committed(path, asked.since)
        lines = ["a new notebook"] if before is None else list(changed(before, notebook))
        print(*(f"{path.name} {line}" for line in lines), sep="\n", end="\n" if lines else "")
    print("\nNumbers in Markdown that no output of the notebook has:")
    total = 0
    for path, notebook in read.items():
        for place, found in unsupported(notebook):
            total += len(found)
            print(f"{path.name} {place}: {', '.join(found)}")
    print(f"{total} in all")


if __name__ == "__main__":
    main()
