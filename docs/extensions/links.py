"""Every link of the built site leads somewhere: each local page, file and anchor is looked up.

Sphinx checks what it resolves itself; this reads the pages as they were written, raw HTML,
docstrings and notebooks included. What is missing is a warning, and so fails `make docs`.
Addresses of other machines are listed in `links.txt` beside the pages and not fetched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from sphinx.application import Sphinx
from sphinx.util import logging

__all__ = ["Page", "broken_links", "outside_links", "read_page", "setup"]

LISTED = "links.txt"

_LINKS = {"a": "href", "img": "src", "link": "href", "script": "src", "source": "srcset"}

_log = logging.getLogger(__name__)


class Page(NamedTuple):
    """What a page points at, and the places in it that others may point at."""

    links: frozenset[str]
    anchors: frozenset[str]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {name for key in ("id", "name") if (name := given.get(key))}
        if link := given.get(_LINKS.get(tag, "")):
            self.links.add(link)


def read_page(path: Path) -> Page:
    """The links and anchors of an HTML file."""
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return Page(frozenset(reader.links), frozenset(reader.anchors))


def broken_links(root: Path, pages: Mapping[Path, Page]) -> Iterable[str]:
    """Each local link that leads nowhere, with its page, in words."""
    for path, page in sorted(pages.items()):
        # From the source back to the reference Sphinx knows one name for all of a module.
        if path.is_relative_to(root / "_modules"):
            continue
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file() or not target.is_relative_to(root):
                yield f"{path.relative_to(root)} links to {link}, which is not there"
            elif not _has_place(pages.get(target), parts.fragment):
                yield f"{path.relative_to(root)} links to {link}, a page without that place"


def _has_place(page: Page | None, fragment: str) -> bool:
    # Of what is no page, such as a picture, a fragment says nothing; others may be encoded, or not.
    return page is None or not fragment or bool({fragment, unquote(fragment)} & page.anchors)


def outside_links(pages: Mapping[Path, Page]) -> list[str]:
    """All addresses of other machines, each once."""
    found = {link for page in pages.values() for link in page.links}
    return sorted(link for link in found if urlsplit(link).scheme in {"http", "https"})


def check_site(app: Sphinx, exception: Exception | None) -> None:
    """Look every link of the site up, and list those that lead out of it."""
    if exception is not None or app.builder.name != "html":
        return
    root = Path(app.outdir).resolve()
    lab = root / "lite"
    found = (path for path in root.rglob("*.html") if not path.is_relative_to(lab))
    pages = {path: read_page(path) for path in found}
    for fault in broken_links(root, pages):
        _log.warning(fault, type="links")
    text = "".join(f"{link}\n" for link in outside_links(pages))
    (root / LISTED).write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("build-finished", check_site)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
