"""What people write for questions, answers and audiences, as codes and audiences of a request.

A question may be given by its code, by its name or as a question of the catalogue. `names_in` reads
off the arguments of a call what has to be looked up, and `Names` looks it up; a code needs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from audiencelab.client.arguments import codes
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.catalogue.labels import find_by_code_or_name
from audiencelab.client.catalogue.numbers import as_asked
from audiencelab.client.errors import UnknownCodeError
from audiencelab.client.responses import Location, Wave
from audiencelab.expressions import (
    And,
    Audience,
    ByName,
    Condition,
    Expression,
    Leaf,
    NumberRange,
    Or,
    Q,
    walk,
)
from audiencelab.expressions.codes import ASKED, WAVE_COLUMNS, WAVES
from audiencelab.lines import code_of
from audiencelab.schema import Datapoint, Question, Suffix
from audiencelab.schema.queries import DEFAULT_WAVES

if TYPE_CHECKING:
    from audiencelab.client.catalogue import Catalogue

_CODE = re.compile(r"(?=.*[\d_])[a-z][\w-]*(\.[\w-]+)?")
"""What looks like a code and not like a name; the service decides whether it is one."""

_TOTALS = ("total", "all", "everyone")
"""Words for a row or column of everyone."""

_WITHIN = re.compile("[>›]")
"""Between the levels of a nested banner, outermost first."""

_PARTS = re.compile("[>›+]")

_LATEST = re.compile(r"(?:latest|last) (\d+)")
_YEAR = re.compile(r"\d{4}")
_RANGE = re.compile(r"(.+) (?:to|-|–) (.+)")

_MOST_WAVES = 8
"""Waves that an error lists."""

WavesLike: TypeAlias = "str | int | Wave | Iterable[str | int | Wave] | None"
"""Waves by code or name, of a year ("2025"), the newest ("latest 4"), "all", from one to another
("Q1 2024 to Q4 2025"), or a list of these."""

LocationsLike: TypeAlias = "str | Location | Iterable[str | Location] | None"
"""Locations by code or name."""

QuestionLike = str | CatalogueQuestion
"""A question by its code, by its name, or as one of the catalogue."""


class NamesNeeded(TypeError):
    """A name was given where there is no catalogue, or no list of waves."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{WAVES!r} as rows or columns needs the list of waves, which is not at hand here. "
            "client.crosstab('Gender', 'waves') takes it; elsewhere write {'Wave': [al.Audience("
            f"each.name, al.Q({WAVES!r}).any(each.code)) for each in client.waves()]}}."
            if name == WAVES
            else f"{name!r} is the name of a question, which is found in the catalogue. Load it "
            "first: client.catalogue, or await client.catalogue()."
        )


class Needs(NamedTuple):
    """What is looked up for a call: names of questions and answers, the list of waves."""

    catalogue: bool
    waves: bool


def names_in(
    *axes: object,
    questions: Iterable[object] = (),
    answers: Iterable[object] = (),
    base: object = None,
) -> Needs:
    """What the arguments of a call need, read off them before anything is built.

    axes: rows, columns, audiences; there a question is the list of its answers, so that its code is
        looked up as well. questions, answers: one each, or a list of them; their codes are sent as
        they are. base: a base audience, of which a question is everyone who answered it.
    """
    if isinstance(base, str):
        questions = (*questions, base)
    else:
        axes = (*axes, base)
    words = {word for axis in axes for word in _words(axis)}
    parts = {part.strip() for word in words for part in _PARTS.split(word)}
    named = any(not is_code(each) for each in _words(questions) if each != WAVES)
    named = named or any(not _is_answer_code(each) for each in _words(answers))
    return Needs(named or bool(words - {WAVES}), any(map(_may_be_waves, parts)))


def _may_be_waves(part: str) -> bool:
    """Whether a name means the waves, unless a question has it."""
    return part.casefold() in WAVE_COLUMNS


