"""What a draft makes of columns that people write in ways of their own."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyreadstat

from audiencelab.panel import draft_codebook
from audiencelab.panel.importing import import_survey


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
