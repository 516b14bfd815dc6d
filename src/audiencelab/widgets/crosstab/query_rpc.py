"""The page's edits of a crosstab's query: what can be chosen, and the edits themselves.

An edit that is not possible is an error with a message, and leaves the query unchanged.
"""

from __future__ import annotations

import difflib
import threading
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec
from msgspec import UnsetType

from audiencelab.client.names import window_codes
from audiencelab.expressions import Audience, as_audience, parse_audience
from audiencelab.markup import shorten
from audiencelab.widgets.base import weighted
from audiencelab.widgets.crosstab import axis_edits
from audiencelab.widgets.crosstab.axis import AxisAudiences, AxisName
from audiencelab.widgets.crosstab.axis_edits import QuestionError
from audiencelab.widgets.crosstab.axis_verbs import WidgetAxis
from audiencelab.widgets.crosstab.coercion import as_base, as_items, picked
from audiencelab.widgets.crosstab.protocol import FormChoices, Generation, Grid, QuestionForms
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.crosstab.query_protocol import (
    AddBoxes,
    AddItems,
    AddMeans,
    AxisArgs,
    Block,
    Blocks,
    Choices,
    Chosen,
    CodeChoices,
    Edit,
    GridRows,
    MergeItems,
    MoveItems,
    NestItems,
    NetItems,
    RemoveItems,
    RemoveStatistic,
    RenameItem,
    SetBases,
    SetLocations,
    SetWaves,
    SetWeight,
    SetWhoCounts,
    ShowAs,
    ShowWaves,
)
from audiencelab.widgets.crosstab.query_widget import QueryWidget
from audiencelab.widgets.crosstab.view_state import between
from audiencelab.widgets.crosstab.wave_columns import has_waves
from audiencelab.widgets.picker.catalogue import Registry, serve_catalogue
from audiencelab.widgets.picker.protocol import CodeName
from audiencelab.widgets.picker.selection import leaves_of
from audiencelab.widgets.rpc_types import NoArgs, PageRequest
from audiencelab.widgets.saved_audiences import SavedAudiences

if TYPE_CHECKING:
    from audiencelab.client import Catalogue, Client

_CHANGED = "The table was changed meanwhile: look at it, and choose again."
_MAX_BLOCKS = 500
_NAME_LENGTH = 200
_WINDOW_LENGTH = 24


def serve_query(channel: Registry, widget: QueryWidget, client: Client) -> None:
    """Register the operations of the page's query bar on `channel`."""
    page = _QueryPage(widget, client)
    serve_catalogue(channel, client)
    channel.on(Grid.choices, page.choices)
    channel.on(Grid.blocks, page.blocks)
    channel.on(Grid.saved_audiences, lambda _: page.saved.listed())
    channel.on(Grid.forms, page.forms)
    channel.on(Grid.edit, page.edit)
    channel.on(Grid.undo, lambda _: widget.undo())
    channel.on(Grid.redo, lambda _: widget.redo())


