"""Columns less the same one a wave before, as R's `survey` has it.

`previous_wave.R` computed `previous_wave.json` of the respondents of `tests.analysis.waves`, and
`panel.R` the same of a panel.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from tests.analysis.waves import opened
from tests.oracle import test_panel as panel

R: dict[str, Any] = json.loads(Path(__file__).with_name("previous_wave.json").read_text("utf-8"))
NAMES = {"rated: mean": "mean", "rated: NPS": "nps"}


def test_waves_and_waves_within_people() -> None:
    client = opened(broken="")
    rows = ["trust", "bought", "brands", client["rated"].mean(), client["rated"].nps()]
    banner: Any = {"All": "waves", "People": al.nest("gender", "waves")}
    table = client.crosstab(rows, banner)
    frame = table.test(vs="previous wave", pooled=False).to_frame()
    checked = 0
    for line in frame.to_dict("records"):
        known = R[line["column_group"].removeprefix("People › ").replace("All", "all")]
        name = NAMES.get(line["row"], line["row"])
        if name not in known or np.isnan(line["difference"]):
            continue
        unit = 1 if line["row"] in NAMES else 100
        [of_wave] = [each for each in known[name] if line["column"] == f"wave {each['wave']}"]
        found = [line["difference"] / unit, line["standard_error"] / unit]
        assert found == pytest.approx([of_wave["change"], of_wave["error"]], rel=1e-9)
        checked += 1
    assert checked == 3 * sum(map(len, R["all"].values()))


@pytest.mark.parametrize("name", ["clusters", "replicates"])
def test_persons_of_a_panel_within_people(name: str) -> None:
    client, known = panel.opened(name), panel.FIGURES[name]
    table = client.crosstab("y", al.nest("waves", "region"), waves="all")
    compared = table.test(vs="previous wave", pooled=False)
    frame: pd.DataFrame = compared.to_frame().query("row == 'yes' and column == 'north'")
    line = frame.iloc[0]
    found = [line["difference"] / 100, line["standard_error"] / 100]
    assert found == pytest.approx(known["north"], rel=1e-9)
    assert panel.PAIRED in compared.method_note
    assert "separate samples" not in compared.method_note
