"""What students see: every kind of answer, in every form that is one, and clear words otherwise."""

from __future__ import annotations

import json
import os
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab import course
from audiencelab.course import student, students
from audiencelab.course.answer_types import labels_of
from audiencelab.course.exercises import EXERCISES
from audiencelab.course.records import FILE
from audiencelab.course.students import respondents_of
from tests.messages import fails


@pytest.fixture(autouse=True)
def ada(desk: Path) -> Path:
    course.connect("Ada")
    return desk


def right(number: str):
    """The right answer, worked out from the respondents."""
    return EXERCISES[number].answer(respondents_of("ada"))


def test_dots_wait_and_are_no_attempt(desk: Path) -> None:
    assert course.check("1.2").state == "waiting"
    assert course.check("1.2", ...).state == "waiting"
    assert course.check("1.2", None).state == "waiting"
    assert not (desk / FILE).exists()


@pytest.mark.parametrize(
    "form",
    [
        float,
        np.float64,
        lambda value: round(value, 2),
        lambda value: pd.Series([value]),
        lambda value: pd.DataFrame({"percentage": [value]}),
        np.array,
        lambda value: np.array([value]),
    ],
)
def test_a_number_in_any_form(form) -> None:
    assert course.check("1.2", form(right("1.2"))).right


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("16.3", "without quotation marks"),
        (True, "asks for a number"),
        (float("nan"), "missing"),
        (float("inf"), "infinite"),
        (pd.DataFrame({"a": [1, 2]}), "a DataFrame of 2 × 1"),
        ([1, 2], "a list"),
        (al.Q("q4").any("q4_7"), "asks for a number"),
    ],
)
def test_no_number(answer, words: str, desk: Path) -> None:
    with pytest.raises(course.AnswerError, match=words):
        course.check("1.2", answer)
    assert not (desk / FILE).exists()


def test_slips_that_any_number_may_have() -> None:
    share, million = right("1.2"), right("1.3")
    assert course.check("1.2", share / 100).slip == "share"
    assert course.check("1.2", share - 0.03).slip == "rounding"
    assert course.check("1.2", 250).slip == "impossible"
    assert course.check("1.3", million * 1e6).slip == "unit"
    assert course.check("5.3", -right("5.3")).slip == "sign"
    assert course.check("1.2", share + 40).state == "not yet"


def test_several_figures_in_any_form() -> None:
    respondents = respondents_of("ada")
    figures = right("2.5")
    labels = labels_of("q4", respondents)
    by_label = {labels[code]: value for code, value in figures.items()}
    assert course.check("2.5", figures).right
    assert course.check("2.5", by_label).right
    assert course.check("2.5", pd.Series(by_label)).right
    assert course.check("2.5", pd.DataFrame({"per cent": by_label})).right
    assert course.check("2.5", pd.DataFrame([by_label])).right
    shares = {name: value / 100 for name, value in by_label.items()}
    assert course.check("2.5", shares).slip == "share"
    assert course.check("2.5", by_label | {"18 to 24": 99.0}).words == "5 of 6 are right."
    none = course.check("2.5", {name: value + 20 for name, value in by_label.items()})
    assert (none.state, none.slip) == ("not yet", "")
    with fails(course.AnswerError):
        course.check("2.5", {"18 to 24": 50.0})
    with fails(course.AnswerError):
        course.check("2.5", 12.0)


def test_audiences_are_compared_by_who_is_in_them() -> None:
    watch = al.Q("media.m7").any("m7_2", "m7_3", "m7_4", "m7_5", "m7_6", "m7_7")
    assert course.check("2.4", watch).right
    assert course.check("2.4", al.Audience("Watch", watch)).right
    assert course.check("2.4", al.Q("media.m8").any()).slip == "answered for asked"
    # As many people, and others, are not the same.
    assert not course.check("2.4", watch & al.Q("q2").any("q2_1")).right
    with fails(course.AnswerError):
        course.check("2.4", "media.m7")


