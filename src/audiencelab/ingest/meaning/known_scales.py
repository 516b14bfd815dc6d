"""Whole scales by the words of their answers: their steps, and how their ends are related."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from audiencelab.ingest.meaning.grades import Step, aside_of, grade, pairs_in
from audiencelab.ingest.meaning.lexicon import (
    PLAIN,
    Family,
    Parsed,
    languages_of,
    number_in,
    parsed,
    without_code,
)
from audiencelab.ingest.meaning.rates import VAGUE, rate
from audiencelab.ingest.meaning.words import is_off_scale
from audiencelab.schema.scales import Ends

_FEWEST = 3
_MOST = 25
_GRADES = frozenset(
    ("degree", "amount", "not-at-all", "hardly", "neutral", "maybe", "too", "right", "pole")
)
_ATTITUDES = frozenset(("agree", "approve", "favor", "favorable", "support"))
"""Pairs of poles that are opposite even where only degrees of one are listed."""
_RATES = frozenset(("adverb", "per-year"))


@dataclass(frozen=True, slots=True)
class KnownScale:
    """What words say of the answers of a question.

    ranks: of each answer, in the order of the labels, its step: a higher one has more of what the
        question names (agreement, satisfaction, frequency, amount); None of an answer that is off
        the scale, or that the words do not rank.
    ends: from an attitude to its opposite, or from none to most. has_top: whether more is more of
        what the question names; not of "too much", "about right", "too little".
    is_whole: whether the words rank every answer that is not off the scale.
    """

    ranks: tuple[float | None, ...]
    ends: Ends
    has_top: bool = True
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class _Reading:
    """The steps of labels in one language."""

    steps: Sequence[float | None]
    ends: Ends
    has_top: bool = True

    @property
    def placed(self) -> int:
        return sum(step is not None for step in self.steps)


def known_scale(labels: Sequence[str]) -> KnownScale | None:
    """The scale that labels make, in whatever order they are; None where words show none.

    A step is made of degree, pole and negation, or of how often, so that answers need not be
    listed. Between two labelled ends, points may be numbers: "Not at all likely", "1", … "10".

    >>> known_scale(["Very useful", "Rather useful", "Not useful at all", "Don't know"]).ranks
    (4.0, 2.2, -5.0, None)
    """
    return _known(tuple(labels))


def graded_in(labels: Sequence[str]) -> int:
    """How many labels have a word of degree, frequency, quality or attitude, in any language.

    What they say beside it is nothing, or what another says too: "Strong coffee" and "Weak tea" are
    names.
    """
    asides = [_asides(label) for label in labels]
    often = Counter(chain.from_iterable(asides))
    return sum(any(not each[2] or often[each] > 1 for each in own) for own in asides)


@lru_cache(maxsize=20_000)
def _asides(label: str) -> frozenset[tuple[Family, int, str]]:
    """What a label says beside its graded words, in the languages of these."""
    families: tuple[tuple[Family, frozenset[str]], ...] = (("grades", _GRADES), ("rates", _RATES))
    return frozenset(
        (family, place, found.rest)
        for family, kinds in families
        for place in languages_of(label, family)
        if (found := parsed(without_code(label, family), family, place))
        and any(item.kind in kinds for item in found.items)
    )


@lru_cache(maxsize=20_000)
def _known(labels: tuple[str, ...]) -> KnownScale | None:
    places = [place for place, label in enumerate(labels) if not is_off_scale(label)]
    words = [place for place in places if number_in(labels[place].strip()) is None]
    if not 2 <= len(words) <= _MOST:
        return None
    texts = [labels[place] for place in words]
    is_pair = len(places) == 2
    # The reading that ranks most answers; of equals the first, by the order of the languages.
    best = max(_readings(texts, is_pair), key=lambda each: each.placed, default=None)
    if best is None or not _is_enough(best, len(words), len(places) - len(words)):
        return None
    ranks: list[float | None] = [None] * len(labels)
    for place, step in zip(words, best.steps, strict=True):
        ranks[place] = step
    return KnownScale(tuple(ranks), best.ends, best.has_top, is_whole=best.placed == len(places))


def _is_enough(reading: _Reading, words: int, numbers: int) -> bool:
    if numbers or words == 2:
        # Between two worded ends numbers are points; with other numbers it is not known where words
        # are.
        return reading.placed == words == 2
    # One answer may have a word that is not in the lists.
    return reading.placed >= _FEWEST and reading.placed >= words - 1


def _readings(labels: Sequence[str], is_pair: bool) -> Iterator[_Reading]:
    grades = [without_code(label, "grades") for label in labels]
    rates = [without_code(label, "rates") for label in labels]
    for place in _spoken(grades, "grades"):
        each = [parsed(label, "grades", place) for label in grades]
        pairs = dict.fromkeys(chain.from_iterable(pairs_in(one.items) for one in each))
        for pair in (*pairs, None):
            if reading := _graded(each, pair, is_pair):
                yield reading
    for place in _spoken(rates, "rates"):
        if reading := _rated([parsed(label, "rates", place) for label in rates]):
            yield reading


def _spoken(labels: Sequence[str], family: Family) -> Iterator[int]:
    """The languages of which all labels but one at most have a word."""
    known = [languages_of(label, family) for label in labels]
    counts = Counter(chain.from_iterable(known))
    return (place for place, count in sorted(counts.items()) if count >= len(labels) - 1)


def _graded(labels: Sequence[Parsed], pair: str | None, is_pair: bool) -> _Reading | None:
    """Labels by the poles of a pair; None where two have one step, or differ in more than words."""
    asides = [aside_of(each.items, pair, each.rest) for each in labels]
    found = [grade(each.items, pair, aside) for each, aside in zip(labels, asides, strict=True)]
    beside = [at for at, each in enumerate(asides) if each]
    if len(labels) >= _FEWEST and len(beside) == 1 and (lone := found[beside[0]]):
        # Only one says anything else: it may not belong to the scale.
        found[beside[0]] = lone if lone.how in ("between", "neutral") else None
    steps = [step for step in found if step is not None]
    rests = {
        aside
        for aside, step in zip(asides, found, strict=True)
        if step and aside and step.how != "between"
    }
    values = [step.value for step in steps]
    # Two answers of one step, or beside different words, are not a scale of this pair.
    if len(steps) < 2 or len(rests) > 1 or len({*values}) < len(values):
        return None
    measured = [step.how for step in steps if step.how in ("too", "right")]
    if measured:
        is_all = "too" in measured and all(step.how for step in steps)
        return _Reading(_values(found, 1), "opposite", has_top=False) if is_all else None
    if sum(step.how != "bare" for step in steps) < 2:
        return None
    # "Trusts" and "Does not trust" are opposites, "Extremely likely" and "Not at all likely" the
    # ends of an amount.
    is_denial = pair is not None and is_pair and any(step.value == -PLAIN for step in steps)
    opposed = [step for step in steps if step.opposed or (is_denial and step.denied)]
    # Of "Not at all worried", "A little worried" and "Very worried", worry is what is asked about.
    is_turned = all(step.opposed or step.how for step in steps) and any(
        step.denied for step in steps
    )
    if any(step.denied and step.value > 0 for step in steps) and not is_turned:
        # "Not at all unimportant" beside "Important": either may be above.
        return None
    if is_turned:
        opposed = [step for step in steps if not step.denied and step.value > 0]
    is_opposite = bool(opposed) or pair in _ATTITUDES
    return _Reading(_values(found, -1 if is_turned else 1), "opposite" if is_opposite else "amount")


def _values(found: Sequence[Step | None], sign: int) -> list[float | None]:
    return [None if step is None else step.value * sign for step in found]


def _rated(labels: Sequence[Parsed]) -> _Reading | None:
    steps = [rate(each.items) for each in labels]
    known = [step for step in steps if step is not None]
    rests = {
        each.rest
        for each, step in zip(labels, steps, strict=True)
        if step is not None and each.rest
    }
    if len(known) < 2 or len(rests) > 1 or len({*known}) < len(known):
        return None
    # How often "often" is beside "once a week" is not known.
    is_mixed = any(VAGUE <= step <= 1 for step in known) and any(step > 1 for step in known)
    return None if is_mixed else _Reading(steps, "amount")
