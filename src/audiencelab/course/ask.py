"""Questions for a show of hands: four options, and for each wrong one the misconception behind it.

Their texts are in `texts/lesson_1.toml` and so on, under `ask`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from audiencelab.course.errors import CourseError
from audiencelab.course.exercises import texts
from audiencelab.markup import Html, card, element, joined, muted

LETTERS = "ABCD"

_ANSWER = "display:inline-block;min-width:260px"
_SUMMARY = "cursor:pointer;padding:4px 0"
# A border: it is printed, and seen in forced colours, where a background is not.
_BAR = "display:inline-block;border-bottom:10px solid #888;margin:0 8px"
_WIDEST = 160


@dataclass(frozen=True, slots=True)
class AskedOption:
    """An option: what a student chooses, and what is explained when it is opened."""

    answer: str
    explanation: str
    right: bool = False


@dataclass(frozen=True, slots=True)
class HandsQuestion:
    """A question for a show of hands, which displays itself as the last value of a cell.

    options: four, in the order of their letters. hands: how many chose each; () before that.
    """

    key: str
    question: str
    options: tuple[AskedOption, ...]
    hands: tuple[int, ...] = ()

    def __repr__(self) -> str:
        options = zip(LETTERS, self.options, self._votes(), strict=True)
        lines = [f"  {letter} {each.answer}{votes}" for letter, each, votes in options]
        return "\n".join([f"{self.key} {self.question}", *lines])

    def _repr_html_(self) -> str:
        asked = "Hands up for one of them, then open them."
        shown = [self._option(*each) for each in enumerate(self.options)]
        return str(card(self.question, *shown, subtitle=asked))

    def _option(self, at: int, option: AskedOption) -> Html:
        sign, verdict = ("✓", "Right. ") if option.right else ("✗", "Not this one. ")
        head = element(
            "summary",
            element("b", f"{LETTERS[at]} "),
            element("span", option.answer, style=_ANSWER if self.hands else ""),
            *self._bar(at),
            style=_SUMMARY,
        )
        words = joined(
            element("span", f"{sign} ", **{"aria-hidden": "true"}),
            element("b", verdict),
            option.explanation,
        )
        return element("details", head, element("div", words, style="padding:0 0 6px 28px"))

    def _bar(self, at: int) -> tuple[Html, ...]:
        if not self.hands:
            return ()
        width = round(_WIDEST * self.hands[at] / max(1, *self.hands))
        bar = element("span", style=f"{_BAR};width:{width}px", **{"aria-hidden": "true"})
        return bar, muted(self._votes()[at])

    def _votes(self) -> tuple[str, ...]:
        """What is shown beside each option."""
        total = sum(self.hands)
        return tuple(f" ({each} of {total} hands)" for each in self.hands) or ("",) * len(LETTERS)


def ask(key: str, *, hands: Sequence[int] = ()) -> HandsQuestion:
    """A question for a show of hands, with four options that open.

    key: the lesson and a letter, such as `"2a"`. hands: how many students chose each option, in the
    order of the letters; they are drawn beside the options. Each wrong option explains the
    misconception that leads to it. Raises `CourseError` for a question that does not exist, and for
    hands that are not four counts.

    >>> from audiencelab import course
    >>> course.ask("2a", hands=[3, 12, 5, 8]).hands
    (3, 12, 5, 8)
    """
    wanted = str(key).strip().casefold()
    lesson, letter = wanted[:-1], wanted[-1:]
    known = questions(int(lesson)) if lesson.isdecimal() else {}
    if letter not in known:
        raise _unknown(key, lesson, known)
    return HandsQuestion(wanted, *known[letter], hands=_counts(wanted, hands))


def questions(lesson: int) -> dict[str, tuple[str, tuple[AskedOption, ...]]]:
    """The questions of a lesson with their options, by letter."""
    try:
        written = texts(lesson).get("ask", {})
    except FileNotFoundError:
        return {}
    return {
        letter: (each["question"], _options(f"{lesson}{letter}", each))
        for letter, each in written.items()
    }


def _options(key: str, written: dict[str, Any]) -> tuple[AskedOption, ...]:
    """The wrong options as they are written, with the right one at a position that varies."""
    options = [AskedOption(*each) for each in written["wrong"].items()]
    at = hashlib.sha256(key.encode()).digest()[0] % len(LETTERS)
    options.insert(at, AskedOption(written["right"], written["why"], right=True))
    return tuple(options)


def _counts(key: str, hands: Sequence[int]) -> tuple[int, ...]:
    counts = tuple(hands)
    are_counts = all(isinstance(each, Integral) and each >= 0 for each in counts)
    if counts and (len(counts) != len(LETTERS) or not are_counts):
        raise CourseError(
            f"hands must be four counts, one for each option from A to D; got {hands!r}. "
            f'Write course.ask("{key}", hands=[3, 12, 5, 8]).'
        )
    return tuple(map(int, counts))


def _unknown(key: object, lesson: str, known: Iterable[str]) -> CourseError:
    named = ", ".join(f"{lesson}{letter}" for letter in known)
    has = f"Lesson {lesson} has {named}" if named else 'Write a lesson and a letter, such as "2a"'
    return CourseError(f"There is no question {key!r}. {has}.")
