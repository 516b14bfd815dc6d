"""Design effects from respondents against R's `survey` 4.1: nothing is given but the data.

Two surveys: the masculinity survey, of weights alone; and every eighth respondent of the Household
Pulse Survey, 24,762 people of four waves, drawn in four ways. Its states are strata; its clusters
were made up (six a state and wave, a single one in Wyoming), for it has none.

    d <- every eighth row of each week's file, from the first; number: its row, from 0
    d$cluster <- ifelse(d$EST_ST == 56, 0, (d$number / 8 * 7919) %% 101 %% 6)
    d$stratum <- paste(d$WEEK, d$EST_ST); d$psu <- paste(d$stratum, d$cluster)
    d$y <- d$EXPNS_DIF == 4; d$one <- 1
    d$south <- d$REGION == 2; d$west <- d$REGION == 4
    d$young <- d$TBIRTH_YEAR >= 1988; d$hispanic <- d$RHISPANIC == 2
    options(survey.lonely.psu="adjust")
    none     <- svydesign(ids=~1,   strata=~WEEK,    weights=~PWEIGHT, data=d)
    strata   <- svydesign(ids=~1,   strata=~stratum, weights=~PWEIGHT, data=d)
    clusters <- svydesign(ids=~psu, strata=~WEEK,    weights=~PWEIGHT, data=d)
    both     <- svydesign(ids=~psu, strata=~stratum, weights=~PWEIGHT, data=d)
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("scipy", reason="tests and intervals need scipy")

from audiencelab import Audience, Client, Q, connect
from audiencelab.frames import CrosstabResult
from audiencelab.panel import Answers, Catalogue, Panel, PanelBuilder, PanelQuestion, Wave
from audiencelab.panel.design import Design
from audiencelab.wire import Datapoint
from tests.oracle.asking import Asker
from tests.surveys.data import HPS
from tests.surveys.hps import SOURCES, WAVES

COLUMNS = ("south", "west", "young", "hispanic")


class Drawn(NamedTuple):
    """What R tells of one way of drawing, in the order of the columns where there are several.

    freedom: degf(design). errors: SE(svymean(~y, subset(design, column == 1))).
    With t <- svytotal(~one + y + …, design), ya <- y * a, and so on:
    young_hispanic, south_young: SE(svycontrast(t, quote(ya / a - yb / b))), and p of the first:
        2 * pt(-abs(coef / SE), degf(design)).
    young_rest: SE(svycontrast(t, quote(ya / a - (y - ya) / (one - a)))).
    log_index: SE(svycontrast(t, quote(log(ya * one / (a * y))))), of young and south.
    women: SE(svymean(~y, subset(design, EGENID_BIRTH == 2 & young == 1))); women_freedom:
        degf(subset(design, EGENID_BIRTH == 2)).
    weeks: SE(svyby(~y, ~WEEK, design, svymean)); last: 2 * pt(…) of week 50 less week 49.
    young: attr(svyciprop(~y, subset(design, young == 1), method="logit", df=degf(design)), "ci").
    """

    freedom: int
    errors: tuple[float, ...]
    young_hispanic: float
    p: float
    south_young: float
    young_rest: float
    log_index: tuple[float, float]
    women: float
    weeks: tuple[float, ...]
    last: float
    young: tuple[float, float]
    women_freedom: int


R = {
    "none": Drawn(
        24758,
        (0.00881261365592, 0.0128254966983, 0.0124869979076, 0.0197606169423),
        0.0173030848950,
        0.00576539797495,
        0.01245831309556,
        0.0138266692161,
        (0.0535909890176, 0.0378229327505),
        0.0148409271496,
        (0.0106420786656, 0.0116720398938, 0.0099068442320, 0.0115094454960),
        0.3113179097765,
        (0.164087071790, 0.213055627264),
        14062,
    ),
    "strata": Drawn(
        24558,
        (0.00881137176166, 0.0128284533656, 0.0124878368015, 0.0197690791642),
        0.0173105019198,
        0.00578634491752,
        0.01245940292595,
        0.0138318611705,
        (0.0536131195781, 0.0378149599210),
        0.0148394045102,
        (0.01062832528070, 0.01167724690312, 0.00989864137766, 0.01151907616766),
        0.3113802116285,
        (0.164085581636, 0.213057448792),
        13862,
    ),
    "clusters": Drawn(
        1200,
        (0.00851268074496, 0.0116536455613, 0.0124974689223, 0.0188431529091),
        0.0160748893993,
        0.00301731799514,
        0.01226802900195,
        0.0141124605141,
        (0.0547306343169, 0.0365219504176),
        0.0151605664644,
        (0.0103650668742, 0.0103942779823, 0.0107366910205, 0.0108267124034),
        0.3134770669415,
        (0.164047383521, 0.213104149641),
        1199,
    ),
    "both": Drawn(
        1000,
        (0.00849256935847, 0.0119216571371, 0.0127471695494, 0.0192061321842),
        0.0163347104932,
        0.00352504958182,
        0.01242409962694,
        0.0145131827887,
        (0.0562974680303, 0.0364647388745),
        0.0151876475456,
        (0.00981337834677, 0.01033298294650, 0.01095130278107, 0.01122570368776),
        0.3271210364513,
        (0.163602043319, 0.213649818808),
        999,
    ),
}

# options(survey.lonely.psu="certainty"): SE(svymean(~y, subset(both, west == 1)))
WEST_WITH_CERTAINTY = 0.0119214675954


@pytest.fixture(scope="module")
def people() -> list[pd.DataFrame]:
    """Every eighth respondent, by week."""
    if not HPS.is_dir():
        pytest.skip(f"the survey data are not at {HPS}")
    columns = ["PWEIGHT", "EST_ST", "REGION", "TBIRTH_YEAR", "RHISPANIC"]
    columns += ["EGENID_BIRTH", "EXPNS_DIF"]
    weeks = [pd.read_parquet(source, columns=columns)[::8] for source in SOURCES]
    return [week.reset_index(drop=True) for week in weeks]


@pytest.fixture(scope="module", params=R)
def drawn(
    request: pytest.FixtureRequest,
    people: list[pd.DataFrame],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Client, Drawn]]:
    folder = tmp_path_factory.mktemp("drawn") / request.param
    catalogue = Catalogue(
        questions=tuple(map(_question, QUESTIONS)), location_question="core.where"
    )
    with PanelBuilder(folder, catalogue) as builder:
        for week, (code, name, _, starts, ends) in zip(people, WAVES, strict=True):
            wave = Wave(code, name, date.fromisoformat(starts), date.fromisoformat(ends), True)
            answers = {
                "where": Answers(week["REGION"].to_numpy() - 1),
                "flags": Answers(_flags(week)),
            }
            weights = week["PWEIGHT"].to_numpy()
            builder.add_wave(wave, weights, answers, _design(week, request.param))
        panel = builder.finish()
    with connect(panel=panel) as client:
        yield client, R[request.param]


QUESTIONS = {
    "where": ("single", ("Northeast", "South", "Midwest", "West")),
    "flags": ("multiple", ("y", *COLUMNS, "women")),
}


def _question(code: str) -> PanelQuestion:
    kind, names = QUESTIONS[code]
    points = tuple(Datapoint(code=f"{code}_{name.lower()}", name=name) for name in names)
    return PanelQuestion(
        namespace_code="core", code=code, name=code, kind=kind, datapoints=points, suffixes=()
    )


def _flags(week: pd.DataFrame) -> np.ndarray:
    return np.stack(
        [
            week["EXPNS_DIF"] == 4,
            week["REGION"] == 2,
            week["REGION"] == 4,
            week["TBIRTH_YEAR"] >= 1988,
            week["RHISPANIC"] == 2,
            week["EGENID_BIRTH"] == 2,
        ],
        axis=1,
    )


def _design(week: pd.DataFrame, drawn: str) -> Design:
    state = week["EST_ST"].to_numpy()
    within = np.where(state == 56, 0, np.arange(len(week)) * 7919 % 101 % 6)
    return Design(
        strata=state if drawn in ("strata", "both") else None,
        clusters=10 * state + within if drawn in ("clusters", "both") else None,
    )


def flag(name: str) -> Audience:
    return Audience(name, Q("flags").any(f"flags_{name}"))


def table(client: Client, base: Audience | None = None) -> CrosstabResult:
    return client.crosstab(
        rows=[flag("y")], columns=[flag(name) for name in COLUMNS], base_audience=base
    )


def test_standard_errors_and_degrees_of_freedom_are_rs(drawn: tuple[Client, Drawn]) -> None:
    client, expected = drawn
    effects = client.design_effects(table(client))
    assert effects.degrees_of_freedom == expected.freedom
    assert effects.standard_errors[0] / 100 == pytest.approx(expected.errors, rel=1e-7)


def test_intervals_are_those_of_svyciprop(drawn: tuple[Client, Drawn]) -> None:
    client, expected = drawn
    result = table(client)
    frame = result.intervals(method="logit", design_effect=client.design_effects(result))
    young = frame.iloc[COLUMNS.index("young")]
    ends = [young[f"column_percentage_{end}"] / 100 for end in ("low", "high")]
    assert ends == pytest.approx(expected.young, rel=1e-7)
    assert frame["column_percentage_se"].to_numpy() / 100 == pytest.approx(
        expected.errors, rel=1e-7
    )


def test_indices_have_the_error_of_svycontrast(drawn: tuple[Client, Drawn]) -> None:
    client, expected = drawn
    result = table(client)
    frame = result.intervals(design_effect=client.design_effects(result))
    errors = (frame["index_se"] / frame["index"]).to_numpy()
    assert (errors[2], errors[0]) == pytest.approx(expected.log_index, rel=1e-7)


def test_columns_that_share_respondents_and_clusters_differ_as_in_r(
    drawn: tuple[Client, Drawn],
) -> None:
    client, expected = drawn
    result = table(client)
    comparison = result.compare_columns(design_effect=client.design_effects(result))
    tests = comparison.to_frame().set_index(["column", "other"])
    both = tests.loc[("young", "hispanic")]
    assert both["standard_error"] / 100 == pytest.approx(expected.young_hispanic, rel=1e-7)
    assert both["p"] == pytest.approx(expected.p, rel=1e-6)
    assert tests.loc[("south", "young")]["standard_error"] / 100 == pytest.approx(
        expected.south_young, rel=1e-7
    )
    assert "respondents and clusters in both columns accounted for" in comparison.recipe


def test_a_column_differs_from_its_rest_as_in_r(drawn: tuple[Client, Drawn]) -> None:
    client, expected = drawn
    result = table(client)
    comparison = result.compare_to_rest(design_effect=client.design_effects(result))
    young = comparison.to_frame().set_index("column").loc["young"]
    assert young["standard_error"] / 100 == pytest.approx(expected.young_rest, rel=1e-7)


def test_a_base_is_a_part_of_the_sample_and_not_a_sample(drawn: tuple[Client, Drawn]) -> None:
    """All clusters count in a variance; in its degrees of freedom those with somebody inside."""
    client, expected = drawn
    effects = client.design_effects(table(client, base=flag("women")))
    assert effects.standard_errors[0, 2] / 100 == pytest.approx(expected.women, rel=1e-7)
    assert effects.degrees_of_freedom == expected.women_freedom


def test_waves_have_their_own_errors_and_differ_as_in_r(drawn: tuple[Client, Drawn]) -> None:
    client, expected = drawn
    trend = client.stats("flags", datapoints=["flags_y"], splitter="waves")
    effects = client.design_effects(trend)
    frame = trend.intervals(design_effect=effects)
    errors = frame["audience_percentage_se"].to_numpy() / 100
    assert errors == pytest.approx(expected.weeks, rel=1e-7)
    waves = trend.compare_waves(design_effect=effects, degrees_of_freedom=expected.freedom)
    assert waves.to_frame()["p"].iloc[-1] == pytest.approx(expected.last, rel=1e-6)


@pytest.mark.parametrize("drawn", ["both"], indirect=True)
def test_a_lonely_cluster_may_be_taken_for_certain(drawn: tuple[Client, Drawn]) -> None:
    client, _ = drawn
    result = table(client)
    effects = client.design_effects(result, lonely="certainty")
    assert effects.standard_errors[0, 1] / 100 == pytest.approx(WEST_WITH_CERTAINTY, rel=1e-7)
    assert "4 lonely clusters taken for certain" in effects.recipe


class TestMasculinity:
    """R's figures of `tests/oracle/test_significance.py`, from data alone."""

    ERRORS = (0.0476757442832, 0.0267878335530, 0.0282244270088)
    LOG_INDEX_ERRORS = (0.131721987194, 0.0489467128814, 0.0821613699689)

    # summary(svyglm(y ~ age3, design)): of 1,612 degrees of freedom, for it has three terms
    P = 0.0228496014491

    # tapply(d$weight, d$age3, function(w) sum(w)^2 / sum(w^2))
    KISH = (85.5997887362, 349.5263711148, 275.0362766259)

    @pytest.fixture
    def client(self, masculinity_panel: Panel) -> Iterator[Client]:
        with connect(panel=masculinity_panel) as client:
            yield client

    @pytest.fixture
    def result(self, client: Client, masculinity_panel: Panel) -> CrosstabResult:
        asker = Asker(masculinity_panel)
        question = masculinity_panel.catalogue.question

        def audience(code: str, name: str) -> Audience:
            return Audience(name, Q(code).any(asker.datapoint(question(code), name)))

        ages = [audience("age3", name) for name in ("18 - 34", "35 - 64", "65 and up")]
        return client.crosstab(rows=[audience("q0001", "Very masculine")], columns=ages)

    def test_errors_of_shares_and_indices(self, client: Client, result: CrosstabResult) -> None:
        effects = client.design_effects(result)
        assert effects.standard_errors[0] / 100 == pytest.approx(self.ERRORS, rel=1e-8)
        frame = result.intervals(design_effect=effects)
        assert (frame["index_se"] / frame["index"]).tolist() == pytest.approx(
            self.LOG_INDEX_ERRORS, rel=1e-8
        )

    def test_the_design_based_t_test(self, client: Client, result: CrosstabResult) -> None:
        effects = client.design_effects(result)
        assert effects.degrees_of_freedom == 1614
        first = result.compare_columns(design_effect=effects).to_frame().iloc[0]
        assert first["p"] == pytest.approx(self.P, rel=1e-4)
        as_svyglm = result.compare_columns(design_effect=effects, degrees_of_freedom=1612)
        assert as_svyglm.to_frame().iloc[0]["p"] == pytest.approx(self.P, rel=1e-9)

    def test_kishs_effective_bases(self, client: Client, result: CrosstabResult) -> None:
        effects = client.design_effects(result, method="kish")
        assert effects.to_frame()["base"].tolist() == pytest.approx(self.KISH, rel=1e-8)
        assert effects.degrees_of_freedom is None
