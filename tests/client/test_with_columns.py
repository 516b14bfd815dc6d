"""Columns of frames as questions and weights: equal to an import of the file that has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import audiencelab as al
from audiencelab.cli import main
from audiencelab.client import InvalidRequest
from audiencelab.ingest import Codebook
from audiencelab.ingest.codebook import CodedQuestion
from audiencelab.ingest.kept import codebook_of
from audiencelab.survey import Survey, SurveyError, check_survey
from tests.messages import fails

RNG = np.random.default_rng(11)
ROWS = 240
SHARES = ["Savers", "Spenders", "Neither"]


def answers() -> pd.DataFrame:
    """The file: two waves, a set, a weight, and numbers of respondents."""
    scale = ["Very satisfied", "Satisfied", "Dissatisfied"]
    return pd.DataFrame(
        {
            "respid": RNG.permutation(ROWS) + 5000,
            "wave": RNG.choice([1, 2], ROWS),
            "region": RNG.choice(["North", "South", "West"], ROWS),
            "sex": RNG.choice(["f", "m"], ROWS),
            "q5": RNG.choice(scale, ROWS),
            **{f"brand_{n}": RNG.integers(0, 2, ROWS) for n in (1, 2, 3)},
            "w": RNG.uniform(0.5, 2, ROWS).round(4),
        }
    )


def made() -> pd.DataFrame:
    """What analyses of the respondents brought."""
    return pd.DataFrame(
        {
            "segment": RNG.choice(SHARES, ROWS),
            "score": RNG.normal(50, 10, ROWS).round(1),
            **{f"reason_{n}": RNG.integers(0, 2, ROWS) for n in (1, 2, 3)},
            "agree": RNG.choice(["Strongly agree", "Agree", "Disagree"], ROWS),
            "visits": RNG.choice([1, 2, 3, 4, 99], ROWS, p=[0.3, 0.3, 0.2, 0.15, 0.05]),
            "w_ipw": RNG.uniform(0.5, 2, ROWS).round(4),
        }
    )


FILE, MADE = answers(), made()
BOTH = pd.concat([FILE[["respid"]], MADE], axis=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("columns")
    al.open(FILE, weight="w", to=found / "survey", quiet=True)
    return found / "survey"


@pytest.fixture
def client(folder: Path, tmp_path: Path) -> al.Client:
    """A client of a copy, so that a test may change it."""
    import shutil

    shutil.copytree(folder, tmp_path / "own")
    return al.open(tmp_path / "own", quiet=True)


def samples(client: al.Client, rows: Any, columns: Any = None) -> list[list[float]]:
    return client.crosstab(rows, columns).to_wide("sample").to_numpy().tolist()


def same(one: Survey, other: Survey) -> None:
    """Bits, numbers, weights, questions and codebook are equal."""
    assert one.catalogue == other.catalogue
    assert one.codebook == other.codebook
    assert one.seal == other.seal, "the seal covers every array"


# ---- equal to an import ----


def test_it_is_an_import_of_the_file_with_the_columns(client: al.Client, tmp_path: Path) -> None:
    whole = pd.concat([FILE, MADE], axis=1)
    fresh = al.open(whole, weight=["w", "w_ipw"], to=tmp_path / "fresh", quiet=True)
    shuffled = BOTH.sample(frac=1, random_state=3)
    assert client.with_columns(shuffled, "respid", weights=["w_ipw"], quiet=True) is client
    same(client.service.survey, fresh.service.survey)
    assert check_survey(client.service.survey).sound
    assert [each.kind for each in client.service.survey.catalogue.questions].count("multiple") == 2
    for weight in ("w", "w_ipw"):
        own, its = (each.crosstab("segment", "sex", weight=weight) for each in (client, fresh))
        pd.testing.assert_frame_equal(own.to_frame(), its.to_frame())
    # Of pandas itself, by hand.
    chosen = (MADE["segment"] == "Savers") & (FILE["sex"] == "f")
    share = client.crosstab("segment", "sex", weight="w_ipw", waves="all").to_wide("column")
    weights = MADE["w_ipw"]
    expected = 100 * weights[chosen].sum() / weights[FILE["sex"] == "f"].sum()
    assert share.loc[("segment", "Savers"), ("sex", "f")] == pytest.approx(expected)


def test_frames_of_every_kind_and_types_of_keys_are_one(client: al.Client, tmp_path: Path) -> None:
    pair = BOTH[["respid", "segment"]]
    pair.to_csv(tmp_path / "segments.csv", index=False)
    forms: list[Any] = [
        pair,
        pl.from_pandas(pair),
        pair.astype({"respid": float}),
        pair.assign(respid=pair["respid"].map("{:.1f}".format)),
        pair.set_index("respid"),
        pair.set_index("respid")["segment"],
        {"respid": pair["respid"], "segment": pair["segment"].tolist()},
        tmp_path / "segments.csv",
    ]
    expected = pd.crosstab(MADE["segment"], FILE["sex"]).loc[sorted(SHARES)].to_numpy().tolist()
    for form in forms:
        client.with_columns(form, "respid", quiet=True)
        assert samples(client, "segment", "sex") == expected


def test_rows_of_the_file_are_keys_where_nothing_else_is(tmp_path: Path) -> None:
    plain = FILE.drop(columns=["respid", "wave"])
    client = al.open(plain, weight="w", to=tmp_path / "rows", quiet=True)
    frame = client.respondents(questions="sex")
    assert frame.columns[0] == "row"
    assert frame["row"].is_monotonic_increasing is False, "respondents are in order of locations"
    assert (frame["sex"].astype(str).to_numpy() == FILE["sex"].to_numpy()[frame["row"] - 1]).all()
    segments = pd.DataFrame({"row": range(1, ROWS + 1), "segment": MADE["segment"]})
    client.with_columns(segments, "row", quiet=True)
    expected = pd.crosstab(MADE["segment"], FILE["sex"]).loc[sorted(SHARES)].to_numpy().tolist()
    assert samples(client, "segment", "sex") == expected


def test_respondents_without_a_row_were_not_asked(
    client: al.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    client.with_columns(BOTH.iloc[:50], "respid", weights="w_ipw")
    shown = " ".join(capsys.readouterr().out.split())
    assert "50 of 240 respondents have a row in the frame; the others were not asked" in shown
    assert [row[0] for row in samples(client, "reason")] == [
        float(MADE[f"reason_{n}"][:50].sum()) for n in (1, 2, 3)
    ]
    assert client.size(al.asked("reason")).sample == 50
    assert client.with_options(weight="w_ipw").size().sample == 50
    assert samples(client, "brand")[0] == [float(FILE["brand_1"].sum())]


# ---- keys ----


def test_the_key_of_respondents(client: al.Client) -> None:
    frame = client.respondents(client["sex"] == "f", questions="q5")
    assert [*frame.columns[:3]] == ["respid", "wave", "weight"]
    joined = frame.merge(FILE, on="respid")
    assert len(joined) == len(frame) == ROWS
    assert (joined["q5_x"].astype(str) == joined["q5_y"]).all()
    assert "respid" not in [each.code for each in client.catalogue]
    assert client.with_options(weight=None).respondents().shape == (ROWS, 3)
    # Later changes keep them.
    client.edit("sex", labels={"f": "Female"}).derive("West", {"West": client["region"] == "West"})
    assert client.respondents()["respid"].tolist() == frame["respid"].tolist()


@pytest.mark.parametrize(
    ("column", "named"),
    [
        ("ResponseId", True),
        ("CASE_ID", True),
        ("uuid", True),
        ("serial", True),
        # Numbers in a row make no question, whatever they are called.
        ("household", True),
        ("score", False),
    ],
)
def test_a_column_that_names_respondents_is_found(tmp_path: Path, column: str, named: bool) -> None:
    frame = FILE.rename(columns={"respid": column})
    if column == "score":
        frame[column] *= 3
    client = al.open(frame, to=tmp_path / "s", quiet=True)
    assert client.respondents().columns[0] == (column if named else "row")
    kept = codebook_of(client.service.survey).key
    assert (kept is not None and kept.column == column) is named


def test_a_number_that_two_share_is_no_key(tmp_path: Path) -> None:
    frame = FILE.assign(
        respid=FILE["respid"].where(FILE["respid"] > 5010, 1), code=range(0, 3 * ROWS, 3)
    )
    client = al.open(frame, to=tmp_path / "s", quiet=True)
    assert client.respondents().columns[0] == "row"
    [guess] = [each for each in client.import_report.guesses if each.subject == "key"]
    assert guess.said.startswith("respid is not the key, ")
    assert guess.code == 'al.open(…, key="COLUMN")'
    chosen = al.open(frame, key="code", to=tmp_path / "t", quiet=True)
    assert chosen.respondents()["code"].sum() == 3 * sum(range(ROWS))
    with fails(SurveyError):
        al.open(frame, key="respid", to=tmp_path / "u", quiet=True)
    with fails(SurveyError):
        al.open(frame, key="respids", to=tmp_path / "u", quiet=True)
    texts = al.open(
        FILE.assign(respid=FILE["respid"].map("{:07d}".format)), to=tmp_path / "v", quiet=True
    )
    assert texts.respondents()["respid"].str.len().eq(7).all()
    with fails(SurveyError):
        texts.with_columns(BOTH, "respid")


def test_waves_that_share_keys(tmp_path: Path) -> None:
    panel = FILE.iloc[:120].assign(wave=1)
    panel = pd.concat([panel, panel.assign(wave=2, q5="Satisfied")])
    segments = BOTH[["respid", "segment"]].iloc[:120]
    alike = al.open(panel, to=tmp_path / "alike", quiet=True)
    with fails(SurveyError):
        alike.with_columns(segments, "respid")
    # With the waves, by their codes, names or values.
    both = pd.concat([segments.assign(wave=1), segments.assign(wave="wave_2", segment="Savers")])
    alike.with_columns(both.astype({"wave": str}), "respid", quiet=True)
    assert samples(alike, "segment", "waves")[1][1] == 120
    # Of a panel the key is the person, whose segment is the same in all waves.
    persons = al.open(panel, person="respid", to=tmp_path / "persons", quiet=True)
    persons.with_columns(segments, "respid", quiet=True)
    one, two = np.array(samples(persons, "segment", "waves")).T
    assert one.tolist() == two.tolist()


def test_files_of_waves_number_their_own_rows(tmp_path: Path) -> None:
    for number in (1, 2):
        part = FILE[FILE["wave"] == number].drop(columns=["respid", "wave"])
        part.to_csv(tmp_path / f"w{number}.csv", index=False)
    client = al.open([tmp_path / "w1.csv", tmp_path / "w2.csv"], to=tmp_path / "s", quiet=True)
    frame = client.respondents()
    assert frame.groupby("wave", observed=True)["row"].max().sum() == ROWS
    assert frame.groupby("wave", observed=True)["row"].min().tolist() == [1, 1]
    frame["segment"] = np.where(frame["row"] < 10, "First", "Later")
    client.with_columns(frame[["row", "wave", "segment"]], "row", quiet=True)
    assert samples(client, "segment", "waves")[0] == [9, 9]


# ---- a key of another name ----

SHUFFLED = pd.DataFrame({"lfdn": RNG.permutation(ROWS) + 1, "sex": FILE["sex"]})
"""Numbers from 1 that are not in the order of the file: as rows they are other respondents."""


def test_identifications_in_other_languages_are_keys(tmp_path: Path) -> None:
    for column in ("lfdn", "Fallnummer", "id_encuestado", "회원"):
        frame = SHUFFLED.rename(columns={"lfdn": column})
        client = al.open(frame, to=tmp_path / column, quiet=True)
        assert client.respondents().columns[0] == column
        client.with_columns(frame.rename(columns={"sex": "again"}), column, quiet=True)
        off = client.crosstab("again", "sex").to_wide("sample").to_numpy()
        assert off[0, 1] == off[1, 0] == 0, "each has their own value"


def test_a_frame_is_joined_by_the_survey_key_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = SHUFFLED.rename(columns={"sex": "again"})
    two = SHUFFLED.assign(respid=RNG.permutation(ROWS) + 1)
    client = al.open(two, to=tmp_path / "two")
    shown = " ".join(capsys.readouterr().out.split())
    assert "key respid: each respondent has another value; also of lfdn" in shown
    [guess] = [each for each in client.import_report.guesses if each.subject == "key"]
    assert guess.code == 'al.open(…, key="lfdn")'
    with fails(SurveyError):
        client.with_columns(new, "lfdn")
    # A value that two share makes another column the key, which is said.
    shared = two.assign(respid=two["respid"].where(two.index > 0, two["respid"][1]))
    client = al.open(shared, to=tmp_path / "shared")
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "respid is not the key, 1 of 240 respondents with the value of another; keys are" in shown
    )
    with fails(SurveyError):
        client.with_columns(new.rename(columns={"lfdn": "respid"}), "respid")
    # Rows of the file are keys by their name alone.
    rows = al.open(SHUFFLED, key="row", to=tmp_path / "rows", quiet=True)
    with fails(SurveyError):
        rows.with_columns(new, "lfdn")
    back = rows.respondents(questions="sex").rename(columns={"sex": "again"})
    rows.with_columns(back[["row", "again"]], "row", quiet=True)
    assert samples(rows, "again", "sex")[0][1] == 0


def test_keys_with_zeros_in_front(tmp_path: Path) -> None:
    frame = SHUFFLED.assign(lfdn=SHUFFLED["lfdn"].map("{:03d}".format))
    client = al.open(frame, key="lfdn", to=tmp_path / "padded", quiet=True)
    new = SHUFFLED.rename(columns={"sex": "again"}).astype({"lfdn": float})
    with fails(SurveyError) as told:
        client.with_columns(new, "lfdn")
    code = str(told.value).partition("001 is not 1: ")[2]
    exec(code, {"frame": new})
    assert samples(client.with_columns(new, "lfdn", quiet=True), "again", "sex")[0][1] == 0


# ---- once more ----


def test_the_same_columns_again_change_nothing(client: al.Client) -> None:
    pair = BOTH[["respid", "segment"]]
    client.with_columns(pair, "respid", quiet=True)
    before = client.service.survey
    client.with_columns(pair, "respid", quiet=True)
    client.with_columns(BOTH[["respid", "score"]], "respid", quiet=True)
    scored = client.service.survey
    client.with_columns(pair, "respid", quiet=True)
    assert before is not scored is client.service.survey
    # A later segmentation replaces an earlier one.
    client.with_columns(pair.assign(segment="One"), "respid", quiet=True)
    assert samples(client, "segment") == [[ROWS]]
    client.with_columns(pair, "respid", quiet=True)
    assert len(samples(client, "segment")) == 3
    codes = [each.code for each in client.service.survey.catalogue.questions]
    assert codes[-2:] == ["segment", "score"]


def test_answers_keep_their_codes_by_their_labels(client: al.Client) -> None:
    cluster = RNG.integers(0, 3, ROWS)

    def bring(*labels: str) -> None:
        made = pd.DataFrame({"respid": FILE["respid"], "group": np.take(labels, cluster)})
        client.with_columns(made, "respid", quiet=True)

    def counts() -> dict[str, float]:
        names = [each.name for each in client["group"].datapoints]
        return dict(zip(names, [row[0] for row in samples(client, "group")], strict=True))

    bring("A", "B", "C")
    own = {label: float((cluster == n).sum()) for n, label in enumerate("ABC")}
    last = (client["group"] == "C").named("Last")
    women = int(((FILE["sex"] == "f") & (cluster == 2)).sum())
    client.derive("Women of C", {"C": (client["group"] == "C") & (client["sex"] == "f")})
    for labels in (("Zed", "AB", "C"), ("A", "B", "C"), ("0", "B", "C")):
        bring(*labels)
        assert counts() == dict(zip(labels, own.values(), strict=True))
        assert samples(client, [last]) == [[own["C"]]], "C is the answer that it was"
        assert samples(client, "Women of C") == [[women]]
    codes = {each.name: each.code for each in client["group"].datapoints}
    assert codes["B"] == "group_2"
    assert codes["0"] not in {f"group_{n}" for n in range(1, 6)}, "Zed and AB had such codes"
    before = client.service.survey
    with fails(SurveyError):
        bring("A", "B", "Sea")
    assert client.service.survey is before
    first = (client["group"] == "B").named("B")
    bring("A", "Y", "C")
    with fails(InvalidRequest):
        samples(client, [first])


def test_the_copy_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    FILE.to_csv(tmp_path / "file.csv", index=False)
    client = al.open(tmp_path / "file.csv", quiet=True)
    client.with_columns(BOTH[["respid", "segment"]], "respid", quiet=True)
    assert ".with_columns(frame, key='respid')" in client.to_code()
    again = al.open(tmp_path / "file.csv", quiet=True)
    assert "segment" not in [each.code for each in again.catalogue]
    assert "5" not in repr(client.service.survey.texts).replace("respid", ""), "no keys are shown"


def test_questions_that_are_there(client: al.Client) -> None:
    client.derive("West", {"West": client["region"] == "West"})
    before = client.service.survey
    taken = BOTH[["respid", "segment", "score"]].set_axis(["respid", "sex", "West"], axis=1)
    with fails(SurveyError):
        client.with_columns(taken, "respid")
    with fails(SurveyError):
        client.with_columns(taken.assign(w=1.5), "respid", weights="w")
    assert client.service.survey is before
    client.with_columns(taken[["respid", "sex"]], "respid", replace=True, quiet=True)
    assert client["sex"].unique() == sorted(SHARES)
    assert client["West"].unique() == ["West"]


def test_a_codebook_and_labels_say_what_columns_mean(client: al.Client, tmp_path: Path) -> None:
    frame = BOTH[["respid", "visits"]]
    labels = {"1": "Once", "2": "Twice", "3": "Often", "4": "Daily"}
    visits = CodedQuestion("visits", "Visits", column="visits", labels=labels, missing=(99,))
    book = Codebook((visits,))
    client.with_columns(frame, "respid", codebook=book, quiet=True)
    assert client["Visits"].unique() == ["Once", "Twice", "Often", "Daily"]
    assert sum(row[0] for row in samples(client, "visits")) == (MADE["visits"] != 99).sum()
    table = pd.DataFrame({"variable": "visits", "value": [*labels], "label": [*labels.values()]})
    table.to_csv(tmp_path / "labels.csv", index=False)
    client.with_columns(frame, "respid", labels=tmp_path / "labels.csv", missing=[99], quiet=True)
    assert client["visits"].unique() == ["Once", "Twice", "Often", "Daily"]
    with fails(SurveyError):
        client.with_columns(frame, "respid", codebook=book, missing=[99])
    with fails(SurveyError):
        client.with_columns(BOTH[["respid", "score"]], "respid", codebook=book)


# ---- bad input ----


def test_keys_that_are_not_valid_change_nothing(client: al.Client) -> None:
    before = client.service.survey.seal
    pair = BOTH[["respid", "segment"]].astype({"respid": float})
    bad = pd.concat([pair, pair.iloc[:2], pair.iloc[:1].assign(respid=np.nan)])
    bad = pd.concat([bad, pair.iloc[:12].assign(respid=range(12))])
    with fails(SurveyError):
        client.with_columns(bad, "respid")
    with fails(SurveyError):
        client.with_columns(pair.assign(respid=range(ROWS)), "respid")
    with fails(SurveyError):
        client.with_columns(pair, "respids")
    with fails(SurveyError):
        client.with_columns(pair.assign(wave=["wave_1", "spring"] * 120), "respid")
    with fails(SurveyError):
        client.with_columns(pair[["respid"]], "respid")
    with fails(SurveyError):
        client.with_columns(pair, "respid", weights=["ipw"])
    with fails(SurveyError):
        client.with_columns(BOTH[["respid", "agree"]], "respid", weights=["agree"])
    with fails(SurveyError):
        client.with_columns(pair["segment"].rename(None), "respid")
    with fails(SurveyError):
        client.with_columns([1, 2], "respid")  # type: ignore[arg-type] -- a first guess
    with fails(SurveyError):
        al.connect().with_columns(pair, "respid")
    assert client.service.survey.seal == before


def test_the_command_line(
    client: al.Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    BOTH[["respid", "segment", "w_ipw"]].to_csv(tmp_path / "segments.csv", index=False)
    own, file = str(client.service.survey.path), str(tmp_path / "segments.csv")
    assert main(["survey", "with-columns", own, file, "--key", "respid", "--weight", "w_ipw"]) == 0
    assert "Columns by respid: segment" in capsys.readouterr().out
    assert client.crosstab("segment", weight="w_ipw").shape == (3, 1)
    assert main(["survey", "with-columns", own, file, "--key", "id"]) == 2
    assert "--key id is not valid" in capsys.readouterr().err


def test_a_later_wave_did_not_ask_them(client: al.Client, tmp_path: Path) -> None:
    client.with_columns(BOTH, "respid", weights="w_ipw", quiet=True)
    client.derive(
        "West savers", {"West": (client["segment"] == "Savers") & (client["region"] == "West")}
    )
    later = FILE.assign(wave=3, respid=FILE["respid"] + 1000)
    later.to_csv(tmp_path / "later.csv", index=False)
    client.add_wave(tmp_path / "later.csv", quiet=True)
    assert [row[2] for row in samples(client, "segment", "waves")] == [0, 0, 0]
    assert client.respondents()["respid"].max() > 6000
    # With a frame of all, groups are made of it too.
    every = pd.concat([BOTH, BOTH.assign(respid=BOTH["respid"] + 1000, segment="Savers")])
    client.with_columns(every[["respid", "segment"]], "respid", quiet=True)
    assert samples(client, "West savers", "waves")[0][2] == (FILE["region"] == "West").sum()
    assert check_survey(client.service.survey).sound
