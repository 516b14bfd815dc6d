"""Every public call refuses an argument that it does not have with a message of ours."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import audiencelab as al
from audiencelab.unknown_names import OtherWords


@pytest.fixture(scope="module")
def objects() -> Iterator[list[Any]]:
    with al.connect() as client:
        young = client["Age"] == "18 to 24"
        table = client.crosstab("Gender", "Age", waves="latest 1")
        stats = client.stats("Gender", waves="2025")
        yield [
            *(client, client.catalogue, client["Age"], young.named("Young"), table, stats),
            *(table.test(), client.grid("Trust in sources", waves="latest 1")),
            *(client.profile(young, "Pets", waves="latest 1"), table.chart.bar()),
            *(client.mean("Age", "Gender", waves="latest 1"), client.turf("Pets", 2)),
            client.tab_book("Gender", ["Pets"], waves="latest 1"),
        ]


def calls_of(it: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public calls of an object that are ours and list their arguments."""
    for name in dir(type(it)):
        found = inspect.getattr_static(type(it), name, None)
        if name.startswith("_") or not inspect.isfunction(found):
            continue
        # Others take any name for an argument, or are of another library.
        any_name = found.__code__.co_flags & inspect.CO_VARKEYWORDS
        if found.__module__.startswith("audiencelab") and not (
            any_name and "__wrapped__" not in vars(found)
        ):
            yield name, getattr(it, name)


def test_an_unknown_argument_is_refused_by_every_call(objects: list[Any]) -> None:
    refused = 0
    for it in objects:
        assert isinstance(it, OtherWords), type(it)
        for name, call in calls_of(it):
            with pytest.raises(TypeError) as caught:
                call(zzz_unknown=1)
            where = f"{type(it).__name__}.{name}: {caught.value}"
            assert "takes no argument 'zzz_unknown'. " in str(caught.value), where
            refused += 1
    assert refused > 100
