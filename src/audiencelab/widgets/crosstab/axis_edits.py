"""Edits of one axis of a grid; each returns a new axis. Positions of items start at 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, NamedTuple

from audiencelab.analysis.boxes import BoxItem, ends_of_scale, question_of_items
from audiencelab.client.audiences import MOST_LEVELS
from audiencelab.client.catalogue.labels import folded_name
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Expression, Leaf, any_of, combine
from audiencelab.lines import near
from audiencelab.markup import shorten
from audiencelab.results.banner import Groups, full_name
from audiencelab.schema.scales import scale_of
from audiencelab.widgets.crosstab.axis import AxisAudiences, as_position
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.client import Catalogue

_NAME_LENGTH = 80
"""Maximum length of a net's default name."""


Item = str | int | Audience
"""A name, a full name ("Gender › Female"), a position from 0, or an audience of the axis."""

Which = Item | Iterable[Item]
"""One item or several."""


class QuestionError(AudienceError, ValueError):
    """An edit of a grid's query that is not possible; the query does not change."""


class _Item(NamedTuple):
    audience: Audience
    groups: Groups
    is_net: bool = False


def add(axis: AxisAudiences, new: AxisAudiences) -> AxisAudiences:
    """The axis with new items, in groups that exist already or at the end.

    An item that is in the same group with the same name already is not added again.
    """
    kept = _listed(axis)
    known = {(item.groups, item.audience.name, item.audience.expression) for item in kept}
    fresh: dict[Groups, list[_Item]] = {}
    for item in _listed(new):
        key = (item.groups, item.audience.name, item.audience.expression)
        if key not in known:
            known.add(key)
            fresh.setdefault(item.groups, []).append(item)
    for groups, group in fresh.items():
        at = _end_under(kept, groups)
        kept[at:at] = group
    return _joined(kept)


def add_net(axis: AxisAudiences, positions: Iterable[int], name: str = "") -> AxisAudiences:
    """The axis with a net: an item for the people in any of the items at `positions`.

    It follows the last of them, in the group that they share. name: "" is the names of its items.
    Raises `QuestionError` for fewer than two items, for an item that is everyone, and for a name
    that another item of the group has.
    """
    chosen = _chosen(axis, positions)
    if len(chosen) < 2:
        raise QuestionError("A net needs at least two rows or columns.")
    kept = _listed(axis)
    members = [kept[at] for at in chosen]
    net = _Item(_any_named(members, name), _common(members), is_net=True)
    _insert_net(kept, net, after=chosen[-1])
    return _joined(kept)


def merge(axis: AxisAudiences, positions: Iterable[int], name: str = "") -> AxisAudiences:
    """The axis with one item instead of several: the people in any of them.

    It is where the first of them was, in the group that they share. name and errors: as for
    `add_net`.
    """
    chosen = _chosen(axis, positions)
    if len(chosen) < 2:
        raise QuestionError("Merging needs at least two rows or columns.")
    kept = _listed(axis)
    members = [kept[at] for at in chosen]
    merged = _Item(_any_named(members, name), _common(members))
    rest = [item for at, item in enumerate(kept) if at not in set(chosen)]
    _check_new(rest, merged)
    # Nothing before the first of them was removed, so its position is the same in `rest`.
    return _joined([*rest[: chosen[0]], merged, *rest[chosen[0] :]])


def add_boxes(
    axis: AxisAudiences,
    top: int = 2,
    bottom: int = 2,
    *,
    positions: Iterable[int] | None = None,
    labels: Catalogue | None = None,
) -> AxisAudiences:
    """The axis with top and bottom boxes of each scale: nets of its highest and lowest answers.

    top, bottom: the number of answers in each; 0 for none. positions: items of the scales that are
    meant; None is all scales. labels: the questions, which say what their top is.

    A scale is the neighbours in the same group, without nets. Raises `QuestionError` for boxes
    that are larger than a scale, and for a scale whose top is not known; `TypeError` unless both
    numbers are of type int.
    """
    kept = _listed(axis)
    wanted = None if positions is None else set(_chosen(axis, positions))
    boxes: list[tuple[_Item, int]] = []
    for _, run in groupby(range(len(kept)), lambda at: kept[at].groups):
        block = list(run)
        if wanted is not None and wanted.isdisjoint(block):
            continue
        start = block[0]
        items, groups = [kept[at] for at in block if not kept[at].is_net], kept[start].groups
        expressions = [item.audience.expression for item in items]
        question, points = question_of_items(expressions)
        found = labels.of_code(question) if labels is not None and question else None
        scale = scale_of(found.record) if found else None
        answers = [
            BoxItem(item, item.audience.name, each)
            for item, each in zip(items, points, strict=True)
        ]
        title = f"the scale {groups[-1]!r}" if groups else "this scale"
        try:
            ends = ends_of_scale(title, answers, scale, top, bottom, question)
        except ValueError as error:
            raise QuestionError(str(error)) from None
        for box in ends:
            net = _Item(Audience(box.name, _any(box.keys)), groups, is_net=True)
            boxes.append((net, block[-1]))
    # From the end, so that positions before it stay valid.
    for box, last in sorted(boxes, key=lambda each: -each[1]):
        _insert_net(kept, box, after=last)
    return _joined(kept)


