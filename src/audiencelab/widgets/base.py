"""The base classes of all widgets: a state model, an RPC channel, and a saved form.

The state model holds what Python and the page must agree on and a notebook may save: small traits,
never data. Data is pulled over the channel (see `rpc`), and so is the code that draws the widget
(see `bundle`). A page without a kernel draws the saved form (see `saved_form`).
"""

from __future__ import annotations

import contextvars
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import msgspec
from msgspec import UNSET, UnsetType

from audiencelab.client.audiences import to_base
from audiencelab.client.names import as_codes, find_names, find_waves, is_code, names_in
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, as_audience, within
from audiencelab.hidden_members import hide_members
from audiencelab.markup import Form, shorten
from audiencelab.render.mime_payload import VIEW, room_beside, shown_beside
from audiencelab.render.room import NOTEBOOK, SAVED, Room
from audiencelab.render.text_forms import markdown, title_of
from audiencelab.schema.scope import SCOPE_ARGUMENTS, BaseOf, Scope
from audiencelab.widgets._deps import ipywidgets, traitlets
from audiencelab.widgets.bundle import answer_modules, loader, module_of
from audiencelab.widgets.numbered import NumberedWidget
from audiencelab.widgets.rpc import Channel
from audiencelab.widgets.rpc_types import EveryWidget
from audiencelab.widgets.saved_form import MOST_BYTES, REST, packed, settling
from audiencelab.widgets.who_counts import own_base, usual_base_of

if TYPE_CHECKING:
    from audiencelab.client import Catalogue, Client

S = TypeVar("S", bound=msgspec.Struct)

_WITHOUT_LOOKS = {"_saved", "comm", "keys"}
"""Traits that change nothing of what is shown."""

_PLAIN_LENGTH = 1_000
"""Maximum characters of the saved repr; the static form contains the code."""


class Synced(traitlets.TraitType[S, Any], Generic[S]):
    """A synced trait whose value is a struct in Python and JSON on the page.

    It has the struct's defaults until it is set. A value that is not valid raises `TraitError`.
    """

    def __init__(self, kind: type[S], default: S | None = None) -> None:
        super().__init__(default)
        self._kind = kind
        self.tag(sync=True, echo_update=False, to_json=_struct_to_json)

    def validate(self, obj: Any, value: Any) -> Any:
        """The value as the struct."""
        if value is None or isinstance(value, self._kind):
            return value
        try:
            return msgspec.convert(value, self._kind)
        except msgspec.ValidationError as error:
            raise traitlets.TraitError(f"{self.name} is not valid: {error}") from None


class _CheckedNone(traitlets.Any):
    """Any value, of which None is validated too; `traitlets.Any` takes it as it is."""

    allow_none = False


def _struct_to_json(value: object, _: object) -> object:
    return msgspec.to_builtins(value)


