"""Examples of requests; the demo survey answers every one, but for ids of charts not yet made."""

from __future__ import annotations

from typing import Any

from audiencelab.schema import endpoints
from audiencelab.schema.endpoints import Endpoint

_WOMEN = {
    "id": "women",
    "name": "Women",
    "expression": {"question": "core.q2", "datapoints": ["q2_2"]},
}

_MEN = {
    "id": "men",
    "name": "Men",
    "expression": {"question": "core.q2", "datapoints": ["q2_1"]},
}

_YOUNG = {
    "id": "young",
    "name": "18 to 34, not on their own",
    "expression": {
        "and": [
            {"question": "core.q4", "datapoints": ["q4_2", "q4_3"]},
            {"question": "core.q5", "datapoints": ["q5_1"], "not": True},
        ]
    },
}

PARAMETERS: dict[str, str] = {
    "question_code": "core.q20",
    "category_id": "110",
    "id": "3b81a031-bbfb-5bfe-a722-60cc9c1f9443",
}
"""Path parameters, by name."""

BODIES: dict[Endpoint, dict[str, Any]] = {
    endpoints.FILTER_QUESTIONS: {
        "include": {"datapoints": True},
        "questions": [{"namespace_code": "core", "question": "q2"}],
    },
    endpoints.QUERY_STATS: {
        "question": "core.q20",
        "datapoints": ["q20_1", "q20_2"],
        "suffixes": ["1", "2"],
        "splitter": "waves",
        "segments": ["q3_2025", "q4_2025"],
        "audiences": [_WOMEN],
    },
    endpoints.QUERY_CROSSTAB: {
        "rows": [_WOMEN],
        "columns": [_YOUNG],
        "waves": ["q4_2025"],
        "base_audience": {"expression": {"question": "core.q2"}},
    },
    endpoints.QUERY_PRECISION: {
        "rows": [_WOMEN],
        "columns": [_YOUNG],
        "waves": ["q4_2025"],
        "lonely": "adjust",
    },
    endpoints.QUERY_PAIRS: {"rows": [_WOMEN, _YOUNG], "waves": ["q4_2025"]},
    endpoints.QUERY_ITEMS: {"rows": [_WOMEN, _MEN], "columns": [_YOUNG], "waves": ["q4_2025"]},
    endpoints.QUERY_NUMBERS: {"question": "core.q4", "splitter": "core.q2"},
    endpoints.QUERY_ADJUSTED: {
        "rows": [_WOMEN],
        "columns": [_YOUNG],
        "adjust": ["core.q2"],
        "waves": ["q4_2025"],
    },
    endpoints.QUERY_AMOUNTS: {
        "rows": [{"kind": "mean", "question": "core.q4", "amounts": {"q4_2": 21, "q4_3": 29.5}}],
        "columns": [_WOMEN],
        "waves": ["q4_2025"],
    },
    endpoints.CREATE_CHART: {
        "name": "Social apps of young people",
        "attributes": [
            {
                "namespace_code": "core",
                "question_code": "q20",
                "datapoint_code": "q20_1",
                "suffix_code": "1",
            }
        ],
        "audiences": [_YOUNG],
        "splitter": "core.q2",
        "wave_codes": ["q4_2025"],
    },
    endpoints.UPDATE_CHART: {"name": "Social apps", "color": "#2a6f97"},
    endpoints.UPDATE_SAVED_AUDIENCE: {"name": "Young people", "flags": ["authored"]},
    endpoints.FILTER_INSIGHTS: {
        "filters": {"types": ["report", "chart"]},
        "limit": 10,
        "offset": 0,
        "order": "desc",
        "order_by": "published_at",
    },
}
"""Bodies, by endpoint."""
