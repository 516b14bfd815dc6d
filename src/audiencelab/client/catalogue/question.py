"""One question of the catalogue: its answers as expressions, audiences and bands."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias, overload

from audiencelab.client.catalogue.amounts import AmountRows
from audiencelab.client.catalogue.answer_rows import AnswerRows
from audiencelab.client.catalogue.bands import BandAudiences, bands_between, rises
from audiencelab.client.catalogue.boxes import BoxRows
from audiencelab.client.catalogue.comparisons import Comparisons
from audiencelab.client.catalogue.file_codes import by_numbers
from audiencelab.client.catalogue.labels import (
    did_you_mean,
    find_by_code_or_name,
    points_from,
)
from audiencelab.client.catalogue.numbers import own_numbers
from audiencelab.client.errors import UnknownCodeError
from audiencelab.client.responses import Listing
from audiencelab.expressions import Audience, Leaf, NumberRange, Or, any_of, one_by_one
from audiencelab.hidden_members import hide_members
from audiencelab.keywords import keywords
from audiencelab.schema import Category, Datapoint, Question, Suffix
from audiencelab.schema.scales import scale_of
from audiencelab.unknown_names import OtherWords
from audiencelab.wording import plural, without_controls

_SHOWN = 12
_ANSWER = ("code", "name", "midpoint")

AnswerLike: TypeAlias = "str | float | Iterable[str | float]"
"""An answer by its code, its name, or the number of a point of a scale; or a list of these."""

ScaleLike: TypeAlias = str | int | Iterable[str | int]
"""Points of a question's scale, by codes or names, one or several."""


