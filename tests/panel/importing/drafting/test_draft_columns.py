"""What a draft makes of columns that people write in ways of their own."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from audiencelab.panel import PanelError, draft_codebook, from_frame
from audiencelab.panel.importing import import_survey
from tests.panel.counting import counts, counts_by_name
from tests.panel.sources import write
from tests.panel.spss_sets import declare_sets, dichotomies


def test_columns_of_one_label_that_fewer_and_fewer_fill_are_mentions(tmp_path: Path) -> None:
    brands = {float(number): f"Brand {number}" for number in (1, 2, 3)}
    columns = {
        "m_1": [1.0, 2, 3, 1],
        "m_2": [2.0, 3, 1, None],
        "m_3": [3.0, None, None, None],
        "g_1": [1.0, 2, 3, 1],
        "g_2": [2.0, 3, 1, 1],
    }
    path = tmp_path / "mentions.sav"
    pyreadstat.write_sav(
        pd.DataFrame(columns),
        path,
        column_labels=dict.fromkeys(columns, "Which come to mind?"),
        variable_value_labels=dict.fromkeys(columns, brands),
    )
    draft = draft_codebook(path)
    mentions, grid = draft.codebook.questions
    assert (mentions.kind, mentions.across) == ("multiple", ("m_1", "m_2", "m_3"))
    assert (mentions.name, list(mentions.labels.values())) == (
        "Which come to mind?",
        ["Brand 1", "Brand 2", "Brand 3"],
    )
    assert "first mention" in draft.reasons["questions/m"][0]
    assert grid.kind == "grid"
    panel = import_survey([path], draft.codebook, tmp_path / "panel")
    found = panel.wave("w1").question("m")
    assert found is not None
    assert [int(found.datapoint(f"m_{place}")[0]).bit_count() for place in (1, 2, 3)] == [3, 2, 3]


def test_a_scale_labelled_at_its_ends_stands_by_size(tmp_path: Path) -> None:
    path = tmp_path / "ends.sav"
    pyreadstat.write_sav(
        pd.DataFrame({"nps": [*range(11), 99]}),
        path,
        variable_value_labels={"nps": {0: "Not at all", 10: "Extremely", 99: "Don't know"}},
    )
    [question] = draft_codebook(path).codebook.questions
    assert list(question.labels) == [*map(str, range(11)), "99"]
    assert (question.labels["0"], question.labels["5"]) == ("Not at all", "5")


def test_numbers_that_the_file_calls_nominal_are_not_banded(tmp_path: Path) -> None:
    path = tmp_path / "measure.sav"
    frame = pd.DataFrame({name: [*range(30)] for name in ("branch", "minutes")})
    measures = {"branch": "nominal", "minutes": "scale"}
    pyreadstat.write_sav(frame, path, variable_measure=measures)
    branch, minutes = draft_codebook(path).codebook.questions
    assert len(branch.labels) == 30
    assert minutes.datapoints[0].is_band


def test_codes_with_an_underscore_are_no_numbers(tmp_path: Path) -> None:
    codes = [f"{row}_{shelf}" for row in range(5) for shelf in range(4)]
    frame = pd.DataFrame({"place": codes, "sex": [1, 2] * 10})
    draft = draft_codebook(frame)
    place = draft.codebook.questions[0]
    assert place.labels == dict(zip(codes, codes, strict=True))
    panel = from_frame(frame, draft.codebook, tmp_path / "panel")
    assert counts_by_name(panel, "place") == dict.fromkeys(codes, 1)


def test_what_the_labels_of_items_end_with_is_the_question(tmp_path: Path) -> None:
    path = tmp_path / "tails.sav"
    used = {1.0: "Yes", 2.0: "No"}
    pyreadstat.write_sav(
        pd.DataFrame({"tv_1": [1.0, 2, 1], "tv_2": [2.0, 2, 1]}),
        path,
        column_labels={"tv_1": "News - Watched last week", "tv_2": "Films - Watched last week"},
        variable_value_labels={"tv_1": used, "tv_2": used},
    )
    [question] = draft_codebook(path).codebook.questions
    assert question.name == "Watched last week"
    assert [point.name for point in question.points] == ["News", "Films"]


def test_items_whose_names_come_to_the_same_code_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "alike.sav"
    used = {1.0: "Yes", 2.0: "No"}
    pyreadstat.write_sav(
        pd.DataFrame({"q_2": [1.0, 2], "q.2": [2.0, 2]}),
        path,
        variable_value_labels={"q_2": used, "q.2": used},
    )
    declare_sets(path, dichotomies("q", "Which?", "1", ("q_2", "q.2")))
    draft = draft_codebook(path)
    [question] = draft.codebook.questions
    assert [point.code for point in question.datapoints] == ["q_1", "q_2"]
    assert [point.column for point in question.datapoints] == ["q_2", "q.2"]
    panel = import_survey([path], draft.codebook, tmp_path / "panel")
    assert counts(panel, "q") == {"q_1": 1, "q_2": 0}


def test_files_that_nothing_dates_are_waves_a_month_apart(tmp_path: Path) -> None:
    paths = [write(tmp_path, f"part_{name}.csv", "a,b\n1,2\n2,2\n") for name in "xyz"]
    for path in paths:
        os.utime(path, (1_709_000_000, 1_709_000_000))  # 27 February 2024
    draft = draft_codebook(paths)
    assert [(wave.code, wave.name, wave.starts) for wave in draft.codebook.waves] == [
        ("w1", "part_x.csv", date(2023, 12, 1)),
        ("w2", "part_y.csv", date(2024, 1, 1)),
        ("w3", "part_z.csv", date(2024, 2, 1)),
    ]
    assert draft.codebook.wave is None
    assert draft.reasons["waves"] == [
        "each file is a wave, in the order given; put their dates right"
    ]
    panel = import_survey(paths, draft.codebook, tmp_path / "panel")
    assert [wave.respondents for wave in panel.waves] == [2, 2, 2]


def test_a_draft_needs_a_source() -> None:
    with pytest.raises(PanelError, match="at least one source file"):
        draft_codebook([])


def test_a_file_without_rows_dates_no_wave(tmp_path: Path) -> None:
    paths = [
        write(tmp_path, "one.csv", "wave,interview,a\n1,2024-01-05,1\n2,2024-03-05,2\n"),
        write(tmp_path, "two.csv", "a\n"),
    ]
    waves = draft_codebook(paths).codebook.waves
    assert [wave.starts for wave in waves] == [date(2024, 1, 5), date(2024, 3, 5)]
