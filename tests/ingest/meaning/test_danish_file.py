"""A Danish file, opened without a word about it: its waves, the top of its scale, and its mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al

SATISFIED = {
    1: "Meget tilfreds",
    2: "Tilfreds",
    3: "Hverken eller",
    4: "Utilfreds",
    5: "Meget utilfreds",
    9: "Ved ikke",
}
WAVES = {1: "Forår 2025", 2: "Efterår 2025", 3: "Forår 2026"}


@pytest.mark.parametrize("column", ["bølge", "indsamlet"])
def test_waves_top_and_mean_of_a_danish_file(column: str, tmp_path: Path) -> None:
    random = np.random.default_rng(44)
    frame: Any = pd.DataFrame(
        {
            column: np.repeat([1.0, 2.0, 3.0], 100),
            "tilfreds": random.choice([1.0, 2.0, 3.0, 4.0, 5.0, 9.0], 300),
        }
    )
    file = tmp_path / "kaffe.sav"
    labels: Any = {column: WAVES, "tilfreds": SATISFIED}
    pyreadstat.write_sav(frame, file, variable_value_labels=labels)
    client: Any = al.open(file)
    card = client.import_report.card()
    if column == "bølge":
        assert len(client.import_report.waves) == 3
    else:
        # A name that says nothing: the waves are offered, first of what is doubtful.
        assert card.lines[0].subject == "waves"
        assert card.lines[0].code.endswith('wave="indsamlet")')
    waves: Any = frame[column] if column == "bølge" else pd.Series(1, frame.index)
    given: Any = frame["tilfreds"]
    points: Any = given.where(given < 9)
    shares: Any = 100 * (given <= 2).groupby(waves).mean()
    asked = client["tilfreds"]
    top = client.crosstab([asked.top_box(2)], "waves").to_frame()
    assert top["column_percentage"].tolist() == pytest.approx(shares.tolist())
    mean = client.crosstab([asked.mean()], "waves").to_frame()
    assert mean["value"].tolist() == pytest.approx(points.groupby(waves).mean().tolist())
