"""What students see: every kind of answer, in every form that is one, and clear words otherwise."""

from __future__ import annotations

import os
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd
import polars as pl
import pytest

import audiencelab as al
from audiencelab import course
from audiencelab.course import students
from audiencelab.course.answer_types import labels_of
from audiencelab.course.exercises import EXERCISES
from audiencelab.course.given_numbers import number_in
from audiencelab.course.records import FILE, ProgressFile
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
        lambda value: [value],
        lambda value: (value,),
        lambda value: Decimal(str(value)),
        Fraction,
        lambda value: f" {value:.2f} ",
        lambda value: f"{value:.2f} %",
        lambda value: f"{value:.2f}".replace(".", ","),
        lambda value: pd.Series([value]),
        lambda value: pd.DataFrame({"percentage": [value]}),
        np.array,
        lambda value: np.array([value]),
        lambda value: pl.Series([value]),
        lambda value: pl.DataFrame({"percentage": [value]}),
    ],
)
def test_a_number_in_any_form(form) -> None:
    assert course.check("1.2", form(right("1.2"))).right


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("54.7", 54.7),
        (" -3 ", -3),
        ("\u22123", -3),
        ("1e3", 1000),
        (".5", 0.5),
        ("54,7", 54.7),
        ("0,1234", 0.1234),
        ("41 000", 41_000),
        ("41\u202f000", 41_000),
        ("1,234,567.8", 1_234_567.8),
        ("1,234.5", 1234.5),
        ("1,234", None),
        ("12 of 40", None),
        ("12 40", None),
        ("54,7.1", None),
        ("", None),
        ("9" * 5000, None),
        ("nan", None),
        ("\u0663", 3),
    ],
)
def test_a_text_is_a_number_where_it_is_clear(text: str, number: float | None) -> None:
    assert number_in(text) == number


class _Broken:
    """Whatever it is asked raises."""

    def __getattr__(self, name: str) -> None:
        raise RuntimeError(name)


SELF: list[object] = []
SELF.append(SELF)
ODD = (
    ("about a third", "Give the number alone"),
    ("", "Give the number alone"),
    ("1,234", "Give the number alone"),
    (True, "asks for a number"),
    (float("nan"), "missing"),
    (float("inf"), "infinite"),
    (10**400, "infinite"),
    (-(10**400), "infinite"),
    (Decimal("sNaN"), "missing"),
    (1j, "a complex"),
    (np.array([]), "a ndarray of 0"),
    (np.array(None), "asks for a number"),
    (pd.NA, "NAType"),
    (pd.NaT, "NaTType"),
    (pd.Series([1, 2]), "a Series of 2"),
    (pd.DataFrame({"a": [1, 2]}), "a DataFrame of 2 × 1"),
    (pd.DataFrame(), "a DataFrame of 0 × 0"),
    ([1, 2], "a list"),
    ([], "a list"),
    (SELF, "a list"),
    ((...,), "a tuple"),
    ({}, "a dict"),
    ({"18 to 24": None}, "a dict"),
    (range(3), "a range"),
    (b"1", "a bytes"),
    (print, "a builtin_function"),
    (al.Q("q4").any("q4_7"), "asks for a number"),
    (al.Q("nowhere").any("x"), "asks for a number"),
    (_Broken(), "a _Broken"),
)


@pytest.mark.parametrize("number", ["1.2", "2.4", "2.5", "6.4"])
def test_odd_answers_are_not_yet_right_and_attempts(number: str, desk: Path) -> None:
    """One exercise for each type of answer."""
    asks_for = EXERCISES[number].kind.asks_for
    odd = [each for each in ODD if number != "2.4" or "q4_7" not in repr(each)]
    for tries, (answer, words) in enumerate(odd, 1):
        found = course.check(number, answer)
        assert (found.state, found.slip) == ("not yet", "not an answer"), answer
        assert asks_for in found.words or "nowhere" in found.words
        assert number != "1.2" or words in found.words
        entry = ProgressFile.read(desk / FILE).students["ada"][number]
        assert (entry.attempts, entry.solved, entry.answer) == (tries, False, None)


def test_slips_that_any_number_may_have() -> None:
    share, million = right("1.2"), right("1.3")
    assert course.check("1.2", share / 100).slip == "share"
    assert course.check("1.2", round(share / 100, 2)).slip == "share"
    assert course.check("1.2", 250).slip == "impossible"
    assert course.check("1.3", million * 1e6).slip == "unit"
    assert course.check("5.3", -right("5.3")).slip == "sign"
    assert course.check("1.2", share + 40).state == "not yet"


