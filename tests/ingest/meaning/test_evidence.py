"""What words, numbers and codes say together, and what is left as the file has it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.ingest import Draft, draft_codebook, from_frame
from audiencelab.ingest.codebook import CodedQuestion
from audiencelab.ingest.meaning.evidence import Answer, Evidence, evidence_of, text_order

AGREEMENT = ("Strongly agree", "Agree", "Neither agree nor disagree", "Disagree",
             "Strongly disagree")  # fmt: skip


def listed(*labels: str, codes: tuple[int, ...] = (), is_ordinal: bool = False) -> Evidence:
    values = codes or tuple(range(1, len(labels) + 1))
    answers = [Answer(label, str(value)) for label, value in zip(labels, values, strict=True)]
    return evidence_of(answers, is_ordinal=is_ordinal)


def labelled(tmp_path: Path, labels: dict[int, str]) -> tuple[Draft, CodedQuestion]:
    path = tmp_path / "q5.sav"
    frame = pd.DataFrame({"q5": [*labels] * 4})
    pyreadstat.write_sav(frame, path, variable_value_labels={"q5": labels})
    draft = draft_codebook(path)
    return draft, draft.codebook.questions[0]


@pytest.mark.parametrize(
    ("labels", "top", "ends"),
    [
        (AGREEMENT, "first", "opposite"),
        (AGREEMENT[::-1], "last", "opposite"),
        ((*AGREEMENT, "Don't know"), "first", "opposite"),
        (("Never", "Rarely", "Sometimes", "Often"), "last", "amount"),
        (("Very satisfied", "2", "3", "4", "Very dissatisfied"), "first", "opposite"),
        (("18 to 24", "25 to 34", "35 and over"), "last", "amount"),
        (("35 and over", "25 to 34", "18 to 24"), "first", "amount"),
        (("Too much", "About right", "Too little"), "none", "opposite"),
        (("Auf jeden Fall", "Wahrscheinlich", "Vielleicht", "Wahrscheinlich nicht",
          "Auf keinen Fall"), "first", "amount"),
    ],
)  # fmt: skip
def test_the_top_of_listed_answers(labels: tuple[str, ...], top: str, ends: str) -> None:
    found = listed(*labels)
    assert (found.top, found.ends) == (top, ends)
    assert found.order == tuple(range(len(labels))), "labels are never turned"
    assert found.doubts == ()


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (("Strongly agree", "Disagree", "Neither agree nor disagree", "Agree",
          "Strongly disagree"), "contradiction"),
        (("Daily", "Never", "Weekly"), "contradiction"),
        (("25 to 34", "18 to 24", "35 and over"), "contradiction"),
    ],
)  # fmt: skip
def test_a_contradiction_is_left_as_in_the_file(labels: tuple[str, ...], kind: str) -> None:
    found = listed(*labels)
    assert found.top == "unknown"
    assert found.order == tuple(range(len(labels)))
    assert [doubt.kind for doubt in found.doubts] == [kind]


def test_codes_in_another_order_than_the_words_are_not_scores() -> None:
    found = listed(*AGREEMENT, codes=(1, 3, 2, 4, 5))
    assert (found.top, found.scores) == ("first", {})
    assert [doubt.kind for doubt in found.doubts] == ["codes"]


def test_two_scales_in_one_question_have_no_top() -> None:
    found = listed("Strongly agree", "Agree", "Never", "Often")
    assert found.top in (None, "unknown")


def test_an_answer_with_a_code_apart_is_off_a_scale_that_is_whole() -> None:
    found = listed(*AGREEMENT, "It depends on the weather", codes=(1, 2, 3, 4, 5, 8))
    assert (found.off, found.top) == ({5}, "first")
    assert [*found.scores] == [0, 1, 2, 3, 4]
    assert [doubt.kind for doubt in found.doubts] == ["off scale"]
    nearer = listed(*AGREEMENT, "It depends on the weather", codes=(1, 2, 3, 4, 5, 6))
    assert nearer.off == frozenset()


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (("Agree", "Agree strongly", "Disagree", "Disagree strongly", "Don't know", "Neither"),
         ("Disagree strongly", "Disagree", "Neither", "Agree", "Agree strongly", "Don't know")),
        (("$100,000 to $149,999", "$25,000 to $49,999", "Prefer not to say", "Less than $25,000"),
         ("Less than $25,000", "$25,000 to $49,999", "$100,000 to $149,999", "Prefer not to say")),
        (("3 - ok", "5 - very good", "1 - very bad", "99 - Don't know", "4", "2"),
         ("1 - very bad", "2", "3 - ok", "4", "5 - very good", "99 - Don't know")),
        (("Red", "Don't know", "Blue"), ("Blue", "Red", "Don't know")),
        (("Yes", "No"), ("No", "Yes")),
        (("10", "9", "none"), ("none", "9", "10")),
    ],
)  # fmt: skip
def test_texts_without_labels_have_an_order(texts: tuple[str, ...], order: tuple[str, ...]) -> None:
    assert tuple(text_order(texts)) == order


SATISFIED = ("Very satisfied", "Rather satisfied", "Rather dissatisfied", "Very dissatisfied")
FOUR = ("Con toda seguridad", "Probablemente sí", "Probablemente no", "Con toda seguridad no")


@pytest.mark.parametrize(
    ("points", "other"),
    [
        (FOUR, "No sabe todavía"),
        (SATISFIED, "Have not tried"),
        (SATISFIED, "Never heard of it"),
        (SATISFIED, "I still cannot say"),
        (("Very interested", "Quite interested", "Not at all interested"),
         "I have not heard of this"),
        (("Mycket viktigt", "Ganska viktigt", "Inte alls viktigt"), "Kan inte ta ställning"),
        (("Varje dag", "Några gånger i veckan", "Sällan eller aldrig"), "Minns inte"),
    ],
)  # fmt: skip
def test_an_answer_without_an_opinion_is_no_point(points: tuple[str, ...], other: str) -> None:
    coded = listed(*points, other)
    assert (coded.off, coded.top, coded.doubts) == ({len(points)}, "first", ())
    texts = sorted((*points, other))
    assert text_order(texts) == [*points[::-1], other]


def test_without_an_end_no_experience_is_the_lowest() -> None:
    assert listed("A lot", "Some", "A little", "Never tried it").off == frozenset()


def test_numbers_between_ends_with_words_are_a_row() -> None:
    texts = sorted(["Not at all likely", *map(str, range(1, 10)), "Extremely likely", "Don't know"])
    found = evidence_of([Answer(each, each) for each in texts], is_free=True)
    row = ["Not at all likely", *map(str, range(1, 10)), "Extremely likely"]
    assert [texts[place] for place in found.order] == [*row, "Don't know"]
    assert (found.top, found.ends, found.doubts) == ("last", "amount", ())
    assert {texts[place]: score for place, score in found.scores.items()} == dict(
        zip(row, range(11), strict=True)
    )
    gap = evidence_of([Answer(each, each) for each in texts if each != "4"], is_free=True)
    assert (gap.top, gap.scores) == ("last", {})


def test_a_denial_at_the_lower_end_of_amounts_is_none() -> None:
    days = ("5 or more days a week", "3-4 days a week", "1-2 days a week", "Less than once a week")
    assert listed(*days, "I do not exercise").top == "first"
    [doubt] = listed("I do not exercise", *days).doubts
    assert doubt.kind == "top", "not known: a line says so"


def test_a_word_that_may_be_misread_proposes_no_order(tmp_path: Path) -> None:
    labels = ["Strongly agree", "Agree", "Disagree", "Rather agree", "Strongly disagree"]
    draft, question = labelled(tmp_path, dict(enumerate(labels, 1)))
    assert question.top is None
    [guess] = [each for each in draft.guesses if each.about == "q5"]
    assert guess.code == 'client.edit("q5", order=[…], top="last")'
    assert "may say another order" in guess.said


def test_numbers_and_names_are_no_scale_of_words() -> None:
    for texts in (["0", "1", "2", "3", "4", "5", "lots", "12ish"],
                  ["Strong coffee", "Weak tea", "Hot chocolate", "Low-fat milk"]):  # fmt: skip
        assert evidence_of([Answer(each, each) for each in texts], is_free=True).doubts == ()


def test_texts_with_codes_are_read_like_labels() -> None:
    texts = ("1 - Very satisfied", "2 - Satisfied", "3 - Dissatisfied", "4 - Very dissatisfied")
    found = evidence_of([Answer(each, each) for each in texts], is_free=True)
    assert (found.top, found.scores) == ("first", {0: 1, 1: 2, 2: 3, 3: 4})


def test_a_scale_that_is_not_known_is_a_doubt(tmp_path: Path) -> None:
    texts = ["Very glim", "Rather glim", "Not glim", "Zork"]
    draft = draft_codebook(pd.DataFrame({"q": texts * 5}))
    [guess] = [each for each in draft.guesses if each.subject == "order"]
    assert (guess.about, guess.subject, guess.severity) == ("q", "order", 1)
    assert guess.code.startswith('client.edit("q", order=[')
    towns = draft_codebook(pd.DataFrame({"town": ["Rome", "Bern", "Oslo"] * 5}))
    assert not [each for each in towns.guesses if each.about == "town"]


def test_reversed_codes_are_said_with_their_top(tmp_path: Path) -> None:
    draft, question = labelled(tmp_path, dict(enumerate(AGREEMENT, 1)) | {8: "Don't know"})
    assert (question.top, question.ends, question.off_scale) == ("first", "opposite", (8,))
    off, guess = sorted(
        (each for each in draft.guesses if each.about == "q5"), key=lambda g: g.severity
    )
    assert off.said == '"Don\'t know": in shares, and not in means'
    assert guess.said == "'Strongly agree' is the top (1 = Strongly agree)"
    assert (guess.code, guess.severity) == ('client.edit("q5", top="last")', 2)


def test_a_contradiction_names_both_orders_and_the_code(tmp_path: Path) -> None:
    draft, question = labelled(tmp_path, {1: "Daily", 2: "Never", 3: "Weekly"})
    assert (question.top, {point.midpoint for point in question.points}) == (None, {None})
    [guess] = [each for each in draft.guesses if each.about == "q5"]
    assert guess.severity == 0
    assert "'Daily', 'Never', 'Weekly'" in guess.said
    assert guess.code == 'client.edit("q5", order=["Never", "Weekly", "Daily"], top="last")'


def test_an_open_band_is_a_point_of_the_scale_and_asks_for_a_number(tmp_path: Path) -> None:
    bands = ["$0", "Less than $10,000", "$10,000 to $19,999", "$20,000+", "No answer"]
    frame = pd.DataFrame({"income": bands * 4, "sex": ["f", "m"] * 10})
    draft = draft_codebook(frame)
    income = draft.codebook.questions[0]
    assert [point.name for point in income.points] == bands
    assert [point.midpoint for point in income.points] == [0, None, 14999.5, None, None]
    assert (income.top, income.ends, income.off_scale) == (None, None, ("No answer",))
    said = [guess.said for guess in draft.guesses if guess.about == "income"]
    less, more = "'Less than $10,000' (4)", "'$20,000+' (4)"
    assert f"{less} and {more} have no midpoints: left out of means" in said
    scores = '{"Less than $10,000": 5000.0, "$20,000+": 27500.0}'
    assert f'client.edit("income", scores={scores})' in [guess.code for guess in draft.guesses]
    alone = draft_codebook(frame[frame.income != "No answer"])
    assert alone.codebook.questions[0].off_scale == ()
    survey = from_frame(frame[frame.income != "No answer"], alone.codebook, tmp_path / "survey")
    client = al.connect(survey=survey)
    assert "off_scale:" in client["income"].record.flags
    assert client.crosstab(client["income"].top_box(1))["column"].squeeze() == pytest.approx(25)


def test_labels_in_another_form_of_unicode_are_the_same_words() -> None:
    labels = ("Sehr zufrieden", "Eher zufrieden", "Eher unzufrieden")
    assert listed(*labels, "U\u0308berhaupt nicht zufrieden").top == "first"


def test_names_labels_and_values_are_in_the_form_nfc(tmp_path: Path) -> None:
    path, apart = tmp_path / "nfd.sav", "a\u0308"
    frame = pd.DataFrame({f"k{apart}se": [1.0, 2.0], "b": [f"S{apart}ge", "Holz"]})
    scales = {f"k{apart}se": {1: f"m{apart}\u00dfig", 2: "gut"}}
    pyreadstat.write_sav(
        frame, path, column_labels=["", f"Ger{apart}t"], variable_value_labels=scales
    )
    first, second = draft_codebook(path).codebook.questions
    assert (first.name, first.points[0].name) == ("käse", "mäßig")
    assert (second.name, [*second.labels]) == ("Gerät", ["Holz", "Säge"])


# ---- ranks, sums and many columns ----

RNG = np.random.default_rng(7)
RANKS = np.array([RNG.permutation(5) + 1 for _ in range(60)])


def drafted(cells: object, *, stem: str = "r_") -> tuple[Draft, list[CodedQuestion]]:
    frame = pd.DataFrame(cells)
    draft = draft_codebook(frame.set_axis([f"{stem}{at + 1}" for at in frame.columns], axis=1))
    return draft, [*draft.codebook.questions]


def test_ranks_are_no_grid_and_have_no_top() -> None:
    draft, questions = drafted(RANKS)
    assert {(each.kind, each.form, each.top) for each in questions} == {("single", "rank", "none")}
    assert len(questions) == 5
    [guess] = [each for each in draft.guesses if each.subject == "numbers"]
    assert guess.said.startswith("r_1 … r_5 are ranks, each given once by 100% of")
    _, first_three = drafted(np.where(RANKS > 3, np.nan, RANKS))
    assert [each.form for each in first_three] == ["rank"] * 5


def test_parts_of_a_constant_sum_are_no_grid() -> None:
    parts = 10 * RNG.multinomial(10, [0.2, 0.3, 0.5], 60)
    draft, questions = drafted(parts)
    assert [each.form for each in questions] == ["sum"] * 3
    assert any("add up to 100 for 100%" in guess.said for guess in draft.guesses)


@pytest.mark.parametrize(
    ("cells", "kinds"),
    [
        (RNG.integers(1, 6, (60, 5)), ["grid"]),
        (np.array([RNG.permutation([1, 1, 0, 0, 0]) for _ in range(60)]), ["multiple"]),
        (np.where(RNG.random((60, 5)) < 0.5, 1.0, np.nan), ["multiple"]),
        (RNG.integers(1, 3, (60, 3)), ["multiple"]),
        (np.full((60, 4), 3), ["multiple"]),
    ],
)
def test_grids_and_sets_are_neither_ranks_nor_sums(cells: object, kinds: list[str]) -> None:
    _, questions = drafted(cells)
    assert [each.form for each in questions] == [None] * len(questions)
    assert [each.kind for each in questions] == kinds


def test_many_columns_with_texts_of_their_own_are_questions(tmp_path: Path) -> None:
    names = [f"stat_{at}" for at in range(1, 71)]
    scale = dict(enumerate(AGREEMENT, 1))
    cells = pd.DataFrame(RNG.integers(1, 6, (20, len(names))), columns=names)
    for text, count in (("Statement: thing {}", 70), ("How far do you agree? - Thing {}", 1)):
        labels = {name: text.format(at) for at, name in enumerate(names)}
        path = tmp_path / "many.sav"
        scales = dict.fromkeys(names, scale)
        pyreadstat.write_sav(cells, path, column_labels=labels, variable_value_labels=scales)
        assert len(draft_codebook(path).codebook.questions) == count


def test_items_in_japanese_have_their_common_text_as_name(tmp_path: Path) -> None:
    names = ["J1", "J2", "J3"]
    labels = {
        name: f"次の商品をどう思いますか。{item}"
        for name, item in zip(names, ("お茶", "水", "牛乳"), strict=True)
    }
    path = tmp_path / "items.sav"
    cells = pd.DataFrame(RNG.integers(1, 6, (20, 3)), columns=names)
    scale = dict(enumerate(AGREEMENT, 1))
    scales = dict.fromkeys(names, scale)
    pyreadstat.write_sav(cells, path, column_labels=labels, variable_value_labels=scales)
    [grid] = draft_codebook(path).codebook.questions
    assert grid.name == "次の商品をどう思いますか。"
    assert [point.name for point in grid.points] == ["お茶", "水", "牛乳"]
