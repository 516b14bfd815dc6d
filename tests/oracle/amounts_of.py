"""Means, percentiles, sums, rows and a test of the schools, compared with those of R's `survey`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import audiencelab as al
from audiencelab.results.asking import query_of
from audiencelab.schema.query import CrosstabQuery


def check_amounts(client: al.Client, known: dict[str, Any], how: str) -> None:
    """known: `amounts` of `raked.R` or `replicates.R`; how: what the method notes say."""
    index, enrolment = client["api00"], client["enroll"]
    rows: Any = [index.mean(), index.percentile(25), index.percentile(50), enrolment.sum()]
    table = client.crosstab([*rows, enrolment.mean()], "size")
    order = [[column.name for column in table.columns].index(name) for name in ("large", "small")]
    value = table["value"].to_numpy()[:, order]
    error = table["standard_error"].to_numpy()[:, order]
    found = [*value[0], *error[0]]
    assert found == pytest.approx(known["mean"][:4], rel=1e-7)
    assert [*value[1:3, 0], *error[1:3, 0]] == pytest.approx(known["percentiles"], rel=1e-6)
    statistics = table.statistics
    assert statistics is not None
    of_all = [statistics.base(figure)[3] for figure in ("value", "standard_error")]
    assert of_all == pytest.approx(known["sum"], rel=1e-7)

    means: Any = table.test().statistics
    assert means is not None
    frame = means.to_frame()
    difference = frame.loc[frame["row"] == rows[0].name, "standard_error"]
    assert difference.iloc[0] == pytest.approx(known["mean"][4], rel=1e-7)
    assert set(frame["degrees_of_freedom"]) == {known["pair_freedom"]}
    assert how in means.method_note

    both = client.crosstab([index.mean(), enrolment.mean()], [al.Audience("All")])
    query, scores = query_of(both), both.statistics
    assert isinstance(query, CrosstabQuery)
    assert both.ask is not None
    assert scores is not None
    pairs = both.ask.statistic_pairs(query, scores.rows)
    assert np.sqrt(pairs.variance[0, 0, 1]) == pytest.approx(known["scores"], rel=1e-7)

    answers = [client["grade"] == "high", client["awards"] == "Yes"]
    shares = client.crosstab([each.named(str(each)) for each in answers], "size")
    line = shares.test(vs="rows", within_groups=False, pooled=False).to_frame()
    line = line[line["column"] == "large"].iloc[0]
    found = [line["difference"] / 100, line["standard_error"] / 100]
    assert found == pytest.approx(known["rows"], rel=1e-7)

    frame = client.crosstab("grade", "awards").test_independence()
    test = frame.iloc[0]
    assert [test[each] for each in ("F", "df1", "df2", "p")] == pytest.approx(
        known["independence"], rel=1e-6
    )
    assert how in frame.attrs["method_note"]
