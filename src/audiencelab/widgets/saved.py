"""Saved audiences as the widgets need them: listed, opened, and saved back.

The service's contract has one operation for them, the update. Listing them, saving a new one, and
seeing that somebody else has changed one meanwhile is possible where the service is embedded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, cast

from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, KeptAudience

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.schema import SavedAudience

__all__ = ["Kept", "NothingSavedYet", "SavedAudiences", "SavedMeanwhile", "kept_of"]


class Kept(TypedDict):
    """What the page knows of a saved audience; the expression is in the query form."""

    id: str
    name: str
    expression: dict[str, Any] | None


class SavedMeanwhile(AudienceError):
    """The service holds something else than what was opened: somebody has saved it since."""


class NothingSavedYet(AudienceError):
    """The service saves changes of audiences that it has, and this is none of them."""


def kept_of(saved: SavedAudience | KeptAudience) -> Kept | None:
    """A saved audience as the page knows it; None for one without an id.

    Raises `InvalidExpression` for one that is broken.
    """
    audience = saved.to_audience()
    return None if audience.id is None else _kept(audience.id, audience)


class SavedAudiences:
    """The saved audiences behind one client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def listable(self) -> bool:
        """Whether they can be listed and added to."""
        return self._service() is not None

    def listed(self) -> list[Kept]:
        """Every saved audience that can be read; none where the service does not list them."""
        service = self._service()
        found: list[Kept] = []
        for saved in service.saved_audiences() if service else ():
            try:
                kept = kept_of(saved)
            except AudienceError:
                continue  # a broken one cannot be edited; the service tells of it elsewhere
            if kept:
                found.append(kept)
        return found

    def save(self, audience: Audience, before: Kept | None, *, overwrite: bool = False) -> Kept:
        """Save an audience over what was opened, or as a new one, and say what is kept now.

        before: what was opened; only what differs from it is sent. overwrite: also where somebody
        else has saved it since, which is `SavedMeanwhile` otherwise. Raises `NothingSavedYet`
        where there is nothing to save it over, and the client's errors.
        """
        service = self._service()
        if before is None:
            if service is None:
                raise NothingSavedYet(
                    "This service saves changes of audiences that it has. Open one of them: "
                    "al.AudienceEditor(client, value=saved)."
                )
            return _kept_surely(service.save_audience(audience))
        if service is not None and not overwrite:
            _refuse_if_changed(before, _kept_surely(service.saved_audience(before["id"])))
        changes: dict[str, Any] = {}
        if audience.name != before["name"]:
            changes["name"] = audience.name
        if _written(audience) != before["expression"]:
            changes["expression"] = audience
        if not changes:
            return before
        return _kept_surely(self._client.audiences.update(before["id"], **changes))

    def _service(self):
        """The embedded service; None for a deployment."""
        try:
            return self._client.service
        except LookupError:
            return None


def _refuse_if_changed(before: Kept, now: Kept) -> None:
    if now == before:
        return
    told = Audience.from_wire(now)
    raise SavedMeanwhile(
        f"Somebody has saved this audience since you opened it: it is “{told.name}” now, "
        f"{told.describe()}. Open it again, or save yours over it."
    )


def _kept_surely(saved: SavedAudience) -> Kept:
    return cast("Kept", kept_of(saved))


def _kept(identifier: str, audience: Audience) -> Kept:
    return {"id": identifier, "name": audience.name, "expression": _written(audience)}


def _written(audience: Audience) -> dict[str, Any] | None:
    return None if audience.expression is None else audience.expression.to_wire()
