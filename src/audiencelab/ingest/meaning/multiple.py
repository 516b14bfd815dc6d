"""Which value means "chosen" in columns of one stem that hold two values at most.

The words of labels decide; without them 1 against 0, then 1 of 1 and 2, then the label that is the
item's own name. Where none of these decides, the columns do not become a multiple question.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

from audiencelab.ingest.meaning.profile import ColumnProfile, is_number
from audiencelab.ingest.meaning.words import (
    affirmed_of,
    folded,
    is_off_scale,
    means_chosen,
    means_no,
    means_unticked,
)

_Verdict: TypeAlias = tuple[str | None, str | None]
"""The value of a column that means "chosen", and the one that means "not chosen"."""


@dataclass(frozen=True)
class ItemColumn:
    """A column, and the name of its item by the labels of columns, or by the column's name."""

    name: str
    column: ColumnProfile

    @property
    def values(self) -> list[str]:
        """The answers of the column, and its labelled values."""
        return list(dict.fromkeys([*self.column.answers, *self.column.labels]))

    def label(self, value: str) -> str:
        """The label of a value, else the value."""
        return self.column.label(value)


@dataclass(frozen=True)
class Choice:
    """How the columns of a multiple question are read.

    chosen: the value that means "chosen" in all of them; empty where any value does that is not in
    not_chosen. label: of the chosen value, where it is not a word for "chosen" ("Agree"). names: of
    the items by their chosen values, where these differ and either have labels or the columns have
    none that differ; "" for an item without one.
    """

    chosen: tuple[str, ...]
    not_chosen: tuple[str, ...]
    label: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Undecided:
    """Two values of some columns, of which either may mean "chosen"."""

    values: tuple[str, ...]


def choice_of(items: Sequence[ItemColumn]) -> Choice | Undecided | None:
    """How columns of one stem are read as a multiple question; None where they are not one."""
    # An item is chosen or not; a third value makes it a scale or a list.
    if any(len(item.values) > 2 or _is_partial(item) for item in items):
        return None
    by_words = [_by_words(item) for item in items]
    chosen = {verdict[0] for verdict in by_words if verdict} - {None}
    rejected = {verdict[1] for verdict in by_words if verdict} - {None}
    if not chosen and _codes_decide(items):
        # 1 and 0, or 1 and 2: the two usual codings, in both of which 1 is chosen.
        chosen, rejected = {"1"}, {"0", "2"}
    verdicts: list[_Verdict] = []
    for item, verdict in zip(items, by_words, strict=True):
        # The strongest evidence first: its own words, the same values elsewhere, the item's name.
        found = verdict or _by_others(item, chosen, rejected) or _by_own_label(item)
        if found is None:
            pairs = {(value, each.label(value)) for each in items for value in each.values}
            return Undecided(tuple(item.values)) if len(pairs) == 2 else None
        verdicts.append(found)
    return _joint(items, verdicts)


def other_values(items: Iterable[ColumnProfile], chosen: Sequence[str]) -> tuple[str, ...]:
    """The values of a declared set that mean "not chosen"; by their words where any is chosen."""
    return tuple(
        dict.fromkeys(
            value
            for column in items
            for value in (*column.answers, *column.labels)
            if value not in chosen and (chosen or means_no(column.label(value)))
        )
    )


def _is_partial(item: ItemColumn) -> bool:
    """Whether two values are part of a scale: "Yes" and "Don't know"."""
    labels = [item.label(value) for value in item.values]
    is_item = "0" in labels or any(map(means_unticked, labels))
    is_item = is_item or folded(item.name) in map(folded, labels)
    return len(labels) == 2 and any(map(is_off_scale, labels)) and not is_item


def _by_words(item: ItemColumn) -> _Verdict | None:
    """What the labels of a column's values decide; of a bare 0, its code."""
    values = item.values
    yes = [value for value in values if means_chosen(item.label(value))]
    no = [value for value in values if means_no(item.label(value)) or item.label(value) == "0"]
    # One value or none: the other one was perhaps given by no respondent.
    if len(values) < 2 and (yes or no or not values):
        return next(iter(yes), None), next(iter(no), None)
    if len(values) == 2 and len(yes) < 2 and len(no) < 2 and (yes or no):
        one = yes[0] if yes else next(value for value in values if value != no[0])
        return one, next(value for value in values if value != one)
    place = affirmed_of(*map(item.label, values)) if len(values) == 2 else None
    return None if place is None else (values[place], values[1 - place])


