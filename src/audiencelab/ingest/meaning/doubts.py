"""Doubts about answers, each with the figures that it changes and the code that settles it.

Numbers that may be missing codes, numbers far from all others, and answers of people whom a
question is not about. Nothing is changed here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest, nsmallest
from math import isfinite, sqrt

from audiencelab.ingest.codebook import (
    CodedDatapoint,
    CodedQuestion,
    CodedSuffix,
    Scalar,
    meanings_of,
    number_of,
)
from audiencelab.ingest.meaning.guess import Guess, GuessOption
from audiencelab.ingest.meaning.known_scales import known_scale
from audiencelab.ingest.meaning.own_codes import is_usual_code, possible_codes
from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.ingest.meaning.scales import top_choices
from audiencelab.ingest.meaning.words import (
    is_no_experience,
    is_not_applicable,
    is_off_scale,
    may_not_apply,
    names_age,
    names_amount,
)

_OLDEST = 120
_FAR = 3
"""How many times the range of all other numbers an isolated number is away from them."""
_FEW = 0.01
"""The part of the answers that isolated numbers are at most, unless all are usual missing codes."""
_MOST_ISOLATED = 5
_FEWEST = 20
_SCALE = range(3, 12)
"""How many codes in a row may be a scale."""
_MATTERS = 0.05
"""Standard deviations by which a mean that is in doubt is taken as wrong."""


@dataclass(frozen=True)
class _Counted:
    """How many gave each number, by its value in the file."""

    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def of(self, values: Collection[str]) -> int:
        """How many gave one of some values."""
        return sum(self.counts[value] for value in values)

    def without(self, values: Collection[str]) -> _Counted:
        """The others."""
        return _Counted({v: count for v, count in self.counts.items() if v not in values})

    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation."""
        # Known answers may be in no row of a file, and all of its rows doubtful.
        total = self.total or 1
        mean = sum(float(value) * count for value, count in self.counts.items()) / total
        squares = sum((float(v) - mean) ** 2 * count for v, count in self.counts.items())
        return mean, sqrt(squares / total)


def doubts_of(question: CodedQuestion, columns: Sequence[ColumnProfile]) -> list[Guess]:
    """The doubts about the answers of a question, which are those of some columns."""
    if question.kind == "multiple":
        return []
    found = [*_not_about_it(question, columns), *_no_number(question, columns)]
    numbers = _numbers(columns)
    if len(numbers.counts) < 3:
        return found
    # An empty set is the caller's word that there are no missing codes.
    settled = any(column.given_codes == frozenset() for column in columns)
    if settled:
        return found
    codes = [*dict.fromkeys(code for each in columns for code in _may_be_codes(each))]
    rest = numbers.without(codes)
    known = {value for each in columns for value in each.variable.answers}
    far = [v for v in isolated(rest, is_age=any(map(_is_age, columns))) if v not in known]
    if len(far) == len(rest.counts):  # then they are not ages, and there is nothing to compare
        far = []
    if not (codes or far):
        return found
    spread = rest.without(far).moments()[1]
    if codes:
        found.append(_guess(question, "missing", "may not be an answer", codes, numbers, spread))
    if far:
        found.append(_guess(question, "outlier", "far from the others", far, rest, spread))
    return found


def _may_be_codes(column: ColumnProfile) -> list[str]:
    """Numbers that may be missing codes, by themselves or by what the file says of them."""
    known = column.labels.keys() | column.variable.answers
    told = column.variable.doubtful & column.answers.keys() - known
    return [*sorted(told), *possible_codes(column)]


def isolated(numbers: _Counted, *, is_age: bool) -> list[str]:
    """Values far from all others, and ages above any that people reach, the smallest first."""
    if is_age:
        return sorted((each for each in numbers.counts if float(each) > _OLDEST), key=float)
    if numbers.total < _FEWEST or len(numbers.counts) < 4:
        return []
    high = nlargest(_MOST_ISOLATED + 1, numbers.counts, key=float)
    low = nsmallest(_MOST_ISOLATED + 1, numbers.counts, key=float)
    return [*_beyond(low, high[0], numbers), *_beyond(high, low[0], numbers)[::-1]]