def find_names(
    needs: Needs,
    catalogue: Callable[[], Catalogue | None],
    waves: Callable[[], Mapping[str, str]] | None = None,
) -> Names:
    """The catalogue and the names of waves by their codes, each only if it is needed."""
    return Names(
        catalogue() if needs.catalogue else None,
        waves=waves() if waves is not None and needs.waves else None,
    )


def read_once(given: Any, depth: int = 8) -> Any:
    """What was given, iterators as lists, also in mappings: it is read off and then built."""
    if isinstance(given, Iterator):
        return list(cast(Iterator[object], given))
    if not isinstance(given, Mapping) or not depth:
        return cast(Any, given)
    groups = cast(Mapping[object, object], given)
    return {name: read_once(each, depth - 1) for name, each in groups.items()}


def _words(given: object, around: tuple[object, ...] = ()) -> Iterator[str]:
    """The questions of an axis, and the names in its expressions.

    around: the lists and groups that it is in; one that holds itself is refused where it is built.
    """
    if isinstance(given, str):
        yield given
    elif isinstance(given, Audience):
        yield from _words(given.expression)
    elif isinstance(given, Expression):
        for _, node in walk(given):
            if isinstance(node, NumberRange):
                yield node.question
            elif isinstance(node, Leaf) and node.question != WAVES:
                yield from () if is_code(node.question) else (node.question,)
                answers = (*node.datapoints, *node.suffixes)
                yield from (each for each in answers if not _is_answer_code(each))
    elif not any(each is given for each in around):
        for each in _within(given):
            yield from _words(each, (*around, given))


def _within(given: object) -> Iterable[object]:
    """What a list or a group on an axis holds."""
    if isinstance(given, ByName):
        return given.given
    if isinstance(given, CatalogueQuestion):
        return ()
    if isinstance(given, Mapping):
        return cast(Mapping[object, object], given).values()
    if hasattr(given, "__dataframe__") or not isinstance(given, Iterable):
        return ()
    return cast(Iterable[object], given)


