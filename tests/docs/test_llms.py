"""What the site offers to language models: a list of its pages, and pages as Markdown."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "extensions"))

llms = pytest.importorskip("llms", reason="sphinx is not installed")


def test_the_list_has_the_form_of_the_specification() -> None:
    text = llms.llms(DOCS)
    assert re.match(r"# audiencelab\n\n> .+\n", text)
    assert not re.search(r"https?://|\]\(/", text)
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[0] == "Skill"
    assert headings[-1] == "Optional"
    assert len(set(headings)) == len(headings)
    items = [line for line in text.split("## Skill")[1].splitlines() if line.startswith("-")]
    assert len(items) > 70
    assert not [line for line in items if not re.match(r"- (Survey|\[.+?\]\(.+?\))", line)]


def test_each_link_leads_to_a_page_that_the_site_has() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", llms.llms(DOCS)):
        if link == "llms-full.txt":
            continue
        if link.startswith("skill/"):
            assert (llms.SKILL / link.removeprefix("skill/")).is_file(), link
            continue
        name, ending = re.fullmatch(r"([\w/-]+)\.(html|html\.md)", link).groups()
        made = "{eval-rst}" in (DOCS / f"{name}.md").read_text(encoding="utf-8")
        assert ending == ("html" if made else "html.md"), link


def test_a_page_as_markdown_has_the_files_that_it_takes_in() -> None:
    text = llms.page_as_markdown(DOCS / "how-to" / "cookbook.md")
    assert "{include}" not in text
    assert "# Top-2 boxes" in text
    assert "# Top-2 boxes" in llms.full_text(DOCS)
