"""Missing codes that a further file is the first to have: counted or left out as in any file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest.report import ImportReport
from audiencelab.survey import SurveyError
from tests.messages import fails

CHILDREN = {0: 40, 1: 30, 2: 20, 3: 12, 4: 8, 5: 5}
TEN = dict.fromkeys(range(1, 11), 20)
HOURS = dict.fromkeys(range(1, 16), 20)


def frame(quarter: str, **columns: Mapping[Any, int]) -> pd.DataFrame:
    """A wave with a column of so many of each value."""
    made = {
        name: pd.Series([value for value, count in counts.items() for _ in range(count)])
        for name, counts in columns.items()
    }
    return pd.DataFrame({**made, "quarter": quarter})


def added(folder: Path, name: str, old: Mapping[Any, int], new: Mapping[Any, int]) -> al.Client:
    client = al.open(frame("Q1 2026", **{name: old}), to=folder / "survey", quiet=True)
    return client.add_wave(frame("Q2 2026", **{name: new}), quiet=True)


def told(client: al.Client, name: str) -> list[tuple[str, str]]:
    report = client.import_report
    assert isinstance(report, ImportReport)
    subjects = ("missing", "outlier")
    return [(e.said, e.code) for e in report.guesses if e.about == name and e.subject in subjects]


def answered(client: al.Client, name: str) -> int:
    return int(client.crosstab(name, waves="Q2 2026")["sample"].to_numpy().sum())


@pytest.mark.parametrize(
    ("name", "old", "new", "counted", "said", "code"),
    [
        # As in a first file, a code beside a scale is certain, and beside an amount never.
        ("q1", TEN, {99: 4}, 0, "99 taken as no answer", 'client.add_wave(…, missing={"q1": []})'),
        ("q1", TEN, {999: 60}, 0, "999 taken", 'client.add_wave(…, missing={"q1": []})'),
        ("q1", TEN, {97: 2, 98: 3}, 0, "97, 98 taken", 'client.add_wave(…, missing={"q1": []})'),
        ("q1", TEN, {-1: 3}, 0, "-1 taken", 'client.add_wave(…, missing={"q1": []})'),
        ("children", CHILDREN, {7: 2}, 2, "7 (2 of 117) may not", 'edit("children", missing=[7])'),
        ("q1", CHILDREN, {7: 9}, 9, "7 (9 of 124) may not", 'client.edit("q1", missing=[7])'),
        ("children", CHILDREN, {8: 3, 9: 1}, 4, "8 and 9 (4 of 119) may", "missing=[8, 9])"),
        ("hours", HOURS, {99: 14}, 14, "99 (14 of 314) far", 'edit("hours", missing=[99])'),
        ("hours", HOURS, {999: 3}, 3, "999 (3 of 303) far", 'edit("hours", missing=[999])'),
    ],
)
def test_a_code_of_a_later_wave_is_named_with_what_changes_it(
    tmp_path: Path,
    name: str,
    old: Mapping[Any, int],
    new: Mapping[Any, int],
    counted: int,
    said: str,
    code: str,
) -> None:
    client = added(tmp_path, name, old, {**old, **new})
    assert answered(client, name) == sum(old.values()) + counted
    [(text, change)] = told(client, name)
    assert text.startswith(said)
    assert change.endswith(code)
    if change.startswith("client.edit"):
        client.edit(name, missing=[*new])
        assert answered(client, name) == sum(old.values())
        assert told(client, name) == []


def test_codes_of_several_columns_and_words_are_named(tmp_path: Path) -> None:
    words = {"a": 90, "b": 60, "c": 50}
    old = {"q1": TEN, "r2": TEN, "t": words}
    new = {"q1": {-1: 4, **TEN}, "r2": {**TEN, -1: 4}, "t": {**words, "N/A": 4}}
    client = al.open(frame("Q1 2026", **old), to=tmp_path / "survey", quiet=True)
    report = client.add_wave(frame("Q2 2026", **new), dry_run=True)
    assert [(e.said, e.code) for e in report.guesses if e.about == "file" and e.severity == 1] == [
        ("'N/A' (4) in t is new: taken as not asked", 'client.add_wave(…, missing={"t": []})'),
        ("-1 (8) in q1, r2 is new: taken as no answer", 'client.add_wave(…, missing={"q1": []})'),
    ]


def test_what_the_survey_counts_as_an_answer_stays_one(tmp_path: Path) -> None:
    first = frame("Q1 2026", q1={**TEN, 99: 5})
    client = al.open(first, to=tmp_path / "survey", missing={"q1": []}, quiet=True)
    client.add_wave(frame("Q2 2026", q1={**TEN, 99: 7}), quiet=True)
    assert answered(client, "q1") == sum(TEN.values()) + 7
    with fails(SurveyError):
        client.add_wave(frame("Q3 2026", q1={**TEN, 99: 7}), missing={"q1": [99]})
