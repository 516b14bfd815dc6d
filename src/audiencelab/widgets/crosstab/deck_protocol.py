"""The operations of the deck of a crosstab: what it has, edits, and the file."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from audiencelab.widgets.rpc_types import Args, Data


class DeckEntry(Data):
    """A table or a chart of a deck, in its order.

    number: which it is, wherever it is moved. kind: "table", or the kind of chart; "chart" is the
    one that suits. name: the question. headline: words of the user's own, or "".
    """

    number: int
    kind: Literal["table", "chart", "bar", "dots", "heatmap"]
    name: str
    headline: str


class DeckSummary(Data):
    """A deck as its panel lists it.

    template: the name of the presentation whose layouts are used; "" for none. undo: what the last
    change was, or None. writing: how many items were counted while its file is made; None while no
    file is made.
    """

    items: list[DeckEntry] = msgspec.field(default_factory=list[DeckEntry])
    template: str = ""
    undo: str | None = None
    writing: int | None = None


class AddToDeck(Args, tag_field="do", tag="add"):
    """Add the table, or its chart.

    rows, columns: the positions of those that are added; none are all that are shown.
    """

    generation: int
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    chart: bool = False


class MoveInDeck(Args, tag_field="do", tag="move"):
    """Move an item before the one at `to`."""

    number: int
    to: int


class RenameInDeck(Args, tag_field="do", tag="rename"):
    """Give an item a headline; "" is the one that is found."""

    number: int
    headline: str


class RemoveFromDeck(Args, tag_field="do", tag="remove"):
    """Remove an item."""

    number: int


class ShowFromDeck(Args, tag_field="do", tag="show"):
    """Show an item in the table again."""

    number: int


class UseTemplate(Args, tag_field="do", tag="template"):
    """Use a presentation as template, by its name; "" for none.

    A file that the page has is in the request's buffer, and is written into the working directory.
    """

    name: str


class UndoInDeck(Args, tag_field="do", tag="undo"):
    """Undo the last change of the deck."""


DeckEdit: TypeAlias = (
    AddToDeck | MoveInDeck | RenameInDeck | RemoveFromDeck | ShowFromDeck | UseTemplate | UndoInDeck
)


class DeckTemplates(Data):
    """The presentations in the working directory."""

    names: list[str]


class WriteDeck(Args):
    """beside: whether the file is also written into the working directory."""

    beside: bool = False


class SkippedItem(Data):
    """An item that could not be counted, and why."""

    name: str
    why: str
