"""`al.open(…, pin=True)`: figures stay as they are where a later version guesses otherwise."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.cli import main
from audiencelab.ingest import columns, opening, opening_pinned, pinning
from audiencelab.ingest import encode as encoding
from audiencelab.ingest.codebook import CodedQuestion
from audiencelab.ingest.codebook_files import load_codebook
from audiencelab.ingest.later_answers import LaterAnswers
from audiencelab.ingest.meaning import evidence
from audiencelab.survey import SurveyError
from tests.messages import fails

FILE = "kunden.codebook.toml"
N = 600
SATISFIED = {1: "Sehr zufrieden", 2: "Zufrieden", 3: "Teils/teils", 4: "Unzufrieden"}
LABELS = {
    "sex": {1: "Mann", 2: "Frau"},
    "sat": SATISFIED | {98: "Weiß nicht"},
    "plan": {1: "Basis", 2: "Plus", 3: "Gold", 9: "Nicht gefragt"},
    "welle": {1: "Frühjahr 2025", 2: "Sommer 2025", 3: "Herbst 2025"},
}


def respondents() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    wave = rng.integers(1, 4, N)
    # Gold is offered from the third wave on.
    plan = np.where(wave == 3, rng.choice([1, 2, 3, 9], N), rng.choice([1, 2, 9], N))
    codes = {"sex": rng.integers(1, 3, N), "sat": rng.choice([1, 2, 3, 4, 98], N)}
    codes |= {"plan": plan, "welle": wave}
    codes |= {"nutzt_1": rng.integers(0, 2, N), "nutzt_2": rng.integers(0, 2, N)}
    frame = pd.DataFrame(codes).astype(float)
    return frame.assign(wgt=rng.uniform(0.5, 2, N).round(3), wgt_b=rng.uniform(0.8, 3, N).round(3))


def write(frame: pd.DataFrame, name: str = "kunden.sav", **more: dict[int, str]) -> None:
    written: Any = frame
    labels: Any = LABELS | more
    pyreadstat.write_sav(written, name, variable_value_labels=labels, missing_ranges={"plan": [9]})


def write_csv(frame: pd.DataFrame, name: str) -> str:
    frame.to_csv(name, index=False)
    return name


@pytest.fixture(autouse=True)
def folder(own_cache: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a tracker in a file."""
    monkeypatch.chdir(tmp_path)
    write(respondents())
    return tmp_path


def opened(source: Any = "kunden.sav", **given: Any) -> al.Client:
    arguments: dict[str, Any] = {"pin": True, "weight": "wgt", "quiet": True, **given}
    return al.open(source, **arguments)


def tables(client: al.Client) -> list[Any]:
    made = [client.crosstab(each, "sex") for each in ("plan", "sat", "nutzt")]
    return [each.to_frame().fillna(-1).to_numpy().tolist() for each in made]


def figures(client: al.Client) -> list[Any]:
    mean = client.crosstab([al.mean("sat"), al.top_box("sat", 2)], "sex")
    return [*tables(client), mean.to_frame().fillna(-1).to_numpy().tolist()]


def asked(client: al.Client) -> float:
    return client.size(al.asked("plan")).sample