def _beyond(side: Sequence[str], last: str, numbers: _Counted) -> Sequence[str]:
    """The values at one end, from the outermost, that are far from the next.

    last: the value at the other end.
    """
    taken = 0
    # At least two values stay: a distance needs something to be compared with.
    for number in range(1, min(len(side), len(numbers.counts) - 2)):
        near, far = float(side[number]), float(side[number - 1])
        # The gap, and the range of all that is left; several values may be far together.
        is_alone = abs(far - near) > _FAR * abs(near - float(last)) > 0
        taken = number if is_alone and _are_few(side[:number], numbers) else taken
    return side[:taken]


def _are_few(values: Sequence[str], numbers: _Counted) -> bool:
    are_codes = all(len(value.strip("-")) > 1 and is_usual_code(value) for value in values)
    # 99 and the like are usual missing codes, which many respondents may have.
    return numbers.of(values) <= numbers.total * (0.5 if are_codes else _FEW)


def _numbers(columns: Sequence[ColumnProfile]) -> _Counted:
    """The numbers that answers are, without those that have labels; known ones with 0 too."""
    found = Counter[str]()
    is_plain = len(columns) == 1 and not columns[0].labels and not columns[0].variable.answers
    if is_plain and columns[0].numbers is not None:
        return _Counted(columns[0].answers)
    for column in columns:
        for value, count in (dict.fromkeys(column.variable.answers, 0) | column.answers).items():
            number = number_of(value)
            if value not in column.labels and number is not None and isfinite(number):
                found[value] += count
    return _Counted(found)


def _is_age(column: ColumnProfile) -> bool:
    return names_age(column.name) or names_age(column.variable.label)


def _guess(
    question: CodedQuestion,
    subject: str,
    what: str,
    codes: Sequence[str],
    numbers: _Counted,
    spread: float,
) -> Guess:
    """A doubt with the mean as it is, and that without some numbers.

    spread: the standard deviation of what is beyond doubt.
    """
    left = numbers.without(codes)
    mean, other = numbers.moments()[0], left.moments()[0]
    said = f"{_listed(codes)} ({numbers.of(codes):,} of {numbers.total:,}) {what}: "
    without = _figure(other) if left.total else "none"
    said += f"mean {_figure(mean)} with, {without} without"
    # In standard deviations of what is beyond doubt, which the doubtful numbers do not widen.
    moved = abs(mean - other) / (spread or 1)
    severity = 0 if moved > _MATTERS else 1
    choices = [GuessOption("answers like the others", present=True)]
    parts = [codes, *([code] for code in codes)] if len(codes) > 1 else [codes]
    for part in parts:
        counted = ", ".join(f"{_listed([code])} ({numbers.of([code]):,})" for code in part)
        choices.append(_left_out(question, f"no answer: {counted}", part))
    return Guess.of_choices(question.code, subject, said, choices, severity, moved)


def _left_out(question: CodedQuestion, label: str, values: Sequence[str]) -> GuessOption:
    """What takes answers as missing; of numbers in bands, when the file is opened."""
    named = [*map(_number, values)]
    # Bands are cut when a file is opened, so a missing number must be known before.
    is_banded = any(point.is_band for point in question.datapoints)
    if is_banded and not any(isinstance(each, str) for each in named):
        return GuessOption(label, opens={"missing": {question.code: named}})
    return GuessOption(label, edits={"question": question.code, "missing": named})


def _number(value: str) -> Scalar:
    """A value of the file as a codebook has it: a number where it is one."""
    number = number_of(value)
    if number is None or not isfinite(number):
        return value
    return int(number) if number.is_integer() else number


def _listed(values: Sequence[str]) -> str:
    shown = [f"{int(each):,}" if each.isdecimal() else each for each in values]
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def _figure(number: float) -> str:
    """A mean in as many digits as are of use: 3.55, 55.4, 39,349."""
    return f"{number:,.{2 if abs(number) < 20 else 1 if abs(number) < 1000 else 0}f}"


