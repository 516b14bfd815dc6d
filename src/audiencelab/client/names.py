"""What people write for questions, answers and audiences, as codes and audiences of a request.

A question may be given by its code, by its name or as a question of the catalogue. A code needs no
catalogue; where a name is given and the catalogue has not been loaded, `CatalogueNeeded` is raised,
and the client loads it and tries again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

from audiencelab.client.arguments import codes
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.catalogue.labels import find_by_code_or_name
from audiencelab.client.errors import UnknownCodeError
from audiencelab.client.responses import Location, Wave
from audiencelab.expressions import And, Expression, Leaf, Or, walk
from audiencelab.expressions.codes import ASKED, WAVES
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


T = TypeVar("T")


class CatalogueNeeded(TypeError):
    """A name was given, and the catalogue that has it is not loaded."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name!r} is the name of a question, which is found in the catalogue. Load it first: "
            "await client.catalogue()."
        )


class WavesNeeded(TypeError):
    """Waves were given as rows or columns, and it is not known which there are."""

    def __init__(self) -> None:
        super().__init__(
            f"{WAVES!r} as rows or columns needs the list of waves, which is not at hand here. "
            "client.crosstab('Gender', 'waves') takes it; elsewhere write {'Wave': [al.Audience("
            f"each.name, al.Q({WAVES!r}).any(each.code)) for each in client.waves()]}}."
        )


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

        Raises `UnknownCodeError`, `CatalogueNeeded` and `WavesNeeded`.
        """
        if isinstance(given, CatalogueQuestion):
            return given
        if given == WAVES:
            if self.waves is None:
                raise WavesNeeded
            points = [Datapoint(code=code, name=name) for code, name in self.waves.items()]
            record = Question(code=WAVES, name="Wave", datapoints=points)
            return CatalogueQuestion(record, WAVES, WAVES)
        if self.catalogue is None:
            raise CatalogueNeeded(given)
        return self.catalogue[given]

    def is_total(self, given: str) -> bool:
        """Whether a word means everyone, and is not the name of a question.

        Raises `CatalogueNeeded`.
        """
        if given.strip().casefold() not in _TOTALS:
            return False
        if self.catalogue is None:
            raise CatalogueNeeded(given)
        return given not in self.catalogue

    def levels(self, given: str) -> list[str]:
        """The questions of a nested banner, as in "Gender > Age"; [] for the name of a question.

        Raises `CatalogueNeeded`.
        """
        parts = [each.strip() for each in _WITHIN.split(given)]
        if len(parts) < 2:
            return []
        if self.catalogue is None:
            raise CatalogueNeeded(given)
        return [] if given in self.catalogue else parts

    def question_code(self, argument: str, given: QuestionLike) -> str:
        """The code of a question; an unknown code is left to the service.

        Raises `UnknownCodeError` for a name that no question has, or several, `CatalogueNeeded`,
        and `TypeError` for another type.
        """
        if isinstance(given, CatalogueQuestion):
            return given.code
        if not isinstance(given, str):
            raise TypeError(
                f"{argument} must be one question: its code, its name or a question of the "
                f"catalogue; got {type(given).__name__}. client.crosstab([…]) takes several."
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
                if not each.isdecimal():
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

        Raises as `question_code`; the name of no answer is left to the service.
        """
        named = (isinstance(node, Leaf) and _has_names(node) for _, node in walk(given))
        if self.only_codes or not any(named):
            return given
        if isinstance(given, And | Or):
            return replace(given, children=tuple(map(self.expression, given.children)))
        leaf = cast(Leaf, given)
        question = self.question_code("question", leaf.question)
        return replace(
            leaf,
            question=question,
            datapoints=tuple(self.answer_codes("datapoints", question, leaf.datapoints) or ()),
            suffixes=tuple(self.answer_codes("suffixes", question, leaf.suffixes) or ()),
        )

    def _check_code(self, key: str) -> None:
        if not self.only_codes and not is_code(key):
            raise CatalogueNeeded(key)


def with_catalogue(
    catalogue: Callable[[], Catalogue | None],
    build: Callable[[Names], T],
    waves: Callable[[], Mapping[str, str]] | None = None,
) -> T:
    """What `build` makes; the catalogue and the waves are asked for only if a name needs them."""
    names = Names()
    while True:
        try:
            return build(names)
        except CatalogueNeeded:
            if names.catalogue is not None or (found := catalogue()) is None:
                raise
            names = replace(names, catalogue=found)
        except WavesNeeded:
            if waves is None:
                raise
            names = replace(names, waves=waves())


def _has_names(leaf: Leaf) -> bool:
    keys = (leaf.question, *(each for each in leaf.datapoints if each != ASKED))
    return not (all(map(is_code, keys)) and all(map(str.isdecimal, leaf.suffixes)))


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
    """The codes that some words mean, each once; `waves` as for `window_codes`."""
    return list(dict.fromkeys(code for each in wanted for code in _find_waves(each, waves)))


def unknown_wave(wave: str, waves: Mapping[str, str]) -> UnknownCodeError:
    """The error for a wave that a survey does not have; `waves` as for `window_codes`."""
    newest = [f"{code!r} ({name})" for code, name in waves.items()][-_MOST_WAVES:]
    listed = f"It has {', '.join(newest)}"
    if len(newest) < len(waves):
        listed = f"The newest are {', '.join(newest)}; client.waves() lists all"
    return UnknownCodeError(f"The survey has no wave {wave!r}. {listed}.", [wave])


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
        return codes[-int(latest[1]) :] if int(latest[1]) else []
    if ends := _RANGE.fullmatch(wanted):
        (first, *_), (*_, last) = (_find_waves(end.strip(), waves) for end in ends.groups())
        if first in codes and last in codes:
            return codes[codes.index(first) : codes.index(last) + 1]
    if _YEAR.fullmatch(folded):
        of_year = re.compile(rf"(?<!\d){folded}(?!\d)")
        found = [code for code, name in waves.items() if of_year.search(f"{code} {name}")]
    else:
        found = [code for code, name in waves.items() if name.casefold() == folded]
    return found or [wanted]
