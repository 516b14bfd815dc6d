"""Guesses as the lines of a card: the worst first, and what several questions share in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from audiencelab.import_card import CardLine
from audiencelab.ingest.codebook import Codebook, CodedQuestion
from audiencelab.ingest.meaning.guess import Guess, worst_first
from audiencelab.wording import plural

_NAMED = 3
"""Questions that a line names."""

_LONGEST, _WORST = 160, 240
"""Characters of a line that joins several guesses, and of one that joins the worst, roughly."""

_FILE = ("", "file")

_ORDER = (
    *(
        "respondents",
        "weight",
        "key",
        "missing",
        "scale",
        "order",
        "outlier",
        "codes",
        "numbers",
        "encoding",
        "labels",
        "several answers",
    ),
    *("grid", "base", "waves", "design", "location", "bands", "not offered"),
)
"""Subjects, the most important first, among guesses of one severity; any other comes after."""


def card_lines(guesses: Iterable[Guess]) -> tuple[CardLine, ...]:
    """A line for each subject and severity, the worst first.

    >>> guesses = [Guess(code, "scale", "1 Very satisfied is the top") for code in ("q5", "q6")]
    >>> card_lines(guesses)[0].said
    'q5, q6: 1 Very satisfied is the top'
    """
    grouped: dict[tuple[int, int, str], list[Guess]] = {}
    for each in guesses:
        place = _ORDER.index(each.subject) if each.subject in _ORDER else len(_ORDER)
        # Which waves there are decides what every figure is of, where it is doubtful.
        place = -1 if each.subject == "waves" and each.severity < 2 else place
        grouped.setdefault((each.severity, place, each.subject), []).append(each)
    return tuple(_joined(grouped[key]) for key in sorted(grouped))


def every_line(guesses: Iterable[Guess]) -> tuple[CardLine, ...]:
    """A line for each guess, those of one subject beside each other, the worst subject first."""
    grouped: dict[str, list[Guess]] = {}
    for each in worst_first([*guesses]):
        grouped.setdefault(each.subject, []).append(each)
    return tuple(
        CardLine(each.subject, _told([each]), each.code, each.severity)
        for group in grouped.values()
        for each in group
    )


def facts_of(codebook: Codebook, waves: int) -> list[str]:
    """Short facts of the survey that a codebook makes, of which so many waves have respondents."""
    facts = [f"weighted by {codebook.weight.column}" if codebook.weight else "no weight"]
    facts += [plural(waves, "wave")] if waves > 1 else []
    answered = codebook.study.base_of == "valid"
    facts.append(f"base: {'those who answered' if answered else 'everyone'}")
    kinds = Counter(map(_kind, codebook.questions))
    # Most questions are single: only the other kinds are worth a count.
    del kinds["single"]
    counted = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
    questions = plural(len(codebook.questions), "question")
    return [*facts, f"{questions} ({counted})" if counted else questions]


def _kind(question: CodedQuestion) -> str:
    is_banded = any(point.is_band for point in question.datapoints)
    return "numeric" if question.kind == "single" and is_banded else question.kind


def _joined(group: Sequence[Guess]) -> CardLine:
    """Guesses of one subject in one line: each sentence once, with the questions it is true of.

    First those that change a figure most.
    """
    by_said: dict[str, list[Guess]] = {}
    group = sorted(group, key=lambda each: -each.moved)
    for each in group:
        by_said.setdefault(each.said, []).append(each)
    said, left = "", len(by_said)
    for alike in by_said.values():
        longer = f"{said}; {_told(alike)}" if said else _told(alike)
        # Severity 0 is the worst, and gets the longer line.
        if said and len(longer) > (_LONGEST if group[0].severity else _WORST):
            break
        said, left = longer, left - 1
    others = [each for alike in [*by_said.values()][len(by_said) - left :] for each in alike]
    if others:
        names = _questions(others)
        said += f"; also {names}" if names else f"; and {len(others):,} more"
    code = next((each.code for each in group if each.code), "")
    return CardLine(group[0].subject, said, code, group[0].severity, len(group))


def _told(alike: Sequence[Guess]) -> str:
    names = _questions(alike)
    return f"{names}: {alike[0].said}" if names else alike[0].said


def _questions(guesses: Iterable[Guess]) -> str:
    """The questions that guesses are about: "q5, q6, q9 … (14 questions)"; "" for none."""
    names = [*dict.fromkeys(each.about for each in guesses if is_of_question(each))]
    if len(names) <= _NAMED:
        return ", ".join(names)
    return f"{', '.join(names[:_NAMED])} … ({len(names):,} questions)"


def is_of_question(guess: Guess) -> bool:
    """Whether a guess is about a question, and not about a part of the survey."""
    # A guess about a part of the survey has that part as its subject too.
    return guess.about not in (*_FILE, guess.subject)
