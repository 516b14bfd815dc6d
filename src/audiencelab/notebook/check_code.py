"""What the code of a notebook says about its outputs: rows of respondents, files, services."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TypedDict

from audiencelab.notebook.check_findings import Severity
from audiencelab.notebook.check_texts import is_credential
from audiencelab.results.metrics import METRICS

_KEEPING = re.compile(
    r"head|tail|sample|sort_values|sort_index|query|rename|drop|assign|set_index|reset_index|fillna|"
    r"astype|round|dropna|loc|iloc|copy|merge|join|filter|nlargest|nsmallest|to_?list|to_string|"
    r"to_markdown|to_html|unique|values|to_numpy|T|style|explode|str"
)
"""Members of a frame after which there are rows of respondents still."""

STATISTICAL = (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt", ".sss")
"""Suffixes of files that hold respondents wherever they are; others only where code says so."""

_READING = re.compile(r"read_\w+|scan_\w+|open|import_\w+|connect|recording")
_PASSWORD = re.compile(
    r"(?:.*_)?(?:password|passwd|pwd|passphrase|passwor[dt]|kennwort|senha|palavra_passe|contraseña|"
    r"mot_de_passe|wachtwoord|lösenord|hasło|parola|şifre|パスワード|密码|비밀번호)",
    re.I,
)
_SECRET = re.compile(r"(?:.*_)?(?:token|secret|(?:api|access|secret|private)_?key)", re.I)
"""Names of credentials; a text that one names has a digit, since others are words."""

_OF_FRAMES = {"shape", "columns", "dtypes", "index", "size", "empty", "ndim", "attrs"}
"""Attributes of a frame that are not columns."""

_DESCRIBING = {"labels", "codebook", "encoding", "sheet", "name", "weight", "wave"}
"""Arguments that name no file with respondents."""

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

    surveys: names of files and folders that are opened as a survey. snapshots: of snapshots.
    credentials: texts that are given as such.
    only_demo: whether all clients are of the demo survey, whose respondents are invented.
    """

    def __init__(self, sources: Sequence[str]) -> None:
        trees = [_parsed(each) for each in sources]
        self._shown: dict[int, str] = {}
        self._counting: set[int] = set()
        self._texts: dict[str, str] = {}
        self.surveys: list[str] = []
        self.snapshots: list[str] = []
        self.credentials: list[str] = []
        self._rows: dict[str, str] = {}
        clients: list[bool] = []
        opened = {name for tree in trees for name in _opened_frames(tree)}
        for number, tree in enumerate(trees, 1):
            for statement in tree.body:
                self._note_text(statement)
                self._note_credentials(statement)
                reads = _target(statement) in opened
                for call in _calls([statement]):
                    self._read_call(number, call, is_survey=reads or _is_open(call))
                    if called(call) in ("connect", "connect_async"):
                        clients.append(not call.args and not _names_a_service(call))
                    elif _is_open(call):
                        clients.append(False)
        for number, tree in enumerate(trees, 1):
            for statement in tree.body:
                self._note_text(statement)
                self._follow(number, statement, opened)
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

    def _read_call(self, cell: int, call: ast.Call, *, is_survey: bool) -> None:
        for keyword in call.keywords:
            self._note_credential(keyword.arg or "", keyword.value, is_given=True)
        if _READING.fullmatch(called(call)):
            given = [each.value for each in call.keywords if each.arg not in _DESCRIBING]
            for argument in (*call.args, *given):
                parts = argument.elts if isinstance(argument, ast.List | ast.Tuple) else [argument]
                named = map(self._text, parts)
                names = [each for each in named if each and "\n" not in each]
                self.snapshots += [each for each in names if each.endswith(".jsonl")]
                self.surveys += names if is_survey else []
        if called(call) == "connect":
            named = (self._text(each.value) for each in call.keywords if each.arg == "survey")
            self.surveys += filter(None, named)
        if called(call) == "to_wide" and any(self._text(each) in _COUNTS for each in call.args):
            self._counting.add(cell)

    def _note_credentials(self, statement: ast.stmt) -> None:
        """Note texts that names or keys of credentials are given, as in `DB_PASSWORD = "…"`."""
        for node in ast.walk(statement):
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._note_credential(_name_of(target), value)
                case ast.Dict(keys=keys, values=values):
                    for key, value in zip(keys, values, strict=True):
                        self._note_credential(_name_of(key), value)
                case _:
                    pass

    def _note_credential(self, name: str, value: ast.expr, *, is_given: bool = False) -> None:
        text = self._text(value)
        is_one = _PASSWORD.fullmatch(name) is not None or (
            _SECRET.fullmatch(name) is not None and (is_given or any(map(str.isdigit, text)))
        )
        if is_one and is_credential(text) and " " not in text:
            self.credentials.append(text)

    def _text(self, value: ast.expr) -> str:
        """The text that an expression makes, as far as the code says; "" for others."""
        match value:
            case ast.Constant(value=str(text)):
                return text
            case ast.Name(id=name):
                return self._texts.get(name, "")
            case ast.JoinedStr(values=parts):
                return "".join(map(self._text, parts))
            case ast.FormattedValue(value=inner) | ast.Call(func=ast.Name(id="Path"), args=[inner]):
                return self._text(inner)
            case ast.BinOp(left=left, op=ast.Div() | ast.Add() as sign, right=right):
                between = "/" if isinstance(sign, ast.Div) else ""
                return f"{self._text(left)}{between}{self._text(right)}"
            case _:
                return ""

    def _note_text(self, statement: ast.stmt) -> None:
        if (name := _target(statement)) and isinstance(statement, ast.Assign):
            self._texts[name] = self._text(statement.value)

    def _follow(self, cell: int, statement: ast.stmt, opened: set[str]) -> None:
        """Note names of frames with rows of respondents, and where they are shown."""
        match statement:
            case ast.Assign(value=value) if name := _target(statement):
                self._rows[name] = self._rows_in(value) or (
                    "rows" if name in opened and _reads_a_file(value) else ""
                )
            case ast.Expr(value=ast.Call(func=ast.Name(id="print" | "display"), args=args)):
                self._show(cell, args)
            case ast.Expr(value=value):
                self._show(cell, [value])
            case ast.For(iter=each, body=body) if _prints(body):
                self._show(cell, [each])
            case _:
                pass

    def _show(self, cell: int, shown: Sequence[ast.expr]) -> None:
        for kind in filter(None, map(self._rows_in, shown)):
            self._shown.setdefault(cell, kind)

    def _rows_in(self, value: ast.expr) -> str:
        """What an expression has of single respondents, "rows" or "texts"; "" for nothing."""
        match value:
            case ast.Name(id=name):
                return self._rows.get(name, "")
            case ast.Call(func=ast.Attribute(attr="respondents")):
                return "texts" if any(each.arg == "text" for each in value.keywords) else "rows"
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if _KEEPING.fullmatch(name):
                return self._rows_in(inner)
            case ast.Call(args=[ast.expr() as file, *_]) if called(value).startswith("read_"):
                text = self._text(file)
                read = text in self.surveys or text.lower().endswith(STATISTICAL)
                return "rows" if text and read else ""
            case ast.Attribute(value=inner, attr=name) if name not in _OF_FRAMES:
                return self._rows_in(inner)
            case ast.Subscript(value=inner):
                return self._rows_in(inner)
            case _:
                return ""


