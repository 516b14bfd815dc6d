"""One axis of a grid: its audiences in order, the groups above them, and which of them are nets.

An `AxisAudiences` is a tuple of audiences with their groups, so code that only needs the audiences
uses it as a tuple. `as_axis` makes one of what users write, `to_side` and `to_code` convert it
back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import Any, Literal, TypeVar, cast

from audiencelab.client.audiences import AxisLike, StatisticPlace, flatten_banner
from audiencelab.client.catalogue import Catalogue
from audiencelab.client.catalogue.axis_code import Group, grouped
from audiencelab.client.names import Names, NamesNeeded, find_names, names_in, read_once
from audiencelab.expressions import Audience, Condition, as_audience
from audiencelab.results.banner import Groups, whole_names

T = TypeVar("T")

AxisName = Literal["rows", "columns"]


class AxisAudiences(tuple[Audience, ...]):
    """The audiences of one axis, in order.

    groups: the groups above each audience, outermost first; () for an ungrouped one.
    nets: which audiences are subtotals of others beside them; the grid keeps them in place.

    Raises `ValueError` unless there are as many groups and nets as audiences. Two are equal if
    audiences, groups and nets are; a plain tuple counts as having neither.
    """

    groups: tuple[Groups, ...]
    nets: tuple[bool, ...]

    def __new__(
        cls,
        audiences: Iterable[Audience] = (),
        groups: Iterable[Groups] | None = None,
        nets: Iterable[bool] | None = None,
    ) -> AxisAudiences:
        axis = super().__new__(cls, audiences)
        axis.groups = _for_each(axis, groups, (), "groups")
        axis.nets = _for_each(axis, nets, False, "nets")
        return axis

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.groups, self.nets

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple):
            return NotImplemented
        if isinstance(other, AxisAudiences):
            alike = (self.groups, self.nets) == (other.groups, other.nets)
        else:
            alike = not any(self.groups) and not any(self.nets)
        return alike and super().__eq__(cast("tuple[Audience, ...]", other))

    # A tuple has a `!=` of its own, which would not see groups.
    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    # A class that defines `__eq__` alone cannot be hashed.
    def __hash__(self) -> int:
        return super().__hash__()

    @property
    def full_names(self) -> list[str]:
        """Names to use outside of the table: with groups where nested, or named alike."""
        return whole_names(self, self.groups)

    @property
    def question(self) -> str:
        """The question of two or more ungrouped items that are all its answers; else ""."""
        expressions = [audience.expression for audience in self]
        leaves = [each for each in expressions if isinstance(each, Condition) and not each.negated]
        codes = {leaf.question for leaf in leaves}
        if any(self.groups) or len(leaves) < max(2, len(self)) or len(codes) != 1:
            return ""
        return codes.pop()

    def take(self, positions: Iterable[int]) -> AxisAudiences:
        """The items at these positions, in that order."""
        chosen = list(positions)
        return AxisAudiences(
            (self[position] for position in chosen),
            (self.groups[position] for position in chosen),
            (self.nets[position] for position in chosen),
        )

    def to_side(self) -> AxisLike:
        """Rows or columns for `client.crosstab`: a list, with mappings for groups."""
        groups = self.grouped()
        only = groups[0] if len(groups) == 1 else None
        return cast("AxisLike", only if isinstance(only, dict) else groups)

    def grouped(self) -> list[Group]:
        """The audiences in order, those of a group in a mapping."""
        return grouped(self.groups, self)


def as_axis(
    value: object,
    name: str,
    catalogue: Callable[[], Catalogue | None],
    statistics: list[StatisticPlace] | None = None,
    waves: Callable[[], Mapping[str, str]] | None = None,
) -> AxisAudiences | None:
    """One axis as users write it; expressions are named by their descriptions.

    value: questions by code or name, audiences, or lists and groups of these, as
        `client.crosstab` takes them.
    catalogue: called only when a question is looked up or an expression needs a name.
    statistics: takes the rows of statistics among them with their positions; None refuses these.
    waves: called only for "waves": the names of those that are meant, by code; None refuses it.

    Raises `TypeError` that names the position of a wrong type, and the errors of `flatten_banner`.
    """
    if value is None or isinstance(value, AxisAudiences):
        return value
    given = cast("AxisLike", read_once(value))
    try:
        flat = flatten_banner(name, given, find_names(names_in(given), catalogue, waves))
    except NamesNeeded:
        # Codes of questions of the catalogue may look like names: "nps", "Q5".
        if (known := catalogue()) is None:
            raise
        flat = flatten_banner(name, given, Names(known))
    if flat.statistics:
        if statistics is None:
            raise TypeError(
                f"{name}: {flat.statistics[0].statistic.name!r} is a statistic of amounts, which "
                "can only be a row."
            )
        statistics += flat.statistics
        if not flat.audiences:
            return None
    named = (
        audience if audience.name else as_audience(audience, catalogue())
        for audience in flat.audiences
    )
    return AxisAudiences(named, flat.groups)


def as_position(value: object) -> int | None:
    """A position as Python or numpy write it; None for anything else, including booleans."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        return None
    return int(value)


def _for_each(
    axis: AxisAudiences, given: Iterable[T] | None, default: T, what: str
) -> tuple[T, ...]:
    if given is None:
        return (default,) * len(axis)
    listed = tuple(given)
    if len(listed) != len(axis):
        raise ValueError(f"{what} must have {len(axis)} items, one each; got {len(listed)}.")
    return listed
