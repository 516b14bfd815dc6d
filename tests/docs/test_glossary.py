"""What the glossary and the page about security point at is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import audiencelab as al

ROOT = Path(__file__).parents[2]
GLOSSARY = (ROOT / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "docs" / "explanation" / "security.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^([^\s`{#].*)\n  \S", GLOSSARY, re.MULTILINE)


def test_terms_are_in_order_and_once() -> None:
    assert len(TERMS) > 40
    assert sorted(set(TERMS), key=str.casefold) == TERMS


@pytest.mark.parametrize(
    "code", sorted(set(re.findall(r"`((?:al|client|table|result)\.[\w.]+)", GLOSSARY)))
)
def test_code_of_the_glossary_exists(code: str) -> None:
    first, *rest = code.split(".")
    known = {
        "al": [al],
        "client": [al.Client],
        "table": [al.CrosstabResult],
        "result": [al.StatsResult, al.CrosstabResult],
    }
    for found in known[first]:
        here: object = found
        for name in rest:
            here = getattr(here, name, None)
        if here is not None:
            return
    pytest.fail(f"there is no {code}")


@pytest.mark.parametrize("place", sorted(set(re.findall(r"`(tests/[\w/.]+)`", SECURITY))))
def test_tests_that_settle_a_claim_exist(place: str) -> None:
    found = ROOT / place
    files = [found] if found.is_file() else sorted(found.rglob("test_*.py"))
    assert any("def test_" in file.read_text(encoding="utf-8") for file in files), place


def test_terms_that_pages_refer_to_are_there() -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        for term in re.findall(r"\{term\}`(?:[^`<]*<)?([^`>]+)>?`", page.read_text("utf-8")):
            assert term in TERMS, f"{page.name}: {term}"
