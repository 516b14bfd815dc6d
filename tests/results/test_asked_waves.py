"""Tables of questions that some waves did not ask name the waves that they rest on."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.results.provenance import weighted_base
from audiencelab.results.record import record_of
from audiencelab.results.who_counts import notes
from audiencelab.schema.coverage import asked_flag, asked_in

WAVES = ["Herbst 2023", "Frühjahr 2024", "Herbst 2024"]
PEOPLE = 12
FRAME = pd.DataFrame(
    {
        "Welle": [wave for wave in WAVES for _ in range(PEOPLE)],
        "Geschlecht": ["Frau", "Mann"] * 18,
        "Marke": ["ja", "ja", "nein"] * 12,
        "Neu": [None] * 24 + ["gut", "mittel", "schlecht"] * 4,
        "Kurs": [None] * 12 + ["a", "b", "b"] * 8,
        "Gewicht": [0.5, 1.5, 1.0, 2.0, 0.8, 1.2] * 6,
    }
)


def _opened(folder: Path) -> al.Client:
    return al.open(FRAME, to=folder / "umfrage", weight="Gewicht", waves="all", quiet=True)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> al.Client:
    return _opened(tmp_path_factory.mktemp("asked"))


def test_waves_are_those_that_asked_the_rows(client: al.Client) -> None:
    table, last = client.crosstab("Neu", "Geschlecht"), FRAME[FRAME["Welle"] == WAVES[2]]
    assert list(record_of(table).waves) == WAVES[2:]
    assert table.base_sample == len(last)
    assert table.base_size == pytest.approx(last["Gewicht"].sum())
    assert weighted_base(table.provenance) == "Weighted base"
    assert table.provenance["waves"] == list(client.stats("Neu").waves)
    for form in (table.to_markdown(), table.to_html(), repr(table)):
        assert "ave: Herbst 2024" in form
        assert "average of waves" not in form
    assert "asked in" not in table.to_markdown()
    assert list(record_of(client.crosstab("Kurs")).waves) == WAVES[1:]


def test_waves_of_base_and_columns_count_too(client: al.Client) -> None:
    within = client.filter(client["Neu"] == "gut").crosstab("Marke", "Geschlecht")
    assert list(record_of(within).waves) == WAVES[2:]
    # "All" of those who answered is of every wave; where everyone counts, it is of the cells' own.
    table = client.crosstab("Marke", "Neu")
    assert table.base_sample == len(FRAME)
    assert list(record_of(table).waves) == WAVES
    table = client.crosstab("Marke", "Neu", base_of="everyone")
    assert table.base_sample == PEOPLE
    assert list(record_of(table).waves) == WAVES[2:]


def test_rows_of_other_waves_are_noted(client: al.Client) -> None:
    table = client.crosstab(["Neu", "Kurs", "Marke"], "Geschlecht")
    assert list(record_of(table).waves) == WAVES
    assert weighted_base(table.provenance) == "Weighted base (average of waves)"
    assert [each for each in notes(table) if "asked in" in each] == [
        "Neu: asked in 1 of 3 waves (Herbst 2024).",
        "Kurs: asked in 2 of 3 waves (Frühjahr 2024, Herbst 2024).",
    ]
    assert list(record_of(client.crosstab(["Neu", "Kurs"])).waves) == WAVES[1:]


def test_columns_that_are_waves_show_those_that_did_not_ask(client: al.Client) -> None:
    table = client.crosstab("Neu", "waves")
    assert list(record_of(table).waves) == WAVES
    assert "Neu: asked in 1 of 3 waves (Herbst 2024)." in notes(table)
    first = client.crosstab("Neu", waves=[client.waves()[0].code])
    assert notes(first)[-1] == "Neu: not asked in Herbst 2023."


def test_a_replay_says_the_same(tmp_path: Path) -> None:
    made = _opened(tmp_path)
    with made.recording(tmp_path / "run.jsonl"):
        live = [made.crosstab(rows, "Geschlecht") for rows in ("Neu", ["Neu", "Marke"])]
    replayed = al.connect(snapshot=tmp_path / "run.jsonl")
    for rows, table in zip(("Neu", ["Neu", "Marke"]), live, strict=True):
        again = replayed.crosstab(rows, "Geschlecht")
        assert record_of(again).waves == record_of(table).waves
        assert notes(again) == notes(table)


def test_the_flag_is_read_as_it_was_written() -> None:
    for waves in (("w3", "w 4"), ("a,b", "c:d", "ü"), ()):
        assert asked_in(["derived", asked_flag(waves)]) == waves
    assert asked_in(["routed"]) is asked_in(None) is None
