"""Columns that belong together: declared by the file, or of one stem with one scale.

q5_1 … q5_9 with the same labels are a grid; where each can only be yes or no, a multiple question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from audiencelab.ingest.columns import ResponseSet
from audiencelab.ingest.draft.profile import ColumnProfile, SourceProfile

_LOOP = re.compile(r"(.*r(?:ow)?[_.]?)(\d+)([_.]?c(?:ol(?:umn)?)?[_.]?)(\d+)", re.IGNORECASE)
"""Names that say which number is the row and which the column."""
_ITEM = re.compile(r"(.*?)(\d+)")
_YES = {"yes", "selected", "checked", "ticked", "mentioned", "quoted", "true", "1", "chosen"}
_NO = {
    "no", "not selected", "unselected", "not checked", "unchecked", "not ticked", "not mentioned",
    "not quoted", "false", "0", "not chosen",
}  # fmt: skip
_MOST_POINTS = 15
"""More values than this, without labels, are not a scale."""


@dataclass(frozen=True)
class Family:
    """Some columns that make one question.

    kind: "items" (each selected or not), "spread" (each holds one of the values), "grid".
    selected: the values that mean "selected" in a family of items; none: any that is left.
    """

    kind: Literal["items", "spread", "grid"]
    code: str
    name: str
    columns: tuple[ColumnProfile, ...]
    reason: str
    selected: tuple[str, ...] = ()


def declared_families(profile: SourceProfile) -> Iterator[Family]:
    """The multiple-response sets of the file itself."""
    by_name = {name.lower(): column for name, column in profile.columns.items()}
    for each in profile.sets:
        columns = tuple(by_name[name.lower()] for name in each.columns if name.lower() in by_name)
        if columns:
            yield _declared(each, columns)


def _declared(found: ResponseSet, columns: tuple[ColumnProfile, ...]) -> Family:
    name = found.label or found.name
    members = f"{columns[0].name} … {columns[-1].name}"
    if found.counted is None:
        reason = f"the file declares {members} a multiple-response set of categories"
        return Family("spread", found.name, name, columns, reason)
    reason = f"the file declares {members} a multiple-response set"
    selected = (found.counted,) if found.counted else ()
    if selected:
        reason += f', in which {found.counted} means "selected"'
    return Family("items", found.name, name, columns, reason, selected)


def named_families(columns: Sequence[ColumnProfile]) -> list[Family]:
    """Families by stem and scale; first the tables whose names number rows and columns."""
    found: list[Family] = []
    taken: set[str] = set()
    for keyed, is_loop in ((_loops(columns), True), (_stems(columns), False)):
        groups: dict[tuple[str, ...], list[ColumnProfile]] = {}
        for key, column in keyed:
            if column.name not in taken:
                groups.setdefault(key, []).append(column)
        for key, members in groups.items():
            # educ3 and educ4 are two ways to group answers, and not items of one question.
            if not is_loop and min(map(_number_of, members)) > 1:
                continue
            family = _family("".join(key), members, is_loop=is_loop)
            if family is not None:
                found.append(family)
                taken.update(column.name for column in members)
    return found


def _loops(columns: Iterable[ColumnProfile]) -> Iterator[tuple[tuple[str, ...], ColumnProfile]]:
    """Columns such as q14r01c02, by all but the number of the row, if there is a table of them."""
    parts = [(found, column) for column in columns if (found := _LOOP.fullmatch(column.name))]
    tables: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for found, _ in parts:
        tables.setdefault((found[1], found[3]), []).append((found[2], found[4]))
    whole = {table for table, cells in tables.items() if _is_whole(cells)}
    for found, column in parts:
        stem, _, between, loop = found.groups()
        if (stem, between) in whole:
            yield (stem.rstrip("_."), between, loop), column


def _is_whole(cells: Sequence[tuple[str, str]]) -> bool:
    """Whether some cells are all of a table of several items and loops."""
    items, loops = {item for item, _ in cells}, {loop for _, loop in cells}
    return len(items) > 1 and len(loops) > 1 and len(cells) == len(items) * len(loops)


def _stems(columns: Iterable[ColumnProfile]) -> Iterator[tuple[tuple[str, ...], ColumnProfile]]:
    for column in columns:
        if found := _ITEM.fullmatch(column.name):
            yield (found[1],), column


def _number_of(column: ColumnProfile) -> int:
    found = _ITEM.fullmatch(column.name)
    return int(found[2]) if found else 0


def _family(stem: str, members: list[ColumnProfile], *, is_loop: bool) -> Family | None:
    members = [column for column in members if column.answers or column.labels]
    if len(members) < 2 or not stem.strip("_. -"):
        return None
    code = stem.rstrip("_. -") if not is_loop else stem
    name = item_names(members)[0] or code
    span = f"{members[0].name} … {members[-1].name}"
    if (selected := _selected(members)) is not None:
        words = ", ".join(repr(value) for value in selected) or "the one value"
        reason = f"multiple: {span} have one stem, and {words} in each of them or nothing"
        return Family("items", code, name, tuple(members), reason, selected)
    points = _common_scale(members)
    if points and _are_mentions(members):
        reason = f"multiple: {span} have one label and one scale of {points}, each filled for "
        reason += "fewer than the one before: first mention, second mention …"
        return Family("spread", code, members[0].wording, tuple(members), reason)
    if points:
        reason = f"grid: {span} have one stem and one scale of {points}"
        reason += ", asked in a loop: a question for each pass" if is_loop else ""
        return Family("grid", code, name, tuple(members), reason)
    return None


def _selected(members: Sequence[ColumnProfile]) -> tuple[str, ...] | None:
    """The values that mean "selected" if all columns are yes or no; () for any; None for others."""
    yes = [_yes_of(column) for column in members]
    if any(value is None for value in yes):
        return None
    found = tuple(dict.fromkeys(value for value in yes if value))
    # Each item has its own text: any value means that it was selected.
    return found if len(found) == 1 else ()


def _yes_of(column: ColumnProfile) -> str | None:
    """The value that means "selected" in a column that holds nothing else but its opposite."""
    values = dict.fromkeys([*column.answers, *column.labels])
    named = {value: column.labels.get(value, value) for value in values}
    chosen = [value for value in values if not means_no(named[value])]
    if len(chosen) != 1 or len(values) > 2:
        return None
    says_yes = named[chosen[0]].strip().lower() in _YES
    return chosen[0] if len(values) == 1 or says_yes else None


def means_no(label: str) -> bool:
    """Whether a label says "not selected"."""
    return label.strip().lower() in _NO


def _common_scale(members: Sequence[ColumnProfile]) -> int | None:
    """How many values the columns share; None where they have no common scale."""
    labels = [tuple(sorted(column.labels.items())) for column in members]
    union = dict.fromkeys(value for column in members for value in column.answers)
    if labels[0]:
        same = all(other == labels[0] for other in labels)
        return len({*dict(labels[0]), *union}) if same and len(union) <= 100 else None
    if any(labels) or not 2 <= len(union) <= _MOST_POINTS:
        return None
    fits = all(len(column.answers) >= len(union) / 2 for column in members)
    whole = all(column.is_whole for column in members)
    texts = all(column.numbers is None for column in members)
    return len(union) if fits and (whole or texts) else None


def _are_mentions(members: Sequence[ColumnProfile]) -> bool:
    """Whether the columns are places of one list; items would differ in their labels."""
    wordings = {column.variable.label for column in members}
    filled = [column.answered for column in members]
    return len(wordings) == 1 and "" not in wordings and all(a > b for a, b in pairwise(filled))


def item_names(members: Sequence[ColumnProfile]) -> tuple[str, list[str]]:
    """What the labels of some columns have in common, and what is each one's own."""
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
    alike = (place for place, sign in enumerate(first) if sign != last[place : place + 1])
    return first[: next(alike, len(first))]
