"""Several files that say of one value what the others do not: refused, or noted in the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

from audiencelab.ingest import draft_codebook, import_survey
from audiencelab.ingest.report import ImportReport
from audiencelab.survey import SurveyError
from tests.messages import fails
from tests.survey.counting import counts, counts_by_name


def written(folder: Path, name: str, values: list[Any], labels: Any, missing: Any = ()) -> Path:
    path = folder / name
    pyreadstat.write_sav(
        pd.DataFrame({"id": range(len(values)), "q": values}),
        path,
        variable_value_labels={"q": labels},
        missing_ranges={"q": list(missing)} if missing else None,
    )
    return path


def two(folder: Path, first: Any, second: Any) -> list[Path]:
    return [
        written(folder, "w1.sav", [1, 1, 2], first),
        written(folder, "w2.sav", [1, 2, 2], second),
    ]


@pytest.mark.parametrize(
    "second", [{1: "No", 2: "Yes"}, {1: "Perhaps", 2: "No"}], ids=["shuffled", "other"]
)
def test_files_whose_labels_differ_for_one_code_are_refused_by_a_draft(
    tmp_path: Path, second: dict[int, str]
) -> None:
    paths = two(tmp_path, {1: "Yes", 2: "No"}, second)
    with pytest.raises(SurveyError) as raised:
        draft_codebook(paths)
    message = str(raised.value)
    assert "w2.sav: 1 " in message
    assert f"'Yes' (67%) and is {second[1]!r} (33%)" in message.replace("is called", "and is")
    assert 'al.open(…, decide={"q": "' in message


def test_files_whose_labels_changed_places_are_refused_with_any_codebook(tmp_path: Path) -> None:
    paths = two(tmp_path, {1: "Yes", 2: "No"}, {1: "No", 2: "Yes"})
    codebook = draft_codebook(paths[0]).save(tmp_path / "first.toml")
    with fails(SurveyError):
        import_survey(paths, codebook, tmp_path / "survey")
    assert not (tmp_path / "survey").exists()


def test_a_codebook_decides_what_other_words_mean_and_the_report_names_them(
    tmp_path: Path,
) -> None:
    paths = two(tmp_path, {1: "Yes", 2: "No"}, {1: "Yes, I do", 2: "No"})
    text = draft_codebook(paths[0]).to_toml()
    waves = "".join(
        f'[[waves]]\ncode = "w{n}"\nstarts = 2024-0{n}-01\nfiles = "w{n}.sav"\n' for n in (1, 2)
    )
    codebook = tmp_path / "first.toml"
    codebook.write_text(text + waves)
    survey = import_survey(paths, codebook, tmp_path / "survey")
    assert counts_by_name(survey, "q") == {"Yes": 3, "No": 3}
    report = ImportReport.of(survey)
    said = "w2: 1 'Yes' (67%) is called 'Yes, I do' (33%)"
    assert [each.said for each in report.guesses if each.subject == "drift"] == [said]
    assert [(each.kind, each.question, each.wave) for each in report.drift] == [
        ("renamed answer", "q", "w2")
    ]


def test_labels_that_differ_in_case_blanks_and_points_alone_are_the_same(tmp_path: Path) -> None:
    paths = two(tmp_path, {1: "Yes", 2: "Don't know"}, {1: "YES ", 2: "Don’t know."})
    survey = import_survey(paths, draft_codebook(paths).codebook, tmp_path / "survey")
    assert counts_by_name(survey, "q") == {"Yes": 3, "Don't know": 3}


def test_a_label_that_only_a_later_file_has_is_in_the_draft(tmp_path: Path) -> None:
    paths = [
        written(tmp_path, "w1.sav", [1, 1, 2], {1: "Yes", 2: "No"}),
        written(tmp_path, "w2.sav", [1, 3, 3], {1: "Yes", 3: "Perhaps"}),
    ]
    survey = import_survey(paths, draft_codebook(paths).codebook, tmp_path / "survey")
    assert counts_by_name(survey, "q") == {"Yes": 3, "No": 1, "Perhaps": 2}


def test_a_code_that_a_later_file_alone_declares_missing_is_refused_if_it_was_an_answer(
    tmp_path: Path,
) -> None:
    paths = [
        written(tmp_path, "w1.sav", [1, 1, 9], {1: "Yes"}),
        written(tmp_path, "w2.sav", [1, 9, 1], {1: "Yes", 9: "Refused"}, [9]),
    ]
    message = r"q: w2.sav: 9 'Refused' was an answer \(33%\), and is a missing code"
    with pytest.raises(SurveyError, match=message):
        draft_codebook(paths)
    codebook = draft_codebook(paths, missing={"q": [9]}).codebook
    assert counts(import_survey(paths, codebook, tmp_path / "given"), "q") == {"q_1": 4}


def test_a_code_that_a_later_file_does_not_declare_missing_any_more_is_still_missing(
    tmp_path: Path,
) -> None:
    paths = [
        written(tmp_path, "w1.sav", [1, 9, 1], {1: "Yes", 9: "Refused"}, [9]),
        written(tmp_path, "w2.sav", [1, 9, 9], {1: "Yes"}),
    ]
    codebook = draft_codebook(paths).codebook
    assert [each.name for each in codebook.questions[-1].points] == ["Yes"]


def test_a_code_that_a_later_file_declares_missing_is_no_answer_where_nobody_gave_it(
    tmp_path: Path,
) -> None:
    labels = {1: "Yes", 2: "No", 8: "Refused"}
    paths = [
        written(tmp_path, "w1.sav", [1, 2, 8], labels, [8]),
        written(tmp_path, "w2.sav", [1, 8, 9], labels | {9: "Don't know"}, [8, 9]),
    ]
    survey = import_survey(paths, draft_codebook(paths).codebook, tmp_path / "survey")
    assert counts(survey, "q") == {"q_1": 2, "q_2": 1}


def test_missing_values_of_one_code_are_read_by_each_files_own_label(tmp_path: Path) -> None:
    paths = [
        written(tmp_path, "w1.sav", [1, 2, 9], {1: "Yes", 2: "No", 9: "Refused"}, [9]),
        written(tmp_path, "w2.sav", [1, 2, 9], {1: "Yes", 2: "No", 9: "Not asked"}, [9]),
    ]
    survey = import_survey(paths, draft_codebook(paths).codebook, tmp_path / "survey")
    asked = [survey.wave(wave.code).question("q") for wave in survey.waves]
    assert [sum(int(word).bit_count() for word in each.asked) for each in asked if each] == [3, 2]
