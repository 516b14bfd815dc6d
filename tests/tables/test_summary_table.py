"""The summary table: figures counted with pandas, tests computed again from their formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from openpyxl import load_workbook
from scipy import stats

import audiencelab as al
from audiencelab.client import Client
from audiencelab.tables import SummaryTable
from tests.first_hour import tracker
from tests.messages import fails

Floats = NDArray[np.float64]
Influence = Callable[[pd.DataFrame], Floats]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    path = tracker.write(tmp_path_factory.mktemp("tracker"))
    with al.open(path, weight="weight", clusters="psu", quiet=True) as client:
        yield client


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return tracker.frame()


@pytest.fixture(scope="module")
def by_gender(client: Client) -> SummaryTable:
    return client.summary_table(by="gender")


def line(table: SummaryTable, code: str, group: str, answer: str = "", item: str = "") -> Any:
    columns = {"question": code, "group": group, "answer": answer, "item": item}
    lines: Any = table.to_frame().to_dict("records")
    [found] = (each for each in lines if columns.items() <= each.items())
    return found


# -- figures --------------------------------------------------------------------------------------


def test_numbers_have_the_mean_and_deviation_of_those_who_gave_one(
    by_gender: SummaryTable, people: pd.DataFrame
) -> None:
    for group, some in (("Overall", people), ("Female", people[people["gender"] == 2])):
        known = some[some["age"].notna()]
        mean = np.average(known["age"], weights=known["weight"])
        spread = np.average((known["age"] - mean) ** 2, weights=known["weight"])
        svyvar = spread * len(known) / (len(known) - 1)
        found = line(by_gender, "age", group)
        assert found["n"] == found["base"] == len(known)
        assert found["mean"] == pytest.approx(mean, rel=1e-12)
        assert found["standard_deviation"] == pytest.approx(svyvar**0.5, rel=1e-12)
        assert line(by_gender, "age", group, "Not answered")["n"] == some["age"].isna().sum()


def test_answers_have_respondents_and_weighted_shares(
    by_gender: SummaryTable, people: pd.DataFrame
) -> None:
    some = people[people["gender"] == 1]
    for code, answer, members, base in (
        ("q2", "Corvo", some["q2"] == 3, some["q2"].notna()),
        ("q1", "Dune", some["q1_4"] == 1, some["q1_4"].notna()),
        # Those who were not asked are not in the base.
        ("q8", "Moved", some["q8"] == 2, some["q8"].notna()),
    ):
        found = line(by_gender, code, "Male", answer)
        share = 100 * some["weight"][members].sum() / some["weight"][base].sum()
        assert found["n"] == members.sum()
        assert found["base"] == base.sum()
        assert found["percentage"] == pytest.approx(share, rel=1e-12)
    assert line(by_gender, "q8", "Male", "Not asked")["n"] == some["q8"].isna().sum()


def test_percentiles_and_the_range(client: Client, people: pd.DataFrame) -> None:
    table = client.summary_table("age", "gender", statistics="{median} ({p25}, {p75}), range")
    ages = people[people["gender"] == 1][["age", "weight"]].dropna().sort_values("age")
    reached = ages["weight"].cumsum() / ages["weight"].sum()
    found = line(table, "age", "Male")
    for name, part in (("first_quartile", 0.25), ("median", 0.5), ("third_quartile", 0.75)):
        assert found[name] == ages["age"].to_numpy()[np.searchsorted(reached, part)]
    assert (found["lowest"], found["highest"]) == (ages["age"].min(), ages["age"].max())
    assert found["text"] == "52 (34, 70), 18–89"
    assert found["statistic"] == "median (Q1, Q3), min–max"


# -- tests ----------------------------------------------------------------------------------------


def spread(scores: Floats, frame: pd.DataFrame) -> Floats:
    """Σ over strata n ÷ (n - 1) Σ of clusters (z - z̄)², the variance of totals of scores."""
    totals = pd.DataFrame(scores).groupby([frame["stratum"], frame["cluster"]], sort=False).sum()
    found = np.zeros((scores.shape[1],) * 2)
    for _, each in totals.groupby(level=0):
        apart = (each - each.mean()).to_numpy()
        found += len(each) / (len(each) - 1) * apart.T @ apart
    return found


def freedom(frame: pd.DataFrame) -> int:
    units = frame[["stratum", "cluster"]].drop_duplicates()
    return len(units) - units["stratum"].nunique()


def means_and_errors(frame: pd.DataFrame, name: str, by: str) -> tuple[Floats, Floats]:
    """The mean of each group, and how they vary together, by linearisation."""
    scores: list[Any] = []
    means: list[float] = []
    for group in sorted(frame[by].dropna().unique()):
        inside = ((frame[by] == group) & frame[name].notna()).to_numpy()
        weights = np.where(inside, frame["weight"], 0.0)
        values = frame[name].fillna(0).to_numpy()
        means.append(float(weights @ values / weights.sum()))
        scores.append(weights * (values - means[-1]) / weights.sum())
    return np.array(means), spread(np.array(scores).T, frame)


def rao_scott(frame: pd.DataFrame, row: str, column: str) -> float:
    """The p of the second-order correction of Rao and Scott, by generalised design effects.

    Of the interaction of shares, with its derivatives by the shares: p - p_i p_j.
    """
    known = frame[frame[row].notna() & frame[column].notna()]
    cells = pd.get_dummies(known[row].astype(str) + "|" + known[column].astype(str)).sort_index(
        axis=1
    )
    member, weights = cells.to_numpy(float), known["weight"].to_numpy()
    share = member.T @ weights / weights.sum()
    # Clusters without anybody of them count as drawn, too.
    scores = np.zeros((len(frame), len(share)))
    scores[frame.index.get_indexer(known.index)] = (
        weights[:, None] * (member - share) / weights.sum()
    )
    height = known[row].nunique()
    width = member.shape[1] // height
    covariance, simple = spread(scores, frame), (np.diag(share) - np.outer(share, share))
    table = share.reshape(height, width)
    expected = np.outer(table.sum(1), table.sum(0))
    chi2 = len(known) * ((table - expected) ** 2 / expected).sum()
    # Contrasts of log-linear interactions, orthogonal to both margins.
    design = [np.ones(height * width)]
    design += [np.repeat(np.eye(height)[at], width) for at in range(1, height)]
    design += [np.tile(np.eye(width)[at], height) for at in range(1, width)]
    basis = np.linalg.svd(np.array(design))[2][height + width - 1 :]
    turned: Any = basis / share
    effects: Any = np.linalg.inv(turned @ (simple / len(known)) @ turned.T)
    values: Any = np.linalg.eigvals(effects @ turned @ covariance @ turned.T).real
    first = values.sum() ** 2 / (values**2).sum()
    return float(stats.f.sf(chi2 / values.sum(), first, first * freedom(known)))


@pytest.fixture(scope="module")
def drawn(people: pd.DataFrame) -> pd.DataFrame:
    """The tracker with its design: each wave a sample of its own, of sampling points."""
    return people.assign(stratum=people["wave"], cluster=people["psu"])


def test_two_groups_are_compared_by_a_t_test(by_gender: SummaryTable, drawn: pd.DataFrame) -> None:
    for code, item, column in (("age", "", "age"), ("q4", "Staff", "q4_2"), ("q3", "", "q3")):
        means, errors = means_and_errors(drawn, column, "gender")
        t = (means[0] - means[1]) / (errors[0, 0] + errors[1, 1] - 2 * errors[0, 1]) ** 0.5
        found = line(by_gender, code, "Overall", item=item)
        assert found["test"] == "t"
        assert found["test_statistic"] == pytest.approx(t, rel=1e-9)
        assert found["df2"] == freedom(drawn)
        assert found["p"] == pytest.approx(2 * stats.t.sf(abs(t), freedom(drawn)), rel=1e-9)


def test_more_groups_are_compared_by_an_adjusted_wald_test(
    client: Client, drawn: pd.DataFrame
) -> None:
    means, errors = means_and_errors(drawn, "income", "agegrp")
    contrasts = np.array([[1, -1, 0], [0, 1, -1]])
    apart = contrasts @ means
    wald = apart @ np.linalg.solve(contrasts @ errors @ contrasts.T, apart)
    units = freedom(drawn)
    statistic = (units - 1) / (2 * units) * wald
    found = line(client.summary_table("income", "agegrp"), "income", "Overall")
    assert found["test"] == "Wald F"
    assert [found["df1"], found["df2"]] == [2, units - 1]
    assert found["test_statistic"] == pytest.approx(statistic, rel=1e-9)
    assert found["p"] == pytest.approx(stats.f.sf(statistic, 2, units - 1), rel=1e-9)


def test_answers_are_compared_by_rao_and_scott(
    by_gender: SummaryTable, drawn: pd.DataFrame
) -> None:
    for code, column, answer in (
        ("q2", "q2", "Elm"),
        ("q8", "q8", "Moved"),
        # Of several answers, each by itself against those who did not give it.
        ("q1", "q1_2", "Café Noir"),
        ("q1", "q1_6", "Fjord"),
    ):
        found = line(by_gender, code, "Male", answer)
        assert found["test"] == "Rao–Scott"
        assert found["p"] == pytest.approx(rao_scott(drawn, column, "gender"), rel=1e-8)


def test_strata_and_clusters_are_those_of_the_survey(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    n = 400
    frame = pd.DataFrame(
        {
            "stratum": rng.integers(1, 4, n),
            "arm": rng.choice(["A", "B", "C"], n),
            "weight": np.round(rng.uniform(0.5, 3, n), 3),
        }
    )
    frame["cluster"] = frame["stratum"] * 10 + rng.integers(0, 6, n)
    shift = rng.normal(0, 4, 100)[frame["cluster"]]
    frame["score"] = np.round(50 + shift + 2.0 * (frame["arm"] == "B") + rng.normal(0, 8, n), 2)
    frame["likes"] = np.where(rng.uniform(size=n) + shift / 20 > 0.5, "Yes", "No")
    with al.open(
        frame,
        weight="weight",
        strata="stratum",
        clusters="cluster",
        to=tmp_path / "survey",
        quiet=True,
    ) as client:
        table = client.summary_table(["score", "likes"], by="arm")
    means, errors = means_and_errors(frame, "score", "arm")
    steps = np.array([[1, -1, 0], [1, 0, -1]])
    wald = steps @ means @ np.linalg.solve(steps @ errors @ steps.T, steps @ means)
    units = freedom(frame)
    assert units == 15
    p = stats.f.sf((units - 1) / (2 * units) * wald, 2, units - 1)
    assert line(table, "score", "A")["p"] == pytest.approx(p, rel=1e-9)
    assert line(table, "likes", "A", "Yes")["p"] == pytest.approx(
        rao_scott(frame, "likes", "arm"), rel=1e-8
    )
    assert "sample's design (3 strata, 18 clusters)" in table.notes[-1]


def test_a_group_of_one_respondent_is_left_out_and_named() -> None:
    frame = pd.DataFrame({"arm": list("AAABBBC"), "score": [1.5, 2, 4, 2.5, 6, 7, 3.5]})
    frame = pd.concat([frame] * 2, ignore_index=True).iloc[:-1]
    with al.open(frame, quiet=True) as client:
        table = client.summary_table(
            "score", by="arm", statistics={"score": "mean (sd)"}, missing=False
        )
    found, [a, b] = line(table, "score", "A"), (frame[frame["arm"] == each] for each in "AB")
    assert found["test"] == "t"
    error = sum(each["score"].var(ddof=0) / len(each) for each in (a, b)) ** 0.5
    t = (a["score"].mean() - b["score"].mean()) / (error * (13 / 12) ** 0.5)
    assert found["test_statistic"] == pytest.approx(t)
    assert table.notes[-1].startswith("p is not of all groups for score: groups without amounts")


# -- forms ----------------------------------------------------------------------------------------


def rows_of(table: SummaryTable, **options: Any) -> list[list[str]]:
    """The cells of the table in Markdown."""
    lines = table.to_markdown(**options).splitlines()
    return [[cell.strip() for cell in each.split("|")[1:-1]] for each in lines if each[:1] == "|"]


def test_the_table_as_it_is_printed(client: Client) -> None:
    table = client.summary_table(["age", "q1", "q8"], by="gender", sort="ascending", decimals=0)
    found = rows_of(table, rename={"Female": "Women", "Age in years": "Age"}, hide_under=200)
    assert found[0] == ["", "Base (n)", "Overall", "Male", "Women", "p"]
    assert found[2:6] == [
        ["Weighted base (average of waves)", "", "650", "316", "334", ""],
        ["Base (n)", "", "2,000", "980", "1,020", ""],
        ["**Age, mean (SD)**", "1,988", "53 (21)", "53 (21)", "54 (21)", "0.279"],
        ["Not answered", "", "12", "5", "7", ""],
    ]
    # Of several answers each has a test, of one answer the question.
    assert found[6] == ["**Brands known, n (%)**", "2,000", "", "", "", ""]
    assert found[7] == ["Fjord", "", "417 (21%)", "194 (20%)", "223 (22%)", "0.287"]
    # Of fewer respondents the counts alone are shown, and rows without an answer are last.
    assert found[-2:] == [
        ["Too expensive", "", "151 (39%)", "97 (41%)", "54", ""],
        ["Not asked", "", "1,613", "754", "859", ""],
    ]
    assert "Blank: fewer than 200 respondents in the denominator." in table.to_markdown(
        hide_under=200
    )
    assert table.to_wide().loc[("Age in years", "mean (SD)"), "Male"] == "53 (21)"
    # A frame is not sorted, but its texts are rounded as printed.
    assert line(table, "q1", "Male", "Fjord")["text"] == "194 (20%)"
    assert table.to_frame()["answer"].tolist()[6:9] == ["Alba"] * 3
    assert "\\quad Fjord & " in table.to_latex()
    assert "\\textbf{Reason for leaving, n (\\%)} & 387" in table.to_latex()


def test_a_workbook_has_the_numbers(client: Client, tmp_path: Path) -> None:
    table = client.summary_table(["age", "q1", "q5"], by="gender")
    table.save(tmp_path / "table.xlsx")
    sheet = load_workbook(tmp_path / "table.xlsx").worksheets[0]
    rows = {str(row[0].value): row for row in sheet.iter_rows()}
    head, answer = rows["Age in years, mean (SD)"], rows["Café Noir"]
    shown = line(table, "age", "Overall")
    wanted = [shown["mean"], shown["standard_deviation"]]
    # A workbook has 16 digits.
    assert [cell.value for cell in head[2:4]] == pytest.approx(wanted, rel=1e-14)
    assert [cell.number_format for cell in head[2:4]] == ["#,##0.0", '"("#,##0.0")"']
    assert answer[2].value == 1238
    assert answer[-2].number_format == '[<0.001]"<0.001";0.000'
    assert answer[-2].value == line(table, "q1", "Male", "Café Noir")["p"]
    table.to_pptx(tmp_path / "table.pptx")
    assert table.to_csv().startswith("question,question_label,item,answer,statistic,group,n,")


def test_groups_within_groups_and_several_groups(client: Client) -> None:
    nested = client.summary_table("q2", by="gender > agegrp")
    assert nested.title == "Summary by Gender, Age group"
    several = client.summary_table("q2", by=["gender", "agegrp"], overall=False)
    for table, groups in ((nested, ["Male", "Female"]), (several, ["Gender", "Age group"])):
        assert list(table.families) == groups
        assert [str(name)[-1] for name in table.to_wide()].count("p") == 2
    alone = client.summary_table("age", missing=False)
    assert rows_of(alone)[-1] == ["**Age in years, mean (SD)**", "1,988", "53.2 (21.0)"]
    untested = client.summary_table("q2", by="q1")
    assert (
        "No p for Brand used most: some respondents are in two of the columns"
        in (untested.notes[-1])
    )


def test_statistics_by_kind_and_by_question(client: Client) -> None:
    table = client.summary_table(
        ["q4", "q5", "hhsize"],
        statistics={"scale": "mean (sd)", "Satisfaction with": "%", "hhsize": "{n} ({p}%)"},
    )
    names = [row[0] for row in rows_of(table)]
    assert "**Satisfaction overall (1 Very dissatisfied … 5 Very satisfied), mean (SD)**" in names
    assert "**People in the household, n (%)**" in names
    assert names.index("**Price, %**") + 1 == names.index("Very dissatisfied")
    for wrong in (
        "mean (sdd)",
        {"gendr": "n"},
        {"categorical": "mean"},
        {"gender": "mean"},
        "% mean",
    ):
        with fails(ValueError):
            client.summary_table("gender", statistics=wrong)
    with fails(TypeError):
        client.summary_table("gender", include="age")
    with fails(ValueError):
        table.to_html(metrics=["index"])


def test_words_of_other_programs(client: Client) -> None:
    made: Any = client
    table = made.tbl_svysummary(by="gender", include=["age"], statistic="{mean}", missing="no")
    assert table.add_p().add_overall().as_tibble().iloc[0].tolist() == [
        "53.2",
        "52.6",
        "53.8",
        "0.279",
    ]
    untested = made.tbl_summary("age", groupby="gender", pval=False)
    with fails(ValueError):
        untested.add_p()


def test_everyone_counts_where_the_survey_says_so() -> None:
    with al.connect() as demo:
        table = demo.summary_table(["Sector", "Trust in sources"], "Gender", waves="latest 1")
    for code in ("q12", "media.m21"):
        missing = line(table, code, "Overall", "Not asked")["n"]
        assert missing == 2000 - (1139 if code == "q12" else 1041)
    assert line(table, "q12", "Overall", "Education")["base"] == 2000
    assert table.columns.who.base_of == "everyone"


def test_groups_without_anybody_are_left_out(client: Client, by_gender: SummaryTable) -> None:
    some = client.filter(gender="Female").summary_table(["age"], by=["gender", "agegrp"])
    frame = some.to_frame()
    assert set(frame["group"]) >= {"Female", "18 to 34"}
    assert "Male" not in set(frame["group"])
    assert "no respondent of the base is in it: Male." in " ".join(some.notes)
    whole = line(by_gender, "age", "Female")
    assert line(some, "age", "Female")["mean"] == pytest.approx(whole["mean"], rel=1e-12)
