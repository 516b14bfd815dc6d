"""Columns that belong together: declared by the file, or of one stem with one scale.

q5_1 … q5_9 with the same labels are a grid; where each holds two values, a multiple question.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise, takewhile
from typing import Literal

from audiencelab.ingest.columns import ResponseSet
from audiencelab.ingest.meaning.forms import FormedColumns, formed
from audiencelab.ingest.meaning.multiple import (
    Choice,
    ItemColumn,
    Undecided,
    choice_of,
    other_values,
)
from audiencelab.ingest.meaning.own_codes import with_joint_codes
from audiencelab.ingest.meaning.profile import ColumnProfile, is_number
from audiencelab.ingest.meaning.stems import divided
from audiencelab.ingest.meaning.words import folded, means_chosen, means_no
from audiencelab.ingest.readers import ReadColumns

_LOOP = re.compile(r"(.*r(?:ow)?[_.]?)(\d+)([_.]?c(?:ol(?:umn)?)?[_.]?)(\d+)", re.I)
"""Names that number rows and columns."""

_ITEM = re.compile(r"(.*?)(\d+)")
_LAST = re.compile(r" - |[\[/]")
_OTHER = re.compile(
    r"\W*(other|another|sonstige|ander|autre|otr|altr|outr|egyéb|друг|інш|diğer|άλλο|その他|其他|其它|"
    r"기타|khác|lainnya|أخرى|אחר|(inn[aey]|annat|andet|annet|muu|jin[éáý]|alt[ăa])\b)",
    re.I,
)
_CHECKBOX = re.compile(r"(.+?___)[\w-]+")
"""How REDCap names the columns of a checkbox: why___a."""
_EXPECTED = 45
"""Fewer respondents than this may by chance leave out a point of a scale."""
_MOST_POINTS = 15
"""More values than this, without labels, are not a scale."""
_TEXT = re.compile(r"\w+\W+\w+\W+\w|[?？]|\w{12}")
"""A text that many columns may share: some words, and not "Statement" alone."""
_MOST_ITEMS = 60
"""More columns than this, with a stem and a scale alone in common, are questions of their own."""


@dataclass(frozen=True)
class QuestionGroup:
    """Some columns that make one question.

    kind: "items" (each chosen or not), "spread" (each holds one of the values), "grid".
    selected: the values that mean "chosen" in a group of items; none: any that is left.
    not_selected: the values that mean the opposite. items: the names of items; "" for one that is
    named by the label of its column.
    """

    kind: Literal["items", "spread", "grid"]
    code: str
    name: str
    columns: tuple[ColumnProfile, ...]
    reason: str
    selected: tuple[str, ...] = ()
    not_selected: tuple[str, ...] = ()
    items: tuple[str, ...] = ()

    @property
    def points(self) -> int:
        """How many values its columns share; 0 where they have no common scale."""
        answered = [column for column in self.columns if column.answers]
        return (_common_scale(answered) or 0) if len(answered) > 1 else 0


@dataclass(frozen=True)
class Groups:
    """Groups of columns by stem, what is doubtful in others, and ranks and constant sums."""

    groups: list[QuestionGroup]
    doubts: list[str]
    formed: list[FormedColumns]


def declared_groups(
    columns: Mapping[str, ColumnProfile], sets: Iterable[ResponseSet]
) -> Iterator[QuestionGroup]:
    """The multiple-response sets of the file itself."""
    # SPSS ignores the case of names, and its sets may write them in another one.
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
        others = other_values(members, selected) if kind == "items" else ()
        name = each.label or each.name
        yield QuestionGroup(kind, each.name, name, members, reason, selected, others)


def named_groups(columns: Sequence[ColumnProfile], tables: Sequence[ReadColumns]) -> Groups:
    """Groups by stem and scale; first the tables whose names number rows and columns.

    Columns without answers are among those of a multiple question alone. tables: what was read of
    the files.
    """
    loops = [_group(stem, members, is_loop=True) for stem, members in _loops(columns).items()]
    groups = [group for group in loops if isinstance(group, QuestionGroup)]
    doubts = [group for group in loops if isinstance(group, str)]
    taken = {column.name for group in groups for column in group.columns}
    batteries: defaultdict[str, list[ColumnProfile]] = defaultdict(list)
    first: dict[str, int] = {}
    for column in columns:
        stem, number = column.variable.stem, 1
        if not stem and (found := _CHECKBOX.fullmatch(column.name)):
            stem = found[1]
        elif not stem and (found := _ITEM.fullmatch(column.name)):
            stem, number = found[1], int(found[2])
        if stem and column.name not in taken:
            batteries[stem].append(column)
            first[stem] = min(number, first.get(stem, number))
    for stem in [each for each, number in first.items() if number > 1]:
        for own, members in _numbered_on(stem, batteries[stem]).items():
            batteries[own], first[own] = members, 1
            batteries[stem] = [each for each in batteries[stem] if each not in members]
    forms: list[FormedColumns] = []
    for stem, members in batteries.items():
        # Before grids: ranks and parts of a sum look like a scale with many points.
        if own := formed([each for each in members if each.answers], tables):
            forms.append(own)
            continue
        # educ3 and educ4 are two ways to group answers, and not items of one question.
        group = _group(stem, members, is_loop=False) if first[stem] <= 1 else None
        groups += [group] if isinstance(group, QuestionGroup) else []
        doubts += [group] if isinstance(group, str) else []
    return Groups(groups, doubts, forms)


def _numbered_on(stem: str, members: Sequence[ColumnProfile]) -> dict[str, list[ColumnProfile]]:
    """Columns whose number is that of a question and that of an item, by the former.

    A51 … A59, A510, A511 are items 1 to 11 of A5, where there is no A509.
    """
    names = {column.name: column for column in members}
    found: dict[str, list[ColumnProfile]] = {}
    for name in names:
        own, number = name.removesuffix("10"), name[len(stem) :]
        if own in (name, stem) or f"{stem}{int(number) - 1}" in names:
            continue
        numbered = takewhile(names.__contains__, (f"{own}{item}" for item in count(1)))
        items = [names[each] for each in numbered]
        found |= {own: items} if len(items) > 9 else {}
    return found


def _loops(columns: Iterable[ColumnProfile]) -> dict[str, list[ColumnProfile]]:
    """Columns such as q14r01c02, by all but the number of the row, if there is a table of them."""
    tables: defaultdict[tuple[str, str], list[tuple[str, str, ColumnProfile]]] = defaultdict(list)
    for column in columns:
        if found := _LOOP.fullmatch(column.name):
            tables[found[1], found[3]].append((found[2], found[4], column))
    loops: dict[str, list[ColumnProfile]] = {}
    for (stem, between), cells in tables.items():
        rows, passes = {row for row, _, _ in cells}, {each for _, each, _ in cells}
        # A complete table; names such as q1r2c3 alone may be by chance.
        if len(rows) > 1 and len(passes) > 1 and len(cells) == len(rows) * len(passes):
            for _, number, column in cells:
                loops.setdefault(stem.rstrip("_.") + between + number, []).append(column)
    return loops


def _group(stem: str, members: list[ColumnProfile], *, is_loop: bool) -> QuestionGroup | str | None:
    """The group of some columns, or what is doubtful in them; None where they are not one."""
    members = with_joint_codes(members)
    answered = [column for column in members if column.answers]
    if len(answered) < 2 or not stem.strip("_. -") or not _numbers_go_on(stem, members):
        return None
    code = stem if is_loop else stem.rstrip("_. -")
    points = _common_scale(answered)
    # Before items: positions of a list have one scale, as a grid has.
    if points and _are_mentions(answered):
        return _mentions(code, answered, points)
    texts = {column.name for column in members if is_other_text(column)}
    names = dict(zip((each.name for each in members), item_names(members)[1], strict=True))
    items = [ItemColumn(names[each.name], each) for each in members if each.name not in texts]
    choice = choice_of(items)
    if isinstance(choice, Choice):
        return _multiple(code, members, texts, choice)
    if isinstance(choice, Undecided):
        return _doubt(code, answered, choice.values)
    is_stem_declared = any(column.variable.stem for column in answered)
    shared = is_stem_declared or _TEXT.search(item_names(answered)[0])
    if points is None or points < 3 or (len(answered) > _MOST_ITEMS and not shared):
        return None
    if not _share_values(answered):
        return None
    reason = f"grid: {_span(answered)} have one stem and one scale of {points}"
    reason += ", asked in a loop: a question for each pass" if is_loop else ""
    name = item_names(answered)[0] or code
    return QuestionGroup("grid", code, name, tuple(answered), reason)


def _multiple(
    code: str, members: Sequence[ColumnProfile], texts: Collection[str], choice: Choice
) -> QuestionGroup:
    """A multiple question. texts: columns with the texts of another answer."""
    # Any text means chosen in the column of "other", so a value cannot say it for all columns.
    selected = () if texts else choice.chosen
    shown = [_shown(value, members) for value in selected or choice.not_chosen]
    means = shown[0] if selected else "any value" + " but " * bool(shown) + ", ".join(shown)
    means += f", as any text in {', '.join(sorted(texts))}" if texts else ""
    reason = f"multiple: {_span(members)} have one stem; {means} is taken as chosen (in the "
    reason += "codebook: selected, not_selected)"
    name = item_names(members)[0] or code
    own = iter(choice.names)
    items = ["" if each.name in texts else next(own, "") for each in members]
    return QuestionGroup(
        "items",
        code,
        f"{name} ({choice.label})" if choice.label else name,
        tuple(members),
        reason,
        selected,
        choice.not_chosen,
        tuple(items),
    )


def _shown(value: str, columns: Iterable[ColumnProfile]) -> str:
    """A value with the label that it has in all columns."""
    labels = {column.labels[value] for column in columns if value in column.labels}
    if len(labels) == 1:
        return f"{value} {labels.pop()!r}"
    return value if is_number(value) else repr(value)


def _doubt(code: str, columns: Sequence[ColumnProfile], values: Sequence[str]) -> str:
    first, second = (_shown(value, columns) for value in values)
    example = columns[0].name
    return (
        f"{_span(columns)} may be one multiple question, but whether {first} or {second} means "
        'chosen is not known: they are single questions. In the codebook, kind = "multiple", '
        f'code = "{code}", selected = {[values[0]]}, not_selected = {[values[1]]} (or the reverse) '
        f'and datapoints = [{{ name = "{example}", column = "{example}" }}, …] make one of them'
    )


def _are_mentions(columns: Sequence[ColumnProfile]) -> bool:
    """Whether columns are positions of one list: one label, and each filled for fewer people."""
    wordings = {column.variable.label for column in columns}
    filled = [column.answered for column in columns]
    # Items would differ in their labels.
    if len(wordings) > 1 or "" in wordings or not all(a > b for a, b in pairwise(filled)):
        return False
    labels = {column.label(value) for column in columns for value in column.answers}
    return not any(means_chosen(each) or means_no(each) or is_number(each) for each in labels)


def _mentions(code: str, columns: Sequence[ColumnProfile], points: int) -> QuestionGroup:
    reason = f"multiple: {_span(columns)} have one label and one scale of {points}, each filled "
    reason += "for fewer than the one before: first mention, second mention …"
    return QuestionGroup("spread", code, columns[0].wording, tuple(columns), reason)


def is_other_text(column: ColumnProfile) -> bool:
    """Whether a column has the texts of another answer, as an item of its question."""
    variable = column.variable
    items = [_LAST.split(text)[-1] for text in (column.name, variable.label)]
    if not variable.stem or not (variable.is_other or any(map(_OTHER.match, items))):
        return False
    known = {*map(folded, items)}
    return any(
        folded(label) not in known
        and not (is_number(label) or means_chosen(label) or means_no(label))
        for label in map(column.label, column.answers)
    )


def _span(members: Sequence[ColumnProfile]) -> str:
    return f"{members[0].name} … {members[-1].name}"


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


def _share_values(members: Sequence[ColumnProfile]) -> bool:
    """Whether columns have nearly all values of their scale: what labels say, or answers show.

    An end without respondents may be missing, and a fifth of a long scale, if few would be expected
    to have it by the column in which it is least frequent.
    """
    if members[0].labels:
        return True
    union = {value for column in members for value in column.answers}
    most = max(1, len(union) // 5)
    least = {
        value: min(
            column.answers[value] / column.answered for column in members if value in column.answers
        )
        for value in union
    }
    return all(
        len(missing := union - column.answers.keys()) <= most
        and all(least[value] * column.answered < _EXPECTED for value in missing)
        for column in members
    )


def _numbers_go_on(stem: str, members: Sequence[ColumnProfile]) -> bool:
    """Whether columns may be items of one question by their numbers: q1, q2 and q45 are not.

    Labels, or a sign before the number (q3_1, q3_99), say more than that.
    """
    if not stem.isalpha() or any(each.variable.label or each.labels for each in members):
        return True
    tails = [column.name.removeprefix(stem) for column in members]
    numbers = sorted(int(tail) for tail in tails if tail.isdecimal())
    return all(after - before <= len(members) for before, after in pairwise(numbers))


def item_names(members: Sequence[ColumnProfile]) -> tuple[str, list[str]]:
    """The common part of the labels of some columns, and the rest of each."""
    labels = [column.variable.label for column in members]
    return divided(labels) if all(labels) else ("", [column.wording for column in members])
