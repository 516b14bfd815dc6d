"""Who was asked each item, and which waves offered an answer, from the columns of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pyreadstat
import pytest
from msgspec.structs import replace

from audiencelab.ingest import add_wave, draft_codebook, from_frame, import_survey
from audiencelab.ingest.codebook import Codebook, CodedDatapoint, CodedQuestion
from audiencelab.ingest.codebook_files import codebook_toml, load_codebook
from audiencelab.ingest.opening import open_source
from audiencelab.ingest.report import ImportReport
from audiencelab.survey import Survey, SurveyError, export_survey
from audiencelab.survey.answers import unpack
from audiencelab.survey.record import SurveyRecord
from tests.messages import fails

write_sav: Any = pyreadstat.write_sav
N = 30
R = np.arange(N)


def asked(survey: Survey, wave: str, code: str) -> dict[str, list[int]]:
    """The rows of those who were asked each item, in the order of the file (one location)."""
    data = survey.wave(wave)
    found = data.question(code)
    assert found is not None
    return {
        point.code: np.flatnonzero(unpack(found.asked_of(point.code), data.respondents)).tolist()
        for point in found.question.datapoints
    }


def opened(frame: Any, folder: Path, **options: Any) -> Survey:
    return open_source(frame, to=folder / "survey", weight=None, **options).survey


def report(survey: Survey) -> ImportReport:
    return msgspec.convert(survey.import_report, ImportReport)


def lines(survey: Survey) -> list[str]:
    guesses = report(survey).guesses
    return [
        each.said for each in guesses if each.subject == "not offered" or "all blanks" in each.said
    ]


def brands(**columns: Any) -> pd.DataFrame:
    """A frame of two 0/1 items that all were asked, and further columns."""
    return pd.DataFrame({"q1_1": R % 2, "q1_2": (R + 1) // 2 % 2, **columns})


EVERYONE = list(range(N))


def test_an_item_of_a_later_file_was_not_offered_in_those_before(tmp_path: Path) -> None:
    files = [tmp_path / f"a{wave}.sav" for wave in (1, 2, 3)]
    for wave, file in enumerate(files, start=1):
        frame = brands(favourite=R % 2 + 1)
        names = ["Alba", "Bern"]
        if wave == 3:
            frame = frame.assign(q1_3=R % 3 // 2, favourite=R % 3 + 1)[
                ["q1_1", "q1_2", "q1_3", "favourite"]
            ]
            names.append("Dora")
        labels = {f"q1_{k}": f"Brands known: {name}" for k, name in enumerate(names, start=1)}
        values: dict[str, Any] = {each: {0: "No", 1: "Yes"} for each in labels}
        values["favourite"] = dict(enumerate(names, start=1))
        write_sav(frame, file, column_labels=labels, variable_value_labels=values)
    survey = open_source(files, to=tmp_path / "survey", weight=None).survey
    gone = {"core.q1": ("q1_3",), "core.favourite": ("favourite_3",)}
    assert survey.record == SurveyRecord(
        base_of="valid", waves="all", routed=(), not_offered={"w1": gone, "w2": gone}
    )
    assert asked(survey, "w1", "q1")["q1_3"] == []
    assert asked(survey, "w3", "q1")["q1_3"] == EVERYONE
    assert lines(survey) == [
        "Dora (q1_3): offered in 1 of 3 waves",
        "Dora (favourite_3): offered in 1 of 3 waves",
    ]
    assert not any(path.name == "asked" for path in survey.path.iterdir())


def test_an_item_that_a_wave_of_one_file_left_empty_was_not_offered(tmp_path: Path) -> None:
    wave = R // 10
    frame = brands(q1_3=np.where(wave == 2, R % 3 // 2, np.nan), wave=wave + 2021)
    survey = opened(frame, tmp_path)
    gone = {"core.q1": ("q1_3",)}
    assert list(survey.record.not_offered.values()) == [gone, gone]
    last = survey.waves[-1].code
    assert last not in survey.record.not_offered
    assert asked(survey, last, "q1")["q1_3"] == list(range(10))


def test_an_item_of_a_grid_that_is_empty_in_two_waves(tmp_path: Path) -> None:
    wave = R // 10
    points = {f"g_{k}": (R + k) % 3 + 1.0 for k in (1, 2, 3)}
    points["g_3"] = np.where(wave == 2, points["g_3"], np.nan)
    survey = opened(pd.DataFrame({**points, "wave": wave + 2021}), tmp_path)
    assert survey.catalogue.question("g").kind == "grid"
    assert [len(each) for each in asked(survey, survey.waves[0].code, "g").values()] == [10, 10, 0]
    assert [len(each) for each in asked(survey, survey.waves[2].code, "g").values()] == [10] * 3


def test_items_that_rotate_are_asked_of_those_who_saw_them(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {f"q1_{k + 1}": np.where(k == R % 3, np.nan, (R + k) // 2 % 2) for k in range(3)}
    )
    survey = opened(frame, tmp_path)
    seen = [[each for each in EVERYONE if each % 3 != k] for k in range(3)]
    assert list(asked(survey, "w1", "q1").values()) == seen
    assert survey.record.routed == (), "all were asked some of its items"
    assert lines(survey) == []


def test_a_declared_missing_value_of_an_item_is_no_answer_to_it(tmp_path: Path) -> None:
    frame = brands(q1_3=np.select([R < 5, R < 8, R < 10], [9, 8, np.nan], R % 2))
    values = {0: "No", 1: "Yes", 9: "Refused", 8: "Not asked"}
    file = tmp_path / "a.sav"
    write_sav(
        frame,
        file,
        variable_value_labels=dict.fromkeys(frame, values),
        missing_ranges={name: [8, 9] for name in frame},
    )
    survey = opened(file, tmp_path)
    assert asked(survey, "w1", "q1") == {
        "q1_1": EVERYONE,
        "q1_2": EVERYONE,
        "q1_3": list(range(10, N)),
    }


@pytest.mark.parametrize("code", [9, -9, -99])
def test_a_code_beside_0_and_1_is_no_answer_to_an_item(tmp_path: Path, code: int) -> None:
    frame = brands(q1_3=np.where(R < 5, code, R % 2), q1_4=np.where(R < 3, code, R % 2))
    frame.to_csv(tmp_path / "a.csv", index=False)
    survey = opened(tmp_path / "a.csv", tmp_path)
    found = asked(survey, "w1", "q1")
    assert found["q1_1"] == EVERYONE
    assert found["q1_3"] == EVERYONE[5:]
    assert found["q1_4"] == EVERYONE[3:]
    assert survey.record.routed == ()


def test_a_code_beside_ticks_alone_may_mean_not_chosen(tmp_path: Path) -> None:
    ticks(1, -99).to_csv(tmp_path / "a.csv", index=False)
    survey = opened(tmp_path / "a.csv", tmp_path)
    assert list(asked(survey, "w1", "drinks").values()) == [EVERYONE] * 4


def ticks(tick: Any, blank: Any) -> pd.DataFrame:
    """Four items of ticks and blanks, of which no respondent ticked the last; 10 ticked none."""
    return pd.DataFrame(
        {
            f"drinks_{k}": [
                tick if k < 4 and each % 3 == k - 1 and each < 20 else blank for each in R
            ]
            for k in (1, 2, 3, 4)
        }
        | {"sex": R % 2 + 1}
    )


@pytest.mark.parametrize("tick", [1.0, "Yes", "Tea"])
def test_an_item_of_ticks_and_blanks_is_asked_of_all(tmp_path: Path, tick: Any) -> None:
    survey = opened(ticks(tick, None), tmp_path)
    assert list(asked(survey, "w1", "drinks").values()) == [EVERYONE] * 4
    assert survey.record == SurveyRecord(base_of="valid", waves="all", routed=())
    shown = "1" if tick == 1 else tick
    assert lines(survey) == [
        f"10 with all blanks count as asked and ticked none (4 items of {shown} and blank)"
    ]


def test_ticks_beside_a_text_for_blanks_are_read_alike(tmp_path: Path) -> None:
    """R writes 1 and NA into a CSV file."""
    ticks("1", "NA").to_csv(tmp_path / "a.csv", index=False)
    survey = opened(tmp_path / "a.csv", tmp_path)
    assert list(asked(survey, "w1", "drinks").values()) == [EVERYONE] * 4


def test_a_wave_that_did_not_ask_a_set_of_ticks_did_not_ask_it(tmp_path: Path) -> None:
    survey = opened(ticks(1.0, None).assign(wave=np.where(R < 20, 2021, 2022)), tmp_path)
    first, second = survey.waves
    assert survey.catalogue.question("drinks").waves == (first.code,)
    assert list(asked(survey, first.code, "drinks").values()) == [list(range(20))] * 4
    assert second.respondents == 10


def test_ticks_that_begin_in_a_later_wave_are_noted(tmp_path: Path) -> None:
    tick = {"drinks_1": R % 2 == 0, "drinks_2": R % 3 == 0, "drinks_3": R >= 20}
    columns = {name: np.where(each, 1.0, np.nan) for name, each in tick.items()}
    survey = opened(pd.DataFrame({**columns, "wave": R // 20 + 2021}), tmp_path)
    [note] = [each.said for each in report(survey).guesses if "not offered" in each.said]
    assert note.startswith("no respondent of wave_2021 ticked drinks_3 (drinks_3); if it")


@pytest.mark.parametrize("other", ["Other", "Inne", "Annat", "その他"])
@pytest.mark.parametrize("not_asked", ["", "N/A"])
def test_who_wrote_no_other_text_was_asked_it_with_the_items(
    tmp_path: Path, other: str, not_asked: str
) -> None:
    def cells(chosen: Any) -> list[str]:
        return [*np.where(R < 20, np.where(chosen, "Yes", "No"), not_asked)]

    # The last column is one more item, which all who were asked it chose: it has no texts.
    frame = pd.DataFrame(
        {
            "Which? [Tea]": cells(R % 2),
            "Which? [Milk]": cells(R % 3 // 2),
            f"Which? [{other}]": np.select([R == 3, R == 4], ["Maté", "Juice"], ""),
            "Which? [Coffee]": np.where(R < 5, "Yes", ""),
        }
    )
    frame.to_csv(tmp_path / "a.csv", index=False)
    survey = opened(tmp_path / "a.csv", tmp_path)
    found = asked(survey, "w1", "Which")
    assert [*map(len, found.values())] == [20, 20, 20, 5]
    points = survey.wave("w1").question("Which")
    assert points is not None
    chosen = [unpack(points.datapoint(each), N).sum() for each in found]
    assert chosen == [10, 6, 2, 5]


def test_a_refused_item_leaves_an_empty_other_text_out(tmp_path: Path) -> None:
    items = [CodedDatapoint(name, column=name) for name in ("tea", "milk", "other")]
    question = CodedQuestion(
        "q", "Which?", "multiple", datapoints=(*items,), not_selected=(0,), missing=(9,)
    )
    given = np.select([R < 5, R < 10], [9, np.nan], R % 2)
    other = ["Maté" if row == 20 else None for row in R]
    frame = pd.DataFrame({"tea": given, "milk": given, "other": other})
    survey = from_frame(frame, Codebook(questions=(question,)), tmp_path / "survey")
    assert [*asked(survey, "w1", "q").values()] == [EVERYONE[10:]] * 3


def test_a_codebook_may_say_that_a_blank_was_not_asked(tmp_path: Path) -> None:
    frame = ticks(1.0, None)
    book = draft_codebook(frame).codebook
    questions = tuple(
        replace(each, not_asked=("",)) if each.code == "drinks" else each for each in book.questions
    )
    frame["drinks_4"] = frame["drinks_3"]
    survey = from_frame(frame, replace(book, questions=questions), tmp_path / "survey")
    found = survey.wave("w1").question("drinks")
    assert found is not None
    assert np.bitwise_count(found.asked).sum() == 20
    assert lines(survey) == []


def test_answers_in_one_cell_and_across_columns_are_the_questions(tmp_path: Path) -> None:
    points = (CodedDatapoint("A", value="a"), CodedDatapoint("B", value="b"))
    book = Codebook(
        questions=(
            CodedQuestion("cell", "Cell", "multiple", "cell", ";", datapoints=points),
            CodedQuestion("across", "Across", "multiple", across=("x", "y"), datapoints=points),
        )
    )
    frame = pd.DataFrame(
        {"cell": ["a;b", "a", None] * 10, "x": ["a", "b", None] * 10, "y": [None] * 30}
    )
    survey = from_frame(frame, book, tmp_path / "survey")
    assert survey.record == SurveyRecord(
        base_of="valid", waves="all", routed=("core.cell", "core.across")
    )
    assert asked(survey, "w1", "cell")["cell_1"] == [each for each in EVERYONE if each % 3 < 2]


def test_an_unlabelled_answer_of_a_scale_may_have_been_offered(tmp_path: Path) -> None:
    """Only the ends of the scale are labelled, and no respondent of the second file gave 3."""
    files = [tmp_path / "a1.sav", tmp_path / "a2.sav"]
    for file, given in zip(files, (R % 5 + 1, np.where(R % 5 == 2, 2, R % 5 + 1)), strict=True):
        labels = {"liked": {1: "Not at all", 5: "Very much"}}
        write_sav(pd.DataFrame({"liked": given}), file, variable_value_labels=labels)
    assert open_source(files, to=tmp_path / "s", weight=None).survey.record.not_offered == {}


CODEBOOK = """
[study]
name = "Brands"
sizes = "sum"

