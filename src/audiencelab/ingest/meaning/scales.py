"""The scales of a codebook's questions: what their answers show, as keys, flags and guesses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, cast
from urllib.parse import quote

from msgspec.structs import replace

from audiencelab.ingest.codebook import (
    CodedDatapoint,
    CodedQuestion,
    CodedSuffix,
    CodedTop,
    Scalar,
    canonical_value,
    meanings_of,
)
from audiencelab.ingest.meaning.amounts import amount_of
from audiencelab.ingest.meaning.evidence import Answer, Doubt, Evidence, KnownTop, evidence_of
from audiencelab.ingest.meaning.guess import Guess, GuessOption, Severity, quoted
from audiencelab.schema.breaks import Break
from audiencelab.schema.scales import (
    ENDS_FLAG,
    FORM_FLAG,
    OFF_SCALE_FLAG,
    TOP_FLAG,
    UNIVERSE_FLAG,
    Ends,
    Top,
)

_Answer: TypeAlias = CodedDatapoint | CodedSuffix

_SHOWN = 6

_FEWEST_POINTS = 3
"""Yes and No, like other pairs, are no more a scale than their order is a guess."""


def with_scale(question: CodedQuestion) -> CodedQuestion:
    """A question of a codebook with the keys that its answers show: `top`, `ends`, `off_scale`."""
    return with_evidence(question, scale_evidence(question, answers_of(question)))


def with_evidence(question: CodedQuestion, found: Evidence) -> CodedQuestion:
    """A question with the keys of what is known of its answers."""
    answers = answers_of(question)
    off = tuple(_key(answer) for place, answer in enumerate(answers) if place in found.off)
    top, ends = _stated(found, answers)
    return replace(
        question,
        top=None if top == "unknown" else top,
        ends=ends,
        # Nothing is off the scale where an open band has no midpoint.
        off_scale=off or (() if found.open else None),
    )


def scale_evidence(question: CodedQuestion, answers: Sequence[_Answer]) -> Evidence:
    """What the answers of a question show, the codebook's `off_scale` included."""
    off = None
    if question.off_scale is not None:
        off = _given_off(question, answers)
    found = evidence_of([*map(_plain, answers)], off=off)
    if any(isinstance(each, CodedDatapoint) and each.is_band for each in answers):
        # The midpoints of bands say all but what is off the scale.
        found = Evidence(found.order, off=found.off)
    if off is None and found.off and any(each.midpoint is not None for each in answers):
        # Beside what is off the scale by its words, so is an answer without a midpoint.
        bare = {place for place, each in enumerate(answers) if each.midpoint is None}
        found = _replaced(found, found.off | (bare - {*found.open}))
    return found


def _given_off(question: CodedQuestion, answers: Sequence[_Answer]) -> list[int]:
    keys = {canonical_value(key) for key in question.off_scale or ()}
    return [place for place, each in enumerate(answers) if keys.intersection(_keys(each))]


def as_stated(question: CodedQuestion) -> CodedQuestion:
    """A question with the keys of all that its answers show, so that they need not decide again."""
    answers = answers_of(question)
    codes = [str(place) for place in range(len(answers))]
    known: dict[str, list[str]] = {}
    for flag in scale_flags(question, answers, codes):
        name, sign, value = flag.partition(":")
        known.setdefault(f"{name}{sign}", []).append(value)
    off = known.get(OFF_SCALE_FLAG)
    top, ends = (next(iter(known.get(flag, ())), None) for flag in (TOP_FLAG, ENDS_FLAG))
    return replace(
        question,
        top=cast("CodedTop | None", top),
        ends=cast("Ends | None", ends),
        off_scale=off and tuple(_key(answers[int(place)]) for place in off if place),
    )


def _stated(found: Evidence, answers: Sequence[_Answer]) -> tuple[KnownTop | None, Ends | None]:
    """Top and ends as they are stated: of numbers and bands, only where midpoints do not say it."""
    if found.by != "numbers" or found.top == "unknown":
        return found.top, found.ends
    has_midpoints = sum(answer.midpoint is not None for answer in answers) > 1
    return (None if has_midpoints else found.top), None


def _replaced(found: Evidence, off: frozenset[int]) -> Evidence:
    return Evidence(
        found.order, found.top, found.ends, off, found.scores, found.open, found.by, found.doubts
    )


def _plain(answer: _Answer) -> Answer:
    value = next(iter(meanings_of(answer)), "")
    return Answer(answer.name, value, answer.midpoint)


