"""Values that a codebook calls missing, for all columns or for one question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from audiencelab.ingest import draft_codebook, from_frame, parse_codebook
from audiencelab.survey import Survey, SurveyError
from tests.messages import fails
from tests.survey.counting import counts

FRAME = pd.DataFrame(
    {
        "q": [1, 2, 2, -9, 99] * 10,
        "r": [1, -9, 2, 2, 1] * 10,
        "m_1": [0, 1, 1, -9, 99] * 10,
        "m_2": [1, 1, 0, 0, 0] * 10,
        "g_1": [1, 2, 3, -9, 3] * 10,
        "g_2": [3, 3, 2, 1, 99] * 10,
    }
)
ITEMS = [{"code": name, "name": name, "column": name} for name in ("m_1", "m_2")]
ROWS = [{"code": name, "name": name, "column": name} for name in ("g_1", "g_2")]
POINTS = [{"code": str(value), "name": str(value), "value": value} for value in (1, 2, 3)]


def survey_of(folder: Path, source: dict[str, Any], **missing: list[int]) -> Survey:
    own: dict[str, Any] = {
        "q": {"column": "q", "labels": {"1": "A", "2": "B"}},
        "r": {"column": "r", "labels": {"1": "A", "2": "B", "-9": "Nine below"}},
        "m": {"kind": "multiple", "datapoints": ITEMS, "selected": [1], "not_selected": [0]},
        "g": {"kind": "grid", "datapoints": ROWS, "suffixes": POINTS},
    }
    questions = [
        {"code": code, "name": code, **fields, "missing": missing.get(code, [])}
        for code, fields in own.items()
    ]
    codebook = parse_codebook({"source": source, "questions": questions})
    return from_frame(FRAME, codebook, folder / "survey")


def valid(survey: Survey, code: str, item: str) -> int:
    found = survey.wave("w1").question(code)
    assert found is not None
    return int.from_bytes(found.asked_of(item).tobytes()).bit_count()


def test_missing_of_the_source_is_no_answer_in_any_column_but_where_it_is_listed(
    tmp_path: Path,
) -> None:
    survey = survey_of(tmp_path, {"missing": [-9]}, q=[99], m=[99], g=[99])
    assert survey.import_report is not None
    assert survey.import_report["unknown_values"] == []
    assert counts(survey, "q") == {"q_1": 10, "q_2": 20}
    assert counts(survey, "r") == {"r_1": 20, "r_2": 20, "r_3": 10}, "its own answer"
    assert counts(survey, "m") == {"m_1": 20, "m_2": 20}
    assert [valid(survey, "m", item) for item in ("m_1", "m_2")] == [30, 50]
    assert counts(survey, "g", "3") == {"g_1": 20, "g_2": 20}


def test_a_value_has_one_meaning_under_source() -> None:
    questions = [{"code": "q", "name": "Q", "column": "q"}]
    for other in ("not_asked", "not_selected"):
        source = {other: [99], "missing": ["99.0"]}
        with fails(SurveyError):
            parse_codebook({"source": source, "questions": questions})


def test_a_code_beside_ticks_alone_means_not_chosen_and_elsewhere_no_answer() -> None:
    ticks = {"t_1": [1, -99, 1] * 20, "t_2": [-99, 1, 1] * 20}
    items = {"m_1": [1, 0, -99] * 20, "m_2": [0, -99, 1] * 20}
    codebook = draft_codebook(pd.DataFrame({**ticks, **items, "q": [1, 2, -99] * 20})).codebook
    assert codebook.source.missing == (-99,)
    found = {each.code: (each.not_selected, each.missing) for each in codebook.questions}
    assert found == {"t": ((-99,), ()), "m": ((0,), ()), "q": (None, ())}
