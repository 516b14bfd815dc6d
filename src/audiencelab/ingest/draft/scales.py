"""Numbers behind answers: round bands, rating scales, counts, ages with a top code.

A mean needs a number for each answer. The code of an answer is one only where the file makes that
plain; codes of regions or brands are not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

from audiencelab.ingest.codebook import CodedDatapoint, number_of
from audiencelab.ingest.meaning.words import is_off_scale

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
_NOTHING = re.compile(r"(none|no|never|nothing|not at all)\b", re.I)
_LESS = re.compile(r"\b(less|fewer|younger|lower) than\b|\bunder\b|\bbelow\b", re.I)
_NO_ANSWER = re.compile(
    r"\b(don.?t know|do not know|dk|no answer|not answered|no response|refus\w*|prefer not|"
    r"rather not|not applicable|n/?a|inap\w*|no opinion|(can.?t|cannot|can not) (say|choose)|"
    r"unsure|not sure|undecided|missing|not asked|not available|not stated|not in universe|"
    r"unknown|skip\w*|none of|other|haven.?t|no experience|question not)\b",
    re.I,
)
_GRADED = re.compile(
    r"\b(dis)?agree|satisf|likely|probabl|definite|certain|importan|\b(good|bad|poor|fair|excellent|"
    r"often|never|always|usually|sometimes|occasional\w*|rarely|seldom|hardly|very|somewhat|"
    r"extremely|fairly|quite|pretty|rather|not (at all|too|very|much)|a lot|a (little|bit|few)|"
    r"great deal|much|more|most|less|least|neither|neutral|neutrally|same|better|worse|slightly|"
    r"moderate\w*|completely|totally|strongly|mildly|low|medium|high|daily|weekly|monthly|yearly|"
    r"every (day|week|month|year)|(once|twice|times) an? (day|week|month|year)|about right|"
    r"too (much|little|many|few)|average|only)\b",
    re.I,
)
_FEWEST = 3
_MOST = 11


def _has_no_number(label: str) -> bool:
    return is_off_scale(label) or bool(_NO_ANSWER.search(label))


def is_labelled_number(value: str, label: str) -> bool:
    """Whether a labelled value is the number that it looks like: 89 for "89 or older"."""
    number = number_of(value)
    if number is None or _has_no_number(label):
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

    names: each value's label; a value without one is its own name. is_ordinal: the file declares
    that the values have an order.
    """
    answers = {value: name for value, name in names.items() if not _has_no_number(name)}
    numbers = {value: number_of(value) for value in answers}
    known = {value: number for value, number in numbers.items() if number is not None}
    if len(known) < len(answers) or len(known) < _FEWEST:
        return {}
    plain = [value for value, name in answers.items() if is_labelled_number(value, name)]
    # Numbered answers, perhaps with words at the ends of the scale alone.
    if 2 * len(plain) >= len(known):
        ends = {min(known, key=known.__getitem__), max(known, key=known.__getitem__)}
        middle = known.keys() - {*plain, *ends}
        return {} if any(_NUMBER.search(answers[value]) for value in middle) else known
    first = min(known.values())
    is_row = sorted(known.values()) == [first + step for step in range(len(known))]
    labels = answers.values()
    has_words = not any(map(_NUMBER.search, labels)) and len({*labels}) == len(answers)
    is_graded = is_ordinal or all(map(_GRADED.search, labels))
    return known if is_row and len(known) <= _MOST and has_words and is_graded else {}


# ---- bands ----


def round_bands(numbers: Mapping[float, int]) -> tuple[CodedDatapoint, ...]:
    """Bands over counted numbers, about a fifth of the respondents in each, with mean midpoints.

    Integers make bands such as "25 to 34", others "25 to under 35". Every number falls into
    one band, also those that a later file may bring; no band is empty.
    """
    ordered = sorted(numbers)
    is_whole = all(number.is_integer() for number in ordered)
    limits = [-math.inf, *_edges(ordered, numbers, is_whole), math.inf]
    bands: list[CodedDatapoint] = []
    for low, high in pairwise(limits):
        inside = {number: numbers[number] for number in ordered if low <= number < high}
        mean = sum(number * count for number, count in inside.items()) / sum(inside.values())
        bands.append(
            CodedDatapoint(
                name=_band_name(low, high, is_whole),
                min=None if math.isinf(low) and math.isfinite(high) else low,
                below=high if math.isfinite(high) else None,
                midpoint=_significant(mean, 4),
            )
        )
    return tuple(bands)


def _edges(ordered: Sequence[float], numbers: Mapping[float, int], is_whole: bool) -> list[float]:
    """The lower ends of all bands but the first: rounded quantiles, with respondents between."""
    totals = list(accumulate(numbers[number] for number in ordered))

    def quantile(share: float) -> float:
        wanted = share * totals[-1]
        return next(n for n, total in zip(ordered, totals, strict=True) if total >= wanted)

    spread = quantile(0.9) - quantile(0.1) or ordered[-1] - ordered[0]
    edges: list[float] = []
    low = -math.inf
    for edge in sorted({_rounded(quantile(s), spread, is_whole) for s in (0.2, 0.4, 0.6, 0.8)}):
        if edge <= ordered[-1] and any(low <= number < edge for number in ordered):
            edges.append(edge)
            low = edge
    return edges


def _rounded(number: float, spread: float, is_whole: bool) -> float:
    """To halves of a power of ten, of the spread or of the number itself, whichever is finer."""
    sizes = [size for size in (spread, abs(number)) if size > 0]
    step = min(10.0 ** math.floor(math.log10(size)) for size in sizes) / 2 if sizes else 1.0
    step = max(step, 1.0) if is_whole else step
    # The smallest numbers that there are cannot be divided any more.
    steps = number / step if step else math.inf
    return _significant(round(steps) * step, 12) if math.isfinite(steps) else number


def _significant(number: float, digits: int) -> float:
    return float(f"{number:.{digits}g}")


def _band_name(low: float, high: float, is_whole: bool) -> str:
    if math.isinf(low):
        return "Any number" if math.isinf(high) else f"Under {_text(high)}"
    if math.isinf(high):
        return f"{_text(low)} and over"
    if not is_whole:
        return f"{_text(low)} to under {_text(high)}"
    return _text(low) if low == high - 1 else f"{_text(low)} to {_text(high - 1)}"


def _text(number: float) -> str:
    """A number for a label: 25, 2.5, 12,000; years without the comma."""
    if not number.is_integer():
        return f"{number:.12g}"
    return f"{number:,.0f}" if abs(number) >= 10_000 else f"{number:.0f}"
