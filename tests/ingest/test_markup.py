"""HTML in headers, labels and answers becomes plain text; the names of columns stay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

from audiencelab.ingest import draft_codebook, import_survey
from audiencelab.ingest.codebook import CodedQuestion
from audiencelab.ingest.columns import ResponseSet
from audiencelab.ingest.markup import plain_text
from audiencelab.ingest.sources import Sources
from tests.survey.counting import counts_by_name

QUESTION = "<div>How <b>happy</b> are you&nbsp;today?</div>"
PLAIN = "How happy are you today?"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (QUESTION, PLAIN),
        ("First<br>second<BR/>third", "First second third"),
        ('<span style="color: red; a>b">Very</span> un<b>happy</b>', "Very unhappy"),
        ("<p class=MsoNormal>Yes<o:p></o:p></p>", "Yes"),
        ("H<sub>2</sub>O", "H2O"),
        ("<ul><li>One</li><li>Two</li></ul>", "One Two"),
        ("<script>alert(1)</script>Yes", "Yes"),
        ("Yes<!-- <b> no --> indeed", "Yes indeed"),
        ("<img src='a.png' alt='Nike'>", "Nike"),
        ("&lt;18", "<18"),
        ("&amp;lt;18", "<18"),
        ("&lt;b&gt;Bold&lt;/b&gt; text", "Bold text"),
        ("R&amp;D, 5&#8239;&euro;", "R&D, 5 €"),
        ("Cafe\u0301", "Caf\u00e9"),
    ],
)
def test_html_becomes_the_text_that_respondents_saw(text: str, plain: str) -> None:
    assert plain_text(text) == plain
    assert plain_text(plain) == plain


@pytest.mark.parametrize(
    "text",
    [
        *("a < b", "<18 years", "<25 000 €", "x <a and y> z", "a <b", "a --> b", "<< none >>"),
        *("R&D", "AT&T", "Q&not", "P&L; x", "{q1:NAOK}", "${q://QID1}", "<Brand>", "two\nlines"),
        # Without its tags, nothing would be left of it.
        *("<b>", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "&nbsp;"),
    ],
)
def test_what_only_looks_like_html_stays(text: str) -> None:
    assert plain_text(text) == text


@pytest.mark.parametrize("text", ["<script>", "<!--", "&amp;", "<a x='", "<a b=c "])
def test_long_texts_take_time_by_their_length(text: str) -> None:
    # Of a time by the square of the length, the test run would be stopped.
    assert plain_text(text * 20_000 + "end")


def _csv(folder: Path) -> Path:
    path = folder / "a.csv"
    path.write_text(f"{QUESTION},other\n&lt;18,1\n<b>Yes</b>,2\n<b>Yes</b>,1\n")
    return path


def _excel(folder: Path) -> Path:
    frame = pd.DataFrame({QUESTION: ["&lt;18", "<b>Yes</b>", "<b>Yes</b>"], "other": [1, 2, 1]})
    frame.to_excel(folder / "a.xlsx", index=False)
    return folder / "a.xlsx"


def _frame(folder: Path) -> Any:
    return pd.read_csv(_csv(folder))


@pytest.mark.parametrize("made", [_csv, _excel, _frame])
def test_headers_and_answers_are_named_by_their_text(
    tmp_path: Path, made: Callable[[Path], Any]
) -> None:
    source = made(tmp_path)
    [question, _] = draft_codebook(source).codebook.questions
    # The column and the values are those of the file, by which they are found.
    assert (question.name, question.column) == (PLAIN, QUESTION)
    assert question.labels == {"&lt;18": "<18", "<b>Yes</b>": "Yes"}
    survey = import_survey(
        Sources.open(source), draft_codebook(source).codebook, tmp_path / "survey"
    )
    assert counts_by_name(survey, question.code) == {"<18": 1, "Yes": 2}


def test_labels_of_statistics_files_and_of_sets(tmp_path: Path) -> None:
    path = tmp_path / "a.sav"
    pyreadstat.write_sav(
        pd.DataFrame({"q1": [1.0, 2, 2]}),
        path,
        column_labels=[QUESTION],
        variable_value_labels={"q1": {1.0: "<i>No</i>", 2.0: "&lt;18"}},
        file_label="<b>Tea</b> &amp; coffee",
    )
    draft = draft_codebook(path)
    [question] = draft.codebook.questions
    assert (question.name, [*question.labels.values()]) == (PLAIN, ["No", "<18"])
    assert draft.codebook.study.name == "Tea & coffee"
    assert ResponseSet("s", QUESTION, ("q1",), None).label == PLAIN


def _dictionary(folder: Path, rows: str, labels: str) -> CodedQuestion:
    (folder / "a.csv").write_text(rows)
    (folder / "labels.csv").write_text(labels)
    draft = draft_codebook(folder / "a.csv", labels=folder / "labels.csv")
    return draft.codebook.questions[0]


def test_labels_of_a_dictionary(tmp_path: Path) -> None:
    labels = f"variable,value,label\ntea,,{QUESTION}\ntea,1,<b>No</b>\ntea,2,Yes&nbsp;\n"
    question = _dictionary(tmp_path, "tea\n1\n2\n", labels)
    assert (question.name, [*question.labels.values()]) == (PLAIN, ["No", "Yes"])


def test_items_with_html_in_their_stem_are_one_question(tmp_path: Path) -> None:
    header = ",".join(f"<p>Which <b>drinks</b>?</p> - <i>{item}</i>" for item in ("Tea", "Milk"))
    (tmp_path / "a.csv").write_text(f"{header}\nYes,No\nNo,Yes\nYes,Yes\n")
    [question] = draft_codebook(tmp_path / "a.csv").codebook.questions
    assert (question.name, question.kind) == ("Which drinks?", "multiple")
    assert [each.name for each in question.points] == ["Tea", "Milk"]


def test_values_of_one_text_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("q1\n<b>Yes</b>\nYes\nNo\n")
    [question] = draft_codebook(tmp_path / "a.csv").codebook.questions
    assert sorted(question.labels.values()) == ["No", "Yes (<b>Yes</b>)", "Yes (Yes)"]
