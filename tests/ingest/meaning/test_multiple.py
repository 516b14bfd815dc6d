"""Columns of one stem with two values are one multiple question, in any language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

from audiencelab.ingest import Draft, draft_codebook, from_frame
from audiencelab.ingest.codebook import CodedQuestion
from tests.ingest.sources import write
from tests.survey.counting import counts

TICKS = {"m_1": [1, 1, 0, 0, 1, 0], "m_2": [0, 1, 1, 0, 0, 0], "m_3": [1, 0, 0, 0, 0, 0]}
"""Whether each of six people chose each of three items."""

WORDS = [
    ("Not mentioned", "Mentioned"),
    ("No", "Yes"),
    ("False", "True"),
    ("Not selected", "Selected"),
    ("Unchecked", "Checked"),
    ("Nicht genannt", "Genannt"),
    ("Nein", "Ja"),
    ("nicht gewählt", "gewählt"),
    ("trifft nicht zu", "trifft zu"),
    ("Non cité", "Cité"),
    ("Non", "Oui"),
    ("No mencionado", "Mencionado"),
    ("No", "Sí"),
    ("Non citato", "Citato"),
    ("Não", "Sim"),
    ("Niet genoemd", "Genoemd"),
    ("Nej", "Ja"),
    ("Ej nämnd", "Nämnd"),
    ("Nie wybrano", "Wybrano"),
    ("Nie", "Tak"),
    ("いいえ", "はい"),
    ("未選択", "選択"),
    ("未选中", "选中"),
    ("否", "是"),
    ("아니오", "예"),
    ("선택 안 함", "선택함"),
    ("0 = Nein", "1 = Ja"),
    ("Disagree", "Agree"),
    ("Stimme nicht zu", "Stimme zu"),
    ("Against", "For"),
    ("反対", "賛成"),
]
"""Labels of an item that was not chosen and of one that was."""


def question(draft: Draft, code: str = "m") -> CodedQuestion:
    (found,) = (each for each in draft.codebook.questions if each.code == code)
    return found


def labelled(folder: Path, frame: pd.DataFrame, labels: Any, texts: Any = None) -> Draft:
    """The draft of an SPSS file with those labels in all columns, or in each."""
    by_column = labels if all(name in labels for name in frame) else dict.fromkeys(frame, labels)
    pyreadstat.write_sav(
        frame, folder / "s.sav", column_labels=texts, variable_value_labels=by_column
    )
    return draft_codebook(folder / "s.sav")


@pytest.mark.parametrize(
    ("no", "yes", "codes"),
    [(*words, ((0, 1), (2, 1), (1, 2))[place % 3]) for place, words in enumerate(WORDS)],
)
def test_labels_decide_which_value_means_chosen(
    tmp_path: Path, no: str, yes: str, codes: tuple[int, int]
) -> None:
    frame = pd.DataFrame(TICKS).replace({0: codes[0] + 10, 1: codes[1] + 10}) - 10
    found = question(labelled(tmp_path, frame, {codes[0]: no, codes[1]: yes}))
    assert (found.kind, found.selected, found.not_selected) == (
        "multiple",
        (codes[1],),
        (codes[0],),
    )


@pytest.mark.parametrize(("no", "yes"), [each for each in WORDS if "=" not in each[0]])
def test_texts_decide_which_value_means_chosen(tmp_path: Path, no: str, yes: str) -> None:
    frame = pd.DataFrame(TICKS).replace({0: no, 1: yes}).astype(str)
    found = question(draft_codebook(frame))
    assert found.kind == "multiple"
    # "Not selected" is not an answer of any question, "No" is not one of this.
    assert (found.selected, found.not_selected) in ((((yes,), (no,))), ((yes,), None))


@pytest.mark.parametrize("codes", [(0, 1), (2, 1)])
@pytest.mark.parametrize("labels", [None, ("Nefndi ekki", "Nefndi"), ("Male", "Female")])
def test_codes_decide_where_words_do_not(
    tmp_path: Path, codes: tuple[int, int], labels: tuple[str, str] | None
) -> None:
    frame = pd.DataFrame(TICKS).replace({0: codes[0]})
    draft = labelled(tmp_path, frame, dict(zip(codes, labels, strict=True)) if labels else {})
    found = question(draft)
    assert (found.kind, found.selected, found.not_selected) == ("multiple", (1,), (codes[0],))
    assert found.name == (f"m ({labels[1]})" if labels else "m"), "which answer is counted"
    [why] = draft.reasons["questions/m"]
    assert f"1 {labels[1]!r} is taken as chosen" in why if labels else "1 is taken" in why
    assert "selected, not_selected" in why


def test_texts_in_an_unknown_language_are_questions_of_their_own() -> None:
    draft = draft_codebook(pd.DataFrame(TICKS).replace({0: "Vuos", 1: "Aas"}))
    assert [each.kind for each in draft.codebook.questions] == ["single"] * 3
    [doubt] = draft.reasons["check"]
    assert "m_1 … m_3 may be one multiple question" in doubt
    assert 'kind = "multiple"' in doubt
    assert doubt.split()[:3] == ["m_1", "…", "m_3"]
    assert "may be one multiple question" in draft.to_toml()


def test_two_answers_of_a_longer_scale_are_not_a_choice() -> None:
    frame = pd.DataFrame({"m_1": ["Yes", "Don't know"] * 3, "m_2": ["Don't know", "Yes"] * 3})
    assert [each.kind for each in draft_codebook(frame).codebook.questions] == ["single"] * 2


def test_columns_with_labels_of_their_own_are_not_a_choice(tmp_path: Path) -> None:
    frame = pd.DataFrame({"d1": [1, 2] * 3, "d2": [2, 1] * 3})
    labels = {"d1": {1: "Man", 2: "Woman"}, "d2": {1: "Town", 2: "Country"}}
    drafted = labelled(tmp_path, frame, labels).codebook
    assert [each.kind for each in drafted.questions] == ["single"] * 2


# ---- an answer that nobody chose ----


@pytest.mark.parametrize(
    ("chosen", "other"), [("1", "0"), ("Yes", "No"), ("Ja", "Nein"), ("1", ""), ("Alba", "")]
)
@pytest.mark.parametrize("names", ["m_{}", "m/{}", "m___{}"])
def test_an_answer_that_is_never_chosen_belongs_to_the_set(
    tmp_path: Path, chosen: str, other: str, names: str
) -> None:
    frame = pd.DataFrame({**TICKS, "m_4": [0] * 6}).replace({0: other, 1: chosen})
    frame.columns = [names.format(letter) for letter in ("1234" if names == "m_{}" else "abcd")]
    if "/" in names:
        frame["m"] = "all of them"
    draft = draft_codebook(frame)
    assert question(draft).kind == "multiple"
    survey = from_frame(frame, draft.codebook, tmp_path / "survey")
    assert [*counts(survey, "m").values()] == [3, 2, 1, 0]


def test_an_answer_that_is_never_chosen_belongs_to_a_set_of_a_file_without_labels(
    tmp_path: Path,
) -> None:
    frame = pd.DataFrame({**TICKS, "m_4": [0] * 6})
    assert len(question(labelled(tmp_path, frame, {})).points) == 4


# ---- stems and names ----


def test_blanks_before_the_separator_belong_to_no_name(tmp_path: Path) -> None:
    header = ",".join(f"Which desserts?   - {item}" for item in ("Cake", "Pie"))
    draft = draft_codebook(write(tmp_path, "s.csv", f"{header},Age\nCake,,1\n,Pie,2\nCake,,2\n"))
    found = draft.codebook.questions[0]
    assert (found.kind, found.name) == ("multiple", "Which desserts?")
    assert [point.name for point in found.points] == ["Cake", "Pie"]


def test_answers_that_are_labels_of_their_own_name_the_items(tmp_path: Path) -> None:
    frame = pd.DataFrame(TICKS)
    labels = {
        name: {0: "Not mentioned", 1: item}
        for name, item in zip(TICKS, ("Peace", "Money", "DK"), strict=True)
    }
    texts = {name: f"QD7 THE UNION MEANS: {name}" for name in TICKS}
    found = question(labelled(tmp_path, frame, labels, texts))
    assert (found.kind, found.name) == ("multiple", "QD7 THE UNION MEANS")
    assert [point.name for point in found.points] == ["Peace", "Money", "DK"]


@pytest.mark.parametrize("texts", [("It's right", "Habit", "Pride"), ("Why?", "Why?", "Why?")])
def test_answers_that_are_texts_name_items_where_labels_do_not(
    tmp_path: Path, texts: tuple[str, ...]
) -> None:
    answers = ["It?s right", "Habit", "Pride"]
    pairs = zip(TICKS.items(), answers, strict=True)
    frame = pd.DataFrame({name: [own if x else "" for x in ticks] for (name, ticks), own in pairs})
    labels = {name: f"Why pay? - {text}" for name, text in zip(TICKS, texts, strict=True)}
    found = question(labelled(tmp_path, frame, {}, labels))
    are_labelled = len({*texts}) == 3
    assert [point.name for point in found.points] == (list(texts) if are_labelled else answers)


@pytest.mark.parametrize("codes", ["abc", "123", ("1", "2", "99"), ("tea", "rum", "_99")])
def test_checkboxes_of_redcap_are_one_question(tmp_path: Path, codes: Any) -> None:
    names = [f"why___{code}" for code in codes]
    frame = pd.DataFrame(dict(zip(names, TICKS.values(), strict=True)))
    frame.to_csv(path := tmp_path / "s.csv", index=False)
    found = question(draft_codebook(path), "why")
    assert [point.column for point in found.points] == names
    assert [point.name for point in found.points] == names, "nothing better is known"
    texts = [f"Why? (choice={item})" for item in ("Tea", "Rum", "Ale")]
    found = question(labelled(tmp_path, frame, {}, dict(zip(names, texts, strict=True))), "why")
    assert [found.name, *(point.name for point in found.points)] == ["Why?", "Tea", "Rum", "Ale"]
    frame.columns = texts
    frame.replace({0: "Unchecked", 1: "Checked"}).to_csv(path, index=False)
    [found] = draft_codebook(path).codebook.questions
    assert [found.name, *(point.name for point in found.points)] == ["Why?", "Tea", "Rum", "Ale"]


# ---- grids ----


@pytest.mark.parametrize(
    ("columns", "text", "kinds"),
    [
        (70, "", {"single"}),
        (70, "Topic {}", {"single"}),
        (70, "How good is this? - Topic {}", {"grid"}),
        (60, "Topic {}", {"grid"}),
    ],
)
def test_many_columns_of_one_letter_are_a_grid_if_they_share_a_text(
    tmp_path: Path, columns: int, text: str, kinds: set[str]
) -> None:
    names = [f"V{number}" for number in range(1, columns + 1)]
    frame = pd.DataFrame({name: [1, 2, 3, 4, 5] for name in names})
    texts: Any = {name: text.format(name) for name in names}
    pyreadstat.write_sav(frame, tmp_path / "s.sav", column_labels=texts)
    assert {each.kind for each in draft_codebook(tmp_path / "s.sav").codebook.questions} == kinds
