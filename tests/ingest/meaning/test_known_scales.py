"""Scales by the words of their answers, and lists of names without one."""

from __future__ import annotations

import pytest

from audiencelab.ingest.meaning.known_scales import known_scale
from tests.ingest.meaning.scale_cases import Case, cases_of

SIXTY = cases_of("sixty_scales.toml")

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
1 | 2 | 3
"""


@pytest.mark.parametrize("case", SIXTY, ids=lambda case: case.id)
def test_words_show_order_and_ends(case: Case) -> None:
    scale = known_scale(case.labels)
    assert scale is not None
    ranked = zip(scale.ranks, case.labels, strict=True)
    placed = [label for _, label in sorted((r, label) for r, label in ranked if r is not None)]
    numbers = [label for label in case.labels if label.isdigit()]
    assert placed == [label for label in case.rising if label not in numbers]
    assert (scale.ends, scale.has_top) == (case.ends, case.top != "none")
    assert scale.is_whole is not bool(numbers)


@pytest.mark.parametrize("case", SIXTY, ids=lambda case: case.id)
def test_the_order_of_the_list_does_not_matter(case: Case) -> None:
    scale, turned = known_scale(case.labels), known_scale(case.labels[::-1])
    assert scale
    assert turned
    assert scale.ranks == turned.ranks[::-1]


@pytest.mark.parametrize("names", [line.split(" | ") for line in TRAPS.split("\n") if line])
def test_names_are_no_scale(names: list[str]) -> None:
    assert known_scale(names) is None
