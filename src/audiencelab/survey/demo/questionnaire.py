"""The demo study's questionnaire, read from `content`: a catalogue, and how answers are generated.

A `Recipe` describes how common an answer is, and which traits of a person make it likelier.
`responses` draws the answers.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any, Literal, cast

import msgspec

from audiencelab.expressions import join_code
from audiencelab.schema import Datapoint, Dataset, Suffix, Value
from audiencelab.survey.catalogue import (
    Kind,
    SurveyCatalogue,
    SurveyCategory,
    SurveyNamespace,
    SurveyQuestion,
    SurveyWave,
)

_FILES = {
    "core": ("core_about", "core_mind", "core_life"),
    "media": ("media",),
    "shop": ("shop",),
}
_DATASETS = {"core": "everyday_lives", "media": "screens_and_sound", "shop": "baskets_and_brands"}
_LOAD = re.compile(r"([a-z]+)([+-][0-9.]+)")

Loads = Mapping[str, float]
"""Traits, and how much each moves an answer, in logits or standard deviations."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the answers to one question are generated.

    shares: of each datapoint, in percent (of a complete grid: its shift in agreement instead).
    levels: shift of each datapoint of a grid in how often or how much.
    scale: shares of a grid's suffixes. loads: one for each datapoint; an ordered question has
    one for all. asked_if: an earlier question (full code) and the positions of its datapoints.
    waves: positions of the waves that ask it.
    """

    code: str
    kind: Literal["single", "ordered", "multiple", "grid"]
    shares: tuple[float, ...]
    loads: tuple[Loads, ...]
    waves: frozenset[int]
    levels: tuple[float, ...] = ()
    scale: tuple[float, ...] = ()
    complete: bool = False
    none: bool = False
    source: str | None = None
    asked_if: tuple[str, frozenset[int]] | None = None
    split: float = 1.0


@dataclass(frozen=True)
class Questionnaire:
    """The whole demo study, apart from its respondents."""

    name: str
    description: str
    catalogue: SurveyCatalogue
    recipes: tuple[Recipe, ...]
    waves: tuple[SurveyWave, ...]
    locations: Mapping[str, Mapping[str, Any]] = field(repr=False)


def load_content(name: str) -> dict[str, Any]:
    """One file of the content folder."""
    text = files("audiencelab.survey.demo").joinpath(f"content/{name}.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def load_questionnaire() -> Questionnaire:
    """The demo study's questionnaire."""
    study = load_content("study")
    waves = tuple(_waves())
    written = [
        (namespace, question)
        for namespace, names in _FILES.items()
        for name in names
        for question in load_content(name)["question"]
    ]
    questions = tuple(
        _question(namespace, question, study, order)
        for order, (namespace, question) in enumerate(written, start=1)
    )
    recipes = tuple(_recipe(namespace, question, study, waves) for namespace, question in written)
    catalogue = SurveyCatalogue(
        questions=questions,
        location_question=study["location_question"],
        base_namespace=study["base_namespace"],
        namespaces=tuple(SurveyNamespace(**each) for each in study["namespaces"]),
        categories=tuple(_categories(study["categories"]["tree"], questions)),
        datasets=tuple(Dataset(**each) for each in study["datasets"]),
    )
    return Questionnaire(
        study["name"], study["description"], catalogue, recipes, waves, study["locations"]
    )


def _waves() -> Iterator[SurveyWave]:
    for year in (2023, 2024, 2025):
        for quarter in (1, 2, 3, 4):
            first = 3 * quarter - 2
            yield SurveyWave(
                code=f"q{quarter}_{year}",
                name=f"Q{quarter} {year}",
                starts=date(year, first, 6),
                ends=date(year, first + 1, 24),
            )


def _categories(
    tree: list[list[str]], questions: tuple[SurveyQuestion, ...]
) -> Iterator[SurveyCategory]:
    """The tree; a category belongs to the datasets of the questions at and below it."""
    parents = {id_: parent or None for id_, _, parent, _ in tree}
    datasets: dict[str, set[str]] = {id_: set() for id_ in parents}
    for question in questions:
        above: str | None = question.categories[0]
        while above is not None:
            datasets[above].update(question.datasets)
            above = parents[above]
    for order, (id_, name, _, description) in enumerate(tree, start=1):
        belongs = tuple(code for code in _DATASETS.values() if code in datasets[id_])
        yield SurveyCategory(id_, name, parents[id_], description, order, belongs)