@hide_members("guess")
@dataclass(frozen=True, slots=True, repr=False)
class CatalogueQuestion(OtherWords, AmountRows, AnswerRows, BoxRows, Comparisons):
    """A question with its datapoints; `question["Female"]` is the expression for that answer.

    record: the question as the service describes it.
    code: the code to write in expressions and queries, with its namespace unless that is `core`.
    canonical: the code with its namespace in any case.
    item_of: the question that this is an item of, `client["q4_1"]`; None for most. Of a grid, the
        answers of the item are the points of the scale; of a question with several answers, it has
        one answer.
    file_coded: whether the codes of the answers end in their values in the file; None where that is
        not known.
    """

    record: Question
    code: str
    canonical: str
    item_of: CatalogueQuestion | None = None
    file_coded: bool | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """The question's name, or its code where it has no name."""
        return self.record.name or self.code

    @property
    def accessible(self) -> bool:
        """Whether this credential may use the question."""
        return self.record.accessible

    @property
    def datapoints(self) -> Listing[Datapoint]:
        """The answers, in order. midpoint: the amount that an answer represents, if any."""
        return Listing(self.record.datapoints or (), _ANSWER)

    @property
    def suffixes(self) -> Listing[Suffix]:
        """What an answer may be narrowed to, such as how often; empty for most questions."""
        return Listing(self.record.suffixes, _ANSWER)

    @property
    def lineages(self) -> tuple[tuple[Category, ...], ...]:
        """The question's categories from the root down, one tuple for each path to it."""
        paths = self.record.taxonomy_paths or ()
        found = [tuple(path.categories_lineage) for path in paths if path.categories_lineage]
        found = found or [(each,) for each in self.record.categories or ()]
        return tuple({tuple(each.id for each in path): path for path in found}.values())

    @property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """The same as names of categories."""
        named = (tuple(each.name for each in lineage) for lineage in self.lineages)
        return tuple(dict.fromkeys(named))

    def __getitem__(self, key: str | tuple[str, ...]) -> Leaf:
        """Everyone who gave this answer, by its name or code; raises `UnknownCodeError`.

        A point of the scale may be last: `question["Social apps", "Trust completely"]`.
        """
        point = key[-1] if isinstance(key, tuple) and len(key) > 1 else None
        # A name that an answer has as well means the answer.
        if point and point not in self and find_by_code_or_name(point, self.suffixes):
            return self.any(*key[:-1], scale=point)
        return self.any(key)

    # Without this Python would iterate by calling `question[0]`, `question[1]`, …
    __iter__ = None

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and find_by_code_or_name(key, self.datapoints) is not None

    @overload
    def any(self, *answers: str | Iterable[str], scale: ScaleLike = ()) -> Leaf: ...
    @overload
    def any(
        self, *answers: AnswerLike, scale: ScaleLike = (), partial: bool = False
    ) -> Leaf | NumberRange | Or: ...
    @keywords()
    def any(
        self, *answers: AnswerLike, scale: ScaleLike = (), partial: bool = False
    ) -> Leaf | NumberRange | Or:
        """Everyone who gave at least one of these answers, by names or codes, one by one or listed.

        Without answers, everyone who gave any; of a grid, the items without `scale` count with any
        point of it, and descriptions say so. Numbers are points of a scale or codes of the file;
        where the survey keeps respondents' own numbers, they are these.
        scale: points of the question's scale, such as how often, that narrow the answers.

        partial: of several items, count those who were asked any of them; by default those who
        were asked all of them count. It matters where "valid" respondents are counted.

        Raises `UnknownCodeError` for names and codes that the question does not have, `TypeError`
        for what is not a `str`, and `ValueError` for an empty list.

            client["Social apps: how often"].any("Loopa", scale="About once a day")

        >>> client["Age"].any("18 to 24", "25 to 34")
        al.Q('q4').any('q4_2', 'q4_3')
        """
        if (numbers := own_numbers(self, answers)) is not None:
            return numbers
        found = self.at_least(1, *answers, scale=scale)
        if not partial or self.item_of or self.record.kind not in ("multiple", "grid"):
            return found
        items = found.datapoints or tuple(each.code for each in self.datapoints)
        each_item = tuple(replace(found, datapoints=(code,)) for code in items)
        return any_of(*each_item) if len(each_item) > 1 else found

    @overload
    def isin(self, *answers: str | Iterable[str], scale: ScaleLike = ()) -> Leaf: ...
    @overload
    def isin(self, *answers: AnswerLike, scale: ScaleLike = ()) -> Leaf | NumberRange | Or: ...
    @keywords()
    def isin(self, *answers: AnswerLike, scale: ScaleLike = ()) -> Leaf | NumberRange | Or:
        """The same as `any`, as pandas calls it.

        >>> client["Age"].isin(["18 to 24", "25 to 34"])
        al.Q('q4').any('q4_2', 'q4_3')
        """
        return self.any(*answers, scale=scale)

    @keywords()
    def all(self, *answers: str | Iterable[str], scale: ScaleLike = ()) -> Leaf:
        """Everyone who gave every one of these answers; raises as `any`.

        >>> client["Pets"].all("Dog", "Cat")
        al.Q('q17').all('q17_1', 'q17_2')
        """
        listed = one_by_one(answers)
        if not listed:
            raise ValueError("all() needs the answers by name or code.")
        return self.at_least(len(listed), listed, scale=scale)

    @keywords()
    def at_least(self, count: int | str, *answers: AnswerLike, scale: ScaleLike = ()) -> Leaf:
        """Everyone who gave at least `count` of these answers; raises as `any`.

        A point of the question's scale in place of a number is that point and everything above.

        >>> client["Pets"].at_least(2, "Dog", "Cat", "Fish")
        al.Q('q17').at_least(2, 'q17_1', 'q17_2', 'q17_3')
        """
        if not isinstance(count, int):
            higher = points_from(count, self.suffixes, scale_of(self.record).rising or ())
            if higher and not scale:
                return self.at_least(1, *answers, scale=higher)
            raise TypeError(self._count_first(count))
        named = one_by_one(by_numbers(self, answers))
        codes = [self._datapoint(answer).code for answer in named]
        points = [scale] if isinstance(scale, str | int) else scale
        suffixes = [self._suffix(str(each)) for each in points]
        if count > (most := len(codes or self.datapoints)) > 0:
            raise ValueError(
                f"at_least({count}) is not valid: {self.code!r} ({self.name}) has "
                f"{plural(most, 'answer')} to count. Write client[{self.code!r}].at_least({most})."
            )
        return self._leaf(count, codes, suffixes)

    def bands(
        self,
        groups: Mapping[str, AnswerLike] | None = None,
        *,
        edges: Iterable[float] | None = None,
    ) -> BandAudiences:
        """Audiences of several answers each, as a list; its `left_out` names the other answers.

        groups: the answers (names or codes) of each band by the band's name, in order:
            `bands({"Under 35": ["q4_1", "Age 18 to 24"], "35 and over": […]})`.
        edges: or the amounts at which bands begin and end, rising: `edges=[0, 35, 55, inf]` makes
            "under 35", "35 to 55" and "55 and over". Where the survey keeps respondents' own
            numbers, these decide. Elsewhere an answer belongs to the band that holds its midpoint,
            one at an edge to the band above; an edge within an answer ("30 to 44" for 35) is
            refused, as it is not known who is on which side.

        No answer is in two bands; where a question takes several answers, a person may still be.
        Raises `UnknownCodeError` for answers that the question does not have, and `ValueError` for
        an answer in two bands, a band without answers, edges that do not rise, and where no answer
        has a midpoint.

        >>> client["Age"].bands(edges=[0, 35, 55, 120])
        under 35: q4 is q4_1, q4_2 or q4_3
        35 to 55: q4 is q4_4 or q4_5
        55 to 120: q4 is q4_6 or q4_7
        """
        if groups is not None and edges is None:
            return _bands_by_name(self, groups)
        if groups is None and edges is not None:
            return bands_between(self, edges)
        raise TypeError("bands() takes the answers of each band, or edges=[…]: one of the two.")

    def count_groups(self, starts: Mapping[str, int], answers: AnswerLike = ()) -> BandAudiences:
        """Audiences by how many answers people gave: `count_groups({"Light": 1, "Heavy": 4})`.

        starts: the number of answers at which each group begins, rising; it ends where the next
            begins. People with fewer answers than the first number are in no group.
        answers: the answers that are counted (names or codes), by default all. Leave out those
            that are not an answer in this sense, such as "None of these".

        Raises `ValueError` for numbers that do not rise or exceed the number of answers, and
        `UnknownCodeError`.

        >>> client["Pets"].count_groups({"One": 1, "Several": 2}, ["Dog", "Cat", "Fish"])
        One: q17 is q17_1, q17_2 or q17_3, and q17 is not at least 2 of q17_1, q17_2 and q17_3
        Several: q17 is at least 2 of q17_1, q17_2 and q17_3
        """
        return _bands_by_count(self, starts, answers)

    def guess(self, key: str) -> str:
        """What was meant by an answer that does not exist, or which there are.

        >>> client["Age"].guess("18 to 25")
        " Did you mean 'q4_2' (18 to 24) or 'q4_5' (45 to 54) or 'q4_1' (16 to 17)?"
        """
        names, this = {each.code: each.name for each in self.datapoints}, f"client[{self.code!r}]"
        if near := did_you_mean(key, names):
            return near
        if find_by_code_or_name(key, self.suffixes) is not None:
            return f" It is a point of the scale. Write {this}.any(scale={key!r})."
        is_coded = key.isdecimal() and self.file_coded is not False
        if is_coded and (coded := names.get(f"{self.record.code}_{key}")):
            return f" Answers go by name. Write {this} == {coded!r}."
        listed = [f"{code!r} ({name})" for code, name in [*names.items()][:_SHOWN]]
        more = ["…"] if len(names) > _SHOWN else []
        return f" It has {', '.join([*listed, *more])}. Write {this}."

    def __hash__(self) -> int:
        # The record holds lists, which have no hash; equal questions have one code.
        return hash(self.canonical)

    def __repr__(self) -> str:
        lines = [f"{self.code}: {self.name}"]
        lines += [f"  {each.code}: {each.name}" for each in self.datapoints[:_SHOWN]]
        if (hidden := len(self.datapoints) - _SHOWN) > 0:
            lines.append(f"  … and {hidden:,} more")
        if self.suffixes:
            lines.append(f"  scale {', '.join(f'{s.code}: {s.name}' for s in self.suffixes)}")
        return without_controls("\n".join(lines))

    def _repr_html_(self) -> str:
        return self._listed({})

    def _listed(self, shares: Mapping[str, tuple[float, float]]) -> str:
        """The answers as HTML; shares: the percentage and respondents of each, by its code."""
        from audiencelab.figures import figure, percent
        from audiencelab.markup import ROW_CAP, card, table

        shown = self.datapoints[:ROW_CAP]
        beside = [shares.get(each.code) for each in shown] if shares else []
        facts = [self.code, " › ".join(self.paths[0]) if self.paths else ""]
        facts.append("" if self.accessible else "not accessible")
        figures = [
            ("", "") if each is None else (percent(each[0]), figure(each[1], 0)) for each in beside
        ]
        listed = table(
            ["Code", "Datapoint", *(("%", "n") if shares else ())],
            [
                (each.code, each.name, *values)
                for each, values in zip(shown, figures or [()] * len(shown), strict=True)
            ],
            numeric=(2, 3) if shares else (),
            hidden=len(self.datapoints) - len(shown),
            noun="datapoint",
        )
        return str(card(self.name, listed, subtitle=" · ".join(filter(None, facts))))

    def _ipython_key_completions_(self) -> list[str]:
        return [each.name or each.code for each in self.datapoints]

    def _count_first(self, given: object) -> str:
        """The message for `at_least` without a number, with what was probably meant."""
        names = ", ".join(repr(each.name or each.code) for each in self.datapoints[:2])
        message = (
            f"The number of answers comes first: client[{self.code!r}].at_least(2, {names}, …); "
            f"got {given!r}."
        )
        if isinstance(given, str) and given in self:
            message += f" From that answer up: client[{self.code!r}] >= {given!r}."
        return message

    def _datapoint(self, key: str) -> Datapoint:
        if (found := find_by_code_or_name(key, self.datapoints)) is None:
            raise UnknownCodeError(
                f"Question {self.code!r} ({self.name}) has no answer {key!r}.{self.guess(key)}",
                [key],
            )
        return found

    def _suffix(self, key: str) -> str:
        if (found := find_by_code_or_name(key, self.suffixes)) is None:
            known = ", ".join(f"{each.code!r} ({each.name})" for each in self.suffixes) or "none"
            raise UnknownCodeError(
                f"Question {self.code!r} ({self.name}) has no point {key!r} on its scale; it has "
                f"{known}. Write client[{self.code!r}].suffixes.",
                [key],
            )
        return found.code


