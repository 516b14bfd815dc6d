"""Links that lead nowhere are found: on the site by its build, in the project's own pages here."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "extensions"))

links = pytest.importorskip("links", reason="sphinx is not installed")

# Pages that code hosts show, and that no site is built of.
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]


def site(folder: Path, **pages: str) -> list[str]:
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    root = folder.resolve()
    read = {path: links.read_page(path) for path in root.rglob("*.html")}
    return list(links.broken_links(root, read))


@pytest.mark.parametrize(
    "link",
    ["b.html", "b.html#there", "#here", "b.html?x=1", "https://b.example/x#y", "mailto:x"],
)
def test_a_link_that_leads_somewhere_passes(tmp_path: Path, link: str) -> None:
    assert site(tmp_path, a=f'<p id="here"><a href="{link}">x</a>', b='<h2 id="there">x</h2>') == []


@pytest.mark.parametrize("link", ["c.html", "b.html#nowhere", "#nowhere", "../b.html", "c/"])
@pytest.mark.parametrize("tag", ['<a href="{}">', '<img src="{}">', '<source srcset="{}">'])
def test_one_that_leads_nowhere_is_named(tmp_path: Path, link: str, tag: str) -> None:
    [fault] = site(tmp_path, a=tag.format(link), b="<p>x</p>")
    assert "a.html" in fault
    assert link in fault


def test_addresses_of_others_are_listed(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="https://b.example"><a href="c"><a href="http://a/">')
    pages = {tmp_path / "a.html": links.read_page(tmp_path / "a.html")}
    assert links.outside_links(pages) == ["http://a/", "https://b.example"]


def anchors(markdown: str) -> set[str]:
    """The anchors that code hosts give to headings."""
    headings = re.findall(r"^#+ (.+)$", markdown, re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES)
def test_links_of_the_projects_own_pages_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    targets += re.findall(r'(?:src|srcset|href)="([^"]+)"', text)
    for target in targets:
        if "://" in target:
            continue
        path, _, fragment = target.partition("#")
        found = ROOT / unquote(path) if path else ROOT / page
        assert found.exists(), f"{page}: {target}"
        if fragment:
            assert fragment in anchors(found.read_text(encoding="utf-8")), f"{page}: {target}"
