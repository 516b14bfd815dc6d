"""What a saved notebook says of the run that made it: records, date, version of the program."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from audiencelab.client.noting import UNNAMED_VARIABLE
from audiencelab.clock import FIXED
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


def version_of(output: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> str:
    """The version of audiencelab that made an output with its records; "" where none is named."""
    named = [str(record["audiencelab"]) for record in records if record.get("audiencelab")]
    if not named:
        data: Mapping[str, Any] = output.get("data") or {}
        texts = [text_of(text) for form, text in data.items() if form.startswith("text/")]
        texts.append(text_of(output.get("text")))
        named = [a or b for text in texts for a, b in _NAMED.findall(text)]
    return named[0] if named else ""


def software_of(notebook: NotebookNode) -> str:
    """The version of audiencelab that made most outputs of a notebook; "" where none names it."""
    outputs: list[Any] = [output for cell in code_cells(notebook) for output in cell.outputs]
    named = Counter(version_of(each, of_output(dict(each))) for each in outputs)
    named.pop("", None)
    return named.most_common(1)[0][0] if named else ""


def dated(notebook: NotebookNode) -> dict[str, str]:
    """The variables that give results of a run the date that the saved ones have, and their source.

    Their images, in which both are drawn, are equal then.
    """
    records = [each for cell in code_cells(notebook) for each in records_of(cell)]
    times = [str(each["counted_at"]) for each in records if each.get("counted_at")]
    if not times:
        return {}
    is_named = any(each.get("snapshot") for each in records)
    unnamed = {} if is_named else {UNNAMED_VARIABLE: "1"}
    day, _ = Counter(time[:10] for time in times).most_common(1)[0]
    first = min(time for time in times if time.startswith(day))
    try:
        return {FIXED: f"{datetime.fromisoformat(first).timestamp():.0f}", **unnamed}
    except (ValueError, OverflowError):
        return unnamed