def _codes_decide(items: Sequence[ItemColumn]) -> bool:
    """Whether all columns have the codes 0 and 1, or 1 and 2 with labels that they share.

    1 and 2 with other labels in each column are questions of their own, such as sex and region.
    """
    codes = {value for item in items for value in item.values}
    labels = [{item.column.labels.get(code, "") for item in items} - {""} for code in ("1", "2")]
    shared = any(len(each) <= 1 for each in labels)
    return codes == {"0", "1"} or (codes == {"1", "2"} and shared)


def _by_others(
    item: ItemColumn, chosen: Set[str | None], rejected: Set[str | None]
) -> _Verdict | None:
    """What the same values mean in the other columns."""
    if not item.values or not {*item.values} <= chosen | rejected:
        return None
    yes = [value for value in item.values if value in chosen]
    no = [value for value in item.values if value in rejected]
    return (next(iter(yes), None), next(iter(no), None)) if max(len(yes), len(no)) < 2 else None


def _by_own_label(item: ItemColumn) -> _Verdict | None:
    """One value, whatever it is, or the one of two values that is called like the item."""
    values = item.values
    if len(values) == 1:
        return values[0], None
    own = [value for value in values if folded(item.label(value)) == folded(item.name)]
    if len(own) != 1:
        return None
    return own[0], next(value for value in values if value != own[0])


def _joint(items: Sequence[ItemColumn], verdicts: Sequence[_Verdict]) -> Choice | None:
    chosen = dict.fromkeys(yes for yes, _ in verdicts if yes is not None)
    rejected = dict.fromkeys(no for _, no in verdicts if no is not None)
    labels = [
        item.label(yes) if yes is not None else ""
        for item, (yes, _) in zip(items, verdicts, strict=True)
    ]
    # A value that means chosen in one column and not chosen in another cannot be read by value.
    if (items and not chosen) or not chosen.keys().isdisjoint(rejected):
        return None
    if rejected and len(chosen) > 1 and not _are_own(items, verdicts, labels):
        return None
    telling = [each for each in labels if each and not is_number(each) and not means_chosen(each)]
    differing = len({*map(folded, telling)})
    return Choice(
        chosen=tuple(chosen) if len(chosen) == 1 else (),
        not_chosen=tuple(rejected),
        label=telling[0] if differing == 1 and rejected else "",
        names=tuple(each if each in telling else "" for each in labels)
        if 1 < len(telling) == differing and not _are_texts_of_labelled(items, chosen)
        else (),
    )


def _are_texts_of_labelled(items: Sequence[ItemColumn], chosen: Collection[str]) -> bool:
    """Whether chosen values are texts of the data in columns whose own labels differ.

    Such texts may be cut or damaged ("It?s right").
    """
    is_text = not any(value in item.column.labels for item in items for value in chosen)
    names = {folded(item.name) for item in items if item.column.variable.label}
    return is_text and len(names) == len(items)


def _are_own(
    items: Sequence[ItemColumn], verdicts: Sequence[_Verdict], labels: Sequence[str]
) -> bool:
    """Whether the chosen values are words for it, or differ as the items do.

    "Yes", "No" in one column and "Maybe", "No" in another are parts of one scale.
    """
    given = [label for label in labels if label]
    if all(map(means_chosen, given)):
        return True
    # A column q5_3 that holds 3 for "chosen": the number is the item's own.
    bare = [
        (item.column.name, yes)
        for item, (yes, _) in zip(items, verdicts, strict=True)
        if yes is not None and item.label(yes) == yes and is_number(yes)
    ]
    are_numbers = all(name.endswith(yes) for name, yes in bare)
    return are_numbers and len({*given}) == len(given) and not any(map(means_chosen, given))
