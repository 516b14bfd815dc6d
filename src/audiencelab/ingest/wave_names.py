"""Names of waves as periods: which period a name says, and what the next one is called."""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from audiencelab.ingest.meaning.periods import month_words, season_words

_YEAR = r"(?<!\d)(?P<year>(?:19|20)\d\d)"
_SHORT = r"(?<!\d)'?(?P<year>\d\d)(?!\d)"
_GAP = r"[-_ /.']{0,2}"
_WORD = re.compile(r"[^\W\d_]+")
_COUNTED = re.compile(
    r"(?<![^\W\d_])(?:w|wave|welle|vague|ola|onda|golf|våg|fala|round|runde|ronde|r|t|sweep|vaga"
    r"|bølge|aalto|kierros)"
    r"[-_ .#]{0,2}(?P<number>\d{1,3})(?!\d)",
    re.IGNORECASE,
)
_ANY_NUMBER = re.compile(r"(?<!\d)(?P<number>\d{1,3})(?!\d)")
_DAY = re.compile(_YEAR + r"([-_.])\d\d?\2\d\d?(?!\d)")

_A_YEAR: Mapping[str, int] = {"year": 1, "half-year": 2, "quarter": 4, "season": 4, "month": 12}
"""How many of each period a year has."""


def _forms(letters: str, part: str) -> list[re.Pattern[str]]:
    """A part of a year with letters before it, after or before the year: 2025Q4, Q4 2025, Q4 25."""
    own = rf"(?<![^\W\d_])(?:{letters}){part}(?!\d)"
    texts = (rf"{_YEAR}{_GAP}(?:{letters}){part}(?!\d)", rf"{own}{_GAP}{_YEAR}(?!\d)")
    return [re.compile(each, re.IGNORECASE) for each in (*texts, rf"{own}{_GAP}{_SHORT}")]


_QUARTERS = "quarter|quartal|trimestre|trimester|kwartaal|kvartal|kwartał"
"""Words beside the number of a quarter; T1 2025 is one in the Romance languages."""

_NUMBERED_QUARTERS = [
    re.compile(each, re.IGNORECASE)
    for each in (
        rf"(?<!\d)(?P<part>[1-4])(?:\.|er|e|ème|º|ª|°|st|nd|rd|th)?[- ]?(?:{_QUARTERS})"
        rf"[- ]?(?:(?:de|du|of) )?{_YEAR}(?!\d)",
        rf"{_YEAR}年?[- ]?第?(?P<part>[1-4])(?:四半期|季度|분기)",
    )
]

_PARTS: tuple[tuple[str, list[re.Pattern[str]]], ...] = (
    ("quarter", [*_forms(f"q|t|{_QUARTERS}", r"[- ]?(?P<part>[1-4])"), *_NUMBERED_QUARTERS]),
    ("half-year", _forms("h", r"(?P<part>[12])")),
    ("week", _forms("w|kw|week|woche", r"[- ]?(?P<part>[0-5]?\d)")),
    # With nothing, or one of some signs, between: 2025-11, 202511. 2011/12 is two years.
    ("month", [re.compile(_YEAR + r"[-_.]?(?P<part>0[1-9]|1[0-2])(?!\d)")]),
)


class Period(NamedTuple):
    """The period that a name says.

    unit: "year", "half-year", "quarter", "season", "month", "week" or "number". nth: which one it
    is, counted in units; of numbers, the number itself. name: the whole name. write: the name of
    another one.
    """

    unit: str
    nth: int
    name: str
    write: Callable[[int], str]

    @property
    def span(self) -> tuple[date, date] | None:
        """Its first and its last day; None for numbers."""
        if self.unit == "week":
            monday = _monday(self.nth)
            return monday, monday + timedelta(days=6)
        if self.unit not in _A_YEAR:
            return None
        year, part = divmod(self.nth, _A_YEAR[self.unit])
        months = 12 // _A_YEAR[self.unit]
        # Spring begins in March, and a winter ends in the next year.
        first = date(year, part * months + (3 if self.unit == "season" else 1), 1)
        ends = first.year * 12 + first.month - 1 + months - 1
        year, month = divmod(ends, 12)
        return first, date(year, month + 1, calendar.monthrange(year, month + 1)[1])

    @property
    def text(self) -> str:
        """The period alone, as reports write it: "Q4 2025", without the rest of a file's name."""
        year, part = divmod(self.nth, _A_YEAR.get(self.unit, 1))
        texts = {
            "quarter": f"Q{part + 1} {year}",
            "half-year": f"H{part + 1} {year}",
            "month": f"{year}-{part + 1:02}",
            "year": f"{year}",
        }
        return texts.get(self.unit, self.name)


