"""A workbench as a document: one small JSON object that it can be opened from again.

`Study` is what the document says, as values; `written` and `read_study` turn it into JSON and
back. Data is never in it: the table is counted anew. Where the document lies is for `files`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, InvalidExpression
from audiencelab.widgets.crosstab.arrangement import Arrangement
from audiencelab.widgets.crosstab.lines import Lines
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.editor.document import Document, MalformedDocument, read_work
from audiencelab.widgets.picker.selection import Picked, UnpickableValue, checked_selection
from audiencelab.widgets.saved import Kept
from audiencelab.widgets.workbench.panes import Panes, checked_panes

__all__ = ["FORMAT", "VERSION", "BrokenStudy", "Study", "read_study", "written"]

FORMAT = "audiencelab.workbench"
VERSION = 1


class BrokenStudy(AudienceError, ValueError):
    """A document that no workbench can be opened from; the message names the place."""


@dataclass(frozen=True, slots=True)
class Study:
    """What a workbench holds and shows.

    question: what its table asks. table: how its cells look, the grid's traits by name.
    arrangement: how its lines are sorted, moved and hidden.
    audience: the editor's tree, finished or not; opened: the saved audience that it came from.
    picked: the picker's selection. panes: how the workbench is laid out.
    """

    question: GridQuery
    audience: Document
    table: Mapping[str, Any] = field(default_factory=dict[str, Any])
    arrangement: Arrangement = field(default_factory=Arrangement)
    opened: Kept | None = None
    picked: list[Picked] = field(default_factory=list[Picked])
    panes: Panes = field(default_factory=lambda: checked_panes({}))


# -- as JSON ------------------------------------------------------------------------------------


def written(study: Study) -> dict[str, Any]:
    """The study as a JSON object; what is not said is left out."""
    question = study.question
    base = question.base_audience
    asked: dict[str, Any] = {
        "rows": _side(question.rows),
        "columns": _side(question.columns),
        "base_audience": None if base is None else base.to_wire(),
        "waves": None if question.waves is None else list(question.waves),
        "locations": None if question.locations is None else list(question.locations),
        "bases": None if question.bases is None else [base.to_wire() for base in question.bases],
    }
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "question": {name: value for name, value in asked.items() if value is not None},
        "table": dict(study.table),
        "arrangement": study.arrangement.to_dict(),
        "audience": study.audience,
        "picked": study.picked,
        "panes": study.panes,
    }
    if study.opened is not None:
        document["opened"] = study.opened
    # Plain and its own: whoever changes it changes no widget.
    return msgspec.json.decode(msgspec.json.encode(document))


def _side(lines: Lines | None) -> list[dict[str, Any]] | None:
    if lines is None:
        return None
    return [
        audience.to_wire()
        | ({"heads": list(heads)} if heads else {})
        | ({"net": True} if is_net else {})
        for audience, heads, is_net in zip(lines, lines.heads, lines.nets, strict=True)
    ]


# -- from JSON ----------------------------------------------------------------------------------


class _Line(msgspec.Struct):
    name: str = ""
    id: str | None = None
    expression: dict[str, Any] | None = None
    heads: tuple[str, ...] = ()
    net: bool = False


class _Question(msgspec.Struct):
    rows: list[_Line] | None = None
    columns: list[_Line] | None = None
    base_audience: _Line | None = None
    waves: tuple[str, ...] | None = None
    locations: tuple[str, ...] | None = None
    bases: list[_Line] | None = None


class _Written(msgspec.Struct):
    audience: dict[str, Any]
    question: _Question = msgspec.field(default_factory=_Question)
    table: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    arrangement: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    opened: _Line | None = None
    picked: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])
    panes: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


def read_study(value: object) -> Study:
    """The study of a JSON object; raises `BrokenStudy` for anything else, saying where."""
    _check_kind(value)
    try:
        read = msgspec.convert(value, _Written)
    except msgspec.ValidationError as error:
        raise BrokenStudy(f"This document of a workbench is broken: {error}") from None
    except RecursionError:
        raise BrokenStudy("This document of a workbench is nested too deeply.") from None
    question = read.question
    return Study(
        question=GridQuery(
            rows=_lines(question.rows, "question.rows"),
            columns=_lines(question.columns, "question.columns"),
            base_audience=None
            if question.base_audience is None
            else _audience(question.base_audience, "question.base_audience"),
            waves=question.waves,
            locations=question.locations,
            bases=_lines(question.bases, "question.bases"),
        ),
        table=read.table,
        arrangement=Arrangement.from_dict(read.arrangement),
        audience=_tree(read.audience),
        opened=None if read.opened is None else _opened(read.opened),
        picked=_picked(read.picked),
        panes=_panes(read.panes),
    )


def _check_kind(value: object) -> None:
    if not isinstance(value, Mapping):
        raise BrokenStudy(f"A workbench's document is an object, not {type(value).__name__}.")
    fields = cast("Mapping[str, object]", value)
    if fields.get("format") != FORMAT:
        raise BrokenStudy(
            f"This is no document of a workbench: its “format” would be {FORMAT!r}. "
            "workbench.save(path) writes one."
        )
    version = fields.get("version")
    if version != VERSION:
        newer = isinstance(version, int) and version > VERSION
        raise BrokenStudy(
            f"This document has version {version!r}, and this audiencelab reads version {VERSION}"
            + (": a newer audiencelab wrote it. Update yours." if newer else ".")
        )


def _lines(lines: list[_Line] | None, place: str) -> Lines | None:
    if lines is None:
        return None
    return Lines(
        [_audience(line, f"{place}[{number}]") for number, line in enumerate(lines)],
        [line.heads for line in lines],
        [line.net for line in lines],
    )


def _audience(line: _Line, place: str) -> Audience:
    fields = {"name": line.name, "id": line.id, "expression": line.expression}
    try:
        return Audience.from_wire(fields)
    except InvalidExpression as error:
        raise _broken(place, error) from None


def _opened(line: _Line) -> Kept:
    audience = _audience(line, "opened")
    if audience.id is None:
        raise _broken("opened", "a saved audience has an id.")
    expression = None if audience.expression is None else audience.expression.to_wire()
    return {"id": audience.id, "name": audience.name, "expression": expression}


def _tree(document: dict[str, Any]) -> Document:
    try:
        work = read_work({"document": document, "history": {"past": [], "future": []}})
    except MalformedDocument as error:
        raise _broken("audience", error) from None
    return work["document"]


def _picked(entries: list[dict[str, Any]]) -> list[Picked]:
    try:
        return checked_selection(entries)
    except UnpickableValue as error:
        raise _broken("picked", error) from None


def _panes(panes: dict[str, Any]) -> Panes:
    try:
        return checked_panes(panes)
    except AudienceError as error:
        raise _broken("panes", error) from None


def _broken(place: str, why: object) -> BrokenStudy:
    return BrokenStudy(f"This document of a workbench is broken at {place}: {why}")
