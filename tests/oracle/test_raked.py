"""Standard errors after raking are those of R's `survey`, by `calibrate(…, calfun = "raking")`.

`raked.py` makes the respondents, and `raked.R` computed `raked.json` of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.codebook import DesignColumns
from audiencelab.survey.raking import Margin, Target, Targets, rake
from audiencelab.survey.update import derive
from tests.oracle.amounts_of import check_amounts
from tests.oracle.raked import MARGINS, schools

FIGURES: dict[str, Any] = json.loads(Path(__file__).with_name("raked.json").read_text("utf-8"))
DESIGNS = {
    "alone": {},
    "strata": {"strata": "stratum"},
    "clusters": {"strata": "stratum", "clusters": "cluster"},
}


pytestmark = pytest.mark.usefixtures("own_cache")


def opened(folder: Path, **design: Any) -> al.Client:
    frame = schools()
    drafted = draft_codebook(frame, weight="pw").codebook
    asked = ("stype", "awards", "grade", "size", "api00", "enroll")
    questions = tuple(each for each in drafted.questions if each.code in asked)
    book = replace(drafted, questions=questions, design=DesignColumns(**design))
    return al.open(frame, codebook=book, to=folder, quiet=True)


def margin(client: al.Client, question: str) -> Margin:
    points = client.service.survey.catalogue.question(question).datapoints
    return Margin(question, {each.code: MARGINS[question][each.name] for each in points})


def targets(client: al.Client, *questions: str) -> Targets:
    return Targets((Target(tuple(margin(client, each) for each in questions), total=6194),))


def errors(client: al.Client, rows: str, row: str, **scope: Any) -> tuple[Any, Any]:
    """Standard errors of a row, of large and of small schools; and all of its effects."""
    table = client.crosstab(rows, "size", **scope)
    effects = client.design_effects(table)
    at = [each.name for each in table.rows].index(row)
    order = [[each.name for each in table.columns].index(name) for name in ("large", "small")]
    return effects.standard_errors[at][order] / 100, (effects, at, order)


@pytest.mark.parametrize("design", DESIGNS)
def test_standard_errors_after_raking_are_those_of_r(design: str, tmp_path: Path) -> None:
    client, known = opened(tmp_path / "survey", **DESIGNS[design]), FIGURES[design]
    rake(tmp_path / "survey", targets(client, "stype", "awards"))
    found, (effects, at, order) = errors(client, "grade", "high")
    assert found == pytest.approx(known["errors"], rel=1e-7)
    assert effects.degrees_of_freedom == min(known["freedom"])
    assert "raking accounted for" in effects.method_note
    covariance = effects.precision.linearised.covariance[at][order[0], order[1]]
    difference = np.sqrt(found[0] ** 2 + found[1] ** 2 - 2 * covariance)
    assert difference == pytest.approx(known["difference"], rel=1e-7)
    elementary, _ = errors(client, "stype", "E")
    assert elementary == pytest.approx(known["elementary"], rel=1e-7)
    middle = client.crosstab("grade", base_audience=client["stype"] == "M")
    at = [each.name for each in middle.rows].index("high")
    [error] = client.design_effects(middle).standard_errors[at] / 100
    assert error == pytest.approx(known["middle"], rel=1e-7)
    everyone = client.crosstab("grade")
    [error] = client.design_effects(everyone).standard_errors[at] / 100
    assert error == pytest.approx(known["all"], rel=1e-7)
    # What was raked to is certain.
    certain = client.design_effects(client.crosstab("stype"))
    assert certain.standard_errors.tolist() == [[0], [0], [0]]


@pytest.mark.parametrize("design", DESIGNS)
def test_means_and_tests_of_a_table_know_of_the_raking(design: str, tmp_path: Path) -> None:
    client = opened(tmp_path / "survey", **DESIGNS[design])
    rake(tmp_path / "survey", targets(client, "stype", "awards"))
    check_amounts(client, FIGURES[design], "raking accounted for")


def test_new_versions_keep_the_raking_and_another_weight_drops_it(tmp_path: Path) -> None:
    client, known = opened(tmp_path / "survey"), FIGURES["alone"]
    rake(tmp_path / "survey", targets(client, "stype", "awards"))
    derive(client.service.survey)
    found, _ = errors(client, "grade", "high")
    assert found == pytest.approx(known["errors"], rel=1e-7)
    _, (effects, *_) = errors(client, "grade", "high", weight=None)
    assert "raking" not in effects.method_note


def test_respondents_raked_apart_are_calibrated_apart(tmp_path: Path) -> None:
    """Raked in two calls, one location each, the errors are those of both in one call."""
    frame = schools()
    drafted = draft_codebook(frame, weight="pw").codebook
    drafted = replace(drafted, study=replace(drafted.study, location="size"))
    found: list[Any] = []
    for folder, calls in (("once", [("large", "small")]), ("twice", [("large",), ("small",)])):
        client = al.open(frame, codebook=drafted, to=tmp_path / folder, quiet=True)
        points = client.service.survey.catalogue.question("size").datapoints
        codes = {each.name: each.code for each in points}
        for names in calls:
            made = tuple(
                Target((margin(client, "stype"),), locations=(codes[name],)) for name in names
            )
            rake(tmp_path / folder, Targets(made))
        table = client.crosstab("grade", "awards")
        found.append(client.design_effects(table).standard_errors)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)