@dataclass(frozen=True, slots=True)
class Names:
    """Looks up questions and answers.

    catalogue: None where it has not been loaded. only_codes: nothing that is given is a name.
    waves: the names of those that are rows or columns, by code; None where they are not loaded.
    """

    catalogue: Catalogue | None = None
    only_codes: bool = False
    waves: Mapping[str, str] | None = None

    def question(self, given: QuestionLike) -> CatalogueQuestion:
        """The question with its answers; the waves are one too.

        Raises `UnknownCodeError` and `NamesNeeded`.
        """
        if isinstance(given, CatalogueQuestion):
            return given
        if given == WAVES or (self.waves and _may_be_waves(given) and not self._has(given)):
            if self.waves is None:
                raise NamesNeeded(WAVES)
            points = [Datapoint(code=code, name=name) for code, name in self.waves.items()]
            record = Question(code=WAVES, name="Wave", datapoints=points)
            return CatalogueQuestion(record, WAVES, WAVES)
        if self.catalogue is None:
            raise NamesNeeded(given)
        return self.catalogue[given]

    def _has(self, given: str) -> bool:
        return self.catalogue is not None and given in self.catalogue

    def is_total(self, given: str) -> bool:
        """Whether a word means everyone, and is not the name of a question.

        Raises `NamesNeeded`.
        """
        if given.strip().casefold() not in _TOTALS:
            return False
        if self.catalogue is None:
            raise NamesNeeded(given)
        return given not in self.catalogue

    def levels(self, given: str) -> list[str]:
        """The questions of a nested banner, as in "Gender > Age"; [] for the name of a question.

        Raises `NamesNeeded`.
        """
        parts = [each.strip() for each in _WITHIN.split(given)]
        if len(parts) < 2:
            return []
        if self.catalogue is None:
            raise NamesNeeded(given)
        return [] if given in self.catalogue else parts

    def beside(self, given: str) -> list[str]:
        """The questions side by side of "q5 + q2"; [] for the name of a question.

        Raises `NamesNeeded`.
        """
        parts = [each.strip() for each in given.split("+")]
        if len(parts) < 2 or not all(parts):
            return []
        if self.catalogue is None:
            raise NamesNeeded(given)
        return [] if given in self.catalogue else parts

    def question_code(self, argument: str, given: QuestionLike) -> str:
        """The code of a question; an unknown code is left to the service.

        Raises `UnknownCodeError` for a name that no question has, or several, `NamesNeeded`,
        and `TypeError` for another type.
        """
        if isinstance(given, CatalogueQuestion):
            return given.code
        if not isinstance(given, str):
            raise TypeError(
                f"{argument} must be one question: its code, its name or a question of the "
                f"catalogue; got {type(given).__name__}. A crosstab takes several. "
                f"Write client.crosstab({code_of(given)})."
            )
        # A str of a numpy array has a type that msgspec does not encode.
        key = str(given)
        if key == WAVES:
            return key
        if self.catalogue is None:
            self._check_code(key)
            return key
        known = self.catalogue.question_name(key) is not None
        # A code has no space, and the service says whether one may be used.
        unknown_code = key not in self.catalogue and not any(map(str.isspace, key))
        return key if known or unknown_code else self.catalogue[key].code

    def any_answer(self, argument: str, given: QuestionLike) -> Leaf:
        """Everyone who gave any answer to a question, or to an item; raises as `question_code`."""
        found = given
        if isinstance(given, str) and self.catalogue is not None and given in self.catalogue:
            found = self.catalogue[given]
        if isinstance(found, CatalogueQuestion) and found.item_of is not None:
            return found.any()
        return Q(self.question_code(argument, given)).any()

    def answer_codes(
        self, argument: str, question: str, given: str | Iterable[str | int] | None
    ) -> list[str] | None:
        """Codes of datapoints or suffixes (`argument` says which) by their codes or names.

        Raises as `question_code`; an unknown one is left to the service.
        """
        listed = codes(argument, [given] if isinstance(given, str) else given)
        if listed is None or question == WAVES:
            return listed
        if self.catalogue is None:
            for each in listed:
                if not _is_answer_code(each):
                    self._check_code(each)
            return listed
        if question not in self.catalogue:
            return listed
        found = self.catalogue[question]
        among: Iterable[Datapoint | Suffix] = (
            found.suffixes if argument == "suffixes" else found.datapoints
        )
        name_of = self.catalogue.datapoint_name if argument == "datapoints" else None
        answers: list[str] = []
        for each in listed:
            # The code of an answer is looked up, not searched for among thousands.
            is_code = name_of is not None and name_of(question, each) is not None
            match = None if is_code else find_by_code_or_name(each, among)
            answers.append(match.code if match else each)
        return answers

    def expression(self, given: Expression) -> Expression:
        """The expression with codes in place of names, as in `al.Q("Age") == "18 to 24"`.

        A range of numbers of a question without respondents' own is written by its answers. Raises
        as `question_code` and `as_asked`; the name of no answer is left to the service.
        """
        named = (isinstance(node, Condition) and _has_names(node) for _, node in walk(given))
        if self.only_codes or not any(named):
            return given
        if isinstance(given, And | Or):
            return replace(given, children=tuple(map(self.expression, given.children)))
        leaf = cast(Condition, given)
        question = self.question_code("question", leaf.question)
        if isinstance(leaf, NumberRange):
            return self._range(replace(leaf, question=question))
        assert isinstance(leaf, Leaf), "a condition is a leaf or a range"
        return replace(
            leaf,
            question=question,
            datapoints=tuple(self.answer_codes("datapoints", question, leaf.datapoints) or ()),
            suffixes=tuple(self.answer_codes("suffixes", question, leaf.suffixes) or ()),
        )

    def _range(self, given: NumberRange) -> Expression:
        if self.catalogue is None:
            raise NamesNeeded(given.question)
        known = given.question in self.catalogue
        return as_asked(self.catalogue[given.question], given) if known else given

    def _check_code(self, key: str) -> None:
        if not self.only_codes and not is_code(key):
            raise NamesNeeded(key)


