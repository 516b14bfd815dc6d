"""Derived questions: nets, bands, crosses and groups, made from the questions that were asked.

A definition is data: written in TOML or in Python, kept in the survey, and applied again when a
wave is added. A derived question was asked of the respondents who were asked all the questions
that it is made from; one of groups, of those who are in one of them, or known to be in none.
Nothing is read or written here but files of definitions;
`docs/how-to/surveys.md` shows each kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

from audiencelab.errors import Fault, list_faults
from audiencelab.expressions import Expression, parse_expression, split_code
from audiencelab.schema import Datapoint, Value
from audiencelab.schema.breaks import BREAK_FLAG
from audiencelab.schema.scales import ENDS_FLAG, OFF_SCALE_FLAG, TOP_FLAG, UNIVERSE_FLAG
from audiencelab.survey.catalogue import Kind, SurveyCatalogue, SurveyQuestion
from audiencelab.survey.condition_codes import (
    described,
    expression_faults,
    questions_of,
    uses_accessible,
)
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.layout import read_toml

DERIVED_FLAG = "derived"
"""The flag of a derived question."""


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a definition; an unknown field is an error."""


class NetPoint(_Part, frozen=True):
    """A datapoint of a net: respondents who gave any of some datapoints.

    any: codes of the datapoints. suffixes: of a grid, the suffixes that count; all by default.
    code: by default the net's code and the position.
    """

    name: str
    any: tuple[str, ...]
    suffixes: tuple[str, ...] = ()
    code: str | None = None
    midpoint: float | None = None


class Band(_Part, frozen=True):
    """A datapoint of bands: respondents who gave a datapoint whose midpoint is in the band.

    min and max belong to the band, below does not. midpoint: by default the middle of the band, if
    both ends are given and finite.
    """

    name: str
    min: float | None = None
    max: float | None = None
    below: float | None = None
    code: str | None = None
    midpoint: float | None = None

    def holds(self, number: float) -> bool:
        """Whether a number is in the band."""
        return (
            (self.min is None or number >= self.min)
            and (self.max is None or number <= self.max)
            and (self.below is None or number < self.below)
        )

    @property
    def middle(self) -> float | None:
        """The number that represents the band."""
        end = self.max if self.max is not None else self.below
        if self.midpoint is not None or self.min is None or end is None:
            return self.midpoint
        middle = (self.min + end) / 2
        return middle if isfinite(middle) else None


class _Derived(_Part, frozen=True, kw_only=True, tag_field="kind"):
    """The fields of all definitions. namespace: by default that of its (first) source."""

    code: str
    name: str
    namespace: str | None = None
    description: str = ""


class Net(_Derived, frozen=True, kw_only=True, tag="net"):
    """Datapoints of one question put together.

    rest: the name of one more datapoint, of respondents who were asked and are in no other.
    """

    question: str
    datapoints: tuple[NetPoint, ...]
    rest: str = ""


class Bands(_Derived, frozen=True, kw_only=True, tag="bands"):
    """The midpoints of one question's datapoints divided into bands."""

    question: str
    datapoints: tuple[Band, ...]


class Cross(_Derived, frozen=True, kw_only=True, tag="cross"):
    """Two questions combined: a datapoint for each datapoint of the one with each of the other."""

    questions: tuple[str, str]


class GroupPoint(_Part, frozen=True):
    """A datapoint of groups: respondents to whom an expression applies, as its JSON in `where`.

    code: by default the question's code and the position.
    """

    name: str
    where: dict[str, Any]
    code: str | None = None
    midpoint: float | None = None

    def __post_init__(self) -> None:
        # Of a file, msgspec says where in it the expression is.
        parse_expression(self.where)

    @property
    def expression(self) -> Expression:
        """The expression of `where`."""
        return parse_expression(self.where)


class Grouping(_Derived, frozen=True, kw_only=True, tag="groups"):
    """Respondents by expressions of any questions.

    rest: as of a net. several: whether respondents are in two of the groups, as the survey says.
    """

    datapoints: tuple[GroupPoint, ...]
    rest: str = ""
    several: bool = False

    @property
    def expressions(self) -> list[Expression]:
        """Those of the groups, in order."""
        return [each.expression for each in self.datapoints]


