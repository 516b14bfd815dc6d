"""What a saved notebook says of the run that made it: records, date, version of the program."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from audiencelab.notebook.io import code_cells, text_of
from audiencelab.render.records import of_output

if TYPE_CHECKING:
    from nbformat import NotebookNode

_NAMED = re.compile(
    r"counted \d{4}-\d\d-\d\d with audiencelab (\d[\w.+!]*\w)|'audiencelab': '(\d[\w.+!]*)'"
)
"""A version in the line below a table, or in `provenance`."""


def records_of(cell: Any) -> list[dict[str, Any]]:
    """What the outputs of a cell say that they are of."""
    return [record for output in cell.outputs for record in of_output(dict(output))]


def software_of(notebook: NotebookNode) -> str:
    """The version of audiencelab that made the outputs of a notebook; "" where none is named."""
    cells = code_cells(notebook)
    named = Counter(
        str(record["audiencelab"])
        for cell in cells
        for record in records_of(cell)
        if record.get("audiencelab")
    )
    if not named:
        named = Counter(a or b for text in _texts(cells) for a, b in _NAMED.findall(text))
    return named.most_common(1)[0][0] if named else ""


def _texts(cells: list[Any]) -> Iterator[str]:
    for cell in cells:
        for output in cell.outputs:
            data: dict[str, Any] = output.get("data") or {}
            yield text_of(output.get("text"))
            yield from (text_of(text) for form, text in data.items() if form.startswith("text/"))


def dated(notebook: NotebookNode) -> dict[str, str]:
    """The variable that gives results of a run the date that the saved ones have.

    Their images, in which the date is drawn, are equal then.
    """
    times = [
        str(record["counted_at"])
        for cell in code_cells(notebook)
        for record in records_of(cell)
        if record.get("counted_at")
    ]
    if not times:
        return {}
    day, _ = Counter(time[:10] for time in times).most_common(1)[0]
    first = min(time for time in times if time.startswith(day))
    try:
        return {"SOURCE_DATE_EPOCH": f"{datetime.fromisoformat(first).timestamp():.0f}"}
    except (ValueError, OverflowError):
        return {}
