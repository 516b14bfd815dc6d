"""Which tests a correction counts, and which shares are not tested at all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.analysis.samples import survey
from tests.messages import fails


def test_rows_that_hold_others_are_tested_and_not_counted_in_a_family() -> None:
    table = survey([[20.0, 30.0], [70.0, 60.0], [70.0, 62.0]], [400, 400])
    alone = survey([[20.0, 30.0], [70.0, 60.0]], [400, 400])
    for correction in ("bonferroni", "holm", "fdr"):
        options: dict[str, Any] = {"correction": correction, "family": "table"}
        tested = table.test(nets="row-3", **options)
        frame, without = tested.to_frame(), alone.test(**options).to_frame()
        assert frame["p_adjusted"].tolist()[:2] == without["p_adjusted"].tolist()
        # p = 0.017, against 0.025 and, where both of the family differ, 0.05.
        assert frame["level"].tolist() == [0.95, 0.95, 0.95]
        expected = 2 * frame["p"][2] if correction == "bonferroni" else frame["p"][2]
        assert frame["p_adjusted"][2] == pytest.approx(expected)
        assert "row 3 tested but not counted" in tested.method_note
    counted = table.test(correction="bonferroni", family="table").to_frame()
    assert counted["p_adjusted"][2] == pytest.approx(3 * counted["p"][2])


def test_rows_that_everyone_is_in_are_not_counted_in_a_family() -> None:
    table = survey([[20.0, 30.0], [100.0, 100.0]], [400, 400])
    frame = table.test(correction="bonferroni", family="table").to_frame()
    assert frame["p_adjusted"].tolist() == frame["p"].tolist()
    assert frame["p"][1] == 1


def test_shares_of_0_and_100_percent_can_be_left_out_as_in_spss() -> None:
    """PSPP and SPSS compare no column with a share of 0 or 100%, and count no such pair."""
    table = survey([[0.0, 20.0, 30.0], [100.0, 60.0, 50.0]], [400] * 3)
    tested = table.test(correction="bonferroni")
    assert tested.to_frame()["p"].notna().all()
    left_out = table.test(correction="bonferroni", zero_or_full="skip")
    frame = left_out.to_frame()
    assert frame["note"].tolist() == ["a share of 0 or 100%"] * 2 + [""] + [
        "a share of 0 or 100%"
    ] * 2 + [""]
    assert frame["p_adjusted"].dropna().tolist() == frame["p"].dropna().tolist()
    assert left_out.marks().tolist() == [["", "", "B"], ["", "C", ""]]
    assert "shares of 0 and 100% not tested" in left_out.method_note
    with fails(ValueError):
        table.test(zero_or_full="none")  # pyright: ignore[reportArgumentType] -- a slip
