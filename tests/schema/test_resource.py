"""Resources are read, copied, compared and written as plain values."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from audiencelab.schema import AudienceReplacement, Category, Datapoint, Metrics, Question, Resource


@pytest.mark.parametrize(
    "through", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))]
)
def test_copies_and_pickles_are_equal(through: Callable[[Any], Any]) -> None:
    question = Question("q2", datapoints=[Datapoint("q2_1", "Yes")])
    assert through(question) == question
    assert through(question).to_dict() == question.to_dict()
    assert question != Question("q2", datapoints=[])


def test_metrics_that_are_not_known_stay_so_in_a_pickle() -> None:
    metrics = Metrics(positive_size=1.0)
    again = pickle.loads(pickle.dumps(metrics))
    assert again == metrics
    assert again.to_dict() == {"positive_size": 1.0}


def test_to_dict_uses_the_names_of_the_specification_and_omits_what_is_not_given() -> None:
    assert AudienceReplacement("a", "b").to_dict() == {"from": "a", "to": "b"}
    assert "child_categories" not in Category("1").to_dict()
    assert Metrics(positive_size=0.0).to_dict() == {"positive_size": 0.0}


def test_every_type_of_an_answer_is_frozen_and_ignores_unknown_fields() -> None:
    for kind in Resource.__subclasses__():
        config = kind.__struct_config__
        assert (config.frozen, config.forbid_unknown_fields, config.omit_defaults) == (1, 0, 1)
    assert msgspec.json.decode(b'{"code": "q2", "novel": 1}', type=Question) == Question("q2")


def test_a_repr_shows_the_fields_that_are_given() -> None:
    assert repr(Datapoint("q2_1", "Yes")) == "Datapoint(code='q2_1', name='Yes', accessible=True)"
