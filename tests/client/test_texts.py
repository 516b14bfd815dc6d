"""Open answers are read where they are asked for, and are in nothing that leaves the survey."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx
import msgspec
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.survey import Survey, export_survey
from tests.messages import fails
from tests.widgets.conftest import form_of

SECRET = "Zebras drink marmalade at dawn"
N = 90


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    folder = tmp_path_factory.mktemp("texts")
    rows = range(N)
    frame = pd.DataFrame(
        {
            "sex": ["Man", "Woman"] * (N // 2),
            "age": [18 + row % 50 for row in rows],
            "region": ["North", "South", "East"] * (N // 3),
            "why": [f"{SECRET}, {row}" for row in rows],
            "wgt": [0.0 if row == 4 else 1.5 for row in rows],
        }
    )
    client = al.open(frame, "wgt", to=folder / "survey", quiet=True)
    return client.service.survey


@pytest.fixture
def client(survey: Survey) -> al.Client:
    return al.open(survey.path)


def test_a_column_of_strings_beside_the_answers(client: al.Client) -> None:
    frame = client.respondents(questions="sex", text="why", base_audience=client["sex"] == "Man")
    assert frame.why.dtype == "string"
    rows = frame.why.str.rsplit(", ", n=1).str[1].astype(int)
    assert sorted(rows) == [row for row in range(0, N, 2) if row != 4]
    assert client.respondents(text="WHY", weight=None).why.notna().all()


def test_names_complete_and_a_wrong_one_lists_them(client: al.Client) -> None:
    assert [each.name for each in client.texts] == ["why"]
    assert repr(client.texts) == "why"
    with fails(LookupError):
        client.respondents(text="wy")
    with fails(LookupError):
        client.crosstab("why", "sex")
    with fails(LookupError):
        client["Why"]
    with fails(LookupError):
        al.connect().respondents(text=["why"])


def test_a_wave_that_did_not_ask_has_none(tmp_path: Path) -> None:
    waves = pd.DataFrame({"wave": ["2024-Q1"] * N + ["2024-Q2"] * N, "sex": ["m", "f"] * N})
    waves["why"] = [f"reason {row}" for row in range(N)] + [None] * N
    found = al.open(waves, to=tmp_path / "survey", quiet=True).respondents(text=True)
    by_wave = found.why.isna().groupby(found.wave.astype(str)).sum().tolist()
    assert by_wave == [0, N]


def test_a_question_is_edited_beside_a_text_that_is_a_question_too(tmp_path: Path) -> None:
    answers = pd.DataFrame({"age": ["old", "young"] * 6, "why": ["near", "good", "cheap"] * 4})
    order = {"age": ["young", "old"]}
    client = al.open(answers, to=tmp_path / "survey", text=["why"], order=order, quiet=True)
    assert [each.question for each in client.texts] != [""]
    client.edit("age", labels={"old": "Old"})
    assert [each.name for each in client["age"].datapoints] == ["young", "Old"]


def visible(path: Path) -> bytes:
    """The bytes of a file, those of packed ones as they are read."""
    if path.suffix in (".xlsx", ".pptx"):
        with ZipFile(path) as packed:
            return b"".join(map(packed.read, packed.namelist()))
    if path.suffix == ".parquet":
        return pd.read_parquet(path).to_csv().encode()
    if path.suffix == ".sav":
        library: Any = pyreadstat
        return library.read_sav(path)[0].to_csv().encode() + path.read_bytes()
    return path.read_bytes()


def outside(folder: Path) -> list[str]:
    """The files in which the sentence is, but those that are made to keep it."""
    files = filter(Path.is_file, folder.rglob("*"))
    return [str(each) for each in files if SECRET.encode() in visible(each)]


def test_no_file_but_those_of_text_has_them(survey: Survey, tmp_path: Path) -> None:
    hidden = {each.relative_to(survey.path).parts[0] for each in map(Path, outside(survey.path))}
    assert hidden == {"text"}
    for name in ("1/answers.parquet", "2/answers.sav", "3/answers.sss", "4"):
        export_survey(survey, tmp_path / name)
    client = al.open(survey.path)
    with client.recording(tmp_path / "all.audiencelab.jsonl"):
        table = client.crosstab(["sex", "region"], "age")
        client.stats("sex")
        client.profile(client["sex"] == "Man", ["region"])
        assert client.respondents(text=True).why.notna().all()
    for name in ("table.xlsx", "table.pptx"):
        getattr(table, f"to_{name[-4:].replace('xlsx', 'excel')}")(tmp_path / name)
    client.tab_book("sex").to_excel(tmp_path / "book.xlsx")
    assert len([*tmp_path.rglob("*")]) > 8
    assert outside(tmp_path) == []


def test_nothing_that_is_shown_pickled_or_saved_has_them(survey: Survey) -> None:
    client = al.open(survey.path)
    client.respondents(text=True)
    table = client.crosstab("sex", "region")
    widget: Any = al.Crosstab(client, rows="sex").wait(60)
    widget._repr_mimebundle_()
    shown = [client, client.texts, client.catalogue, client.import_report, client.service, survey]
    said = [repr(each) for each in (*shown, survey.wave("w1"), survey.manifest)]
    said += [table.to_html(), repr(table), client.to_code()]
    said += [repr(widget.get_state()), form_of(widget.get_state())]
    said += [repr(msgspec.to_builtins(survey.manifest)), pickle.dumps(table).decode("latin-1")]
    said += [repr(survey.codebook), repr(survey.import_report)]
    assert not [each for each in said if SECRET in each]


def test_neither_a_service_nor_a_snapshot_gives_them(survey: Survey, tmp_path: Path) -> None:
    file, client = tmp_path / "case.audiencelab.jsonl", al.open(survey.path)
    with client.recording(file):
        client.crosstab("sex")
    with fails(LookupError):
        al.open(file).respondents(text=True)
    with al.serve(survey, token="t") as url, al.connect(url, token="t") as remote:
        remote.crosstab("sex", "region")
        remote.catalogue.to_frame()
        for ask in (lambda: remote.respondents(text=True), lambda: remote.texts):
            with fails(LookupError):
                ask()
        head = {"Authorization": "Bearer t"}
        paths = [
            "openapi.json",
            "v2/questions",
            "text/w1/1.npy",
            "v2/../text/w1/1.npy",
            "panel.json",
        ]
        bodies = [httpx.get(f"{url}/{path}", headers=head).content for path in paths]
        assert all(SECRET.encode() not in body for body in bodies)
        with fails(LookupError):
            remote.crosstab("why", "sex")
