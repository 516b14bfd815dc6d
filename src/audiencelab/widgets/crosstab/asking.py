"""The question of a grid as the page edits it: what can be chosen, and the edits themselves.

`serve_question(channel, grid)` answers `choices` (waves, locations, what is chosen of them),
`blocks` (a side in heads and single lines), `saved_audiences`, `edit` (one change, named by `do`),
`undo` and `redo`, and the catalogue's own operations. An edit that cannot be made is an error in
words, and leaves the question as it was.
"""

from __future__ import annotations

import difflib
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from audiencelab.expressions import Audience
from audiencelab.render.markup import shorten
from audiencelab.schema.queries import DEFAULT_WAVES
from audiencelab.widgets.channel import Channel, Request
from audiencelab.widgets.crosstab import edits
from audiencelab.widgets.crosstab.edits import QuestionError
from audiencelab.widgets.crosstab.given import How, audience_given, lines_given
from audiencelab.widgets.crosstab.lines import Lines
from audiencelab.widgets.picker.catalogue import serve_catalogue
from audiencelab.widgets.picker.selection import checked_selection, leaves_of
from audiencelab.widgets.saved import SavedAudiences

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.widgets.crosstab.editing import Axis, EditableQuestion

__all__ = ["serve_question"]

_MOST_BLOCKS = 500
_NAME_LENGTH = 200


def serve_question(channel: Channel, grid: EditableQuestion) -> None:
    """Answer what the page's question bar asks."""
    desk = _Desk(grid)
    serve_catalogue(channel, grid.client)
    channel.on("choices", desk.choices)
    channel.on("blocks", desk.blocks)
    channel.on("saved_audiences", desk.saved)
    channel.on("edit", desk.edit)
    channel.on("undo", desk.undo)
    channel.on("redo", desk.redo)


