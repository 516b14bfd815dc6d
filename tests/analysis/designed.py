"""A survey with everything that precision depends on, and a table of it.

Strata, clusters and weights; a region of three degrees of freedom; an answer that few gave, one of
them with a small weight; a banner of brands that respondents share; a mean and a net promoter
score.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import audiencelab as al

REGIONS = ("North", "East", "South")
BRANDS = ("brand_1", "brand_2", "brand_3")
ROWS = ("daily", "weekly", "never", "rarely")
MEANS = ("spent: mean", "rated: NPS")


def respondents() -> pd.DataFrame:
    """700 people; North is one stratum of four clusters."""
    dice = np.random.default_rng(11)
    cluster = np.repeat(np.arange(36), [15] * 4 + [20] * 32)
    count, stratum = len(cluster), np.where(cluster < 4, 0, 1 + (cluster - 4) // 8)
    leaning = dice.normal(0, 0.4, 36)[cluster]
    ibis, kiwi, lark = (
        dice.random(count) < 1 / (1 + np.exp(-leaning - middle)) for middle in (0.0, -0.5, -0.9)
    )
    daily = dice.random(count) < 1 / (1 + np.exp(0.8 - leaning - 1.1 * ibis + 0.5 * lark))
    tea = np.where(daily, "daily", np.where(dice.random(count) < 0.5, "weekly", "never"))
    tea[[7, 203, 391, 480]] = "rarely"
    weight = np.round(0.4 + dice.gamma(3, 0.3, count), 2)
    weight[7] = 0.2
    region = np.array(["North", "East", "East", "South", "South"])[stratum]
    columns: dict[str, Any] = {
        "tea": tea,
        "region": region,
        **dict(zip(BRANDS, (ibis * 1, kiwi * 1, lark * 1), strict=True)),
        "spent": np.round(dice.gamma(2, 4, count) + 2.5 * ibis + 2 * (region == "South"), 1),
        "rated": np.clip(dice.integers(0, 11, count) + 2 * kiwi, 0, 10),
        "weight": weight,
        "stratum": stratum,
        "psu": cluster,
    }
    return pd.DataFrame(columns)


def rows_of(client: al.Client) -> list[Any]:
    """The answers, a mean and a score."""
    return ["tea", client["spent"].mean(), client["rated"].nps()]


def table(client: al.Client, **given: Any) -> al.CrosstabResult:
    """These rows by regions and brands."""
    return client.crosstab(rows_of(client), ["region", "brand"], **given)
