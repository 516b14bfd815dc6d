"""Files and outputs that audiencelab 1.0 and 2.0 wrote, read by the current tree.

They are in `tests/data/v1` and `tests/data/v2`, and never written again: people keep such files.
"""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator
from functools import cached_property, reduce
from operator import getitem
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab import Q
from audiencelab.render.mime_payload import plane_of, planes_of
from audiencelab.widgets.crosstab.formatting import EARLIER_LOOKS
from audiencelab.widgets.workbench.document import read_study
from tests.golden import api, changes
from tests.golden.api import V1, V2
from tests.golden.cases import plain
from tests.golden.make import same_bits

WOMEN = al.Audience("Women", Q("sex").any("sex_1"))


class Artefacts:
    """The folder of a version, and the figures that it computed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __truediv__(self, name: str) -> Path:
        return self.folder / name

    @cached_property
    def expected(self) -> Any:
        return json.loads((self / "expected.json").read_text(encoding="utf-8"))

    def changed(self, name: str, now: Any) -> list[str]:
        """Where figures differ from those of the version, but for the changes that have a name.

        name: of a member of the expected figures, `member/member`.
        """
        return self.differing(name, reduce(getitem, name.split("/"), self.expected), now)

    def differing(self, name: str, expected: Any, now: Any) -> list[str]:
        """Where two values differ, but for the changes that have a name."""
        path, exactly, named = f"{self.folder.name}/{name}", same_bits(), changes.load()
        now = json.loads(json.dumps(plain(now)))
        found = list(changes.differences(expected, now, path, exactly=exactly))
        fresh = map(str, changes.unnamed(found, named, exactly=exactly))
        return [*fresh, *changes.outdated(found, named, path)]


@pytest.fixture(scope="module", params=[V1, V2], ids=["1.0", "2.0"])
def left(request: pytest.FixtureRequest) -> Artefacts:
    """What a version left on people's disks."""
    return Artefacts(request.param)


@pytest.fixture
def client(left: Artefacts, tmp_path: Path) -> Iterator[al.Client]:
    """A client of the survey that the version wrote, with the store that it wrote."""
    shutil.copyfile(left / "store.sqlite", tmp_path / "store.db")
    survey = api.open_survey(left / "survey")
    with al.connect(survey=survey, store=tmp_path / "store.db") as client:
        yield client


def test_survey_folder(left: Artefacts, client: al.Client) -> None:
    survey = api.open_survey(left / "survey")
    survey.verify()
    weights = [api.weights(survey, wave.name) for wave in (left / "survey" / "waves").iterdir()]
    written = pd.read_csv(left / "tea.csv")["weight"]
    assert np.concatenate(weights).sum() == pytest.approx(written.sum(), abs=1e-6)
    table = client.crosstab(
        rows=client.catalogue.audiences("Tea"), columns=[WOMEN, Q("age").any("age_3")]
    )
    assert left.changed("tea", table.to_wide(["size", "sample"]).to_numpy()) == []
    assert left.changed("effects", client.design_effects(table).effects) == []


def test_numbers_of_a_survey_folder(left: Artefacts) -> None:
    numbers = np.load(left / "survey" / "waves" / "w1" / "numbers.npy")
    assert numbers.shape == {V1: (1, 90), V2: (2, 80)}[left.folder]
    assert len(al.connect(survey=left / "survey").quantile_groups("age", 2)) == 2


def test_codebook(left: Artefacts, tmp_path: Path) -> None:
    survey = api.import_survey(
        [left / "tea.csv"], api.load_codebook(left / "tea.toml"), tmp_path / "tea"
    )
    ours = al.connect(survey=survey).crosstab(rows=[WOMEN]).to_frame()
    theirs = al.connect(survey=left / "survey").crosstab(rows=[WOMEN]).to_frame()
    assert ours["size"].tolist() == theirs["size"].tolist()


def test_store(left: Artefacts, client: al.Client) -> None:
    calculated = client.charts.calculate(left.expected["chart"])
    assert calculated.complete
    assert list(calculated.audiences.values()) == ["Women"]
    saved = client.service.saved_audience(left.expected["saved"])
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


def replayed_of_a_file(client: al.Client) -> dict[str, Any]:
    """The calls that were recorded with a client of `al.open`, which 1.0 did not have."""
    sexes, liking = client.catalogue.audiences("sex"), client.catalogue.audiences("liking")
    return {
        "answers": client.catalogue.to_frame()[["question", "datapoint", "datapoint_label"]],
        "crosstab": client.crosstab({"Liking": liking}, {"Sex": sexes}).to_frame(),
        "waves": client.stats("tea", splitter="waves").to_frame(),
        "multiple": client.stats("sort", splitter="sex").to_frame(),
        "grid": client.grid("agree").to_wide(),
    }


def test_snapshot(left: Artefacts) -> None:
    with api.replay(left / "tea.audiencelab.jsonl") as client:
        frames = replayed(client)
        assert client.request("GET", "/v2/questions/tea").json()["question"]["name"] == "Tea"
    assert left.changed("frames", frames) == []


def test_snapshot_of_a_file() -> None:
    with api.replay(V2 / "opened.audiencelab.jsonl", waves="all") as client:
        frames = replayed_of_a_file(client)
    assert Artefacts(V2).changed("opened", frames) == []


