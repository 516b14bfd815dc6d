"""The names that the reference pages describe are there."""

import re
from importlib import import_module
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs" / "reference").glob("*.md"))

_DIRECTIVE = re.compile(r"^\.\. (currentmodule|auto\w+):: ([\w.]+)", re.MULTILINE)


def _named(page: Path) -> list[str]:
    module, names = "", list[str]()
    for directive, name in _DIRECTIVE.findall(page.read_text(encoding="utf-8")):
        if directive == "currentmodule":
            module = name
        else:
            names.append(name if name.startswith("audiencelab.") else f"{module}.{name}")
    return names


def _found(name: str) -> bool:
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            if not hasattr(found, part):
                return part in getattr(found, "__annotations__", {})
            found = getattr(found, part)
        return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_name_of_a_reference_page_is_there(page: Path) -> None:
    assert not [name for name in _named(page) if not _found(name)]


def test_a_name_that_is_not_there_is_noticed() -> None:
    assert not _found("audiencelab.client.catalogue.question.NoSuchName")
