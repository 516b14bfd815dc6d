"""Saved audiences and insights on the wire."""

from __future__ import annotations

from typing import Any

import msgspec

from audiencelab.expressions import Audience, parse_audience
from audiencelab.schema.resource import Resource, always


class Permissions(Resource, frozen=True):
    """What the caller may do with a saved audience."""

    audience_overall: str = always("")
    meta: dict[str, Any] | None = None


class SavedAudience(Resource, frozen=True, dict=True):
    """A saved audience as the service describes it; queries and charts accept it.

    expression: a JSON object in the saved-audience form; `to_audience()` makes an expression of it.
    """

    id: str
    v1_id: int | None = None
    user_id: int | None = None
    name: str = always("")
    description: str = always("")
    datasets: list[str] = msgspec.field(default_factory=list[str])
    expression: dict[str, Any] | None = None
    flags: list[str] = msgspec.field(default_factory=list[str])
    folder_id: str | None = None
    folder: int | None = None
    position: float | None = None
    shared: bool = always(False)
    sharings: dict[str, Any] | None = None
    permissions: Permissions | None = None
    created_at: str | None = None
    updated_at: str | None = None

    def to_audience(self) -> Audience:
        """The audience, by its name and id. Raises `InvalidExpression` for one that is broken.

        >>> saved = client.service.save_audience(al.Audience("Men", client["Gender"] == "Male"))
        >>> saved.to_audience().expression
        al.Q('q2').any('q2_1')
        """
        return parse_audience({"id": self.id, "name": self.name, "expression": self.expression})


class Image(Resource, frozen=True):
    """A picture of an insight, as paths on the service."""

    id: int
    is_main: bool = always(False)
    page_preview_thumb_path: str = always("")
    page_thumb_path: str = always("")
    thumb_path: str = always("")


class Insight(Resource, frozen=True):
    """A published report, infographic, presentation or chart."""

    id: int
    name: str = always("")
    description: str = always("")
    images: list[Image] = msgspec.field(default_factory=list[Image])


class InsightsFilter(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which insights are wanted."""

    categories: list[int] | None = None
    is_trending: bool | None = None
    types: list[str] | None = None


class InsightsQuery(msgspec.Struct, frozen=True, omit_defaults=True):
    """Body of the insights listing."""

    filters: InsightsFilter | None = None
    limit: int | None = None
    offset: int | None = None
    order: str | None = None
    order_by: str | None = None
    total: int | None = None


class InsightsPage(Resource, frozen=True):
    """One page of insights, with the paging that produced it."""

    insights: list[Insight]
    limit: int = always(10)
    offset: int = always(0)
    order: str = always("")
    order_by: str = always("")
    total: int = always(0)