def test_snapshot_is_recorded_with_the_same_keys(left: Artefacts, tmp_path: Path) -> None:
    old, new = left / "tea.audiencelab.jsonl", tmp_path / "new.audiencelab.jsonl"
    with al.connect(survey=left / "survey") as client, client.recording(new):
        replayed(client)
        client.request("GET", "/v2/questions/tea")
    assert keys(new) == keys(old)


def keys(snapshot: Path) -> list[str]:
    """The keys of the exchanges of a snapshot, in order."""
    return [json.loads(line)["key"] for line in snapshot.read_text("utf-8").splitlines()[1:]]


def test_connections(left: Artefacts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_CONNECTIONS", str(left / "connections.toml"))
    found = api.known_connections()
    assert found["team"] == ("Team panel", "https://research.example")
    assert found["survey"] == ("Spring", "/home/ada/surveys/2025")


OTHER_FORMS = {V1: {"text/markdown"}, V2: {"text/latex"}}
"""Forms of a crosstab that the version did not save, or alone did: 1.0 had none for pandoc."""


def test_saved_crosstab(left: Artefacts, client: al.Client) -> None:
    saved = json.loads((left / "crosstab.mime.json").read_text("utf-8"))
    table = client.crosstab(
        rows={"Age": client.catalogue.audiences("Age")}, columns=client.catalogue.audiences("Sex")
    )
    now = api.mime_bundle(table)
    assert set(now) ^ set(saved) == OTHER_FORMS[left.folder]
    ours, theirs = now[api.SAVED_CROSSTAB], saved[api.SAVED_CROSSTAB]
    planes = planes_of(ours)
    for name in ("row_size", "column_size"):
        # With all digits, where it is saved once for the cells and for the whole rows or columns.
        short = plane_of(planes[name]).astype("<f4").tobytes()
        planes[name] = planes[name] | {"dtype": "float32", "data": base64.b64encode(short).decode()}
    assert left.differing("planes", theirs["planes"], planes) == []
    assert (ours["rows"], ours["columns"]) == (theirs["rows"], theirs["columns"])
    # Readers that do not know these show the figures without them; scope is an old one.
    assert set(ours) - set(theirs) == {"base_line", "weighted_base", "scope"}


def test_workbench(left: Artefacts, client: al.Client, tmp_path: Path) -> None:
    bench = al.Workbench.load(client, left / "tea.workbench.audiencelab.json")
    bench.grid.wait()
    assert left.changed("workbench/frame", bench.to_frame()) == []
    for code in (bench.to_code(), left.expected["workbench"]["code"]):
        names: dict[str, Any] = {"al": al, "client": client}
        exec(code, names)
        # A subtotal is an audience like others in code.
        made, saved = names["workbench"].value, bench.value
        assert (list(made.rows), list(made.columns)) == (list(saved.rows), list(saved.columns))
        assert made.columns.groups == saved.columns.groups
        assert made.scope == saved.scope
    again = json.loads(bench.save(tmp_path / "again.json").read_text("utf-8"))
    saved = json.loads((left / "tea.workbench.audiencelab.json").read_text("utf-8"))
    # It is saved in the present version, which writes the same question in another way.
    assert (saved["version"], again["version"]) == (1, 2)
    assert read_study(again).question == read_study(saved).question
    for document in (saved, again):
        del document["version"], document["question"]
    # How to connect is that of the client. What 1.0 did not have is saved too: display settings,
    # closed panes.
    assert again.pop("connect").startswith("al.connect(survey=")
    saved.pop("connect", None)
    saved["table"] = {EARLIER_LOOKS.get(key, key): each for key, each in saved["table"].items()}
    for part in ("table", "panes"):
        assert saved.pop(part).items() <= again.pop(part).items()
    assert again == saved


def test_pasted_code(left: Artefacts, client: al.Client) -> None:
    names: dict[str, Any] = {"al": al, "client": client}
    exec((left / "pasted.py.txt").read_text("utf-8"), names)
    assert names["picked"] == (Q("tea").any("tea_1"), Q("age").any("age_2", "age_3"))
    assert names["edited"].expression == Q("age").any("age_3") & ~Q("sex").any("sex_2")
    assert names["table"].shape == (3, 2)
    assert names["workbench"].editor.value.name == "Old women"
    assert names["audience"].to_code() in (left / "pasted.py.txt").read_text("utf-8")


def test_expressions(left: Artefacts) -> None:
    written = json.loads((left / "expressions.json").read_text("utf-8"))
    parsed = {form: al.parse_expression(each) for form, each in written.items()}
    assert parsed["query"] == Q("tea").at_least(1, "tea_1", "tea_2") | ~Q("sex").any("sex_1")
    assert parsed["chart"] == parsed["saved"] == Q("tea").any("tea_1") & ~Q("sex").any("sex_1")
    assert {form: each.to_wire(form) for form, each in parsed.items()} == written


def test_progress_of_the_course(
    left: Artefacts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(left / "course-progress.json", tmp_path)
    monkeypatch.chdir(tmp_path)
    entry = api.course_progress().entries["1.1"]
    assert (entry.attempts, entry.answer, entry.hints) == (1, 14.9, 1)


def test_executed_notebook(left: Artefacts, tmp_path: Path) -> None:
    page = api.exported_page(left / "executed.ipynb", tmp_path / "page.html")
    assert page.count("<table") >= 1
    assert "55 and over" in page
