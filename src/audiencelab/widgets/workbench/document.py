"""A workbench as a document: one small JSON object or file that it can be opened from again.

The document contains the settings of a workbench and no data: the table is counted again. Its
fields are in `docs/reference/workbench-format.md`. A part that figures depend on is either read or
refused; other parts that are not known are ignored.
"""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from audiencelab.client.audiences import StatisticPlace
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, parse_audience
from audiencelab.files import put
from audiencelab.results.statistic_rows import Statistic
from audiencelab.schema.scope import SCOPE_ARGUMENTS, Scope
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.formatting import EARLIER_LOOKS
from audiencelab.widgets.crosstab.placed import PlacedStatistics
from audiencelab.widgets.crosstab.protocol import ChartStyle
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.crosstab.view_state import Arrangement
from audiencelab.widgets.editor.document import read_document
from audiencelab.widgets.picker.selection import Picked, checked_selection
from audiencelab.widgets.saved_audiences import SavedState

FORMAT = "audiencelab.workbench"
VERSION = 2
SUFFIX = ".audiencelab.json"

NAME_LENGTH = 80
"""Characters of a file's name."""

_UNKNOWN = (
    "figures depend on it, and this audiencelab does not know it: a newer one wrote it. Update "
    "yours."
)


class BrokenStudy(AudienceError, ValueError):
    """A document that no workbench can be opened from; the message names the position."""


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
    """

    question: GridQuery
    audience: dict[str, Any]
    table: Mapping[str, Any] = field(default_factory=dict[str, Any])
    arrangement: Arrangement = field(default_factory=Arrangement)
    opened: SavedState | None = None
    picked: list[Picked] = field(default_factory=list[Picked])
    panes: dict[str, Any] = field(default_factory=lambda: checked_panes({}))
    connect: str = ""


# -- to JSON ------------------------------------------------------------------------------------


def to_json(study: WorkbenchState) -> dict[str, Any]:
    """The study as a JSON object without empty fields."""
    question = study.question
    positions = [_Position(each.before, each.groups) for each in question.statistics.places]
    asked = {
        "rows": _axis_to_json(question.rows),
        "columns": _axis_to_json(question.columns),
        "bases": None if question.bases is None else [base.to_wire() for base in question.bases],
        "scope": question.scope.to_json() or None,
        "statistics": [each.plain for each in question.statistics] or None,
        "statistic_positions": positions or None,
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
    if study.connect:
        document["connect"] = study.connect
    # A deep copy in plain types: changing it changes no widget.
    return msgspec.json.decode(msgspec.json.encode(document))


def _axis_to_json(axis: AxisAudiences | None) -> list[dict[str, Any]] | None:
    if axis is None:
        return None
    return [
        audience.to_wire()
        | ({"groups": groups} if groups else {})
        | ({"net": True} if is_net else {})
        for audience, groups, is_net in zip(axis, axis.groups, axis.nets, strict=True)
    ]


def code_from(folder: Path, code: str) -> str:
    """Code that connects, its absolute paths below a folder written relative to that folder.

    >>> code_from(Path("/study"), "al.open('/study/data/a.sav', weight='wgt')")
    "al.open('data/a.sav', weight='wgt')"
    """
    tree = ast.parse(code, mode="eval")
    changed = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            path = Path(node.value)
            # As it is written and with links resolved: code may have either.
            for base in (folder.absolute(), folder.resolve()):
                if path.is_absolute() and path.is_relative_to(base) and path != base:
                    node.value = path.relative_to(base).as_posix()
                    changed = True
                    break
    return ast.unparse(tree) if changed else code


# -- from JSON ----------------------------------------------------------------------------------


class _Item(msgspec.Struct):
    name: str = ""
    id: str | None = None
    expression: dict[str, Any] | None = None
    groups: tuple[str, ...] = ()
    net: bool = False

    def to_audience(self) -> Audience:
        fields = {"name": self.name, "id": self.id, "expression": self.expression}
        return parse_audience(fields)


class _Opened(_Item):
    etag: str | None = None


class _Position(msgspec.Struct, omit_defaults=True):
    """The position of a statistic among the rows."""

    before: int
    groups: tuple[str, ...] = ()


class _Question(msgspec.Struct):
    rows: list[_Item] | None = None
    columns: list[_Item] | None = None
    bases: list[_Item] | None = None
    scope: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    statistics: tuple[Statistic, ...] = ()
    statistic_positions: tuple[_Position, ...] = ()


class _Document(msgspec.Struct):
    audience: dict[str, Any]
    question: _Question = msgspec.field(default_factory=_Question)
    table: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    arrangement: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    opened: _Opened | None = None
    picked: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])
    panes: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    connect: str = ""
    meaning: object = None


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
    asked = document.question
    rows, columns, bases = (
        _axis(getattr(asked, name), f"question.{name}") for name in ("rows", "columns", "bases")
    )
    with _at("question.scope"):
        scope = _scope(asked.scope)
    statistics: list[Statistic] = []
    for number, each in enumerate(asked.statistics):
        with _at(f"question.statistics[{number}]"):
            statistics.append(_checked_statistic(each))
    if document.meaning:
        raise broken_at("meaning", _UNKNOWN)
    with _at("audience"):
        tree = read_document(document.audience)
    with _at("opened"):
        opened = document.opened and _saved(document.opened)
    with _at("picked"):
        picked = checked_selection(document.picked)
    with _at("panes"):
        panes = checked_panes(document.panes)
    # Older documents have statistics after all rows.
    ends = [_Position(len(rows or ()))] * len(statistics)
    pairs = zip(statistics, [*asked.statistic_positions, *ends], strict=False)
    placed = [StatisticPlace(each, at.before, at.groups) for each, at in pairs]
    question = GridQuery(rows, columns, scope, bases, PlacedStatistics(placed))
    arrangement = Arrangement.from_dict(document.arrangement)
    return WorkbenchState(
        question, tree, document.table, arrangement, opened, picked, panes, document.connect
    )


def _axis(items: list[_Item] | None, position: str) -> AxisAudiences | None:
    if items is None:
        return None
    audiences: list[Audience] = []
    for number, item in enumerate(items):
        with _at(f"{position}[{number}]"):
            audiences.append(item.to_audience())
    return AxisAudiences(audiences, [item.groups for item in items], [item.net for item in items])


def _scope(fields: Mapping[str, Any]) -> Scope:
    # Any other part of a document may be ignored; without this one the figures would be others.
    if unknown := sorted(fields.keys() - set(SCOPE_ARGUMENTS)):
        raise AudienceError(f"{unknown[0]!r}: {_UNKNOWN}")
    return Scope.from_json(fields)


def _checked_statistic(given: Statistic) -> Statistic:
    """The row, whose code becomes code of a notebook; raises `AudienceError` for any other code."""
    if not given.code:
        return given
    refusal = f"the code {given.code!r} is not a statistic of a question."
    try:
        node = ast.parse(f"client{given.code}", mode="eval").body
        match node:
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Subscript(value=ast.Name("client"), slice=ast.Constant(str()))
                )
            ):
                for each in (*node.args, *(keyword.value for keyword in node.keywords)):
                    ast.literal_eval(each)
            case _:
                raise AudienceError(refusal)
    except (ValueError, SyntaxError):
        raise AudienceError(refusal) from None
    return replace(given, code=ast.unparse(node).removeprefix("client"))


def _saved(item: _Opened) -> SavedState:
    audience = item.to_audience()
    if audience.id is None:
        raise AudienceError("a saved audience has an id.")
    expression = None if audience.expression is None else audience.expression.to_wire()
    return {"id": audience.id, "name": audience.name, "expression": expression, "etag": item.etag}


@contextmanager
def _at(position: str) -> Generator[None]:
    try:
        yield
    except AudienceError as error:
        raise broken_at(position, error) from None


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


def broken_at(position: str, error: object) -> BrokenStudy:
    """The error for a document that is not valid at a position."""
    return BrokenStudy(f"This workbench document is not valid at {position}: {error}")


# -- files ----------------------------------------------------------------------------------------


def write_study(path: str | Path, document: dict[str, Any], connect: str = "") -> Path:
    """Write a workbench document, which may replace another workbench document.

    connect: the code that connects, with absolute paths.
    Raises `FileExistsError` for any other existing file, and `WriteError`, an `OSError`, where it
    cannot be written.
    """
    target = Path(path).expanduser().absolute()
    if target.exists() and not _is_study(target):
        raise FileExistsError(
            f"{target.name} exists and is not a workbench document. Choose another name."
        )
    if connect:
        document = document | {"connect": code_from(target.parent, connect)}
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
    joined = "-".join(re.findall(r"\w+", words.casefold()))[:NAME_LENGTH].strip("-_")
    return joined or "workbench"


def _is_study(path: Path) -> bool:
    try:
        found = read_json(path)
    except (BrokenStudy, OSError):
        return False
    return isinstance(found, dict) and found.get("format") == FORMAT  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] -- JSON
