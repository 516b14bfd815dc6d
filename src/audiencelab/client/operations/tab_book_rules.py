"""The rules of a tab book: which rows each kind of question has, `rows=` of `Client.tab_book`.

`DEFAULT`, `SUMMARY` and `SUITS` are the whole of what a kind of question shows by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

from audiencelab.client.audiences import AudienceLike
from audiencelab.client.catalogue import Catalogue, CatalogueQuestion
from audiencelab.client.catalogue.amounts import statistic_word
from audiencelab.expressions import ByName
from audiencelab.lines import near
from audiencelab.results.statistic_rows import Statistic
from audiencelab.schema.scales import scale_of, scores_of
from audiencelab.words import OBJECTS

Kind = Literal["single", "multiple", "scale", "grid", "number", "nps"]
"""One answer, several answers, one on a scale of words whose order the survey states, items on a
scale, amounts, and a scale from 0 to 10."""

RowLike: TypeAlias = "str | AudienceLike | Statistic | ByName | Mapping[str, Any]"
RuleLike: TypeAlias = "RowLike | Sequence[RowLike]"
RowsLike: TypeAlias = "RuleLike | Mapping[Any, RuleLike]"
"""The rows of each table: one rule for every question, or rules by kinds and questions."""

ANSWERS, SUMMARY, ANY = "answers", "summary", "any"

DEFAULT: tuple[str, ...] = (ANSWERS,)
"""The rows of a question without a rule."""

_OF_SCALES = ("top 2", "bottom 2", "mean")

OF_SUMMARY: Mapping[str, tuple[str, ...]] = {
    "scale": _OF_SCALES,
    "grid": _OF_SCALES,
    # Not every question from 0 to 10 is about a recommendation.
    "nps": _OF_SCALES,
    "number": ("mean", "median"),
}
"""What "summary" is of each kind; nothing of the others."""

FEWEST_POINTS = 4
"""Points of a scale of which a summary has the two at each end: of fewer, one would be in both."""

SUITS: Mapping[str, tuple[Kind, ...]] = {
    ANY: ("multiple",),
    "box": ("scale", "grid", "nps"),
    "statistic": ("scale", "grid", "number", "nps"),
    "nps": ("scale", "grid", "number", "nps"),
}
"""The kinds that rows of a rule for every question are for, by `family`."""

_KINDS: Mapping[str, Kind] = {
    **{each: each for each in get_args(Kind)},
    "several": "multiple",
    "numeric": "number",
    "rating": "scale",
}
_ALL_OTHERS = "*"
_BOX = re.compile(r"(top|bottom|t|b)[ -]?(\d+)(?:[ -]?box|b)?")
_WORDS = (ANSWERS, SUMMARY, "top 2", "bottom 2", ANY, "mean", "median", "sum", "nps", "nps parts")
_EXAMPLE = "['answers', 'top 2', 'mean']"


@dataclass(frozen=True, slots=True)
class Rule:
    """The rows of some questions.

    at: where it is written, for errors. rows: words, nets and rows of a crosstab. is_for_all:
    whether it is for every question, of which each takes the rows that suit its kind.
    """

    at: str
    rows: tuple[Any, ...]
    is_for_all: bool = False


class RowRules:
    """The rules for all questions, read once.

    numbers: codes of the questions whose numbers the survey keeps. Raises `ValueError` and
    `TypeError` for what is not a rule, before anything is counted.
    """

    def __init__(
        self, given: RowsLike | None, catalogue: Catalogue, numbers: frozenset[str]
    ) -> None:
        self.catalogue, self.numbers = catalogue, numbers
        self._kinds: dict[str, Rule] = {}
        self._questions: dict[str, Rule] = {}
        if isinstance(given, Mapping):
            for key, rule in cast("Mapping[object, Any]", given).items():
                self._add(key, rule)
        elif given is not None:
            self._kinds[_ALL_OTHERS] = _rule("rows", given, is_for_all=True)

    def of(self, question: CatalogueQuestion) -> tuple[Kind, Rule]:
        """The kind of a question and its rule."""
        kind = kind_of(question, self.numbers)
        if own := self._questions.get(question.canonical):
            return kind, own
        # A question from 0 to 10 is a scale as well.
        names = (kind, *(["scale"] if kind == "nps" else []), _ALL_OTHERS)
        found = (self._kinds[name] for name in names if name in self._kinds)
        return kind, next(found, Rule("rows", DEFAULT))

    def _add(self, key: object, given: Any) -> None:
        if isinstance(key, CatalogueQuestion):
            self._questions[key.canonical] = _rule(f"rows[{key.code!r}]", given)
            return
        if not isinstance(key, str):
            raise TypeError(
                f"rows must have kinds or names of questions as keys; got {type(key).__name__}."
            )
        at, word = f"rows[{key!r}]", key.strip().casefold()
        if word == _ALL_OTHERS or word in _KINDS:
            kind = _KINDS.get(word, word)
            self._kinds[kind] = _rule(at, given, is_for_all=kind == _ALL_OTHERS)
        elif key in self.catalogue:
            self._questions[self.catalogue[key].canonical] = _rule(at, given)
        else:
            close = near(key, [*_KINDS, *(each.name for each in self.catalogue)])
            hint = f" Did you mean {close!r}?" if close else ""
            raise ValueError(
                f"{at} is not valid: {key!r} is not a question, and not a kind of question: "
                f"{', '.join(get_args(Kind))}, or '*' for all others.{hint}"
            )


def kind_of(question: CatalogueQuestion, numbers: Iterable[str] = ()) -> Kind:
    """The kind of a question, as its record says; numbers: as for `RowRules`."""
    if question.record.kind == "multiple":
        return "multiple"
    if question.suffixes:
        return "grid"
    scores = scores_of(question.record)
    if sorted(scores.values()) == list(range(11)):
        return "nps"
    if scale_of(question.record).is_worded and not _counts(question, scores):
        return "scale"
    return "number" if scores or question.code in numbers else "single"


def _counts(question: CatalogueQuestion, scores: Mapping[str, float]) -> bool:
    """Whether its answers are numbers from 0 on without words, such as of children."""
    names = {each.code: each.name for each in question.record.datapoints or []}
    return 0 in scores.values() and all(
        names.get(code) == f"{score:g}" for code, score in scores.items()
    )


def family(word: str) -> str:
    """What `SUITS` calls the rows of a word."""
    if word.startswith(("top", "bottom")):
        return "box"
    return word[:3] if word.startswith((ANY, "nps")) else "statistic"


def _rule(at: str, given: Any, *, is_for_all: bool = False) -> Rule:
    if isinstance(given, Mapping):
        given = [ANSWERS, given]  # nets, below the answers
    if isinstance(given, str | AudienceLike | Statistic | ByName):
        given = [given]
    if not isinstance(given, Iterable):
        raise TypeError(f"{at} must be a list of rows, such as {_EXAMPLE}; got {given!r}.")
    rows = tuple(_row(at, each) for each in cast("Iterable[Any]", given))
    if not rows:
        raise ValueError(f"{at} has no rows. Write some, such as {_EXAMPLE}.")
    if is_for_all and any(isinstance(each, Mapping) for each in rows):
        raise TypeError(
            f"{at} is not valid: a net is of the answers of one question. Write it for that one: "
            "rows={'QUESTION': ['answers', {'NET': ['…', '…']}]}."
        )
    return Rule(at, rows, is_for_all)


def _row(at: str, given: Any) -> Any:
    """A row of a rule, words in the one way that they are read."""
    if isinstance(given, AudienceLike | Statistic | ByName | Mapping):
        return cast(Any, given)
    if not isinstance(given, str):
        raise TypeError(f"{at} must have rows as in {_EXAMPLE}; got {given!r}.")
    word = " ".join(given.replace("_", " ").split()).casefold()
    word = {"top box": "top 1", "bottom box": "bottom 1"}.get(word, word)
    if box := _BOX.fullmatch(word):
        return f"{'top' if word[0] == 't' else 'bottom'} {int(box[2])}"
    if word in (ANSWERS, SUMMARY, ANY):
        return word
    # "average" is a word for the method of a question, too.
    if statistic := statistic_word(str(OBJECTS["CatalogueQuestion"].same.get(word, word))):
        return statistic
    close = near(word, [*_WORDS, "standard deviation"])
    hint = f" Did you mean {close!r}?" if close else ""
    raise ValueError(
        f"{at} is not valid: {given!r} is not a row.{hint} Rows are {', '.join(map(repr, _WORDS))},"
        " 'standard deviation', percentiles such as 'p90', nets such as {'Name': ['…', '…']}, and "
        "rows of a crosstab such as al.top_box('QUESTION', 3)."
    )
