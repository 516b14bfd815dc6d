"""The catalogue: look-ups, the category tree, every fault of one that does not hold together."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from audiencelab.expressions import Q
from audiencelab.schema import Datapoint, Dataset, Suffix
from audiencelab.survey import (
    SurveyCatalogue,
    SurveyCategory,
    SurveyError,
    SurveyNamespace,
    SurveyQuestion,
)
from tests.messages import fails


def question(code: str, **fields: Any) -> SurveyQuestion:
    return SurveyQuestion(
        **{
            "namespace_code": "core",
            "code": code,
            "name": code.upper(),
            "kind": "single",
            "datapoints": (Datapoint(f"{code}_1", "One"), Datapoint(f"{code}_2", "Two")),
        }
        | fields
    )


GOOD = SurveyCatalogue(
    questions=(
        question("where", categories=("3",), datasets=("d", "e"), order=2),
        question("mood", kind="grid", suffixes=(Suffix("1", "Often"),), categories=("3",), order=1),
        question("where", namespace_code="more", categories=("2",)),
    ),
    location_question="core.where",
    namespaces=(SurveyNamespace("core"), SurveyNamespace("more")),
    categories=(
        SurveyCategory("1", "Top"),
        SurveyCategory("2", "Middle", parent="1", order=2),
        SurveyCategory("3", "Low", parent="2", datasets=("d",)),
        SurveyCategory("4", "Also middle", parent="1", order=1),
    ),
    datasets=(Dataset("d"), Dataset("e")),
)


def test_a_code_without_namespace_is_of_the_base_namespace() -> None:
    assert GOOD.question("where") is GOOD.question("core.where") is GOOD.questions[0]
    assert GOOD.question("more.where") is GOOD.questions[2]
    with pytest.raises(KeyError):
        GOOD.question("other.where")


def test_the_tree_reads_down_and_up_in_order() -> None:
    assert [category.name for category in GOOD.child_categories()] == ["Top"]
    assert [category.name for category in GOOD.child_categories("1")] == ["Also middle", "Middle"]
    assert [category.name for category in GOOD.lineage("3")] == ["Top", "Middle", "Low"]
    assert [found.code for found in GOOD.child_questions("3")] == ["mood", "where"]
    assert GOOD.child_questions("4") == ()


def test_taxonomy_follows_the_datasets_of_categories() -> None:
    where = GOOD.question("where")
    assert [dataset.code for dataset, _ in GOOD.taxonomy(where)] == ["d"], "Low belongs to d alone"


def test_labels_put_names_into_sentences() -> None:
    assert Q("mood", suffixes=[1]).any("mood_2").describe(GOOD.labels) == "MOOD is Two (Often)"
    assert Q("core.mood").any("mood_9").describe(GOOD.labels) == "MOOD is mood_9"
    assert Q("lost").any("x").describe(GOOD.labels) == "lost is x"


def test_a_catalogue_survives_json() -> None:
    written = msgspec.json.encode(GOOD)
    assert msgspec.json.decode(written, type=SurveyCatalogue) == GOOD


def test_a_good_catalogue_has_no_faults() -> None:
    GOOD.check()


def replaced(place: int, **fields: Any) -> dict[str, Any]:
    questions = list(GOOD.questions)
    questions[place] = msgspec.structs.replace(questions[place], **fields)
    return {"questions": tuple(questions)}


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "question twice": (replaced(2, namespace_code="core"), "'core.where' is given twice"),
    "datapoint twice": (
        replaced(0, datapoints=(Datapoint("a"), Datapoint("a"))),
        "/questions/0/datapoints: 'a' is given twice",
    ),
    "no datapoints": (replaced(0, datapoints=()), "core.where has no datapoints"),
    "dotted code": (replaced(1, code="a.b"), "letters, digits"),
    "suffixes on a single": (replaced(0, suffixes=(Suffix("1"),)), "a grid has suffixes"),
    "grid without suffixes": (replaced(1, suffixes=()), "a grid has suffixes"),
    "unknown namespace": (replaced(0, namespace_code="lost"), "no namespace 'lost'"),
    "unknown category": (replaced(0, categories=("9",)), "no category '9'"),
    "unknown dataset": (replaced(0, datasets=("z",)), "no dataset 'z'"),
    "unknown location": ({"location_question": "where"}, "no question 'where'"),
    "location is a grid": ({"location_question": "core.mood"}, "core.mood is grid"),
    "category under itself": (
        {
            "categories": (
                SurveyCategory("1", "A", parent="2"),
                SurveyCategory("2", "B", parent="1"),
            )
        },
        "is under itself",
    ),
    "category under nothing": (
        {"categories": (*GOOD.categories, SurveyCategory("5", "A", parent="9"))},
        "/categories/4/parent: There is no category '9'",
    ),
    "category with letters": (
        {"categories": (*GOOD.categories, SurveyCategory("x", "A"))},
        "'x': a category's id is digits only",
    ),
}


def test_no_question_can_take_the_place_of_the_waves() -> None:
    catalogue = msgspec.structs.replace(GOOD, questions=(*GOOD.questions, question("waves")))
    with fails(SurveyError):
        catalogue.check()
    elsewhere = question("waves", namespace_code="more")
    msgspec.structs.replace(GOOD, questions=(*GOOD.questions, elsewhere)).check()


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_its_place(name: str) -> None:
    changes, message = FAULTS[name]
    with fails(SurveyError) as caught:
        msgspec.structs.replace(GOOD, **changes).check()
    assert message in str(caught.value)
