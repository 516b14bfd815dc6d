"""The arguments of calls that say whom they count."""

from __future__ import annotations

from typing import TypedDict

from msgspec import UnsetType

from audiencelab.client.audiences import BaseLike
from audiencelab.client.names import LocationsLike, WavesLike
from audiencelab.schema.scope import BaseOf


class ScopeArguments(TypedDict, total=False):
    """The arguments that every query takes; `operations.names.read_scope` reads them."""

    base_audience: BaseLike | None
    base_of: BaseOf | None
    waves: WavesLike
    locations: LocationsLike
    weight: str | UnsetType | None
