"""Shares of all answers given: the denominator of a question of which people give several.

The answers of such a question add up to more than 100 % of people and to exactly 100 % of
responses. No respondent is behind a response alone, so there are no margins and no tests here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from audiencelab.analysis.disjointness import Column, answers_of, columns_of, heads_of
from audiencelab.results.dtypes import as_counts
from audiencelab.results.stats import StatsResult

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["shares_of_responses"]


def shares_of_responses(result: StatsResult) -> pd.DataFrame:
    """See `StatsResult.shares_of_responses`."""
    import pandas as pd

    answers = answers_of(result)
    lines = [
        (column, code) for code in answers for column in columns_of(result) if code in column.rows
    ]
    columns = [column for column, _ in lines]
    given = [column.rows[code].metrics for column, code in lines]
    labels = [result.labels.datapoints.get(code) or code for _, code in lines]
    whole = [_responses(column) for column in columns]
    heads = heads_of(result, columns)
    frame = pd.DataFrame(
        {
            "question": heads.pop("question"),
            "datapoint": [code for _, code in lines],
            "datapoint_label": pd.Categorical(
                labels, categories=list(dict.fromkeys(labels)), ordered=True
            ),
            **heads,
            "positive_size": [each.positive_size for each in given],
            "positive_sample": as_counts(
                np.array([each.positive_sample for each in given], np.float64)
            ),
            "responses_size": [size for size, _ in whole],
            "responses_sample": as_counts(np.array([sample for _, sample in whole], np.float64)),
            "response_percentage": [
                100 * each.positive_size / size if size > 0 else float("nan")
                for each, (size, _) in zip(given, whole, strict=True)
            ],
            "note": ["" if size > 0 else "no answers" for size, _ in whole],
        }
    )
    frame.attrs.update(result.provenance, rebased="responses", recipe=_RECIPE)
    return frame


_RECIPE = "Percent of all answers given, of those that the result holds; a person may give several."


def _responses(column: Column) -> tuple[float, float]:
    """How many answers were given in a column, by people and by respondents."""
    given = [row.metrics for row in column.rows.values()]
    return sum(each.positive_size for each in given), sum(each.positive_sample for each in given)
