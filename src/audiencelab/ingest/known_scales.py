"""The order of answers that many questionnaires share, such as "Disagree" to "Agree"."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SCALES = (
    "strongly disagree, completely disagree, totally disagree | disagree | tend to disagree, "
    "somewhat disagree, slightly disagree | neither agree nor disagree, neither, neutral, undecided"
    " | somewhat agree, slightly agree, tend to agree | agree | strongly agree, completely agree, "
    "totally agree",
    "extremely dissatisfied, completely dissatisfied | very dissatisfied | dissatisfied | "
    "fairly dissatisfied, somewhat dissatisfied, slightly dissatisfied | "
    "neither satisfied nor dissatisfied, neither, neutral | "
    "fairly satisfied, somewhat satisfied, slightly satisfied | satisfied | very satisfied | "
    "extremely satisfied, completely satisfied",
    "extremely unlikely | very unlikely | unlikely | fairly unlikely, somewhat unlikely | "
    "neither likely nor unlikely, neither, neutral | fairly likely, somewhat likely | likely | "
    "very likely | extremely likely",
    "not at all important, unimportant | not very important | slightly important | "
    "fairly important, somewhat important, moderately important | important | very important | "
    "extremely important",
    "never | hardly ever, almost never | rarely, seldom | occasionally | sometimes | "
    "often, frequently, regularly | usually | very often, most of the time | always",
    "never | yearly, annually | quarterly | monthly | weekly | daily",
    "very poor, very bad | poor, bad | fair, average | good | very good | excellent",
    "very low | low | medium, moderate | high | very high",
    "not at all | a little, slightly | somewhat, moderately | quite a bit | a lot, very much | "
    "a great deal, extremely",
)
"""Scales from the lowest step to the highest; words of the same step are between commas."""

_RANKS = [
    {word.strip(): rank for rank, words in enumerate(scale.split("|")) for word in words.split(",")}
    for scale in _SCALES
]
_NO_ANSWER = re.compile(
    r"(don.?t|do not) know|not sure|unsure|no (answer|opinion)|not applicable|n/?a|refused"
    r"|prefer not to (say|answer)"
)
_FEWEST = 3


def known_order(values: Iterable[str]) -> list[str]:
    """The values from the lowest step to the highest; [] where they are not a scale known here.

    Values such as "Don't know" are not among them.
    """
    folded = {value: value.strip().casefold() for value in values}
    steps = {v: word for v, word in folded.items() if not _NO_ANSWER.fullmatch(word)}
    for ranks in _RANKS:
        if len(steps) >= _FEWEST and ranks.keys() >= set(steps.values()):
            return sorted(steps, key=lambda value: ranks[steps[value]])
    return []
