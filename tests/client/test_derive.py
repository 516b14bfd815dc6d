"""Questions of groups: the figures of their expressions in every wave, and errors."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.client.errors import UnknownCodeError
from audiencelab.expressions import Expression
from audiencelab.ingest import add_wave, draft_codebook
from audiencelab.survey import Grouping, GroupPoint, Net, Survey, SurveyError, check_survey, derive
from tests.messages import fails

RNG = np.random.default_rng(5)


def frame(rows: int = 300, wave: int = 1) -> pd.DataFrame:
    """Respondents with ages, a set, a grid, and a question that users alone were asked."""
    users = RNG.random(rows) < 0.6
    made = pd.DataFrame(
        {
            "wave": wave,
            "age": RNG.integers(16, 80, rows).astype(np.float64),
            "status": RNG.choice(["Single", "Married"], rows),
            "sex": RNG.choice(["f", "m"], rows),
            "use": np.where(users, "yes", "no"),
            **{f"b_{n}": RNG.integers(0, 2, rows).astype(np.float64) for n in (1, 2, 3)},
            "how": RNG.choice(["Never", "Rarely", "Often"], rows),
            "w": RNG.uniform(0.5, 2, rows).round(3),
        }
    )
    for name in ("age", "status"):
        made[name] = made[name].mask(pd.Series(RNG.random(rows) < 0.1))
    for name in ("b_1", "b_2", "b_3", "how"):
        made[name] = made[name].mask(pd.Series(~users))
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("derive")
    both = pd.concat([frame(), frame(wave=2).assign(how=None)])
    al.open(both, weight="w", wave="wave", to=found / "survey", quiet=True)
    return found / "survey"


@pytest.fixture
def client(folder: Path, tmp_path: Path) -> al.Client:
    """A client of a copy, so that a test may change it."""
    derive(Survey.open(folder), out=tmp_path / "own")
    return al.open(tmp_path / "own", quiet=True)


def some(client: al.Client, choose: random.Random, depth: int = 2) -> Expression:
    """A random expression."""
    if depth and choose.random() < 0.7:
        one, other = (some(client, choose, depth - 1) for _ in range(2))
        found = one & other if choose.random() < 0.5 else one | other
    else:
        brands = client["b"]
        found = choose.choice(
            [
                client["age"].between(choose.randint(16, 30), choose.randint(40, 80)),
                client["status"] == "Single",
                client["sex"] == "f",
                brands.at_least(choose.randint(1, 3)),
                brands.any("b_1", "b_3"),
                client["how"].isin(["Rarely", "Often"]),
                client["use"] == "yes",
                al.Q("waves").any(client.waves()[0].code),
            ]
        )
    return ~found if choose.random() < 0.3 else found


def test_a_group_has_the_figures_of_its_expression(client: al.Client) -> None:
    choose = random.Random(3)
    groups: dict[str, Expression] = {}
    while len(groups) < 30:
        # Waves alone make no group.
        groups[f"g{len(groups)}"] = some(client, choose) | (client["sex"] == "m")
        groups[f"g{len(groups)}"] = some(client, choose) & (client["use"] == "yes")
    client.derive("Many", groups, code="many")
    audiences = [each.named(name) for name, each in groups.items()]
    for waves in ("all", client.waves()[0].code, client.waves()[1].code):
        scope: dict[str, Any] = {"columns": "sex", "waves": waves}
        own = client.crosstab("many", **scope)
        direct = client.crosstab(audiences, **scope)
        for metric in ("column", "sample", "size", "row"):
            np.testing.assert_array_equal(
                own.to_wide(metric).to_numpy(), direct.to_wide(metric).to_numpy(), metric
            )
    assert check_survey(client.service.survey).sound


def test_counted_by_hand(tmp_path: Path) -> None:
    rows = frame(400)
    client = al.open(rows, weight="w", to=tmp_path / "s", quiet=True)
    young = (client["age"] <= 34) & (client["status"] == "Single")
    old = client["age"] >= 65
    assert client.derive("Life stage", {"Young single": young, "65+": old, "Other": ...}) is client
    question = client.catalogue["Life stage"]
    assert [each.name for each in question.datapoints] == ["Young single", "65+", "Other"]
    age, status, w = rows["age"], rows["status"], rows["w"]
    # Of whom both are known, and who is not young for sure, whatever the status is: one base.
    both = age.notna() & status.notna()
    is_young, is_old = both & (age <= 34) & (status == "Single"), age >= 65
    base = both | (age > 34)
    rest = base & ~is_young & ~is_old
    shares = client.crosstab("Life stage").to_wide("column")["All"].tolist()
    expected = [100 * w[each].sum() / w[base].sum() for each in (is_young, is_old, rest)]
    assert shares == pytest.approx(expected)
    assert sum(shares) == pytest.approx(100)
    survey = client.service.survey
    assert survey.catalogue.question("Life_stage").kind == "single"
    assert "Young single = age is at most 34, and status is Single" in (
        survey.catalogue.question("Life_stage").knowledge_base
    )


def test_groups_of_a_routed_question_have_the_base_of_all(client: al.Client) -> None:
    user = client["use"] == "yes"
    often = user & (client["how"] == "Often")
    others = user & (client["how"] != "Often")
    client.derive("Usage", {"Often": often, "Less": others, "No": client["use"] == "no"})
    first = client.waves()[0].code
    table = client.crosstab("Usage", waves=first)
    assert sum(table.to_wide("column")["All"]) == pytest.approx(100)
    assert sum(table.to_wide("sample")["All"]) == 300
    assert check_survey(client.service.survey).sound


def test_nobody_is_asked_what_a_group_does_not_need(tmp_path: Path) -> None:
    rows = 400
    data = pd.DataFrame({"age": RNG.choice(["young", "old"], rows), "use": RNG.random(rows) < 0.5})
    data["how"] = RNG.choice(["often", "rarely"], rows)
    data["how"] = data["how"].where(data["use"])
    client = al.open(data.drop(columns="use"), to=tmp_path / "s", quiet=True)
    young_often = (client["how"] == "often") & (client["age"] == "young")
    client.derive("Who", {"Young": young_often, "Others": ...})
    # Who is old is not young, also where nobody asked how often they drink.
    known = (data["age"] == "old") | data["use"]
    young = int(((data["age"] == "young") & (data["how"] == "often")).sum())
    table = client.crosstab("Who")
    assert table.to_wide("sample")["All"].tolist() == [young, int(known.sum()) - young]
    assert table.to_wide("column")["All"].tolist()[0] == pytest.approx(100 * young / known.sum())


def test_two_numbers_are_no_range(client: al.Client) -> None:
    with fails(ValueError):
        client.derive("Ages", {"Young": (16, 40)}, of="age")


def test_a_later_wave_has_the_groups_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame().to_csv(tmp_path / "one.csv", index=False)
    late = frame(wave=2)
    late.to_csv(tmp_path / "two.csv", index=False)
    client = al.open(tmp_path / "one.csv", weight="w", wave="wave", to=tmp_path / "s", quiet=True)
    groups = {
        "Young": client["age"] <= 34,
        "Users": (client["use"] == "yes") & (client["age"] > 34),
    }
    client.derive("Who", groups)
    kinds = [client.service.survey.catalogue.question("Who").kind]
    assert not capsys.readouterr().out
    book = draft_codebook(tmp_path / "two.csv", weight="w", wave="wave").codebook
    survey = add_wave(tmp_path / "s", [tmp_path / "two.csv"], book).survey
    wave = survey.waves[-1].code
    got = client.crosstab("Who", waves=wave).to_wide("sample")["All"].tolist()
    age = late["age"]
    assert got == [(age <= 34).sum(), ((age > 34) & (late["use"] == "yes")).sum()]
    # A definition whose groups share respondents is of several answers from then on.
    client.derive("Who", {"Young": client["age"] <= 34, "Users": client["use"] == "yes"})
    kinds.append(client.service.survey.catalogue.question("Who").kind)
    assert kinds == ["single", "multiple"]
    assert "respondents in Young and in Users" in capsys.readouterr().out


def test_answers_of_one_question_are_a_net(client: al.Client) -> None:
    client.derive("Often", {"At least rarely": ["Rarely", "Often"], "Rest": ...}, of="how")
    [definition] = client.service.survey.derived
    assert isinstance(definition, Net)
    first = client.waves()[0].code
    assert client.crosstab("Often", waves=first).to_wide("sample").shape == (2, 1)
    client.derive("Mixed", {"Often": ["Often"], "Young": client["age"] < 30}, of="how")
    assert isinstance(client.service.survey.derived[-1], Grouping)


def test_the_same_definition_again_changes_nothing(client: al.Client) -> None:
    groups = {"f": client["sex"] == "f", "Rest": ...}
    client.derive("Women", groups)
    before = client.service.survey
    client.derive("Women", groups)
    assert client.service.survey is before
    client.derive("Women", {"f": client["sex"] == "f"})
    client.derive("Women", groups)
    assert len(client.catalogue["Women"].datapoints) == 2
    assert len(client.service.survey.derived) == 1


def test_groups_keep_their_codes_by_their_names(client: al.Client) -> None:
    women, men = client["sex"] == "f", client["sex"] == "m"
    client.derive("Both", {"Women": women, "Men": men})
    audience = (client["Both"] == "Women").named("Women")
    before = client.crosstab([audience]).to_wide("sample").to_numpy().tolist()
    client.derive("Both", {"Men": men, "Women": women, "Women too": women})
    assert client.crosstab([audience]).to_wide("sample").to_numpy().tolist() == before
    assert len({each.code for each in client.catalogue["Both"].datapoints}) == 3


def test_a_copy_in_the_cache_and_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    frame().to_csv(tmp_path / "one.csv", index=False)
    client = al.open(tmp_path / "one.csv", quiet=True)
    client.derive("Women", {"f": client["sex"] == "f", "Rest": ...})
    again = al.open(tmp_path / "one.csv", quiet=True)
    assert "Women" not in [each.name for each in again.catalogue]
    code = client.to_code()
    assert ".derive('Women', {'f': al.Q('sex').any('sex_1'), 'Rest': ...})" in code
    made = eval(code, {"al": al})
    assert made.service.survey.seal == client.service.survey.seal


def test_what_a_group_uses_cannot_be_edited_away(client: al.Client) -> None:
    client.derive("Single", {"Single": client["status"] == "Single"})
    with fails(SurveyError):
        client.edit("status", not_asked=["Single"])
    client.edit("sex", labels={"f": "Female"})


def test_groups_that_are_not_valid_change_nothing(client: al.Client) -> None:
    before = client.service.survey.seal
    young = client["age"] <= 34
    with fails(SurveyError):
        client.derive("age", {"Young": young})
    with fails(SurveyError):
        client.derive("Age", {"Young": young}, code="sex")
    with fails(UnknownCodeError):
        client.derive("Use", {"Yes": ["ja"]}, of="use")
    with fails(UnknownCodeError):
        client.derive("Use", {"Yes": ["yes"]}, of="usage")
    with fails(ValueError):
        client.derive("Use", {"Yes": ["yes"]})
    with fails(ValueError):
        client.derive("Use", {})
    with fails(ValueError):
        client.derive("Use", {"A": young, "B": ..., "C": ...})
    with fails(ValueError):
        client.derive("", {"A": young})
    with fails(ValueError):
        client.derive("Use", {"A": al.Audience("All")})
    with fails(TypeError):
        client.derive("Use", [young])  # type: ignore[arg-type] -- a first guess
    with fails(TypeError):
        client.derive("Use", {"A": None})  # type: ignore[dict-item] -- a first guess
    with fails(SurveyError):
        client.derive("Sex", {"A": al.Q("sex").between(1, 2)})
    with fails(SurveyError):
        client.derive("Sex", {"A": al.Q("sex").any("sex_7"), "B": al.Q("waves").any("1")})
    assert client.service.survey.seal == before


def test_a_definition_of_a_file_and_its_errors(folder: Path, tmp_path: Path) -> None:
    group = GroupPoint("Women", {"question": "sex", "datapoints": ["sex_1"]}, midpoint=1.0)
    survey = derive(
        Survey.open(folder), Grouping(code="g", name="G", datapoints=(group,)), out=tmp_path / "new"
    )
    assert survey.catalogue.question("g").datapoints[0].midpoint is not None
    with pytest.raises(ValueError, match="must be an object"):
        GroupPoint("Women", {"and": ["sex"]})


def test_a_remote_survey_is_not_changed(client: al.Client) -> None:
    client.close()
    with pytest.raises(RuntimeError):
        client.derive("Women", {"f": al.Q("sex").any("sex_1")})


def test_groups_named_by_numbers_have_these_for_means(tmp_path: Path) -> None:
    made = pd.DataFrame({f"b_{n}": RNG.integers(0, 2, 90) for n in (1, 2, 3)})
    client = al.open(made, to=tmp_path / "counts", quiet=True)
    brands = client["b"]
    counts: dict[str, Any] = {
        str(n): brands.at_least(n) & ~brands.at_least(n + 1) for n in (1, 2)
    } | {"3": brands.at_least(3)}
    client.derive("Known", {"0": ~brands.at_least(1), **counts})
    by_hand = made[["b_1", "b_2", "b_3"]].sum(axis=1).mean()
    assert client.mean("Known").value == pytest.approx(by_hand)
    # All others are not known to be none; what is proposed is what the names say.
    client.derive("Others", {"0": ..., **counts})
    with fails(ValueError):
        client.mean("Others")
