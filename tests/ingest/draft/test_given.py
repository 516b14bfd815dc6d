"""Missing codes that an import is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.codebook import CodedQuestion
from audiencelab.survey import SurveyError

write_sav: Any = pyreadstat.write_sav

N = 200
R = np.arange(N)
FRAME = pd.DataFrame(
    {
        "age": np.where(R % 10 == 0, 999, 18 + R % 60),
        "q3": np.where(R % 10 == 1, 98, R % 11),
        "hours": np.where(R % 10 == 2, 99, R % 6),
        "g_1": np.where(R % 10 == 3, 77, 1 + R % 5),
        "g_2": 1 + R % 4,
        "debt": np.where(R % 10 == 4, -9, 1000 * (R % 37)),
        "tea": np.where(R % 10 == 5, "no idea", np.where(R % 2, "yes", "no")),
    }
)


def questions(missing: Any, source: Any = FRAME) -> dict[str, CodedQuestion]:
    return {each.code: each for each in draft_codebook(source, missing=missing).codebook.questions}


def names(question: CodedQuestion) -> list[str]:
    return [point.name for point in question.points]


def test_given_codes_are_in_no_band_and_no_scale() -> None:
    found = questions({"age": 999, "hours": [99], "debt": [-9], "tea": ["No idea"]})
    assert found["age"].missing == (999,)
    assert max(point.midpoint or 0 for point in found["age"].points) < 78
    assert max(point.midpoint or 0 for point in questions(None)["age"].points) > 78
    assert (found["hours"].missing, names(found["hours"])) == ((99,), [*"012345"])
    assert found["debt"].missing == (-9,)
    assert (found["tea"].missing, names(found["tea"])) == (("no idea",), ["no", "yes"])


def test_codes_of_one_column_of_a_grid_are_those_of_the_grid() -> None:
    for key in ("g", "g_1"):
        grid = questions({key: [77]})["g"]
        assert (grid.kind, grid.missing) == ("grid", (77,))
        assert [each.value for each in grid.suffixes] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("missing", [{"*": [-9, 99]}, [-9, 99]])
def test_codes_of_all_columns_are_under_source(missing: Any) -> None:
    draft = draft_codebook(FRAME, missing=missing)
    assert draft.codebook.source.missing == (-9, 99)
    found = {each.code: each for each in draft.codebook.questions}
    assert (found["hours"].missing, names(found["hours"])) == ((), [*"012345"])
    assert found["q3"].missing == (98,), "certain without being told"


def test_an_empty_list_keeps_what_only_looks_like_a_code() -> None:
    found = questions({"q3": []})["q3"]
    assert (found.missing, names(found)[-1]) == ((), "98")


def test_labelled_answers_are_named_by_label_or_value(tmp_path: Path) -> None:
    labels = {"q": {1: "Good", 2: "Bad", 8: "Don't know", 9: "Refused"}}
    frame = pd.DataFrame({"q": [1, 2, 8, 1, 9] * 10, "p": [1, 2, 3, 1, 4] * 10})
    write_sav(frame, tmp_path / "s.sav", variable_value_labels=labels)
    for missing in ({"q": ["don't know", 9]}, {"q": ["q_8", "Refused"]}, ["Don't know", 9]):
        found = questions(missing, tmp_path / "s.sav")
        assert names(found["q"]) == ["Good", "Bad"]
        assert names(found["p"]) == [*"1234"]
    draft = draft_codebook(tmp_path / "s.sav", missing=["Don't know", 9])
    assert draft.codebook.source.missing == (9,)
    assert draft.codebook.questions[0].missing == (8,)


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ({"q33": [98]}, r"missing=\{'q33': …\} is not valid: no question or column is called 'q33'."
         r" Did you mean 'q3'\?"),
        ({"q3": [89]}, r"missing=\{'q3': \[89\]\}.*no answer. Its answers are '0', '1'"),
        ({"age": [998]}, r"no row has 998. Did you mean '999'"),
        ({"tea": ["no ideas"]}, r"Did you mean 'no idea'\?"),
        ([-99], r"missing=\[-99\] is not valid: no column has it. Did you mean '99'\?"),
        ({"tea": ["yes", "no"]}, r"missing=\{'tea': \['yes', 'no'\]\} is not valid: no, yes are "
         r"180 of 200 answers to tea, half or more. Name missing codes alone; people who were"),
    ],
)  # fmt: skip
def test_codes_that_cannot_be_meant_are_refused(missing: Any, message: str) -> None:
    with pytest.raises(SurveyError, match=message):
        draft_codebook(FRAME, missing=missing)


OFTEN = pd.DataFrame({"how often": ["Weekly", "Mondays", "Never", "Hardly", "Refused"] * 9})


def test_answers_are_in_the_given_order_and_others_follow() -> None:
    given = {"how often": ["Never", "hardly", "Mondays"]}
    draft = draft_codebook(OFTEN, order=given)
    assert names(draft.codebook.questions[0]) == ["Never", "Hardly", "Mondays", "Weekly", "Refused"]
    assert [each for each in draft.guesses if each.subject == "order"] == []
    labels = draft_codebook(OFTEN, order=given, missing=["Refused"]).codebook.questions[0]
    assert names(labels) == ["Never", "Hardly", "Mondays", "Weekly"]


def test_an_order_of_answers_that_are_not_there_is_refused() -> None:
    for order, message in (
        ({"how oft": ["Never"]}, "no question or column is called 'how oft'. Did you mean 'how"),
        ({"how often": ["Newer"]}, "'Newer' is not valid for how_often .*Did you mean 'Never'"),
        ({"how often": ["Never", "Never"]}, "names 'Never' twice"),
        ({"how often": "Never"}, "write a list of answers"),
    ):
        with pytest.raises(SurveyError, match=message):
            draft_codebook(OFTEN, order=order)


def test_a_code_that_no_row_has_is_taken_beside_one_that_some_have() -> None:
    frame = pd.DataFrame({"q3": [*range(1, 6)] * 8 + [98] * 3, "tea": ["a"] * 43})
    for missing in ({"q3": [98, 99]}, [98, 99], {"q3": ["98", "99"]}):
        client = al.open(frame, missing=missing, quiet=True)
        assert client.crosstab("q3").base_sample == 40
        said = [each.said for each in client.import_report.guesses]
        assert "99 given as missing: no row has it" in said
    edited = al.open(frame, quiet=True).edit("q3", missing=[98, 99])
    assert edited.crosstab("q3").base_sample == 40
