"""`client.rake` against R's `survey`: `rake`, `calibrate` with and without bounds, `trimWeights`.

`calibrated.py` makes the respondents, and `calibrated.R` computed `calibrated.json` of them. R's
`rake` and `calibrate(…, calfun = "raking")` give the same weights; their standard errors differ in
the third digit, and ours are those of `calibrate`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.codebook import DesignColumns
from tests.oracle.calibrated import AWARDS, CAP, CELLS, FLOOR, SCHOOLS, SIZE, STYPE, TRIM, gaps

FIGURES: dict[str, Any] = json.loads(Path(__file__).with_name("calibrated.json").read_text("utf-8"))

MARGINS = {"stype": STYPE, "awards": AWARDS, "size": SIZE}
JOINT = {("stype", "awards"): CELLS, "size": SIZE}
CASES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "margins": (MARGINS, {}, "margins_newton"),
    "cells": (JOINT, {}, "cells_newton"),
    "capped": (MARGINS, {"cap": CAP}, "capped"),
    "limited": (MARGINS, {"cap": CAP, "floor": FLOOR}, "limited"),
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Client]:
    frame = gaps()
    book = draft_codebook(frame, weight="pw").codebook
    asked = ("stype", "awards", "grade", "size", "api00")
    asked_questions = tuple(each for each in book.questions if each.code in asked)
    # Every school a cluster of its own, as R is told.
    book = replace(book, questions=asked_questions, design=DesignColumns())
    folder = tmp_path_factory.mktemp("calibrated") / "survey"
    with al.open(frame, codebook=book, to=folder, quiet=True) as opened:
        yield opened


@pytest.mark.parametrize("name", CASES)
def test_weights_and_errors_are_those_of_r(client: al.Client, name: str) -> None:
    targets, limits, with_errors = CASES[name]
    known = FIGURES[name]
    raked = client.rake(targets, name=name, total=SCHOOLS, **limits)
    np.testing.assert_allclose(raked.weights, known["weights"], rtol=1e-9)
    assert raked.effective_base == pytest.approx(known["kish"][0], rel=1e-9)
    assert raked.design_effect == pytest.approx(known["kish"][1], rel=1e-9)
    assert raked.efficiency == pytest.approx(100 / known["kish"][1], rel=1e-9)
    frame = raked.to_frame()
    np.testing.assert_allclose(frame["after"], frame["target"], atol=1e-8)

    share, error, large, small, large_error, small_error, _ = FIGURES[with_errors]["errors"]
    everyone = client.crosstab("grade", weight=name)
    by_size = client.crosstab("grade", "size", weight=name)
    at = [each.name for each in everyone.rows].index("high")
    order = [[each.name for each in by_size.columns].index(size) for size in ("large", "small")]
    all_shares = everyone.to_frame().set_index("row")["column_percentage"]
    assert all_shares["high"] / 100 == pytest.approx(share, rel=1e-9)
    effects = client.design_effects(everyone)
    assert effects.standard_errors[at, 0] / 100 == pytest.approx(error, rel=1e-7)
    assert "raking accounted for" in effects.method_note
    shares = by_size.to_frame().set_index(["row", "column"])["column_percentage"]
    found = [shares["high", size] / 100 for size in ("large", "small")]
    np.testing.assert_allclose(found, [large, small], rtol=1e-9)
    errors = client.design_effects(by_size).standard_errors[at][order] / 100
    np.testing.assert_allclose(errors, [large_error, small_error], rtol=1e-7)
    # The usual weight stays what it was.
    np.testing.assert_allclose(client.respondents()["weight"], gaps()["pw"], atol=1e-9)


def test_trimmed_weights_are_those_of_r(client: al.Client) -> None:
    known = FIGURES["trimmed"]
    raked = client.rake(MARGINS, name="trimmed", total=SCHOOLS, trim=TRIM)
    np.testing.assert_allclose(raked.weights, known["weights"], rtol=1e-9)
    assert raked.effective_base == pytest.approx(known["kish"][0], rel=1e-9)
    assert raked.capped == int(np.sum(np.isclose(known["weights"], max(known["weights"]))))
    # Targets do not hold any more, so errors do not rest on them.
    assert "targets are met within" in repr(raked)
    effects = client.design_effects(client.crosstab("grade", weight="trimmed"))
    assert "raking" not in effects.method_note


def test_rounds_and_newtons_way_of_r_agree() -> None:
    for name in ("margins", "cells"):
        one, other = (FIGURES[each]["weights"] for each in (name, f"{name}_newton"))
        np.testing.assert_allclose(one, other, rtol=1e-9)
