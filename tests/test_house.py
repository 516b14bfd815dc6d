"""The house itself: files that can be read whole, and tests where a reader looks for them."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE, TESTS = ROOT / "src" / "audiencelab", ROOT / "tests"

MOST_LINES = 500
"""Of a file, but of one that says in its first lines why it is longer."""

WRITTEN_BY_HAND = (
    *("src/audiencelab/**/*.py", "tests/**/*.py", "tools/**/*", "docs/extensions/**/*.py"),
    *("js/src/**/*.*", "js/tests/**/*.*", "js/*.mjs", "*.py"),
)

SUBJECTS = {
    *("bench", "browser", "docs", "elsewhere", "fuzz", "golden", "mutation", "oracle"),
    "reliability",
    *("security", "surveys"),
}
"""Folders of tests that are about the whole, and not about one room of the package."""

ELSEWHERE = {
    "client/snapshots/test_client.py": "a client while it records and replays",
    "frames/significance/test_columns.py": "columns compared, not `derived.columns`",
    "frames/significance/test_heads.py": "comparisons under each head, not `frames.heads`",
    "lab/test_extension.py": "the extension as JupyterLab finds it, not `lab.server.extension`",
    "service/http/test_faults.py": "faults as HTTP carries them, not `service.faults`",
    "service/http/test_streams.py": "streams over sockets, not `service.streams`",
}
"""Tests that bear the name of a module in another room, and what they are about instead."""

UNDER_OTHER_NAMES = {"course/kinds": "course/test_checking.py"}
"""Rooms of the package whose tests stand in a file of another name."""


def lines_too_many(text: str) -> int:
    lines = text.splitlines()
    says_why = any("long because" in line.lower() for line in lines[:12])
    return 0 if says_why else max(0, len(lines) - MOST_LINES)


def files() -> list[Path]:
    found = {path for pattern in WRITTEN_BY_HAND for path in ROOT.glob(pattern)}
    return sorted(
        path for path in found if path.suffix in {".py", ".sh", ".mjs", ".ts", ".tsx", ".css"}
    )


def test_a_file_can_be_read_whole() -> None:
    too_many = {
        str(path.relative_to(ROOT)): over
        for path in files()
        if (over := lines_too_many(path.read_text(encoding="utf-8")))
    }
    assert too_many == {}, (
        "split it by subject, or say in its first lines that it is long because …"
    )


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("x\n" * MOST_LINES, 0),
        ("x\n" * (MOST_LINES + 2), 2),
        ('"""A table.\n\nLong because a table is read as one.\n"""\n' + "x\n" * MOST_LINES, 0),
        ("x\n" * MOST_LINES + "# long because nobody reads this far\n", 1),
    ],
)
def test_sees_what_is_too_long(text: str, over: int) -> None:
    assert lines_too_many(text) == over


MODULES = sorted(path.relative_to(PACKAGE).with_suffix("") for path in PACKAGE.rglob("*.py"))
ROOMS = {path.parent for path in MODULES if path.name == "__init__"} - {Path()}
TEST_FILES = sorted(path.relative_to(TESTS) for path in TESTS.rglob("test_*.py"))


def test_folders_of_tests_are_rooms_or_subjects() -> None:
    strange = {file.parent for file in TEST_FILES} - ROOMS - {Path()}
    assert {str(folder) for folder in strange if folder.parts[0] not in SUBJECTS} == set()


def test_a_test_of_a_module_stands_where_the_module_does() -> None:
    homes: dict[tuple[str, str], set[Path]] = defaultdict(set)
    for module in [*MODULES, *ROOMS]:
        # Tests of a room may stand in the room, or beside it.
        homes[module.parts[0], module.name] |= {module.parent, module} & (ROOMS | {Path()})
    lost = {
        str(file)
        for file in TEST_FILES
        if (home := homes.get((file.parts[0], file.stem.removeprefix("test_"))))
        and file.parent not in home
    }
    assert lost == set(ELSEWHERE)


def test_every_room_has_tests() -> None:
    without = {
        str(room)
        for room in ROOMS
        if not (TESTS / room).is_dir()
        and not (TESTS / room.parent / f"test_{room.name}.py").exists()
    }
    assert without == set(UNDER_OTHER_NAMES)
    assert all((TESTS / file).exists() for file in UNDER_OTHER_NAMES.values())
