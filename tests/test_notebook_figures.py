"""Numbers of notebooks that changed, and numbers of their text that no output has."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from tools.notebook_figures import changed, main, unsupported

from tests.messages import fails


def notebook(*cells: str | list[Any], tags: tuple[str, ...] = ()) -> Any:
    """A notebook of Markdown cells (`str`) and code cells (their outputs)."""
    made = [
        new_markdown_cell(cell, id=f"cell-{place}")
        if isinstance(cell, str)
        else new_code_cell("1", id=f"cell-{place}", outputs=cell, metadata={"tags": list(tags)})
        for place, cell in enumerate(cells)
    ]
    return new_notebook(cells=made)


def text(printed: str) -> list[Any]:
    return [new_output("stream", text=printed)]


def table(**rows: float) -> list[Any]:
    frame = pd.DataFrame({"share": list(rows.values())}, index=list(rows))
    return [new_output("execute_result", data={"text/html": frame.to_html()})]


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (table(Men=1.5, Women=2.5), table(Men=1.5, Women=2.7), ["[1]: Women, share: 2.5 → 2.7"]),
        # A row more: those that both have are compared.
        (
            table(Men=1.5, Women=2.5),
            table(Men=1.6, Women=2.5, All=2.0),
            ["[1]: Men, share: 1.5 → 1.6", "[1]: row All: nothing → All | 2.0"],
        ),
        (
            text(f"Of 8,000 respondents 14.2% are very worried, {27:100}% rather."),
            text(f"Of 8,000 respondents 14.9% are very worried, {27:100}% rather, 3% not."),
            [
                "[1]: Of 8,000 respondents 14.9% are very …: 14.2% → 14.9%",
                "[1]: Of 8,000 respondents 14.9% are very …: nothing → 3%",
            ],
        ),
        (text("n = 5"), text("n = 5 and p = 0.01"), ["[1]: n = 5 → n = 5 and p = 0.01"]),
        (text("base 80"), text("respondents 80"), []),
        (text("rather"), text("very"), []),
    ],
)
def test_numbers_that_changed(before: list[Any], now: list[Any], expected: list[str]) -> None:
    assert list(changed(notebook(before), notebook(now))) == expected


def test_cells_are_compared_with_themselves() -> None:
    before = notebook(text("1"), "words", text("2"))
    now = notebook(text("1"), "words", text("2"), text("3"))
    assert list(changed(before, now)) == ["[3]: a new cell"]
    assert list(changed(now, before)) == ["cells that are gone: 1"]
    each_time = ("nbval-ignore-output",)
    assert not list(
        changed(notebook(text("1"), tags=each_time), notebook(text("2"), tags=each_time))
    )


@pytest.mark.parametrize(
    ("prose", "output", "expected"),
    [
        ("The share is 14%, or 14.2%.", "14.23", []),
        ("The share is 14.3%.", "14.23", ["14.3%"]),
        ("36% of them", "0.362 of them", []),
        ("57 million, 1.2 million", "57,123,456 people; 1.2M", []),
        ("57 million in a table of millions", "millions: 57", []),
        ("1,565 of 24,000 respondents", "1565", ["24,000"]),
        ("p = 0.000003", "p 3.2e-06", []),
        ("7% are", "1.959038e+07", ["7%"]),
        ("Those from 35 to 44", "35 to 44: 3", []),
        ("In 2025 two of 10 waves, see section 4", "", []),
        ("2,025 people in 2025", "", ["2,025"]),
        ("# 99 bottles\n\n12. `al.Q('q20', 77)` and [here](page-88.html)", "", []),
        ("<b width=55> q20 $x_{31}$", "", []),
        ("```\n98\n```\n\nThe index is 113.", "", ["113"]),
        ("Lower by 4.5 points", "-4.5", []),
    ],
)
def test_numbers_of_the_text(prose: str, output: str, expected: list[str]) -> None:
    found = list(unsupported(notebook("", text(output), prose)))
    assert found == ([("after [1]", expected)] if expected else [])


def test_the_command_compares_with_what_is_committed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "one.ipynb"
    nbformat.write(notebook("Above: 28.", table(Men=1.5)), path)
    git = ["git", "-C", str(tmp_path), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "One"]):
        subprocess.run([*git, *command], check=True)
    nbformat.write(notebook("Above: 28.", table(Men=1.6)), path)
    nbformat.write(notebook("Nothing."), tmp_path / "two.ipynb")
    main([str(path), str(tmp_path / "two.ipynb")])
    assert capsys.readouterr().out.splitlines() == [
        "Numbers that changed since HEAD:",
        "one.ipynb [1]: Men, share: 1.5 → 1.6",
        "two.ipynb a new notebook",
        "",
        "Numbers in Markdown that no output of the notebook has:",
        "one.ipynb at the top: 28",
        "1 in all",
    ]
    with fails(SystemExit):
        main([str(path), "--since", "nosuch"])