# ---- answers of people whom a question is not about ----


def _not_about_it(question: CodedQuestion, columns: Sequence[ColumnProfile]) -> Iterator[Guess]:
    answers: Sequence[CodedDatapoint | CodedSuffix]
    answers = question.suffixes if question.kind == "grid" else question.points
    odd = [each for each in answers if is_not_applicable(each.name) or may_not_apply(each.name)]
    others = [each.name for each in answers if not is_no_experience(each.name)]
    # Among amounts and frequencies "never used it" is the lowest point.
    if len(others) < len(answers) and (scale := known_scale(others)) and scale.ends == "opposite":
        odd += [each for each in answers if is_no_experience(each.name)]
    if not odd or len(odd) == len(answers):
        return
    counts = {each.name: _given(each, columns) for each in answers}
    total = sum(counts.values())
    left = {name: n for name, n in counts.items() if name not in {each.name for each in odd}}
    if not sum(left.values()):
        return
    most = max(left, key=left.__getitem__)
    for each in odd:
        if own := counts[each.name]:
            share = 100 * left[most] / total, 100 * left[most] / (total - own)
            said = (
                f"{each.name!r} ({own:,} of {total:,}, {100 * own / total:.1f}%) is in the base: "
                f"{most!r} {share[0]:.1f}% with it, {share[1]:.1f}% without"
            )
            moved = abs(share[1] - share[0]) / 100
            edit = {"question": question.code, "missing": [each.name]}
            choices = [
                GuessOption("an answer, in the base", present=True),
                GuessOption(f"no answer: {each.name} ({own:,})", edits=edit),
            ]
            yield Guess.of_choices(question.code, "missing", said, choices, 1, moved)


def _no_number(question: CodedQuestion, columns: Sequence[ColumnProfile]) -> Iterator[Guess]:
    """Labelled answers such as "Refused" beside bands of numbers, which count in their base."""
    points = question.datapoints
    odd = [each for each in points if not each.is_band and is_off_scale(each.name)]
    counts = {each.name: n for each in odd if (n := _given(each, columns))}
    total = sum(column.answered for column in columns)
    own = sum(counts.values())
    if not counts or own == total or not any(each.is_band for each in points):
        return
    values = {each.name: " ".join(meanings_of(each)) for each in odd if each.name in counts}
    named = " and ".join(f"{values[name]} {name!r} ({n:,})" for name, n in counts.items())
    share = 100 * own / total
    verb = "is" if len(counts) == 1 else "are"
    said = f"{named} {verb} in the base ({share:.1f}%): all bands are {100 - share:.1f}%"
    edit = {"question": question.code, "missing": [*map(_number, values.values())]}
    choices = [
        GuessOption("answers, in the base", present=True),
        GuessOption(f"no answer: {named}", edits=edit),
    ]
    yield Guess.of_choices(question.code, "missing", said, choices, 1, own / total)


def bare_codes(question: CodedQuestion, columns: Sequence[ColumnProfile]) -> Iterator[Guess]:
    """That codes without labels, which may be a scale, are read as numbers."""
    if question.kind == "multiple" or question.form or any(column.labels for column in columns):
        return
    texts = [text for each in columns for text in (each.name, each.wording)]
    if any(map(names_age, texts)) or any(map(names_amount, texts)):
        return
    codes = sorted({number for column in columns for number in column.numbers or {}})
    is_row = len(codes) in _SCALE and codes[-1] - codes[0] == len(codes) - 1
    if is_row and all(column.is_whole for column in columns):
        said = "codes without labels are read as numbers: the highest is the top"
        first, last = (f"{number:.12g}" for number in (codes[0], codes[-1]))
        choices = top_choices(question.code, first, last, "last")
        yield Guess.of_choices(question.code, "codes", said, choices, 1)


def _given(answer: CodedDatapoint | CodedSuffix, columns: Sequence[ColumnProfile]) -> int:
    return sum(column.answers.get(value, 0) for column in columns for value in meanings_of(answer))
