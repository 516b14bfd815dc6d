"""Words of other programs: every public object reads one table, and refuses in one form."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

import audiencelab as al
from audiencelab.unknown_names import OtherWords, refused
from audiencelab.words import OBJECTS
from tests.messages import fails


@pytest.fixture(scope="module")
def objects() -> Iterator[dict[str, Any]]:
    with al.connect() as client:
        young = client["Age"] == "18 to 24"
        table = client.crosstab("Gender", "Age", waves="latest 1")
        grid = client.grid("Trust in sources", waves="latest 1")
        overlap = client.overlap([young, client["Gender"] == "Female"], waves="latest 1")
        yield {
            "module": al,
            "client": client,
            "async client": asyncio.run(an_async_client()),
            "group": client.questions,
            "catalogue": client.catalogue,
            "catalogue question": client.catalogue["Age"],
            "question": client["Age"],
            "answers": client["Age"].datapoints,
            "expression": young,
            "audience": young.named("Young"),
            "table": table,
            "comparison": table.test(),
            "stats": client.stats("Gender", waves="2025"),
            "book": client.tab_book("Gender", ["Pets"], waves="latest 1"),
            "grid": grid,
            "profile": client.profile(young, "Pets", waves="latest 1"),
            "overlap": overlap,
            "turf": client.turf("Pets", 2, waves="latest 1"),
            "estimates": client.mean("Age", waves="latest 1"),
            "summary": client.summary_table("Sleep", "Gender", waves="latest 1"),
            "charts of a table": table.chart,
            "charts of a trend": client.trend("Gender", waves="2025").chart,
            "charts of a grid": grid.chart,
            "charts of an overlap": overlap.chart,
            "chart": table.chart.bar(),
        }


async def an_async_client() -> Any:
    async with al.connect_async() as client:
        return client


def named(kind: str, objects: dict[str, Any]) -> list[Any]:
    """The objects of a class, by its name."""
    mro = {name: [each.__name__ for each in type(it).__mro__] for name, it in objects.items()}
    return [it for name, it in objects.items() if kind in mro[name]] or [al]


def test_every_public_object_refuses_an_unknown_name_in_one_form(objects: dict[str, Any]) -> None:
    for name, it in objects.items():
        with pytest.raises(AttributeError) as caught:
            _ = it.zzz_unknown
        owner = "module 'audiencelab'" if it is al else f"{type(it).__name__!r} object"
        assert str(caught.value).startswith(f"{owner} has no attribute 'zzz_unknown'."), name
        with fails(AttributeError):
            _ = it._zzz


@pytest.mark.parametrize("kind", [kind for kind, words in OBJECTS.items() if words.same])
def test_every_word_reads_a_member_and_replaces_none(kind: str, objects: dict[str, Any]) -> None:
    of_kind = named(kind, objects)
    for word in OBJECTS[kind].same:
        assert any(getattr(it, word, None) is not None for it in of_kind), word
        assert all(word not in dir(it) for it in of_kind), word


def test_the_table_names_classes_that_read_it() -> None:
    classes = {OtherWords}
    for _ in range(8):
        classes |= {below for each in classes for below in each.__subclasses__()}
    assert set(OBJECTS) <= {"audiencelab"} | {each.__name__ for each in classes}


@pytest.mark.parametrize(
    ("name", "word", "advice"),
    [
        ("module", "Survey", "Write al.open(folder)"),
        ("module", "conect", "Did you mean 'connect'?"),
        ("client", "crostab", "Did you mean 'crosstab'?"),
        ("group", "search", "It has .filter(), .get()."),
        ("catalogue", "serch", "Did you mean 'search'?"),
        ("table", "pie", "Write client.crosstab("),
        ("profile", "standout", "Did you mean 'standouts'?"),
        ("charts of an overlap", "line", "Write client.trend(question).chart.trend()."),
        ("charts of a table", "reach", "It has .chart.auto(), .chart.bar()"),
        ("chart", "encode", "Write it for a chart of one plot"),
        ("chart", "zzz", "table.to_pptx("),
    ],
)
def test_what_to_write_instead_ends_the_error(
    objects: dict[str, Any], name: str, word: str, advice: str
) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(objects[name], word)
    assert f"has no attribute {word!r}. {advice}" in str(caught.value) or name == "chart"
    assert advice in str(caught.value)


def test_lines_of_a_table_are_its_trend(objects: dict[str, Any]) -> None:
    charts = objects["charts of a table"]
    assert charts.line.__func__ is charts.trend.__func__


def test_a_word_of_a_result_is_that_of_the_frame_it_has(objects: dict[str, Any]) -> None:
    assert objects["table"].head(2).equals(objects["table"].to_wide().head(2))
    assert objects["profile"].head(2).equals(objects["profile"].to_frame().head(2))
    assert objects["stats"].counts.equals(objects["stats"].to_wide("sample"))


def test_an_error_about_a_name_is_written_when_it_is_read() -> None:
    class Unlisted(OtherWords):
        def __dir__(self) -> list[str]:
            raise LookupError("listed")

    assert not hasattr(Unlisted(), "to_fram")
    with fails(LookupError):
        str(refused(Unlisted(), "to_fram"))


def test_an_error_about_a_name_can_be_pickled() -> None:
    error = refused(al, "Survey")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert repr(error) == f"AttributeError({str(error)!r})"


def test_objects_with_words_can_be_pickled(objects: dict[str, Any]) -> None:
    for name in ("table", "profile", "expression", "audience"):
        again = pickle.loads(pickle.dumps(objects[name]))
        assert repr(again) == repr(objects[name])
