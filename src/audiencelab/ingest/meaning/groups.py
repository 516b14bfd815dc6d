"""Columns that belong together: declared by the file, or of one stem with one scale.

q5_1 … q5_9 with the same labels are a grid; where each can only be yes or no, a multiple question.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from audiencelab.ingest.columns import ResponseSet
from audiencelab.ingest.meaning.profile import ColumnProfile

_LOOP = re.compile(r"(.*r(?:ow)?[_.]?)(\d+)([_.]?c(?:ol(?:umn)?)?[_.]?)(\d+)", re.I)
"""Names that number rows and columns."""

_ITEM = re.compile(r"(.*?)(\d+)")
_YES = {"yes", "selected", "checked", "ticked", "mentioned", "quoted", "true", "1", "chosen"}
_NO = {
    "no", "not selected", "unselected", "not checked", "unchecked", "not ticked", "not mentioned",
    "not quoted", "false", "0", "not chosen",
}  # fmt: skip
_LAST = re.compile(r" - |[\[/]")
_OTHER = re.compile(r"\W*(other|another|sonstige|ander|autre|otr|altr|outr)", re.I)
_MOST_POINTS = 15
"""More values than this, without labels, are not a scale."""


@dataclass(frozen=True)
class QuestionGroup:
    """Some columns that make one question.

    kind: "items" (each selected or not), "spread" (each holds one of the values), "grid".
    selected: the values that mean "selected" in a group of items; none: any that is left.
    """

    kind: Literal["items", "spread", "grid"]
    code: str
    name: str
    columns: tuple[ColumnProfile, ...]
    reason: str
    selected: tuple[str, ...] = ()


def declared_groups(
    columns: Mapping[str, ColumnProfile], sets: Iterable[ResponseSet]
) -> Iterator[QuestionGroup]:
    """The multiple-response sets of the file itself."""
    by_name = {name.lower(): column for name, column in columns.items()}
    for each in sets:
        members = tuple(by_name[name.lower()] for name in each.columns if name.lower() in by_name)
        if not members:
            continue
        reason = f"the file declares {_span(members)} a multiple-response set"
        if each.counted is None:
            reason += " of categories"
        elif each.counted:
            reason += f', in which {each.counted} means "selected"'
        kind = "spread" if each.counted is None else "items"
        selected = (each.counted,) if each.counted else ()
        yield QuestionGroup(kind, each.name, each.label or each.name, members, reason, selected)


def named_groups(columns: Sequence[ColumnProfile]) -> list[QuestionGroup]:
    """Groups by stem and scale; first the tables whose names number rows and columns."""
    loops = [_group(stem, members, is_loop=True) for stem, members in _loops(columns).items()]
    groups = [group for group in loops if group is not None]
    taken = {column.name for group in groups for column in group.columns}
    batteries: defaultdict[str, list[ColumnProfile]] = defaultdict(list)
    first: dict[str, int] = {}
    for column in columns:
        stem, number = column.variable.stem, 1
        if not stem and (found := _ITEM.fullmatch(column.name)):
            stem, number = found[1], int(found[2])
        if stem and column.name not in taken:
            batteries[stem].append(column)
            first[stem] = min(number, first.get(stem, number))
    for stem, members in batteries.items():
        # educ3 and educ4 are two ways to group answers, and not items of one question.
        group = _group(stem, members, is_loop=False) if first[stem] <= 1 else None
        groups += [group] if group else []
    return groups


def _loops(columns: Iterable[ColumnProfile]) -> dict[str, list[ColumnProfile]]:
    """Columns such as q14r01c02, by all but the number of the row, if there is a table of them."""
    tables: defaultdict[tuple[str, str], list[tuple[str, str, ColumnProfile]]] = defaultdict(list)
    for column in columns:
        if found := _LOOP.fullmatch(column.name):
            tables[found[1], found[3]].append((found[2], found[4], column))
    loops: dict[str, list[ColumnProfile]] = {}
    for (stem, between), cells in tables.items():
        rows, passes = {row for row, _, _ in cells}, {each for _, each, _ in cells}
        if len(rows) > 1 and len(passes) > 1 and len(cells) == len(rows) * len(passes):
            for _, number, column in cells:
                loops.setdefault(stem.rstrip("_.") + between + number, []).append(column)
    return loops


def _group(stem: str, members: list[ColumnProfile], *, is_loop: bool) -> QuestionGroup | None:
    if len(members) < 2 or not stem.strip("_. -"):
        return None
    code = stem if is_loop else stem.rstrip("_. -")
    name = item_names(members)[0] or code
    columns, span = tuple(members), _span(members)
    texts = [column.name for column in members if is_other_text(column)]
    selected = _selected([column for column in members if column.name not in texts])
    if selected is not None:
        selected = () if texts else selected
        values = ", ".join(repr(value) for value in selected) or "the one value"
        reason = f"multiple: {span} have one stem, and {values} in each of them or nothing"
        reason += f"; any text in {', '.join(texts)}" if texts else ""
        return QuestionGroup("items", code, name, columns, reason, selected)
    points = _common_scale(members)
    if points is None:
        return None
    wordings = {column.variable.label for column in members}
    filled = [column.answered for column in members]
    # Positions of one list; items would differ in their labels.
    if len(wordings) == 1 and "" not in wordings and all(a > b for a, b in pairwise(filled)):
        reason = f"multiple: {span} have one label and one scale of {points}, each filled for "
        reason += "fewer than the one before: first mention, second mention …"
        return QuestionGroup("spread", code, members[0].wording, columns, reason)
    reason = f"grid: {span} have one stem and one scale of {points}"
    reason += ", asked in a loop: a question for each pass" if is_loop else ""
    return QuestionGroup("grid", code, name, columns, reason)


def is_other_text(column: ColumnProfile) -> bool:
    """Whether a column has the texts of another answer, as an item of its question."""
    items = (_LAST.split(text)[-1] for text in (column.name, column.variable.label))
    is_other = bool(column.variable.stem) and any(map(_OTHER.match, items))
    return is_other and bool(column.answers) and _yes_of(column) is None


def _span(members: Sequence[ColumnProfile]) -> str:
    return f"{members[0].name} … {members[-1].name}"


def _selected(members: Sequence[ColumnProfile]) -> tuple[str, ...] | None:
    """The values that mean "selected" if all columns are yes or no; () for any; None for others."""
    yes = [_yes_of(column) for column in members]
    if None in yes:
        return None
    found = tuple(dict.fromkeys(value for value in yes if value))
    # Each item has its own text: any value means that it was selected.
    return found if len(found) == 1 else ()


def _yes_of(column: ColumnProfile) -> str | None:
    """The value that means "selected" in a column that holds nothing else but its opposite."""
    values = dict.fromkeys([*column.answers, *column.labels])
    chosen = [value for value in values if not means_no(column.label(value))]
    if len(chosen) != 1 or len(values) > 2:
        return None
    is_yes = column.label(chosen[0]).strip().lower() in _YES
    return chosen[0] if len(values) == 1 or is_yes else None


def means_no(label: str) -> bool:
    """Whether a label means "not selected"."""
    return label.strip().lower() in _NO


def _common_scale(members: Sequence[ColumnProfile]) -> int | None:
    """How many values the columns share; None where they have no common scale."""
    labels = members[0].labels
    union = dict.fromkeys(value for column in members for value in column.answers)
    if any(column.labels != labels for column in members):
        return None
    if labels:
        return len({*labels, *union}) if len(union) <= 100 else None
    is_whole = all(column.is_whole for column in members)
    is_text = all(column.numbers is None for column in members)
    fits = all(len(column.answers) >= len(union) / 2 for column in members)
    is_scale = 2 <= len(union) <= _MOST_POINTS and fits and (is_whole or is_text)
    return len(union) if is_scale else None


def item_names(members: Sequence[ColumnProfile]) -> tuple[str, list[str]]:
    """The common part of the labels of some columns, and the rest of each."""
    labels = [column.variable.label for column in members]
    if not all(labels):
        return "", [column.wording for column in members]
    front = _common_start(labels)
    for sign in (" - ", " – ", ": ", "? ", " | ", ". "):
        head, found, _ = front.rpartition(sign)
        own = [label[len(head) + len(sign) :].strip() for label in labels]
        if found and head.strip() and all(own):
            return (head + sign).strip(" -–:|"), own
    back = _common_start([label[::-1] for label in labels])[::-1]
    for sign in (" - ", " – ", ": ", " | "):
        _, found, tail = back.partition(sign)
        own = [label[: len(label) - len(tail) - len(sign)].strip() for label in labels]
        if found and tail.strip() and all(own):
            return tail.strip(), own
    return "", labels


def _common_start(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    alike = (index for index, sign in enumerate(first) if sign != last[index : index + 1])
    return first[: next(alike, len(first))]
