"""The page's half of a deck: its list, edits of it, and its file."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from audiencelab.errors import AudienceError
from audiencelab.expressions.labels import Labels
from audiencelab.files import put_new, unused_path
from audiencelab.markup import shorten
from audiencelab.widgets.crosstab.charts import chart_positions
from audiencelab.widgets.crosstab.deck import Deck
from audiencelab.widgets.crosstab.deck_item import DeckItem, ShownGrid, item_of_grid
from audiencelab.widgets.crosstab.deck_protocol import (
    AddToDeck,
    DeckEdit,
    DeckEntry,
    DeckSummary,
    DeckTemplates,
    MoveInDeck,
    RemoveFromDeck,
    RenameInDeck,
    ShowFromDeck,
    SkippedItem,
    UndoInDeck,
    UseTemplate,
    WriteDeck,
)
from audiencelab.widgets.crosstab.export import Exporter
from audiencelab.widgets.crosstab.file_formats import SLIDES
from audiencelab.widgets.crosstab.protocol import DeckFile, Grid, Region
from audiencelab.widgets.crosstab.sending import Exports
from audiencelab.widgets.crosstab.session import QuerySession
from audiencelab.widgets.crosstab.view_state import Arrangement
from audiencelab.widgets.picker.catalogue import Registry
from audiencelab.widgets.rpc_types import AnswerWithBuffers, Buffer, NoArgs, PageRequest

_NAME_LENGTH, _HEADLINE_LENGTH = 200, 300

_MOST_TEMPLATES = 200


class DeckGrid(ShownGrid, Protocol):
    """The part of a `Crosstab` that its deck's panel uses."""

    @property
    def deck(self) -> Deck: ...
    @property
    def labels(self) -> Labels | None: ...
    def show_item(self, item: DeckItem) -> None: ...
    def follow_deck(self, writing: int | None = None) -> None: ...


def deck_summary(deck: Deck, labels: Labels | None, writing: int | None) -> DeckSummary:
    """A deck for its panel."""
    return DeckSummary(
        [
            DeckEntry(
                item.number,
                "table" if item.chart is None else item.chart.kind or "chart",
                shorten(item.title(labels), _NAME_LENGTH),
                item.headline,
            )
            for item in deck
        ],
        Path(deck.template).name,
        deck.undoable,
        writing,
    )


class DeckPage:
    """Answers the page for the deck of one grid."""

    def __init__(
        self, grid: DeckGrid, session: QuerySession, exporter: Exporter, files: Exports
    ) -> None:
        self._grid, self._session, self._exporter, self._files = grid, session, exporter, files

    def serve(self, channel: Registry) -> None:
        """Register the operations."""
        channel.on(Grid.deck, self.edit)
        channel.on(Grid.templates, self.templates)
        channel.on(Grid.write_deck, self.write)

    def edit(self, request: PageRequest[DeckEdit]) -> None:
        """One change of the deck, or of the table that is shown."""
        deck, edit = self._grid.deck, request.args
        match edit:
            case AddToDeck():
                deck.put(self._shown(request, edit))
            case UndoInDeck():
                deck.undo()
            case UseTemplate():
                name = self._template(edit.name, request.buffers)
                deck.template = name
            case ShowFromDeck():
                self._grid.show_item(_item(deck, edit.number))
            case MoveInDeck():
                items = [each for each in deck if each.number != edit.number]
                items.insert(edit.to, _item(deck, edit.number))
                deck.change("move", items)
            case RenameInDeck():
                _item(deck, edit.number)
                headline = " ".join(edit.headline.split())[:_HEADLINE_LENGTH]
                deck.change(
                    "rename",
                    [
                        replace(each, headline=headline) if each.number == edit.number else each
                        for each in deck
                    ],
                )
            case RemoveFromDeck():
                _item(deck, edit.number)
                deck.change("remove", [each for each in deck if each.number != edit.number])

    def _shown(self, request: PageRequest[DeckEdit], edit: AddToDeck) -> DeckItem:
        """What the page shows, or the selected part of it."""
        item = item_of_grid(self._grid)
        item = item if edit.chart else replace(item, chart=None)
        snapshot = self._session.loader.snapshot
        if edit.generation != snapshot.generation:
            raise AudienceError("The table was changed meanwhile: look at it, and add it again.")
        if snapshot.error is not None:
            raise AudienceError(f"The table could not be counted: {snapshot.error}")
        if not edit.rows or not edit.columns:
            return item
        rows, columns = self._exporter.positions(
            Region(edit.generation, [*edit.rows], [*edit.columns])
        )
        if edit.chart:
            down, across = map(len, self._session.axes)
            rows, columns = map(list, chart_positions((rows, columns), (down, across)))
        query = self._exporter.part_of_query(rows, columns)
        return replace(item, query=query, arrangement=Arrangement())

    # -- templates and the file -------------------------------------------------------------------

    def templates(self, _: PageRequest[NoArgs]) -> DeckTemplates:
        """The presentations beside the notebook."""
        names = sorted(path.name for path in Path.cwd().glob("*.pptx") if path.is_file())
        return DeckTemplates(
            [name for name in names if not name.startswith("~$")][:_MOST_TEMPLATES]
        )

    def _template(self, name: str, sent: Sequence[Buffer]) -> str:
        """The name of a template that exists, and can be opened."""
        from audiencelab.render.pptx.template import open_presentation

        if not name:
            return ""
        if Path(name).name != name:
            raise AudienceError(f"{name!r} is not the name of a file beside the notebook.")
        path = Path(name)
        if sent:
            path = unused_path(path.stem, path.suffix)
            put_new(path, b"".join(bytes(each) for each in sent))
        try:
            open_presentation(path)
        except (OSError, ValueError, KeyError, LookupError) as error:
            if sent:
                path.unlink()
            raise AudienceError(f"{name} is not a presentation that can be used: {error}") from None
        return path.name

    def write(self, request: PageRequest[WriteDeck]) -> AnswerWithBuffers[DeckFile]:
        """Count the deck and write its file; items that cannot be counted are named."""
        from audiencelab.render.pptx import write_slides

        deck, grid = self._grid.deck, self._grid
        try:
            tables, skipped = deck.counted(skips=True, check=request.check, report=grid.follow_deck)
            request.check()
            written = io.BytesIO()
            write_slides(written, tables, template=deck.template or None)
        finally:
            grid.follow_deck()
        request.check()
        made = self._files.deliver(
            written.getvalue(), "deck.pptx", SLIDES, beside=request.args.beside
        )
        labels, header = grid.labels, made.data
        left_out = [
            SkippedItem(shorten(item.headline or item.title(labels), _NAME_LENGTH), why)
            for item, why in skipped
        ]
        fields = (header.number, header.name, header.type, header.bytes, header.beside)
        return AnswerWithBuffers(DeckFile(*fields, skipped=left_out), made.buffers)


def _item(deck: Deck, number: int) -> DeckItem:
    found = next((each for each in deck if each.number == number), None)
    if found is None:
        raise AudienceError("This slide is no longer in the deck.")
    return found