def _bands_by_name(question: CatalogueQuestion, groups: Mapping[str, AnswerLike]) -> BandAudiences:
    band_of: dict[str, str] = {}
    audiences: list[Audience] = []
    for name, answers in groups.items():
        # Bands and counts are of answers, also where the survey keeps respondents' own numbers.
        found = question.at_least(1, *_as_list(answers)).datapoints
        if not found:
            raise ValueError(f"The band {name!r} has no answers: name some, or leave it out.")
        for code in found:
            if (other := band_of.setdefault(code, name)) != name:
                raise ValueError(
                    f"The answer {code!r} is in two bands, {other!r} and {name!r}. For audiences "
                    f"that overlap, write each by itself: question.any({code!r}, …)."
                )
        audiences.append(Audience(name, question.any(*dict.fromkeys(found))))
    return BandAudiences(audiences, _names_without(question, band_of))


def _bands_by_count(
    question: CatalogueQuestion, starts: Mapping[str, int], answers: AnswerLike
) -> BandAudiences:
    counted = question.at_least(1, *_as_list(answers))
    most = len(counted.datapoints or question.datapoints)
    numbers = list(starts.values())
    whole = all(isinstance(number, int) for number in numbers)
    if not (numbers and whole and rises([0, *numbers, most + 1])):
        raise ValueError(
            "Each group must begin at more answers than the one before it, from 1 to at most "
            f"{most:,}, the number of answers that are counted: "
            "count_groups({'Light': 1, 'Heavy': 4})."
        )
    groups = [
        Audience(name, counted.at_least(low) & ~counted.at_least(beyond))
        # The last group has no end: it is added below.
        for (name, low), beyond in zip(starts.items(), numbers[1:], strict=False)
    ]
    return BandAudiences([*groups, Audience(list(starts)[-1], counted.at_least(numbers[-1]))])


def _names_without(question: CatalogueQuestion, codes: Container[str]) -> list[str]:
    return [each.name or each.code for each in question.datapoints if each.code not in codes]


def _as_list(answers: AnswerLike) -> list[str | float]:
    return [answers] if isinstance(answers, str | float | int) else list(answers)
