"""Times of day are shown as 10:10:10, and many of them make no question; durations are seconds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import time, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest

from audiencelab.ingest import draft_codebook, import_survey
from audiencelab.ingest.sources import Sources
from tests.survey.counting import counts_by_name

TIMES = [time(18, 30), time(9), time(18, 30), time(10, 10, 10)]
SHOWN = ["09:00:00", "10:10:10", "18:30:00"]


def _frame(folder: Path) -> Any:
    return pd.DataFrame({"when": TIMES})


def _polars(folder: Path) -> Any:
    return pl.DataFrame({"when": TIMES})


def _arrow(kind: Any) -> Callable[[Path], Any]:
    return lambda folder: pa.table({"when": pa.array(TIMES, kind)})


def _excel(folder: Path) -> Path:
    _frame(folder).to_excel(folder / "a.xlsx", index=False)
    return folder / "a.xlsx"


def _csv(folder: Path) -> Path:
    _frame(folder).to_csv(folder / "a.csv", index=False)
    return folder / "a.csv"


def _parquet(folder: Path) -> Path:
    _frame(folder).to_parquet(folder / "a.parquet")
    return folder / "a.parquet"


def _spss(folder: Path) -> Path:
    seconds = [each.hour * 3600 + each.minute * 60 + each.second for each in TIMES]
    pyreadstat.write_sav(
        pd.DataFrame({"when": map(float, seconds)}),
        str(folder / "a.sav"),
        variable_format={"when": "TIME8"},
    )
    return folder / "a.sav"


def _triple_s(folder: Path) -> Path:
    (folder / "a.asc").write_text("183000\n0900  \n183000\n101010\n")
    (folder / "a.sss").write_text(
        '<sss version="2.0"><survey><record ident="A"><variable ident="1" type="time">'
        '<name>when</name><label>When?</label><position start="1" finish="6"/></variable>'
        "</record></survey></sss>"
    )
    return folder / "a.sss"


FORMS = [_frame, _polars, _arrow(pa.time32("s")), _arrow(pa.time64("ns")), _excel, _csv, _parquet]


@pytest.mark.parametrize("made", [*FORMS, _spss])
def test_times_of_day_are_shown_as_a_clock_does(
    tmp_path: Path, made: Callable[[Path], Any]
) -> None:
    source = Sources.open(made(tmp_path))
    draft = draft_codebook(source)
    survey = import_survey(source, draft.codebook, tmp_path / "survey")
    found = counts_by_name(survey, "when")
    assert [*found] == SHOWN
    assert found == {"09:00:00": 1, "10:10:10": 1, "18:30:00": 2}


def test_times_of_triple_s_may_have_no_seconds(tmp_path: Path) -> None:
    [question] = draft_codebook(_triple_s(tmp_path)).codebook.questions
    assert [*question.labels] == ["09:00", "10:10:10", "18:30:00"]


@pytest.mark.parametrize("form", ["{:02}:{:02}:00", "{}:{:02}", "{}:{:02} pm"])
def test_many_times_of_day_make_no_question(form: str) -> None:
    times = [form.format(hour, minute) for hour in range(1, 13) for minute in (0, 5, 30)]
    frame = pd.DataFrame({"at": [*times, *times[:9]], "tea": ["yes", "no", "no"] * 15})
    draft = draft_codebook(frame)
    assert draft.left_out == {"at": "a time of day"}
    assert any("at (a time of day)" in each.said for each in draft.guesses)


def test_durations_are_numbers_of_seconds(tmp_path: Path) -> None:
    spans = [timedelta(minutes=minutes) for minutes in (1, 2, 2)]
    for frame in (
        pd.DataFrame({"took": spans}),
        pl.DataFrame({"took": spans}),
        pa.table({"took": pa.array(spans, pa.duration("ns"))}),
    ):
        [question] = draft_codebook(frame).codebook.questions
        assert [*question.labels] == ["60", "120"]
    pyreadstat.write_sav(
        pd.DataFrame({"took": [60.0, 120, 120]}),
        str(tmp_path / "a.sav"),
        variable_format={"took": "DTIME14"},
    )
    [question] = draft_codebook(tmp_path / "a.sav").codebook.questions
    assert [*question.labels] == ["60", "120"]
