"""A deck: tables and charts in order, which are counted and written as one presentation."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any, overload

from audiencelab.client.errors import (
    AccessDenied,
    InvalidRequest,
    NotFound,
    RequestError,
)
from audiencelab.errors import AudienceError
from audiencelab.hidden_members import hide_members
from audiencelab.markup import element, joined
from audiencelab.widgets.crosstab.deck_item import DeckItem, item_of
from audiencelab.widgets.who_counts import usual_base_of
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.client.catalogue import Catalogue
    from audiencelab.render.pptx import SlideTable

_MOST_STEPS = 100
"""Changes of a deck that can be undone."""

_OF_ONE_ITEM = (AccessDenied, InvalidRequest, NotFound)
"""Refusals of one table; after any other failure of a service the next one fails as well."""


class NothingToWrite(AudienceError, ValueError):
    """A deck has no table or chart that could be counted."""


@dataclass(frozen=True, slots=True)
class _Step:
    """What a deck has, and what the change was that led to it."""

    items: tuple[DeckItem, ...]
    template: str
    change: str = ""


@hide_members(
    *("change", "client", "counted", "count", "fill", "follow", "index", "names", "put"),
    *("template", "to_code", "undo", "undoable", "unfollow"),
)
class Deck(Sequence[DeckItem]):
    """Tables and charts in order, written as the slides of one presentation.

    client: counts them again each time that the deck is written.
    template: a presentation whose layouts, fonts and colours its slides have; it can be set later.

    `al.Crosstab` and `al.Workbench` add what they show by *Add to deck*, the former to the deck of
    its client; `.deck` of either is that deck. `del deck[0]` removes a slide.

    >>> deck = al.Deck(client)
    >>> deck.add(client.crosstab("Finding brands", "Gender"), chart="bar")
    >>> deck.to_pptx(folder / "deck.pptx")
    """

    __slots__ = ("__weakref__", "_followers", "_last", "_lock", "_now", "_past", "client")

    def __init__(self, client: Client, template: str | os.PathLike[str] | None = None) -> None:
        self.client = client
        self._lock = threading.RLock()
        self._now = _Step((), "" if template is None else os.fspath(template))
        self._past: list[_Step] = []
        self._last = 0
        self._followers: weakref.WeakSet[Any] = weakref.WeakSet()

    def add(
        self,
        table: object,
        headline: str = "",
        *,
        chart: str | None = None,
        arrangement: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Add a table or a chart at the end.

        table: what `client.crosstab` returns, a chart of it, an `al.Crosstab` or an `al.Workbench`.
        headline: of its slide; "" for what differs most, or the question where nothing does.
        chart: "auto", "bar", "dots" or "heatmap" for a chart; None for the table itself.
        arrangement: how rows and columns are sorted, moved and hidden, as `al.Crosstab` has it.
        options: settings of `al.Crosstab` by name, such as `metrics`, `hide_under`, `significance`;
            of a chart also `title`, `sort`, `palette` and `labels`.

        Raises `TypeError` for other results and options, and `AudienceError` for another chart.

        >>> deck = al.Deck(client)
        >>> deck.add(client.crosstab("Pets", "Gender"), "More women have cats", hide_under=75)
        >>> deck
        <Deck of 1 slide: More women have cats>
        """
        self.put(item_of(table, headline, chart, arrangement, options))

    def to_pptx(
        self,
        file: str | os.PathLike[str] | IO[bytes],
        *,
        template: str | os.PathLike[str] | None = None,
        title: str = "",
    ) -> None:
        """Count all of it and write one presentation, with charts that can be edited.

        template: a presentation whose layouts are used; None for that of the deck.
        title: of a first slide, which says whom and when the tables count; "" for none.

        Raises the error of the first table that cannot be counted, and those of
        `CrosstabResult.to_pptx`.

        >>> deck = al.Deck(client)
        >>> deck.add(client.crosstab("Pets", "Gender"))
        >>> deck.to_pptx(folder / "pets.pptx", title="Pets")
        """
        from audiencelab.render.pptx import write_slides

        tables, _ = self.counted(skips=False)
        write_slides(file, tables, template=template or self.template or None, title=title)

    # -- as a sequence ----------------------------------------------------------------------------

    @overload
    def __getitem__(self, place: int) -> DeckItem: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[DeckItem, ...]: ...
    def __getitem__(self, place: int | slice) -> DeckItem | tuple[DeckItem, ...]:
        return self._now.items[place]

    def __len__(self) -> int:
        return len(self._now.items)

    def __iter__(self) -> Iterator[DeckItem]:
        return iter(self._now.items)

    def __delitem__(self, place: int | slice) -> None:
        with self._lock:
            items = [*self._now.items]
            del items[place]
            self.change("remove", items)

    def __repr__(self) -> str:
        names = ", ".join(self.names())
        return f"<Deck of {plural(len(self), 'slide')}{': ' if names else ''}{names}>"

    def _repr_html_(self) -> str:
        return str(
            joined(repr(self), element("ol", *(element("li", each) for each in self.names())))
        )

    # -- for widgets and documents ----------------------------------------------------------------

    @property
    def template(self) -> str:
        """The presentation whose layouts are used; "" for none."""
        return self._now.template

    @template.setter
    def template(self, template: str | os.PathLike[str]) -> None:
        self.change("template", self, os.fspath(template))

    @property
    def undoable(self) -> str | None:
        """The last change, which `undo` takes back; None where there is none."""
        return self._now.change if self._past else None

    def names(self) -> list[str]:
        """What each item shows."""
        labels = self._labels()
        return [each.headline or each.title(labels) for each in self]

    def put(self, item: DeckItem) -> None:
        """Add an item at the end."""
        with self._lock:
            self._last += 1
            self.change("add", [*self._now.items, replace(item, number=self._last)])

    def change(self, change: str, items: Sequence[DeckItem], template: str | None = None) -> None:
        """Replace what the deck has; change: what that is, for the button that takes it back."""
        with self._lock:
            self._past = [*self._past, self._now][-_MOST_STEPS:]
            chosen = self._now.template if template is None else template
            self._now = _Step(tuple(items), chosen, change)
        self._tell()

    def fill(self, items: Sequence[DeckItem], template: str) -> None:
        """Begin with these items, which cannot be undone."""
        with self._lock:
            self._past = []
            self._now = _Step((), template)
            for item in items:
                self._last += 1
                numbered = replace(item, number=self._last)
                self._now = replace(self._now, items=(*self._now.items, numbered))
        self._tell()

    def undo(self) -> None:
        """Take back the last change."""
        with self._lock:
            if self._past:
                self._now = self._past.pop()
        self._tell()

    def follow(self, widget: Any) -> None:
        """Call `widget.follow_deck()` after each change, as long as the widget exists."""
        self._followers.add(widget)

    def unfollow(self, widget: Any) -> None:
        """Call it no longer."""
        self._followers.discard(widget)

    def _tell(self) -> None:
        for widget in list(self._followers):
            widget.follow_deck()

    def counted(
        self,
        *,
        skips: bool,
        check: Callable[[], None] = lambda: None,
        report: Callable[[int], None] = lambda _: None,
    ) -> tuple[list[SlideTable], list[tuple[DeckItem, str]]]:
        """The slides of all items, and those that could not be counted with the reason.

        skips: whether the others are written where one cannot be counted. check: called often, and
        raises to stop. report: called with the number of items that are counted.

        Raises `NothingToWrite` without any slide.
        """
        made: list[SlideTable] = []
        skipped: list[tuple[DeckItem, str]] = []
        for number, item in enumerate(self):
            report(number)
            try:
                made += item.slides(self.client, self._labels, check)
            except (AudienceError, ValueError) as error:
                check()
                is_service = isinstance(error, RequestError) and not isinstance(error, _OF_ONE_ITEM)
                if not skips or is_service:
                    raise
                skipped.append((item, str(error)))
        if not made:
            reasons = " ".join(f"{item.title(self._labels())}: {why}" for item, why in skipped)
            raise NothingToWrite(
                f"None of it can be counted. {reasons}"
                if skipped
                else "The deck is empty. Write deck.add(table), or press Add to deck."
            )
        return made, skipped

    def to_code(self, name: str) -> str:
        """Python that adds the same to the deck of this name; "" for an empty one."""
        labels, usual = self._labels(), usual_base_of(self.client)
        template = [f"{name}.template = {self.template!r}"] if self.template else []
        return "\n".join([*template, *(each.to_code(name, labels, usual) for each in self)])

    def _labels(self) -> Catalogue | None:
        try:
            return self.client.catalogue
        except (AudienceError, AttributeError):  # A service without a catalogue.
            return None


def deck_of(client: Client) -> Deck:
    """The deck of a client in this kernel, which all its crosstabs share."""
    # It is kept by its client, so that both go together.
    return vars(client).setdefault("_deck", Deck(client))
