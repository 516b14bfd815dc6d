"""Writes what language models read of the site: `llms.txt`, and pages as Markdown.

`llms.txt` (https://llmstxt.org) is made of the lists on the index pages, so that a new page is in
it once it is in its list. Pages are their own sources with files taken in; those that are made of
docstrings are HTML only. `llms-full.txt` is the skill and all guides in one file. Links are
relative to the site.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

__all__ = ["full_text", "llms", "page_as_markdown", "setup"]

SKILL = Path(__file__).parents[2] / "src" / "audiencelab" / "skill"
SECTIONS = {"how-to": "", "explanation": "Explanation", "reference": "Reference"}
"""Folders with an index page, and what is put before its headings, or in place of them."""

_ITEM = re.compile(r"^- .*\n(?:  .*\n)*", re.MULTILINE)
_LINK = re.compile(r"\]\((?P<page>[\w./-]+)\.md(?P<anchor>#[\w-]+)?\)")
_INCLUDE = re.compile(r"^```\{include\} (\S+)\n(?::.*\n)*```\n", re.MULTILINE)


def llms(docs: Path) -> str:
    """The text of `llms.txt`."""
    front = (docs / "index.md").read_text(encoding="utf-8")
    [summary] = re.findall(r"^\*\*(.*)\*\*$", front, re.MULTILINE)[:1]
    parts = [f"# audiencelab\n\n> {summary}\n"]
    parts.append("\nA Python package, which brings the skill: `audiencelab skill` prints where.\n")
    parts.append("\n## Skill\n\n" + "".join(f"- {each}\n" for each in _skill()))
    parts += [_section(docs, folder, heading) for folder, heading in SECTIONS.items()]
    parts.append("\n## Optional\n\n- [In one file](llms-full.txt): the skill and the guides\n")
    return "".join(parts)


def _skill() -> Iterator[str]:
    first = (SKILL / "SKILL.md").read_text(encoding="utf-8")
    yield "[SKILL.md](skill/SKILL.md): the first minute, words, where to look"
    for _, page, what in re.findall(r"^\| \[(.*?)\]\((.*?)\) \| (.*?) \|$", first, re.MULTILINE):
        yield f"[{page}](skill/{page}): {what}"


def _section(docs: Path, folder: str, heading: str) -> str:
    """The lists of an index page, with links from the root of the site."""
    text = (docs / folder / "index.md").read_text(encoding="utf-8")
    found = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    lists = zip(found[1::2], found[2::2], strict=True) if found[1:] else [(heading, text)]
    return "".join(
        f"\n## {f'{heading}: ' if heading and found[1:] else ''}{title}\n\n"
        + "".join(_item(item, docs, folder) for item in _ITEM.findall(part))
        for title, part in lists
    )


def _item(item: str, docs: Path, folder: str) -> str:
    line = " ".join(item.split())

    def link(found: re.Match[str]) -> str:
        page = f"{folder}/{found['page']}"
        source = docs / f"{page}.md"
        ending = "html" if _is_made_of_docstrings(source) else "html.md"
        return f"]({page}.{ending})"

    return _LINK.sub(link, line) + "\n"


def _is_made_of_docstrings(source: Path) -> bool:
    return "{eval-rst}" in source.read_text(encoding="utf-8")


def page_as_markdown(source: Path) -> str:
    """A page with the files that it takes in, its links to pages as Markdown."""
    text = source.read_text(encoding="utf-8")
    text = _INCLUDE.sub(lambda it: (source.parent / it[1]).read_text(encoding="utf-8"), text)
    return _LINK.sub(lambda it: f"]({it['page']}.html.md{it['anchor'] or ''})", text)


def full_text(docs: Path) -> str:
    """The skill and all guides in one file."""
    pages = [SKILL / "SKILL.md", SKILL / "conventions.md", SKILL / "traps.md"]
    pages += [*sorted((SKILL / "recipes").glob("*.md")), SKILL / "reference.md"]
    guides = sorted((docs / "how-to").glob("*.md"))
    texts = [each.read_text(encoding="utf-8") for each in pages]
    texts += [page_as_markdown(each) for each in guides if each.stem not in ("index", "cookbook")]
    return "\n\n".join(texts)


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the files once the site is there."""
    if error is not None or app.builder.name != "html":
        return
    docs, out = Path(app.srcdir), Path(app.outdir)
    (out / "llms.txt").write_text(llms(docs), encoding="utf-8")
    (out / "llms-full.txt").write_text(full_text(docs), encoding="utf-8")
    shutil.copytree(SKILL, out / "skill", dirs_exist_ok=True)
    for name in app.env.found_docs:
        source = docs / f"{name}.md"
        if source.is_file() and not _is_made_of_docstrings(source):
            beside = out / f"{name}.html.md"
            beside.write_text(page_as_markdown(source), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