class _QueryPage:
    """Answers the page for one crosstab; waves and locations are requested once."""

    def __init__(self, widget: QueryWidget, client: Client) -> None:
        self.saved = SavedAudiences(client)
        self._widget = widget
        self._client = client
        self._names: dict[tuple[str, str | UnsetType | None], dict[str, str]] = {}
        self._lock = threading.Lock()

    # -- what can be chosen ----------------------------------------------------------------------

    def choices(self, _: PageRequest[NoArgs]) -> Choices:
        """All waves and locations, those of the query, and those that None means."""
        scope, window = self._widget.value.scope, self._client.default_waves
        waves, locations = self._names_of("waves"), self._names_of("locations")
        # The window in the names of its waves where it lists codes.
        listed = [window] if isinstance(window, str) else window or ()
        named = ", ".join(waves.get(each, each) for each in listed)
        return Choices(
            waves=CodeChoices(
                _code_names(waves),
                None if scope.waves is None else list(scope.waves),
                window_codes(window, waves),
                shorten(named, _WINDOW_LENGTH),
            ),
            # Without a choice no location is ticked: it means everywhere.
            locations=CodeChoices(
                _code_names(locations),
                None if scope.locations is None else list(scope.locations),
                [],
            ),
        )

    def _names_of(self, name: str) -> dict[str, str]:
        """All waves or all locations: names by code, in their order. Waves may lack a weight."""
        weight = self._widget.value.scope.weight
        with self._lock:
            if (name, weight) not in self._names:
                client = weighted(self._client, weight)
                listed = client.waves() if name == "waves" else client.locations()
                self._names[name, weight] = {each.code: each.name for each in listed}
            return self._names[name, weight]

    def blocks(self, request: PageRequest[AxisArgs]) -> Blocks:
        """Outermost groups, and single items, each with its position."""
        axis = getattr(self._widget.value, request.args.axis) or AxisAudiences()
        # Ungrouped items are blocks of their own, neighbours in a group are one.
        runs = groupby(range(len(axis)), lambda at: axis.groups[at][0] if axis.groups[at] else at)
        listed = [(group, list(positions)) for group, positions in runs]
        blocks = [
            Block(
                name=shorten(group if isinstance(group, str) else axis[start].name, _NAME_LENGTH),
                start=start,
                count=1 + len(others),
                is_group=isinstance(group, str),
                is_net=axis.nets[start],
            )
            for group, (start, *others) in listed[:_MAX_BLOCKS]
        ]
        return Blocks(blocks, max(0, len(listed) - _MAX_BLOCKS))

    def forms(self, _: PageRequest[Generation]) -> FormChoices:
        """The questions that can be shown in another form."""
        return FormChoices(
            [
                QuestionForms(
                    block.axis,
                    block.question.code,
                    shorten(block.question.name, _NAME_LENGTH),
                    block.audiences[0] if block.audiences else -1,
                    _first_run(block.audiences),
                    block.statistics[0] if block.statistics else -1,
                    block.form,
                    [*block.forms],
                    [*block.edges] or None,
                )
                for block in self._widget.blocks()
                if len(block.forms) > 1
            ]
        )

    # -- edits -----------------------------------------------------------------------------------

    def edit(self, request: PageRequest[Edit]) -> None:
        """One change of the query."""
        edit = request.args
        match edit:
            case AddItems():
                axis: WidgetAxis = getattr(self._widget, edit.axis)
                axis.add(*self._given(edit, edit.grids), how=edit.how)
            case NestItems():
                self._nest(edit)
            case SetBases():
                self._set_bases(edit)
            case SetWhoCounts():
                self._widget.ask(base_of=edit.who)
            case AddMeans() | ShowAs() | RemoveStatistic():
                self._edit_forms(edit)
            case ShowWaves():
                self._widget.show_waves(edit.shown)
            case SetWaves() | SetLocations():
                self._set_codes(edit)
            case SetWeight():
                self._widget.ask(weight=edit.weight)
            case _:
                self._edit_items(edit)

    def _edit_forms(self, edit: AddMeans | ShowAs | RemoveStatistic) -> None:
        match edit:
            case AddMeans():
                self._widget.rows.add_mean(edit.question, statistic=edit.statistic)
            case ShowAs():
                axis: WidgetAxis = getattr(self._widget, edit.axis)
                axis.show_as(edit.question, edit.form, bins=edit.bins)
            case RemoveStatistic():
                self._widget.rows.remove(edit.name)

    def _edit_items(
        self, edit: RemoveItems | MoveItems | RenameItem | NetItems | MergeItems | AddBoxes
    ) -> None:
        positions = self._positions(edit.axis, edit.places, edit.table)
        if isinstance(edit, MoveItems):
            (to,) = self._positions(edit.axis, [edit.to], edit.table)
            edit = msgspec.structs.replace(edit, to=to)
        labels = self._widget.labels
        self._edit(edit.axis, lambda items: _edited(items, edit, positions, labels))

    def _nest(self, edit: NestItems) -> None:
        if edit.places is None and len(edit.picked) > 1 and not edit.saved:
            axis: WidgetAxis = getattr(self._widget, edit.axis)
            axis.add(self._within_each_other(edit))
            return
        under = as_items(self._given(edit, "distribution"), self._widget.labels)
        chosen = edit.places
        if chosen is not None:
            chosen = self._positions(edit.axis, chosen, edit.table)
        self._edit(edit.axis, lambda items: axis_edits.nest(items, under, chosen))

    def _within_each_other(self, edit: NestItems) -> AxisAudiences:
        """The answers of several questions, those of each within those of the one before."""
        labels = self._widget.labels
        *outer, inner = [
            as_items(picked([leaf], labels, "distribution"), labels)
            for leaf in leaves_of(edit.picked)
        ]
        # The question of the innermost answers needs no level of its own, as in `al.nest`.
        names = [each.name for each in inner]
        made = AxisAudiences(inner) if len({*names}) == len(names) else inner
        for under in reversed(outer):
            made = axis_edits.nest(made, under)
        return made

    def _set_bases(self, edit: SetBases) -> None:
        seen, now = self._question(edit.table), self._widget.value
        kept = _found(_bases(seen), _bases(now), edit.keep)
        bases = [base for at, base in enumerate(_bases(now)) if at in kept]
        # One base of all that is picked together, and one of each saved audience.
        if edit.picked:
            bases.append(as_base(leaves_of(edit.picked), self._widget.labels))
        bases += self._saved(edit)
        if len(bases) < 2:
            base = bases[0] if bases and bases[0].expression is not None else None
            self._widget.ask(base_audience=base, bases=None)
        else:
            self._widget.ask(base_audience=None, bases=bases)

    def _set_codes(self, edit: SetWaves | SetLocations) -> None:
        """Waves or locations; None is the default. `QuestionError` for unknown codes."""
        codes, name = edit.codes, "waves" if isinstance(edit, SetWaves) else "locations"
        # Waves that are columns are those that are counted.
        shows = name == "waves" and has_waves(self._widget.columns.plain)
        if codes is None:
            self._widget.show_waves(True, None) if shows else self._widget.ask(**{name: None})
            return
        known = self._names_of(name)
        if not codes:
            raise QuestionError(f"Choose at least one of the {name}.")
        for code in codes:
            if code not in known:
                near = difflib.get_close_matches(code, known, n=1)
                hint = f" Did you mean {near[0]!r} ({known[near[0]]})?" if near else ""
                raise QuestionError(f"The survey has no {name[:-1]} {code!r}.{hint}")
        # In the order of the survey, whatever the order of the ticks.
        chosen = [code for code in known if code in codes]
        self._widget.show_waves(True, chosen) if shows else self._widget.ask(**{name: chosen})

    def _edit(self, axis: AxisName, change: Callable[[AxisAudiences], AxisAudiences]) -> None:
        getattr(self._widget, axis).edit(change)

    # -- arguments -------------------------------------------------------------------------------

    def _given(self, chosen: AddItems | NestItems, grids: GridRows) -> list[object]:
        leaves: list[object] = [*leaves_of(chosen.picked)]
        if not isinstance(chosen, AddItems) or chosen.how == "split":
            leaves = picked(leaves_of(chosen.picked), self._widget.labels, grids)
        return [*leaves, *self._saved(chosen)]

    def _saved(self, chosen: Chosen) -> list[Audience]:
        listed = self.saved.listed().audiences if chosen.saved else []
        saved = {each["id"]: each for each in listed}
        if gone := [each for each in chosen.saved if each not in saved]:
            raise QuestionError(f"The saved audience {gone[0]!r} no longer exists.")
        # Without its id: the saved audience may change, the table does not.
        return [
            parse_audience({"name": name or "Saved audience", "expression": expression})
            for name, expression in (
                (saved[each]["name"], saved[each]["expression"]) for each in chosen.saved
            )
        ]

    def _positions(
        self, axis: AxisName, places: Sequence[int], table: int | None = None
    ) -> list[int]:
        """Positions on the axis; a table of several bases shows the columns once for each.

        table: the one in which they are positions; another page may have changed it since.
        """
        if not places:
            raise QuestionError("Choose a row or column first.")
        seen, now = self._question(table), self._widget.value
        columns = len(seen.columns or ())
        if axis == "columns" and seen.bases and columns:
            places = [at % columns for at in places]
        old, new = (getattr(each, axis) or AxisAudiences() for each in (seen, now))
        return _found(old, new, list(dict.fromkeys(places)))

    def _question(self, table: int | None) -> GridQuery:
        if (found := self._widget.question_of(table)) is None:
            raise QuestionError(_CHANGED)
        return found


