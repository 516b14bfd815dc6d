"""A workbench as a document: one small JSON object or file that it can be opened from again.

The document contains the settings of a workbench and no data: the table is counted again. Its
fields are in `docs/reference/workbench-format.md`. A part that figures depend on is either read or
refused; other parts that are not known are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from audiencelab.errors import AudienceError
from audiencelab.files import put
from audiencelab.schema.scope import SCOPE_ARGUMENTS
from audiencelab.widgets.crosstab.deck_item import DeckItem
from audiencelab.widgets.crosstab.formatting import EARLIER_LOOKS
from audiencelab.widgets.crosstab.protocol import ChartStyle
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.crosstab.view_state import Arrangement
from audiencelab.widgets.editor.document import read_document
from audiencelab.widgets.picker.selection import Picked, checked_selection
from audiencelab.widgets.saved_audiences import SavedState
from audiencelab.widgets.workbench.deck_form import DeckForm, deck_to_json, read_deck
from audiencelab.widgets.workbench.question_form import (
    UNKNOWN,
    AudienceForm,
    BrokenStudy,
    QuestionForm,
    at,
    broken_at,
    question_to_json,
    read_question,
)

FORMAT = "audiencelab.workbench"
VERSION = 2
SUFFIX = ".audiencelab.json"

NAME_LENGTH = 80
"""Characters of a file's name."""


class Panes(ChartStyle):
    """The layout: width of the side panel and of the chart, and height, in pixels; and the chart.

    closed: panes that are collapsed; None collapses the side panel where the table needs its width.
    """

    rail: float = 360
    chart: float = 420
    height: float = 640
    closed: list[Literal["rail", "chart"]] | None = None


_MIN_PIXELS, _MAX_PIXELS = 80, 4_000


def checked_panes(value: object) -> dict[str, Any]:
    """The layout with defaults for missing entries, and sizes that keep every pane visible.

    Raises `AudienceError` for a size that is not a number, and for an unknown choice of the chart.
    """
    try:
        panes = msgspec.convert(value if isinstance(value, Mapping) else {}, Panes)
        sizes = {
            name: round(min(max(getattr(panes, name), _MIN_PIXELS), _MAX_PIXELS))
            for name in ("rail", "chart", "height")
        }
    except ValueError as error:  # msgspec's, and that of rounding NaN
        raise AudienceError(f"panes: {error}") from None
    return msgspec.to_builtins(panes) | sizes


@dataclass(frozen=True, slots=True)
class WorkbenchState:
    """The state of a workbench.

    question: the query of its table. table: how the cells look, the grid's traits by name.
    arrangement: how its lines are sorted, moved and hidden.
    audience: the editor's tree, finished or not; opened: the saved audience that it came from.
    picked: the picker's selection. panes: the layout.
    connect: Python that connects to the survey; a path below the folder of the document is relative
        to it. JupyterLab runs nothing of it but calls that open a file.
    deck, template: what was collected for a presentation, and the name of its template.
    """

    question: GridQuery
    audience: dict[str, Any]
    table: Mapping[str, Any] = field(default_factory=dict[str, Any])
    arrangement: Arrangement = field(default_factory=Arrangement)
    opened: SavedState | None = None
    picked: list[Picked] = field(default_factory=list[Picked])
    panes: dict[str, Any] = field(default_factory=lambda: checked_panes({}))
    connect: str = ""
    deck: Sequence[DeckItem] = ()
    template: str = ""


# -- to JSON ------------------------------------------------------------------------------------