@hide_members("add_traits", "kind")
class LabWidget(NumberedWidget):
    """Base of all widgets: subclasses set `kind`, register operations, and describe themselves.

    A subclass gives `kind` its default, calls `self.channel.on(op, handler)` in its constructor,
    and implements `_describe()` (the deterministic repr) and `_static_html()`. A widget with a
    client calls `self._use_client(client)` before anything else.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _front_end = traitlets.Unicode(read_only=True).tag(sync=True)
    kind = traitlets.Unicode(read_only=True).tag(sync=True)
    _channel = traitlets.Instance(Channel, read_only=True).tag(
        sync=True, **ipywidgets.widget_serialization
    )
    _saved = traitlets.Unicode(read_only=True).tag(sync=True)
    _anywidget_id = traitlets.Unicode().tag(sync=True)

    _client: Client
    _is_table = False
    """Whether it is a table in a printed document too."""

    _shown_in: contextvars.Context | None = None
    """Where it was shown first: some hosts (Shiny) send messages from within a session only."""
    _seconds_of_form = 0.0
    _is_part = False
    """Whether another widget shows this one, and saves its form."""

    def __init__(self, **state: Any) -> None:
        # First, so that a package without a built front end leaves no comm open.
        self.set_trait("_front_end", module_of(self.kind))
        self.channel = Channel()
        self.channel.on(EveryWidget.ping, self._answer_ping, inline=True)
        self.channel.on(EveryWidget.front_end, answer_modules)
        self.set_trait("_channel", self.channel)
        super().__init__(**state)

    @property
    def client(self) -> Client:
        """The client that answers the widget's queries."""
        return self._client

    def _use_client(self, client: object) -> None:
        """Keep the client; `TypeError` for anything else."""
        from audiencelab.client import AsyncClient

        # By what it can do: anything that streams a crosstab works as a client.
        streams = callable(getattr(type(client), "crosstab_stream", None))
        if isinstance(client, AsyncClient) or not streams:
            name = type(self).__name__
            opened = f"al.open({client!r})" if isinstance(client, str) else "client"
            raise TypeError(
                f"{name} needs a client from al.open() or al.connect() as its first argument; got "
                f"{type(client).__name__}. Write al.{name}({opened})."
            )
        self._client = cast("Client", client)

    def add_traits(self, **traits: Any) -> None:
        """Add traits to this widget, except those that it already has.

        anywidget stores the name of each widget's class in a trait that it adds to the instance,
        which creates one class per instance: most of the memory of a widget. Here it is a trait
        of the class.

        >>> import traitlets
        >>> picker = al.QuestionPicker(client)
        >>> picker.add_traits(note=traitlets.Unicode("for the report"))
        >>> picker.has_trait("note")
        True
        """
        new = {name: trait for name, trait in traits.items() if not self.has_trait(name)}
        if new:
            super().add_traits(**new)

    @traitlets.default("_esm")
    def _default_esm(self) -> str:
        return loader()

    @traitlets.default("_anywidget_id")
    def _default_anywidget_id(self) -> str:
        return f"{type(self).__module__}.{type(self).__name__}"

    def close(self) -> None:
        """Close the widget and cancel its running requests; harmless when repeated.

        >>> picker = al.QuestionPicker(client)
        >>> picker.close()
        """
        # ipywidgets also closes partly constructed widgets, from __del__.
        channel: Channel | None = getattr(self, "channel", None)
        if channel is not None:
            channel.close()
        settling.forget(self._settle)
        super().close()

    def _describe(self) -> str:
        """The widget as text, the same for the same value in every run."""
        raise NotImplementedError

    def _static_html(self, room: Room = NOTEBOOK) -> Form:
        """The widget for a reader without a kernel, built with `audiencelab.markup`."""
        raise NotImplementedError

    def _saved_table(self, room: int) -> dict[str, Any] | None:
        """The values of its table, for pages that can draw them, in at most that many bytes."""
        return None

    def _recorded(self, title: str) -> dict[str, Any]:
        """The metadata of its output: what its figures are of; {} where it shows none."""
        return {}

    def __repr__(self) -> str:
        return self._describe()

    # -- the saved form --------------------------------------------------------------------------

    def _parts_of_form(self) -> Iterable[LabWidget]:
        """The widgets that the static form shows."""
        return (self,)

    def _is_settled(self) -> bool:
        """Whether the static form is not about to change by itself."""
        return True

    def _adopt(self, parts: Iterable[LabWidget]) -> None:
        """Leave it to this widget to save what its parts show, while they are shown within it."""
        for part in parts:
            part._is_part = True

    def _answer_ping(self, _: object) -> None:
        """A page draws the widget, which may be within another and have no display of its own."""
        if self._shown_in is None and not self._is_part:
            self._follow_changes()
            settling.touch(self._settle)

    def _follow_changes(self) -> None:
        if self._shown_in is None:
            self._shown_in = contextvars.copy_context()
            for part in self._parts_of_form():
                part.observe(self._touch)

    def _touch(self, change: Mapping[str, Any]) -> None:
        if change["name"] not in _WITHOUT_LOOKS:
            settling.touch(self._settle, REST * self._seconds_of_form)

    def _settle(self) -> None:
        """Bring the saved form up to date, unless it is about to change again."""
        if self.comm is not None and self._shown_in is not None and self._is_settled():
            begun = time.perf_counter()
            form = self._static_html(SAVED)
            self._shown_in.copy().run(self._save, form)
            self._seconds_of_form = time.perf_counter() - begun

    def _save(self, form: Form) -> None:
        saved = packed(form)
        if len(saved) > MOST_BYTES:
            saved = packed(self._static_html())
        self.set_trait("_saved", saved)

    def _get_embed_state(self, drop_defaults: bool = False) -> dict[str, Any]:
        """The state for a page without a kernel, which has no other source of defaults."""
        if not self._is_part:
            self._save(self._static_html(SAVED))
        return super()._get_embed_state(drop_defaults=False)

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None, **_: object
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view for front ends with a kernel, and the static form for all others."""
        # anywidget returns None only for widgets without a view.
        shown, metadata = cast("tuple[dict[str, Any], ...]", super()._repr_mimebundle_())
        plain, form = shorten(repr(self), _PLAIN_LENGTH), self._static_html()
        self._follow_changes()
        # A table that is still counted would be drawn again when it is complete.
        self._save(self._static_html(SAVED) if self._is_settled() else form)
        data: dict[str, Any] = {**shown, "text/plain": plain, "text/html": str(form), VIEW: {}}
        data |= shown_beside(form, self._saved_table(room_beside(*data.values())))
        if self._is_table:
            data["text/markdown"] = markdown(form, printed=True)
        return data, metadata | self._recorded(title_of(form))


def weighted(client: Client, weight: str | UnsetType | None) -> Client:
    """The client with a weight; raises the errors of `with_options` for one that is not there."""
    return client if weight is UNSET else client.with_options(weight=weight)


@hide_members("scope")
class ScopedWidget(LabWidget):
    """A widget that counts whom its scope says: a trait for each of `SCOPE_ARGUMENTS`.

    Its base is within that of a filtered client, which it has where it is given none.
    """

    base_audience = _CheckedNone(None)
    base_of = _CheckedNone("everyone")
    waves = traitlets.Any(None, allow_none=True)
    locations = traitlets.Any(None, allow_none=True)
    weight = traitlets.Any(UNSET, allow_none=True)

    def __init__(self, **state: Any) -> None:
        # A trait that is set to its default is not validated.
        if state.get("base_audience") is None:
            state["base_audience"] = own_base(self._client)
        super().__init__(**state)

    @property
    def scope(self) -> Scope:
        """Whom the widget counts: the values of these traits as one."""
        return Scope.of({name: getattr(self, name) for name in SCOPE_ARGUMENTS})

    @traitlets.validate("base_of")
    def _validate_base_of(self, proposal: dict[str, Any]) -> BaseOf:
        """Who counts; of None the default of the survey."""
        value = proposal["value"]
        return usual_base_of(self._client) if value is None else Scope(base_of=value).base_of

    @traitlets.validate("base_audience")
    def _validate_base(self, proposal: dict[str, Any]) -> Audience | None:
        value = proposal["value"]
        found = to_base(value, find_names(names_in(base=value), self._catalogue))
        found = within(own_base(self._client), found)
        # An audience with a name needs no catalogue to name it.
        return found if found is None or found.name else as_audience(found, self._catalogue())

    @traitlets.validate("waves", "locations")
    def _validate_codes(self, proposal: dict[str, Any]) -> tuple[str, ...] | None:
        value, name = proposal["value"], proposal["trait"].name
        codes = as_codes(value)
        if codes is None:
            return None
        if all(map(is_code, codes)):
            return tuple(codes)
        if name == "waves":
            waves = {wave.code: wave.name for wave in self._client.waves()}
            return tuple(find_waves(codes, waves))
        found = {each.name.casefold(): each.code for each in self._client.locations()}
        return tuple(found.get(each.casefold(), each) for each in codes)

    @traitlets.validate("weight")
    def _validate_weight(self, proposal: dict[str, Any]) -> str | UnsetType | None:
        """The weight, or UNSET for that of the client."""
        value = proposal["value"]
        if value is UNSET or value in self._client.weights[:1]:
            return UNSET
        weighted(self._client, value)
        return value

    def _catalogue(self) -> Catalogue | None:
        """The client's catalogue; None where the service cannot be reached or has none.

        Codes are used as names then: the query itself reports what is wrong with the service.
        """
        try:
            return self._client.catalogue
        except AudienceError:
            return None
