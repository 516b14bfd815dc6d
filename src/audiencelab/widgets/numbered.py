"""Traits that several pages edit: each of their values has a number, so that no edit is lost.

Two browser pages of one kernel may edit the same value before they see each other's edit. A page
says which number its edit came after. If that is the present one, the edit is taken, and all pages
get it; otherwise the page gets the present value back and merges its own edit into it, or says that
it could not (`js/src/core/traits.ts`). A value without a number, of an older page, is always taken.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, TypeVar, cast

import msgspec

from audiencelab.hidden_members import hide_members
from audiencelab.widgets._deps import anywidget, traitlets

T = TypeVar("T", bound="traitlets.TraitType[Any, Any]")


class PageEdit(msgspec.Struct):
    """An edit of a page: its value and number, and the numbers of the values before it.

    after: what the page got from Python last, and its own edits since, of which Python may have
        seen only some.
    """

    number: int
    value: Any
    after: list[int]


class Sent(msgspec.Struct, omit_defaults=True):
    """A value as pages get it.

    answers: the number of the last edit that was answered; taken: whether it is in this value.
    """

    number: int
    value: Any
    answers: int | None = None
    taken: bool = False


class _Numbers:
    """The numbers of the traits of one widget."""

    def __init__(self) -> None:
        # Each page's messages may come on a thread of their own.
        self.lock = threading.RLock()
        self._last = 0
        self.now: dict[str, int] = {}
        self.taking: dict[str, PageEdit] = {}
        self.answered: dict[str, tuple[int | None, bool]] = {}

    def advance(self, name: str, value: Any) -> None:
        """Number a new value: as the page did whose edit it is, otherwise with the next one."""
        edit = self.taking.get(name)
        if edit is not None:
            self.answered[name] = edit.number, True
        if edit is not None and _json(edit.value) == _json(value):
            self.now[name] = edit.number
        else:
            self._last += 1
            self.now[name] = self._last


def numbered(trait: T) -> T:
    """The trait, synced, with a number for each of its values."""

    def to_json(_: object, widget: NumberedWidget) -> dict[str, Any]:
        numbers, name = widget._numbers, str(trait.name)  # pyright: ignore[reportPrivateUsage] -- its own
        answers, taken = numbers.answered.get(name, (None, False))
        number = numbers.now.get(name, 0)
        # Read last: where another thread sets it meanwhile, the value may be ahead of its number.
        sent = Sent(number, getattr(widget, name), answers, taken)
        return cast("dict[str, Any]", msgspec.to_builtins(sent))

    trait.tag(sync=True, echo_update=False, numbered=True, to_json=to_json)
    return trait


@hide_members("notify_change", "set_state")
class NumberedWidget(anywidget.AnyWidget):
    """A widget with traits that are `numbered`."""

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """Take what a page changed; pages get an answer to each numbered edit."""
        edits = {
            name: edit
            for name, value in sync_data.items()
            if self._is_numbered(name) and (edit := _edit(value)) is not None
        }
        if others := {name: each for name, each in sync_data.items() if name not in edits}:
            super().set_state(others)
        numbers = self._numbers
        for name, edit in edits.items():
            with numbers.lock:
                self._take(name, edit, numbers)

    def _take(self, name: str, edit: PageEdit, numbers: _Numbers) -> None:
        """Set the trait to the value of an edit that is not outdated, and answer it."""
        numbers.answered[name] = edit.number, False
        if numbers.now.get(name, 0) not in (*edit.after, edit.number):
            self.send_state(name)
            return
        numbers.taking[name] = edit
        try:
            self.set_trait(name, edit.value)
            if not numbers.answered[name][1]:
                # The value that it has already, which sends no notification.
                numbers.advance(name, edit.value)
                self.send_state(name)
        except Exception:
            # Invalid; what an observer raises comes after the answer.
            if not numbers.answered[name][1]:
                self.send_state(name)
            raise
        finally:
            del numbers.taking[name]

    def notify_change(self, change: Any) -> None:
        """Number the new value before pages and observers get it."""
        name = change["name"]
        if self._is_numbered(name):
            self._numbers.advance(name, change["new"])
        super().notify_change(change)

    @property
    def _numbers(self) -> _Numbers:
        # Traits are set before any constructor could make it.
        return cast("_Numbers", vars(self).setdefault("_page_numbers", _Numbers()))

    def _is_numbered(self, name: str) -> bool:
        return self.has_trait(name) and bool(self.trait_metadata(name, "numbered"))


def _edit(value: object) -> PageEdit | None:
    try:
        return msgspec.convert(value, PageEdit)
    except msgspec.ValidationError:
        return None


def _json(value: object) -> bytes:
    return msgspec.json.encode(value)
