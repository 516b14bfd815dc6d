"""What all widgets share: one front end, a state model, and a channel beside it.

The state model holds what both sides must agree on and a notebook may save: small traits, never
data. Data is pulled over the channel (see `channel.py`). Which component draws the widget is
said by the trait `kind`, since all of them live in one module (see `frontend.py`).
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Self, cast

from audiencelab.render.markup import Html, shorten
from audiencelab.render.mime_payload import VIEW, room_beside
from audiencelab.widgets.channel import Channel
from audiencelab.widgets.frontend import front_end, loader
from audiencelab.widgets.libraries import anywidget, traitlets

if TYPE_CHECKING:
    from audiencelab.client import Client

__all__ = ["LabWidget"]

_STATE_BYTES = 3_000
"""Room for the models of a widget, where Jupyter saves those too."""

_PLAIN_LENGTH = 1_000
"""Characters of the repr that are saved; the static form beside it has the code."""


class LabWidget(anywidget.AnyWidget):
    """Base of all widgets: subclasses set `kind`, register operations, and describe themselves.

    A subclass gives `kind` its default, calls `self.channel.on(op, handler)` in its constructor,
    and writes `_describe()` (the deterministic repr) and `_static_html()`. One that asks a service
    calls `self._answered_by(client)` before anything else.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _front_end = traitlets.Unicode(read_only=True).tag(sync=True)
    kind = traitlets.Unicode(read_only=True).tag(sync=True)
    _channel = traitlets.Unicode(read_only=True).tag(sync=True)
    _anywidget_id = traitlets.Unicode().tag(sync=True)

    _client: Client

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Say what to write where a client is wanted and none was given, or more than has a place.

        Here and by no default of `client`: it stays an argument that type checkers ask for.
        """
        if not given and "client" not in named and _asks_a_client(cls):
            raise TypeError(_wanted(cls, ""))
        _check_places(cls, len(given))
        return super().__new__(cls, *given, **named)

    def __init__(self, **state: Any) -> None:
        # First, so that a package without front end leaves no comm behind.
        self.set_trait("_front_end", front_end().model_id)
        self.channel = Channel()
        self.set_trait("_channel", self.channel.model_id)
        super().__init__(**state)

    @property
    def client(self) -> Client:
        """The client that answers the widget."""
        return self._client

    def _answered_by(self, client: object) -> None:
        """Keep the client that answers; `TypeError` says what to write if it is none."""
        self._client = self._checked_client(client)

    @classmethod
    def _checked_client(cls, client: object) -> Client:
        from audiencelab.client import AsyncClient

        if isinstance(client, AsyncClient):
            raise TypeError(
                f"{cls.__name__} works with al.connect(), not with a client to await: widgets "
                "count on threads of their own, and the notebook stays free meanwhile."
            )
        # By what it can do: whatever streams a crosstab stands in for a client.
        if not callable(getattr(type(client), "crosstab_stream", None)):
            raise TypeError(_wanted(cls, f", not {type(client).__name__}"))
        return cast("Client", client)

    def add_traits(self, **traits: Any) -> None:
        """Add traits to this one widget, but for those that it has already.

        anywidget names every widget's class by a trait that it adds. That makes a class of its own
        for each instance, which would be most of what Jupyter keeps of a widget; here it is a
        trait of the class.
        """
        new = {name: trait for name, trait in traits.items() if not self.has_trait(name)}
        if new:
            super().add_traits(**new)

    @traitlets.default("_esm")
    def _read_esm(self) -> str:
        return loader()

    @traitlets.default("_anywidget_id")
    def _name_class(self) -> str:
        return f"{type(self).__module__}.{type(self).__name__}"

    def close(self) -> None:
        """Close the widget and call off what it still computes; harmless when repeated."""
        # ipywidgets closes half-made widgets too, from __del__.
        channel: Channel | None = getattr(self, "channel", None)
        if channel is not None:
            channel.close()
        super().close()

    def _describe(self) -> str:
        """The widget as text: the same words for the same value in every run."""
        raise NotImplementedError

    def _static_html(self) -> Html:
        """The widget for a reader without a kernel, built with `frames.markup`."""
        raise NotImplementedError

    def _saved_forms(self, room: int) -> dict[str, Any]:
        """Forms by MIME type that say more than HTML, in `room` bytes of the notebook at most."""
        return {}

    def __repr__(self) -> str:
        return self._describe()

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None, **_: object
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view for front ends with a kernel, and the static form for everybody else."""
        # None is for widgets without a view; one of anywidget's has one always.
        shown, metadata = cast("tuple[dict[str, Any], ...]", super()._repr_mimebundle_())
        plain = shorten(repr(self), _PLAIN_LENGTH)
        page = str(self._static_html())
        data: dict[str, Any] = {**shown, "text/plain": plain, "text/html": page, VIEW: {}}
        room = room_beside(*data.values()) - _STATE_BYTES
        return {**data, **self._saved_forms(room)}, metadata


def _asks_a_client(widget: type[LabWidget]) -> bool:
    """Whether a widget is made with a client first."""
    return "client" in inspect.signature(widget.__init__).parameters


def _check_places(widget: type[LabWidget], given: int) -> None:
    arguments = list(inspect.signature(widget.__init__).parameters.values())[1:]
    placed = [each.name for each in arguments if each.kind is each.POSITIONAL_OR_KEYWORD]
    named = [each.name for each in arguments if each.kind is each.KEYWORD_ONLY]
    if given > len(placed) and placed and named:
        name, first = widget.__name__, ", ".join(placed)
        raise TypeError(f"{name} takes all but {first} by name: {name}({first}, {named[0]}=…).")


def _wanted(widget: type[LabWidget], instead: str) -> str:
    name = widget.__name__
    return (
        f"{name} needs a client first{instead}: write client = al.connect() and then "
        f"{name}(client, …)."
    )
