"""Run `cases.sps` in PSPP and store the shares that its tables have.

    python -m tests.who_counts.pspp

A figure is "case|row|column" as in `r.json`: the count of 1 in percent of the count of 0 and 1, and
that count, which is weighted where the case is.
"""

from __future__ import annotations

import csv
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent

Figures = dict[str, list[float] | None]


def run() -> list[list[str]]:
    """The output of PSPP, a line of cells each."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output.csv"
        command = ["pspp", "-O", "format=csv", "-o", str(output), "cases.sps"]
        subprocess.run(command, cwd=HERE, check=True, stdout=subprocess.DEVNULL)
        with output.open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))


def figures(lines: list[list[str]]) -> Figures:
    """The shares of all tables of frequencies and all crosstabs."""
    found: Figures = {}
    for title, table in _tables(lines):
        row, _, by = title.partition(" × ")
        if by:
            columns = [f"{by} {value}" for value in table[1][3:-1]]
            counts = {float(line[1]): line[3:-1] for line in _body(table, row)}
        else:
            columns = ["all"]
            counts = {float(line[1]): [line[2]] for line in table[1:] if line[1].strip(". ")}
        for place, column in enumerate(columns):
            ticked = float(counts[1][place]) if 1 in counts else 0.0
            base = ticked + (float(counts[0][place]) if 0 in counts else 0.0)
            found[f"{row}|{column}"] = [100 * ticked / base, base] if base else None
    return found


def _tables(lines: list[list[str]]) -> Iterator[tuple[str, list[list[str]]]]:
    """The tables that are of a row of a case, with their titles."""
    starts = [at for at, line in enumerate(lines) if line and line[0].startswith("Table: ")]
    for at in starts:
        title = lines[at][0].removeprefix("Table: ")
        end = next((each for each in range(at, len(lines)) if not lines[each]), len(lines))
        if "|" in title:
            yield title, lines[at + 1 : end]


def _body(table: list[list[str]], row: str) -> Iterator[list[str]]:
    """The lines of a crosstab that have counts of a value."""
    return (line for line in table[2:] if line[0] in (row, "") and line[1])


if __name__ == "__main__":
    found = figures(run())
    text = ",\n".join(f"  {json.dumps(key)}: {json.dumps(found[key])}" for key in found)
    (HERE / "pspp.json").write_text(f"{{\n{text}\n}}\n", "utf-8")
