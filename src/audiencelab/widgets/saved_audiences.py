"""Saved audiences for the widgets: list, open, and save.

The service interface has one operation for them, the update. Listing, creating, and detecting a
change that was saved meanwhile work only where the service is embedded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict, cast

import msgspec

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, KeptAudience, parse_audience
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
"""
        },
    ),
]
"""An expression in the service's query form."""


class SavedState(TypedDict):
    """What the page knows of a saved audience."""

    id: str
    name: str
    expression: WireExpression | None


class SavedAudienceRecord(SavedState):
    """A saved audience in a list; updated: ISO 8601."""

    sentence: str
    code: str
    updated: str | None


class SavedList(Data):
    """The saved audiences of a service."""

    audiences: list[SavedAudienceRecord]


class SavedMeanwhile(AudienceError):
    """The audience was saved by another user or session after it was opened."""


class NothingSavedYet(AudienceError):
    """A remote service only updates audiences that it has, and this one is new."""


def saved_state(saved: SavedAudience | KeptAudience) -> SavedState | None:
    """A saved audience as the page knows it; None for one without an id.

    Raises `InvalidExpression` for a broken one.
    """
    audience = saved.to_audience()
    if audience.id is None:
        return None
    return {"id": audience.id, "name": audience.name, "expression": _expression(audience)}


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
            except AudienceError:
                continue  # A broken one cannot be used; the service reports it elsewhere.
            code, updated = audience.to_code(), saved.updated_at
            found.append({**state, "sentence": sentence, "code": code, "updated": updated})
        return SavedList(found)

    def save(
        self, audience: Audience, before: SavedState | None, *, overwrite: bool = False
    ) -> SavedState:
        """Update the opened audience or create a new one, and return what is saved now.

        before: the audience as it was opened; only changed fields are sent. overwrite: save even
        if it changed since then, which raises `SavedMeanwhile` otherwise. Raises `NothingSavedYet`
        where a new one cannot be created, and the client's errors.
        """
        service = self._service()
        if before is None:
            if service is None:
                raise NothingSavedYet(
                    "This service only updates saved audiences. Open one first: "
                    "al.AudienceEditor(client, value=saved)."
                )
            return _required(service.save_audience(audience))
        if service is not None and not overwrite:
            _check_unchanged(before, _required(service.saved_audience(before["id"])))
        changes: dict[str, Any] = {}
        if audience.name != before["name"]:
            changes["name"] = audience.name
        if _expression(audience) != before["expression"]:
            changes["expression"] = audience
        if not changes:
            return before
        return _required(self._client.audiences.update(before["id"], **changes))

    def _service(self):
        """The embedded service; None for a remote one."""
        try:
            return self._client.service
        except LookupError:
            return None


def _check_unchanged(before: SavedState, now: SavedState) -> None:
    if now == before:
        return
    current = parse_audience(now)
    raise SavedMeanwhile(
        f"This audience was saved by another user since you opened it: “{current.name}”, "
        f"{current.describe()}. Open it again, or overwrite it."
    )


def _required(saved: SavedAudience) -> SavedState:
    return cast("SavedState", saved_state(saved))


def _expression(audience: Audience) -> dict[str, Any] | None:
    return None if audience.expression is None else audience.expression.to_wire()
