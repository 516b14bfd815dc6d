"""Whatever holds a part of an answer holds its unknown fields too, and never loses them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from audiencelab.schema import (
    AudienceReplacement,
    Category,
    Datapoint,
    Metrics,
    Question,
    Resource,
    StatsRow,
    Value,
    keep_unknown,
)

NOVEL = {"novel": {"depth": [1, None]}, "extra": "a field may be called so"}


def datapoint(**novel: Any) -> Datapoint:
    plain = Datapoint("q2_1", "Yes")
    keep_unknown(plain, {"code": "q2_1", "name": "Yes", **novel})
    return plain


def test_extra_holds_what_the_type_has_no_field_for() -> None:
    assert datapoint().extra == {}
    assert datapoint(**NOVEL).extra == NOVEL


def test_extra_is_the_answers_and_nobody_changes_it() -> None:
    kept = datapoint(**NOVEL)
    with pytest.raises(TypeError):
        kept.extra["novel"] = 1  # type: ignore[index] -- that it cannot be set is the test
    with pytest.raises(AttributeError):
        kept.extra = {}  # type: ignore[misc] -- as above
    kept.to_dict()["novel"]["depth"].clear()
    assert kept.extra == NOVEL


@pytest.mark.parametrize(
    "through",
    [
        copy.copy,
        copy.deepcopy,
        *(
            lambda value, protocol=protocol: pickle.loads(pickle.dumps(value, protocol))
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
        ),
    ],
)
def test_copies_and_pickles_are_equal(through: Callable[[Any], Any]) -> None:
    question = Question("q2", datapoints=[datapoint(**NOVEL), datapoint()])
    keep_unknown(question, {"code": "q2", "novel": 1, "datapoints": [{**NOVEL}, {}]})
    again = through(question)
    assert again == question
    assert again.to_dict() == question.to_dict()
    assert again.extra == {"novel": 1}


def test_metrics_that_are_not_known_stay_so_in_a_pickle() -> None:
    metrics = Metrics(positive_size=1.0)
    again = pickle.loads(pickle.dumps(metrics))
    assert again == metrics
    assert again.to_dict() == {"positive_size": 1.0}


def test_a_changed_copy_keeps_what_was_unknown() -> None:
    changed = datapoint(**NOVEL).__replace__(name="No")
    assert (changed.name, changed.extra) == ("No", NOVEL)


def test_what_differs_in_an_unknown_field_is_not_equal() -> None:
    assert datapoint(novel=1) == datapoint(novel=1)
    assert datapoint(novel=1) != datapoint(novel=2)
    assert datapoint(novel=1) != datapoint()
    assert StatsRow("q2_1", Metrics(1.0)) != StatsRow("q2_1", Metrics(2.0))
    assert datapoint() != "q2_1"
    assert Question("q2", datapoints=[datapoint(novel=1)]) != Question("q2", datapoints=[])


def test_equal_resources_have_one_hash() -> None:
    assert len({datapoint(novel=1), datapoint(novel=1), datapoint()}) == 2


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("name", r"The fields of Datapoint are attributes: \.name in place of \['name'\]\.$"),
        ("novel", r"attributes: \.code, \.name, \.accessible, \.midpoint, …\.$"),
        (0, r"attributes: \.code, "),
    ],
)
def test_whoever_takes_a_resource_for_its_json_is_told_what_to_write(key: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        datapoint(**NOVEL)[key]


def test_nor_is_a_resource_gone_through() -> None:
    with pytest.raises(TypeError, match=r"attributes: \.value\.$"):
        list(Value(1.0))


def test_to_dict_speaks_the_names_of_the_specification() -> None:
    assert AudienceReplacement("a", "b").to_dict() == {"from": "a", "to": "b"}


def test_to_dict_leaves_out_what_has_nothing_to_say() -> None:
    assert "child_categories" not in Category("1").to_dict()
    assert Metrics(positive_size=0.0).to_dict() == {"positive_size": 0.0}


def test_every_type_of_an_answer_refuses_what_it_would_lose() -> None:
    kinds = Resource.__subclasses__()
    assert Metrics in kinds
    for kind in kinds:
        config = kind.__struct_config__
        assert (config.frozen, config.forbid_unknown_fields, config.omit_defaults) == (True,) * 3
    with pytest.raises(msgspec.ValidationError, match="unknown field `novel`"):
        msgspec.json.decode(b'{"code": "q2", "novel": 1}', type=Question)


def test_a_repr_leaves_out_what_says_nothing() -> None:
    assert repr(Datapoint("q2_1", "Yes")) == "Datapoint(code='q2_1', name='Yes', accessible=True)"
