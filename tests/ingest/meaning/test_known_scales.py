"""Scales by the words of their answers, and lists of names without one."""

from __future__ import annotations

import pytest

from audiencelab.ingest.meaning.known_scales import graded_in, known_scale
from tests.ingest.meaning.scale_cases import Case, cases_of

CASES = [
    case
    for file in ("sixty_scales.toml", "unseen_scales.toml", "northern_scales.toml")
    for case in cases_of(file)
]

TRAPS = """
Red | Green | Blue
Good Hope | Bad Homburg | Bad Nauheim
Bad Homburg | Bad Nauheim | Bad Kissingen
High Wycombe | Low Moor | Middle Wallop
Always | Whisper | Tampax
Never married | Married | Divorced | Widowed
Less than high school | High school | Some college | College degree
Full-time | Part-time | Not working
Democrat | Republican | Independent
Labour | Conservative | Liberal Democrat | Green
CDU/CSU | SPD | Die Linke | Die Grünen | FDP
Sehr Gut | Alnatura | Gut & Günstig | Rewe
Car | Bus | Train | None
None | Coffee | Tea
Yes, at home | Yes, at work | No
Male | Female | Other
North | South | East | West
Own | Rent | Live with family
Very | Berry | Cherry
Best Buy | Target | Costco
Weekly World News | Daily Mail | Monthly Review
Agree with Smith | Agree with Jones | Agree with both
More money | More time | More friends
Great Britain | Little Rock | Big Sur
Too Faced | Just Right | Benefit
Paris | London | Never been abroad
Strong Bow | Mild Ale | Weak Tea
Ja | Nein | Bier
Klein | Gross | Schwarz
Only Fools | Some Like It Hot | Much Ado
Very Peri | Classic Blue | Living Coral
Hard Rock | Easy Listening | Heavy Metal
Living comfortably | Doing alright | Just about getting by | Finding it very difficult
1 | 2 | 3
18-24 | 25-34 | 35-49
Under 18 | 18 to 34 | 35 and over
Gut Aiderbichl | Schlecht & Partner | Sehr GmbH
Pas de Calais | Très Chic | Bon Marché
Más País | Podemos | Sumar
Per Niente Wine | Molto Bene | Poco Loco
Bom Jesus | Porto Alegre | Belo Horizonte
Goed & Goedkoop | Beter Bed | Albert Heijn
Bra | Strumpor | Skor
Dobra Nasza | Złoty Potok | Bardzo
高島屋 | 三越 | 良品計画
大众 | 小米 | 好丽友
현대 | 기아 | 좋은데이
"""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_words_show_order_and_ends(case: Case) -> None:
    scale = known_scale(case.labels)
    assert scale is not None
    ranked = zip(scale.ranks, case.labels, strict=True)
    placed = [label for _, label in sorted((r, label) for r, label in ranked if r is not None)]
    numbers = [label for label in case.labels if label.isdigit()]
    assert placed == [label for label in case.rising if label not in numbers]
    assert (scale.ends, scale.has_top) == (case.ends, case.top != "none")
    assert scale.is_whole is not bool(numbers)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_order_of_the_list_does_not_matter(case: Case) -> None:
    scale, turned = known_scale(case.labels), known_scale(case.labels[::-1])
    assert scale
    assert turned
    assert scale.ranks == turned.ranks[::-1]


@pytest.mark.parametrize("names", [line.split(" | ") for line in TRAPS.split("\n") if line])
def test_names_are_no_scale(names: list[str]) -> None:
    assert known_scale(names) is None


@pytest.mark.parametrize(
    ("label", "graded"),
    [
        ("Very much so", True),
        ("eher selten", True),
        ("Plutôt utile", True),
        ("あまり使わない", True),
        ("Adidas", False),
        ("Other party", False),
        ("12", False),
    ],
)
def test_words_of_degree_are_found_in_labels(label: str, *, graded: bool) -> None:
    assert graded_in([label, f"{label}!"]) == 2 * graded


@pytest.mark.parametrize(
    "names",
    [
        ["Strong coffee", "Weak tea", "Still water", "Low-fat milk"],
        ["Better pay", "More flexible hours", "Too much stress", "Never liked it", "Moved house"],
        ["Meistens Auto", "Meistens Rad", "Meistens Bahn", "Nie unterwegs"],
    ],
)
def test_names_with_words_of_degree_are_not_graded(names: list[str]) -> None:
    assert 2 * graded_in(names) < len(names)
    assert graded_in(["Very glim", "Rather glim", "Zork"]) == 2


def test_ends_of_numbers_are_a_scale() -> None:
    scale = known_scale(["Extremely useful", "2", "3", "4", "Not useful at all"])
    assert scale is not None
    assert scale.ranks == (5.0, None, None, None, -5.0)
    assert not scale.is_whole


def test_one_answer_without_a_step_is_left_to_the_file() -> None:
    scale = known_scale(["Very good", "Good", "Bad", "It rained"])
    assert scale is not None
    assert scale.ranks == (4.0, 3.0, -3.0, None)
    assert not scale.is_whole


def test_a_denied_negative_pole_beside_the_positive_one_is_not_placed() -> None:
    assert known_scale(["Not at all unimportant", "Important", "Very important"]) is None
    polish = known_scale(["Bardzo ważne", "Raczej ważne", "Raczej nieważne", "W ogóle nieważne"])
    assert polish is not None
    assert polish.ranks == (4.0, 2.2, -2.2, -5.0)


def test_what_is_asked_about_may_be_the_negative_pole() -> None:
    scale = known_scale(["Very difficult", "Somewhat difficult", "Not difficult at all"])
    assert scale is not None
    assert (scale.ranks, scale.ends) == ((4.0, 2.0, -5.0), "amount")
