"""Intervals of shares are those of R's `survey`, with the degrees of freedom of their columns.

`shares.py` makes the respondents, and `shares.R` computed `shares.json` of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, t

import audiencelab as al
from tests.oracle.shares import NAMES, opened

FIGURES: dict[str, Any] = json.loads(Path(__file__).with_name("shares.json").read_text("utf-8"))
DESIGNS: dict[str, dict[str, Any]] = {
    "linearised": {"strata": "stratum", "clusters": "cluster"},
    "weights": {},
    "BRR": {"replicates": NAMES, "replicate_method": "BRR"},
}


@pytest.fixture(scope="module", params=DESIGNS)
def survey(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, al.Client]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIENCELAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        with opened(**DESIGNS[request.param]) as client:
            yield request.param, client


def known(design: str) -> list[dict[str, Any]]:
    """Every share that R has an interval of."""
    return [
        {"region": region, "answer": answer, **figures}
        for key, figures in FIGURES.items()
        for name, region, answer in [key.split()]
        if name == design
    ]


def lines(client: al.Client, **options: Any) -> dict[tuple[str, str], Any]:
    """The lines of a frame with intervals, by column and row."""
    rows = [client[answer] == "yes" for answer in ("often", "rare")]
    frame = client.crosstab([each.named(each.question) for each in rows], "region")
    found = frame.intervals(**options).to_dict("records")
    return {(each["column"], each["row"]): each for each in found}


def ends(found: Any) -> list[float]:
    return [found["column_percentage_low"] / 100, found["column_percentage_high"] / 100]


@pytest.mark.parametrize("method", ["logit", "beta"])
def test_intervals_are_those_of_svyciprop(survey: tuple[str, al.Client], method: str) -> None:
    design, client = survey
    frame = lines(client, method=method)
    for each in known(design):
        found = frame[each["region"], each["answer"]]
        share, error = each["share"]
        assert found["column_percentage"] / 100 == pytest.approx(share, rel=1e-12)
        assert found["column_percentage_se"] / 100 == pytest.approx(error, rel=1e-9)
        assert ends(found) == pytest.approx(each[method], rel=1e-9)


def test_wilson_takes_the_effective_base_and_the_columns_degrees_of_freedom(
    survey: tuple[str, al.Client],
) -> None:
    """And as Korn and Graubard's with the cap of the NCHS, no more than the 96 respondents."""
    design, client = survey
    frame = lines(client)
    z = norm.ppf(0.975)
    for each in known(design):
        share, error = each["share"]
        base = share * (1 - share) / error**2 * (z / t.ppf(0.975, each["freedom"])) ** 2
        squared = z**2 / min(base, 96)
        half = np.sqrt(squared * share * (1 - share) + squared**2 / 4)
        expected = [(share + squared / 2 + side * half) / (1 + squared) for side in (-1, 1)]
        assert ends(frame[each["region"], each["answer"]]) == pytest.approx(expected, rel=1e-9)