def _first_run(places: Sequence[int]) -> int:
    """How many of the first positions are neighbours."""
    return sum(at == each for at, each in enumerate(places, places[0])) if places else 0


def _bases(query: GridQuery) -> AxisAudiences:
    return AxisAudiences([as_audience(part.scope.base) for part in query.by_base])


def _found(old: AxisAudiences, new: AxisAudiences, places: Sequence[int]) -> list[int]:
    """The positions of items in a new axis; `QuestionError` if it does not have them all."""
    if old == new:
        return [*places]
    number = between(old, new)
    found = [at for place in places if (at := number(place)) is not None]
    if len(found) < len(places):
        raise QuestionError(_CHANGED)
    return found


def _code_names(names: dict[str, str]) -> list[CodeName]:
    return [CodeName(*each) for each in names.items()]


def _edited(
    axis: AxisAudiences,
    edit: RemoveItems | MoveItems | RenameItem | NetItems | MergeItems | AddBoxes,
    positions: list[int],
    labels: Catalogue | None,
) -> AxisAudiences:
    match edit:
        case RemoveItems():
            return axis_edits.remove(axis, positions)
        case MoveItems():
            return axis_edits.move(axis, positions, edit.to)
        case RenameItem():
            return axis_edits.rename(axis, positions[0], edit.name)
        case NetItems():
            return axis_edits.add_net(axis, positions, edit.name)
        case MergeItems():
            return axis_edits.merge(axis, positions, edit.name)
        case AddBoxes():
            return axis_edits.add_boxes(
                axis,
                edit.top,
                edit.bottom,
                positions=positions,
                labels=labels,
            )
