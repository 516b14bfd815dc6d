"""Writes the reference of the skill: every public name with its arguments and its first sentence.

`python tools/skill_reference.py` writes it from the docstrings, `--check` reports whether it is
current. Arguments that every call that counts has are said once, at the top.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import audiencelab as al
from audiencelab.hidden_members import hidden_members
from audiencelab.tables.base import Exporting

PAGE = Path(__file__).parents[1] / "src" / "audiencelab" / "skill" / "reference.md"

SHARED = {
    "SCOPE": "base_audience base_of waves locations weight",
    "ARRANGE": "sort hide_under decimals rename stars top",
    "TEST": "levels correction family base design pooled degrees_of_freedom nets min_base "
    "zero_or_full across_breaks overlap within_groups",
}
"""Arguments that many calls have, and the word for all of them."""

PARTS = (
    ("Open", "audiencelab", ("open", "connect", "demo_survey", "serve")),
    ("The client", "audiencelab:Client", ()),
    ('Questions: client["q5"]', "audiencelab.client:CatalogueQuestion", ()),
    (
        "Audiences and rows",
        "audiencelab",
        ("Q", "Audience", "answered", "asked", "combine", "nest", "net", "mean", "nps", "top_box"),
    ),
    ("The catalogue: client.catalogue", "audiencelab.client:Catalogue", ()),
    ("Every table", "audiencelab.tables.base:Exporting", ()),
    ("A crosstab", "audiencelab:CrosstabResult", ()),
    ("One question: client.stats, client.trend", "audiencelab:StatsResult", ()),
    ("Estimates: client.mean and the like", "audiencelab.tables:Estimates", ()),
    ("A summary table: client.summary_table", "audiencelab.tables:SummaryTable", ()),
    ("A test: table.test()", "audiencelab.tables:Comparison", ()),
    ("A grid: client.grid", "audiencelab.tables:GridResult", ()),
    ("A profile", "audiencelab.tables:ProfileResult", ()),
    ("An overlap", "audiencelab.tables:OverlapResult", ()),
    ("TURF", "audiencelab.tables:TurfResult", ()),
    ("A tab book", "audiencelab.tables:TabBook", ()),
    ("A moving average", "audiencelab.tables:MovingAverage", ()),
    (
        "Charts: table.chart.bar() and the like",
        "audiencelab.charts",
        tuple(sorted(getattr(import_module("audiencelab.charts"), "__all__", ()))),
    ),
    ("Widgets", "audiencelab", ("Crosstab", "Workbench", "QuestionPicker", "AudienceEditor")),
)


def reference() -> str:
    """The page."""
    shared = "\n".join(f"- `{word}`: {_words(names)}" for word, names in SHARED.items())
    head = (
        "# Reference\n\nEvery public name, of the installed version. `help(al.Client.crosstab)` "
        "has the whole text, units and errors.\nArguments behind `*` are given by name. In place "
        f"of many arguments:\n\n{shared}\n"
    )
    return head + "".join(_part(*part) for part in PARTS)


def _words(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split())


def _part(title: str, where: str, names: tuple[str, ...]) -> str:
    module, _, owner = where.partition(":")
    found = import_module(module)
    if owner:
        own = getattr(found, owner)
        shared = {} if own is Exporting else dict(_members(Exporting))
        members = {name: value for name, value in _members(own) if shared.get(name) is not value}
    else:
        members = {name: getattr(found, name) for name in names}
    lines = [_line(name, value) for name, value in members.items()]
    return f"\n## {title}\n\n" + "".join(f"- {line}\n" for line in lines)


def _members(owner: type) -> Iterator[tuple[str, Any]]:
    """The public members of a class and of its bases of ours, by name."""
    seen: dict[str, Any] = {}
    hidden = hidden_members(owner)
    for base in owner.__mro__:
        if base.__module__.startswith("audiencelab"):
            for name, value in vars(base).items():
                if not name.startswith("_") and name not in hidden and _is_offered(value):
                    seen.setdefault(name, value)
    yield from sorted(seen.items())


def _is_offered(value: Any) -> bool:
    return inspect.isfunction(value) or isinstance(value, (property, cached_property))


def _line(name: str, value: Any) -> str:
    signature = _signature(value) if callable(value) else ""
    sentence = _sentence(value)
    return f"`{name}{signature}`" + (f": {sentence}" if sentence else "")


def _sentence(value: Any) -> str:
    """The first sentence of the docstring, in one line."""
    described = value.func if isinstance(value, cached_property) else value
    text = (inspect.getdoc(described) or "").partition("\n\n")[0]
    return re.sub(r"\s+", " ", re.split(r"(?<=[a-z)])\.\s", text + " ")[0]).strip().rstrip(".")


def _signature(value: Any) -> str:
    """The arguments, without types; those of a group as one word."""
    parameters = [
        each for each in inspect.signature(value).parameters.values() if each.name != "self"
    ]
    names = {each.name for each in parameters}
    words: dict[str, str] = {}
    for word, members in SHARED.items():
        if names.issuperset(members.split()):
            words |= dict.fromkeys(members.split(), word)
    shown: list[str] = []
    for each in parameters:
        text = words.get(each.name) or _parameter(each)
        by_name = each.kind is each.KEYWORD_ONLY and not any(
            one == "*" or one.startswith("*") for one in shown
        )
        if by_name:
            shown.append("*")
        if text not in shown:
            shown.append(text)
    return f"({', '.join(shown)})"


def _parameter(each: inspect.Parameter) -> str:
    if each.kind is each.VAR_POSITIONAL:
        return f"*{each.name}"
    if each.kind is each.VAR_KEYWORD:
        return f"**{each.name}"
    if each.default is each.empty:
        return each.name
    plain = isinstance(each.default, (str, int, float, bool, tuple)) or each.default is None
    return f"{each.name}={each.default!r}" if plain else f"{each.name}=…"


def main() -> int:
    """Write the page, or compare."""
    current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if "--check" in sys.argv:
        if current != reference():
            print("not current: python tools/skill_reference.py")
        return int(current != reference())
    PAGE.write_text(reference(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    assert al.__version__
    sys.exit(main())
