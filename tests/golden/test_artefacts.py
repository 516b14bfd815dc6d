"""Files and outputs that audiencelab 1.0 wrote, read by the current tree.

They are in `tests/data/v1` and never written again: whoever has such a file keeps it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import audiencelab as al
from audiencelab import Q
from tests.golden import api
from tests.golden.api import V1
from tests.golden.cases import plain
from tests.golden.test_golden import differences

EXPECTED = json.loads((V1 / "expected.json").read_text(encoding="utf-8"))
WOMEN = al.Audience("Women", Q("sex").any("sex_1"))


@pytest.fixture
def client(tmp_path: Path) -> Iterator[al.Client]:
    """A client of the survey that 1.0 wrote, with the store that it wrote."""
    shutil.copyfile(V1 / "store.sqlite", tmp_path / "store.db")
    survey = api.open_survey(V1 / "survey")
    with al.connect(survey=survey, store=tmp_path / "store.db") as client:
        yield client


def test_survey_folder(client: al.Client) -> None:
    survey = api.open_survey(V1 / "survey")
    survey.verify()
    assert api.weights(survey, "w1").sum() == pytest.approx(np.loadtxt(
        V1 / "tea.csv", delimiter=",", skiprows=1, usecols=3
    ).sum(), abs=1e-6)  # fmt: skip
    table = client.crosstab(
        rows=client.catalogue.audiences("Tea"), columns=[WOMEN, Q("age").any("age_3")]
    )
    assert plain(table.to_wide(["size", "sample"]).to_numpy()) == EXPECTED["tea"]
    assert plain(client.design_effects(table).effects) == EXPECTED["effects"]


def test_numbers_of_a_survey_folder() -> None:
    folder = V1 / "survey" / "waves" / "w1"
    assert np.load(folder / "numbers.npy").shape == (1, 90)
    assert len(al.connect(survey=V1 / "survey").quantile_groups("age", 2)) == 2


def test_codebook(tmp_path: Path) -> None:
    survey = api.import_survey(
        [V1 / "tea.csv"], api.load_codebook(V1 / "tea.toml"), tmp_path / "tea"
    )
    ours = al.connect(survey=survey).crosstab(rows=[WOMEN]).to_frame()
    theirs = al.connect(survey=V1 / "survey").crosstab(rows=[WOMEN]).to_frame()
    assert ours["size"].tolist() == theirs["size"].tolist()


def test_store(client: al.Client) -> None:
    calculated = client.charts.calculate(EXPECTED["chart"])
    assert calculated.complete
    assert list(calculated.audiences.values()) == ["Women"]
    saved = client.service.saved_audience(EXPECTED["saved"])
    assert saved.to_audience().expression == Q("age").any("age_3")


def replayed(client: al.Client) -> dict[str, Any]:
    """The calls that were recorded, with the same generated ids and names."""
    ages = client.catalogue.audiences("Age")
    base = Q("where").any("where_1")
    table = client.crosstab(
        rows=ages, columns=[Q("sex").any("sex_1"), ~Q("tea").any("tea_1")], base_audience=base
    )
    return {
        "crosstab": table.to_frame(),
        "named": client.crosstab(
            rows=al.nest(ages[:2], client.catalogue.audiences("Sex"))
        ).to_frame(),
        "stats": client.stats("tea", splitter="sex", audiences=ages[:1]).to_frame(),
        "overlap": client.overlap([ages[0], Q("sex").any("sex_2")]).to_frame(),
        "profile": client.profile(ages[1]).to_frame(),
        "quantiles": client.quantile_groups("age", 2).to_frame(),
        "coverage": client.coverage(ages[0]).to_frame(),
    }


def test_snapshot() -> None:
    with api.replay(V1 / "tea.audiencelab.jsonl") as client:
        frames = replayed(client)
        assert client.request("GET", "/v2/questions/tea").json()["question"]["name"] == "Tea"
    now = json.loads(json.dumps({name: plain(each) for name, each in frames.items()}))
    assert list(differences(EXPECTED["frames"], now)) == []


def test_snapshot_is_recorded_with_the_same_keys(tmp_path: Path) -> None:
    old, new = V1 / "tea.audiencelab.jsonl", tmp_path / "new.audiencelab.jsonl"
    with al.connect(survey=V1 / "survey") as client, client.recording(new):
        replayed(client)
        client.request("GET", "/v2/questions/tea")
    assert keys(new) == keys(old)


def keys(snapshot: Path) -> list[str]:
    """The keys of the exchanges of a snapshot, in order."""
    return [json.loads(line)["key"] for line in snapshot.read_text("utf-8").splitlines()[1:]]


def test_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_CONNECTIONS", str(V1 / "connections.toml"))
    found = api.known_connections()
    assert found["team"] == ("Team panel", "https://research.example")
    assert found["survey"] == ("Spring", "/home/ada/surveys/2025")


def test_saved_crosstab(client: al.Client) -> None:
    saved = json.loads((V1 / "crosstab.mime.json").read_text("utf-8"))
    table = client.crosstab(
        rows={"Age": client.catalogue.audiences("Age")}, columns=client.catalogue.audiences("Sex")
    )
    now = api.mime_bundle(table)
    # 1.0 had no forms for pandoc.
    assert set(now) == {*saved, "text/latex", "text/markdown"}
    ours, theirs = now[api.SAVED_CROSSTAB], saved[api.SAVED_CROSSTAB]
    assert ours["planes"] == theirs["planes"]
    assert (ours["rows"], ours["columns"]) == (theirs["rows"], theirs["columns"])
    assert set(ours) == set(theirs)


def test_workbench(client: al.Client, tmp_path: Path) -> None:
    bench = al.Workbench.load(client, V1 / "tea.workbench.audiencelab.json")
    bench.grid.wait()
    frame = json.loads(json.dumps(plain(bench.to_frame())))
    assert list(differences(EXPECTED["workbench"]["frame"], frame)) == []
    for code in (bench.to_code(), EXPECTED["workbench"]["code"]):
        names: dict[str, Any] = {"al": al, "client": client}
        exec(code, names)
        # A subtotal is an audience like others in code.
        made, saved = names["workbench"].value, bench.value
        assert (list(made.rows), list(made.columns)) == (list(saved.rows), list(saved.columns))
        assert made.columns.groups == saved.columns.groups
        assert made.base_audience == saved.base_audience
    again = json.loads(bench.save(tmp_path / "again.json").read_text("utf-8"))
    saved = json.loads((V1 / "tea.workbench.audiencelab.json").read_text("utf-8"))
    # What 1.0 did not have is saved too: display settings, closed panes, how to connect.
    assert again.pop("connect").startswith("al.connect(survey=")
    for part in ("table", "panes"):
        assert saved.pop(part).items() <= again.pop(part).items()
    assert again == saved


def test_pasted_code(client: al.Client) -> None:
    names: dict[str, Any] = {"al": al, "client": client}
    exec((V1 / "pasted.py.txt").read_text("utf-8"), names)
    assert names["picked"] == (Q("tea").any("tea_1"), Q("age").any("age_2", "age_3"))
    assert names["edited"].expression == Q("age").any("age_3") & ~Q("sex").any("sex_2")
    assert names["table"].shape == (3, 2)
    assert names["workbench"].editor.value.name == "Old women"
    assert names["audience"].to_code() in (V1 / "pasted.py.txt").read_text("utf-8")


def test_expressions() -> None:
    written = json.loads((V1 / "expressions.json").read_text("utf-8"))
    parsed = {form: al.parse_expression(each) for form, each in written.items()}
    assert parsed["query"] == Q("tea").at_least(1, "tea_1", "tea_2") | ~Q("sex").any("sex_1")
    assert parsed["chart"] == parsed["saved"] == Q("tea").any("tea_1") & ~Q("sex").any("sex_1")
    assert {form: each.to_wire(form) for form, each in parsed.items()} == written


def test_progress_of_the_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(V1 / "course-progress.json", tmp_path)
    monkeypatch.chdir(tmp_path)
    entry = api.course_progress().entries["1.1"]
    assert (entry.attempts, entry.answer, entry.hints) == (1, 14.9, 1)


def test_executed_notebook(tmp_path: Path) -> None:
    page = api.exported_page(V1 / "executed.ipynb", tmp_path / "page.html")
    assert page.count("<table") >= 1
    assert "55 and over" in page