def nest(
    axis: AxisAudiences, under: Sequence[Audience], positions: Iterable[int] | None = None
) -> AxisAudiences:
    """The axis with its items within each of other audiences, which become their groups.

    under: the audiences of the groups, with different names. positions: the items to nest, which
    move to the position of the first; None is all.

    k audiences and n items give k × n items, as `al.nest` does. Raises `QuestionError` for empty
    arguments, for duplicate names, and for more levels of groups than a table may have.
    """
    kept = _listed(axis)
    chosen = list(range(len(kept))) if positions is None else _chosen(axis, positions)
    if not under or not chosen:
        raise QuestionError("Nesting needs rows or columns, and audiences to nest them under.")
    names = [outer.name for outer in under]
    if len({*names}) < len(names) and isinstance(under, AxisAudiences):
        # Points of a grid's scale are called alike under every item.
        names = under.full_names
        under = [each.renamed(name) for each, name in zip(under, names, strict=True)]
    if twice := [name for name in names if names.count(name) > 1]:
        raise QuestionError(f"Two of the audiences to nest under are named {twice[0]!r}.")
    inner = [kept[at] for at in chosen]
    if max(len(item.groups) for item in inner) >= MOST_LEVELS:
        raise QuestionError(f"A table may have at most {MOST_LEVELS} levels of groups.")
    within = [
        _Item(both.renamed(item.audience.name), (outer.name, *item.groups), item.is_net)
        for outer in under
        for item in inner
        for both in combine([outer], [item.audience])
    ]
    rest = [item for at, item in enumerate(kept) if at not in set(chosen)]
    return _joined([*rest[: chosen[0]], *within, *rest[chosen[0] :]])


def remove(axis: AxisAudiences, positions: Iterable[int]) -> AxisAudiences:
    """The axis without the items at `positions`."""
    gone = set(_chosen(axis, positions))
    return axis.take(at for at in range(len(axis)) if at not in gone)


def move(axis: AxisAudiences, positions: Iterable[int], to: int) -> AxisAudiences:
    """The axis with the items at `positions` before the one at `to`, which may be the end.

    They keep their groups: an item that leaves its neighbours starts its group again.
    """
    chosen = _chosen(axis, positions)
    if not 0 <= to <= len(axis):
        raise QuestionError(f"There is no position {to} among {plural(len(axis), 'item')}.")
    taken = set(chosen)
    before = [at for at in range(to) if at not in taken]
    after = [at for at in range(to, len(axis)) if at not in taken]
    return axis.take([*before, *chosen, *after])


def rename(axis: AxisAudiences, position: int, name: str) -> AxisAudiences:
    """The axis with another name for the item at `position`."""
    (chosen,) = _chosen(axis, [position])
    new_name = _stripped(name)
    if not new_name:
        raise QuestionError("A row or column needs a name.")
    kept = _listed(axis)
    kept[chosen] = kept[chosen]._replace(audience=kept[chosen].audience.renamed(new_name))
    return _joined(kept)


def positions_of(axis: AxisAudiences, which: Which) -> list[int]:
    """The positions of items; names in any case, and "18-24" is "18 to 24".

    Raises `QuestionError` for items that do not exist, and `TypeError` for other types.
    """
    if isinstance(which, str) or not isinstance(which, Iterable):
        which = [which]
    named: dict[str, list[int]] = {}
    alike: dict[str, list[int]] = {}
    for at, (item, groups) in enumerate(zip(axis, axis.groups, strict=True)):
        for name in dict.fromkeys((item.name, full_name(groups, item.name))):
            named.setdefault(name, []).append(at)
            alike.setdefault(folded_name(name), []).append(at)
    found: list[int] = []
    for each in which:
        if (at := as_position(each)) is not None:
            found.append(at)
            continue
        if isinstance(each, Audience):
            matches = [at for at, item in enumerate(axis) if item == each]
        elif isinstance(each, str):
            matches = named.get(each) or alike.get(folded_name(each), [])
        else:
            raise TypeError(
                f"A row or column must be a name, an audience or a position from 0; got "
                f"{type(each).__name__}. There are: {_some_names(axis)}."
            )
        if not matches:
            name = each.name if isinstance(each, Audience) else each
            close = near(str(name), [item.name for item in axis])
            hint = f"Did you mean {close!r}?" if close else f"There are: {_some_names(axis)}."
            raise QuestionError(f"There is no {name!r}. {hint}")
        found += matches
    return found


