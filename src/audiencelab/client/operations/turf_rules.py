"""Which sets of items a TURF may take: items that must be in, that are left out, or kept apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias, cast

from audiencelab.client.audiences import AudienceLike
from audiencelab.expressions import Audience, Expression, Leaf
from audiencelab.lines import near
from audiencelab.results.overlap import distinct_names
from audiencelab.schema import SavedAudience

ItemLike: TypeAlias = "str | AudienceLike"
"""An item by its name, the code of its answer, or as the audience that was listed."""

ItemsLike: TypeAlias = "ItemLike | Iterable[ItemLike | Sequence[ItemLike]]"
"""An item, or a list of them; in `exclude` also of groups of which a set has one at most."""


class ItemRules(NamedTuple):
    """Positions of the items of every set, of those of none, and groups that are kept apart."""

    must: tuple[int, ...]
    never: tuple[int, ...]
    apart: tuple[tuple[int, ...], ...]

    def kept(self, items: Sequence[Audience]) -> tuple[tuple[Audience, ...], ItemRules]:
        """The items without those of no set, and the rules by their new positions."""
        kept = [position for position in range(len(items)) if position not in self.never]
        new = {position: number for number, position in enumerate(kept)}
        apart = (tuple(new[each] for each in group if each in new) for group in self.apart)
        rules = ItemRules(
            tuple(new[each] for each in self.must), (), tuple(each for each in apart if each[1:])
        )
        return tuple(items[position] for position in kept), rules


def find_rules(items: Sequence[Audience], must: ItemsLike, exclude: ItemsLike) -> ItemRules:
    """The rules by positions; raises one `ValueError` that lists everything that is not valid."""
    finder = _Finder(items)
    required = [
        finder.position(f"must[{at}]", each) for at, each in enumerate(_listed("must", must))
    ]
    never, apart = list[int](), list[tuple[int, ...]]()
    for at, each in enumerate(_listed("exclude", exclude)):
        where = f"exclude[{at}]"
        if isinstance(each, list | tuple):
            group = cast(Sequence[Any], each)
            apart.append(
                tuple(finder.position(f"{where}[{n}]", one) for n, one in enumerate(group))
            )
            if len(group) < 2:
                finder.faults.append(f"{where} must be two items or more, or an item by itself.")
        else:
            never.append(finder.position(where, each))
    rules = ItemRules(tuple(sorted(set(required))), tuple(sorted(set(never))), tuple(apart))
    faults = finder.faults or _contradictions(rules, finder.names)
    if faults:
        raise ValueError(" ".join(faults))
    return rules


def _listed(argument: str, given: Any) -> list[Any]:
    if isinstance(given, tuple) and argument == "exclude" and len(cast("tuple[Any]", given)) > 1:
        one, other, *_ = map(_shown, cast("tuple[Any, ...]", given))
        raise ValueError(
            "exclude is not valid: a tuple may mean that none of its items is taken, or not two of "
            f"them together. Write exclude=[{one}, {other}] or exclude=[({one}, {other})]."
        )
    if isinstance(given, str | Audience | Expression | SavedAudience):
        return [given]
    return [] if given is None else list(cast(Iterable[Any], given))


def _contradictions(rules: ItemRules, names: Sequence[str]) -> list[str]:
    """What no set can meet."""
    faults = [
        f"{names[each]!r} is in must= and in exclude=: leave it out of one of them."
        for each in rules.must
        if each in rules.never
    ]
    return faults + [
        f"{names[one]!r} and {names[other]!r} are both in must=, and exclude= keeps them apart."
        for group in rules.apart
        for one, other in combinations([each for each in group if each in rules.must], 2)
    ]


class _Finder:
    """Finds items by what people write for them, and keeps what is not found."""

    def __init__(self, items: Sequence[Audience]) -> None:
        self.names = distinct_names(items)
        self.faults: list[str] = []
        self._items = items

    def position(self, where: str, given: object) -> int:
        """The position of an item; 0 for one that is not found."""
        if isinstance(given, SavedAudience):
            given = given.to_audience()
        if isinstance(given, Audience | Expression):
            wanted = given.expression if isinstance(given, Audience) else given
            found = [at for at, each in enumerate(self._items) if each.expression == wanted]
        else:
            found = self._by_name(given) if isinstance(given, str) else []
        if not found:
            close = near(given, self.names) if isinstance(given, str) else ""
            hint = f"Did you mean {close!r}?" if close else f"Items: {', '.join(self.names[:12])}."
            self.faults.append(f"{where} is not valid: no item is {_shown(given)}. {hint}")
        return found[0] if found else 0

    def _by_name(self, given: str) -> list[int]:
        for names in (self.names, [each.name for each in self._items], self._codes()):
            if found := [at for at, name in enumerate(names) if name == given]:
                return found if len(found) == 1 else []
        return []

    def _codes(self) -> list[str]:
        """The code of each item that is one answer; "" of others."""
        leaves = [each.expression for each in self._items]
        return [
            each.datapoints[0] if isinstance(each, Leaf) and len(each.datapoints) == 1 else ""
            for each in leaves
        ]


def _shown(given: object) -> str:
    return repr(given.name) if isinstance(given, Audience) else repr(given)
