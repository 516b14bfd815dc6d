"""The page's edits of a grid's query: what can be chosen, and the edits themselves.

`serve_query(channel, widget, …)` registers `choices` (waves and locations), `blocks` (an axis
as groups and single items), `saved_audiences`, `edit` (one change, named by `do`), `undo`, `redo`,
and the operations of the catalogue. An edit that is not possible is an error with a message, and
leaves the query unchanged.
"""

from __future__ import annotations

import difflib
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from audiencelab.client.names import window_codes
from audiencelab.expressions import Audience, as_audience, parse_audience
from audiencelab.markup import shorten
from audiencelab.widgets.crosstab import axis_edits
from audiencelab.widgets.crosstab.axis import Axis, AxisName
from audiencelab.widgets.crosstab.axis_edits import QuestionError
from audiencelab.widgets.crosstab.coercion import How, as_base, as_items
from audiencelab.widgets.crosstab.query_widget import QueryWidget
from audiencelab.widgets.picker.catalogue import serve_catalogue
from audiencelab.widgets.picker.selection import checked_selection, leaves_of
from audiencelab.widgets.rpc_types import Operations, Request
from audiencelab.widgets.saved_audiences import SavedAudiences

if TYPE_CHECKING:
    from audiencelab.client import Client

_MAX_BLOCKS = 500
_NAME_LENGTH = 200

Args = Mapping[str, Any]
Edit = Callable[[AxisName, Callable[[Axis], Axis]], None]


def serve_query(channel: Operations, widget: QueryWidget, client: Client, edit: Edit) -> None:
    """Register the operations of the page's query bar on `channel`; edit: changes one axis."""
    page = _QueryPage(widget, client, edit)
    serve_catalogue(channel, client)
    channel.on("choices", page.choices)
    channel.on("blocks", page.blocks)
    channel.on("saved_audiences", lambda _: {"audiences": page.saved.all()})
    channel.on("edit", page.edit)
    channel.on("undo", lambda _: widget.undo())
    channel.on("redo", lambda _: widget.redo())


