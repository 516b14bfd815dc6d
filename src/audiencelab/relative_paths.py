"""Paths as a reader of another machine can use them: from a folder, where that is near."""

from __future__ import annotations

import ast
import os
import tempfile
from pathlib import Path

_MOST_UP = 2
"""Folders above the one that a path is written from."""


def relative_path(path: str | Path, folder: str | Path | None = None) -> Path:
    """A path from a folder, by default the working directory, if the file is below or near it.

    A file is near that has a folder in common with it, two levels up at most, other than the root,
    the folder of temporary files and the one of all users: what is there belongs to others.

    >>> relative_path("/study/data/a.sav", "/study").as_posix()
    'data/a.sav'
    >>> relative_path("/study/data/a.sav", "/study/notebooks").as_posix()
    '../data/a.sav'
    """
    given = Path(path)
    try:
        base = Path.cwd() if folder is None else Path(folder)
        # As they are written and with links resolved: a path may have either.
        pairs = [(given.absolute(), base.absolute()), (given.resolve(), base.resolve())]
        found = [each for pair in pairs if (each := _from(*pair)) is not None]
    except OSError:  # the working directory is gone, or the disk is too full for temporary files
        return given
    return min(found, key=lambda each: each.parts.count(".."), default=given)


def _from(path: Path, base: Path) -> Path | None:
    """None for the folder itself, too, whose name would be lost."""
    if path == base or path.anchor != base.anchor:
        return None
    found = Path(os.path.relpath(path, base))
    up = found.parts.count("..")
    if up == 0:
        return found
    # The root has no other parts.
    if up > _MOST_UP or len(base.parts) - up <= 1:
        return None
    return None if base.parents[up - 1] in _shared() else found


def _shared() -> set[Path]:
    """Folders in which those of different people and programs lie beside each other."""
    temporary = Path(tempfile.gettempdir())
    return {temporary, temporary.resolve(), Path.home().parent}


def relative_code(code: str, folder: str | Path | None = None) -> str:
    """Code with its absolute paths as `relative_path` writes them.

    >>> relative_code("al.open('/study/data/a.sav', weight='wgt')", "/study")
    "al.open('data/a.sav', weight='wgt')"
    """
    tree = ast.parse(code, mode="eval")
    changed = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            path = Path(node.value)
            if path.is_absolute() and (found := relative_path(path, folder)) != path:
                node.value, changed = found.as_posix(), True
    return ast.unparse(tree) if changed else code
