"""What is typed at a result as if it were its frame is refused, and the remedy works as told."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from audiencelab import Client, Q, connect, course
from audiencelab.frames import InsightsPage
from audiencelab.wire import Insight
from tests.frames.results import crosstab, row, stats


@cache
def client() -> Client:
    return connect()


def table() -> Any:
    shares = np.array([[50.0, 30, 10], [50, 70, 90]])
    return crosstab(
        size=shares, column_percentage=shares, column_size=100, column_sample=100, base_sample=900
    )


MADE: dict[str, Callable[[], Any]] = {
    "stats": lambda: stats(row(), row("q1_2")),
    "crosstab": table,
    "crosstab under way": lambda: crosstab(fill=False),
    "grid": lambda: client().grid("q22", waves=["q4_2025"]),
    "coverage": lambda: client().coverage(Q("q20").any("q20_1")),
    "overlap": lambda: client().overlap([Q("q2").any("q2_1"), Q("q4").any("q4_2")]),
    "comparison": lambda: table().compare_columns(),
    "correspondence": lambda: table().correspondence(),
    "progress": lambda: course.progress(student="ada"),
}


def remedy(error: BaseException) -> str:
    """The code that a message tells to write."""
    found = re.search(r"write (\.to_.*)\.$", str(error))
    assert found, str(error)
    return found[1].replace("(…)", "()").replace("…", ":2")


@pytest.mark.parametrize("name", MADE)
def test_a_column_a_line_and_a_method_of_the_frame_are_told(name: str) -> None:
    result = MADE[name]()
    column = list(result.to_frame())[-1]
    no_frame = f"{type(result).__name__} is no frame, but has one:"
    for slip in (lambda: result[column], lambda: result[[column]], lambda: result[:2]):
        with pytest.raises(TypeError, match=no_frame) as refused:
            slip()
        eval(f"result{remedy(refused.value)}")
    for method in ("head", "describe", "iloc", "columns", "sort_values"):
        if hasattr(type(result), method):
            continue
        with pytest.raises(AttributeError, match=f"no attribute '{method}'.*{no_frame}") as told:
            getattr(result, method)
        code = remedy(told.value)
        assert code in (f".to_frame().{method}", f".to_frame().{method}()")


def test_names_across_are_those_of_the_wide_frame() -> None:
    with pytest.raises(TypeError, match=r"write \.to_wide\(\)\['Tea'\]\."):
        table()["Tea"]
    with pytest.raises(TypeError, match=r"write \.to_frame\(\)\['row'\]"):
        table()["row"]


@pytest.mark.parametrize("key", ["Beer", ["index", "Beer"], [], {}, ("a", "b"), 2.5])
def test_what_no_column_is_called_gets_a_list_of_those_that_there_are(key: Any) -> None:
    with pytest.raises(
        TypeError, match=r"write \.to_frame\(\)\. Its columns are row_index, row_id"
    ):
        table()[key]


def test_a_figure_that_is_asked_for_by_name_is_a_column() -> None:
    with pytest.raises(AttributeError, match=r"\.to_frame\(\)\['index'\]"):
        _ = table().index
    with pytest.raises(AttributeError, match=r"\.to_frame\(\)\['audience_index'\]"):
        _ = stats(row()).audience_index


def test_a_loop_over_a_table_is_told_too() -> None:
    with pytest.raises(TypeError, match=r"write \.to_frame\(\)\.iloc\[0\]"):
        list(table())
    assert [each.datapoint for each in stats(row())] == ["q1_1"], "this one has lines"


def test_other_names_are_python_s_affair() -> None:
    with pytest.raises(AttributeError) as told:
        _ = table().to_fram
    assert str(told.value) == "'CrosstabResult' object has no attribute 'to_fram'"
    assert (told.value.name, type(told.value.obj).__name__) == ("to_fram", "CrosstabResult")
    assert not hasattr(table(), "_repr_png_")


def test_a_page_of_insights_has_methods_of_its_frame_told() -> None:
    with pytest.raises(AttributeError, match=r"write \.to_frame\(\)\.head\(…\)\."):
        _ = InsightsPage(insights=[Insight(id=1, name="One")], total=1).head


@pytest.mark.parametrize("name", ["stats", "crosstab", "overlap", "comparison"])
def test_a_result_is_copied_and_pickled_as_ever(name: str) -> None:
    result = MADE[name]()
    for made in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert made.to_frame().equals(result.to_frame())
