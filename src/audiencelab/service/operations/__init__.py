"""The operations of the service, one module a resource; `OPERATIONS` lists them for the router."""

from __future__ import annotations

from audiencelab.service.context import Operation
from audiencelab.service.operations.amounts import QUERY_AMOUNTS
from audiencelab.service.operations.catalogue import FILTER_QUESTIONS, GET_CATEGORY, GET_QUESTION
from audiencelab.service.operations.chart_calculation import CALCULATE_CHART
from audiencelab.service.operations.charts import CREATE_CHART, UPDATE_CHART
from audiencelab.service.operations.crosstab import QUERY_CROSSTAB
from audiencelab.service.operations.insights import FILTER_INSIGHTS
from audiencelab.service.operations.local import (
    QUERY_ADJUSTED,
    QUERY_ITEMS,
    QUERY_NUMBERS,
    QUERY_PAIRS,
    QUERY_PRECISION,
)
from audiencelab.service.operations.saved_audiences import UPDATE_SAVED_AUDIENCE
from audiencelab.service.operations.stats import QUERY_STATS

OPERATIONS: tuple[Operation, ...] = (
    FILTER_QUESTIONS,
    GET_QUESTION,
    GET_CATEGORY,
    QUERY_STATS,
    QUERY_CROSSTAB,
    CREATE_CHART,
    UPDATE_CHART,
    CALCULATE_CHART,
    UPDATE_SAVED_AUDIENCE,
    FILTER_INSIGHTS,
    QUERY_PRECISION,
    QUERY_PAIRS,
    QUERY_ITEMS,
    QUERY_NUMBERS,
    QUERY_ADJUSTED,
    QUERY_AMOUNTS,
)