class Next(NamedTuple):
    """Names that the wave after some others may have: one where there is no doubt."""

    names: tuple[Period, ...]
    why: str


def period_of(name: str) -> Period | None:
    """The period that the name of a wave or of a file says; None where it says none, or several.

    >>> [period_of(name).unit for name in ("Q4 2025", "Wave 3", "2025-11", "Spring 2025")]
    ['quarter', 'number', 'month', 'season']
    >>> [period_of(name).text for name in ("T1 2025", "2. Quartal 2024", "2025年第3四半期")]
    ['Q1 2025', 'Q2 2024', 'Q3 2025']
    >>> period_of("2025-11-03")
    """
    if _DAY.search(name):
        return None
    for unit, patterns in _PARTS:
        if found := next(filter(None, (each.search(name) for each in patterns)), None):
            return _of_part(name, unit, found)
    if (worded := _of_word(name)) is not None:
        return worded
    years = [*re.finditer(_YEAR + r"(?!\d)", name)]
    numbers = _numbers(name)
    if years and len(numbers) + len(years) <= 2:
        return _of_year(name, years[0])
    if not years and len(numbers) == 1:
        [found] = numbers
        slots = [(found.span("number"), str)]
        return Period("number", int(found["number"]), name, _writer(name, slots))
    return None


def next_period(names: Sequence[str]) -> Next:
    """The period after the last of some waves, by their names in the order of time.

    Names with gaps between them go on as they did; where that is not certain, several are possible.

    >>> next_period(["Q3 2025", "Q4 2025"]).names[0].name
    'Q1 2026'
    >>> [each.name for each in next_period(["2021", "2023"]).names]
    ['2024', '2025']
    """
    last = period_of(names[-1])
    if last is None:
        return Next((), f"{names[-1]!r} says no period")
    alike = [found for each in names if (found := period_of(each)) and found.unit == last.unit]
    steps = [later.nth - each.nth for each, later in pairwise(alike)]
    usual = Counter(steps).most_common(1)
    if not steps:
        # Of seasons, one alone does not say how many of them a year has.
        options = (1, 2, 4) if last.unit == "season" else (1,)
        return Next(_after(last, options), _following(last))
    [(step, often)] = usual
    is_regular = steps[-1] == step > 0 and 2 * often > len(steps)
    if is_regular and (step == 1 or len(steps) > 1):
        return Next(_after(last, (step,)), _following(last))
    options = (1, *(each for each in dict.fromkeys([steps[-1], step]) if each > 1))
    return Next(_after(last, options), f"{last.name} follows {alike[-2].name}")


def at(period: Period, nth: int) -> Period:
    """Another period of that unit, written as this one is."""
    return period._replace(nth=nth, name=period.write(nth))


def _following(last: Period) -> str:
    return f"after {last.name}" if last.unit == "number" else f"the {last.unit} after {last.name}"


def _after(last: Period, steps: Sequence[int]) -> tuple[Period, ...]:
    return tuple(at(last, last.nth + step) for step in steps)


def _numbers(name: str) -> list[re.Match[str]]:
    counted = [*_COUNTED.finditer(name)]
    return counted if len(counted) == 1 else [*_ANY_NUMBER.finditer(name)]


# ---- how a name is written ----

_Slot = tuple[tuple[int, int], Callable[[int], str]]


def _writer(name: str, slots: Sequence[_Slot]) -> Callable[[int], str]:
    """The name with parts of it written for another period."""

    def write(nth: int) -> str:
        text, end = "", 0
        for (first, last), written in sorted(slots, key=lambda each: each[0]):
            width = last - first if name[first] == "0" else 0
            text += name[end:first] + written(nth).zfill(width)
            end = last
        return text + name[end:]

    return write


