"""`client.rake` against weightipy 0.4.2, by the example of its page on nested weighting.

The page makes a population and a biased sample of it from fixed seeds, and weights the sample by
gender and age in each ethnicity, and by all three for themselves. `weightipy.json` has the sample,
the population, and what weightipy makes of them: the weight of each cell, and the efficiency.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al

FIGURES: dict[str, Any] = json.loads(Path(__file__).with_name("weightipy.json").read_text("utf-8"))
CELLS = pd.DataFrame(FIGURES["cells"], columns=FIGURES["columns"])
ASKED = ["gender", "age_group", "ethnicity"]
MARGINS: dict[str, Any] = {
    "nested": [("gender", "ethnicity"), ("age_group", "ethnicity")],
    "simple": ASKED,
}


def test_weights_and_efficiency_are_those_of_its_example(tmp_path: Path) -> None:
    sample = CELLS.loc[CELLS.index.repeat(CELLS["survey"])].reset_index(drop=True)
    client = al.open(sample[ASKED], weight=None, to=tmp_path / "survey", quiet=True)
    population = CELLS[[*ASKED, "population"]]
    for name, margins in MARGINS.items():
        raked = client.rake(population, margins=margins, name=name)
        np.testing.assert_allclose(raked.weights.to_numpy(), sample[name], rtol=1e-9)
        assert raked.efficiency == pytest.approx(FIGURES["efficiency"][name], rel=1e-9)