def position_of(axis: AxisAudiences, which: Item) -> int:
    """The position of one item; `QuestionError` if there is none, or several have the name."""
    positions = positions_of(axis, [which])
    if len(positions) > 1:
        raise QuestionError(f"{len(positions)} are named {which!r}: use a position.")
    return _chosen(axis, positions)[0]


def _some_names(axis: AxisAudiences) -> str:
    names = axis.full_names
    shown = ", ".join(map(repr, names[:12]))
    return f"{shown} and {len(names) - 12:,} more" if len(names) > 12 else shown or "none"


def is_plain(expression: Expression | None) -> bool:
    """Whether an expression is any of some answers to one question, not negated."""
    return isinstance(expression, Leaf) and not expression.negated and expression.min_count == 1


def _listed(axis: AxisAudiences) -> list[_Item]:
    return [_Item(*each) for each in zip(axis, axis.groups, axis.nets, strict=True)]


def _joined(items: Sequence[_Item]) -> AxisAudiences:
    return AxisAudiences(
        (item.audience for item in items),
        (item.groups for item in items),
        (item.is_net for item in items),
    )


def _chosen(axis: AxisAudiences, positions: Iterable[int]) -> list[int]:
    """Sorted positions, each once; `QuestionError` for one outside the axis."""
    found = sorted(set(positions))
    if wrong := [at for at in found if not 0 <= at < len(axis)]:
        raise QuestionError(f"There is no position {wrong[0]} among {plural(len(axis), 'item')}.")
    return found


def _stripped(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"name must be a str; got {type(name).__name__}.")
    return name.strip()


def _end_under(items: Sequence[_Item], groups: Groups) -> int:
    """The position for another item of a group: after its nearest relatives, else at the end."""
    for shared in range(len(groups), 0, -1):
        for at in range(len(items) - 1, -1, -1):
            item = items[at]
            # Nets at the end of their group stay there.
            if item.groups[:shared] == groups[:shared] and not (
                item.is_net and item.groups == groups
            ):
                return at + 1
    return len(items)


def _insert_net(items: list[_Item], net: _Item, *, after: int) -> None:
    """Insert a net after the item `after`, which is its last, and after the nets beside that."""
    _check_new(items, net)
    end = after + 1
    while end < len(items) and _belongs(items[end], net, items[after]):
        end += 1
    items.insert(end, net)


def _check_new(items: Sequence[_Item], new: _Item) -> None:
    """Raise `QuestionError` if another item of the group has the name."""
    name = new.audience.name
    if any((each.groups, each.audience.name) == (new.groups, name) for each in items):
        raise QuestionError(f"There is a {name!r} already: use another name.")


def _belongs(item: _Item, net: _Item, member: _Item) -> bool:
    """Whether an item comes before a net that follows its last member."""
    level = len(net.groups)
    if len(member.groups) > level:
        # A group within the net's own is not divided.
        return item.groups[: level + 1] == member.groups[: level + 1]
    return item.is_net and item.groups == net.groups


def _common(items: Sequence[_Item]) -> Groups:
    """The groups that all items share."""
    levels = zip(*(item.groups for item in items), strict=False)
    shared = takewhile(lambda names: len(set(names)) == 1, levels)
    return tuple(names[0] for names in shared)


def _any_named(items: Sequence[_Item], name: str) -> Audience:
    joined = shorten(" or ".join(each.audience.name for each in items), _NAME_LENGTH)
    return Audience(_stripped(name) or joined, _any(items))


def _any(items: Sequence[_Item]) -> Expression:
    """The people in any of the items; answers to one question stay a single condition."""
    parts: list[Expression] = []
    for item in items:
        if item.audience.expression is None:
            raise QuestionError(f"{item.audience.name!r} is everyone: a net of it would be, too.")
        parts.append(item.audience.expression)
    leaves = [part for part in parts if isinstance(part, Leaf) and is_plain(part)]
    alike = {(leaf.question, leaf.suffixes) for leaf in leaves if leaf.datapoints}
    if len(leaves) == len(parts) and len(alike) == 1 and all(leaf.datapoints for leaf in leaves):
        answers = dict.fromkeys(code for leaf in leaves for code in leaf.datapoints)
        return Leaf(leaves[0].question, tuple(answers), leaves[0].suffixes)
    return parts[0] if len(parts) == 1 else any_of(*parts)