def _full_year(text: str) -> int:
    return int(text) if len(text) == 4 else 2000 + int(text)


def _year_text(text: str) -> Callable[[int], str]:
    return lambda year: f"{year}"[-len(text) :]


def _of_part(name: str, unit: str, found: re.Match[str]) -> Period | None:
    """A quarter, half-year, month or week with its year."""
    year, part = _full_year(found["year"]), int(found["part"])
    year_text = _year_text(found["year"])
    if unit == "week":
        if not 1 <= part <= date(year, 12, 28).isocalendar().week:
            return None
        nth = date.fromisocalendar(year, part, 1).toordinal() // 7
        width = len(found["part"])
        slots: list[_Slot] = [
            (found.span("year"), lambda at: year_text(_monday(at).isocalendar().year)),
            (found.span("part"), lambda at: f"{_monday(at).isocalendar().week}".zfill(width)),
        ]
        return Period(unit, nth, name, _writer(name, slots))
    often, width = _A_YEAR[unit], len(found["part"])
    slots = [
        (found.span("year"), lambda at: year_text(at // often)),
        (found.span("part"), lambda at: f"{at % often + 1}".zfill(width)),
    ]
    return Period(unit, year * often + part - 1, name, _writer(name, slots))


def _monday(week: int) -> date:
    return date.fromordinal(week * 7 + 1)


def _of_year(name: str, found: re.Match[str]) -> Period | None:
    """A year, or two as in 2024/25."""
    slots: list[_Slot] = [(found.span("year"), str)]
    year = int(found["year"])
    second = re.match(r"[/–-](\d\d(?:\d\d)?)(?!\d)", name[found.end() :])
    if second is None and re.search(r"\d", name[: found.start()] + name[found.end() :]):
        return None
    if second is not None:
        text = second[1]
        if _full_year(text) != year + 1:
            return None
        start = found.end() + second.start(1)
        later = _year_text(text)
        slots.append(((start, start + len(text)), lambda at: later(at + 1)))
    return Period("year", year, name, _writer(name, slots))


def _of_word(name: str) -> Period | None:
    """A month or a season by its word, with its year: Nov 2025, Herbst 2025, Spring '25."""
    words = [each for each in _WORD.finditer(name) if _month(each[0]) is not None]
    years = [*re.finditer(_YEAR + r"(?!\d)", name)] or [*re.finditer(_SHORT, name)]
    if len(words) != 1 or len(years) != 1:
        return None
    [word], [found] = words, years
    month = _month(word[0]) or 0
    year, year_text = _full_year(found["year"]), _year_text(found["year"])
    if re.match(r"[/–-]\d", name[found.end() :]):
        # A winter of two years, or a day.
        return None
    is_season = word[0].casefold() in season_words()
    unit = "season" if is_season else "month"
    often = _A_YEAR[unit]
    part = (month // 3 - 1) if is_season else month - 1
    slots: list[_Slot] = [
        (found.span("year"), lambda at: year_text(at // often)),
        (word.span(), lambda at: _word_of(word[0], _month_of(unit, at), is_season=is_season)),
    ]
    return Period(unit, year * often + part, name, _writer(name, slots))


def _month_of(unit: str, nth: int) -> int:
    part = nth % _A_YEAR[unit]
    return 3 * part + 3 if unit == "season" else part + 1


def _month(word: str) -> int | None:
    plain = word.casefold()
    for language in month_words().values():
        for month, words in language.items():
            if plain in words:
                return month
    return None


def _word_of(like: str, month: int, *, is_season: bool) -> str:
    """The word of a month, in the language and the form of another month's word."""
    plain, known = like.casefold(), month_words()
    own = next(each for each in known.values() if any(plain in words for words in each.values()))
    options = [*own.get(month, ()), *known["en"][month]]
    fitting = [each for each in options if (each in season_words()) == is_season]
    if not is_season and len(plain) <= 4:
        # A short form: of three letters where that is what the other has.
        fitting.sort(key=lambda each: (abs(len(each) - len(plain)), options.index(each)))
    written = fitting[0]
    if like.isupper():
        return written.upper()
    return written.capitalize() if like[:1].isupper() else written
