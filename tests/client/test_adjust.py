"""A profile adjusted to the composition of its base: figures, surfaces, and what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

import audiencelab as al
from audiencelab import Q
from audiencelab.analysis.adjusted import ADJUSTED_COLUMNS
from audiencelab.client import UnknownCodeError
from audiencelab.survey import Net, NetPoint, derive
from audiencelab.tables import ProfileResult
from tests.client.odd_services import opening
from tests.messages import fails
from tests.render.html_reader import Reader

PEOPLE = 900
AGES = ("young", "middle", "old")


def respondents() -> pd.DataFrame:
    random = np.random.default_rng(3)
    age = random.choice(3, PEOPLE, p=[0.3, 0.4, 0.3])
    sex = random.choice(["f", "m"], PEOPLE)
    fan = random.random(PEOPLE) < np.array([0.5, 0.2, 0.08])[age]
    tea = random.random(PEOPLE) < np.array([0.7, 0.4, 0.2])[age]
    return pd.DataFrame(
        {
            "age": np.array(AGES)[age],
            "sex": sex,
            "fan": np.where(fan, "yes", "no"),
            "tea": np.where(tea, "daily", "never"),
            "milk": random.choice(["yes", "no"], PEOPLE, p=[0.7, 0.3]),
            "paper": np.where(random.random(PEOPLE) < 0.8, random.choice(["a", "b"], PEOPLE), None),
            "region": random.choice(["North", "South"], PEOPLE),
            "w": 0.5 + random.integers(0, 8, PEOPLE) / 4,
        }
    )


FRAME = respondents()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Client]:
    to = tmp_path_factory.mktemp("adjust") / "survey"
    with al.open(FRAME, weight="w", to=to, quiet=True) as client:
        yield client


def fans(client: al.Client, **given: Any) -> ProfileResult:
    asked = {"questions": ["tea", "milk"], "adjust": ["age", "sex"], **given}
    return client.profile(client["fan"] == "yes", **asked)


def lines(result: ProfileResult) -> pd.DataFrame:
    return result.to_frame().set_index(["question_label", "datapoint_label"])


def expected(answer: pd.Series[bool], counted: pd.Series[bool] | None = None) -> dict[str, float]:
    """Adjusted shares and their errors in percent, cell by cell, of respondents drawn alone."""
    frame = FRAME if counted is None else FRAME[counted]
    cell = frame["age"] + frame["sex"]
    composition = frame["w"].groupby(cell).sum() / frame["w"].sum()
    found: dict[str, float] = {}
    for name, side in (("", frame["fan"] == "yes"), ("_rest", frame["fan"] == "no")):
        w, y = frame["w"][side], answer[frame.index][side].astype(float)
        size = w.groupby(cell).sum()
        shares = (w * y).groupby(cell).sum() / size
        scores = w * cell.map(composition / size)[side] * (y - cell.map(shares)[side])
        found[f"adjusted{name}_percentage"] = 100 * float((composition * shares).sum())
        # Squares about their mean, of all respondents: R's svydesign(ids=~1).
        everyone = len(FRAME)
        spread = (scores**2).sum() - scores.sum() ** 2 / everyone
        found[f"adjusted{name}_percentage_se"] = 100 * np.sqrt(spread * everyone / (everyone - 1))
    return found


def test_figures_are_those_of_a_count_by_cell(client: al.Client) -> None:
    frame = lines(fans(client))
    for question, name in (("tea", "daily"), ("milk", "no")):
        line: Any = frame.loc[(question, name)]
        known = expected(FRAME[question] == name)
        assert line[list(known)].to_dict() == pytest.approx(known, rel=1e-9)
        base = line["base_percentage"]
        assert line["adjusted_difference"] == pytest.approx(line["adjusted_percentage"] - base)
        assert line["adjusted_index"] == pytest.approx(100 * line["adjusted_percentage"] / base)
    # The young are more often fans, and drink tea: most of the difference is their age.
    tea: Any = frame.loc[("tea", "daily")]
    assert tea["difference"] > 8
    assert abs(tea["adjusted_difference"]) < 3


def test_differences_are_tested_under_the_share_that_both_have(client: al.Client) -> None:
    frame = fans(client).to_frame().set_index("datapoint_label")
    cell, side = FRAME["age"] + FRAME["sex"], FRAME["fan"]
    composition = FRAME["w"].groupby(cell).sum() / FRAME["w"].sum()
    y = (FRAME["tea"] == "daily").astype(float)
    c = FRAME["w"] * cell.map(composition) / FRAME["w"].groupby([cell, side]).transform("sum")
    weighted = (FRAME["w"] * y).groupby(cell).sum() / FRAME["w"].groupby(cell).sum()
    together = (y - cell.map(weighted)) ** 2
    apart = (FRAME["w"] * y).groupby([cell, side]).transform("sum")
    own = (y - apart / FRAME["w"].groupby([cell, side]).transform("sum")) ** 2
    even = cell.map(
        (FRAME["w"] ** 2 * together).groupby(cell).sum() / (FRAME["w"] ** 2).groupby(cell).sum()
    )
    line: Any = frame.loc["daily"]
    unpooled = (line["adjusted_rest_difference_se"] / 100) ** 2
    effect = unpooled / (c**2 * own).sum()
    pooled = effect * max((c**2 * even).sum(), (c**2 * together).sum() / 2)
    freedom = (side == "yes").sum() - 1
    z = abs(line["adjusted_rest_difference"]) / 100 / np.sqrt(pooled)
    expected = 2 * student.sf(z, freedom)
    assert line["adjusted_p"] == pytest.approx(expected, rel=1e-9)


def test_plain_figures_stay_and_everyone_is_as_the_base(client: al.Client) -> None:
    plain = lines(client.profile(client["fan"] == "yes", ["tea", "milk"]))
    adjusted = lines(fans(client))
    assert tuple(each for each in adjusted if each not in plain) == ADJUSTED_COLUMNS
    pd.testing.assert_frame_equal(adjusted[plain.columns], plain)
    both = client["fan"].isin(["yes", "no"])
    whole = lines(client.profile(both, ["tea"], adjust="age"))
    assert whole["adjusted_index"].to_numpy() == pytest.approx(100)
    assert whole["adjusted_p"].isna().all()


def test_each_row_is_adjusted_among_those_it_counts(client: al.Client) -> None:
    result = fans(client, questions="paper", base_of="valid")
    line: Any = lines(result).loc[("paper", "a")]
    known = expected(FRAME["paper"] == "a", FRAME["paper"].notna())
    assert line[list(known)].to_dict() == pytest.approx(known, rel=1e-9)


def test_a_question_may_be_derived_or_an_object(client: al.Client, tmp_path: Path) -> None:
    by_name = fans(client, adjust="age").to_frame()
    by_object = fans(client, adjust=[client["age"]]).to_frame()
    by_code = fans(client, adjust=[client["age"].code, "age"]).to_frame()
    for found in (by_object, by_code):
        pd.testing.assert_frame_equal(found, by_name)
    assert client.service is not None
    age = client["age"]
    young = NetPoint(name="under", any=age["young"].datapoints)
    net = Net(code="group", name="Age group", question=age.code, datapoints=(young,), rest="over")
    derived = derive(client.service.survey, net, out=tmp_path / "derived")
    with al.connect(survey=derived) as other:
        result = fans(other, adjust="Age group")
    assert result.adjustment is not None
    assert result.adjustment.cells == 2


def test_rankings_and_tests_take_adjusted_shares(client: al.Client) -> None:
    result = fans(client, questions=["tea", "milk", "region"])
    ranked = result.ranked(limit=6)
    assert ranked["adjusted_index"].sub(100).abs().is_monotonic_decreasing
    assert "composition by age × sex (6 cells)" in ranked.attrs["method_note"]
    by_question = result.by_question().set_index("question_label")
    adjusted = lines(result)["adjusted_difference"]
    assert by_question.loc["tea", "largest_difference"] == pytest.approx(
        float(adjusted["tea"].abs().max()), abs=1e-9
    )
    plain = client.profile(client["fan"] == "yes", ["tea", "milk", "region"])
    assert "tea" in plain.standouts()["question_label"].tolist()
    none = result.standouts()
    assert none.empty
    assert list(none) == list(plain.standouts())
    every = result.standouts(correction="none", level=0.51)
    assert every["at_least"].is_monotonic_decreasing
    assert every["statement"].str.contains("of fan is yes").all()
    assert "no correction over 6 tests" in every.attrs["method_note"]
    with fails(ValueError):
        result.standouts(design=1.5)


def test_what_is_written_says_what_it_is_adjusted_for(client: al.Client) -> None:
    result = fans(client, questions=["tea", "milk"])
    assert repr(result).endswith(", adjusted for age × sex>")
    shown = Reader(result._repr_html_())
    assert "Adjusted index" in shown.text
    assert "adjusted for age × sex" in shown.text
    assert shown.open == []
    spec = str(result.chart.profile().to_dict())
    assert "Adjusted to the base's age × sex" in spec
    assert "Adjusted to the base's age × sex" in str(result.chart.bubble().to_dict())
    index = lines(result).loc[("tea", "daily"), "adjusted_index"]
    assert repr(float(index)) in spec


@pytest.mark.parametrize("way", ["HTTP", "snapshot", "pickle"])
def test_figures_are_the_same_wherever_a_survey_is_reached(
    way: str, client: al.Client, tmp_path: Path
) -> None:
    known = fans(client).to_frame()
    assert client.service is not None
    if way == "HTTP":
        with al.serve(client.service.survey) as url, al.connect(url) as other:
            found = fans(other).to_frame()
    elif way == "snapshot":
        with client.recording(tmp_path / "fans.jsonl"):
            fans(client)
        with al.connect(snapshot=tmp_path / "fans.jsonl") as other:
            found = fans(other).to_frame()
    else:
        found = pickle.loads(pickle.dumps(fans(client))).to_frame()
    pd.testing.assert_frame_equal(found, known, check_exact=True)


def test_a_foreign_service_is_refused_before_figures_are_asked_for() -> None:
    asked: list[str] = []
    points = [{"code": "q2_1", "name": "Male"}, {"code": "q2_2", "name": "Female"}]
    gender = {"code": "q2", "namespace_code": "core", "name": "Gender", "datapoints": points}

    def answer(path: str, _: Any) -> Any:
        asked.append(path)
        return {"questions": [gender | {"accessible": True}]}

    with (
        opening() as odd,
        fails(LookupError),
    ):
        odd(answer).profile(Q("q2").any("q2_1"), adjust="Gender")
    assert {path.partition("?")[0] for path in asked} == {"/v3/questions/filter"}


def test_small_cells_are_withheld(client: al.Client) -> None:
    assert client.service is not None
    known = lines(fans(client, adjust="sex"))
    with (
        al.serve(client.service.survey, minimum_base=20) as url,
        al.connect(url) as other,
    ):
        shown = lines(fans(other, adjust="sex"))
        few = lines(fans(other, adjust=["age", "sex"]))
    column = "adjusted_percentage"
    assert shown[column].to_numpy() == pytest.approx(known[column].to_numpy())
    # Old fans are few in both sexes, though fans who drink tea are many.
    assert few[column].isna().all()
    assert few["audience_percentage"].notna().all()


def test_compositions_that_an_audience_does_not_have_are_refused(client: al.Client) -> None:
    young = client["age"] == "young"
    with fails(ValueError):
        client.profile(young, "tea", adjust=["age", "sex"])
    with fails(ValueError):
        client.profile(young, "tea", adjust="age")
    assert lines(client.profile(young, "tea", adjust=["sex"]))["adjusted_index"].notna().all()


def test_one_of_two_questions_is_named_where_they_do_not_do_together(tmp_path: Path) -> None:
    paired = (FRAME["tea"] == "daily") == (FRAME["milk"] == "yes")
    frame = FRAME.assign(pair=np.where(paired, "yes", "no"))
    with (
        al.open(frame, weight="w", to=tmp_path / "survey", quiet=True) as client,
        fails(ValueError),
    ):
        client.profile(client["pair"] == "yes", "region", adjust=["tea", "milk"])


def test_a_few_empty_cells_are_left_out_and_counted(tmp_path: Path) -> None:
    rare = FRAME.assign(age=FRAME["age"].where(FRAME.index % 40 > 0, "oldest"))
    rare.loc[rare["age"] == "oldest", "fan"] = "no"
    with al.open(rare, weight="w", to=tmp_path / "survey", quiet=True) as client:
        result = fans(client, adjust=["age"])
    assert result.adjustment is not None
    part = 100 * rare["w"][rare["age"] == "oldest"].sum() / rare["w"].sum()
    note = f"4 cells; 1 without the audience, {part:.1f}% of the base, left out"
    assert note in result.to_frame().attrs["method_note"]


def test_answers_that_are_missing_are_counted_or_refused(client: al.Client, tmp_path: Path) -> None:
    with fails(ValueError):
        fans(client, adjust="paper")
    base = client["paper"].any()
    assert fans(client, adjust="paper", base_audience=base).to_frame()["adjusted_p"].notna().all()
    few = FRAME.assign(age=FRAME["age"].where(FRAME.index % 50 > 0, None))
    with al.open(few, weight="w", to=tmp_path / "survey", quiet=True) as other:
        note = fans(other, adjust="age").to_frame().attrs["method_note"]
    assert "no answer to age is an answer of its own" in note


def test_other_questions_are_refused_with_what_to_write() -> None:
    with al.connect() as demo:
        cats = demo["Pets"] == "Cat"
        with fails(ValueError):
            demo.profile(cats, "Sleep", adjust=["Age", "Pets"])
        with fails(UnknownCodeError):
            demo.profile(cats, "Sleep", adjust=["Nope"])
        with fails(TypeError):
            demo.profile(cats, "Sleep", adjust=[3])  # pyright: ignore[reportArgumentType]


def test_tables_say_what_is_not_adjusted_and_what_of_grids_is_counted(client: al.Client) -> None:
    adjusted = fans(client, adjust=["age"])
    assert "those adjusted for age are in profile." in adjusted.to_markdown()
    said = client.profile(client["fan"] == "yes", ["age", "tea"], adjust=["sex"]).standouts()
    assert not said.empty
    assert said["statement"].str.endswith(", adjusted for sex").all()
    assert "adjusted" not in client.profile(client["fan"] == "yes", "tea").to_markdown()
    with al.connect() as demo:
        grid = demo.profile(demo["Pets"] == "Cat", "Trust in sources")
        note = "Of Trust in sources each item counts with any point of its scale"
        assert note in grid.to_markdown()
        assert note in grid._repr_html_()
