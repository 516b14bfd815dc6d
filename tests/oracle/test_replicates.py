"""Replicate weights and finite population corrections give the standard errors of R's `survey`.

`replicates.py` makes the respondents, and `replicates.R` computed `replicates.json` of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import audiencelab as al
from audiencelab.ingest import Codebook, draft_codebook
from audiencelab.ingest.codebook import DesignColumns
from audiencelab.survey import SurveyError
from audiencelab.survey.export import export_survey
from audiencelab.survey.raking import Margin, Target, Targets, rake
from tests.messages import fails
from tests.oracle.amounts_of import check_amounts
from tests.oracle.replicates import COUNT, schools

FIGURES: dict[str, Any] = json.loads(Path(__file__).with_name("replicates.json").read_text("utf-8"))
NAMES = tuple(f"rep{number + 1}" for number in range(COUNT))
METHODS: dict[str, dict[str, Any]] = {
    "BRR": {},
    "Fay": {"fay": 0.5},
    "JK1": {},
    "JK2": {},
    "JKn": {"replicate_scales": tuple((number + 1) / 20 for number in range(COUNT))},
    "bootstrap": {},
    "successive difference": {},
}


pytestmark = pytest.mark.usefixtures("own_cache")


def codebook(**design: Any) -> Codebook:
    frame = schools()
    drafted = draft_codebook(frame, weight="pw", replicates=NAMES, replicate_method="BRR").codebook
    questions = tuple(each for each in drafted.questions if each.code != "fpc")
    return replace(drafted, questions=questions, design=DesignColumns(**design))


def opened(**design: Any) -> al.Client:
    return al.open(schools(), codebook=codebook(**design), quiet=True)


def check(client: al.Client, known: dict[str, Any], **how: Any) -> None:
    table = client.crosstab("grade", "size")
    effects = client.design_effects(table, **how)
    high = [row.name for row in table.rows].index("high")
    order = [[column.name for column in table.columns].index(name) for name in ("large", "small")]
    errors = effects.standard_errors[high][order] / 100
    assert errors == pytest.approx(known["errors"], rel=1e-9)
    assert effects.degrees_of_freedom == min(known["freedom"])
    linearised = effects.precision.linearised
    assert linearised is not None
    assert linearised.covariance is not None
    one, other = errors
    covariance = linearised.covariance[high][order[0], order[1]]
    difference = np.sqrt(one**2 + other**2 - 2 * covariance)
    assert difference == pytest.approx(known["difference"], rel=1e-9)
    middle = client.crosstab("grade", "size", base_audience=client["stype"] == "M")
    of_middle = client.design_effects(middle, **how)
    error = of_middle.standard_errors[high][order[0]] / 100
    assert error == pytest.approx(known["middle"], rel=1e-9)
    assert of_middle.degrees_of_freedom == min(known["middle_freedom"])


@pytest.mark.parametrize("method", METHODS)
def test_standard_errors_from_replicate_weights_are_those_of_r(method: str) -> None:
    client = opened(replicates=NAMES, replicate_method=method, **METHODS[method])
    known = FIGURES[method.split()[0]]
    check(client, known)
    check(client, known, method="replicates")
    check_amounts(client, known, f"24 replicate weights ({method})")


def test_finite_population_corrections_are_those_of_r() -> None:
    check(opened(strata="stype", fpc="fpc"), FIGURES["fpc"])
    check(opened(strata="stype"), FIGURES["no_fpc"])


def test_tests_take_replicate_weights_by_themselves() -> None:
    client = al.open(
        schools(), weight="pw", replicates="rep*", replicate_method="Fay", fay=0.5, quiet=True
    )
    check(client, FIGURES["Fay"])
    comparison = client.crosstab("grade", "size").test()
    assert "24 replicate weights (Fay)" in comparison.method_note
    # Another method is still there, and another weight has no replicate weights.
    table = client.crosstab("grade", "size")
    assert client.design_effects(table, "taylor").method == "taylor"
    unweighted = client.crosstab("grade", "size", weight=None)
    with fails(ValueError):
        client.design_effects(unweighted, "replicates")


def test_exports_keep_replicate_weights_and_fpc(tmp_path: Path) -> None:
    given = {"strata": "stype", "fpc": "fpc", "replicates": NAMES, "replicate_method": "Fay"}
    client = opened(**given, fay=0.5)
    export_survey(client.service.survey, tmp_path / "answers.parquet")
    back = al.open(tmp_path / "answers.parquet", codebook=tmp_path / "answers.toml", quiet=True)
    check(back, FIGURES["Fay"])
    check(back, FIGURES["fpc"], method="taylor")


def test_raking_drops_replicate_weights_of_the_weights_before(tmp_path: Path) -> None:
    client = al.open(
        schools(), weight="pw", replicates="rep*", replicate_method="BRR",
        to=tmp_path / "survey", quiet=True,
    )  # fmt: skip
    table = client.crosstab("grade", "size")
    assert client.design_effects(table).method == "replicates"
    margin = Margin("size", {"size_1": 50, "size_2": 50})
    rake(tmp_path / "survey", Targets((Target((margin,)),)))
    after = client.crosstab("grade", "size")
    assert client.design_effects(after).method == "taylor"


def test_another_weight_than_that_of_the_codebook_has_no_replicate_weights() -> None:
    book = codebook(replicates=NAMES, replicate_method="BRR")
    client = al.open(schools().assign(other=1.5), weight="other", codebook=book, quiet=True)
    assert client.design_effects(client.crosstab("grade", "size")).method != "replicates"
    same = al.open(schools(), weight="pw", codebook=book, quiet=True)
    assert same.design_effects(same.crosstab("grade", "size")).method == "replicates"


@pytest.mark.parametrize(
    ("design", "message"),
    [
        ({"replicates": NAMES}, "need their method"),
        ({"replicates": NAMES, "replicate_method": "Fay"}, "needs `fay`"),
        ({"replicates": NAMES, "replicate_method": "JKn"}, "needs replicate_scales"),
        (
            {"replicates": NAMES, "replicate_method": "JKn", "replicate_scales": (1.0,)},
            "has 1 numbers for 24 replicates",
        ),
    ],
)
def test_replicates_that_lack_something_are_refused(design: Any, message: str) -> None:
    with pytest.raises(SurveyError, match=message):
        opened(**design)


def test_an_fpc_that_cannot_be_is_refused() -> None:
    frame = schools()
    design = codebook(strata="stype", fpc="fpc")
    with fails(SurveyError):
        al.open(frame.assign(fpc=10), codebook=design, quiet=True)
    client = al.open(frame.assign(fpc=1000), codebook=design, quiet=True)
    assert client.crosstab("grade").shape == (2, 1)


def test_columns_of_replicates_that_are_not_there_are_refused() -> None:
    with fails(SurveyError):
        al.open(schools(), weight="pw", replicates="brr*", replicate_method="BRR", quiet=True)