Definition = Net | Bands | Cross | Grouping


class _File(_Part, frozen=True):
    questions: tuple[Definition, ...]


def load_definitions(path: str | Path) -> tuple[Definition, ...]:
    """The definitions of a TOML file; `SurveyError` names the file and the location."""
    return read_toml(path, _File, "definitions").questions


def sources_of(definition: Definition) -> tuple[str, ...]:
    """The codes of the questions that a definition is made from, as they are written."""
    if isinstance(definition, Cross):
        return definition.questions
    if isinstance(definition, Grouping):
        return questions_of(definition.expressions)
    return (definition.question,)


def code_of(definition: Definition, base_namespace: str) -> str:
    """The full code of the question that a definition makes."""
    first = next(iter(sources_of(definition)), "")
    namespace = definition.namespace or split_code(first, base_namespace)[0]
    return f"{namespace}.{definition.code}"


def with_derived(catalogue: SurveyCatalogue, definitions: Sequence[Definition]) -> SurveyCatalogue:
    """The catalogue with a question for each definition, after all others and in order.

    A definition may use the questions of those before it. Raises `SurveyError` with every fault.
    """
    faults: list[Fault] = []
    for number, definition in enumerate(definitions):
        found = [
            Fault(f"/questions/{number}{fault.pointer}", f"{definition.code}: {fault.detail}")
            for fault in _faults(catalogue, definition)
        ]
        faults += found
        # A definition with faults makes no question; the next ones are checked all the same.
        if not found:
            made = _question(catalogue, definition)
            # At once, so that the next definition may use this question.
            catalogue = msgspec.structs.replace(catalogue, questions=(*catalogue.questions, made))
    if faults:
        raise SurveyError(list_faults("The definitions are not valid:", faults))
    return catalogue


# ---- the question in the catalogue ----


def _question(catalogue: SurveyCatalogue, definition: Definition) -> SurveyQuestion:
    sources = [catalogue.question(code) for code in sources_of(definition)]
    first = sources[0]
    kind, points = _kind_and_points(definition, sources, catalogue)
    namespace, _, code = code_of(definition, catalogue.base_namespace).partition(".")
    return SurveyQuestion(
        namespace_code=namespace,
        code=code,
        name=definition.name,
        kind=kind,
        datapoints=tuple(
            msgspec.structs.replace(point, order=Value(number))
            for number, point in enumerate(points, start=1)
        ),
        # What is derived must not show what its sources hide.
        accessible=all(source.accessible for source in sources),
        categories=first.categories,
        datasets=first.datasets,
        description=definition.description,
        knowledge_base=_in_words(definition, sources, catalogue),
        unit=first.unit,
        flags=(DERIVED_FLAG, *_record_flags(definition, sources, kind, points)),
        order=max(question.order for question in catalogue.questions) + 1,
    )


def _record_flags(
    definition: Definition, sources: list[SurveyQuestion], kind: Kind, points: list[Datapoint]
) -> list[str]:
    """What is known of the answers of a derived question by what they are made from.

    Who it is about, and its breaks; of a net of a scale, what is off it, and the top where nets are
    in its order.
    """
    first = sources[0].flags
    flags = [each for each in first if each.startswith(UNIVERSE_FLAG)] if len(sources) == 1 else []
    flags += dict.fromkeys(
        flag for each in sources for flag in each.flags if flag.startswith(BREAK_FLAG)
    )
    if not isinstance(definition, Net) or kind != "single":
        return flags
    off = {each.removeprefix(OFF_SCALE_FLAG) for each in first if each.startswith(OFF_SCALE_FLAG)}
    places = sources[0].datapoint_positions
    groups = [each.any for each in definition.datapoints]
    is_off = [off.issuperset(group) for group in groups]
    flags += [
        f"{OFF_SCALE_FLAG}{point.code}"
        for point, alone in zip(points, is_off, strict=False)
        if alone
    ]
    ends = [
        (min(map(places.__getitem__, group)), max(map(places.__getitem__, group)))
        for group, alone in zip(groups, is_off, strict=True)
        if not alone
    ]
    # The nets are in the scale's order if each ends before the next begins, in either direction.
    rises = all(low[1] < high[0] for low, high in pairwise(ends))
    falls = all(high[1] < low[0] for low, high in pairwise(ends))
    turned = {f"{TOP_FLAG}first": f"{TOP_FLAG}last", f"{TOP_FLAG}last": f"{TOP_FLAG}first"}
    known = next((flag for flag in first if flag in turned), "")
    # The rest may lie anywhere on the scale, so with it there is no top.
    if known and len(ends) > 1 and not definition.rest and (rises or falls):
        flags.append(known if rises else turned[known])
        flags += [each for each in first if each.startswith(ENDS_FLAG)]
    return flags


