"""The rows of the tables of a tab book, made by the methods of their questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple, cast

from audiencelab.client.audiences import AudienceLike, to_audience
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.catalogue.amounts import rows_by_word
from audiencelab.client.catalogue.question_part import OneOrEach
from audiencelab.client.operations.tab_book_rules import (
    ANSWERS,
    ANY,
    FEWEST_POINTS,
    OF_SUMMARY,
    SUITS,
    SUMMARY,
    RowRules,
    family,
)
from audiencelab.expressions import Audience, ByName
from audiencelab.results.statistic_rows import Statistic
from audiencelab.schema.scales import scale_of

Row = Audience | Statistic


class BookRow(NamedTuple):
    """A row of a table with its groups; is_net: whether it is several answers together."""

    groups: tuple[str, ...]
    row: Row
    is_net: bool = False


@dataclass(frozen=True, slots=True)
class QuestionRows:
    """The rows of one question, and why others that its rule names are not there."""

    lines: tuple[BookRow, ...]
    notes: tuple[str, ...] = ()

    @property
    def shares(self) -> list[BookRow]:
        """Those that are not statistics."""
        return [line for line in self.lines if isinstance(line.row, Audience)]

    def nested(self) -> list[Any]:
        """The rows below the name of the question, as a crosstab takes them."""
        return _nested(self.lines, 1)


def _nested(lines: Iterable[BookRow], level: int) -> list[Any]:
    made: list[Any] = []
    for name, each in groupby(lines, lambda line: line.groups[level : level + 1]):
        if name:
            made.append({name[0]: _nested(each, level + 1)})
        else:
            made += [line.row for line in each]
    return made


def rows_of(question: CatalogueQuestion, title: str, rules: RowRules) -> QuestionRows:
    """The rows of a question under its title; none for one without answers.

    Where the survey does not say which end of a scale is the top, or what answers count as, rows
    that need it are left out, and a note says how to change that. Without any row there are the
    answers. Raises the errors of the methods of questions for rows that it cannot have at all.
    """
    maker = _Maker(question, rules)
    return (
        QuestionRows(tuple(maker.lines(title)), maker.notes) if maker.answers else QuestionRows(())
    )


class _Made(NamedTuple):
    """A row without its groups. shown: what it shows. item: the name of its item, of a grid."""

    row: Audience | Statistic
    shown: str
    item: str = ""
    is_net: bool = False

    def line(self, *groups: str, name: str) -> BookRow:
        """The row in its groups."""
        return BookRow(groups, self.row.named(name), self.is_net)


class _Maker:
    """Makes the rows of one question by a rule; notes which it could not make, and why."""

    def __init__(self, question: CatalogueQuestion, rules: RowRules) -> None:
        self._question, self._rules, self.answers = question, rules, question.as_rows()
        self._kind, self._rule = rules.of(question)
        # The items of a grid, by the names of their groups.
        names = self.answers if isinstance(self.answers, dict) else ()
        items = [each for each in question.datapoints if each.accessible]
        self._items = dict(zip(names, items, strict=True)) if names else {}
        self._refused: dict[str, list[str]] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Why rows of the rule are not there."""
        return tuple(
            f"{' and '.join(words).capitalize()} {'are' if words[1:] else 'is'} not shown. {why}"
            for why, words in self._refused.items()
        )

    def lines(self, title: str) -> list[BookRow]:
        """The rows that the rule names, as far as the question has them; else its answers."""
        made = [each for row in self._expanded() for each in self._of(row)]
        has_answers = ANSWERS in self._rule.rows or not made
        made = made or self._points()
        of_items = [each for each in made if each.item]
        others = [each.line(title, name=each.shown) for each in made if not each.item]
        if has_answers:
            # Beside the answers of an item are its other rows.
            own = ((item, each) for item in self._items for each in of_items if each.item == item)
            return [*(each.line(title, item, name=each.shown) for item, each in own), *others]
        return [*(each.line(title, each.shown, name=each.item) for each in of_items), *others]

    def _expanded(self) -> Iterator[Any]:
        """The rows of the rule, with those of the kind for "summary"."""
        few = len(scale_of(self._question.record).points) < FEWEST_POINTS
        for each in self._rule.rows:
            if each != SUMMARY:
                yield each
            else:
                words = OF_SUMMARY.get(self._kind, ())
                yield from (word for word in words if not (few and family(word) == "box"))

    def _of(self, row: Any) -> list[_Made]:
        if row == ANSWERS:
            return self._points()
        if isinstance(row, Mapping):
            nets = cast("Mapping[str, Any]", row).items()
            return [each for name, given in nets for each in self._net(name, given)]
        if not isinstance(row, str):
            return [_Made(each, each.name) for each in self._rows(row)]
        kind_of_row = family(row)
        if self._rule.is_for_all and self._kind not in SUITS[kind_of_row]:
            return []
        try:
            return self._word(row, kind_of_row)
        except ValueError as error:
            # A rule for every question does not ask a score of scales that end before 10.
            if not (self._rule.is_for_all and kind_of_row == "nps"):
                self._refused.setdefault(str(error), []).append(row)
            return []
        except TypeError as error:
            raise TypeError(f"{self._rule.at}: {error}") from None

    def _points(self) -> list[_Made]:
        """The answers, of a grid those of each item."""
        if not isinstance(self.answers, dict):
            return [_Made(row, row.name) for row in self.answers]
        pairs = ((item, row) for item, rows in self.answers.items() for row in rows)
        return [_Made(row, row.name, item) for item, row in pairs]

    def _word(self, word: str, kind_of_row: str) -> list[_Made]:
        """The rows of a word: of the question, or of a grid for each item."""
        question, codes = self._question, [each.code for each in self._items.values()]
        if kind_of_row == ANY:
            return [_Made(Audience("Any answer", question.any()), "Any answer", is_net=True)]
        if kind_of_row == "box":
            end, count = word.split()
            box = question.top_box if end == "top" else question.bottom_box
            rows = each_of(box(int(count), *codes))
        else:
            rows = rows_by_word(question, word, codes, self._rules.numbers)
        if not self._items:
            return [
                _Made(row, _short(row, question.name), "", kind_of_row == "box") for row in rows
            ]
        # Several rows of an item, such as the parts of a score, follow each other.
        each = len(rows) // len(codes)
        return [
            _Made(row, _short(row, about.name or about.code), item, kind_of_row == "box")
            for part in range(each)
            for (item, about), row in zip(self._items.items(), rows[part::each], strict=True)
        ]

    def _net(self, name: str, given: Any) -> list[_Made]:
        if isinstance(given, AudienceLike | Statistic | ByName):
            return [_Made(each, name) for each in self._rows(given)]
        made = self._question.net(*([given] if isinstance(given, str) else given))
        if isinstance(made, Audience):
            return [_Made(made, name, is_net=True)]
        row_of = dict(zip((each.code for each in self._question.datapoints), made, strict=True))
        items = self._items.items()
        return [_Made(row_of[each.code], name, item, is_net=True) for item, each in items]

    def _rows(self, given: Any) -> list[Audience | Statistic]:
        """A row of a crosstab that was given, as one or several."""
        if isinstance(given, ByName):
            given = given.make(self._rules.catalogue.__getitem__)
        return [
            each if isinstance(each, Statistic) else to_audience(self._rule.at, each)
            for each in each_of(given)
        ]


def _short(row: Audience | Statistic, about: str) -> str:
    """The name of a row without what it is about: "Top 2 (Agree, Agree strongly)"."""
    name = row.name.removeprefix(f"{about}: ")
    return name[:1].upper() + name[1:]


def each_of(rows: OneOrEach) -> tuple[Any, ...]:
    """The rows of a method of questions, which are one or several."""
    return cast("tuple[Any, ...]", rows) if isinstance(rows, tuple) else (rows,)
