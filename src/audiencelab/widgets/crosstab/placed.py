"""Rows of statistics of a grid, each at its position among the rows that are audiences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

from audiencelab.client.audiences import StatisticPlace
from audiencelab.client.catalogue.axis_code import Group, grouped
from audiencelab.results.banner import Groups
from audiencelab.results.statistic_rows import Statistic
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.query_protocol import PlacedName
from audiencelab.widgets.crosstab.short_names import short_names
from audiencelab.widgets.crosstab.view_state import carried_to


class PlacedStatistics(tuple[Statistic, ...]):
    """Rows of statistics in order.

    before: how many audiences of the rows come before each. groups: above each, outermost first.

    Two are equal if their positions are, too; a plain tuple counts as being at the end.
    """

    before: tuple[int, ...]
    groups: tuple[Groups, ...]

    def __new__(cls, places: Iterable[StatisticPlace] = ()) -> PlacedStatistics:
        listed = sorted(places, key=lambda each: each.before)
        made = super().__new__(cls, (each.statistic for each in listed))
        made.before = tuple(each.before for each in listed)
        made.groups = tuple(each.groups for each in listed)
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.places,)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PlacedStatistics):
            return self.places == other.places
        return super().__eq__(other)

    # A tuple has a `!=` of its own, which would not see positions.
    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self) -> int:
        return super().__hash__()

    @property
    def places(self) -> list[StatisticPlace]:
        """Each with its position."""
        return [*map(StatisticPlace, self, self.before, self.groups)]

    @property
    def names(self) -> list[PlacedName]:
        """Their names and positions, for the page."""
        shorts = short_names([each.name for each in self], self.groups)
        return [
            PlacedName(row.name, "" if short == row.name else short, before, [*groups])
            for (row, before, groups), short in zip(self.places, shorts, strict=True)
        ]

    @classmethod
    def of(cls, value: object, rows: AxisAudiences | None) -> PlacedStatistics:
        """The value of the trait: plain statistics are after all rows, without groups."""
        if isinstance(value, PlacedStatistics):
            return value
        given = cast("Iterable[Statistic]", value or ())
        return cls(StatisticPlace(each, len(rows or ()), ()) for each in given)

    def carried(self, old: AxisAudiences | None, new: AxisAudiences | None) -> PlacedStatistics:
        """The same among other rows: each after the row that it followed, as far as it is there."""
        if not self or old == new:
            return self
        new = new or AxisAudiences()
        number = carried_to(old or AxisAudiences(), new)
        ends = [number(at) for at in range(len(old or ()))]

        def place(before: int) -> int:
            followed = next((at for at in reversed(ends[:before]) if at is not None), None)
            if followed is not None:
                return followed + 1
            if before == 0:
                return 0
            return min((at for at in ends[before:] if at is not None), default=len(new))

        return PlacedStatistics(each._replace(before=place(each.before)) for each in self.places)

    def among(self, rows: AxisAudiences | None) -> list[Group]:
        """Rows with these among them, those of a group in a mapping."""
        items, groups = self._merged(rows or AxisAudiences())
        return grouped(groups, items)

    def _merged(self, rows: AxisAudiences) -> tuple[Sequence[Any], Sequence[Groups]]:
        items: list[Any] = []
        groups: list[Groups] = []
        places = self.places
        for at in range(len(rows) + 1):
            # A position behind the end, as of rows that are gone, is the end.
            while places and (places[0].before <= at or at == len(rows)):
                placed = places.pop(0)
                items.append(placed.statistic)
                groups.append(placed.groups)
            if at < len(rows):
                items.append(rows[at])
                groups.append(rows.groups[at])
        return items, groups


class RowsBeside(NamedTuple):
    """Rows with the statistics among them, as a document has them."""

    rows: AxisAudiences | None
    statistics: PlacedStatistics
