"""The tables and charts of a notebook, each with what it is of and a checksum of its content."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from audiencelab.notebook.io import code_cells, specification, text_of
from audiencelab.render.records import of_output, record_in
from audiencelab.results.record import Record, without_run
from audiencelab.wording import without_controls

if TYPE_CHECKING:
    from nbformat import NotebookNode

_TEXTS = ("text/markdown", "text/html", "image/svg+xml", "image/png", "image/jpeg")
"""Forms of an output that is an exhibit, those first whose checksum is of what is read."""

_IMAGES = ("image/svg+xml", "image/png", "image/jpeg")
_OURS = "application/vnd.audiencelab."
_CARD = "<div class=mathjax_ignore"
"""Begins our HTML; what has no Markdown is a card."""

_BOTH = ("text/markdown", "text/html")
"""Forms that our tables and cards have together."""

_MOST_TITLE = 100


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or a chart, or a file that a cell wrote.

    notebook: the path of it in the package. cell: its number among the code cells, from 1.
    title: its own, or a line of the code. record: what it is of; None for what audiencelab
    did not make. files: those that hold it too. sha256: of its content, of an output without date
    and program.
    """

    notebook: str
    cell: int
    kind: Literal["table", "chart", "file"]
    title: str
    record: Record | None
    files: tuple[str, ...]
    sha256: str


def exhibits_of(
    notebook: NotebookNode, path: str, written: Sequence[Mapping[str, bytes]]
) -> list[Exhibit]:
    """The tables and charts of a notebook and the files that it writes, in order.

    path: of the notebook in the package. written: the files that each code cell wrote, by path.
    """
    found: list[Exhibit] = []
    cells = code_cells(notebook)
    outputs: list[Any] = [output for cell in cells for output in cell.outputs]
    # What has no record beside those that have one is a card of ours, and no table.
    have_records = any(of_output(dict(each)) for each in outputs)
    for number, cell in enumerate(cells, 1):
        title = _line_of(cell.source)
        shown = [each for each in cell.outputs if (each.get("data") or {})]
        found += [
            replace(each, notebook=path, cell=number, title=_short(each.title or title))
            for each in filter(None, (_of_output(each, have_records) for each in shown))
        ]
        files: Mapping[str, bytes] = written[number - 1] if number <= len(written) else {}
        for file, content in files.items():
            _add_file(found, Exhibit(path, number, "file", "", None, (file,), ""), content)
    return found


def _of_output(output: dict[str, Any], have_records: bool) -> Exhibit | None:
    data: Mapping[str, Any] = output["data"]
    record = _first(of_output(output))
    form = next((each for each in _TEXTS if each in data), "")
    chart = specification(data)
    is_ours = any(each.startswith(_OURS) for each in data) or {*_BOTH} <= {*data}
    if record is None and is_ours and have_records:
        return None
    if record is None and chart is None and not (is_ours or _is_shown(data, form)):
        return None
    is_chart = chart is not None or any(each in data for each in _IMAGES)
    content = text_of(data.get(form)) if form else json.dumps(data, sort_keys=True)
    digest = hashlib.sha256(without_run(content).encode()).hexdigest()
    title = record.title if record is not None else ""
    return Exhibit("", 0, "chart" if is_chart else "table", title, record, (), digest)


def _add_file(found: list[Exhibit], file: Exhibit, content: bytes) -> None:
    """Add a file to the exhibit that it holds, which has the same record; else as its own."""
    try:
        record = next(iter(record_in(content)), None)
    except ValueError:
        record = None
    path = file.files[0]
    # Of a table and a chart of the same, an image is that of the chart.
    first = "chart" if path.lower().endswith((".png", ".svg")) else "table"
    for number, each in sorted(enumerate(found), key=lambda known: known[1].kind != first):
        if record is not None and each.record is not None and _same(each.record, record):
            found[number] = replace(each, files=(*each.files, *file.files))
            return
    title = _short((record.title if record is not None else "") or path)
    digest = hashlib.sha256(content).hexdigest()
    found.append(replace(file, title=title, record=record, sha256=digest))


def _same(one: Record, other: Record) -> bool:
    """Whether two records are of one result: by the code that asks for it."""
    return bool(one.code) and (one.code, one.survey_version) == (other.code, other.survey_version)


def _first(records: Sequence[object]) -> Record | None:
    try:
        return Record.from_dict(records[0]) if records else None
    except ValueError:
        return None


def _is_shown(data: Mapping[str, Any], form: str) -> bool:
    """Whether an output is a table or an image of another library."""
    if text_of(data.get("text/html")).startswith(_CARD):
        return False
    return "image" in form or (form == "text/html" and "<table" in text_of(data.get(form)))


def _line_of(source: str) -> str:
    """The line of a cell where what it shows begins: its last statement, or what made that name."""
    lines = source.strip().splitlines() or [""]
    try:
        statements = ast.parse(source.strip()).body
    except SyntaxError:
        return lines[0]
    if not statements:
        return lines[0].lstrip("# ")
    shown = statements[-1]
    if isinstance(shown, ast.Expr) and isinstance(shown.value, ast.Name):
        made = [each for each in statements[:-1] if shown.value.id in _targets(each)]
        shown = made[-1] if made else shown
    return lines[shown.lineno - 1].strip()


def _targets(statement: ast.stmt) -> list[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [each.id for each in targets if isinstance(each, ast.Name)]


def _short(title: str) -> str:
    line = " ".join(without_controls(title).split())
    return line if len(line) <= _MOST_TITLE else f"{line[: _MOST_TITLE - 1]}…"
