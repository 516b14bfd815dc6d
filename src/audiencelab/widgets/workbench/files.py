"""Files that a workbench writes: whole or not at all, and nobody else's is ever lost."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

from audiencelab.files import put
from audiencelab.widgets.workbench.document import FORMAT, BrokenStudy

__all__ = ["ENDING", "free_path", "read_file", "safe_name", "write_file", "write_study"]

ENDING = ".audiencelab.json"

_NAME_LENGTH = 80


def write_study(path: str | Path, document: dict[str, Any]) -> Path:
    """Write a workbench's document; what stands there is replaced if it is one too.

    Raises `FileExistsError` for any other file, and `WriteError` where it cannot be written.
    """
    target = Path(path).expanduser().absolute()
    if target.exists() and not _is_study(target):
        raise FileExistsError(
            f"{target.name} is there already, and is no document of a workbench: it is left alone. "
            "Choose another name."
        )
    return write_file(target, document)


def write_file(path: Path, document: dict[str, Any]) -> Path:
    """Write a document as JSON; raises `WriteError`, an `OSError` too."""
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    put(path, text.encode(), private=True)
    return path


def read_file(path: str | Path) -> object:
    """The JSON in a file; raises `BrokenStudy` for anything else, and `OSError`."""
    place = Path(path).expanduser()
    try:
        return json.loads(place.read_text(encoding="utf-8"))
    except RecursionError:
        raise BrokenStudy(f"{place.name} is nested too deeply for a document.") from None
    except ValueError as error:
        raise BrokenStudy(f"{place.name} is no document of a workbench: {error}") from None


def free_path(name: str, ending: str, folder: Path | None = None) -> Path:
    """A place where nothing stands: `name` with the ending, or with -2, -3 … before it."""
    where = folder or Path.cwd()
    for number in itertools.count(1):
        path = where / f"{name}{f'-{number}' if number > 1 else ''}{ending}"
        if not path.exists():
            return path
    raise AssertionError("counting never ends")


def safe_name(words: str) -> str:
    """Words as a file's name on any system: small letters and figures, with dashes between."""
    joined = "-".join(re.findall(r"\w+", words.casefold()))[:_NAME_LENGTH].strip("-_")
    return joined or "workbench"


def _is_study(path: Path) -> bool:
    try:
        found = read_file(path)
    except (BrokenStudy, OSError):
        return False
    return isinstance(found, dict) and found.get("format") == FORMAT  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] -- JSON