def to_json(study: WorkbenchState) -> dict[str, Any]:
    """The study as a JSON object without empty fields."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "question": question_to_json(study.question),
        "table": dict(study.table),
        "arrangement": study.arrangement.to_dict(),
        "audience": study.audience,
        "picked": study.picked,
        "panes": study.panes,
    }
    if study.opened is not None:
        document["opened"] = study.opened
    if study.connect:
        document["connect"] = study.connect
    if study.deck or study.template:
        document["deck"] = deck_to_json(study.template, study.deck)
    # A deep copy in plain types: changing it changes no widget.
    return msgspec.json.decode(msgspec.json.encode(document))


# -- from JSON ----------------------------------------------------------------------------------


class _Opened(AudienceForm):
    etag: str | None = None


class _Document(msgspec.Struct):
    audience: dict[str, Any]
    question: QuestionForm = msgspec.field(default_factory=QuestionForm)
    table: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    arrangement: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    opened: _Opened | None = None
    picked: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])
    panes: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    connect: str = ""
    meaning: object = None
    deck: DeckForm = msgspec.field(default_factory=DeckForm)


def read_study(value: object) -> WorkbenchState:
    """The study of a JSON object; raises `BrokenStudy` with the position of the error."""
    document = _present_form(value)
    try:
        return _study(msgspec.convert(document, _Document))
    except msgspec.ValidationError as error:
        raise BrokenStudy(f"This workbench document is not valid: {error}") from None
    except RecursionError:
        raise BrokenStudy("This workbench document is nested too deeply.") from None


def _study(document: _Document) -> WorkbenchState:
    question = read_question(document.question, "question")
    if document.meaning:
        raise broken_at("meaning", UNKNOWN)
    with at("audience"):
        tree = read_document(document.audience)
    with at("opened"):
        opened = document.opened and _saved(document.opened)
    with at("picked"):
        picked = checked_selection(document.picked)
    with at("panes"):
        panes = checked_panes(document.panes)
    arrangement = Arrangement.from_dict(document.arrangement)
    template, deck = read_deck(document.deck)
    return WorkbenchState(
        *(question, tree, document.table, arrangement, opened, picked, panes, document.connect),
        deck=tuple(deck),
        template=template,
    )


def _saved(item: _Opened) -> SavedState:
    audience = item.to_audience()
    if audience.id is None:
        raise AudienceError("a saved audience has an id.")
    expression = None if audience.expression is None else audience.expression.to_wire()
    return {"id": audience.id, "name": audience.name, "expression": expression, "etag": item.etag}


def _present_form(value: object) -> Mapping[str, object]:
    """A document of any version as one of `VERSION`; raises `BrokenStudy` for anything else."""
    if not isinstance(value, Mapping):
        raise BrokenStudy(f"A workbench document must be an object; got {type(value).__name__}.")
    fields = cast("Mapping[str, object]", value)
    if fields.get("format") != FORMAT:
        raise BrokenStudy(
            f"This is not a workbench document: its format must be {FORMAT!r}. "
            "workbench.save(path) writes one."
        )
    version = fields.get("version")
    if version not in (1, VERSION):
        newer = isinstance(version, int) and version > VERSION
        raise BrokenStudy(
            f"This document has version {version!r}, and this audiencelab reads versions 1 to "
            f"{VERSION}"
            + (": it was written by a newer audiencelab. Update yours." if newer else ".")
        )
    return _with_looks(fields if version == VERSION else _of_version_1(fields))


def _with_looks(fields: Mapping[str, object]) -> Mapping[str, object]:
    """The document with the settings of the grid by their present names."""
    table = fields.get("table")
    if not isinstance(table, Mapping):
        return fields
    looks = cast("Mapping[str, object]", table)
    return {
        **fields,
        "table": {EARLIER_LOOKS.get(name, name): value for name, value in looks.items()},
    }


def _of_version_1(fields: Mapping[str, object]) -> Mapping[str, object]:
    """A document of version 1 as one of 2: one scope, groups by their present name."""
    asked = fields.get("question")
    if not isinstance(asked, Mapping):
        return fields
    question = dict(cast("Mapping[str, Any]", asked))
    scope = {name: question.pop(name) for name in SCOPE_ARGUMENTS if name in question}
    for axis in ("rows", "columns"):
        if isinstance(items := question.get(axis), list):
            question[axis] = [_with_groups(each) for each in cast("list[Any]", items)]
    return {**fields, "question": {**question, "scope": scope}}


def _with_groups(item: object) -> object:
    if not isinstance(item, Mapping) or "heads" not in item:
        return cast("object", item)
    fields = dict(cast("Mapping[str, object]", item))
    return {"groups": fields.pop("heads"), **fields}


# -- files ----------------------------------------------------------------------------------------


def write_study(
    path: str | Path, document: dict[str, Any], connect: Callable[[Path], str] | None = None
) -> Path:
    """Write a workbench document, which may replace another workbench document; returns its path.

    connect: writes the code that connects for the folder of the document.
    Raises `FileExistsError` for any other existing file, and `WriteError`, an `OSError`, where it
    cannot be written.
    """
    target = Path(path).expanduser().absolute()
    if target.exists() and not _is_study(target):
        raise FileExistsError(
            f"{target.name} exists and is not a workbench document. Choose another name."
        )
    if connect is not None:
        document = document | {"connect": connect(target.parent)}
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


def file_stem(words: str) -> str:
    """Words as a file name for any system: lower-case letters and digits with dashes between."""
    joined = "-".join(re.findall(r"\w+", words.casefold()))[:NAME_LENGTH].strip("-_")
    return joined or "workbench"


def _is_study(path: Path) -> bool:
    try:
        found = read_json(path)
    except (BrokenStudy, OSError):
        return False
    return isinstance(found, dict) and found.get("format") == FORMAT  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] -- JSON
