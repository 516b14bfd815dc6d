"""Saved audiences for the widgets: list, open, and save.

The service interface has one operation for them, the update. Listing and creating work only where
the service is embedded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict, cast

import msgspec

from audiencelab.client.catalogue.named_code import named_code
from audiencelab.client.errors import SavedMeanwhile
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, KeptAudience
from audiencelab.expressions.number_range import ENDS
from audiencelab.schema.etags import etag_of
from audiencelab.widgets.rpc_types import Data

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.schema import SavedAudience


WireExpression: TypeAlias = Annotated[
    dict[str, Any],
    msgspec.Meta(
        title="WireExpression",
        extra={
            "typescript": """
  | { and: WireExpression[]; not?: true }
  | { or: WireExpression[]; not?: true }
  | {
      question: string;
      datapoints?: readonly string[];
      suffixes?: readonly string[];
      min_count?: number;
      not?: true;
    }
  | {
      question: string;
      numbers: NumberEnds;
      not?: true;
    }
"""
        },
    ),
]
"""An expression in the service's query form."""


class NumberEnds(msgspec.Struct, omit_defaults=True):
    """The ends of a range of numbers; `min` and `max` belong to it, the others do not."""

    min: float | None = None
    above: float | None = None
    max: float | None = None
    below: float | None = None

    @property
    def given(self) -> dict[str, float]:
        return {name: end for name in ENDS if (end := getattr(self, name)) is not None}


class SavedState(TypedDict):
    """What the page knows of a saved audience. etag: its entity tag, where it is known."""

    id: str
    name: str
    expression: WireExpression | None
    etag: str | None


class SavedAudienceRecord(SavedState):
    """A saved audience in a list; updated: ISO 8601."""

    sentence: str
    code: str
    updated: str | None


_OTHER = '"other"'
"""An entity tag that no audience has."""


class SavedList(Data):
    """The saved audiences of a service."""

    audiences: list[SavedAudienceRecord]


class NothingSavedYet(AudienceError):
    """A remote service only updates audiences that it has, and this one is new."""


def saved_state(saved: SavedAudience | KeptAudience) -> SavedState | None:
    """A saved audience as the page knows it; None for one without an id.

    Raises `InvalidExpression` for a broken one.
    """
    audience = saved.to_audience()
    if audience.id is None:
        return None
    return {
        "id": audience.id,
        "name": audience.name,
        "expression": _expression(audience),
        "etag": etag_of(saved),
    }


class SavedAudiences:
    """The saved audiences of one client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def listable(self) -> bool:
        """Whether they can be listed and created."""
        return self._service() is not None

    def listed(self) -> SavedList:
        """Every readable saved audience; empty where the service does not list them."""
        service = self._service()
        found: list[SavedAudienceRecord] = []
        for saved in service.saved_audiences() if service else ():
            try:
                audience, state = saved.to_audience(), _required(saved)
                sentence = audience.describe(self._client.catalogue)
                code = named_code(audience, self._client.catalogue)
            except AudienceError:
                continue  # A broken one cannot be used; the service reports it elsewhere.
            updated = saved.updated_at
            found.append({**state, "sentence": sentence, "code": code, "updated": updated})
        return SavedList(found)

    def save(
        self, audience: Audience, before: SavedState | None, *, overwrite: bool = False
    ) -> SavedState:
        """Update the opened audience or create a new one, and return what is saved now.

        before: the audience as it was opened; only changed fields are sent. overwrite: save even
        if it was saved since then, which raises `SavedMeanwhile` otherwise. Raises
        `NothingSavedYet` where a new one cannot be created, and the client's errors.
        """
        service = self._service()
        if before is None:
            if service is None:
                raise NothingSavedYet(
                    "This service only updates saved audiences. Open one first: "
                    "al.AudienceEditor(client, value=saved)."
                )
            return _required(service.save_audience(audience))
        changes: dict[str, Any] = {}
        if audience.name != before["name"]:
            changes["name"] = audience.name
        if _expression(audience) != before["expression"]:
            changes["expression"] = audience
        if not changes:
            return before
        seen = None if overwrite else self._seen(before)
        try:
            return _required(self._client.audiences.update(before["id"], if_match=seen, **changes))
        except SavedMeanwhile as error:
            error.message += f" {self._theirs(before['id'])}".rstrip()
            error.hints = (
                "Open it again and repeat your changes, or write over theirs: "
                "editor.save(overwrite=True).",
            )
            raise

    def _seen(self, before: SavedState) -> str | None:
        """The entity tag of the audience as it was opened."""
        service = self._service()
        # The page may be that of an earlier version, which has no tags.
        if (etag := before.get("etag")) or service is None:
            return etag
        # Without a tag, the audience itself shows whether it is as it was opened.
        now = _required(service.saved_audience(before["id"]))
        return now["etag"] if now | {"etag": None} == before | {"etag": None} else _OTHER

    def _theirs(self, identity: str) -> str:
        """What is saved now, where it can be read."""
        service = self._service()
        if service is None:
            return ""
        now = service.saved_audience(identity).to_audience()
        return f"It is “{now.name}” now: {now.describe(self._client.catalogue)}."

    def _service(self):
        """The embedded service; None for a remote one."""
        try:
            return self._client.service
        except LookupError:
            return None


def _required(saved: SavedAudience) -> SavedState:
    return cast("SavedState", saved_state(saved))


def _expression(audience: Audience) -> dict[str, Any] | None:
    return None if audience.expression is None else audience.expression.to_wire()
