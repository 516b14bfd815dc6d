"""Edits of a saved notebook and of the files that its cells wrote, as made by hand."""

from __future__ import annotations

import base64
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, from_dict

from tests.notebook.coffee import CELLS

__all__ = [
    "Edit",
    "Saved",
    "copied_from",
    "deleted_output",
    "each",
    "everywhere",
    "in_file",
    "in_metadata",
    "in_record",
    "in_zip",
    "new_text",
    "pattern",
    "png_of",
    "recounted",
    "removed",
    "repainted",
    "repainted_file",
    "source",
    "swap",
    "tag",
    "turned",
]

FORMS = {
    "html": "text/html",
    "markdown": "text/markdown",
    "latex": "text/latex",
    "plain": "text/plain",
    "svg": "image/svg+xml",
    "png": "image/png",
    "grid": "application/vnd.audiencelab.crosstab.v1+json",
}


@dataclass(frozen=True, slots=True)
class Saved:
    """A notebook as its author saved it, and the folder with the files that its cells wrote."""

    notebook: NotebookNode
    folder: Path

    def cell(self, name: str) -> NotebookNode:
        return self.notebook.cells[list(CELLS).index(name)]


Edit = Callable[[Saved, NotebookNode], None]


def _texts(cell: NotebookNode, forms: tuple[str, ...]) -> Iterator[tuple[Any, str]]:
    """Where each text of a cell's outputs is: what holds it, and its key there."""
    for output in cell.outputs:
        if output.output_type == "stream" and (not forms or "stream" in forms):
            yield output, "text"
        for form in output.get("data", {}):
            if form != FORMS["png"] and (not forms or form in [FORMS.get(f, f) for f in forms]):
                yield output.data, form


def _rewrite(cell: NotebookNode, forms: tuple[str, ...], change: Callable[[str], str]) -> None:
    changed = 0
    for place, key in _texts(cell, forms):
        given = place[key]
        text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        edited = change(text)
        changed += edited != text
        place[key] = edited if isinstance(given, str) else from_dict(json.loads(edited))
    assert changed, f"nothing to edit in {cell.source!r}"


def swap(before: str, now: str, *forms: str, times: int = -1) -> Edit:
    """One text for another, in these forms of a cell's outputs; by default in all of them."""
    return lambda _, cell: _rewrite(cell, forms, lambda text: text.replace(before, now, times))


def pattern(found: str, now: str, *forms: str, times: int = 1) -> Edit:
    """What a regular expression finds, for another text."""
    expression = re.compile(found, re.DOTALL)
    return lambda _, cell: _rewrite(cell, forms, lambda text: expression.sub(now, text, times))


def each(*edits: Edit) -> Edit:
    """Several edits of one cell."""

    def edit(saved: Saved, cell: NotebookNode) -> None:
        for one in edits:
            one(saved, cell)

    return edit


def in_record(name: str, value: object) -> Edit:
    """Another value in the machine-readable record of an output."""

    def edit(_: Saved, cell: NotebookNode) -> None:
        record = cell.outputs[-1].metadata["audiencelab"]
        assert record.get(name) != value
        record[name] = value

    return edit


def everywhere(*edits: Edit) -> Edit:
    """Edits of all cells; those of which a cell has nothing to edit are left out."""

    def edit(saved: Saved, _: NotebookNode) -> None:
        done = 0
        for cell in saved.notebook.cells:
            for one in edits:
                try:
                    one(saved, cell)
                    done += 1
                except AssertionError:
                    continue
        assert done

    return edit


def recounted(_: Saved, cell: NotebookNode) -> None:
    """Another number of the run, and another id."""
    cell.execution_count = 77
    cell.id = "another"


def in_metadata(before: str, now: str) -> Edit:
    """What a regular expression finds in the metadata of outputs, for another text."""

    def edit(_: Saved, cell: NotebookNode) -> None:
        changed = 0
        for output in cell.outputs:
            text = json.dumps(output.get("metadata", {}), ensure_ascii=False)
            edited = re.sub(before, now, text)
            if edited != text:
                output["metadata"], changed = from_dict(json.loads(edited)), changed + 1
        assert changed

    return edit


def turned(_: Saved, cell: NotebookNode) -> None:
    """The outputs in the opposite order."""
    cell.outputs.reverse()


