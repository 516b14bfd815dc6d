"""From files and a codebook to a survey: every kind of question, source and wave."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import audiencelab as al
from audiencelab.ingest import import_survey, load_codebook
from audiencelab.ingest.report import Dropped, ImportReport, UnknownValue
from audiencelab.survey import Survey
from tests.ingest.sources import CODEBOOK, ROWS, answers, imported, question, write

YES, NO = True, False


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    return imported(tmp_path_factory.mktemp("import"))


def test_waves_come_from_their_column(survey: Survey) -> None:
    assert [(wave.code, wave.respondents) for wave in survey.waves] == [("w1", 3), ("w2", 2)]
    assert survey.waves[0].ends == date(2024, 1, 31)
    assert survey.waves[1].ends == survey.waves[1].starts == date(2024, 2, 1)
    assert survey.name == "Tea and coffee"


def test_weights_follow_their_respondents_into_the_order_of_locations(survey: Survey) -> None:
    assert survey.wave("w1").weights.tolist() == [1.5, 0.5, 1.0]
    assert survey.wave("w2").weights.tolist() == [1.0, 2.0], "nowhere comes last"
    assert answers(survey, "w2", "where") == (
        [YES, NO],
        {"where_1": [YES, NO], "where_2": [NO, NO]},
    )


def test_a_single_question_keeps_refusals_apart_from_the_unasked(survey: Survey) -> None:
    assert answers(survey, "w2", "sex") == ([YES, YES], {"sex_1": [NO, YES], "sex_2": [NO, NO]})


def test_items_with_a_column_each(survey: Survey) -> None:
    asked, given = answers(survey, "w1", "hot")
    assert asked == [YES, YES, NO], "an empty cell was not asked"
    assert given == {"hot_1": [YES, NO, NO], "hot_2": [NO, YES, NO], "hot_3": [NO, NO, NO]}


def test_several_values_in_a_cell(survey: Survey) -> None:
    assert answers(survey, "w1", "all") == (
        [YES, YES, NO],
        {"all_1": [YES, NO, NO], "all_2": [NO, YES, NO], "all_3": [YES, NO, NO]},
    )
    asked, given = answers(survey, "w2", "all")
    assert asked == [YES, YES]
    assert [chosen[1] for chosen in given.values()] == [YES, YES, YES]
    assert [chosen[0] for chosen in given.values()] == [NO, NO, NO], "99: asked, none chosen"


def test_a_grid_of_items_on_one_scale(survey: Survey) -> None:
    mood = question(survey, "w1", "mood")
    assert mood.datapoint("mood_1", ["1"])[0] == 0b011
    assert mood.datapoint("mood_2", ["1"])[0] == 0b010
    assert mood.datapoint("mood_2", ["2"])[0] == 0b001
    assert mood.asked[0] == 0b011
    suffixes = survey.catalogue.question("mood").suffixes
    assert [suffix.midpoint and suffix.midpoint.value for suffix in suffixes] == [20, 0]


def test_numbers_are_banded(survey: Survey) -> None:
    _, given = answers(survey, "w1", "age")
    assert given == {"age_1": [YES, NO, NO], "age_2": [NO, YES, NO], "age_3": [NO, NO, YES]}
    _, given = answers(survey, "w2", "age")
    assert given["age_2"] == [NO, YES], "25.5"
    points = survey.catalogue.question("age").datapoints
    assert [point.midpoint and point.midpoint.value for point in points] == [20, 30, None]


@pytest.mark.parametrize("word", ["inf", "-inf", "Infinity", "nan", "1e999"])
def test_what_is_no_finite_number_is_in_no_band(tmp_path: Path, word: str) -> None:
    survey = imported(
        tmp_path,
        f"age\n20\n{word}\n70\n",
        """
        [[questions]]
        code = "age"
        name = "Age"
        column = "age"
        datapoints = [{ name = "Under 25", max = 24 }, { name = "Others", min = 25 }]
        """,
    )
    asked, given = answers(survey, "w1", "age")
    assert (asked, given) == ([True] * 3, {"age_1": [YES, NO, NO], "age_2": [NO, NO, YES]})
    assert survey.import_report is not None
    assert [each["value"] for each in survey.import_report["unknown_values"]] == [word]


def test_a_grid_with_a_column_for_every_cell(tmp_path: Path) -> None:
    survey = imported(
        tmp_path,
        "a1,a2,b1,b2\n1,0,0,1\n0,0,1,\n",
        """
        [[questions]]
        code = "grid"
        name = "Grid"
        kind = "grid"
        selected = [1]
        not_selected = [0]
        suffixes = [{ name = "Now", code = "now" }, { name = "Ever", code = "ever" }]
        datapoints = [
          { name = "A", code = "A", columns = { now = "a1", ever = "a2" } },
          { name = "B", code = "B", columns = { now = "b1", ever = "b2" } },
        ]
        """,
    )
    grid = question(survey, "w1", "grid")
    assert grid.datapoint("A", ["now"])[0] == 0b01
    assert grid.datapoint("A", ["ever"])[0] == 0b00
    assert grid.datapoint("B", ["now"])[0] == 0b10
    assert grid.datapoint("B", ["ever"])[0] == 0b01


def test_a_survey_without_waves_weights_or_places_is_one_of_each(tmp_path: Path) -> None:
    survey = imported(
        tmp_path, "x\n2\n10\n2\n", '[[questions]]\ncode = "x"\nname = "X"\ncolumn = "x"\n'
    )
    assert [wave.code for wave in survey.waves] == ["w1"]
    assert survey.wave("w1").weights.tolist() == [1, 1, 1]
    assert survey.manifest.weight == "none, everybody counts as one"
    assert survey.catalogue.location_question == "core.location"
    assert answers(survey, "w1", "location")[1] == {"location_all": [YES, YES, YES]}
    points = survey.catalogue.question("x").datapoints
    assert [(point.code, point.name) for point in points] == [("x_2", "2"), ("x_10", "10")]


def test_wave_values_that_are_dates_need_no_list(tmp_path: Path) -> None:
    survey = imported(
        tmp_path,
        "month,x\n2024-11,1\n2024-02,1\n",
        '[wave]\ncolumn = "month"\n[[questions]]\ncode = "x"\nname = "X"\ncolumn = "x"\n',
    )
    assert [(wave.code, wave.starts) for wave in survey.waves] == [
        ("2024-02", date(2024, 2, 1)),
        ("2024-11", date(2024, 11, 1)),
    ]


ONE_QUESTION = """
[[questions]]
code = "x"
name = "X"
column = "x"
labels = { 1 = "One", 2 = "Two" }