def _target(statement: ast.stmt) -> str:
    """The name that a statement assigns to; of several, as of `frame, meta = …`, the first."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=name), *_])]):
            return name
        case _:
            return ""


def _prints(body: Sequence[ast.stmt]) -> bool:
    return any(called(call) in ("print", "display") for call in _calls(body))


def _parsed(source: str) -> ast.Module:
    """The code of a cell without its magics; an empty module for what is not Python."""
    lines = [
        "" if line.lstrip().startswith(("%", "!", "?")) else line for line in source.split("\n")
    ]
    flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        return compile("\n".join(lines), "cell", "exec", flags)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def _name_of(target: ast.expr | None) -> str:
    """The name, attribute or key that is given a value; "" for others."""
    match target:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
            return name
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
        case _:
            return ""


def called(call: ast.Call) -> str:
    """The name of what is called, without the object whose method it is."""
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def _calls(body: Sequence[ast.stmt]) -> Iterator[ast.Call]:
    for statement in body:
        yield from (each for each in ast.walk(statement) if isinstance(each, ast.Call))


def _is_open(call: ast.Call) -> bool:
    """Whether a call is `al.open(…)`; the plain `open` of Python opens any file."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "open"


def _names_a_service(call: ast.Call) -> bool:
    return any(each.arg in ("base_url", "survey", "snapshot", None) for each in call.keywords)


def _opened_frames(tree: ast.Module) -> Iterator[str]:
    """Names of frames that are opened as a survey: their rows are respondents."""
    for call in _calls(tree.body):
        given = call.args[0] if _is_open(call) and call.args else None
        # As in al.open(frame.assign(year=2025)).
        while isinstance(given, ast.Call | ast.Attribute | ast.Subscript):
            given = given.func if isinstance(given, ast.Call) else given.value
        if isinstance(given, ast.Name):
            yield given.id


def _reads_a_file(value: ast.expr) -> bool:
    """Whether an expression reads rows that are not in the code itself."""
    return any(_READING.fullmatch(called(call)) for call in _calls([ast.Expr(value)]))
