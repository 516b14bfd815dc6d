"""Saved audiences: building the update, reading its response."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict
from urllib.parse import quote

import msgspec

from audiencelab.client.exchange import Call
from audiencelab.client.operations.arguments import check_fields, codes
from audiencelab.client.operations.audiences import AudienceLike, to_audience
from audiencelab.client.operations.decoding import reader, unwrap
from audiencelab.client.retries import Retry
from audiencelab.schema import SavedAudience
from audiencelab.schema.http import Request


class SavedAudienceChanges(TypedDict, total=False):
    """The fields that an update of a saved audience may assign."""

    name: str
    expression: AudienceLike | None
    flags: Iterable[str]
    folder_id: str
    folder: int
    position: float
    shared: bool
    datasets: Iterable[str]


_read_saved = reader(SavedAudience)


def build_update(audience_id: str, given: Mapping[str, Any]) -> Call[SavedAudience]:
    """PATCH /v2/saved/audiences/{id}: assigns the given fields only.

    Raises `ValueError` if nothing is given, `TypeError` for unknown fields.
    """
    check_fields("audiences.update", given, SavedAudienceChanges)
    if not given:
        raise ValueError(
            "Nothing to update: pass fields to change, such as name=… or expression=…. "
            f"It takes {', '.join(SavedAudienceChanges.__annotations__)}."
        )
    if not isinstance(audience_id, str) or not audience_id:  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError("audience_id must be a str that is not empty.")
    body = {name: _written(name, value) for name, value in given.items()}
    path = f"/v2/saved/audiences/{quote(audience_id, safe='')}"
    request = Request("PATCH", path, body=msgspec.json.encode(body))
    return Call(request, _read_response, Retry.ASSIGN)


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
    # JSON has no other numbers: msgspec would send null.
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise TypeError("position must be a finite number.")
    return value


def _read_response(body: bytes) -> SavedAudience:
    """The audience, whether it is the whole response or in its field `data`."""
    return _read_saved(unwrap(body, "id"))
