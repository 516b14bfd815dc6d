"""A question to look answers up in: `question["Female"]` is the expression for everyone of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from audiencelab.audience import Audience, Leaf, Q
from audiencelab.client.catalogue.bands import (
    Bands,
    bands_between,
    bands_by_count,
    bands_by_name,
)
from audiencelab.client.catalogue.lookup import guess, pick
from audiencelab.client.errors import UnknownCodeError
from audiencelab.client.listing import Listing
from audiencelab.wire import Category, Datapoint, Question, Suffix
from audiencelab.wording import harmless

__all__ = ["CatalogueQuestion"]

_SHOWN = 12
_ANSWER = ("code", "name", "midpoint")
_NO_EXPRESSION = (
    "A question is no expression: choose answers first, question['Female'] or "
    "question.any('Female', 'Male')."
)


@dataclass(frozen=True, slots=True, repr=False)
class CatalogueQuestion:
    """A question with its datapoints; `question["Female"]` is the expression for that answer.

    record: the question as the service describes it.
    code: the code to write in expressions and queries, with its namespace unless that is `core`.
    canonical: the code with its namespace in any case.
    """

    record: Question
    code: str
    canonical: str

    @property
    def name(self) -> str:
        """What the question is called; its code where it has no name."""
        return self.record.name or self.code

    @property
    def accessible(self) -> bool:
        """Whether this credential may use the question."""
        return self.record.accessible

    @property
    def datapoints(self) -> Listing[Datapoint]:
        """The answers, in order. midpoint: the amount that an answer stands for, if any."""
        return Listing(self.record.datapoints or (), _ANSWER)

    @property
    def suffixes(self) -> Listing[Suffix]:
        """What an answer may be narrowed to, such as how often; none for most questions."""
        return Listing(self.record.suffixes, _ANSWER)

    @property
    def lineages(self) -> tuple[tuple[Category, ...], ...]:
        """Where the question stands: categories from the root down, one row for each place."""
        paths = self.record.taxonomy_paths or ()
        found = [tuple(path.categories_lineage) for path in paths if path.categories_lineage]
        found = found or [(each,) for each in self.record.categories or ()]
        return tuple({tuple(each.id for each in path): path for path in found}.values())

    @property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """The same as names of categories."""
        named = (tuple(each.name for each in lineage) for lineage in self.lineages)
        return tuple(dict.fromkeys(named))

    def __getitem__(self, key: str) -> Leaf:
        """Everyone who gave this answer, by its name or code; raises `UnknownCodeError`."""
        return self.any(key)

    def __call__(self, *answers: object) -> NoReturn:
        named = repr(answers[0]) if answers and isinstance(answers[0], str) else "'…'"
        raise TypeError(f"A question is not called: question[{named}] is the expression for it.")

    def __iter__(self) -> NoReturn:
        raise TypeError(
            "A question is no list: .datapoints are its answers, and .audiences() "
            "is one audience for each: rows=question.audiences()."
        )

    def __and__(self, other: object) -> NoReturn:
        raise TypeError(_NO_EXPRESSION)

    __or__ = __rand__ = __ror__ = __and__

    def __invert__(self) -> NoReturn:
        raise TypeError(_NO_EXPRESSION)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._find(key) is not None

    def any(self, *answers: str, suffixes: Iterable[str | int] = ()) -> Leaf:
        """Everyone who gave at least one of these answers (names or codes); none means any.

        suffixes: names or codes that narrow it. Raises `UnknownCodeError`, and `TypeError` for
            what is no list of them.
        """
        if isinstance(suffixes, str) or not isinstance(suffixes, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
            raise TypeError(f"suffixes must be a list of names or codes, such as [{suffixes!r}].")
        codes = [self._datapoint(answer).code for answer in answers]
        return Q(self.code, suffixes=[self._suffix(str(each)) for each in suffixes]).any(*codes)

    def audiences(self) -> tuple[Audience, ...]:
        """One audience for each datapoint, named by it: ready for a crosstab's rows or columns.

        Datapoints that are not accessible are left out, since a query would be refused for them.
        """
        return tuple(
            Audience(name=each.name or each.code, expression=Q(self.code).any(each.code))
            for each in self.datapoints
            if each.accessible
        )

    def bands(
        self,
        groups: Mapping[str, str | Iterable[str]] | None = None,
        *,
        edges: Iterable[float] | None = None,
    ) -> Bands:
        """Audiences of several answers each, as a list; its `left_out` names the other answers.

        groups: the answers (names or codes) of each band by its name, in the order wanted:
            `bands({"Under 35": ["q4_1", "Age 18 to 24"], "35 and over": […]})`.
        edges: or the amounts at which bands begin and end, rising: `edges=[0, 35, 55, inf]` makes
            "under 35", "35 to 55" and "55 and over". An answer is wholly in the band that its
            midpoint is in; one at an edge belongs to the band above.

        Nobody who gives one answer is in two bands. Raises `UnknownCodeError` for answers that the
        question does not have, and `ValueError` for an answer in two bands, a band without
        answers, edges that do not rise, and where no answer has a midpoint.
        """
        if (groups is None) == (edges is None):
            raise TypeError("Give the answers of each band, or edges=[…], one of the two.")
        if groups is not None:
            return bands_by_name(self, groups)
        return bands_between(self, () if edges is None else edges)

    def count_groups(self, starts: Mapping[str, int], answers: Iterable[str] = ()) -> Bands:
        """Audiences by how many answers people gave: `count_groups({"Light": 1, "Heavy": 4})`.

        starts: from how many answers on each group counts, rising; it ends where the next begins.
        answers: the answers that are counted (names or codes), all of them if none is named.
            Leave out what is no answer in this sense, such as "None of these".

        Whoever gave fewer than the first number is in no group. Raises `ValueError` for numbers
        that do not rise or that nobody can reach, and `UnknownCodeError`.
        """
        return bands_by_count(self, starts, answers)

    def guess(self, key: str) -> str:
        """A question back, "Did you mean …?", for a datapoint that does not exist; or nothing."""
        return guess(key, {each.code: each.name for each in self.datapoints})

    def __hash__(self) -> int:
        # The record holds lists, which have none; equal questions have one code.
        return hash(self.canonical)

    def __repr__(self) -> str:
        lines = [f"{self.code}: {self.name}"]
        lines += [f"  {each.code}: {each.name}" for each in self.datapoints[:_SHOWN]]
        if (hidden := len(self.datapoints) - _SHOWN) > 0:
            lines.append(f"  … and {hidden:,} more")
        if self.suffixes:
            lines.append(f"  suffixes {', '.join(f'{s.code}: {s.name}' for s in self.suffixes)}")
        return harmless("\n".join(lines))

    def _repr_html_(self) -> str:
        from audiencelab.frames.markup import ROW_CAP, card, table

        shown = self.datapoints[:ROW_CAP]
        facts = [self.code, " › ".join(self.paths[0]) if self.paths else ""]
        facts.append("" if self.accessible else "not accessible")
        listed = table(
            ["Code", "Datapoint"],
            [(each.code, each.name) for each in shown],
            hidden=len(self.datapoints) - len(shown),
            noun="datapoint",
        )
        return str(card(self.name, listed, subtitle=" · ".join(filter(None, facts))))

    def _ipython_key_completions_(self) -> list[str]:
        return [each.name or each.code for each in self.datapoints]

    def _find(self, key: str) -> Datapoint | None:
        return pick(key, self.datapoints)

    def _datapoint(self, key: str) -> Datapoint:
        if (found := self._find(key)) is None:
            raise UnknownCodeError(
                f"Question {self.code!r} ({self.name}) has no datapoint {key!r}."
                f"{self.guess(key) or self._answers()}",
                [key],
            )
        return found

    def _answers(self) -> str:
        """What there is to choose from, where nothing comes near."""
        listed = [f"{each.code!r} ({each.name})" for each in self.datapoints[:_SHOWN]]
        more = ["…"] if len(self.datapoints) > _SHOWN else []
        return f" It has {', '.join([*listed, *more])}." if listed else ""

    def _suffix(self, key: str) -> str:
        if (found := pick(key, self.suffixes)) is None:
            known = ", ".join(f"{each.code!r} ({each.name})" for each in self.suffixes) or "none"
            raise UnknownCodeError(
                f"Question {self.code!r} ({self.name}) has no suffix {key!r}; it has {known}.",
                [key],
            )
        return found.code
