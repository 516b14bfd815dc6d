"""Reads each form of an output: a page, a text, an image, what a widget saved, a chart.

A form is read into what a reader sees of it (tables, lines, fields), and `looks`, all the rest,
which must be equal too where one version of a program wrote both.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from audiencelab.notebook.html_reading import Table, read_page
from audiencelab.notebook.image_reading import ReadImage, read_image, read_svg
from audiencelab.notebook.io import specification, text_of
from audiencelab.render.mime_payload import CROSSTAB, RAISED, VIEW, plane_of, planes_of

SAVED = "saved widget"
"""The name of the form in which JupyterLab draws a crosstab."""

_SAVED_DIGITS = ".7g"
"""As many digits as a crosstab saves its counts with."""

_DIGITS = ".12g"
"""As many digits of a number as another version of numpy computes alike."""


@dataclass(slots=True)
class Reading:
    """What is compared of one form.

    name: what readers call the form. tables: their cells. lines: text. fields: values by their
    path. looks: all the rest. image: of an image of points. of_run: what a sheet of sources says
    that differs between runs.
    """

    name: str
    tables: list[Table] = field(default_factory=list[Table])
    lines: list[str] = field(default_factory=list[str])
    fields: dict[str, str] = field(default_factory=dict[str, str])
    looks: list[str] = field(default_factory=list[str])
    image: ReadImage | None = None
    of_run: dict[str, str] = field(default_factory=dict[str, str])

    def texts(self) -> list[str]:
        """All that it says, in order."""
        cells = [cell for table in self.tables for row in table for cell in row]
        return [*self.lines, *self.fields.values(), *cells]


def read_forms(data: Mapping[str, Any]) -> list[Reading]:
    """The forms of an output, by MIME type, the one of most detail first."""
    chart = specification(data)
    found: list[Reading] = []
    if chart is not None:
        found.append(_read_chart(chart))
    for form in sorted(data, key=_order):
        if form in _NOT_READ or (chart is not None and ("vega" in form or form == "text/html")):
            continue
        found.append(read_form(form, data[form]))
    return found


_NOT_READ = {"application/vnd.jupyter.widget-view+json", VIEW}
"""They name the model of a widget, by an id that is drawn by chance."""


def read_form(form: str, content: Any) -> Reading:
    """A form by its MIME type."""
    if form in _READERS:
        return _READERS[form](content)
    if form.startswith("image/"):
        name = f"image ({form.removeprefix('image/').upper()})"
        try:
            image = read_image(base64.b64decode(text_of(content)))
        except binascii.Error:
            return Reading(name, lines=["It cannot be read."])
        return Reading(name, fields=image.fields, image=image)
    if form.endswith("json") or not isinstance(content, str | list):
        return Reading(form, fields=dict(flattened(content)))
    return Reading(form, lines=text_of(cast("object", content)).split("\n"))


def _order(form: str) -> int:
    return [*_READERS, form].index(form)


def _read_html(content: Any) -> Reading:
    page = read_page(text_of(content))
    return Reading("HTML", page.tables, page.lines, looks=page.looks)


def read_text(content: Any, name: str = "text") -> Reading:
    """A text, of which a line that was written over counts as it was last."""
    return Reading(name, lines=[line.rpartition("\r")[2] for line in text_of(content).split("\n")])


def _read_svg_form(content: Any) -> Reading:
    lines, fields, looks = read_svg(text_of(content))
    return Reading("image (SVG)", lines=lines, fields=fields, looks=looks)


_CELLS = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|?[\s:|-]+\|?")


def _read_markdown(content: Any) -> Reading:
    """Tables of pipes, and the text beside them."""
    found, inside = Reading("Markdown form"), False
    for line in text_of(content).split("\n"):
        row = line.strip()
        if not row.startswith("|"):
            inside = False
            found.lines.append(line)
        elif not _RULE.fullmatch(row) or not inside:
            if not inside:
                found.tables.append([])
            found.tables[-1].append([cell.strip() for cell in _CELLS.split(row)[1:-1]])
            inside = True
    return found


def _read_latex(content: Any) -> Reading:
    return Reading("LaTeX form", lines=text_of(content).split("\n"))


def _read_saved(saved: Any) -> Reading:
    """What a crosstab saves: a table for each of its arrays, and its words."""
    try:
        rows, columns = saved["rows"]["names"], saved["columns"]["names"]
        tables = [
            _saved_table(name, _saved_values(saved, name), rows, columns)
            for name in sorted(planes_of(saved))
        ]
        words = {name: value for name, value in saved.items() if name not in {"planes", "marks"}}
        marks = {name: each for name, each in saved.get("marks", {}).items() if name != "texts"}
        return Reading(SAVED, tables, fields=dict(flattened({**words, **marks})))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        cannot = [["The values saved beside the table cannot be read."]]
        return Reading(SAVED, [cannot], fields=dict(flattened(saved)))


def _saved_values(saved: Mapping[str, Any], name: str) -> Any:
    """The values of an array as they are meant; letters as text."""
    values = plane_of(planes_of(saved)[name]) - RAISED.get(name, 0)
    if name != "letters":
        return values
    return np.array(saved["marks"]["texts"], dtype=object)[values.astype(np.intp)]


def _saved_table(name: str, plane: Any, rows: list[str], columns: list[str]) -> Table:
    """The name and the columns, then each row; an array of one axis has one row or column."""
    title = f"saved {name.replace('_own', '').replace('_', ' ')}"
    down = [title] if name.startswith("column_own") else rows
    across = [title] if name.startswith("row_own") else columns
    values = np.broadcast_to(plane, (len(down), len(across)))
    table = [[title, *map(str, across)]]
    for row, line in zip(down, values, strict=True):
        texts = (each if isinstance(each, str) else format(each, _SAVED_DIGITS) for each in line)
        table.append([f"{row} ({title})", *texts])
    return table


def _read_chart(spec: Mapping[str, Any]) -> Reading:
    """A chart: a table for each of its data sets, and its specification."""
    data: Mapping[str, Any] = spec.get("datasets") or {}
    rest = {key: value for key, value in spec.items() if key not in {"datasets", "usermeta"}}
    text = json.dumps(rest)
    for number, name in enumerate(data, 1):  # the names are checksums of the data
        text = text.replace(json.dumps(name), f'"data {number}"')
    tables = [_records_table(rows) for rows in data.values()]
    return Reading("chart", tables, fields=dict(flattened(json.loads(text))))


def _records_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Rows of data under the names of their fields."""
    names = [*dict.fromkeys(name for row in rows for name in row)]
    return [names, *([_json_text(row.get(name, "")) for name in names] for row in rows)]


def flattened(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """The single values of a JSON value, by their paths."""
    match value:
        case dict():
            for name, each in cast("dict[str, Any]", value).items():
                yield from flattened(each, f"{place} {name}".strip())
        case list():
            for number, each in enumerate(cast("list[Any]", value), 1):
                yield from flattened(each, f"{place} {number}")
        case _:
            yield place, _json_text(value)


def _json_text(value: Any) -> str:
    if isinstance(value, float):
        value = float(format(value, _DIGITS))
    return value if isinstance(value, str) else json.dumps(value)


_READERS: dict[str, Callable[[Any], Reading]] = {
    "text/html": _read_html,
    "text/markdown": _read_markdown,
    "text/latex": _read_latex,
    "image/svg+xml": _read_svg_form,
    CROSSTAB: _read_saved,
    "text/plain": read_text,
}
"""By MIME type, those first that say most about where something differs."""
