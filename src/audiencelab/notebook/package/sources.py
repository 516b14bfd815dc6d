"""The files that the code of a notebook names, and an empty folder with copies of them.

Names are read from the code, which is not run: texts, texts with parts to be filled in (as
patterns), and modules. Only relative names are followed: an absolute one holds on one machine.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from audiencelab.ingest.pinning import SUFFIX
from audiencelab.notebook.check_code import called
from audiencelab.notebook.io import NotebookError, code_cells
from audiencelab.survey.layout import MANIFEST

if TYPE_CHECKING:
    from nbformat import NotebookNode

_LONGEST = 300
"""Characters of a text that may be the name of a file."""

_TEXT = re.compile(r"""["']([^"'\n]+)["']""")
_IMAGE = re.compile(
    r"""!\[[^\]]*\]\(\s*<?([^)\s>]+)|<img\b[^>]*\bsrc=["']([^"']+)""", re.IGNORECASE
)
_PATTERN = re.compile(r"[*?\[]")
_OPENS = re.compile(r"(?:open|connect|load|import|read|scan|fromfile|genfromtxt|loadtxt)(?:_\w+)?")
"""The names of functions that are given the name of a file to read."""


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """What the code of notebooks names.

    root: the folder that all of it is in. listed: files that are named, by themselves or by a
    pattern. pinned: codebooks beside the notebooks. around: these, and files of folders that are
    named. opened: those of `listed` and `around` that
    a call names which reads files. added: those that the author names. absolute: absolute paths
    that exist, as they are written.
    """

    root: Path
    listed: frozenset[Path]
    around: frozenset[Path]
    pinned: frozenset[Path]
    opened: frozenset[Path]
    added: frozenset[Path]
    absolute: tuple[str, ...]


def named_files(notebooks: Sequence[tuple[Path, NotebookNode]], more: Iterable[str]) -> NamedFiles:
    """Find the files that notebooks name.

    more: names and patterns that the author adds, relative to the first notebook.
    """
    listed: set[Path] = set()
    around: set[Path] = set()
    opened: set[Path] = set()
    added: set[Path] = set()
    absolute: list[str] = []
    folders = [path.resolve().parent for path, _ in notebooks]
    for (_, notebook), folder in zip(notebooks, folders, strict=True):
        words = _Words(notebook)
        absolute += [each for each in words.all if _is_absolute(each)]
        bases = [folder, *(found for each in words.all if (found := _folder(each, folder)))]
        for word in words.all:
            files, within = _meant(word, bases)
            listed |= files
            around |= within
            opened |= (files | within) if word in words.opened else set()
    for each in more:
        files, within = _meant(each, folders[:1])
        if not files | within:
            raise NotebookError(
                f"--include {each}: there is no such file beside {notebooks[0][0].name}."
            )
        added |= files | within
    listed |= added
    listed = {path for found in listed for path in whole(found)}
    own = {path.resolve() for path, _ in notebooks}
    pinned = {path for folder in folders for path in folder.glob(f"*{SUFFIX}")}
    around |= pinned
    root = Path(os.path.commonpath([*folders, *(path.parent for path in listed | around)]))
    return NamedFiles(
        root,
        frozenset(listed - own),
        frozenset(around - listed - own),
        frozenset(pinned),
        frozenset(opened - own),
        frozenset(added - own),
        tuple(dict.fromkeys(absolute)),
    )


def copied(files: Iterable[Path], root: Path, folder: Path) -> None:
    """Copy files into a folder, by their paths below `root`."""
    for path in files:
        target = folder / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        shutil.copystat(path, target)


class _Words:
    """The texts in a notebook that may be names of files.

    opened: those that a call names which reads files.
    """

    def __init__(self, notebook: NotebookNode) -> None:
        found: dict[str, None] = {}
        self.opened: set[str] = set()
        for cell in code_cells(notebook):
            tree = _parsed(cell.source)
            if tree is None:
                found |= dict.fromkeys(_TEXT.findall(cell.source))
                continue
            for node in ast.walk(tree):
                found |= dict.fromkeys(_written(node))
                if isinstance(node, ast.Call) and _OPENS.fullmatch(called(node)):
                    for given in [*node.args, *(each.value for each in node.keywords)]:
                        self.opened.update(
                            word for each in ast.walk(given) for word in _written(each)
                        )
        for cell in cast("list[Any]", notebook.cells):
            if cell.cell_type == "markdown":
                found |= {one or other: None for one, other in _IMAGE.findall(cell.source)}
        self.all = tuple(word for word in found if _is_name(word))


def _parsed(source: str) -> ast.AST | None:
    from IPython.core.inputtransformer2 import TransformerManager

    try:
        return ast.parse(TransformerManager().transform_cell(source))
    except (SyntaxError, ValueError):
        return None


def _written(node: ast.AST) -> Iterator[str]:
    """The names of files that a part of the code may write, with * for what is filled in."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
            # `%run analysis.py 2025` has a name among other words.
            yield from text.split() if " " in text else ()
        case ast.JoinedStr(values=parts):
            texts = [part.value if isinstance(part, ast.Constant) else "*" for part in parts]
            yield "".join(str(text) for text in texts)
        case ast.Import(names=names):
            for each in names:
                yield from _module(each.name)
        case ast.ImportFrom(module=str(module), level=0):
            yield from _module(module)
        case _:
            return


def _module(name: str) -> Iterator[str]:
    top = name.partition(".")[0]
    yield from (f"{top}.py", f"{top}/**/*.py")


def _is_name(word: str) -> bool:
    is_text = 0 < len(word) <= _LONGEST and not any(ord(each) < 32 for each in word)
    return is_text and "://" not in word and bool(re.search(r"\w", word))


def _is_absolute(word: str) -> bool:
    try:
        return word.startswith(("~", os.sep)) and Path(word).expanduser().is_file()
    except (OSError, RuntimeError):
        return False


def _folder(word: str, folder: Path) -> Path | None:
    if Path(word).is_absolute() or _PATTERN.search(word):
        return None
    found = (folder / word).resolve()
    return found if found.is_dir() and found != folder else None


def _meant(word: str, bases: Sequence[Path]) -> tuple[set[Path], set[Path]]:
    """The files of a name in some folders, and those in folders of that name.

    bases: the folder of the notebook first.
    """
    listed: set[Path] = set()
    around: set[Path] = set()
    if word.startswith(("~", os.sep)) or Path(word).is_absolute():
        return listed, around
    for base in bases:
        try:
            found = [*base.glob(word)] if _PATTERN.search(word) else [base / word]
        except (ValueError, NotImplementedError, OSError):
            continue  # not a pattern that there is
        for path in map(Path.resolve, found):
            if path.is_file():
                (around if _PATTERN.search(word) else listed).add(path)
            elif path.is_dir() and not bases[0].is_relative_to(path):
                around |= {*_files(path)}
    return listed, around


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith((".", "__pycache__")) for part in parts):
            yield path


def whole(path: Path) -> Iterable[Path]:
    """A file with what belongs to it: all of a survey folder."""
    folder = next((each for each in path.parents if (each / MANIFEST).is_file()), None)
    return [path] if folder is None else [each for each in folder.rglob("*") if each.is_file()]
