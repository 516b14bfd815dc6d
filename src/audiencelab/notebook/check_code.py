"""What the code of a notebook says about its outputs: rows of respondents, files, services."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TypedDict

from audiencelab.notebook.check_texts import is_credential
from audiencelab.notebook.findings import Severity
from audiencelab.results.metrics import METRICS

_KEEPING = frozenset(
    "head tail sample sort_values sort_index query rename drop assign set_index reset_index fillna "
    "astype round dropna loc iloc copy merge join filter nlargest nsmallest tolist to_list "
    "to_string to_markdown to_html unique values to_numpy transpose T style explode str".split()
)
"""Methods of a frame after which it has rows of respondents still."""

_READING = re.compile(r"read_\w+|scan_\w+|open|import_\w+|connect|Path")
_SECRET_NAMES = {"token", "password", "api_key", "secret", "client_secret"}
_COUNTS = {"sample", *METRICS["sample"].typed} - {"n"}


class RowsShown(TypedDict):
    """A finding without its file."""

    kind: str
    severity: Severity
    cell: int
    words: str
    mend: str


class NotebookCode:
    """The code of a notebook's cells, which is read and not run.

    files: names that are opened or read. credentials: texts that are given as such.
    only_demo: whether all clients are of the demo survey, whose respondents are invented.
    """

    def __init__(self, sources: Sequence[str]) -> None:
        trees = [_parsed(each) for each in sources]
        self._shown: dict[int, str] = {}
        self._counting: set[int] = set()
        self.files: list[str] = []
        self.credentials: list[str] = []
        clients: list[bool] = []
        opened = {name for tree in trees for name in _opened_frames(tree)}
        rows: dict[str, str] = {}
        for number, tree in enumerate(trees, 1):
            for call in (each for each in ast.walk(tree) if isinstance(each, ast.Call)):
                self._read_call(call)
                if _called(call) in ("connect", "connect_async"):
                    clients.append(not call.args and not _names_a_service(call))
                elif _called(call) == "open" and isinstance(call.func, ast.Attribute):
                    clients.append(False)
                if _called(call) == "to_wide" and _COUNTS & {*_texts(call)}:
                    self._counting.add(number)
            for statement in tree.body:
                self._follow(number, statement, rows, opened)
        self.only_demo = bool(clients) and all(clients)

    def shows_counts(self, cell: int) -> bool:
        """Whether a cell makes a frame whose numbers are counts of respondents."""
        return cell in self._counting

    def rows_shown(self, cell: int) -> Iterator[RowsShown]:
        """What a cell shows of single respondents."""
        if cell not in self._shown:
            return
        texts = self._shown[cell] == "texts"
        yield RowsShown(
            kind="open text" if texts else "respondents",
            severity="high",
            cell=cell,
            words=f"It shows {'open answers' if texts else 'rows'} of single respondents.",
            mend="show a count of them, such as client.crosstab(…) or frame.shape, and run again",
        )

    def _read_call(self, call: ast.Call) -> None:
        for keyword in call.keywords:
            value = keyword.value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                if keyword.arg in _SECRET_NAMES and is_credential(value.value):
                    self.credentials.append(value.value)
        if _READING.fullmatch(_called(call)) or _called(call) == "recording":
            self.files += [each for each in _texts(call) if "\n" not in each]

    def _follow(self, cell: int, statement: ast.stmt, rows: dict[str, str], opened: set[str]) -> None:
        """Note names of frames with rows of respondents, and where they are shown."""
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                rows.pop(name, None)
                if kind := _rows_in(value, rows):
                    rows[name] = kind
                elif name in opened and _reads_a_file(value):
                    rows[name] = "rows"
            case ast.Expr(value=ast.Call(func=ast.Name(id="print" | "display"), args=args)):
                self._show(cell, args, rows)
            case ast.Expr(value=value):
                self._show(cell, [value], rows)
            case ast.For(iter=each, body=body) if _rows_in(each, rows):
                if any(_called(call) in ("print", "display") for call in _calls(body)):
                    self._show(cell, [each], rows)
            case _:
                pass

    def _show(self, cell: int, shown: Sequence[ast.expr], rows: dict[str, str]) -> None:
        for kind in filter(None, (_rows_in(each, rows) for each in shown)):
            self._shown.setdefault(cell, kind)


def _parsed(source: str) -> ast.Module:
    """The code of a cell without its magics; an empty module for what is no Python."""
    lines = ["" if line.lstrip().startswith(("%", "!", "?")) else line for line in source.split("\n")]
    try:
        return ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def _calls(body: Sequence[ast.stmt]) -> Iterator[ast.Call]:
    for statement in body:
        yield from (each for each in ast.walk(statement) if isinstance(each, ast.Call))


def _texts(call: ast.Call) -> Iterator[str]:
    """The texts among the arguments of a call, and in lists of them."""
    for argument in (*call.args, *(each.value for each in call.keywords)):
        parts = argument.elts if isinstance(argument, ast.List | ast.Tuple) else [argument]
        for each in parts:
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                yield each.value


def _names_a_service(call: ast.Call) -> bool:
    return any(each.arg in ("base_url", "survey", "snapshot", None) for each in call.keywords)


def _opened_frames(tree: ast.Module) -> Iterator[str]:
    """Names of frames that are opened as a survey: their rows are respondents."""
    for call in (each for each in ast.walk(tree) if isinstance(each, ast.Call)):
        match call:
            case ast.Call(func=ast.Attribute(attr="open"), args=[ast.Name(id=name), *_]):
                yield name
            case _:
                pass


def _reads_a_file(value: ast.expr) -> bool:
    """Whether an expression reads rows that are not in the code itself."""
    return any(_READING.fullmatch(_called(call)) for call in _calls([ast.Expr(value)]))


def _rows_in(value: ast.expr, rows: dict[str, str]) -> str:
    """"rows" or "texts" for an expression with rows of respondents, else ""."""
    match value:
        case ast.Name(id=name):
            return rows.get(name, "")
        case ast.Call(func=ast.Attribute(attr="respondents")):
            return "texts" if any(each.arg == "text" for each in value.keywords) else "rows"
        case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in _KEEPING:
            return _rows_in(inner, rows)
        case ast.Attribute(value=inner, attr=name) if name in _KEEPING:
            return _rows_in(inner, rows)
        case ast.Subscript(value=inner):
            return _rows_in(inner, rows)
        case _:
            return ""


