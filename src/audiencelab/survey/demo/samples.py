"""The saved audiences and insights of the demo survey."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any

from audiencelab.expressions import parse_expression
from audiencelab.schema import Image, Insight, Permissions, SavedAudience
from audiencelab.survey.catalogue import InsightRecord, SurveyCatalogue
from audiencelab.survey.demo.questionnaire import insight_rows, load_content

# Ids are made from names, so that a demo survey is the same wherever it is generated.
_NAMESPACE = uuid.UUID("5f4d7c1e-9b0a-4f55-8a55-2f6b1c7c9e10")
_TRENDING = 5


def demo_audiences(catalogue: SurveyCatalogue) -> tuple[SavedAudience, ...]:
    """The six audiences of `content/audiences.toml`, each with a description."""
    return tuple(
        _audience(place, written, catalogue)
        for place, written in enumerate(load_content("audiences")["audience"], start=1)
    )


def _audience(place: int, written: dict[str, Any], catalogue: SurveyCatalogue) -> SavedAudience:
    expression = parse_expression(written["expression"])
    made = datetime(2025, 1, 13, 9, 30) + timedelta(days=31 * place)
    return SavedAudience(
        id=str(uuid.uuid5(_NAMESPACE, f"audience/{written['name']}")),
        v1_id=41_000 + place,
        user_id=7,
        name=written["name"],
        description=expression.describe(catalogue.labels),
        datasets=written["datasets"],
        expression=expression.to_wire("saved"),
        flags=written["flags"],
        folder_id=str(uuid.uuid5(_NAMESPACE, f"folder/{written['folder']}")),
        position=float(place),
        shared="curated" in written["flags"],
        sharings={},
        permissions=Permissions(audience_overall="accessible", meta={}),
        created_at=f"{made.isoformat()}Z",
        updated_at=f"{(made + timedelta(days=3, hours=2)).isoformat()}Z",
    )


def demo_insights() -> tuple[InsightRecord, ...]:
    """The insights of `content/insights.toml`, the earliest with the lowest id."""
    rows = sorted(insight_rows(), key=lambda row: row[4])
    return tuple(
        _insight(1_000 + place, row, len(rows) - place) for place, row in enumerate(rows, 1)
    )


def _insight(number: int, row: list[Any], age: int) -> InsightRecord:
    """One insight; `age` counts those published after it, and interest fades with it."""
    kind, name, description, categories, day, popularity = row
    published = datetime.fromisoformat(f"{day}T08:00:00")
    return InsightRecord(
        insight=Insight(
            id=number,
            name=name,
            description=description,
            images=[
                Image(
                    id=10 * number + page,
                    is_main=page == 1,
                    page_preview_thumb_path=f"/insights/{number}/pages/{page}/preview.png",
                    page_thumb_path=f"/insights/{number}/pages/{page}/thumb.png",
                    thumb_path=f"/insights/{number}/thumb.png",
                )
                for page in (1, 2)
            ],
        ),
        type=kind,
        categories=tuple(categories),
        is_trending=age < _TRENDING,
        published_at=f"{published.isoformat()}Z",
        created_at=f"{(published - timedelta(days=9)).isoformat()}Z",
        updated_at=f"{(published + timedelta(days=number % 5)).isoformat()}Z",
        trending=round(popularity * 0.93**age, 2),
        popularity=float(popularity),
    )
