"""Results that have changed since they were recorded, by the name of the change.

Recorded results are never written again. `tests/data/golden/changes.json` has the values that
differ from them: `{name of the change: {case/path: [recorded, now]}}`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.golden.api import GOLDEN

FILE = GOLDEN / "changes.json"

WITHIN = 1e-11
"""Relative difference that another machine or library may make."""

ADDED = {"total_percentage"}
"""Columns of stats that were added since, which the others imply; `tests/client` checks them."""

INTERVALS = re.compile("/intervals(/|$)")
"""Paths of confidence intervals: the last bits of exp and log depend on the processor."""

Named = dict[str, dict[str, list[Any]]]


class Difference(NamedTuple):
    """Where a result differs, and both values; None for one that is missing."""

    path: str
    recorded: Any
    now: Any

    def __str__(self) -> str:
        return f"{self.path}: {self.recorded!r} is now {self.now!r}"


def differences(
    recorded: Any, now: Any, path: str = "", *, exactly: bool = False
) -> Iterator[Difference]:
    """Where two results differ."""
    if isinstance(recorded, dict) and isinstance(now, dict):
        for name in [each for each in {**recorded, **now} if each in recorded or each not in ADDED]:
            yield from differences(
                recorded.get(name), now.get(name), f"{path}/{name}", exactly=exactly
            )
    elif isinstance(recorded, list) and isinstance(now, list) and len(recorded) == len(now):
        for place, (one, other) in enumerate(zip(recorded, now, strict=True)):
            yield from differences(one, other, f"{path}/{place}", exactly=exactly)
    elif recorded != now and (
        (exactly and not INTERVALS.search(path)) or not _is_close(recorded, now)
    ):
        yield Difference(path, recorded, now)


def _is_close(recorded: Any, now: Any) -> bool:
    numbers = isinstance(recorded, float) and isinstance(now, float)
    return numbers and math.isclose(recorded, now, rel_tol=WITHIN, abs_tol=WITHIN)


def load() -> Named:
    """The named changes."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def unnamed(found: list[Difference], changes: Named, *, exactly: bool = False) -> list[Difference]:
    """Those of the differences that no change names with the value of today."""
    known = {path: values for paths in changes.values() for path, values in paths.items()}
    return [
        each
        for each in found
        if each.path not in known
        or any(differences(known[each.path][1], each.now, each.path, exactly=exactly))
    ]


def outdated(found: list[Difference], changes: Named, case: str) -> list[str]:
    """Paths of a case that a change names, and that do not differ."""
    differing = {each.path for each in found}
    named = (path for paths in changes.values() for path in paths)
    return [path for path in named if path.startswith(f"{case}/") and path not in differing]


def name(
    found: list[Difference], changes: Named, title: str, case: str, *, exactly: bool = False
) -> None:
    """Put a case's unnamed differences under a title, and delete those that no longer differ."""
    fresh = unnamed(found, changes, exactly=exactly)
    gone = {each.path for each in fresh} | set(outdated(found, changes, case))
    for paths in changes.values():
        for path in gone & set(paths):
            del paths[path]
    if fresh:
        changes.setdefault(title, {}).update({each.path: [*each[1:]] for each in fresh})


def save(changes: Named) -> None:
    """Write the named changes, a line for each value."""
    parts = [
        f"{json.dumps(title, ensure_ascii=False)}: {{\n"
        + ",\n".join(f" {_compact(path)}: {_compact(values)}" for path, values in paths.items())
        + "\n}"
        for title, paths in changes.items()
        if paths
    ]
    FILE.write_text("{\n" + ",\n".join(parts) + "\n}\n" if parts else "{}\n", encoding="utf-8")


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