def chart(**scale) -> alt.Chart:
    frame = pd.DataFrame({"age": list("abcdef"), "share": right("6.4")})
    return (
        alt.Chart(frame, title="Bought clothes, base: all adults")
        .mark_bar()
        .encode(x="age", y=alt.Y("share", scale=alt.Scale(**scale)))
    )


def test_honest_charts() -> None:
    assert course.check("6.4", chart()).right
    assert course.check("6.4", chart(domain=[0, 100])).right
    assert course.check("6.4", chart() + chart().mark_text()).right
    assert course.check("6.4", chart().facet("age")).right


def test_charts_that_are_not_honest() -> None:
    assert course.check("6.4", chart(zero=False)).slip == "axis"
    assert course.check("6.4", chart(domain=[40, 70])).slip == "axis"
    assert course.check("6.4", chart(domainMin=30)).slip == "axis"
    assert course.check("6.4", chart(type="log")).slip == "axis"
    assert course.check("6.4", chart(zero=False).facet("age")).slip == "axis"
    assert course.check("6.4", chart().mark_line()).slip == "no bars"
    assert course.check("6.4", chart().properties(title="Clothes!")).slip == "base"
    other = chart()
    other.data = other.data.assign(share=other.data["share"] + 1)
    assert course.check("6.4", other).slip == "figures"
    with fails(course.AnswerError):
        course.check("6.4", 12)


def test_a_check_shows_itself_and_keeps_what_a_report_needs() -> None:
    found = course.check("1.2", 250)
    shown = found._repr_mimebundle_()
    assert shown["text/plain"].startswith("≈ 1.2")
    assert "between 0 and 100" in shown["text/html"]
    kept = json.loads(json.dumps(shown[student.MIME]))
    assert kept == {"exercise": "1.2", "student": "ada", "state": "nearly", "answer": 250.0}


def test_attempts_count_until_it_is_right() -> None:
    for answer in (1.0, 2.0, right("1.2"), 3.0):
        course.check("1.2", answer)
    frame = course.progress().to_frame().set_index("exercise")
    assert frame.loc["1.2", ["state", "attempts"]].tolist() == ["solved", 3]
    assert course.progress().solved == 1
    assert "1 of 32 exercises solved" in repr(course.progress())
    assert "✓ solved" in course.progress()._repr_html_()


def test_hints_come_one_by_one() -> None:
    steps = EXERCISES["1.1"].hints
    assert course.hint("1.1").steps == steps[:1]
    assert repr(course.hint("1.1")).startswith(f"1. {steps[0]}\n2. {steps[1]}\nThere is 1 more")
    for _ in range(3):
        last = course.hint("1.1")
    assert last.steps == steps
    assert "last hint" in last._repr_html_()
    assert course.progress().to_frame().set_index("exercise").loc["1.1", "hints"] == len(steps)


def test_without_a_name_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(students, "_signed_in", [])
    with fails(course.CourseError):
        course.check("1.1", 1)
    with fails(course.CourseError):
        course.connect()


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder that nobody may write")
def test_a_folder_that_cannot_be_written_to_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/proc")
    found = course.check("1.2", right("1.2"))
    assert found.right
    assert "could not be kept" in found.words


def test_a_record_that_is_none_of_ours(desk: Path) -> None:
    for text in ("{", '{"format": 1}', "[]", '{"format": 1, "students": {"ada": {"1.1": 4}}}'):
        (desk / FILE).write_text(text, encoding="utf-8")
        with fails(course.CourseError):
            course.progress()
    (desk / FILE).write_text('{"format": 2, "students": {}}', encoding="utf-8")
    with fails(course.CourseError):
        course.progress()
    os.truncate(desk / FILE, 10_000_000)
    with fails(course.CourseError):
        course.progress()


def test_the_folder_says_whose_it_is_where_one_student_worked_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    course.check("1.2", 1.0)
    monkeypatch.setattr(students, "_signed_in", [])
    assert course.check("1.2", right("1.2")).student == "ada"
    course.check("1.2", 1.0, student="grace")
    with fails(course.CourseError):
        course.check("1.2", 1.0)
