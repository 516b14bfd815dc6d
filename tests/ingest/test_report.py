"""The report of an import as people read it."""

from __future__ import annotations

from audiencelab.ingest.report import Dropped, ImportReport, UnknownValue


def test_long_lists_are_cut_and_what_is_left_out_is_counted() -> None:
    report = ImportReport(
        dropped=[Dropped("a.csv", "without a weight", 1, 1_200)],
        unknown_values=[UnknownValue("a.csv", "core.tea", "tea", str(n), 1, n) for n in range(5)],
        empty_questions=["core.x", "core.y", "core.z"],
    )
    assert list(report.lines(most=2)) == [
        "dropped   a.csv: 1 respondent without a weight (first at row 1,200)",
        "unknown   a.csv: core.tea, column tea: value '0' in 1 rows (first 0)",
        "unknown   a.csv: core.tea, column tea: value '1' in 1 rows (first 1)",
        "unknown   … and 3 more values (all of them in import.json)",
        "left out  asked of nobody: core.x, core.y and 1 more",
    ]
    assert list(report.lines(most=3))[-1] == "left out  asked of nobody: core.x, core.y, core.z"
