"""The card of a workbench: each choice gives the table that pandas counts from the raw file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab import Workbench
from audiencelab.widgets.workbench.first import first_workbench
from tests.ingest.draft.test_choices import raw
from tests.widgets.conftest import Wire

FRAME = raw()
FRAME["q4"] = FRAME["q2"].str[0].where(FRAME["sex"] == "female")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("card") / "a.csv"
    FRAME.to_csv(path, index=False)
    return path


class Card:
    """A workbench with its card, as a page sees it."""

    def __init__(self, wire: Wire, workbench: Workbench) -> None:
        self.wire, self.workbench = wire, workbench
        self.client = workbench.client

    def ask(self, op: str, **args: Any) -> dict[str, Any]:
        return self.wire.request(self.workbench, op, args).content["data"]

    def line(self, start: str, word: str = "") -> dict[str, Any]:
        found = self.ask("card")["guesses"]
        return next(
            each
            for each in found
            if each["id"].startswith(start) and any(word in c["label"] for c in each["choices"])
        )

    def settle(self, start: str, label: str) -> dict[str, Any]:
        line = self.line(start, label)
        place = next(at for at, each in enumerate(line["choices"]) if label in each["label"])
        return self.ask("settle", guess=line["id"], choice=place)

    def shares(self) -> pd.DataFrame:
        return self.workbench.grid.wait(60).result.to_wide("column")


@pytest.fixture
def card(wire: Wire, file: Path) -> Iterator[Card]:
    workbench = first_workbench(al.open(file, quiet=True))
    workbench.grid.ask(rows="q2", columns="sex")
    yield Card(wire, workbench)
    workbench.close()


def shares_of(frame: pd.DataFrame, row: str, weight: str | None = None) -> pd.DataFrame:
    weighed = frame.assign(w=1.0 if weight is None else frame[weight])
    counts = weighed.pivot_table("w", row, "sex", "sum", fill_value=0)
    return 100 * counts / counts.sum()


def near(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    names = [str(each) for each in expected.index]
    labels = cast("list[object]", found.index.get_level_values(-1).to_list())
    shown = found.set_axis([*map(str, labels)])
    np.testing.assert_allclose(shown.loc[names].to_numpy(), expected.to_numpy(), atol=1e-9)


def test_the_first_line_and_its_settings(card: Card) -> None:
    found = card.ask("card")
    assert [(each["text"], each["worst"]) for each in found["facts"]][:4] == [
        ("400 respondents", False),
        ("2 waves", False),
        ("no weight", True),
        ("those who answered", False),
    ]
    assert [each["id"] for each in found["guesses"][:3]] == ["weight", "wave", "base_of"]
    assert card.workbench._card  # pyright: ignore[reportPrivateUsage] -- unfolded at first


def test_a_weight(card: Card) -> None:
    near(card.shares(), shares_of(FRAME, "q2"))
    card.settle("weight", "weight_hh")
    near(card.shares(), shares_of(FRAME, "q2", "weight_hh"))
    assert card.client.to_code().endswith("weight='weight_hh')")
    card.settle("wave", "no waves")
    near(card.shares(), shares_of(FRAME, "q2", "weight_hh"))
    assert len(card.client.waves()) == 1
    card.workbench.grid.rows = "wave"
    near(card.shares(), shares_of(FRAME, "wave", "weight_hh"))
    code = card.client.to_code()
    assert "weight='weight_hh'" in code
    assert "wave=None" in code
    again = eval(code, {"al": al})
    near(again.crosstab("q2", "sex").to_wide("column"), shares_of(FRAME, "q2", "weight_hh"))


def test_a_choice_is_taken_back(card: Card) -> None:
    before = card.client.to_code()
    shown = card.workbench.value
    card.settle("weight", "weight: from")
    card.settle("kind q1", "single")
    card.ask("unsettle", guess="weight")
    assert card.client.to_code() == before[:-1] + ", kind={'q1': 'single'})"
    card.ask("unsettle", guess="kind q1")
    assert (card.client.to_code(), card.workbench.value) == (before, shown)
    near(card.shares(), shares_of(FRAME, "q2"))


def test_everyone_counts(card: Card) -> None:
    card.workbench.grid.rows = "q4"
    counted = FRAME.pivot_table("wave", "q4", "sex", "count")
    answered = card.shares()
    np.testing.assert_allclose(
        answered.iloc[:, 0], 100 * counted["female"] / counted["female"].sum()
    )
    card.settle("base_of", "everyone")
    assert card.shares().iloc[:, 1].tolist() == [0, 0]
    assert card.line("base_of")["changed"]
    assert "base_of='everyone'" in card.workbench.to_code()


def test_several_answers_become_single_questions_or_a_grid(card: Card) -> None:
    card.workbench.grid.rows = "q1"
    found = card.settle("kind q1", "a grid")
    assert found["gone"] == []
    shares = 100 * pd.crosstab(FRAME["q1_2"], FRAME["sex"], normalize="columns")
    grid = card.workbench.grid.wait(60).result.to_wide("column")
    np.testing.assert_allclose(grid.iloc[2:4].to_numpy(), shares.to_numpy(), atol=1e-9)
    found = card.settle("kind q1", "single")
    assert found["gone"]
    card.workbench.grid.rows = "q1_2"
    near(card.shares(), shares)


def test_the_top_of_a_scale(card: Card) -> None:
    card.settle("scale q2", "'very dissatisfied' is the top")
    box = card.client["q2"].top_box(2)
    found = card.client.crosstab([box], "sex").to_wide("column")
    low = FRAME["q2"].isin(["very dissatisfied", "rather dissatisfied"])
    expected = 100 * low.groupby(FRAME["sex"]).mean()
    np.testing.assert_allclose(found.to_numpy()[0], expected.to_numpy(), atol=1e-9)
    code = card.client.to_code()
    assert code.endswith((".edit('q2', top='last')", ".edit('q2', top='first')"))


def test_a_missing_code_is_an_answer_and_a_number_is_none(card: Card) -> None:
    card.workbench.grid.rows = "q3"
    near(card.shares(), shares_of(FRAME[FRAME["q3"] != 99], "q3"))
    card.settle("missing missing q3", "an answer")
    near(card.shares(), shares_of(FRAME, "q3"))
    card.settle("missing missing hours", "no answer")
    found = card.client.crosstab([card.client["hours"].mean()], "sex").statistics
    hours = FRAME[FRAME["hours"] != 99].groupby("sex")["hours"].mean()
    assert found is not None
    np.testing.assert_allclose(found.figures[0, 0, 1:], hours, atol=1e-9)


def test_an_answer_off_the_scale_is_left_out(wire: Wire) -> None:
    words = ["never", "sometimes", "often", "don't know"]
    frame = FRAME.assign(often=[words[each % 4] for each in range(len(FRAME))])
    card = Card(wire, Workbench(al.open(frame, quiet=True), "often", "sex"))
    card.settle("base often", "no answer")
    chosen = card.line("base often")
    assert [each["present"] for each in chosen["choices"]] == [False, True]
    assert chosen["changed"]
    near(card.shares(), shares_of(frame[frame["often"] != "don't know"], "often"))
    card.workbench.close()


def test_one_line_turns_all_questions_of_one_scale(wire: Wire) -> None:
    frame = pd.DataFrame({name: ["never", "sometimes", "often"] * 30 for name in "abcd"})
    card = Card(wire, Workbench(al.open(frame, quiet=True), "a"))
    line = card.line("scale a")
    assert line["name"] == "a and 3 more"
    assert not [each for each in card.ask("card")["guesses"] if each["id"].startswith("scale b")]
    # A scale from none to most has a top.
    assert len(line["choices"]) == 2
    card.settle("scale a", "'never' is the top")
    assert all("top:first" in card.client.catalogue[each].record.flags for each in "abcd")
    card.ask("unsettle", guess=line["id"])
    assert "top:last" in card.client.catalogue["d"].record.flags
    card.workbench.close()


def test_what_is_gone_is_said(card: Card) -> None:
    card.workbench.grid.ask(rows=["q1", "q2"])
    found = card.settle("kind q1", "single")
    assert len(found["gone"]) == 3
    assert len(card.workbench.grid.rows) == 4
    near(card.shares(), shares_of(FRAME, "q2"))


def test_a_survey_folder_gets_its_next_version(wire: Wire, tmp_path: Path) -> None:
    al.open(FRAME, to=tmp_path / "survey", quiet=True)
    card = Card(wire, Workbench(al.open(tmp_path / "survey"), "q2", "sex"))
    assert "opening the file again" in card.line("weight")["refusal"]
    key = card.line("scale q2")["id"]
    card.settle("scale q2", "neither")
    assert "top:none" in al.open(tmp_path / "survey").catalogue["q2"].record.flags
    card.ask("unsettle", guess=key)
    assert "top:none" not in al.open(tmp_path / "survey").catalogue["q2"].record.flags
    card.workbench.close()


def test_rows_that_are_added_meanwhile_stay(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    card.line("weight")
    settled = card.client.sender.context.settled
    apply = settled._apply  # the file is opened again within it

    def slow(chosen: Any) -> None:
        apply(chosen)
        card.workbench.grid.ask(rows=["q2", "q3"])

    monkeypatch.setattr(settled, "_apply", slow)
    card.settle("weight", "weight: from")
    assert card.workbench.value.shape == (9, 2)
    ids = [each["id"] for each in card.ask("card")["guesses"]]
    card.settle("scale q2", "neither")
    assert [each["id"] for each in card.ask("card")["guesses"]] == ids


def test_a_survey_that_was_not_imported_has_facts_alone(wire: Wire) -> None:
    workbench = Workbench(al.connect(), "Gender")
    card = Card(wire, workbench)
    found = card.ask("card")
    assert found["guesses"] == []
    assert found["facts"][-1]["text"].endswith("questions")
    workbench.close()


def test_a_document_reproduces_the_choices(card: Card, file: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(file.parent)
    card.settle("weight", "weight: from")
    card.settle("scale q2", "neither")
    document = card.workbench.to_document()
    assert document["connect"] == "al.open('a.csv', weight='weight').edit('q2', top='none')"
    opened = Workbench.load(eval(document["connect"], {"al": al}), document)
    assert card.line("weight", "weight: from")["choices"][1]["present"]
    pd.testing.assert_frame_equal(
        opened.grid.wait(60).result.to_wide("column"), card.shares(), check_exact=True
    )
    opened.close()
    assert os.sep not in document["connect"]


def test_the_card_of_a_document_has_its_choices(wire: Wire, file: Path) -> None:
    client = al.open(
        file, weight="weight", kind={"q1": "grid"}, missing={"q3": [], "hours": [99]}, quiet=True
    ).edit("q2", top="none")
    card = Card(wire, Workbench(client, "q2", "sex"))
    chosen = {each["id"]: each for each in card.ask("card")["guesses"] if each["changed"]}
    present = {
        key: next(choice["label"] for choice in each["choices"] if choice["present"])
        for key, each in chosen.items()
    }
    assert {key.partition(" '")[0]: label.partition(":")[0] for key, label in present.items()} == {
        "weight": "weight",
        "kind q1": "a grid, each column an item of it",
        "scale q2": "neither end is the top",
        "missing missing q3": "every value is an answer",
        "missing missing hours": "no answer",
    }
    for key in chosen:
        card.ask("unsettle", guess=key)
    assert client.to_code() == f"al.open({str(file)!r})"
    assert not any(each["changed"] for each in card.ask("card")["guesses"])
    card.workbench.close()
