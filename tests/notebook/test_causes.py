"""Why outputs differ is read from what they say that they are of; no notebook is run here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat

from audiencelab._version import __version__
from audiencelab.notebook import NotebookRun, Verification, compare_notebooks
from audiencelab.notebook.report import lines, plain
from audiencelab.notebook.run_log import CellLog, WrittenFile

RECORD = {"format": "audiencelab-record", "version": 1, "audiencelab": __version__}
HERE = Path("study.ipynb")


def shown(text: str, **record: object) -> dict[str, Any]:
    """An output of ours: a sentence in HTML and in Markdown, and its record."""
    data = {"text/html": f"<div>{text}</div>", "text/markdown": text, "text/plain": "<Table>"}
    metadata = {"audiencelab": {**RECORD, **record}} if record else {}
    return {"output_type": "execute_result", "data": data, "metadata": metadata}


def notebook(*outputs: dict[str, Any], tags: tuple[str, ...] = ()) -> Any:
    cells = [
        {"cell_type": "code", "source": f"cell({n})", "metadata": {}, "execution_count": n}
        for n in range(1, len(outputs) + 1)
    ]
    made = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    for cell, output in zip(cells, outputs, strict=True):
        cell["outputs"] = [{**output, "execution_count": 1}]
        cell["metadata"] = {"tags": list(tags)}
    return nbformat.from_dict(made)


def compared(before: Any, now: Any, *logs: CellLog) -> Verification:
    cells = logs or tuple(CellLog() for _ in now.cells)
    return compare_notebooks(before, NotebookRun(path=HERE, notebook=now, cells=cells))


def test_cells_of_another_weight_are_named_together() -> None:
    before = [shown(f"{n}%", survey="tea", weight="wgt", survey_version="aa" * 16) for n in (1, 2)]
    now = [shown(f"{n}%", survey="tea", weight=None, survey_version="bb" * 16) for n in (3, 4)]
    found = compared(notebook(*before), notebook(*now))
    kinds = {cause.kind: cause for cause in found.causes}
    assert kinds["weight"].text == "Cells 1, 2 have another weight: wgt before, unweighted now."
    assert kinds["survey version"].cells == (1, 2)
    assert plain(found)["causes"] == [
        {"kind": cause.kind, "text": cause.text, "cells": cause.cells} for cause in found.causes
    ]


def test_another_version_of_a_survey_with_equal_figures_is_a_note() -> None:
    before, now = (notebook(shown("1%", survey_version=each * 16)) for each in ("aa", "bb"))
    found = compared(before, now)
    assert found.holds
    assert found.causes == ()
    (note,) = found.notes
    assert "aaaaaaaa before, bbbbbbbb now" in note


def test_code_of_another_result_is_a_cause_and_no_difference_by_itself() -> None:
    before, now = (
        notebook(shown(f"{share}%", code=f"client.crosstab('{name}')"))
        for name, share in (("tea", 1), ("milk", 2))
    )
    causes = {cause.kind: cause.text for cause in compared(before, now).causes}
    assert causes["code"] == (
        "The record of cell 1 names other code: client.crosstab('tea') before, "
        "client.crosstab('milk') now."
    )
    now.cells[0].outputs[0].data = before.cells[0].outputs[0].data
    assert compared(before, now).holds


def test_a_form_that_differs_alone_is_named() -> None:
    before, now = (notebook(shown("7%", survey="tea")) for _ in range(2))
    before.cells[0].outputs[0].data["text/markdown"] = "9%"
    found = compared(before, now)
    assert lines(found)[2] == "      Markdown form: 9% → 7%"
    assert [cause.kind for cause in found.causes] == ["edited"]


def test_a_snapshot_without_the_design_of_the_sample_is_a_cause() -> None:
    before, now = (
        notebook(shown(f"{each}, 95%", survey="tea"))
        for each in ("linearised standard errors", "unweighted bases (design unknown)")
    )
    assert [cause.kind for cause in compared(before, now).causes] == ["snapshot"]


def test_words_of_a_later_version_hold_and_what_it_does_not_compare_is_a_note() -> None:
    before = notebook(shown("Tea\nSee the manual.", audiencelab="2.9.0"))
    found = compared(before, notebook(shown("Tea\nSee the guide.", survey="tea")))
    assert [cell.state for cell in found.cells] == ["reworded"]
    assert found.holds
    assert found.notes[0].startswith("It was saved with audiencelab 2.9.0 and ran with")
    moved = compared(before, notebook(shown("Tea\nUnweighted.", survey="tea")))
    assert [cell.state for cell in moved.cells] == ["moved"]


def test_a_cell_that_a_tag_leaves_out_is_named() -> None:
    before, now = (notebook(shown(each), tags=("verify-skip",)) for each in ("1%", "2%"))
    assert lines(compared(before, now)) == [
        "study.ipynb: there is no output to compare; 1 left out by its tag.",
        "  cell 1: left out          cell(1)  (tag verify-skip: run, not compared)",
    ]


def test_files_are_named_with_what_differs_and_new_ones_in_a_note() -> None:
    folder = HERE.resolve().parent
    log = CellLog(
        written=(
            WrittenFile(folder / "a.csv", b"answer,share\ntea,41.3\n", b"answer,share\ntea,42\n"),
            WrittenFile(folder / "same.txt", b"on 2026-01-01T08:00", b"on 2026-02-02T09:30"),
            WrittenFile(folder / "new.csv", None, b"answer\n"),
            WrittenFile(folder / "gone.md", b"# Tea\n", None),
        )
    )
    found = compared(notebook(shown("1%")), notebook(shown("1%")), log)
    assert [f"{each.form}: {each}" for each in found.cells[0].changes] == [
        "file a.csv: tea, share: 41.3 → 42",
        "file gone.md: the file: there → nothing",
    ]
    assert "Cell 1 wrote new.csv" in found.notes[0]


def test_a_source_line_that_contradicts_its_record_is_named_without_a_run() -> None:
    by = f"counted 2026-11-30 with audiencelab {__version__}"
    line = f"Tea · Source: survey tea (version aaaaaaaa), {by}"
    of = {"survey_version": "aa" * 16, "counted_at": "2026-11-30T08:00:00"}
    now = notebook(shown(line, **of))
    assert compared(now, now).holds
    for written, other in (("aaaaaaaa", "12345678"), ("2026", "2019"), (__version__, "1.0.0")):
        found = compared(notebook(shown(line.replace(written, other), **of)), now)
        assert [each.where for each in found.cells[0].changes] == ["source line", "source line"]
        assert other in lines(found)[2]
        assert lines(found)[3] == "      also in: Markdown form"
        (cause,) = found.causes
        assert cause.text.startswith("The source line of cell 1 and the record saved with it")
    found = compared(notebook(shown(line, **{**of, "survey_version": "bb" * 16})), now)
    assert [cause.kind for cause in found.causes] == ["edited"]
    # Of another day and version, in both: nothing that a reader sees is another.
    later = {**of, "survey_version": "cc" * 16, "counted_at": "2026-12-24T08:00:00"}
    text = line.replace("a" * 8, "c" * 8).replace("2026-11-30", "2026-12-24")
    assert compared(notebook(shown(text, **later)), now).holds
