"""Following recipes: the catalogue of derived questions, and their bits from those of others.

Pure: nothing is read or written here. A derived question was asked of those who were asked all
the questions that it is made from, and it knows no more of them than their bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from audiencelab.errors import Fault, list_faults
from audiencelab.expressions import split_code
from audiencelab.schema import Datapoint, Value
from audiencelab.survey.bits import Bits
from audiencelab.survey.catalogue import Catalogue, Kind, SurveyQuestion
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.survey.reader import QuestionBits
from audiencelab.survey.recipes import Band, Bands, Cross, Net, NetPoint, Recipe

__all__ = ["DERIVED_FLAG", "code_of", "derived_rows", "sources_of", "with_derived"]

DERIVED_FLAG = "derived"
"""The flag that tells a derived question from one that was asked."""


def sources_of(recipe: Recipe) -> tuple[str, ...]:
    """The codes of the questions that a recipe is made from, as they are written."""
    return recipe.questions if isinstance(recipe, Cross) else (recipe.question,)


def code_of(recipe: Recipe, base_namespace: str) -> str:
    """The full code of the question that a recipe makes."""
    namespace = recipe.namespace or split_code(sources_of(recipe)[0], base_namespace)[0]
    return f"{namespace}.{recipe.code}"


def with_derived(catalogue: Catalogue, recipes: Sequence[Recipe]) -> Catalogue:
    """The catalogue with a question for each recipe, after all others and in order.

    A recipe may use the questions of those before it. Raises `SurveyError` with every fault.
    """
    faults: list[Fault] = []
    for place, recipe in enumerate(recipes):
        found = [
            Fault(f"/questions/{place}{fault.pointer}", f"{recipe.code}: {fault.detail}")
            for fault in _faults(catalogue, recipe)
        ]
        faults += found
        if not found:
            made = _question(catalogue, recipe)
            catalogue = msgspec.structs.replace(catalogue, questions=(*catalogue.questions, made))
    if faults:
        raise SurveyError(list_faults("The recipes cannot be followed:", faults))
    return catalogue


def derived_rows(recipe: Recipe, sources: Sequence[QuestionBits]) -> Bits:
    """Who was asked, then who gave each datapoint: uint64[1 + k, words]."""
    asked = np.bitwise_and.reduce([source.asked for source in sources], axis=0)
    if isinstance(recipe, Cross):
        first, second = sources
        rows = (first.matrix[:, None] & second.matrix[None]).reshape(-1, len(asked))
        return np.vstack([asked[None], rows])
    [source] = sources
    if isinstance(recipe, Bands):
        groups = [_codes_in(source.question, band) for band in recipe.datapoints]
        return np.vstack([asked, *(_any_of(source, codes) for codes in groups)])
    rows = [_any_of(source, point.any, point.suffixes) for point in recipe.datapoints]
    if recipe.rest:
        rows.append(asked & ~np.bitwise_or.reduce(rows, axis=0))
    return np.vstack([asked, *rows])


def _any_of(source: QuestionBits, codes: Sequence[str], suffixes: Sequence[str] = ()) -> Bits:
    found = [source.datapoint(code, suffixes) for code in codes]
    return np.bitwise_or.reduce(found, axis=0)


# ---- the question in the catalogue ----


def _question(catalogue: Catalogue, recipe: Recipe) -> SurveyQuestion:
    sources = [catalogue.question(code) for code in sources_of(recipe)]
    first = sources[0]
    kind, points = _kind_and_points(recipe, sources)
    namespace, _, code = code_of(recipe, catalogue.base_namespace).partition(".")
    return SurveyQuestion(
        namespace_code=namespace,
        code=code,
        name=recipe.name,
        kind=kind,
        datapoints=tuple(
            msgspec.structs.replace(point, order=Value(place))
            for place, point in enumerate(points, start=1)
        ),
        accessible=all(source.accessible for source in sources),
        categories=first.categories,
        datasets=first.datasets,
        description=recipe.description,
        knowledge_base=_in_words(recipe, sources),
        unit=first.unit,
        flags=(DERIVED_FLAG,),
        order=max(question.order for question in catalogue.questions) + 1,
    )


def _kind_and_points(recipe: Recipe, sources: list[SurveyQuestion]) -> tuple[Kind, list[Datapoint]]:
    match recipe:
        case Net():
            return _net(recipe, sources[0])
        case Bands():
            return _bands(recipe, sources[0])
        case Cross():
            return _cross(recipe, sources)


def _net(recipe: Net, source: SurveyQuestion) -> tuple[Kind, list[Datapoint]]:
    used = [code for point in recipe.datapoints for code in point.any]
    points = [
        Datapoint(
            point.code or f"{recipe.code}_{place}",
            point.name,
            _open(source, point.any),
            _value(point.midpoint),
        )
        for place, point in enumerate(recipe.datapoints, start=1)
    ]
    if recipe.rest:
        # What is left tells of those who are in a closed datapoint as much as they do.
        points.append(Datapoint(f"{recipe.code}_rest", recipe.rest, _open(source, used)))
    return _kind(source, used), points


def _bands(recipe: Bands, source: SurveyQuestion) -> tuple[Kind, list[Datapoint]]:
    groups = [_codes_in(source, band) for band in recipe.datapoints]
    points = [
        Datapoint(
            band.code or f"{recipe.code}_{place}",
            band.name,
            _open(source, codes),
            _value(band.middle),
        )
        for place, (band, codes) in enumerate(zip(recipe.datapoints, groups, strict=True), start=1)
    ]
    return _kind(source, [code for codes in groups for code in codes]), points


def _cross(recipe: Cross, sources: list[SurveyQuestion]) -> tuple[Kind, list[Datapoint]]:
    first, second = sources
    points = [
        # By places, which stay what they are when a wave brings new datapoints.
        Datapoint(
            f"{recipe.code}_{row}_{column}",
            f"{one.name} × {other.name}",
            one.accessible and other.accessible,
        )
        for row, one in enumerate(first.datapoints, start=1)
        for column, other in enumerate(second.datapoints, start=1)
    ]
    single = first.kind == second.kind == "single"
    return "single" if single else "multiple", points


def _kind(source: SurveyQuestion, used: Sequence[str]) -> Kind:
    """Single if nobody can be in two of the groups that the used datapoints make."""
    return "single" if source.kind == "single" and len(set(used)) == len(used) else "multiple"


def _open(source: SurveyQuestion, codes: Sequence[str]) -> bool:
    return all(source.datapoint(code).accessible for code in codes)


def _value(number: float | None) -> Value | None:
    return None if number is None else Value(number)


def _codes_in(source: SurveyQuestion, band: Band) -> list[str]:
    """The datapoints whose midpoints lie in a band."""
    return [
        point.code
        for point in source.datapoints
        if point.midpoint is not None and band.holds(point.midpoint.value)
    ]


def _in_words(recipe: Recipe, sources: list[SurveyQuestion]) -> str:
    """How the question was made, for those who read its figures."""
    names = " × ".join(f"{source.name} ({source.canonical})" for source in sources)
    if isinstance(recipe, Cross):
        return f"Derived: {names}."
    if isinstance(recipe, Bands):
        return f"Derived: bands of the midpoints of {names}."
    groups = "; ".join(
        f"{point.name} = {_any_in_words(point, sources[0])}" for point in recipe.datapoints
    )
    rest = f"; {recipe.rest} = none of these" if recipe.rest else ""
    return f"Derived: net of {names}. {groups}{rest}."


def _any_in_words(point: NetPoint, source: SurveyQuestion) -> str:
    told = " or ".join(source.datapoint(code).name or code for code in point.any)
    if not point.suffixes:
        return told
    return f"{told}: {' or '.join(source.suffix(code).name or code for code in point.suffixes)}"


# ---- what may be wrong with a recipe ----


def _faults(catalogue: Catalogue, recipe: Recipe) -> Iterator[Fault]:
    canonical = code_of(recipe, catalogue.base_namespace)
    if any(question.canonical == canonical for question in catalogue.questions):
        yield Fault("/code", f"There is a question {canonical} already; choose another code.")
    sources: list[SurveyQuestion] = []
    for code in sources_of(recipe):
        try:
            sources.append(catalogue.question(code))
        except KeyError:
            yield Fault("", f"There is no question {code!r} before it.")
    if len(sources) < len(sources_of(recipe)):
        return
    match recipe:
        case Net():
            yield from _net_faults(recipe, sources[0])
        case Bands():
            yield from _band_faults(recipe, sources[0])
        case Cross():
            yield from _cross_faults(sources)


def _net_faults(recipe: Net, source: SurveyQuestion) -> Iterator[Fault]:
    if not recipe.datapoints:
        yield Fault("/datapoints", "A net needs at least one datapoint.")
    for place, point in enumerate(recipe.datapoints):
        pointer = f"/datapoints/{place}"
        if not point.any:
            yield Fault(f"{pointer}/any", "Name at least one datapoint.")
        if unknown := [code for code in point.any if code not in source.datapoint_positions]:
            known = listed([each.code for each in source.datapoints])
            yield Fault(
                f"{pointer}/any",
                f"{source.canonical} has no datapoint {listed(unknown)}; it has {known}.",
            )
        if unknown := [code for code in point.suffixes if code not in source.suffix_positions]:
            yield Fault(
                f"{pointer}/suffixes", f"{source.canonical} has no suffix {listed(unknown)}."
            )


def _band_faults(recipe: Bands, source: SurveyQuestion) -> Iterator[Fault]:
    if source.kind == "grid":
        yield Fault("/question", f"{source.canonical} is a grid: bands are made of its datapoints.")
    if not any(point.midpoint for point in source.datapoints):
        yield Fault("/question", f"No datapoint of {source.canonical} has a midpoint.")
        return
    if not recipe.datapoints:
        yield Fault("/datapoints", "Bands need at least one datapoint.")
    for place, band in enumerate(recipe.datapoints):
        if band.min is None and band.max is None and band.below is None:
            yield Fault(f"/datapoints/{place}", "Needs min, max or below.")
        elif not _codes_in(source, band):
            yield Fault(f"/datapoints/{place}", f"No midpoint of {source.canonical} lies in it.")


def _cross_faults(sources: list[SurveyQuestion]) -> Iterator[Fault]:
    for place, source in enumerate(sources):
        if source.kind == "grid":
            yield Fault(
                f"/questions/{place}",
                f"{source.canonical} is a grid: make a net of it first, and cross that.",
            )