[wave]
column = "round"

[[waves]]
code = "w1"
starts = 2024-01-01

[[waves]]
code = "w2"
starts = 2024-02-01

[[questions]]
code = "q1"
name = "Known"
kind = "multiple"
selected = [1]
not_selected = [0]
datapoints = [
    { name = "Alba", column = "q1_1" },
    { name = "Bern", column = "q1_2", waves = ["w2"] },
]

[[questions]]
code = "best"
name = "Best"
column = "best"
datapoints = [
    { name = "Alba", value = 1 },
    { name = "Bern", value = 2, waves = ["w2"] },
]
"""


def coded(folder: Path, text: str, **columns: Any) -> Survey:
    (folder / "brands.toml").write_text(text, "utf-8")
    frame = brands(round=np.where(R < 10, "w1", "w2"), best=np.where(R < 15, 1, 2), **columns)
    frame["q1_2"] = np.where(R < 10, 0, R % 2)
    return from_frame(frame, folder / "brands.toml", folder / "survey", replace=True)


def test_a_codebook_says_which_waves_offered_an_answer(tmp_path: Path) -> None:
    survey = coded(tmp_path, CODEBOOK)
    gone = {"core.q1": ("q1_2",), "core.best": ("best_2",)}
    assert survey.record == SurveyRecord(
        base_of="valid", waves="all", sizes="sum", routed=(), not_offered={"w1": gone}
    )
    assert asked(survey, "w1", "q1") == {"q1_1": list(range(10)), "q1_2": []}
    book = load_codebook(tmp_path / "brands.toml")
    assert msgspec.toml.decode(codebook_toml(book, {}), type=Codebook) == book


def test_waves_of_an_answer_that_are_not_there_are_named(tmp_path: Path) -> None:
    odd = CODEBOOK.replace('waves = ["w2"]', 'waves = ["w22"]')
    with fails(SurveyError):
        coded(tmp_path, odd)
    listed = odd.partition("[[waves]]")
    unlisted = (listed[0] + "[[questions]]" + listed[2].partition("[[questions]]")[2]).replace(
        'column = "round"', 'column = "day"\nby = "month"'
    )
    day = np.where(R < 10, "2024-01-05", "2024-02-05")
    with fails(SurveyError):
        coded(tmp_path, unlisted, day=day)


def test_an_answer_that_was_given_was_offered(tmp_path: Path) -> None:
    odd = CODEBOOK.replace(
        '{ name = "Alba", value = 1 }', '{ name = "A", value = 1, waves = ["w2"] }'
    )
    with fails(SurveyError):
        coded(tmp_path, odd)


def test_an_added_wave_did_not_offer_what_its_file_lacks(tmp_path: Path) -> None:
    for name, frame in (("spring", brands()), ("autumn", brands(q1_3=R % 3 // 2))):
        frame.assign(wave=name).to_csv(tmp_path / f"{name}.csv", index=False)
    books = {
        name: draft_codebook(tmp_path / f"{name}.csv", wave="wave").codebook
        for name in ("spring", "autumn")
    }
    import_survey(tmp_path / "spring.csv", books["spring"], tmp_path / "survey")
    added = add_wave(tmp_path / "survey", [tmp_path / "autumn.csv"], books["autumn"]).survey
    first, second = (wave.code for wave in added.waves)
    assert added.record == SurveyRecord(
        base_of="valid", waves="all", routed=(), not_offered={first: {"core.q1": ("q1_3",)}}
    )
    assert asked(added, first, "q1")["q1_3"] == []
    assert asked(added, second, "q1")["q1_3"] == EVERYONE


@pytest.mark.parametrize("ending", [".parquet", ".sav"])
def test_an_export_is_imported_with_it(tmp_path: Path, ending: str) -> None:
    wave = np.where(R < 10, 2021, 2022)
    frame = brands(
        q1_3=np.where((R < 10) | (R % 5 == 0), np.nan, R % 2),
        **{f"g_{k}": np.where(k == R % 4, np.nan, (R + k) % 3 + 1) for k in (1, 2)},
        wave=wave,
    )
    survey = opened(frame, tmp_path)
    file = tmp_path / f"out{ending}"
    export_survey(survey, file)
    again = import_survey(file, file.with_suffix(".toml"), tmp_path / "again")
    assert again.record == survey.record
    assert survey.record.asked
    for each in survey.waves:
        for code in ("q1", "g"):
            assert asked(again, each.code, code) == asked(survey, each.code, code)


def test_a_survey_without_such_items_is_written_as_before(tmp_path: Path) -> None:
    survey = opened(brands(), tmp_path)
    assert survey.record == SurveyRecord(base_of="valid", waves="all", routed=())
    assert not (survey.path / "asked").exists()
