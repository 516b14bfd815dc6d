"""What is said of columns whose labels and shares differ, and the code that decides it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import pytest

from audiencelab.ingest.columns import Variable
from audiencelab.ingest.drift import Decide, Drift
from audiencelab.ingest.drift.compare import WaveColumns, compare
from audiencelab.ingest.drift.seen import Seen
from audiencelab.ingest.meaning.profile import ColumnProfile

AGREE = ("Agree strongly", "Agree", "Neither", "Disagree", "Disagree strongly")


def column(
    name: str, shares: Sequence[float], labels: Sequence[str] = (), text: str = "", first: int = 1
) -> Seen:
    """A column of 600 respondents. shares: of the codes from `first` on, in percent."""
    counts = {f"{first + place}": round(6 * share) for place, share in enumerate(shares)}
    named = {f"{first + place}": label for place, label in enumerate(labels)}
    given = {value: count for value, count in counts.items() if count}
    return Seen.of(ColumnProfile(name, 600, given, Variable(text, named)))


def words(name: str, shares: Mapping[str, float]) -> Seen:
    """A column of words in place of codes."""
    counts = {word: round(6 * share) for word, share in shares.items()}
    return Seen.of(ColumnProfile(name, 600, counts, Variable()))


def drifts(
    old: Sequence[Seen],
    new: Sequence[Seen],
    questions: Mapping[str, str] | None = None,
    decide: Decide | None = None,
) -> list[Drift]:
    waves = [{each.name: each for each in columns} for columns in (old, new)]
    before = WaveColumns(waves[0], questions or {})
    return compare(before, WaveColumns(waves[1], {}), decide or {}, "al.open(…")


def test_one_item_of_a_grid_is_decided_alone() -> None:
    shares = (31, 36, 20, 9, 4)
    questions = {f"g_{n}": "g" for n in (1, 2)}
    old = [column("g_1", shares, AGREE), column("g_2", shares, AGREE)]
    new = [column("g_1", shares[::-1], AGREE), column("g_2", shares, AGREE)]
    [found] = drifts(old, new, questions)
    assert found.question == "g"
    assert found.detail.startswith("g_1: ")
    assert found.fix == 'al.open(…, decide={"g_1": {1: 5, 2: 4, 4: 2, 5: 1}})'
    [decided] = drifts(old, new, questions, {"g_1": {1: 5, 2: 4, 4: 2, 5: 1}, "g": "codes"})
    assert (decided.columns, decided.refuses) == (("g_1",), False)
    assert decided.reads["1"] == "5"


def test_an_item_whose_shares_are_alike_from_both_ends_is_named_beside_a_turned_one() -> None:
    one, other = (31, 36, 20, 9, 4), (10, 22, 35, 21, 12)
    questions = {f"g_{n}": "g" for n in (1, 2)}
    old = [column("g_1", one, AGREE), column("g_2", other, AGREE)]
    new = [column("g_1", one[::-1], AGREE), column("g_2", other[::-1], AGREE)]
    [found] = drifts(old, new, questions)
    assert found.detail.endswith("the shares of g_2 fit both")


@pytest.mark.parametrize("factor", [10, 200])
def test_numbers_in_another_unit_get_a_factor(factor: int) -> None:
    shares = {0: 2, 3: 4, 5: 10, 6: 14, 7: 22, 8: 20, 9: 16, 10: 12}
    counts = [{f"{n * by}": 6 * share for n, share in shares.items()} for by in (1, factor)]
    old, new = (Seen.of(ColumnProfile("n", 600, each, Variable())) for each in counts)
    [found] = drifts([old], [new])
    assert (found.kind, found.refuses) == ("range", True)
    assert found.fix == f'al.open(…, decide={{"n": {1 / factor}}})'


@pytest.mark.parametrize("decision", ["break", "labels"])
@pytest.mark.parametrize(
    ("five", "seven"),
    [
        (AGREE, ("Agree strongly", "Agree", "Rather agree", *AGREE[2:3], "Rather not", *AGREE[3:])),
        # Words that are not known as those of a scale.
        ("ABCDE", "AVBCDWE"),
    ],
)
def test_a_break_leaves_each_answer_its_own_label(
    five: Sequence[str], seven: Sequence[str], decision: Literal["break", "labels"]
) -> None:
    old = column("q", (5, 12, 20, 40, 23), five)
    read = new = column("q", (3, 8, 3, 22, 18, 32, 14), seven)
    found = drifts([old], [new], decide={"q": decision})
    for each in found:
        read = read.read_as(each.reads)
    assert any(each.is_break for each in found) == (decision == "break" or five == AGREE)
    shown = {label: value for value, label in read.labels.items()}
    assert [shown[label] for label in five] == old.values
    assert shown.keys() == {*seven}
    assert {label: read.counts[value] for label, value in shown.items()} == {
        label: new.counts[value] for value, label in new.labels.items()
    }


def test_answers_that_were_joined_are_a_new_one() -> None:
    old = column("r", (16, 18, 28, 38), ("North", "East", "South", "West"))
    new = column("r", (35, 29, 36), ("North-East", "South", "West"))
    found = drifts([old], [new])
    assert [each.kind for each in found] == [
        "moved codes",
        "new answer",
        "gone answer",
        "gone answer",
    ]
    assert found[0].reads == {"2": "3", "3": "4", "1": "5"}
    assert not any(each.refuses for each in found)


@pytest.mark.parametrize("label", ["North-East", "Zeta"])
def test_no_label_of_before_stays_with_other_people(label: str) -> None:
    old = column("r", (16, 18, 28, 38), ("North", "East", "South", "West"))
    labels = {"1": label, "3": "South", "4": "West"}
    counts = {"1": 210, "3": 170, "4": 220}
    new = Seen.of(ColumnProfile("r", 600, counts, Variable(labels=labels)))
    found = drifts([old], [new])[0]
    assert (found.kind, found.refuses) == ("renamed answer", True)
    assert found.fix == 'al.open(…, decide={"r": "labels"})'


TEXT = "How satisfied are you with {}?"


@pytest.mark.parametrize(
    ("one", "other", "is_other"),
    [
        (TEXT.format("your coffee"), TEXT.format("the support of Alba"), True),
        (TEXT.format("your coffee"), TEXT.format("your coffee in general"), False),
        ("Q5. Which do you know?", "Q12. Which do you know?", False),
        ("Bought in the last 4 weeks?", "Bought in the last 12 weeks?", True),
        ("Colour of the car", "Color of the car", False),
    ],
)
def test_a_text_with_other_words_is_a_break(one: str, other: str, is_other: bool) -> None:
    shares = (31, 36, 20, 9, 4)
    pair = [column("q", shares, AGREE, text) for text in (one, other)]
    [found] = drifts(pair[:1], pair[1:])
    assert (found.kind, found.is_break, found.refuses) == ("renamed question", is_other, False)


def test_another_brand_in_the_column_of_an_item_is_decided_first() -> None:
    def known(*names: str) -> list[Seen]:
        texts = [f"Which brands do you know? - {name}" for name in names]
        return [
            column(f"k_{n}", (60, 40), ("No", "Yes"), text) for n, text in enumerate(texts, start=1)
        ]

    questions = {f"k_{n}": "known" for n in (1, 2)}
    old, new = known("Alba", "Bern"), known("Alba", "Zeta")
    [found] = drifts(old, new, questions)
    assert (found.refuses, found.fix) == (True, 'al.open(…, decide={"k_2": "labels"})')
    assert [each.was for each in drifts(old, new, questions, {"k_2": "labels"})] == ["k_3"]
    # Two items that were exchanged get their own columns.
    found = drifts(old, known("Bern", "Alba"), questions, {"known": "labels"})
    assert [(each.column, each.was) for each in found] == [("k_1", "k_2"), ("k_2", "k_1")]


FIVE = {"very bad": 5, "bad": 12, "neither": 20, "good": 40, "very good": 23}


@pytest.mark.parametrize(
    ("kind", "new"),
    [
        (
            "words",
            {"terrible": 5, "rather poor": 10, "so so": 22, "okay": 40, "excellent": 23},
        ),
        (
            "points",
            {
                **FIVE,
                "neither": 20,
                "good": 15,
                "rather good": 20,
                "very good": 13,
                "rather bad": 5,
            },
        ),
    ],
)
def test_words_that_come_together_are_a_break(kind: str, new: Mapping[str, float]) -> None:
    found = drifts([words("q", FIVE)], [words("q", new)])
    assert [each.kind for each in found if each.is_break] == [kind]
    assert {each.value for each in found if each.kind == "new answer"} == new.keys() - FIVE.keys()


def test_two_brands_that_come_and_go_are_no_break() -> None:
    old = {"Alba": 50, "Bern": 30, "Caro": 12, "Dora": 5, "Elba": 3}
    new = {"Alba": 50, "Bern": 30, "Caro": 12, "Fano": 5, "Gala": 3}
    found = drifts([words("q", old)], [words("q", new)])
    assert {each.kind for each in found} == {"new answer", "gone answer"}
    assert not any(each.is_break for each in found)


def test_words_are_codes_of_before_and_its_missing_codes() -> None:
    old = column("q", (5, 12, 20, 40, 20), AGREE)
    variable = Variable(labels={**old.labels, "9": "No answer"}, missing=frozenset("9"))
    old = Seen.of(ColumnProfile("q", 600, {**old.counts, "9": 18}, variable))
    new = words("q", {**dict(zip(AGREE, (5, 12, 20, 40, 20), strict=True)), "No answer": 3})
    [found] = drifts([old], [new])
    assert found.reads == {**{each: f"{n}" for n, each in enumerate(AGREE, 1)}, "No answer": "9"}
