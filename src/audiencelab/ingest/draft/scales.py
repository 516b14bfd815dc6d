"""Codes that are numbers: of rating scales, of counts, of ages with a top code.

A mean needs a number for each answer. The code of an answer is one only where the file makes that
plain; codes of regions or brands are not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from audiencelab.ingest.codebook import number_of

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
_NOTHING = re.compile(r"(none|no|never|nothing|not at all)\b", re.IGNORECASE)
_LESS = re.compile(r"\b(less|fewer|younger|lower) than\b|\bunder\b|\bbelow\b", re.IGNORECASE)
_NO_ANSWER = re.compile(
    r"\b(don.?t know|do not know|dk|no answer|not answered|no response|refus\w*|prefer not|"
    r"rather not|not applicable|n/?a|inap\w*|no opinion|(can.?t|cannot|can not) (say|choose)|"
    r"unsure|not sure|undecided|missing|not asked|not available|not stated|not in universe|"
    r"unknown|skip\w*|none of|other|haven.?t|no experience|question not)\b",
    re.IGNORECASE,
)
_GRADED = re.compile(
    r"\b(dis)?agree|satisf|likely|probabl|definite|certain|importan|\b(good|bad|poor|fair|excellent|"
    r"often|never|always|usually|sometimes|occasional\w*|rarely|seldom|hardly|very|somewhat|"
    r"extremely|fairly|quite|pretty|rather|not (at all|too|very|much)|a lot|a (little|bit|few)|"
    r"great deal|much|more|most|less|least|neither|neutral|neutrally|same|better|worse|slightly|"
    r"moderate\w*|completely|totally|strongly|mildly|low|medium|high|daily|weekly|monthly|yearly|"
    r"every (day|week|month|year)|(once|twice|times) an? (day|week|month|year)|about right|"
    r"too (much|little|many|few)|average|only)\b",
    re.IGNORECASE,
)
_FEWEST = 3
_MOST = 11


def is_labelled_number(value: str, label: str) -> bool:
    """Whether a labelled value is the number that it looks like: 89 for "89 or older"."""
    number = number_of(value)
    if number is None or _NO_ANSWER.search(label):
        return False
    found = [float(each) for each in _NUMBER.findall(label.replace(",", ""))]
    if found:
        is_below = len(found) == 1 and _LESS.search(label) and found[0] == number + 1
        return bool(is_below) or {abs(each) for each in found} == {abs(number)}
    if number == 0:
        return bool(_NOTHING.match(label.strip()))
    first = label.strip().lower().split(" ")[0]
    return number in range(len(_WORDS)) and first == _WORDS[int(number)]


def scale_numbers(names: Mapping[str, str], *, is_ordinal: bool) -> dict[str, float]:
    """The numbers of the answers of a scale, by value; empty where its codes are not numbers.

    names: each value's label; a value without one is its own name. is_ordinal: the file says that
    the values have an order.
    """
    answers = {value: name for value, name in names.items() if not _NO_ANSWER.search(name)}
    numbers = {value: number_of(value) for value in answers}
    known = {value: number for value, number in numbers.items() if number is not None}
    if len(known) < len(answers) or len(known) < _FEWEST:
        return {}
    plain = [value for value, name in answers.items() if is_labelled_number(value, name)]
    # Numbered answers, perhaps with words at the ends of the scale alone.
    if 2 * len(plain) >= len(known):
        ends = {min(known, key=known.__getitem__), max(known, key=known.__getitem__)}
        middle = {value for value in known if value not in plain} - ends
        return {} if any(_NUMBER.search(answers[value]) for value in middle) else known
    ordered = sorted(known.values())
    is_row = all(number == ordered[0] + place for place, number in enumerate(ordered))
    has_words = not any(_NUMBER.search(name) for name in answers.values())
    has_words = has_words and len({*answers.values()}) == len(answers)
    is_graded = all(_GRADED.search(name) for name in answers.values())
    if is_row and len(known) <= _MOST and has_words and (is_ordinal or is_graded):
        return known
    return {}