def scale_flags(
    question: CodedQuestion,
    answers: Sequence[_Answer],
    codes: Sequence[str],
    *,
    is_stated: bool = False,
) -> tuple[str, ...]:
    """The flags of what a question means, by its keys, otherwise by what its answers show.

    answers: the datapoints of a single question, the suffixes of a grid. codes: theirs. is_stated:
    whether the keys say all (`as_stated`), so that the answers decide nothing.
    """
    flags = [f"{FORM_FLAG}{question.form}"] if question.form else []
    flags += [f"{UNIVERSE_FLAG}{quote(question.universe, safe='')}"] if question.universe else []
    flags += [Break(each.wave, each.why).flag for each in question.breaks]
    if question.kind == "multiple":
        return tuple(flags)
    if is_stated:
        found = Evidence((), off=frozenset(_given_off(question, answers)))
    else:
        found = scale_evidence(question, answers)
    top, ends = _stated(found, answers)
    top, ends = question.top or top, question.ends or ends
    flags += [f"{TOP_FLAG}{top}"] if top else []
    flags += [f"{ENDS_FLAG}{ends}"] if ends else []
    off = [codes[place] for place in sorted(found.off)]
    if not off and (question.off_scale is not None or found.open):
        # Without a code: no answer is off the scale, though one has no midpoint.
        off = [""]
    return (*flags, *(f"{OFF_SCALE_FLAG}{code}" for code in off))


def unknown_off_scale(question: CodedQuestion) -> list[Scalar]:
    """The keys of `off_scale` that mean no answer of the question."""
    known = {key for answer in answers_of(question) for key in _keys(answer)}
    return [each for each in question.off_scale or () if canonical_value(each) not in known]


def answers_of(question: CodedQuestion) -> Sequence[_Answer]:
    """The answers that may be a scale: of a single question, or the points of a grid."""
    if question.kind == "multiple":
        return ()
    return question.suffixes if question.kind == "grid" else question.points


def _key(answer: _Answer) -> Scalar:
    """What a codebook calls an answer: its value, else its code or name."""
    own = next(iter((*(() if answer.value is None else (answer.value,)), *answer.values)), None)
    return own if own is not None else answer.code or answer.name


def _keys(answer: _Answer) -> set[str]:
    return {*meanings_of(answer), answer.code or "", answer.name} - {""}


# ---- what a draft says of them ----


def top_reason(question: CodedQuestion, found: Evidence) -> str:
    """What a draft says of a scale whose first answer is the top; "" of any other."""
    if found.top != "first":
        return ""
    return f"; {answers_of(question)[_ends(found)[0]].name!r} is the top"


def _ends(found: Evidence) -> tuple[int, int]:
    points = [place for place in found.order if place not in found.off]
    return points[0], points[-1]


def scale_guesses(
    question: CodedQuestion, found: Evidence, counts: Mapping[str, int]
) -> list[Guess]:
    """What an import takes for granted of a scale. counts: respondents by the file's value."""
    guesses = [*_of_doubts(question, found), *_of_top(question, found)]
    if found.open:
        guesses.append(_of_open_bands(question, found, counts))
    return guesses


def _of_doubts(question: CodedQuestion, found: Evidence) -> Iterator[Guess]:
    names = [answer.name for answer in answers_of(question)]
    for doubt in found.doubts:
        places = doubt.answers
        shown = _shown([names[place] for place in found.order if place in places])
        if doubt.kind == "contradiction":
            say = "say" if doubt.has_order else "may say"
            said = f"the file lists {shown}, and the answers {say} another order: no top, no mean"
            yield _of_order(question, found, doubt, "scale", said, 0)
        elif doubt.kind == "codes":
            said = f"the codes of {_shown(names)} are in another order than the words: no mean"
            yield _of_order(question, found, doubt, "scale", said, 1)
        elif doubt.kind == "order":
            said = f"{_shown(names)} may be a scale, whose order is not known: alphabetical"
            yield _of_order(question, found, doubt, "order", said, 1)
        elif doubt.kind == "off scale":
            off = _shown([names[place] for place in places])
            said = f"{off} {'is' if len(places) == 1 else 'are'} off the scale, by the code"
            known = [names[place] for place in found.off if place not in places]
            edit = {"question": question.code, "off_scale": known}
            choices = (
                GuessOption("off the scale", present=True),
                GuessOption("on the scale", edits=edit),
            )
            yield Guess.of_choices(question.code, "scale", said, choices, 1)


