"""Saved audiences: building the update, reading its answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict
from urllib.parse import quote

import msgspec

from audiencelab.client.messages import Call, Request, Retry
from audiencelab.client.operations.audiences import AudienceLike, to_audience
from audiencelab.client.operations.codes import codes
from audiencelab.client.operations.fields import check_fields
from audiencelab.client.operations.reading import reader, unwrapped
from audiencelab.schema import SavedAudience

__all__ = ["SavedAudience", "SavedAudienceChanges", "update"]


class SavedAudienceChanges(TypedDict, total=False):
    """What an update of a saved audience may assign."""

    name: str
    expression: AudienceLike | None
    flags: Iterable[str]
    folder_id: str
    folder: int
    position: float
    shared: bool
    datasets: Iterable[str]


_read_saved = reader(SavedAudience)


def update(audience_id: str, given: Mapping[str, Any]) -> Call[SavedAudience]:
    """PATCH /v2/saved/audiences/{id}: what is given is assigned, nothing else changes.

    Raises `ValueError` if nothing is given, `TypeError` for what cannot be assigned.
    """
    check_fields("audiences.update", given, SavedAudienceChanges)
    if not given:
        raise ValueError(
            "Nothing to update: give what changes, such as name=… or expression=…. "
            f"It takes {', '.join(SavedAudienceChanges.__annotations__)}."
        )
    if not isinstance(audience_id, str) or not audience_id:  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError("A saved audience is named by its id, as text.")
    body = {name: _written(name, value) for name, value in given.items()}
    path = f"/v2/saved/audiences/{quote(audience_id, safe='')}"
    request = Request("PATCH", path, {}, msgspec.json.encode(body), retry=Retry.ASSIGN)
    return Call(request, _read_answer)


def _written(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name == "position":
        return _finite(value)
    if name == "expression":
        expression = to_audience("expression", value).expression
        return None if expression is None else expression.to_wire("saved")
    return codes(name, value) if name in ("flags", "datasets") else value


def _finite(value: Any) -> float:
    # JSON knows no other numbers: they would be sent as null.
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise TypeError("position is a finite number.")
    return value


def _read_answer(body: bytes) -> SavedAudience:
    """The audience, whether it stands alone or in a field `data`."""
    return _read_saved(unwrapped(body, "id"))
