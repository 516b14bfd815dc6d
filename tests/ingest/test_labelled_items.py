"""Statistics files of platforms are named by labels, and have the counts of their rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from tests.ingest.limesurvey import LEVELS, ROWS, Row, responses, underscores

write_sav: Any = pyreadstat.write_sav


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return responses()


def test_an_spss_file_is_named_by_its_labels(tmp_path: Path, rows: list[Row]) -> None:
    brands = {"marken|A1": "Alba", "marken|B1": "Brio (alt: 1, neu: 2)", "marken|C1": "Cima"}
    question = "Welche kennen Sie (Auswahl: 1, mehr: 2)?"
    about = {"id": range(ROWS), "lastpage": 3, "submitdate": "2024-03-01", "refurl": "a"}
    frame = pd.DataFrame(about)
    labels = {"marken_other": f"[Sonstiges] {question}"}
    values: dict[str, dict[int, str]] = {}
    for key, item in brands.items():
        name = underscores(key)
        frame[name] = [int(row[key] == "Y") for row in rows]
        labels[name] = f"[{item}] {question}"
        values[name] = {1: "Yes", 0: "Not Selected"}
    frame["marken_other"] = [row["marken|other"] for row in rows]
    for code in ("SQ001", "SQ002"):
        frame[f"zufr_{code}"] = [int(row[f"zufr|{code}"] or 0) or None for row in rows]
        labels[f"zufr_{code}"] = f"[Punkt {code}] Wie zufrieden?"
        values[f"zufr_{code}"] = {int(value): label for value, label in LEVELS.items()}
    path = tmp_path / "lime.sav"
    write_sav(frame, path, column_labels=labels, variable_value_labels=values)
    client = al.open(path, quiet=True)
    names = {each.code: each.name for each in client.catalogue.questions}
    assert names.items() >= {"marken": question, "zufr": "Wie zufrieden?"}.items()
    assert names.keys() <= {"marken", "zufr", "location"}
    found = client.stats("marken").to_frame().set_index("datapoint_label")["sample"].to_dict()
    wanted = {item: sum(row[key] == "Y" for row in rows) for key, item in brands.items()}
    assert found == wanted | {"Sonstiges": sum(row["marken|other"] != "" for row in rows)}
    cells = client.grid("zufr").to_frame()[["datapoint_label", "suffix_label", "sample"]].values
    points = Counter(
        (f"Punkt {code}", LEVELS[row[f"zufr|{code}"]])
        for row in rows
        for code in ("SQ001", "SQ002")
        if row[f"zufr|{code}"]
    )
    assert {(item, point): n for item, point, n in cells if n} == points


def test_an_spss_file_of_kobo_is_named_by_its_labels(tmp_path: Path, rows: list[Row]) -> None:
    brands = {"Q.1": "Alba/neu", "Q.2": "Brio", "Q.999": "Other"}
    keys = dict(zip(brands, ("marken|A1", "marken|B1", "marken|C1"), strict=True))
    question = "Which do you buy and/or know?"
    frame = pd.DataFrame({"Q": ["1 2"] * ROWS})
    for name, key in keys.items():
        frame[name] = [int(row[key] == "Y") for row in rows]
    about = {"Z_id": range(ROWS), "Z_uuid": "a", "Z_submission_time": "2024-03-01T10:00:00"}
    labels = {"Q": question} | {name: f"{question}/{item}" for name, item in brands.items()}
    path = tmp_path / "kobo.sav"
    write_sav(frame.join(pd.DataFrame(about)), path, column_labels=labels)
    # The library does not write names that begin with this sign, as those of SPSS may.
    path.write_bytes(path.read_bytes().replace(b"Z_", b"@_"))
    client = al.open(path, quiet=True)
    found = client.stats(question).to_frame().set_index("datapoint_label")["sample"].to_dict()
    assert found == {brands[name]: sum(row[keys[name]] == "Y" for row in rows) for name in brands}
    assert len([each for each in client.catalogue.questions if each.code != "location"]) == 1


def test_a_long_question_whose_end_is_cut_is_one(tmp_path: Path) -> None:
    question = "Which of these have you seen in the last four weeks? " * 5
    items = {"q_a": "Tea", "q_b": "Coffee, of any kind", "q_c": "Water"}
    frame = pd.DataFrame({"id": range(60), "lastpage": 1, **dict.fromkeys(items, [1, 0] * 30)})
    labels = {name: f"[{item}] {question}"[:231] for name, item in items.items()}
    path = tmp_path / "long.sav"
    write_sav(frame, path, column_labels=labels)
    asked = {each.code: each for each in al.open(path, quiet=True).catalogue.questions}["q"]
    assert [point.name for point in asked.datapoints] == [*items.values()]
    assert question.startswith(asked.name)
