"""Notes which files the cells of a notebook write; its source runs in the kernel, before them.

It imports nothing of this package, which the kernel need not have.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

_EVENTS = {"open": 0, "os.rename": 1, "os.remove": 0}
"""Events of Python's audit by name, with the position of the path of the file that changes."""


def watch(log: str, kept: str, root: str, suffixes: tuple[str, ...], most: int) -> None:
    """Add a line to a file for each file that is opened to write, replaced or removed.

    log: the file. kept: a folder for copies of what files held before. root: only files in it.
    suffixes: of files that are copied. most: bytes of one at most.
    """
    seen: set[Path] = set()
    noting = threading.local()

    def note(path: Path) -> None:
        if any(part.startswith((".", "__")) for part in path.relative_to(root).parts):
            return
        copy = Path(kept) / str(len(seen))
        is_new = path not in seen and path.name.casefold().endswith(suffixes) and path.is_file()
        keep = is_new and path.stat().st_size <= most
        if keep:
            shutil.copyfile(path, copy)
        seen.add(path)
        with Path(log).open("a", encoding="utf-8") as file:
            line = {"wrote": str(path), "kept": str(copy) if keep else ""}
            file.write(json.dumps(line) + "\n")

    def hook(event: str, values: tuple[Any, ...]) -> None:
        if event not in _EVENTS or getattr(noting, "now", False):
            return
        path = values[_EVENTS[event]]
        if isinstance(path, int) or not _changes(event, values):
            return
        noting.now = True  # to note it opens a file too
        try:
            note(Path(os.fsdecode(path)).resolve())
        except (OSError, TypeError, ValueError):
            pass  # it lies elsewhere, or cannot be written
        finally:
            noting.now = False

    sys.addaudithook(hook)


def _changes(event: str, values: tuple[Any, ...]) -> bool:
    if event != "open":
        return True
    _, mode, flags = values
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))