def _kind_and_points(
    definition: Definition, sources: list[SurveyQuestion], catalogue: SurveyCatalogue
) -> tuple[Kind, list[Datapoint]]:
    if isinstance(definition, Cross):
        return _cross(definition, *sources)
    if isinstance(definition, Grouping):
        return "multiple" if definition.several else "single", _groups(definition, catalogue)
    [source] = sources
    if isinstance(definition, Net):
        groups = [point.any for point in definition.datapoints]
        midpoints = [point.midpoint for point in definition.datapoints]
    else:
        groups = [codes_in(source, band) for band in definition.datapoints]
        midpoints = [band.middle for band in definition.datapoints]
    used = [code for codes in groups for code in codes]
    points = [
        Datapoint(
            point.code or f"{definition.code}_{number}",
            point.name,
            _accessible(source, codes),
            None if midpoint is None else Value(midpoint),
        )
        for number, (point, codes, midpoint) in enumerate(
            zip(definition.datapoints, groups, midpoints, strict=True), start=1
        )
    ]
    if isinstance(definition, Net) and definition.rest:
        # The rest reveals as much about a datapoint that is not accessible as the datapoint itself.
        rest = f"{definition.code}_rest"
        points.append(Datapoint(rest, definition.rest, _accessible(source, used)))
    # Single if no respondent can be in two of the groups.
    exclusive = source.kind == "single" and len(set(used)) == len(used)
    return "single" if exclusive else "multiple", points


def _cross(
    definition: Cross, first: SurveyQuestion, second: SurveyQuestion
) -> tuple[Kind, list[Datapoint]]:
    points = [
        # By positions, which stay the same when a wave brings new datapoints.
        Datapoint(
            f"{definition.code}_{row}_{column}",
            f"{one.name} × {other.name}",
            one.accessible and other.accessible,
        )
        for row, one in enumerate(first.datapoints, start=1)
        for column, other in enumerate(second.datapoints, start=1)
    ]
    return "single" if first.kind == second.kind == "single" else "multiple", points


def _groups(definition: Grouping, catalogue: SurveyCatalogue) -> list[Datapoint]:
    points = [
        Datapoint(
            each.code or f"{definition.code}_{number}",
            each.name,
            uses_accessible(catalogue, [each.expression]),
            None if each.midpoint is None else Value(each.midpoint),
        )
        for number, each in enumerate(definition.datapoints, start=1)
    ]
    if definition.rest:
        # As of a net, the rest reveals as much as the groups.
        accessible = uses_accessible(catalogue, definition.expressions)
        points.append(Datapoint(f"{definition.code}_rest", definition.rest, accessible))
    return points


def _accessible(source: SurveyQuestion, codes: Sequence[str]) -> bool:
    return all(source.datapoint(code).accessible for code in codes)


def codes_in(source: SurveyQuestion, band: Band) -> list[str]:
    """The datapoints whose midpoints are in a band."""
    return [
        point.code
        for point in source.datapoints
        if point.midpoint is not None and band.holds(point.midpoint.value)
    ]