def _question(
    namespace: str, written: Mapping[str, Any], study: Mapping[str, Any], order: int
) -> SurveyQuestion:
    code, ordered = written["code"], written["kind"] in ("single", "ordered")
    scale = study["scales"][written["scale"]] if "scale" in written else None
    numbers = written.get("numbers", range(1, len(written["answers"]) + 1))
    datapoints = tuple(
        Datapoint(
            code=f"{code}_{number}",
            name=answer[0],
            midpoint=Value(float(answer[3])) if ordered and len(answer) > 3 else None,
            order=Value(float(place)),
        )
        for place, (number, answer) in enumerate(
            zip(numbers, written["answers"], strict=True), start=1
        )
    )
    suffixes = tuple(
        Suffix(
            code=str(place),
            name=answer[0],
            midpoint=Value(float(answer[2])) if len(answer) > 2 else None,
            order=Value(float(place)),
        )
        for place, answer in enumerate(scale["answers"] if scale else (), start=1)
    )
    return SurveyQuestion(
        namespace_code=namespace,
        code=code,
        name=written["name"],
        kind="single" if ordered else cast(Kind, written["kind"]),
        datapoints=datapoints,
        suffixes=suffixes,
        accessible=written.get("accessible", True),
        categories=(written["category"],),
        datasets=(_DATASETS[namespace],),
        description=written["ask"],
        knowledge_base=written.get("knowledge", written.get("note", "")),
        message=written.get("message", ""),
        notice=written.get("notice", ""),
        warning=written.get("warning", ""),
        unit=written.get("unit", scale["unit"] if scale else ""),
        flags=tuple(written.get("flags", ())),
        order=order,
    )


def _recipe(
    namespace: str,
    written: Mapping[str, Any],
    study: Mapping[str, Any],
    waves: tuple[SurveyWave, ...],
) -> Recipe:
    answers = written["answers"]
    scale = study["scales"][written["scale"]]["answers"] if "scale" in written else ()
    grid = written["kind"] == "grid"
    return Recipe(
        code=join_code(namespace, written["code"]),
        kind=written["kind"],
        shares=tuple(float(answer[1]) if len(answer) > 1 else 0.0 for answer in answers),
        loads=(_loads(written["loads"]),)
        if "loads" in written
        else tuple(_loads(answer[2] if len(answer) > 2 else "") for answer in answers),
        levels=tuple(float(answer[3]) if len(answer) > 3 else 0.0 for answer in answers)
        if grid
        else (),
        waves=_asked_waves(written.get("waves", {}), waves),
        scale=tuple(float(answer[1]) for answer in scale),
        complete=written.get("complete", False),
        none=written.get("none", False),
        source=written.get("from"),
        asked_if=_route(namespace, written.get("asked_if")),
        split=written.get("split", 1.0),
    )


def _loads(written: str) -> Loads:
    return {trait: float(load) for trait, load in _LOAD.findall(written)}


def _route(namespace: str, written: str | None) -> tuple[str, frozenset[int]] | None:
    """`"q8: 2 3"` as the question and the positions of its datapoints."""
    if written is None:
        return None
    question, numbers = written.split(":")
    return join_code(namespace, question), frozenset(int(each) - 1 for each in numbers.split())


def _asked_waves(written: Mapping[str, Any], waves: tuple[SurveyWave, ...]) -> frozenset[int]:
    codes = [wave.code for wave in waves]
    first = codes.index(written["from"]) if "from" in written else 0
    last = codes.index(written["until"]) if "until" in written else len(codes) - 1
    quarters = written.get("quarters", (1, 2, 3, 4))
    return frozenset(place for place in range(first, last + 1) if place % 4 + 1 in quarters)


def insight_rows() -> list[list[Any]]:
    """The written insights: type, name, description, categories, day, popularity."""
    return msgspec.convert(load_content("insights")["insights"], list[list[Any]])
