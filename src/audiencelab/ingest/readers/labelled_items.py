"""Items of questions by the labels of columns, in the statistics files of survey platforms."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from audiencelab.ingest.columns import Variable
from audiencelab.ingest.meaning.stems import after_bracket, common_start, divided, in_bracket

Form: TypeAlias = Literal["", "bracket", "slash"]
"""How labels name an item: "[Tea] Which?" or "Which? (Tea)", and "Which?/Tea"."""

_NAME = re.compile(r"(.+)[./](.+)|(.+)_(.+)")
_CUT, _ALIKE = 200, 60
"""Programs cut labels at some 230 signs or more; signs in which two long questions are alike."""
_TITLE = re.compile(r"[^\W_]+")


def with_items(
    header: Sequence[str], variables: Mapping[str, Variable], form: Form
) -> dict[str, Variable]:
    """The columns whose labels say of which question they are an item, with that question.

    form: of the labels.
    """
    labels = {name: variables[name].label.strip() for name in header if name in variables}
    batteries = _by_brackets(labels) if form == "bracket" else _by_slashes(labels)
    found: dict[str, Variable] = {}
    stems: set[str] = set()
    for names, question, items in batteries:
        stem = base = _stem(names)
        number = 2
        # The two scales of one array have names of one stem.
        while stem in stems:
            stem, number = f"{base}_{number}", number + 1
        stems.add(stem)
        for name, item in zip(names, items, strict=True):
            found[name] = replace(
                variables[name],
                stem=stem,
                label=f"{question} - {item}",
                is_other=name.lower().endswith("other"),
            )
    return found


def _by_brackets(labels: Mapping[str, str]) -> Iterator[tuple[list[str], str, list[str]]]:
    """Columns whose names begin alike and whose labels have one question: with it and items."""
    found: defaultdict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
    for name, label in labels.items():
        title = _TITLE.match(name)
        said = after_bracket(label) or in_bracket(label, "()") or in_bracket(label)
        if title and said and title[0] != name:
            # The end of a long question is missing where its item is long.
            key = said[0] if len(label) < _CUT else said[0][:_ALIKE]
            found[title[0], key].append((name, *said))
    for items in found.values():
        if len(items) > 1:
            question = max((each for _, each, _ in items), key=len)
            yield [name for name, _, _ in items], question, [item for _, _, item in items]


def _by_slashes(labels: Mapping[str, str]) -> Iterator[tuple[list[str], str, list[str]]]:
    """Columns whose names begin alike and whose labels share the text before a slash."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in labels:
        if match := _NAME.fullmatch(name):
            found[match[1] or match[3]].append(name)
    for names in found.values():
        own = [labels[name] for name in names]
        question, items = divided(own, ("/",)) if len(own) > 1 and all(own) else ("", [])
        if question and all(label.startswith(f"{question}/") for label in own):
            yield names, question, items


def _stem(names: Sequence[str]) -> str:
    """What names share before the last sign that divides them."""
    shared = common_start(names)
    cut = max(map(shared.rfind, "._/"))
    return shared[:cut] if cut > 0 else shared