def test_rounded_is_only_what_may_be_the_right_value() -> None:
    share = right("1.2")
    for digits in (0, 1):
        found = course.check("1.2", round(share, digits))
        assert (found.state, found.slip) == ("nearly", "rounded")
        assert "Give 2 decimals" in found.words
    near = course.check("1.2", share + 0.05)
    assert (near.state, near.slip) == ("not yet", "")
    assert "decimals" not in near.words
    other = course.check("1.2", round(share, 1) + 0.3)
    assert (other.state, other.slip) == ("not yet", "")
    assert "Give 2 decimals, so that" in other.words
    # A count is exact, and has no digits to lose.
    assert course.check("1.1", right("1.1") + 0.5).words.startswith("Not what I get.")
    assert course.check("1.3", round(right("1.3"), -1)).slip == "rounded"


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
    tenths = {name: round(value, 1) for name, value in by_label.items()}
    assert course.check("2.5", tenths).slip == "rounded"
    assert "none for 25 to 34" in course.check("2.5", {"18 to 24": 50.0}).words
    assert course.check("2.5", 12.0).slip == "not an answer"


def test_audiences_are_compared_by_who_is_in_them() -> None:
    watch = al.Q("media.m7").any("m7_2", "m7_3", "m7_4", "m7_5", "m7_6", "m7_7")
    assert course.check("2.4", watch).right
    assert course.check("2.4", al.Audience("Watch", watch)).right
    assert course.check("2.4", al.Q("media.m8").any()).slip == "answered for asked"
    # As many people, and others, are not the same.
    assert not course.check("2.4", watch & al.Q("q2").any("q2_1")).right
    assert course.check("2.4", "media.m7").slip == "not an answer"


def chart(labels=None, **scale) -> alt.Chart:
    labels = labels or list(labels_of("q4", respondents_of("ada")).values())[1:]
    frame = pd.DataFrame({"age": labels, "per.cent": list(right("6.4").values())})
    return (
        alt.Chart(frame)
        .mark_bar()
        .encode(x="age:N", y=alt.Y("per\\.cent:Q", scale=alt.Scale(**scale)))
    )


def test_charts_are_judged_by_their_data() -> None:
    assert course.check("6.4", chart()).right
    assert course.check("6.4", chart(domain=[0, 100])).right
    assert course.check("6.4", chart() + chart().mark_text()).right
    assert course.check("6.4", chart().facet("age:N")).right
    assert course.check("6.4", chart().encode(y="mean(per\\.cent):Q")).right
    drawn = chart()
    drawn.data = drawn.data.assign(share=drawn.data["per.cent"].round(1) / 100)
    assert course.check("6.4", drawn.encode(x="share:Q", y="age:N")).right


def test_charts_that_are_not_honest() -> None:
    assert course.check("6.4", chart(zero=False)).slip == "axis"
    assert course.check("6.4", chart(domain=[40, 70])).slip == "axis"
    assert course.check("6.4", chart(domainMin=30)).slip == "axis"
    assert course.check("6.4", chart(type="log")).slip == "axis"
    assert course.check("6.4", chart(zero=False).facet("age:N")).slip == "axis"
    assert course.check("6.4", chart().mark_line()).slip == "no bars"
    ages = chart().data["age"].tolist()
    assert course.check("6.4", chart(ages[::-1])).slip == "figures"
    assert course.check("6.4", chart(list("abcdef"))).slip == "unread"
    assert course.check("6.4", chart().encode(y="count():Q")).slip == "unread"
    other = chart()
    other.data = other.data.assign(**{"per.cent": other.data["per.cent"] + 1})
    assert course.check("6.4", other).slip == "figures"
    both = chart()
    both.data = pd.concat([both.data, other.data])
    assert course.check("6.4", both).slip == "unread"
    assert course.check("6.4", chart().encode(color="nowhere")).slip == "not an answer"
    assert course.check("6.4", 12).slip == "not an answer"


def test_a_check_shows_itself() -> None:
    found = course.check("1.2", 250)
    assert repr(found).startswith("≈ 1.2")
    assert "between 0 and 100" in found._repr_html_()


def test_attempts_count_until_it_is_right() -> None:
    for answer in (1.0, 2.0, right("1.2"), 3.0):
        course.check("1.2", answer)
    frame = course.progress().to_frame().set_index("exercise")
    assert frame.loc["1.2", ["state", "attempts"]].tolist() == ["solved", 3]
    assert course.progress().solved == 1
    assert f"1 of {len(EXERCISES)} exercises solved" in repr(course.progress())
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