def deleted_output(form: str = "") -> Edit:
    """The outputs of a cell deleted, or one form of them."""

    def edit(_: Saved, cell: NotebookNode) -> None:
        if not form:
            cell.outputs = []
        for output in cell.outputs:
            del output.data[FORMS[form]]

    return edit


def new_text(text: str) -> Edit:
    """One output more."""
    added = {"output_type": "stream", "name": "stdout", "text": text}
    return lambda _, cell: cell.outputs.append(from_dict(added))


def copied_from(name: str) -> Edit:
    """The outputs of another cell."""

    def edit(saved: Saved, cell: NotebookNode) -> None:
        cell.outputs = from_dict(json.loads(json.dumps(saved.cell(name).outputs)))

    return edit


def png_of(name: str) -> Edit:
    """The PNG of another cell, all other forms kept."""

    def edit(saved: Saved, cell: NotebookNode) -> None:
        cell.outputs[0].data[FORMS["png"]] = saved.cell(name).outputs[-1].data[FORMS["png"]]

    return edit


def source(before: str, now: str) -> Edit:
    """Another line of code; the outputs stay."""

    def edit(_: Saved, cell: NotebookNode) -> None:
        assert before in cell.source
        cell.source = cell.source.replace(before, now)

    return edit


def tag(name: str) -> Edit:
    """A tag of the cell."""
    return lambda _, cell: cell.metadata.setdefault("tags", []).append(name)


def repaint(png: bytes) -> bytes:
    """A picture with other colours in one line of it, and every other chunk as it was."""
    chunks, at = [], 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        chunks.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + length]))
        at += length + 12
    width, _, depth, colours = struct.unpack(">IIBB", chunks[0][1][:10])
    assert depth == 8
    row = width * {0: 1, 2: 3, 4: 2, 6: 4}[colours] + 1  # its first byte is the filter
    pixels = bytearray(zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT")))
    start = len(pixels) // row // 2 * row
    pixels[start + 1 : start + row] = bytes(byte ^ 0x40 for byte in pixels[start + 1 : start + row])
    painted = zlib.compress(bytes(pixels))
    written, done = png[:8], False
    for kind, data in chunks:
        if kind == b"IDAT":
            if done:
                continue
            data, done = painted, True
        written += struct.pack(">I", len(data)) + kind + data
        written += struct.pack(">I", zlib.crc32(kind + data))
    assert written != png
    return written


def repainted(_: Saved, cell: NotebookNode) -> None:
    """The PNG of a cell with other pixels."""
    data = cell.outputs[-1].data
    data[FORMS["png"]] = base64.b64encode(repaint(base64.b64decode(data[FORMS["png"]]))).decode()


def repainted_file(name: str) -> Edit:
    """A PNG in the folder with other pixels."""

    def edit(saved: Saved, _: NotebookNode) -> None:
        (saved.folder / name).write_bytes(repaint((saved.folder / name).read_bytes()))

    return edit


def in_file(name: str, before: str, now: str, times: int = -1) -> Edit:
    """One text for another in a text file."""

    def edit(saved: Saved, _: NotebookNode) -> None:
        text = (saved.folder / name).read_bytes()
        assert before.encode() in text, f"{name} lacks {before!r}"
        (saved.folder / name).write_bytes(text.replace(before.encode(), now.encode(), times))

    return edit


def in_zip(name: str, member: str, before: str, now: str) -> Edit:
    """One text for another in a part of a workbook or of slides; the member is a pattern."""

    def edit(saved: Saved, _: NotebookNode) -> None:
        given, written, changed = saved.folder / name, BytesIO(), 0
        with zipfile.ZipFile(given) as read, zipfile.ZipFile(written, "w") as write:
            for each_member in read.infolist():
                data = read.read(each_member)
                if re.fullmatch(member, each_member.filename) and before.encode() in data:
                    data, changed = data.replace(before.encode(), now.encode(), 1), changed + 1
                write.writestr(each_member, data)
        assert changed, f"{name} lacks {before!r}"
        given.write_bytes(written.getvalue())

    return edit


def removed(name: str) -> Edit:
    """A file deleted."""
    return lambda saved, _: (saved.folder / name).unlink()
