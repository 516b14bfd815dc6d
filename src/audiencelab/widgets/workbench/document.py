"""A workbench as a document: one small JSON object or file that it can be opened from again.

The document contains the settings of a workbench and no data: the table is counted again.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict, cast

import msgspec

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience
from audiencelab.files import put
from audiencelab.widgets.crosstab.axis import Axis
from audiencelab.widgets.crosstab.charts import KINDS
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.crosstab.view_state import Arrangement
from audiencelab.widgets.editor.document import Document, read_work
from audiencelab.widgets.picker.selection import Picked, checked_selection
from audiencelab.widgets.saved_audiences import SavedState

FORMAT = "audiencelab.workbench"
VERSION = 1
SUFFIX = ".audiencelab.json"

_NAME_LENGTH = 80


class BrokenStudy(AudienceError, ValueError):
    """A document that no workbench can be opened from; the message names the position."""


class Panes(TypedDict):
    """The layout: width of the side panel and of the chart, and height, in pixels.

    kind: of the chart; "" is the one that suits the cells.
    """

    rail: int
    chart: int
    height: int
    kind: str


_DEFAULT_PANES: Panes = {"rail": 360, "chart": 420, "height": 640, "kind": ""}
_MIN_PIXELS, _MAX_PIXELS = 80, 4_000


def checked_panes(value: object) -> Panes:
    """The layout with defaults for missing entries, and sizes that keep every pane visible.

    Raises `AudienceError` for a size that is not a number, and for an unknown kind of chart.
    """
    given = cast("Mapping[str, Any]", value if isinstance(value, Mapping) else {})
    known = {name: given[name] for name in _DEFAULT_PANES if name in given}
    panes: dict[str, Any] = {**_DEFAULT_PANES, **known}
    if panes["kind"] not in ("", *KINDS):
        raise AudienceError(
            f"panes: kind must be one of {', '.join(KINDS)}; got {panes['kind']!r}."
        )
    for name in ("rail", "chart", "height"):
        size = panes[name]
        is_number = isinstance(size, int | float) and not isinstance(size, bool)
        if not is_number or not math.isfinite(size):
            raise AudienceError(f"panes: {name} must be a number of pixels; got {size!r}.")
        panes[name] = round(min(max(size, _MIN_PIXELS), _MAX_PIXELS))
    return cast("Panes", panes)


@dataclass(frozen=True, slots=True)
class Study:
    """The state of a workbench.

    question: the query of its table. table: how the cells look, the grid's traits by name.
    arrangement: how its lines are sorted, moved and hidden.
    audience: the editor's tree, finished or not; opened: the saved audience that it came from.
    picked: the picker's selection. panes: the layout.
    """

    question: GridQuery
    audience: Document
    table: Mapping[str, Any] = field(default_factory=dict[str, Any])
    arrangement: Arrangement = field(default_factory=Arrangement)
    opened: SavedState | None = None
    picked: list[Picked] = field(default_factory=list[Picked])
    panes: Panes = field(default_factory=lambda: checked_panes({}))


# -- to JSON ------------------------------------------------------------------------------------


def to_json(study: Study) -> dict[str, Any]:
    """The study as a JSON object without empty fields."""
    question = study.question
    base = question.base_audience
    asked: dict[str, Any] = {
        "rows": _axis_to_json(question.rows),
        "columns": _axis_to_json(question.columns),
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
    # A deep copy in plain types: changing it changes no widget.
    return msgspec.json.decode(msgspec.json.encode(document))


def _axis_to_json(lines: Axis | None) -> list[dict[str, Any]] | None:
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


class _Document(msgspec.Struct):
    audience: dict[str, Any]
    question: _Question = msgspec.field(default_factory=_Question)
    table: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    arrangement: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    opened: _Line | None = None
    picked: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])
    panes: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class _Reader:
    """Reads a document; `position` is where an error is reported."""

    position = ""

    def read(self, document: _Document) -> Study:
        question = document.question
        self.position = "question.base_audience"
        base = question.base_audience and self._audience(question.base_audience)
        asked = GridQuery(
            rows=self._lines(question.rows, "question.rows"),
            columns=self._lines(question.columns, "question.columns"),
            base_audience=base,
            waves=question.waves,
            locations=question.locations,
            bases=self._lines(question.bases, "question.bases"),
        )
        self.position = "audience"
        history = {"past": list[Any](), "future": list[Any]()}
        tree = read_work({"document": document.audience, "history": history})["document"]
        self.position = "opened"
        opened = document.opened and self._saved(document.opened)
        self.position = "picked"
        picked = checked_selection(document.picked)
        self.position = "panes"
        panes = checked_panes(document.panes)
        arrangement = Arrangement.from_dict(document.arrangement)
        return Study(asked, tree, document.table, arrangement, opened, picked, panes)

    def _lines(self, lines: list[_Line] | None, position: str) -> Axis | None:
        if lines is None:
            return None
        audiences: list[Audience] = []
        for number, line in enumerate(lines):
            self.position = f"{position}[{number}]"
            audiences.append(self._audience(line))
        return Axis(audiences, [line.heads for line in lines], [line.net for line in lines])

    @staticmethod
    def _audience(line: _Line) -> Audience:
        fields = {"name": line.name, "id": line.id, "expression": line.expression}
        return Audience.from_wire(fields)

    def _saved(self, line: _Line) -> SavedState:
        audience = self._audience(line)
        if audience.id is None:
            raise AudienceError("a saved audience has an id.")
        expression = None if audience.expression is None else audience.expression.to_wire()
        return {"id": audience.id, "name": audience.name, "expression": expression}


def read_study(value: object) -> Study:
    """The study of a JSON object; raises `BrokenStudy` with the position of the error."""
    _check_format(value)
    reader = _Reader()
    try:
        return reader.read(msgspec.convert(value, _Document))
    except msgspec.ValidationError as error:
        raise BrokenStudy(f"This workbench document is not valid: {error}") from None
    except RecursionError:
        raise BrokenStudy("This workbench document is nested too deeply.") from None
    except AudienceError as error:
        raise broken_at(reader.position, error) from None


def _check_format(value: object) -> None:
    if not isinstance(value, Mapping):
        raise BrokenStudy(f"A workbench document must be an object; got {type(value).__name__}.")
    fields = cast("Mapping[str, object]", value)
    if fields.get("format") != FORMAT:
        raise BrokenStudy(
            f"This is not a workbench document: its “format” must be {FORMAT!r}. "
            "workbench.save(path) writes one."
        )
    version = fields.get("version")
    if version != VERSION:
        newer = isinstance(version, int) and version > VERSION
        raise BrokenStudy(
            f"This document has version {version!r}, and this audiencelab reads version {VERSION}"
            + (": it was written by a newer audiencelab. Update yours." if newer else ".")
        )


def broken_at(position: str, error: object) -> BrokenStudy:
    """The error for a document that is not valid at a position."""
    return BrokenStudy(f"This workbench document is not valid at {position}: {error}")


# -- files ----------------------------------------------------------------------------------------


def write_study(path: str | Path, document: dict[str, Any]) -> Path:
    """Write a workbench document, which may replace another workbench document.

    Raises `FileExistsError` for any other existing file, and `WriteError`, an `OSError`, where it
    cannot be written.
    """
    target = Path(path).expanduser().absolute()
    if target.exists() and not _is_study(target):
        raise FileExistsError(
            f"{target.name} exists and is not a workbench document. Choose another name."
        )
    return write_json(target, document)


def write_json(path: Path, document: dict[str, Any]) -> Path:
    """Write a document as JSON, atomically; raises `WriteError`, an `OSError`."""
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    put(path, text.encode(), private=True)
    return path


def read_json(path: str | Path) -> object:
    """The JSON in a file; raises `BrokenStudy` for anything else, and `OSError`."""
    file = Path(path).expanduser()
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except RecursionError:
        raise BrokenStudy(f"{file.name} is nested too deeply for a workbench document.") from None
    except ValueError as error:
        raise BrokenStudy(f"{file.name} is not a workbench document: {error}") from None


def unused_path(name: str, suffix: str, folder: Path | None = None) -> Path:
    """A path where no file exists: `name` with the suffix, or with -2, -3 … before it."""
    numbers = itertools.chain([""], (f"-{number}" for number in itertools.count(2)))
    paths = ((folder or Path.cwd()) / f"{name}{number}{suffix}" for number in numbers)
    return next(path for path in paths if not path.exists())


def file_stem(words: str) -> str:
    """Words as a file name for any system: lower-case letters and digits with dashes between."""
    joined = "-".join(re.findall(r"\w+", words.casefold()))[:_NAME_LENGTH].strip("-_")
    return joined or "workbench"


def _is_study(path: Path) -> bool:
    try:
        found = read_json(path)
    except (BrokenStudy, OSError):
        return False
    return isinstance(found, dict) and found.get("format") == FORMAT  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] -- JSON