class _QueryPage:
    """Answers the page for one grid; waves and locations are requested once."""

    def __init__(self, widget: QueryWidget, client: Client, edit: Edit) -> None:
        self.saved = SavedAudiences(client)
        self._edit = edit
        self._widget = widget
        self._client = client
        self._names: dict[str, dict[str, str]] = {}
        self._lock = threading.Lock()

    # -- what can be chosen ----------------------------------------------------------------------

    def choices(self, _: Request) -> object:
        """All waves and locations, those of the query, and those that None means."""
        query = self._widget.value
        last = window_codes(self._client.default_waves, self._names_of("waves"))
        return {
            "waves": self._choices("waves", query.waves, last),
            # Without a choice no location is ticked: it means everywhere.
            "locations": self._choices("locations", query.locations, []),
        }

    def _choices(
        self, name: str, chosen: Sequence[str] | None, default: Sequence[str]
    ) -> dict[str, Any]:
        names = self._names_of(name).items()
        return {
            "all": [{"code": code, "name": label} for code, label in names],
            "chosen": None if chosen is None else list(chosen),
            "unasked": default,
        }

    def _names_of(self, name: str) -> dict[str, str]:
        """All waves or all locations: names by code, in their order."""
        with self._lock:
            if name not in self._names:
                client = self._client
                listed = client.waves() if name == "waves" else client.locations()
                self._names[name] = {each.code: each.name for each in listed}
            return self._names[name]

    def blocks(self, request: Request) -> object:
        """Outermost groups, and single items, each with its position."""
        axis = getattr(self._widget.value, _axis_name(request.args)) or Axis()
        # Ungrouped items are blocks of their own, neighbours in a group are one.
        runs = groupby(range(len(axis)), lambda at: axis.heads[at][0] if axis.heads[at] else at)
        listed = [(group, list(positions)) for group, positions in runs]
        blocks = [
            {
                "name": shorten(
                    group if isinstance(group, str) else axis[start].name, _NAME_LENGTH
                ),
                "start": start,
                "count": 1 + len(others),
                "isHead": isinstance(group, str),
                "isNet": axis.nets[start],
            }
            for group, (start, *others) in listed[:_MAX_BLOCKS]
        ]
        return {"blocks": blocks, "more": max(0, len(listed) - _MAX_BLOCKS)}

    # -- edits -----------------------------------------------------------------------------------

    def edit(self, request: Request) -> object:
        """One change of the query, named by `do`."""
        name, args = str(request.args.get("do")), request.args
        if name in _AXIS_EDITS:
            axis = _axis_name(args)
            positions = self._positions(axis, args.get("places"))
            self._edit(axis, lambda items: _AXIS_EDITS[name](items, positions, args))
        elif name in ("waves", "locations"):
            self._set_codes(name, args.get("codes"))
        elif name in ("add", "nest", "bases"):
            {"add": self._add, "nest": self._nest, "bases": self._set_bases}[name](args)
        else:
            raise QuestionError(f"This kernel's grid has no edit {name!r}: reload the page.")
        return {}

    def _add(self, args: Args) -> None:
        how = cast("How", args.get("how", "split"))
        new = as_items(self._given(args), self._widget.labels, how=how)
        self._edit(_axis_name(args), lambda axis: axis_edits.add(axis, new))

    def _nest(self, args: Args) -> None:
        under = as_items(self._given(args), self._widget.labels)
        axis, positions = _axis_name(args), args.get("places")
        chosen = None if positions is None else self._positions(axis, positions)
        self._edit(axis, lambda items: axis_edits.nest(items, under, chosen))

    def _set_bases(self, args: Args) -> None:
        """The bases at the positions in `keep`, and new ones."""
        now = [as_audience(part.base_audience) for part in self._widget.value.parts]
        bases = [base for at, base in enumerate(now) if at in (args.get("keep") or ())]
        # One base of all that is picked together, and one of each saved audience.
        if picked := self._picked(args):
            bases.append(as_base(picked, self._widget.labels))
        bases += self._saved(args)
        if len(bases) < 2:
            base = bases[0] if bases and bases[0].expression is not None else None
            self._widget.ask(base_audience=base, bases=None)
        else:
            self._widget.ask(base_audience=None, bases=bases)

    def _set_codes(self, name: str, codes: object) -> None:
        """Waves or locations; None is the default. `QuestionError` for unknown codes."""
        if codes is None:
            self._widget.ask(**{name: None})
            return
        known = self._names_of(name)
        chosen = [str(code) for code in cast("Sequence[object]", codes)]
        if not chosen:
            raise QuestionError(f"Choose at least one of the {name}.")
        for code in chosen:
            if code not in known:
                near = difflib.get_close_matches(code, known, n=1)
                hint = f" Did you mean {near[0]!r} ({known[near[0]]})?" if near else ""
                raise QuestionError(f"The survey has no {name[:-1]} {code!r}.{hint}")
        # In the order of the survey, whatever the order of the ticks.
        self._widget.ask(**{name: [code for code in known if code in chosen]})

    # -- arguments -------------------------------------------------------------------------------

    def _given(self, args: Args) -> list[object]:
        return [*self._picked(args), *self._saved(args)]

    def _picked(self, args: Args) -> list[object]:
        return list(leaves_of(checked_selection(args.get("picked") or [])))

    def _saved(self, args: Args) -> list[Audience]:
        wanted = [str(each) for each in args.get("saved") or ()]
        saved = {each["id"]: each for each in self.saved.all()} if wanted else {}
        if gone := [each for each in wanted if each not in saved]:
            raise QuestionError(f"The saved audience {gone[0]!r} no longer exists.")
        # Without its id: the saved audience may change, the table does not.
        found = [parse_audience({**saved[each], "id": None}) for each in wanted]
        return [each.renamed(each.name or "Saved audience") for each in found]

    def _positions(self, axis: AxisName, places: object) -> list[int]:
        """Positions on the axis; a table of several bases shows the columns once for each."""
        positions = [int(each) for each in cast("Sequence[Any]", places or ())]
        if not positions:
            raise QuestionError("Choose a row or column first.")
        query = self._widget.value
        columns = len(query.columns or ())
        if axis == "columns" and query.bases and columns:
            positions = [at % columns for at in positions]
        return list(dict.fromkeys(positions))


_AXIS_EDITS: dict[str, Callable[[Axis, list[int], Args], Axis]] = {
    "remove": lambda axis, positions, _: axis_edits.remove(axis, positions),
    "move": lambda axis, positions, args: axis_edits.move(axis, positions, int(args["to"])),
    "rename": lambda axis, positions, args: axis_edits.rename(
        axis, positions[0], str(args["name"])
    ),
    "net": lambda axis, positions, args: axis_edits.add_net(
        axis, positions, str(args.get("name", ""))
    ),
    "merge": lambda axis, positions, args: axis_edits.merge(
        axis, positions, str(args.get("name", ""))
    ),
    "boxes": lambda axis, positions, args: axis_edits.add_boxes(
        axis,
        int(args.get("top", 2)),
        int(args.get("bottom", 2)),
        low_first=bool(args.get("lowFirst", True)),
        positions=positions,
    ),
}
"""Edits of one axis at the positions that the page names."""


def _axis_name(args: Args) -> AxisName:
    axis = args.get("axis")
    if axis not in ("rows", "columns"):
        raise QuestionError(f"axis must be 'rows' or 'columns'; got {axis!r}.")
    return axis