[[questions]]
code = "y"
name = "Y"
column = "y"
labels = { 1 = "One" }
"""


def test_a_waves_code_is_its_value_where_it_names_none(tmp_path: Path) -> None:
    codebook = CODEBOOK.replace('code = "w1"\nvalue = "a"', 'code = "1.0"').replace(
        'code = "w2"\nvalue = "b"', 'code = "two"'
    )
    rows = ROWS.replace(",a\n", ",1.0\n").replace(",b\n", ",two\n")
    survey = imported(tmp_path, rows, codebook)
    assert [(wave.code, wave.respondents) for wave in survey.waves] == [("1.0", 3), ("two", 2)]


def test_files_are_waves_in_the_order_given(tmp_path: Path) -> None:
    waves = """
    [[waves]]
    code = "spring"
    starts = 2024-03-01
    [[waves]]
    code = "autumn"
    starts = 2024-09-01
    """
    first = write(tmp_path, "z.csv", "x,y\n1,1\n")
    second = write(tmp_path, "a.csv", "x\n2\n2\n")
    codebook = write(tmp_path, "codebook.toml", waves + ONE_QUESTION)
    survey = import_survey([first, second], codebook, tmp_path / "survey")
    assert [(wave.code, wave.respondents) for wave in survey.waves] == [
        ("spring", 1),
        ("autumn", 2),
    ]
    assert survey.catalogue.question("x").waves == ("spring", "autumn")
    assert survey.catalogue.question("y").waves == ("spring",), "not in the second file"


def test_files_are_waves_by_name_and_parts_of_one_wave(tmp_path: Path) -> None:
    waves = """
    [[waves]]
    code = "spring"
    starts = 2024-03-01
    files = "*spring*"
    [[waves]]
    code = "autumn"
    starts = 2024-09-01
    files = "*autumn*"
    """
    sources = [
        write(tmp_path, "2_spring.csv", "x,y\n1,\n2,1\n"),
        write(tmp_path, "3_autumn.csv", "x\n2\n"),
        write(tmp_path, "1_spring.tsv", "y\tx\n1\t1\n"),
    ]
    codebook = write(tmp_path, "codebook.toml", waves + ONE_QUESTION)
    survey = import_survey(sources, codebook, tmp_path / "survey")
    assert [(wave.code, wave.respondents) for wave in survey.waves] == [
        ("spring", 3),
        ("autumn", 1),
    ]
    assert answers(survey, "spring", "x")[1]["x_1"] == [YES, NO, YES]
    assert answers(survey, "spring", "y") == ([NO, YES, YES], {"y_1": [NO, YES, YES]})


def checksums(survey: Survey) -> dict[str, str]:
    """Of the data, the report and its file names left out."""
    files = survey.manifest.files
    return {name: file.sha256 for name, file in files.items() if name != "import.json"}


@pytest.mark.parametrize("name", ["survey.csv.gz", "survey.tsv", "survey.tsv.gz", "survey.parquet"])
def test_every_format_gives_the_same_survey(tmp_path: Path, survey: Survey, name: str) -> None:
    if name.endswith(".parquet"):
        source = tmp_path / name
        write(tmp_path, "plain.csv", ROWS)
        table = pa.csv.read_csv(tmp_path / "plain.csv")
        assert table.schema.field("sex").type == pa.int64()
        pa.parquet.write_table(table, source, row_group_size=2)
    else:
        source = write(tmp_path, name, ROWS.replace(",", "\t") if "tsv" in name else ROWS)
    codebook = write(tmp_path, "codebook.toml", CODEBOOK)
    assert checksums(import_survey([source], codebook, tmp_path / "survey")) == checksums(survey)


def test_a_json_codebook_says_the_same_as_toml(tmp_path: Path, survey: Survey) -> None:
    import json
    import tomllib

    written = json.dumps(tomllib.loads(CODEBOOK), default=str)
    source = write(tmp_path, "survey.csv", ROWS)
    codebook = write(tmp_path, "codebook.json", written)
    assert checksums(import_survey([source], codebook, tmp_path / "survey")) == checksums(survey)


def test_whole_numbers_written_as_decimals_are_the_same_values(
    tmp_path: Path, survey: Survey
) -> None:
    """As pandas writes an integer column with gaps."""
    rows = ROWS.replace(",1,yes", ",1.0,yes").replace(",2,no,", ",2.0,no,")
    assert rows != ROWS
    assert checksums(imported(tmp_path, rows)) == checksums(survey)


def test_text_in_another_encoding(tmp_path: Path) -> None:
    source = write(tmp_path, "survey.csv", "x\ncafé\nthé\n", "latin-1")
    codebook = write(
        tmp_path,
        "codebook.toml",
        '[source]\nencoding = "latin-1"\n[[questions]]\ncode = "x"\nname = "X"\ncolumn = "x"\n',
    )
    survey = import_survey([source], codebook, tmp_path / "survey")
    assert [point.name for point in survey.catalogue.question("x").datapoints] == ["café", "thé"]


def test_quoted_newlines_and_delimiters_are_no_ends_of_cells(tmp_path: Path) -> None:
    survey = imported(
        tmp_path,
        'note,x\n"one, two\nthree",1\nplain,2\n',
        '[[questions]]\ncode = "x"\nname = "X"\ncolumn = "x"\nlabels = { 1 = "A", 2 = "B" }\n',
    )
    assert answers(survey, "w1", "x")[1] == {"x_1": [YES, NO], "x_2": [NO, YES]}


def test_many_blocks_and_values_keep_their_rows(tmp_path: Path) -> None:
    """More than one block of CSV, and more values in a column than 16 bits count."""
    rng = np.random.default_rng(3)
    n = 120_000
    weights, sex = rng.random(n).round(9), rng.integers(1, 3, n)
    padding = "x" * 80
    lines = (f"{w},{s},{padding}" for w, s in zip(weights, sex, strict=True))
    survey = imported(
        tmp_path,
        "w,sex,note\n" + "\n".join(lines) + "\n",
        '[weight]\ncolumn = "w"\n[[questions]]\ncode = "sex"\nname = "Sex"\ncolumn = "sex"\n'
        'labels = { 1 = "Male", 2 = "Female" }\n',
    )
    assert np.allclose(survey.wave("w1").weights, weights, atol=1e-9)
    assert answers(survey, "w1", "sex")[1]["sex_2"] == (sex == 2).tolist()


def test_the_report_says_what_was_dropped_and_why(tmp_path: Path) -> None:
    rows = ROWS.replace("1,north,1", "1,north,7").replace(",20,1,b", ",20,,b")
    rows = rows.replace(",1,a", ",1,c").replace("5,,1", "5,south,1")
    codebook = (
        CODEBOOK
        + '\n[[questions]]\ncode = "none"\nname = "None"\ncolumn = "milk"\n'
        + ('labels = { 1 = "One" }\n')
    )
    survey = imported(tmp_path, rows, codebook)
    report = survey.import_report
    assert report is not None
    assert report["dropped"] == [
        {
            "file": "survey.csv",
            "reason": "without a known wave (column round holds 'c')",
            "respondents": 1,
            "first_row": 3,
        },
        {"file": "survey.csv", "reason": "without a weight", "respondents": 1, "first_row": 4},
    ]
    assert report["unknown_values"] == [
        {
            "file": "survey.csv",
            "question": "core.sex",
            "column": "sex",
            "value": "7",
            "respondents": 1,
            "first_row": 1,
        }
    ]
    assert report["empty_questions"] == ["core.none"]
    assert [wave["respondents"] for wave in report["waves"]] == [2, 1]
    assert report["sources"][0]["unused_columns"] == ["id"]
    with pytest.raises(KeyError):
        survey.catalogue.question("none")
    asked, given = answers(survey, "w1", "sex")
    assert asked[0] is YES, "whoever gave an unknown answer was asked"
    assert [chosen[0] for chosen in given.values()] == [NO, NO]


def test_an_unknown_value_among_several_in_a_cell_is_told_once(tmp_path: Path) -> None:
    survey = imported(
        tmp_path,
        "x\n1;7;\n7;1;\n1;\n7;7;\n",
        '[[questions]]\ncode = "x"\nname = "X"\nkind = "multiple"\ncolumn = "x"\n'
        'separator = ";"\nlabels = { 1 = "One" }\n',
    )
    assert survey.import_report is not None
    (unknown,) = survey.import_report["unknown_values"]
    assert (unknown["value"], unknown["respondents"], unknown["first_row"]) == ("7", 3, 1)


def test_a_value_that_means_no_answer_is_no_datapoint(tmp_path: Path) -> None:
    survey = imported(
        tmp_path,
        "x\nyes\nNo answer\nNA\nno\n",
        '[source]\nnot_asked = ["NA"]\nnot_selected = ["No answer"]\n'
        '[[questions]]\ncode = "x"\nname = "X"\ncolumn = "x"\n',
    )
    assert [each.name for each in survey.catalogue.question("x").datapoints] == ["no", "yes"]
    assert answers(survey, "w1", "x")[0] == [YES, YES, NO, YES]


def test_free_text_in_a_coded_column_does_not_flood_the_report(tmp_path: Path) -> None:
    rows = "x\n" + "\n".join(["1"] * 3 + ["rare"] * 5 + [f"text {number}" for number in range(500)])
    survey = imported(
        tmp_path,
        rows + "\n",
        '[[questions]]\ncode = "x"\nname = "X"\ncolumn = "x"\nlabels = { 1 = "One" }\n',
    )
    assert survey.import_report is not None
    unknown = survey.import_report["unknown_values"]
    assert (unknown[0]["value"], unknown[0]["respondents"]) == ("rare", 5)
    assert len(unknown) == 21
    assert sum(each["respondents"] for each in unknown) == 505
    assert unknown[-1]["value"] == "(481 other values)"


def test_catalogue_fields_pass_through(tmp_path: Path) -> None:
    survey = imported(
        tmp_path,
        "x\n1\n",
        """
        [study]
        namespace = "mine"
        [[namespaces]]
        code = "mine"
        name = "Mine"
        [[categories]]
        id = "1"
        name = "Top"
        [[categories]]
        id = "2"
        name = "Below"
        parent = "1"
        [[datasets]]
        code = "d"
        name = "Data"
        [[questions]]
        code = "x"
        name = "X"
        column = "x"
        description = "What?"
        notice = "Careful"
        unit = "euros"
        flags = ["new"]
        categories = ["2"]
        accessible = false
        datapoints = [{ name = "One", value = 1, code = "first", accessible = false }]
        """,
    )
    found = survey.catalogue.question("x")
    assert found.canonical == "mine.x"
    assert (found.description, found.notice, found.unit) == ("What?", "Careful", "euros")
    assert found.flags == ("new",)
    assert not found.accessible
    assert not found.datapoints[0].accessible
    assert found.datapoints[0].code == "first"
    assert [
        (dataset.code, [category.name for category in lineage])
        for dataset, lineage in survey.catalogue.taxonomy(found)
    ] == [("d", ["Top", "Below"])]


def test_a_codebook_may_be_read_before(tmp_path: Path) -> None:
    codebook = load_codebook(write(tmp_path, "codebook.toml", CODEBOOK))
    source = write(tmp_path, "survey.csv", ROWS)
    survey = import_survey([str(source)], codebook, tmp_path / "survey", name="Another name")
    assert survey.name == "Another name"


def test_a_file_without_the_column_of_a_list_did_not_ask(tmp_path: Path) -> None:
    without = "id,where,sex,tea,coffee,milk,fun,work,age,weight,round\n6,south,1,yes,no,,,,20,1,a\n"
    files = [write(tmp_path, "one.csv", ROWS), write(tmp_path, "two.csv", without)]
    survey = import_survey(files, write(tmp_path, "c.toml", CODEBOOK), tmp_path / "survey")
    (tmp_path / "alone").mkdir()
    alone = imported(tmp_path / "alone")
    before, given = answers(alone, "w1", "all")
    assert answers(survey, "w1", "all") == (
        [*before, False],
        {code: [*each, False] for code, each in given.items()},
    )
    assert answers(survey, "w1", "sex")[0] == [True] * 4


def test_long_lists_are_cut_and_what_is_left_out_is_counted() -> None:
    report = ImportReport(
        dropped=[Dropped("a.csv", "without a weight", 1, 1_200)],
        unknown_values=[UnknownValue("a.csv", "core.tea", "tea", str(n), 1, n) for n in range(5)],
        empty_questions=["core.x", "core.y", "core.z"],
    )
    [dropped, unknown, empty] = report.concluded(["a fact"]).card().lines
    assert dropped.said == "a.csv: 1 respondent without a weight (first at row 1,200)"
    assert unknown.said.startswith("core.tea: '0' in tea: 1 respondent, first at row 0")
    assert unknown.said.endswith("; also core.tea")
    assert empty.said == "asked of no respondent: core.x, core.y, core.z"


def test_points_of_a_grid_that_are_numbers_are_its_amounts(tmp_path: Path) -> None:
    items = {f"q_{item}": [1, 2, 5, 4, item] for item in (1, 2, 3)}
    frame = pd.DataFrame({**items, "alone": [1, 2, 5, 4, 3]})
    client = al.open(frame, weight=None, quiet=True)
    of_grid = client.mean("q").lines
    assert [line.value for line in of_grid] == pytest.approx(frame[[*items]].mean())
    assert client.mean("q_3").value == pytest.approx(client.mean("alone").value)