class _Desk:
    """Answers for one grid; what the service is asked for is asked once."""

    def __init__(self, grid: EditableQuestion) -> None:
        self._grid = grid
        self._shelf = SavedAudiences(grid.client)
        self._known: dict[str, dict[str, str]] = {}
        self._lock = threading.Lock()

    # -- what can be chosen ----------------------------------------------------------------------

    def choices(self, _: Request) -> object:
        last = list(self._names("waves"))[-DEFAULT_WAVES:]
        return {
            "waves": self._choices("waves", self._grid.waves, last),
            "locations": self._choices("locations", self._grid.locations, []),
        }

    def _choices(
        self, name: str, chosen: Sequence[str] | None, unasked: Sequence[str]
    ) -> dict[str, Any]:
        """unasked: what is ticked while nothing is chosen; no location is everywhere."""
        return {
            "all": [{"code": code, "name": label} for code, label in self._names(name).items()],
            "chosen": None if chosen is None else list(chosen),
            "unasked": unasked,
        }

    def blocks(self, request: Request) -> object:
        """Neighbours under one outermost head as one, and single lines, each with its place."""
        axis = _axis(request.args)
        lines = getattr(self._grid, axis) or Lines()
        listed: list[dict[str, Any]] = []
        for place, (line, heads, is_net) in enumerate(
            zip(lines, lines.heads, lines.nets, strict=True)
        ):
            name = shorten(heads[0] if heads else line.name, _NAME_LENGTH)
            last = listed[-1] if listed else None
            if heads and last and place and lines.heads[place - 1][:1] == heads[:1]:
                last["count"] += 1
                continue
            listed.append(
                {"name": name, "start": place, "count": 1, "isHead": bool(heads), "isNet": is_net}
            )
        return {"blocks": listed[:_MOST_BLOCKS], "more": max(0, len(listed) - _MOST_BLOCKS)}

    def saved(self, _: Request) -> object:
        return {"audiences": self._shelf.listed()}

    # -- edits -----------------------------------------------------------------------------------

    def edit(self, request: Request) -> object:
        wanted, known = str(request.args.get("do")), self._edits()
        if wanted not in known:
            raise QuestionError(f"The kernel's grid knows no edit {wanted!r}: reload the page.")
        known[wanted](request.args)
        return {}

    def undo(self, _: Request) -> None:
        self._grid.undo()

    def redo(self, _: Request) -> None:
        self._grid.redo()

    def _edits(self) -> dict[str, Callable[[Mapping[str, Any]], None]]:
        """What can be done, by name; made for each edit, since Jupyter keeps every grid."""
        return {
            "add": self._add,
            "nest": self._nest,
            "remove": self._change(lambda lines, places, _: edits.removed(lines, places)),
            "move": self._change(
                lambda lines, places, args: edits.moved(lines, places, int(args["to"]))
            ),
            "rename": self._change(
                lambda lines, places, args: edits.renamed(lines, places[0], str(args["name"]))
            ),
            "net": self._change(
                lambda lines, places, args: edits.netted(lines, places, str(args.get("name", "")))
            ),
            "boxes": self._change(_boxed),
            "bases": self._set_bases,
            "waves": lambda args: self._set_codes("waves", args.get("codes")),
            "locations": lambda args: self._set_codes("locations", args.get("codes")),
        }

    def _add(self, args: Mapping[str, Any]) -> None:
        how = cast("How", args.get("how", "split"))
        new = lines_given(self._given(args), self._grid.labels, how=how)
        self._grid.edit_lines(_axis(args), lambda lines: edits.added(lines, new))

    def _nest(self, args: Mapping[str, Any]) -> None:
        under = lines_given(self._given(args), self._grid.labels)
        axis, places = _axis(args), args.get("places")
        chosen = None if places is None else self._places(axis, places)
        self._grid.edit_lines(axis, lambda lines: edits.nested(lines, under, chosen))

    def _change(
        self, change: Callable[[Lines, list[int], Mapping[str, Any]], Lines]
    ) -> Callable[[Mapping[str, Any]], None]:
        """An edit of the lines at the places that the page names."""

        def apply(args: Mapping[str, Any]) -> None:
            axis = _axis(args)
            places = self._places(axis, args.get("places"))
            self._grid.edit_lines(axis, lambda lines: change(lines, places, args))

        return apply

    def _set_bases(self, args: Mapping[str, Any]) -> None:
        """The bases that are kept, by their places, and those that are added."""
        query = self._grid.value
        now = [part.base_audience or Audience("All") for part in query.parts]
        kept = [base for place, base in enumerate(now) if place in (args.get("keep") or ())]
        bases = [*kept, *self._new_bases(args)]
        if len(bases) < 2:
            alone = bases[0] if bases else None
            everyone = alone is None or alone.expression is None
            self._grid.ask(base_audience=None if everyone else alone, bases=None)
        else:
            self._grid.ask(base_audience=None, bases=bases)

    def _new_bases(self, args: Mapping[str, Any]) -> list[Audience]:
        """One of all that is picked together, and one of each saved audience."""
        picked = self._picked(args)
        together = [audience_given(picked, self._grid.labels)] if picked else []
        return [*together, *self._saved(args)]

    def _set_codes(self, name: str, codes: object) -> None:
        """Waves or locations; None is the default. An unknown one is told, with what is near."""
        if codes is None:
            self._grid.ask(**{name: None})
            return
        known = self._names(name)
        chosen = [str(code) for code in cast("Sequence[object]", codes)]
        if not chosen:
            raise QuestionError(f"Nothing is counted in no {name}: choose one at least.")
        for code in chosen:
            if code not in known:
                near = difflib.get_close_matches(code, known, n=1)
                hint = f" Did you mean {near[0]!r} ({known[near[0]]})?" if near else ""
                raise QuestionError(f"The survey has no {name[:-1]} {code!r}.{hint}")
        # In the survey's order, however they were ticked.
        self._grid.ask(**{name: [code for code in known if code in chosen]})

    # -- what the page names ---------------------------------------------------------------------

    def _names(self, name: str) -> dict[str, str]:
        """All waves or all locations: names by code, in their order."""
        with self._lock:
            if name not in self._known:
                client: Client = self._grid.client
                listed = client.waves() if name == "waves" else client.locations()
                self._known[name] = {each.code: each.name for each in listed}
            return self._known[name]

    def _given(self, args: Mapping[str, Any]) -> list[object]:
        return [*self._picked(args), *self._saved(args)]

    def _picked(self, args: Mapping[str, Any]) -> list[object]:
        return list(leaves_of(checked_selection(args.get("picked") or [])))

    def _saved(self, args: Mapping[str, Any]) -> list[Audience]:
        wanted = [str(each) for each in args.get("saved") or ()]
        if not wanted:
            return []
        shelf = {each["id"]: each for each in self._shelf.listed()}
        if gone := [each for each in wanted if each not in shelf]:
            raise QuestionError(f"The saved audience {gone[0]!r} is not there any more.")
        # Its id would tie a row to the saved audience, which may change; the table does not.
        found = [Audience.from_wire({**shelf[each], "id": None}) for each in wanted]
        return [each.renamed(each.name or "Saved audience") for each in found]

    def _places(self, axis: Axis, named: object) -> list[int]:
        """Places of lines; in several bases the table shows the columns once for each."""
        places = [int(each) for each in cast("Sequence[Any]", named or ())]
        if not places:
            raise QuestionError("Choose a line first.")
        columns = len(self._grid.columns or ())
        if axis == "columns" and self._grid.bases and columns:
            places = [place % columns for place in places]
        return list(dict.fromkeys(places))


def _boxed(lines: Lines, places: list[int], args: Mapping[str, Any]) -> Lines:
    top, bottom = int(args.get("top", 2)), int(args.get("bottom", 2))
    low_first = bool(args.get("lowFirst", True))
    return edits.boxed(lines, top, bottom, low_first=low_first, places=places)


def _axis(args: Mapping[str, Any]) -> Axis:
    axis = args.get("axis")
    if axis not in ("rows", "columns"):
        raise QuestionError(f"A table has rows and columns, and no {axis!r}.")
    return axis