def told(client: al.Client) -> list[str]:
    return [f"{g.about}: {g.said}" for g in client.import_report.guesses if g.subject == "pinned"]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A later version, which knows other words and judges otherwise what was offered."""
    for module in (opening, pinning, opening_pinned):
        monkeypatch.setattr(module, "__version__", "9.9.9")

    def none(*given: object) -> None:
        del given

    def never(*given: object) -> LaterAnswers:
        del given
        return LaterAnswers()

    def no(*given: object) -> bool:
        del given
        return False

    monkeypatch.setattr(evidence, "is_off_scale", no)
    monkeypatch.setattr(evidence, "known_scale", none)
    monkeypatch.setattr(columns, "means_not_asked", no)
    monkeypatch.setattr(encoding, "later_answers", never)


def test_the_first_call_writes_what_later_ones_read(capsys: pytest.CaptureFixture[str]):
    plain = al.open("kunden.sav", "wgt", quiet=True)
    first = opened(quiet=False)
    shown = capsys.readouterr().out
    again = opened(quiet=False)
    # A notebook that is run again shows what it showed.
    assert capsys.readouterr().out == shown
    assert f"codebook {FILE} (pinned with audiencelab" in " ".join(shown.split())
    assert "al.open(" not in shown
    assert "al.ingest" not in shown
    assert figures(first) == figures(again) == figures(plain)
    seals = {each.service.survey.seal for each in (plain, first, again)}
    assert seals == {load_codebook(FILE).pinned.survey}  # pyright: ignore[reportOptionalMemberAccess]
    assert eval(first.to_code(), {"al": al}).service.survey.seal in seals
    assert told(again) == []


def test_figures_stay_in_a_later_version_which_says_what_it_would_change(
    request: pytest.FixtureRequest,
):
    # Of texts in a frame the import judges which waves offered "Gold", of a file its labels say it.
    texts = respondents().replace(LABELS)
    given: dict[str, Any] = {"wave": "welle", "pin": "texte.toml"}
    before, of_texts = opened(), tables(opened(texts, **given))
    was, seal, plan = figures(before), before.service.survey.seal, asked(before)
    request.getfixturevalue("later")
    # Without it other respondents were asked, and the scale has no top any more.
    moved = al.open("kunden.sav", "wgt", quiet=True)
    assert asked(moved) != plan
    with fails(ValueError):
        figures(moved)
    assert tables(al.open(texts, "wgt", wave="welle", quiet=True)) != of_texts
    assert tables(opened(texts, **given)) == of_texts
    after = opened()
    assert (figures(after), asked(after)) == (was, plan)
    assert after.service.survey.seal == seal
    said = told(after)
    assert said[0] == f"pinned: {FILE} decides; by itself audiencelab 9.9.9 would take"
    assert any(each.startswith("sat: ") and "top" in each for each in said)
    assert any(each.startswith("plan: ") and "'9'" in each for each in said)
    # What would be another guess today is not told as one that holds.
    assert not [g for g in after.import_report.guesses if (g.about, g.subject) == ("sat", "scale")]


def test_a_version_that_makes_another_survey_of_the_same_codebook_says_so(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
):
    opened()
    request.getfixturevalue("later")
    real = encoding.midpoints_of

    def doubled(question: CodedQuestion) -> list[float]:
        return [2 * (each or 0) for each in real(question)]

    monkeypatch.setattr(encoding, "midpoints_of", doubled)
    assert "figures may differ" in told(opened())[0]


def test_what_a_person_edits_in_it_counts_and_is_no_guess_of_today(
    request: pytest.FixtureRequest,
):
    opened()
    text = Path(FILE).read_text("utf-8").replace('name = "Gold"', 'name = "Platin"')
    Path(FILE).write_text(text, "utf-8")
    client = opened()
    assert "Platin" in [each.name for each in client.catalogue["plan"].datapoints]
    assert told(client) == []
    request.getfixturevalue("later")
    assert "Platin" in [each.name for each in opened().catalogue["plan"].datapoints]


def test_arguments_that_it_contradicts_are_refused_with_what_settles_it():
    opened(missing={"sat": [98]})
    # Those of before, and those that it does not contradict.
    for kept in ({}, {"missing": {"sat": [98]}}, {"wave": "welle"}, {"weight": "wgt"}):
        opened(**kept)
    for other in (
        {"weight": "wgt_b"},
        {"weight": None},
        {"missing": {"sat": [4]}},
        {"kind": {"nutzt": "single"}},
        {"wave": None},
        {"codebook": "kunden.toml"},
    ):
        with fails(SurveyError):
            opened(**other)


def test_changed_data_are_told():
    frame = respondents()
    opened()
    frame.loc[0, "sat"] = 5.0
    write(
        frame.assign(neu=frame["sex"]),
        neu=LABELS["sex"],
        sat=LABELS["sat"] | {5: "Sehr unzufrieden"},
    )
    client = opened()
    said = " | ".join(told(client))
    assert f"{FILE} decides, and the data are not those of then" in said
    assert "neu: a question that the codebook does not have" in said
    assert "sat: with 'Sehr unzufrieden'" in said
    values = client.import_report.unknown_values
    assert [(each.question, each.value, each.respondents) for each in values] == [
        ("core.sat", "5", 1)
    ]
    # Data that fit it in the same way: one line, less loud.
    frame = respondents()
    frame.loc[0, "sex"] = 1.0 if frame["sex"][0] == 2 else 2.0
    write(frame)
    assert told(opened()) == [
        "pinned: the data are not those that it was pinned with; its questions and answers fit them"
    ]
    write(frame.drop(columns="plan"))
    with fails(SurveyError):
        opened()


def test_a_codebook_of_before_is_read_as_it_is():
    al.ingest.draft_codebook("kunden.sav", weight="wgt").save(FILE)
    before = Path(FILE).read_bytes()
    assert figures(opened(weight="wgt")) == figures(al.open("kunden.sav", "wgt", quiet=True))
    assert Path(FILE).read_bytes() == before


def test_a_codebook_of_a_newer_version_is_refused():
    opened()
    text = Path(FILE).read_text("utf-8").replace("[pinned]", "[pinned]\nformat = 9")
    Path(FILE).write_text(text, "utf-8")
    with fails(SurveyError):
        opened()


def test_sources_without_a_name_need_one(folder: Path):
    frame = respondents().drop(columns="welle")
    shutil.copy("kunden.sav", "weitere.sav")
    for source in (frame, ["kunden.sav", "weitere.sav"], "*.sav"):
        with fails(SurveyError):
            opened(source)
    with fails(SurveyError):
        opened(frame, pin="frame.csv")
    one = opened(frame, pin="frame.codebook.toml")
    assert figures(one) == figures(opened(frame, pin="frame.codebook.toml"))
    assert opened(frame, name="Kunden 2025").service.survey.name == "Kunden 2025"
    assert (folder / "Kunden 2025.codebook.toml").is_file()
    # A survey folder has its codebook inside.
    al.open("kunden.sav", to="survey", quiet=True)
    with fails(SurveyError):
        al.open("survey", pin=True)


def test_a_folder_that_cannot_be_written_is_named_and_one_that_has_it_suffices(folder: Path):
    with fails(SurveyError):
        opened(pin="no/such/folder.codebook.toml")
    opened()
    (folder / FILE).chmod(0o444)
    assert figures(opened())


def test_a_pinned_codebook_beside_the_notebook_that_is_not_read_is_told(
    capsys: pytest.CaptureFixture[str],
):
    opened()
    al.open("kunden.sav", "wgt")
    shown = " ".join(capsys.readouterr().out.split())
    assert f"{FILE} pins this source, and was not read" in shown
    assert "al.open('kunden.sav', weight='wgt', pin=True)" in shown


def test_it_is_recorded_and_replayed_without_the_codebook(folder: Path):
    client = opened()
    with client.recording("s.audiencelab.jsonl"):
        counted = figures(client)
    (folder / FILE).unlink()
    (folder / "kunden.sav").unlink()
    assert figures(opened(snapshot="s.audiencelab.jsonl")) == counted


def test_the_command_line_pins_too(folder: Path, capsys: pytest.CaptureFixture[str]):
    command = ["crosstab", "kunden.sav", "--rows", "sat", "--columns", "sex", "--weight", "wgt"]
    assert main([*command, "--pin"]) == 0
    first = capsys.readouterr()
    assert (folder / FILE).is_file()
    assert main([*command, "--pin"]) == 0
    assert capsys.readouterr() == first
    assert FILE in first.err
    assert main([*command, "--pin", "--missing", "sat=4"]) == 2
    assert main(["import", "kunden.sav", "--codebook", FILE, "-o", "kunden", "-q"]) == 0


def test_the_version_of_a_survey_is_that_of_its_content_alone(folder: Path):
    """Neither the time, the name, the folder nor the form of the file is in it."""
    first = opened(pin=False)
    other = folder / "Prüfung Ö 1"
    other.mkdir()
    shutil.copy("kunden.sav", other / "Datei.v2.sav")
    os.utime(other / "Datei.v2.sav", (1_000_000_000, 1_000_000_000))
    shutil.make_archive("paket", "zip", other)
    for source in (other / "Datei.v2.sav", "paket.zip"):
        again = opened(source, pin=False)
        assert again.service.survey.seal == first.service.survey.seal
        assert [w.name for w in again.service.survey.waves] == [*LABELS["welle"].values()]
        assert figures(again) == figures(first)
    # A survey without waves has no name of the file in its tables either.
    plain = respondents().drop(columns="welle")
    words = [
        opened(write_csv(plain, name), pin=False).crosstab("sat").provenance["wave_names"]
        for name in ("kunden.csv", "Datei.v2.csv")
    ]
    assert words == [{"w1": "All respondents"}] * 2


def test_the_sheet_of_a_workbook_is_pinned():
    frame = respondents().drop(columns="welle")
    library: Any = pd
    workbook = library.ExcelWriter("kunden.xlsx")
    with workbook:
        frame.head(0).to_excel(workbook, sheet_name="Info", index=False)
        frame.to_excel(workbook, sheet_name="Daten", index=False)
    seal = opened("kunden.xlsx").service.survey.seal
    assert load_codebook(FILE).source.sheet == "Daten"
    assert opened("kunden.xlsx").service.survey.seal == seal


def test_what_decide_settles_between_files_is_pinned_too():
    frame = respondents()
    write(frame[frame.welle == 1], "2025Q1.sav")
    # The codes are turned, and the shares do not tell it from other answers.
    turned = frame[frame.welle == 2]
    values = turned["sat"].replace({1: 4, 2: 3, 3: 2, 4: 1})
    labels = {5 - value: label for value, label in SATISFIED.items()} | {98: "Weiß nicht"}
    write(turned.assign(sat=values), "2025Q2.sav", sat=labels)
    given: dict[str, Any] = {"source": ["2025Q1.sav", "2025Q2.sav"], "pin": "q.toml"}
    first = opened(**given, decide={"sat": "codes"})
    assert opened(**given).service.survey.seal == first.service.survey.seal
    assert told(opened(**given)) == []
    with fails(SurveyError):
        opened(**given, decide={"sat": "labels"})
