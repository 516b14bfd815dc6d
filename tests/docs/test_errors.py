"""Every deliberate error has an entry in the reference, and what its example does is raise it."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import audiencelab as al
from audiencelab import cli
from audiencelab.errors import link
from audiencelab.service.responses import ServiceError

PAGES = Path(__file__).parents[2] / "docs" / "reference" / "errors"


class Entry(NamedTuple):
    page: str
    title: str
    text: str

    def code(self, language: str) -> str:
        return "".join(re.findall(rf"```{language}\n(.*?)```", self.text, re.DOTALL))


def entries() -> list[Entry]:
    found: list[Entry] = []
    for page in sorted(PAGES.glob("*.md")):
        # A `##` between two entries begins a group, and its line belongs to neither.
        for section in re.split(r"^### ", page.read_text(encoding="utf-8"), flags=re.M)[1:]:
            title, _, text = section.partition("\n")
            found.append(Entry(page.stem, title, re.split(r"^##? ", text, flags=re.M)[0]))
    return found


ENTRIES = entries()
PROBLEMS = [entry for entry in ENTRIES if entry.page == "problems"]
RUNNABLE = [entry for entry in ENTRIES if entry.code("python")]
SHOWN = [entry for entry in ENTRIES if entry.code("text")]
TYPED = [entry for entry in ENTRIES if entry.code("console")]


def kinds_below(root: type[Exception]) -> set[type[Exception]]:
    return {root}.union(*(kinds_below(kind) for kind in root.__subclasses__()))


def load_everything() -> None:
    """So that every subclass is known."""
    for module in pkgutil.walk_packages(al.__path__, "audiencelab."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def errors() -> dict[tuple[str, str], type[Exception]]:
    """Every error of the package by its page and name.

    Left out are those that no Python of a user meets: they only cross the wire, as problems of the
    service or as messages of JupyterLab's sidebar.
    """
    load_everything()
    ours = {
        kind
        for kind in kinds_below(al.AudienceError)
        if kind.__module__.startswith("audiencelab.")
        and not kind.__module__.startswith("audiencelab.jupyter.server.")
        and not kind.__name__.startswith("_")
    }
    kinds = ours - kinds_below(ServiceError)
    return {place_of(kind): kind for kind in kinds}


def place_of(kind: type) -> tuple[str, str]:
    """The page that the note of an error links, and its title there."""
    if not issubclass(kind, al.AudienceError):
        return "", kind.__name__
    page, _, anchor = Path(link(kind)).name.partition(".md#")
    assert anchor == kind.__name__.lower()
    return page, kind.__name__


def name(entry: Entry) -> str:
    return f"{entry.page}-{entry.title}"


def test_every_error_has_one_entry_and_every_entry_an_error() -> None:
    told = [(entry.page, entry.title) for entry in ENTRIES if entry.page != "problems"]
    assert sorted(told) == sorted(errors())


def test_every_problem_of_the_service_has_one_entry() -> None:
    load_everything()
    kinds = {f"{int(kind.status)} {kind.title}" for kind in kinds_below(ServiceError)}  # type: ignore[attr-defined] -- of a subclass
    assert sorted(entry.title for entry in PROBLEMS) == sorted(kinds)


@pytest.mark.parametrize("entry", ENTRIES, ids=name)
def test_an_entry_says_what_happened_why_and_what_to_do(entry: Entry) -> None:
    first = entry.text.strip().partition("\n\n")[0]
    assert first.rstrip().endswith("."), "what happened"
    for term in ("Why", "What to do"):
        assert re.search(rf"^{term}\n: \S", entry.text, re.MULTILINE), term
    assert entry.text.count("```") == 2, "an example"


@pytest.mark.parametrize("entry", RUNNABLE, ids=name)
def test_an_example_raises_its_error(
    entry: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for extra in ("anywidget", "uvicorn", "xlsxwriter", "distributed"):
        pytest.importorskip(extra)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"al": al, "client": al.connect()}
    with pytest.raises(al.AudienceError) as raised:
        exec(entry.code("python"), names)
    assert (entry.page, entry.title) in {place_of(kind) for kind in raised.type.__mro__}
    assert raised.value.__notes__ == [f"More: {link(raised.type)}"]


@cache
def sentences() -> list[re.Pattern[str]]:
    """What the package's own texts may say; anything may stand where they are filled in."""
    (package,) = map(Path, al.__path__)
    found: list[re.Pattern[str]] = []
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            known = [
                each.value
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
                else None
                for each in parts
            ]
            if len("".join(each or "" for each in known)) >= 20:
                found.append(
                    re.compile("".join(".*" if each is None else re.escape(each) for each in known))
                )
    return found


@pytest.mark.parametrize("entry", SHOWN, ids=name)
def test_an_example_that_is_shown_has_the_words_of_its_error(entry: Entry) -> None:
    kind, _, said = " ".join(entry.code("text").split()).partition(": ")
    known = {found.__name__: found for found in errors().values()}
    assert entry.title in {each.__name__ for each in known[kind].__mro__}
    assert any(each.fullmatch(said) for each in sentences()), said


@pytest.mark.parametrize("entry", TYPED, ids=name)
def test_an_example_that_is_typed_says_what_is_shown(
    entry: Entry,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    typed, _, said = entry.code("console").partition("\n")
    assert cli.main(shlex.split(typed.removeprefix("$ audiencelab "))) == cli.USAGE_ERROR
    assert capsys.readouterr().err == said


@pytest.mark.parametrize("entry", PROBLEMS, ids=name)
def test_an_example_of_a_problem_is_one(entry: Entry) -> None:
    shown = json.loads(entry.code("json"))
    assert f"{shown['status']} {shown['title']}" == entry.title
    assert set(shown) <= {"status", "title", "type", "detail", "errors"}


def test_help_of_every_error_says_something() -> None:
    for kind in errors().values():
        assert re.search(r"\w{2,}.*[.`]$", (kind.__doc__ or "").strip(), re.DOTALL), kind
