"""Rules on which percentages are precise enough to be published."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from audiencelab.analysis.reliability import Published, nchs_marks
from tests.analysis.samples import survey as made_table
from tests.messages import fails
from tests.oracle.shares import opened

INF = float("inf")


def word(share: float, sample: float, base: float, freedom: float = INF) -> str:
    """The word of the NCHS standards for one proportion."""
    return str(
        nchs_marks(Published(*(np.array([each]) for each in (share, sample, base, freedom))))[0]
    )


def program(share: float, sample: float, base: float, freedom: float) -> str:
    """What the centre's program for complex surveys says, step by step.

    "Calculate Korn and Graubard confidence intervals from SUDAAN Proc Descript output", 2.0.
    """
    if share in (0, 1):
        adjusted = worth = sample
    else:
        factor = 1.0
        if np.isfinite(freedom):
            factor = (stats.t.ppf(0.975, sample - 1) / stats.t.ppf(0.975, freedom)) ** 2
        worth, adjusted = base, min(sample, base * factor)
    inside = share * adjusted
    low = 0.0 if share == 0 else stats.beta.ppf(0.025, inside, adjusted - inside + 1)
    high = 1.0 if share == 1 else stats.beta.ppf(0.975, inside + 1, adjusted - inside)
    width = high - low
    wide = share > 0 and width / share > 1.3
    if min(worth, sample) < 30 or width >= 0.3 or (width > 0.05 and wide and share < 1):
        return "suppress"
    if share in (0, 1) or freedom < 8:
        return "review"
    return "complement" if width > 0.05 and width / (1 - share) > 1.3 else "ok"


@given(
    share=st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0.002, 0.998)),
    sample=st.integers(20, 3_000),
    effect=st.floats(0.4, 6),
    freedom=st.one_of(st.just(INF), st.integers(1, 19)),
)
def test_the_nchs_rule_is_that_of_the_centres_program(
    share: float, sample: int, effect: float, freedom: float
) -> None:
    base = sample / effect
    assert word(share, sample, base, freedom) == program(share, sample, base, freedom)


@pytest.mark.parametrize(
    ("share", "sample", "base", "freedom", "expected"),
    [
        (0.5, 29, 29, INF, "suppress"),
        (0.5, 500, 29.9, INF, "suppress"),
        (0.5, 40, 400, INF, "suppress"),  # an effective base counts as no more than respondents
        (0.5, 60, 60, INF, "ok"),
        (0.02, 200, 200, INF, "ok"),  # less than 5 points wide, however wide beside 2%
        (0.04, 100, 100, INF, "suppress"),
        (0.96, 100, 100, INF, "complement"),
        (0.5, 1_000, 1_000, 7, "review"),
        (0.5, 1_000, 1_000, 8, "ok"),
        (0.0, 100, 50, INF, "review"),
        (1.0, 100, 50, INF, "review"),
        (0.0, 29, 29, INF, "suppress"),
        (0.5, 1_000, 1_000, 0, "suppress"),  # no interval at all
        (0.5, 1_000, float("nan"), 20, "suppress"),
        (float("nan"), 0, 0, INF, ""),
    ],
)
def test_each_criterion_has_its_word(
    share: float, sample: float, base: float, freedom: float, expected: str
) -> None:
    assert word(share, sample, base, freedom) == expected


def test_intervals_have_the_word_of_each_column_percentage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path))
    client = opened(strata="stratum", clusters="cluster")
    table = client.crosstab(["often", "rare"], "region")
    frame = table.intervals(0.8, precision="nchs")
    names = frame.columns.tolist()
    assert names[names.index("column_percentage_high") + 1] == "reliability"
    found = frame.set_index(["column", "row"])["reliability"]
    assert found["north"].tolist() == ["review", "review", "review", "suppress"]
    assert found["middle"].tolist() == ["ok", "ok", "complement", "suppress"]
    assert "NCHS standards for proportions" in frame.attrs["method_note"]
    assert "no rule for indices and means" in frame.attrs["method_note"]
    assert "reliability" not in table.intervals()


def test_a_table_whose_design_is_not_known_is_judged_as_a_simple_random_sample() -> None:
    frame = made_table([[4.0, 50.0]], [100, 100]).intervals(precision="nchs")
    assert frame["reliability"].tolist() == ["suppress", "ok"]
    assert "design unknown" in frame.attrs["method_note"]


def test_a_rule_that_is_not_known_is_refused_with_those_that_are() -> None:
    with fails(ValueError):
        made_table([[4.0]], [100]).intervals(precision="cv")  # type: ignore[arg-type] -- a slip
