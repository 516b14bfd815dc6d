"""The rows and the columns of a widget: a sequence of audiences with the verbs that change it.

`widget.rows.net([...])` does what the button of the page does: both call `axis_edits`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

from audiencelab.client.audiences import StatisticPlace
from audiencelab.expressions import Audience, Condition
from audiencelab.expressions.codes import WAVES
from audiencelab.results.statistic_rows import Statistic
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.crosstab import axis_edits
from audiencelab.widgets.crosstab.axis import AxisAudiences, AxisName, as_axis
from audiencelab.widgets.crosstab.axis_edits import (
    Item,
    QuestionError,
    Which,
    position_of,
    positions_of,
)
from audiencelab.widgets.crosstab.coercion import as_items
from audiencelab.widgets.crosstab.placed import PlacedStatistics, RowsBeside
from audiencelab.widgets.crosstab.query_protocol import Form, GridRows, How
from audiencelab.widgets.picker.protocol import CodeName

if TYPE_CHECKING:
    from audiencelab.client import Catalogue


class Owner(Protocol):
    """The widget of some rows and columns."""

    @property
    def labels(self) -> Catalogue | None: ...
    @property
    def scored(self) -> tuple[CodeName, ...]: ...

    statistics: Any

    def ask(self, **changes: object) -> None: ...
    def wave_names(self) -> dict[str, str]: ...
    def statistic_rows(self, question: str, statistic: str) -> tuple[Statistic, ...]: ...
    def show_as(
        self, axis: AxisName, question: object, form: Form, bins: Iterable[float] | None
    ) -> None: ...
    def show_alike(
        self, axis: AxisName, new: AxisAudiences, means: Sequence[StatisticPlace]
    ) -> bool: ...


class WidgetAxis(AxisAudiences):
    """The rows or the columns of a widget: a tuple of audiences, with verbs that change the widget.

    Each verb is one step, which `widget.undo()` takes back. `which` are names, full names such as
    "Gender › Female", audiences of the axis, or positions from 0. Two widgets with the same
    audiences in the same groups have equal rows. Without rows the table shows the base alone, and
    the sequence is empty.

    >>> grid = al.Crosstab(client, "Gender", "Age")
    >>> grid.columns.net(["16 to 17", "18 to 24"], "Under 25")
    >>> [column.name for column in grid.columns][:4]
    ['16 to 17', '18 to 24', 'Under 25', '25 to 34']
    >>> grid.undo()
    >>> len(grid.columns)
    7
    """

    _widget: Owner
    _name: AxisName
    plain: AxisAudiences | None
    """The value without the verbs; None for no rows or columns."""

    @classmethod
    def of(cls, widget: Owner, name: AxisName, axis: AxisAudiences | None) -> WidgetAxis:
        """The rows or columns of a widget, `axis` being the value that it keeps."""
        items = AxisAudiences() if axis is None else axis
        made = cast("WidgetAxis", AxisAudiences.__new__(cls, items, items.groups, items.nets))
        made._widget, made._name, made.plain = widget, name, axis
        return made

    def __reduce__(self) -> Any:
        # A copy belongs to no widget.
        return AxisAudiences, (tuple(self), self.groups, self.nets)

    def add(
        self,
        *given: object,
        how: How = "split",
        groups: str | Iterable[str] = (),
        name: str = "",
        grids: GridRows = "distribution",
    ) -> None:
        """Add rows or columns after the present ones; those that exist are not added again.

        given: questions or their names, audiences, saved audiences, expressions, a
            `QuestionPicker`, the rows of another widget, or lists of these.
        how: "split" adds one for each audience and each answer, the answers of a question in a
            group with its name; "and" one of the people to whom all of it applies, "or" of
            those to whom any of it applies. Answers to one question are always alternatives.
        groups: groups above the new ones, outermost first.
        name: of the one of "and" or "or".
        grids: with "split", what a grid becomes that is named or picked: "distribution" is a
            group of the points of its scale for each item, "top_box" one for each item of its
            two highest points together, and "mean" a row for each item.

        Raises `TypeError`, `UnknownCodeError` and `QuestionError` for values that cannot be added;
        the widget does not change then.

        >>> grid = al.Crosstab(client, "Gender")
        >>> grid.rows.add("Age")
        >>> len(grid.rows)
        10
        >>> grid.columns.add("Gender", client["Age"].isin(["18 to 24"]), how="and", name="Young")
        >>> [column.name for column in grid.columns]
        ['Young']
        """
        widget = self._widget
        items = [
            as_axis(WAVES, self._name, lambda: None, waves=widget.wave_names)
            if isinstance(each, str) and each == WAVES
            else each
            for each in given
        ]
        means: list[StatisticPlace] | None = [] if self._name == "rows" else None
        new = as_items(
            items,
            widget.labels,
            how=how,
            groups=groups,
            name=name,
            grids=grids,
            statistics=means,
        )

        if how == "split" and self._widget.show_alike(self._name, new, means or ()):
            again: WidgetAxis = getattr(self._widget, self._name)
            again.add(*given, groups=groups, grids=grids)
            return
        now = self.plain or AxisAudiences()
        after = axis_edits.add(now, new)
        # Behind the present rows, as far as new ones are: those of known groups are among them.
        first = len(after) - len(new) if after[: len(now)] == now else len(after)
        placed = [
            each._replace(before=min(first + each.before, len(after))) for each in means or ()
        ]
        self._widget.ask(**{self._name: after or None}, **self._with(placed, after))

    def net(self, which: Which, name: str = "") -> None:
        """Add a net, of the people in any of some rows or columns, after the last of them.

        which: two or more. name: by default their names.

        >>> grid = al.Crosstab(client, "Age")
        >>> grid.rows.net(["18 to 24", "25 to 34"], "18 to 34")
        >>> grid.rows[3].describe(client.catalogue)
        'Age is 18 to 24 or 25 to 34'
        """
        self.edit(lambda axis: axis_edits.add_net(axis, positions_of(axis, which), name))

    def merge(self, which: Which, name: str = "") -> None:
        """Replace two or more by one: the people in any of them; see `net`.

        >>> grid = al.Crosstab(client, "Age")
        >>> grid.rows.merge(["18 to 24", "25 to 34"], "18 to 34")
        >>> [row.name for row in grid.rows][:3]
        ['16 to 17', '18 to 34', '35 to 44']
        """
        self.edit(lambda axis: axis_edits.merge(axis, positions_of(axis, which), name))

    def top_box(self, count: int = 2, which: Which | None = None) -> None:
        """Add a net of the highest answers of each scale, which is a group of rows or columns.

        count: the number of answers. which: items of the scales that are meant; None is all.

        The survey decides which end is the top, as for `client["Age"].top_box`. The name lists the
        answers. Raises `QuestionError` for more answers than a scale has, and
        where nothing shows which end is the top.

        >>> grid = al.Crosstab(client, "Feelings about AI")
        >>> grid.rows.top_box(2)
        >>> grid.rows[-1].describe(client.catalogue)
        'Feelings about AI is Very hopeful or Rather hopeful'
        """
        self._boxes(count, 0, which)

    def bottom_box(self, count: int = 2, which: Which | None = None) -> None:
        """Add a net of the lowest answers of each scale; see `top_box`.

        >>> grid = al.Crosstab(client, "Feelings about AI")
        >>> grid.rows.bottom_box(1)
        >>> grid.rows[-1].name
        'Bottom 1 (Very worried)'
        """
        self._boxes(0, count, which)

    def nest(self, *under: object, which: Which | None = None) -> None:
        """Count rows or columns within each of other audiences, which become their groups.

        under: what `add` takes, an audience for each group. which: None is all.

        >>> grid = al.Crosstab(client, "Finding brands", "Age")
        >>> grid.columns.nest("Gender")
        >>> grid.columns.full_names[0], len(grid.columns)
        ('Male › Age › 16 to 17', 21)
        """
        outer = as_items(under, self._widget.labels)
        self.edit(
            lambda axis: axis_edits.nest(
                axis, outer, None if which is None else positions_of(axis, which)
            )
        )

    def add_mean(self, *questions: object, statistic: str = "mean") -> None:
        """Add rows with the mean of questions that have amounts, below the other rows.

        questions: names, codes or questions of the catalogue; without any, those on the rows.
        statistic: "mean", "median", "sum", "standard_deviation", "nps", or a percentile such as
            "p90".

        Raises `QuestionError` on columns, and for questions without amounts.

        >>> grid = al.Crosstab(client, "Age", "Gender")
        >>> grid.rows.add_mean()
        >>> [row.name for row in grid.statistics]
        ['Age: mean']
        >>> grid.rows.remove("Age: mean")
        """
        if self._name != "rows":
            raise QuestionError("Means are rows: use widget.rows.add_mean(…).")
        asked = [getattr(each, "code", each) for each in questions]
        asked = asked or [each.code for each in self._widget.scored]
        found = [
            StatisticPlace(row, self._end_of(row.question), ())
            for each in asked
            for row in self._widget.statistic_rows(str(each), statistic)
        ]
        if not found:
            raise QuestionError("No question on the rows has numbers, or amounts of its answers.")
        self._widget.ask(**self._with(found, self))

    def _end_of(self, question: str) -> int:
        """The position behind the last answer of a question, and the end without one."""
        ends = [at for at, each in enumerate(self, 1) if _is_of(each, question)]
        return ends[-1] if ends else len(self)

    def _with(
        self, new: Sequence[StatisticPlace], rows: AxisAudiences
    ) -> dict[str, PlacedStatistics]:
        """The change that adds statistics to these rows; none without new ones."""
        now: PlacedStatistics = self._widget.statistics
        kept = now.carried(self.plain, rows or None).places
        known = {(each.groups, each.statistic.name) for each in kept}
        fresh = [each for each in new if (each.groups, each.statistic.name) not in known]
        return {"statistics": PlacedStatistics([*kept, *fresh])} if fresh else {}

    def show_as(
        self,
        question: object,
        form: Form = "distribution",
        *,
        bins: Iterable[float] | None = None,
    ) -> None:
        """Show the rows or columns of a question in another form, where they are.

        question: by name or code; added if it is not there.
        form: "distribution" is its answers: of a grid the points of its scale for each item, of
            numbers bins. "top_box" is the two highest answers together, "mean" and "median" a row
            of that, and of a grid each a row for each item.
        bins: the edges of bins of numbers, each from one edge up to the next.

        The order of items stays, and a form that is shown again has the nets that it had. Raises
        `QuestionError` for a form that the question does not have, and for means as columns.

        >>> grid = al.Crosstab(client, "Trust in sources", "Gender")
        >>> grid.rows.show_as("Trust in sources", "top_box")
        >>> len(grid.rows)
        10
        """
        self._widget.show_as(self._name, question, form, bins)

    def rename(self, which: Item, name: str) -> None:
        """Give one of them another name.

        >>> grid = al.Crosstab(client, "Gender")
        >>> grid.rows.rename("Female", "Women")
        >>> [row.name for row in grid.rows][:2]
        ['Male', 'Women']
        """
        self.edit(lambda axis: axis_edits.rename(axis, position_of(axis, which), name))

    def remove(self, which: Which) -> None:
        """Remove some of them, or means by name or group; without any, the base alone is shown.

        >>> grid = al.Crosstab(client, "Age")
        >>> grid.rows.remove(["16 to 17", "65 and over"])
        >>> len(grid.rows)
        5
        """
        means: PlacedStatistics = self._widget.statistics
        rows = means.places if self._name == "rows" else []
        named = {each: {each.statistic.name, *each.groups[:1]} for each in rows}
        if (
            isinstance(which, str)
            and which not in self.full_names
            and any(which in names for names in named.values())
        ):
            kept = [each for each, names in named.items() if which not in names]
            self._widget.ask(statistics=PlacedStatistics(kept))
            return
        self.edit(lambda axis: axis_edits.remove(axis, positions_of(axis, which)))

    def _boxes(self, top: int, bottom: int, which: Which | None) -> None:
        self.edit(
            lambda axis: axis_edits.add_boxes(
                axis,
                top,
                bottom,
                positions=None if which is None else positions_of(axis, which),
                labels=self._widget.labels,
            )
        )

    def edit(self, change: Callable[[AxisAudiences], AxisAudiences]) -> None:
        """Replace them by a function of them, as one step; without any the base alone is shown."""

        def edited(axis: AxisAudiences | None) -> AxisAudiences | None:
            return change(axis or AxisAudiences()) or None

        self._widget.ask(**{self._name: edited})


def _is_of(audience: Audience, question: str) -> bool:
    return isinstance(audience.expression, Condition) and audience.expression.question == question


class WidgetAxisTrait(traitlets.TraitType[WidgetAxis, Any]):
    """The trait of rows or columns: an `AxisAudiences` or None, read with the verbs."""

    def validate(self, obj: Any, value: Any) -> Any:
        """The `AxisAudiences` of rows or columns as users write them; None for none."""
        if isinstance(value, WidgetAxis):
            return value.plain
        if isinstance(value, RowsBeside):
            obj.take_statistics(value.statistics.places)
            return value.rows
        statistics: list[StatisticPlace] | None = [] if self.name == "rows" else None
        name = cast("str", self.name)
        axis = as_axis(value, name, lambda: obj.labels, statistics, obj.wave_names)
        if statistics:
            obj.take_statistics(statistics)
        return axis

    def get(self, obj: Any, cls: Any = None) -> WidgetAxis:
        """The value as a `WidgetAxis`."""
        kept = cast("AxisAudiences | None", super().get(obj, cls))
        return WidgetAxis.of(obj, cast("AxisName", self.name), kept)