def _of_order(
    question: CodedQuestion,
    found: Evidence,
    doubt: Doubt,
    subject: str,
    said: str,
    severity: Severity,
) -> Guess:
    """A doubt about the order of answers, which can be chosen where the words say another one."""
    names = [answer.name for answer in answers_of(question)]
    rest = [place for place in found.order if place not in doubt.answers]
    order = [names[place] for place in (*doubt.answers, *rest)]
    # Against the order of the file, the top has to be named as well.
    top = {"top": "last"} if doubt.kind == "contradiction" else {}
    if not doubt.has_order:
        others = ', top="last"' if top else ""
        code = f"client.edit({quoted(question.code)}, order=[…]{others})"
        return Guess(question.code, subject, said, code, severity)
    by_words = f"in the order {_shown(order)}{', the last the top' if top else ''}"
    edit = {"question": question.code, "order": order, **top}
    choices = GuessOption("as they are listed now", present=True), GuessOption(by_words, edits=edit)
    return Guess.of_choices(question.code, subject, said, choices, severity)


def _of_top(question: CodedQuestion, found: Evidence) -> Iterator[Guess]:
    answers, code = answers_of(question), question.code
    # A scale from none to most has a top.
    may_be_none = _stated(found, answers)[1] != "amount"
    if found.top in ("first", "last"):
        if len(found.order) - len(found.off) < _FEWEST_POINTS:
            return
        first, last = (answers[place].name for place in _ends(found))
        top = answers[_ends(found)[0 if found.top == "first" else 1]]
        value = next(iter(meanings_of(top)), "")
        own = "" if value in ("", canonical_value(top.name)) else f" ({value} = {top.name})"
        # That more is more is a plain fact.
        severity: Severity = 3 if found.by == "numbers" and found.top == "last" else 2
        said = f"{top.name!r} is the top{own}"
        choices = top_choices(code, first, last, found.top, may_be_none=may_be_none)
        yield Guess.of_choices(code, "scale", said, choices, severity)
    elif {"top"} == {each.kind for each in found.doubts} or (
        found.top == "unknown" and not found.doubts
    ):
        first, last = (answers[place].name for place in _ends(found))
        said = f"which end is the top is not known: {first!r} or {last!r}"
        yield Guess.of_choices(
            code, "scale", said, top_choices(code, first, last, None, may_be_none=may_be_none), 1
        )


def _of_open_bands(question: CodedQuestion, found: Evidence, counts: Mapping[str, int]) -> Guess:
    answers = answers_of(question)
    names = {place: answers[place].name for place in found.open}
    count = {
        place: sum(counts.get(value, 0) for value in meanings_of(answers[place])) for place in names
    }
    said = " and ".join(f"{name!r} ({count[place]:,})" for place, name in names.items())
    said += " has no midpoint" if len(names) == 1 else " have no midpoints"
    scores = {name: _likely(found, name) for name in names.values()}
    counted = " and ".join(f"{name!r} as {score:,.12g}" for name, score in scores.items())
    edit = {"question": question.code, "scores": scores}
    choices = (
        GuessOption("left out of means", present=True),
        GuessOption(f"in means: {counted}", edits=edit),
    )
    return Guess.of_choices(question.code, "scale", f"{said}: left out of means", choices, 1)


def top_choices(
    question: str, first: str, last: str, top: Top | None, *, may_be_none: bool = True
) -> list[GuessOption]:
    """Which end of a scale is the top: the present one first, then the others.

    first, last: the answers at its ends. top: None where it is not known. may_be_none: whether
    neither may be it.
    """
    ends: dict[Top, str] = {
        "last": f"{last!r} is the top",
        "first": f"{first!r} is the top",
        "none": "neither end is the top",
    }
    choices = [
        GuessOption(text, each == top, edits={"question": question, "top": each})
        for each, text in ends.items()
        if each != "none" or may_be_none
    ]
    if top is None:
        return [GuessOption("not known: no top, and no mean", present=True), *choices]
    return sorted(choices, key=lambda each: not each.present)


def _likely(found: Evidence, name: str) -> float:
    """A number that an open band may count as: half of what it is under, or more than its end."""
    amount = amount_of(name)
    if amount is None or amount.low is None:
        return (amount.high or 0.0) / 2 if amount else 0.0
    highest = sorted(found.scores.values())[-2:]
    step = highest[-1] - highest[0] if len(highest) > 1 else amount.low / 2
    # As wide as the step below it, since nothing else is known of an open band.
    return float(f"{amount.low + step / 2:.4g}")


def _shown(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(repr, names[:_SHOWN])) + more
