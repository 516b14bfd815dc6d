"""Groups of respondents, counted one by one."""

from __future__ import annotations

from audiencelab.course.judging import respondents_of
from audiencelab.course.respondents import EVERYONE, asked, given


def test_a_question_that_no_wave_asked_was_asked_of_nobody() -> None:
    respondents = respondents_of("ada")
    assert respondents.sample(asked("nowhere.q1")) == 0
    assert respondents.sample(given("nowhere.q1")) == 0
    assert 0 < respondents.sample(asked("media.m8")) < respondents.sample(EVERYONE)
