"""What differs by nature is no change, and what says another thing is never only worded so."""

from __future__ import annotations

import pytest

from audiencelab.notebook.sameness import canonical, elsewhere, only_words


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("{'audiencelab': '3.0.0', 'survey': 'a'}", "{'audiencelab': '3.0.1', 'survey': 'a'}"),
        (
            "Source: a (version 3a635e9d), counted 2026-11-30 with audiencelab 3.0.0",
            "Source: a (version 77aa01bc)",
        ),
        ("/tmp/ipykernel_12/34.py:3: Warning: no", "/var/x/ipykernel_9/8.py:3: Warning: no"),
    ],
)
def test_versions_dates_and_places_of_code_differ_by_nature(before: str, now: str) -> None:
    assert canonical(before) == canonical(now)


def test_a_folder_of_the_run_may_be_another_one_where_it_was_saved() -> None:
    now = "PosixPath('/tmp/Prüfung Ö 1/a.jsonl')"
    before = ["PosixPath('/home/maria/b c/a.jsonl')", "PosixPath('/home/maria/b c/other.jsonl')"]
    found = elsewhere(before, [now], ["/tmp/Prüfung Ö 1", "/tmp"])
    assert found == [now, before[1]]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("A letter marks a share that is larger.", "A letter marks a share that is smaller."),
        ("Two-sided z test at 95%", "One-sided z test at 95%"),
        ("z test, pooled, 95%", "z test, unpooled, 95%"),
        ("Base: all respondents", "Base: women"),
        ("80 to under 100", "80 to over 100"),
        ("significant, p = 0.04", "insignificant, p = 0.04"),
        ("4.2% higher than 3.1%", "4.2% lower than 3.1%"),
        ("Weight: wgt_a · 3 waves: A to C", "Weight: wgt_b · 3 waves: A to C"),
        ("Base: everyone · Waves: latest 4", "Base: everyone · 3 waves: A to C"),
        ("Women 44.8 D E", "Women 44.8 d e"),
        ("Women 44.8 ↑", "Women 44.8"),
        ("Source: survey a", "Source: survey b (version 3a635e9d)"),
        ("Unweighted", "Weight: wgt"),
        ("", "n = 5"),
    ],
)
def test_what_says_another_thing_is_no_wording(before: str, now: str) -> None:
    assert not only_words(before, now)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("See the manual, page 4.", "See the guide, page 4."),
        ("Base: everyone · Waves: latest 4", "Base: everyone · 4 waves: A to D · Unweighted"),
        ("Source: survey a", "Source: survey a (version 3a635e9d)"),
    ],
)
def test_our_own_words_may_be_others_in_another_version(before: str, now: str) -> None:
    assert only_words(before, now)


def test_a_label_is_no_word_of_ours() -> None:
    assert not only_words("18 to 24: Tea", "18 to 24: Coffee", frozenset({"tea", "coffee"}))