def _in_words(
    definition: Definition, sources: list[SurveyQuestion], catalogue: SurveyCatalogue
) -> str:
    """How the question was made, for readers of its figures."""
    name = "" if isinstance(definition, Bands | Cross) else definition.rest
    rest = f"; {name} = none of these" if name else ""
    if isinstance(definition, Grouping):
        points = definition.datapoints
        own = [f"{each.name} = {described(catalogue, each.expression)}" for each in points]
        return f"Derived: {'; '.join(own)}{rest}."
    names = " × ".join(f"{source.name} ({source.canonical})" for source in sources)
    if isinstance(definition, Cross):
        return f"Derived: {names}."
    if isinstance(definition, Bands):
        return f"Derived: bands of the midpoints of {names}."
    groups: list[str] = []
    for point in definition.datapoints:
        any_of = " or ".join(sources[0].datapoint(code).name or code for code in point.any)
        suffixes = " or ".join(sources[0].suffix(code).name or code for code in point.suffixes)
        groups.append(f"{point.name} = {any_of}" + (f": {suffixes}" if suffixes else ""))
    return f"Derived: net of {names}. {'; '.join(groups)}{rest}."


# ---- faults of a definition ----


def _faults(catalogue: SurveyCatalogue, definition: Definition) -> Iterator[Fault]:
    canonical = code_of(definition, catalogue.base_namespace)
    if any(question.canonical == canonical for question in catalogue.questions):
        yield Fault("/code", f"There is a question {canonical} already; choose another code.")
    sources: list[SurveyQuestion] = []
    for code in sources_of(definition):
        try:
            sources.append(catalogue.question(code))
        except KeyError:
            yield Fault("", f"There is no question {code!r} before it.")
    if len(sources) < len(sources_of(definition)):
        return
    if isinstance(definition, Grouping):
        yield from _group_faults(definition, catalogue)
    elif isinstance(definition, Net):
        yield from _net_faults(definition, sources[0])
    elif isinstance(definition, Bands):
        yield from _band_faults(definition, sources[0])
    else:
        for number, source in enumerate(sources):
            if source.kind == "grid":
                yield Fault(
                    f"/questions/{number}",
                    f"{source.canonical} is a grid: make a net of it first, and cross that.",
                )


def _net_faults(definition: Net, source: SurveyQuestion) -> Iterator[Fault]:
    if not definition.datapoints:
        yield Fault("/datapoints", "A net needs at least one datapoint.")
    for number, point in enumerate(definition.datapoints):
        pointer = f"/datapoints/{number}"
        if not point.any:
            yield Fault(f"{pointer}/any", "Name at least one datapoint.")
        if unknown := [code for code in point.any if code not in source.datapoint_positions]:
            known = listed([each.code for each in source.datapoints])
            yield Fault(
                f"{pointer}/any",
                f"{source.canonical} has no datapoint {listed(unknown)}; it has {known}.",
            )
        if unknown := [code for code in point.suffixes if code not in source.suffix_positions]:
            detail = f"{source.canonical} has no suffix {listed(unknown)}."
            yield Fault(f"{pointer}/suffixes", detail)


def _group_faults(definition: Grouping, catalogue: SurveyCatalogue) -> Iterator[Fault]:
    if not definition.datapoints:
        yield Fault("/datapoints", "Groups need at least one datapoint.")
    for number, each in enumerate(definition.datapoints):
        for fault in expression_faults(catalogue, each.expression):
            yield Fault(f"/datapoints/{number}/where", fault)


def _band_faults(definition: Bands, source: SurveyQuestion) -> Iterator[Fault]:
    if source.kind == "grid":
        yield Fault("/question", f"{source.canonical} is a grid: bands are made of its datapoints.")
    if not any(point.midpoint for point in source.datapoints):
        yield Fault("/question", f"No datapoint of {source.canonical} has a midpoint.")
        return
    if not definition.datapoints:
        yield Fault("/datapoints", "Bands need at least one datapoint.")
    for number, band in enumerate(definition.datapoints):
        if band.min is None and band.max is None and band.below is None:
            yield Fault(f"/datapoints/{number}", "Needs min, max or below.")
        elif not codes_in(source, band):
            yield Fault(f"/datapoints/{number}", f"No midpoint of {source.canonical} is in it.")
