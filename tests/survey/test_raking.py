"""Weights fitted to margins: a published table, the algebra, and what cannot be met."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.cli import main
from audiencelab.survey import Survey, SurveyError
from audiencelab.survey.answers import unpack
from audiencelab.survey.raking import Margin, Target, Targets, load_targets, rake, rake_weights
from audiencelab.survey.validate import check_survey
from tests.ingest.sources import CODEBOOK, imported
from tests.messages import fails

# The worked example of the article "Iterative proportional fitting" in Wikipedia: a table and its
# margins, and the table after three sweeps as the article prints it.
TABLE = np.array([[40, 30, 20, 10], [35, 50, 100, 75], [30, 80, 70, 120], [20, 30, 40, 50]])
ROWS_WANTED, COLUMNS_WANTED = np.array([150.0, 300, 400, 150]), np.array([200.0, 300, 400, 100])
AFTER_THREE = [
    [64.61, 46.28, 35.42, 3.83],
    [49.95, 68.15, 156.49, 25.37],
    [56.70, 144.40, 145.06, 53.76],
    [28.74, 41.18, 63.03, 17.03],
]


def cells() -> list[tuple[np.ndarray, np.ndarray]]:
    row, column = (each.ravel() for each in np.indices(TABLE.shape))
    return [(row, ROWS_WANTED), (column, COLUMNS_WANTED)]


def test_a_published_table_comes_out_sweep_by_sweep() -> None:
    fitted = rake_weights(TABLE.ravel(), cells(), iterations=3)
    assert not fitted.converged
    assert fitted.weights.reshape(4, 4).round(2).tolist() == AFTER_THREE


def test_at_the_end_all_margins_hold_and_the_odds_ratios_stay() -> None:
    fitted = rake_weights(TABLE.ravel(), cells())
    table = fitted.weights.reshape(4, 4)
    assert fitted.converged
    assert table.sum(axis=1) == pytest.approx(ROWS_WANTED, rel=1e-8)
    assert table.sum(axis=0) == pytest.approx(COLUMNS_WANTED, rel=1e-8)
    # What raking leaves alone, by which its solution is known: the association in the table.
    for made in (table, TABLE):
        odds = made[:-1, :-1] * made[1:, 1:] / (made[:-1, 1:] * made[1:, :-1])
        assert odds == pytest.approx(
            TABLE[:-1, :-1] * TABLE[1:, 1:] / (TABLE[:-1, 1:] * TABLE[1:, :-1])
        )


@given(seed=st.integers(0, 2**32), most=st.sampled_from([None, 1.7]))
def test_any_margins_of_a_full_table_are_met(seed: int, most: float | None) -> None:
    rng = np.random.default_rng(seed)
    sex, age = rng.integers(0, 2, 400), rng.integers(0, 3, 400)
    wanted = [np.array([45.0, 55.0]), np.array([30.0, 30.0, 40.0])]
    cap = None if most is None else most * 100 / 400
    fitted = rake_weights(
        rng.uniform(0.5, 1.5, 400), [(sex, wanted[0]), (age, wanted[1])], max_weight=cap
    )
    assert fitted.converged
    assert np.bincount(sex, fitted.weights) == pytest.approx(wanted[0], rel=1e-6)
    assert np.bincount(age, fitted.weights) == pytest.approx(wanted[1], rel=1e-6)
    assert cap is None or fitted.weights.max() <= cap


MORE = "id,where,sex,tea,coffee,milk,drinks,fun,work,age,weight,round\n" + "".join(
    f"{number},{where},{sex},yes,no,,1,Often,Often,{age},1,{wave}\n"
    for number, (where, sex, age, wave) in enumerate(
        (where, sex, age, wave)
        for wave in "ab"
        for where in ("north", "south")
        for sex in "1122229"
        for age in (20, 30, 40)
    )
)
TARGETS = """
[[targets]]
waves = ["w1"]
locations = ["where_1"]
total = 1000
margins = [
  { question = "sex", shares = { sex_1 = 60, sex_2 = 40 } },
  { question = "age", shares = { age_1 = 0.5, age_2 = 0.25, age_3 = 0.25 } },
]
"""


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    (tmp_path / "targets.toml").write_text(TARGETS)
    return imported(tmp_path, MORE, CODEBOOK)


def sums(survey: Survey, wave: str, code: str, location: str) -> list[float]:
    data = survey.wave(wave)
    found, where = data.question(code), data.question("where")
    assert found is not None
    assert where is not None
    there = unpack(where.datapoint(location), data.respondents)
    return [
        float(data.weights[there & unpack(found.datapoint(point.code), data.respondents)].sum())
        for point in found.question.datapoints
    ]


def test_the_weights_of_a_survey_meet_their_targets(
    survey: Survey, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    targets = str(tmp_path / "targets.toml")
    command = ["survey", "rake", str(survey.path), "--targets", targets, "--replace-usual"]
    assert main(command) == 0
    told = capsys.readouterr().out
    new = Survey.open(survey.path)
    # Three of the 21 gave no answer to sex: they keep a seventh of the weight.
    assert sums(new, "w1", "sex", "where_1") == pytest.approx([0.6 * 6000 / 7, 0.4 * 6000 / 7])
    assert sums(new, "w1", "age", "where_1") == pytest.approx([500, 250, 250])
    assert sums(new, "w1", "sex", "where_2") == [6, 12], "the others keep their weights"
    assert new.wave("w2").weights.tolist() == [1.0] * 42
    assert new.manifest.provenance["raked"]["targets"][0]["total"] == 1000
    assert new.manifest.weight == "weight, raked to known margins in w1 (in part)"
    weights = new.wave("w1").weights[:21]
    effect = 21 * float(np.square(weights).sum()) / float(weights.sum()) ** 2
    assert f"{effect:.3f}" in told
    assert "where_1            21           3" in told
    assert check_survey(new).sound


def test_a_weight_may_be_limited(survey: Survey) -> None:
    # 6 of the 18 who answered are to be 60%: each weighs 1.8 times the mean.
    skewed = Targets((Target((Margin("sex", {"sex_1": 60, "sex_2": 40}),)),), max_weight=2.0)
    found = rake(survey.path, Targets(skewed.targets))
    assert max(group.design_effect for group in found.groups) < 1.3
    with fails(SurveyError):
        rake(survey.path, Targets(skewed.targets, max_weight=1.2))


def test_the_weight_is_told_with_the_waves_that_were_raked(survey: Survey) -> None:
    sex = (Margin("sex", {"sex_1": 1, "sex_2": 1}),)
    rakings = [
        Targets((Target(sex, waves=("w1",), locations=("where_1",)),)),
        Targets((Target(sex, waves=("w1",), locations=("where_2",)),)),
        Targets((Target(sex, waves=("w2",)),)),
    ]
    told = [rake(survey.path, targets).survey.manifest.weight for targets in rakings]
    begun = "weight, raked to known margins"
    assert told == [f"{begun} in w1 (in part)", f"{begun} in w1", begun]
    provenance = Survey.open(survey.path).manifest.provenance
    kept = [*provenance["raked_before"], provenance["raked"]]
    assert msgspec.convert(kept, list[Targets]) == rakings


UNMET = {
    "a share that nobody has": (
        Target((Margin("age", {"age_1": 1, "age_2": 1}),)),
        r"Age has no share for '35 and over', which \d+ respondents gave in wave w1, wave w2",
    ),
    "unknown question": (Target((Margin("sax", {"a": 1}),)), "There is no question 'sax'"),
    "unknown datapoint": (Target((Margin("sex", {"sex_7": 1}),)), "has no datapoint sex_7"),
    "unknown wave": (Target((Margin("sex", {"sex_1": 1}),), waves=("w9",)), "no wave w9"),
    "unknown location": (
        Target((Margin("sex", {"sex_1": 1}),), locations=("x",)),
        "There is no location x",
    ),
    "a wave twice": (
        Target((Margin("sex", {"sex_1": 1}),), waves=("w1", "w1")),
        "waves: It names the wave w1 twice",
    ),
    "a location twice": (
        Target((Margin("sex", {"sex_1": 1}),), locations=("where_1", "where_1")),
        "locations: It names the location where_1 twice",
    ),
    "not single": (Target((Margin("hot", {"hot_1": 1}),)), "core.hot is multiple"),
    "negative": (Target((Margin("sex", {"sex_1": -1, "sex_2": 2}),)), "at least 0"),
    "a total of nobody": (Target((Margin("sex", {"sex_1": 1}),), total=0), "a number above 0"),
    "a total past all numbers": (
        Target((Margin("sex", {"sex_1": 1, "sex_2": 1}),), total=1e300),
        "to 1e18",
    ),
    "shares past all numbers": (
        Target((Margin("sex", {"sex_1": 1e308, "sex_2": 1e308}),)),
        "must be numbers",
    ),
    "no margin": (Target(()), "at least one margin"),
}


@pytest.mark.parametrize("name", UNMET)
def test_what_cannot_be_met_is_refused_and_the_survey_stays(survey: Survey, name: str) -> None:
    target, message = UNMET[name]
    with pytest.raises(SurveyError, match=message):
        rake(survey.path, Targets((target,)))
    assert Survey.open(survey.path).manifest == survey.manifest


def test_margins_of_nobody_cannot_be_met(tmp_path: Path) -> None:
    # In the first wave nobody tells their sex, and the young weigh nothing; in the second the south
    # weighs nothing.
    rows = MORE.split("\n")[:1] + [
        f"{n},{where},{sex},yes,no,,1,Often,Often,{age},{weight},{wave}"
        for n, (where, sex, age, weight, wave) in enumerate(
            [
                ("north", "", 20, 0, "a"),
                ("south", "", 30, 1, "a"),
                ("north", 1, 20, 1, "b"),
                ("south", 2, 40, 0, "b"),
            ]
        )
    ]
    survey = imported(tmp_path, "\n".join(rows) + "\n")
    sex, age = Margin("sex", {"sex_1": 1}), Margin("age", {"age_1": 1, "age_2": 1})
    for target, message in (
        (Target((age,), waves=("w2",), locations=("where_2",)), "no respondent has a weight"),
        (Target((sex,), waves=("w1",)), "Sex was not asked"),
        (
            Target((age,), waves=("w1",)),
            "Age has a share for 'Under 25', which no respondent gave in wave w1",
        ),
    ):
        with pytest.raises(SurveyError, match=message):
            rake(survey.path, Targets((target,)))
    assert Survey.open(survey.path).manifest == survey.manifest


def test_two_targets_for_the_same_respondents_are_refused(survey: Survey) -> None:
    target = Target((Margin("sex", {"sex_1": 1, "sex_2": 1}),))
    with fails(SurveyError):
        rake(survey.path, Targets((target, target)))


def test_margins_that_contradict_each_other_are_told_apart_from_slow_ones(tmp_path: Path) -> None:
    # All men are young here, and all women old: the two margins say different things of them.
    rows = MORE.split("\n")[:1] + [
        f"{n},north,{sex},yes,no,,1,Often,Often,{age},1,a"
        for n, (sex, age) in enumerate([(1, 20), (1, 20), (2, 40), (2, 40)])
    ]
    survey = imported(tmp_path, "\n".join(rows) + "\n")
    target = Target(
        (Margin("sex", {"sex_1": 50, "sex_2": 50}), Margin("age", {"age_1": 30, "age_3": 70}))
    )
    with fails(SurveyError):
        rake(survey.path, Targets((target,)))


def test_targets_that_say_nothing_are_refused(survey: Survey, tmp_path: Path) -> None:
    with fails(SurveyError):
        rake(survey.path, Targets(()))
    with fails(SurveyError):
        rake(survey.path, Targets((Target((Margin("sex", {"sex_1": 1}),)),), max_weight=1.0))
    with fails(SurveyError):
        rake(survey.path, Targets((Target((Margin("sex", {"sex_1": 1}),)),), max_weight=np.nan))
    with fails(SurveyError):
        load_targets(tmp_path / "none.toml")
    with fails(SurveyError):
        load_targets(tmp_path)
    slip = tmp_path / "slip.toml"
    slip.write_text("[[targets]]\nmargin = 3\n")
    with fails(SurveyError):
        load_targets(slip)
    slip.write_text("targets = " + "[" * 9_000)
    with fails(SurveyError):
        load_targets(slip)


def test_shares_may_be_numbers_of_numpy(tmp_path: Path) -> None:
    survey = imported(tmp_path)
    sex = survey.catalogue.question("sex").datapoints
    shares = {each.code: np.float64(share) for each, share in zip(sex, (40, 60), strict=False)}
    target = Target((Margin("sex", shares),), waves=("w1",))
    raked = rake(tmp_path / "survey", Targets((target,))).survey
    assert raked.manifest.provenance["raked"]["targets"][0]["margins"][0]["shares"] == shares
