"""The tables and charts of a notebook, each with what it is of and a checksum of its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from audiencelab.notebook.io import code_cells, specification, text_of
from audiencelab.results.record import Record, without_run
from audiencelab.wording import without_controls

if TYPE_CHECKING:
    from nbformat import NotebookNode

_TEXTS = ("text/markdown", "text/html", "image/svg+xml", "image/png", "image/jpeg")
"""Forms of an output that is an exhibit, those first whose checksum is of what is read."""

_OURS = "application/vnd.audiencelab."
_MOST_TITLE = 100


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or a chart.

    notebook: the path of it in the package. cell: its number among the code cells, from 1.
    title: its own, or the first line of the code. record: what it is of; None for what audiencelab
    did not make. files: what the cell wrote. sha256: of its content without date and program.
    """

    notebook: str
    cell: int
    kind: Literal["table", "chart"]
    title: str
    record: Record | None
    files: tuple[str, ...]
    sha256: str


def exhibits_of(
    notebook: NotebookNode, path: str, written: Sequence[Sequence[str]]
) -> Iterator[Exhibit]:
    """The tables and charts of a notebook, in order.

    path: of the notebook in the package. written: the files that each code cell wrote.
    """
    for number, cell in enumerate(code_cells(notebook), 1):
        files = tuple(written[number - 1]) if number <= len(written) else ()
        for output in cell.outputs:
            data = cast("Mapping[str, Any]", output.get("data", {}))
            record = recorded(output)
            form = next((each for each in _TEXTS if each in data), "")
            chart = specification(data)
            if record is None and chart is None and not _is_shown(data, form):
                continue
            kind = "chart" if chart or "image" in _main(data) else "table"
            content = text_of(data.get(form)) if form else json.dumps(data, sort_keys=True)
            title = record.title if record is not None else ""
            yield Exhibit(
                path,
                number,
                kind,
                _short(title or _first_line(cell.source)),
                record,
                files,
                hashlib.sha256(without_run(content).encode()).hexdigest(),
            )


def recorded(output: Mapping[str, Any]) -> Record | None:
    """What the metadata of an output says that it is of."""
    metadata = cast("Mapping[str, Any]", output.get("metadata") or {})
    found = metadata.get("audiencelab")
    several = cast("list[object]", found) if isinstance(found, list) else [found]
    try:
        return Record.from_dict(several[0] if several else None)
    except ValueError:
        return None


def _is_shown(data: Mapping[str, Any], form: str) -> bool:
    """Whether an output is a table or an image, as other libraries and earlier versions make it."""
    if any(each.startswith(_OURS) for each in data) or {"text/markdown", "text/html"} <= {*data}:
        return True
    return "image" in form or (form == "text/html" and "<table" in text_of(data.get(form)))


def _main(data: Mapping[str, Any]) -> str:
    return next((form for form in ("image/svg+xml", "image/png", "image/jpeg") if form in data), "")


def _first_line(source: str) -> str:
    return source.strip().partition("\n")[0].lstrip("# ")


def _short(title: str) -> str:
    line = " ".join(without_controls(title).split())
    return line if len(line) <= _MOST_TITLE else f"{line[: _MOST_TITLE - 1]}…"
