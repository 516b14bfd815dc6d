"""Missing codes: "NA", "Not selected", -99, and values that files declare missing."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from audiencelab.ingest.meaning.guess import Guess, GuessOption
from audiencelab.ingest.meaning.profile import ColumnProfile, is_number
from audiencelab.ingest.meaning.words import means_unticked
from audiencelab.survey.errors import listed

_NOT_ASKED = {"na", "n/a", "#n/a", "nan", "null", "#null!"}
_NEGATIVE = re.compile(r"-(\d|66|77|88|9[5-9]|666|777|888|99\d|9999)")
_SIGN = re.compile(r"[-‐‑‒–—―−]{1,3}|\.{1,2}")
"""A dash or a dot, as in a cell without an answer."""
_MOST_TEXTS = 300
"""Of more different texts a column is of free text."""
_NUMBERS = 20
"""So many different numbers are amounts, and not points of a scale."""
_SHOWN = 8


@dataclass(frozen=True)
class MissingCodes:
    """Values that mean "not asked", "asked, and not selected", or no answer; and why.

    doubts: which negative numbers may be such values, but count as answers. signs: those of them
    that are a dash or a dot, with the columns in which they mean no answer. guesses: of these.
    """

    not_asked: list[str]
    not_selected: list[str]
    missing: list[str]
    reasons: list[str]
    doubts: list[str]
    signs: Mapping[str, Sequence[str]]
    guesses: list[Guess]
    ways_back: Mapping[str, Sequence[GuessOption]] = field(
        default_factory=dict[str, Sequence[GuessOption]]
    )

    def of(self, column: ColumnProfile) -> list[str]:
        """Those of one column, in which a dash may be an answer."""
        values = (*self.not_asked, *self.not_selected, *self.missing)
        return [each for each in values if column.name in self.signs.get(each, (column.name,))]


def find_missing_codes(
    columns: Collection[ColumnProfile], given: Collection[str] = ()
) -> MissingCodes:
    """The missing codes in some columns. A value with a label is not one: its meaning is known.

    given: codes that the caller says are missing in all columns.
    """
    asked, selected, signs, negative, answers = (
        defaultdict[str, list[str]](list) for _ in range(5)
    )
    for column in columns:
        # In a column of numbers there are no words, so most columns need no look at their values.
        words = column.answers.keys() - column.labels.keys() if column.numbers is None else ()
        is_free = len(words) > _MOST_TEXTS
        for value in words:
            if is_word_for_nothing(value):
                if column.given_codes == frozenset():
                    continue
                asked[value].append(column.name)
            # Among thousands of open answers, only what several respondents have can be a code.
            elif not (is_free and column.answers[value] == 1) and means_unticked(value):
                selected[value].append(column.name)
            elif _is_sign(value, column):
                signs[value].append(column.name)
        for value in _negative_codes(column):
            found = answers if _is_balanced(column) else negative
            found[value].append(column.name)
    # In one column alone, beside one other text, it is an answer, as "No" is beside "Yes".
    known = {column.name: column for column in columns}
    for value, names in list(selected.items()):
        if len(names) == 1 and len(known[names[0]].answers) == 2:
            del selected[value]
    # In one column alone, or on a scale such as -1, 0, 1, it may well be an answer.
    several = {
        value: names
        for value, names in sorted(negative.items())
        if len(names) > 1 and value not in answers
    }
    labelled = {
        value: column.name
        for column in columns
        for value in several
        if column.variable.is_not_asked(value)
    }
    unlabelled = {value: names for value, names in several.items() if value not in labelled}
    not_asked = {
        f"{v!r} ({_count(v, columns, asked[v])}) in {_where(asked[v])} means not asked "
        "(in the codebook: not_asked)": kept_choices(asked[v][0], "not asked")
        for v in sorted(asked)
    }
    return MissingCodes(
        [*sorted(asked), *sorted(labelled)],
        sorted(selected),
        [*dict.fromkeys([*unlabelled, *given, *sorted(signs)])],
        [
            *(f"missing: {value}: asked for" for value in given),
            *not_asked,
            *(
                f"{v!r} in {_where(selected[v])} means asked and not selected "
                "(in the codebook: not_selected)"
                for v in sorted(selected)
            ),
            *(
                f"not_asked: {value} appears in {_where(several[value])}, by its label in {name}"
                for value, name in sorted(labelled.items())
            ),
            *(
                f"missing: {value} appears in {_where(names)} where no other number is "
                "negative; perhaps it means not_asked"
                for value, names in unlabelled.items()
            ),
        ],
        _doubts(
            [column.name for column in columns if _is_balanced(column) and column.distinct == 3]
        ),
        signs,
        [_sign_guess(value, signs[value], columns) for value in sorted(signs)],
        not_asked,
    )


def is_word_for_nothing(value: str) -> bool:
    """Whether a value is "NA", "null" or the like."""
    return value.lower() in _NOT_ASKED


def _is_sign(value: str, column: ColumnProfile) -> bool:
    """Whether a dash or a dot among the texts of a column means no answer.

    Beside a plus it is an answer, and beside one other value it may be the opposite of that.
    """
    if column.given_codes == frozenset() or not _SIGN.fullmatch(value):
        return False
    others = [each for each in column.answers if not _SIGN.fullmatch(each)]
    are_signs = "+" in others or not any(re.search(r"\w", each) for each in others)
    numbers = [float(each) for each in others if is_number(each)]
    # Of amounts and weights, texts are looked at elsewhere.
    are_points = len(numbers) < _NUMBERS and all(number.is_integer() for number in numbers)
    return are_points and not are_signs and 1 < len(others) <= _MOST_TEXTS


def _sign_guess(value: str, names: Sequence[str], columns: Iterable[ColumnProfile]) -> Guess:
    rows = sum(each.answered for each in columns if each.name in names)
    said = f"{value!r} ({_count(value, columns, names)} of {rows:,}) in {_where(names)} taken as "
    return Guess.of_choices("file", "missing", f"{said}no answer", kept_choices(names[0]))


def kept_choices(column: str, now: str = "no answer") -> list[GuessOption]:
    """A value without an answer in it; or every value of the column as an answer."""
    return [
        GuessOption(now, present=True),
        GuessOption(f"an answer in {column}", opens={"missing": {column: []}}),
    ]


def _negative_codes(column: ColumnProfile) -> Collection[str]:
    """Values such as -99 in a column whose other numbers are not negative."""
    negative = [value for value in column.answers if value.startswith("-")]
    # Where all numbers are negative, so are the amounts.
    if not negative or len(negative) == len(column.answers) or not column.is_whole:
        return []
    codes = all(_NEGATIVE.fullmatch(value) and value not in column.labels for value in negative)
    return negative if codes else []


def _is_balanced(column: ColumnProfile) -> bool:
    """Whether a column without labels may hold a scale around 0: -1, 0, 1, or -2 to 2."""
    numbers = sorted(column.numbers or {})
    if column.labels or not column.is_whole or not numbers or numbers[0] >= 0:
        return False
    low, high = numbers[0], numbers[-1]
    is_row = high - low == len(numbers) - 1
    # Of a longer scale, the lowest point may be without answers.
    return is_row and (high == -low or (low <= -2 and high == 1 - low))


def _doubts(names: Sequence[str]) -> list[str]:
    """What a draft says of several columns with -1, 0 and 1."""
    if len(names) < 2:
        return []
    return [
        f"-1 beside 0 and 1 in {listed(names)} may be a missing code, and counts as an answer; "
        "missing = [-1] under [source] in the codebook leaves it out"
    ]


def _count(value: str, columns: Iterable[ColumnProfile], names: Collection[str]) -> str:
    return f"{sum(each.answers[value] for each in columns if each.name in names):,}"


def _where(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} columns"


def unanswered_values(column: ColumnProfile) -> str:
    """The values of people who were asked that the file declares missing; "" for none."""
    variable = column.variable
    found = [
        value
        for value in column.counts
        if value and variable.is_missing(value) and not variable.is_not_asked(value)
    ]
    return ", ".join(
        f"{value} {variable.labels[value]!r}" if value in variable.labels else value
        for value in found[:_SHOWN]
    ) + ("…" if len(found) > _SHOWN else "")


def missing_reasons(columns: Iterable[ColumnProfile]) -> list[str]:
    """How the values that the files declare missing are read, in one line if there are any."""
    found: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for column in columns:
        for value in filter(column.variable.is_missing, column.counts):
            label = column.variable.labels.get(value)
            shown = f"{value} {label!r}" if label else value
            found[column.variable.is_not_asked(value)][shown] += 1
    parts: list[str] = []
    for meaning, counted in (("not asked", found[1]), ("asked, no answer", found[0])):
        if counted:
            more = len(counted) - _SHOWN
            shown = ", ".join(each for each, _ in counted.most_common(_SHOWN))
            parts.append(f"{meaning}: {shown}" + (f" and {more:,} more" if more > 0 else ""))
    return [f"missing values of the file: {'; '.join(parts)}"] if parts else []