def _has_names(leaf: Condition) -> bool:
    if not isinstance(leaf, Leaf):
        return True
    keys = (leaf.question, *(each for each in leaf.datapoints if each != ASKED))
    return not (all(map(is_code, keys)) and all(map(str.isdecimal, leaf.suffixes)))


def _is_answer_code(key: str) -> bool:
    return key.isdecimal() or key == ASKED or is_code(key)


def is_code(key: str) -> bool:
    """Whether a key looks like a code, which needs no catalogue."""
    return _CODE.fullmatch(key) is not None


def as_codes(given: WavesLike | LocationsLike) -> list[str] | None:
    """One or several waves or locations, each by its code or as it was given."""
    if given is None:
        return None
    listed = given if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    return [
        each.code if isinstance(each, Wave | Location) else str(each)
        for each in cast(Iterable[object], listed)
    ]


def named_waves(window: str | tuple[str, ...] | None) -> str:
    """A time window in short, such as `latest 4`; "" for none."""
    return window if isinstance(window, str) else ", ".join(window or ())


def window_codes(window: WavesLike, waves: Mapping[str, str]) -> list[str]:
    """The waves of a crosstab that names none, of a client with that time window.

    waves: the names of all waves by their codes, by date.
    """
    wanted = as_codes(window)
    if wanted is None:
        return list(waves)[-DEFAULT_WAVES:]
    return find_waves(wanted, waves)


def find_waves(wanted: Iterable[str], waves: Mapping[str, str]) -> list[str]:
    """The codes that some words mean, each once; `waves` as for `window_codes`.

    Raises `ValueError` for words that mean no wave: "latest 0", and a range from a later one.
    """
    return list(dict.fromkeys(code for each in wanted for code in _find_waves(each, waves)))


def unknown_wave(wave: str, waves: Mapping[str, str]) -> UnknownCodeError:
    """The error for a wave that a survey does not have; `waves` as for `window_codes`."""
    newest = [f"{code!r} ({name})" for code, name in waves.items()][-_MOST_WAVES:]
    listed = f"It has {', '.join(newest)}"
    if len(newest) < len(waves):
        listed = f"The newest are {', '.join(newest)}"
    return UnknownCodeError(
        f"The survey has no wave {wave!r}. {listed}. Write client.waves().", [wave]
    )


def _find_waves(wanted: str, waves: Mapping[str, str]) -> list[str]:
    """The codes that one word means; an unknown one is left to the service."""
    codes = list(waves)
    if wanted in waves:
        return [wanted]
    folded = wanted.casefold().strip()
    if folded == "all":
        return codes
    if folded in ("latest", "last"):
        return codes[-1:]
    if latest := _LATEST.fullmatch(folded):
        if int(latest[1]) == 0:
            raise ValueError(f"{wanted!r} names no wave. Write 'latest 1' for the newest one.")
        return codes[-int(latest[1]) :]
    # As it was written, since codes have a case.
    if ends := _RANGE.fullmatch(wanted):
        # An end may be several waves, such as a year: the first of the first, the last of the last.
        (first, *_), (*_, last) = (_find_waves(end.strip(), waves) for end in ends.groups())
        if first in codes and last in codes:
            if between := codes[codes.index(first) : codes.index(last) + 1]:
                return between
            # Without codes, the query would count the waves of one that names none.
            start, end = (each.strip() for each in ends.groups())
            raise ValueError(
                f"{wanted!r} names no wave: {start} is after {end}. Write {f'{end} to {start}'!r}."
            )
    # What looked like a range may still be the name of one wave.
    if _YEAR.fullmatch(folded):
        # Four digits of a longer number are not the year.
        of_year = re.compile(rf"(?<!\d){folded}(?!\d)")
        found = [code for code, name in waves.items() if of_year.search(f"{code} {name}")]
    else:
        found = [code for code, name in waves.items() if name.casefold() == folded]
    # The number of a wave in the file, which its code ends in.
    numbered = [code for code in codes if code.rpartition("_")[2] == folded]
    return found or (numbered if len(numbered) == 1 else []) or [wanted]
