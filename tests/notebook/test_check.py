"""`audiencelab check`: each thing that should not leave is found, and a clean notebook is not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab import cli
from audiencelab.notebook.check import check
from audiencelab.notebook.check_findings import CheckFinding
from audiencelab.notebook.check_people import names_people

CODE = 'client = al.open("kunden.csv")'
Output = Mapping[str, Any]


def kunden() -> pd.DataFrame:
    """600 customers: of five regions the last has 3, of four shops the last has 20."""
    random = np.random.default_rng(7)
    regions = random.permutation(
        np.repeat(["Nord", "Ost", "Süd", "West", "Insel"], [150] * 3 + [147, 3])
    )
    shops = random.permutation(np.repeat(["A", "B", "C", "D"], [200, 200, 180, 20]))
    return pd.DataFrame(
        {
            "region": regions,
            "laden": [f"Laden {each}" for each in shops],
            "interviewer": random.choice(["Anna Krause", "Jens Vogt", "Ute Wolf"], 600),
            "zufrieden": random.choice(["ja", "nein"], 600),
            "kommentar": [f"Der Kaffee war um {n} Uhr zu kalt für mich" for n in range(600)],
        }
    )


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> al.Client:
    return al.open(kunden(), to=tmp_path_factory.mktemp("kunden") / "survey", quiet=True)


def shown(result: Any) -> Output:
    """A result as the output of a cell."""
    if isinstance(result, str):
        return nbformat.v4.new_output("stream", text=result)
    made = getattr(result, "_repr_mimebundle_", None)
    data = {"text/html": result._repr_html_()} if made is None else made()
    data, metadata = data if isinstance(data, tuple) else (data, {})
    return nbformat.v4.new_output("execute_result", data, metadata=metadata)


def saved(folder: Path, *cells: tuple[str, Any], **metadata: Any) -> Path:
    """A notebook of these cells, each its code and what it shows, run from top to bottom."""
    notebook = nbformat.v4.new_notebook(metadata=metadata)
    for number, (code, result) in enumerate(cells, 1):
        outputs = [] if result is None else [shown(result)]
        notebook.cells.append(
            nbformat.v4.new_code_cell(code, outputs=outputs, execution_count=number)
        )
    path = folder / "analyse.ipynb"
    nbformat.write(notebook, path)
    return path


def found(path: Path, **options: Any) -> list[CheckFinding]:
    return list(check(path, **options).findings)


def kinds(path: Path, **options: Any) -> list[tuple[str, int]]:
    return [(each.kind, each.cell) for each in found(path, **options)]


def test_clean_notebook_has_no_finding(client: al.Client, tmp_path: Path) -> None:
    table = client.crosstab(
        "zufrieden", "laden", base_audience=client["laden"].any("Laden A", "Laden B")
    )
    prose = (
        "Write to anna@example.com; postgresql://user:***@db/x; token=a; IBAN PT50 0002; "
        "+1 234 567 890; Telefon 412 350 238; Phone: 2025-11-05; "
        "+616 490 371 people, p = 0.04; POST '/v2/query.json'; n = 400"
    )
    code = f'{CODE}\ntoken = "respondents"\npassword = os.environ["PW1"]'
    path = saved(tmp_path, (code, None), ("table", table), ("print(words)", prose))
    assert found(path) == []
    assert check(path).read == ("3 cells", "1 table")


def test_counts_and_bases_by_the_kind_of_output(client: al.Client, tmp_path: Path) -> None:
    table = client.crosstab("zufrieden", "region")
    few = client.crosstab("zufrieden", "laden")
    path = saved(
        tmp_path,
        (CODE, None),
        ("table", table),
        ("few", few),
        ("table.to_frame()", table.to_frame()),
        ('table.to_wide("sample")', table.to_wide("sample")),
        ('table.to_wide("index")', table.to_wide("index").round()),
        ("summary", client.summary_table(["zufrieden"], by="region")),
        ("print(profile)", "Insel: 12.3%, n = 3\nNord, n = 150"),
    )
    counts = [each for each in found(path) if each.kind == "small counts"]
    assert [each.cell for each in counts] == [2, 4, 5, 7, 8]
    # The counts of the payload, computed by pandas.
    frame = kunden()
    island = frame[frame.region == "Insel"].zufrieden.value_counts()
    for answer, count in island.items():
        assert f"{answer}, Insel ({count})" in counts[0].words
        assert f"{answer}, Insel ({count})" in counts[3].words
    (low,) = [each for each in found(path) if each.kind == "low base"]
    assert (low.cell, low.words) == (3, "Shares of fewer than 30 respondents: Laden D (20).")
    assert ("low base", 3) not in kinds(path, minimum_base=20)
    assert "minimum_base=5" in counts[0].mend


def test_html_without_payload_has_the_same_findings(client: al.Client, tmp_path: Path) -> None:
    table = client.crosstab("zufrieden", "region")
    (output,) = [shown(table)]
    html = {"text/html": output["data"]["text/html"]}
    path = saved(tmp_path, (CODE, None), ("table", table))
    notebook = nbformat.read(path, 4)
    notebook.cells[1].outputs = [nbformat.v4.new_output("execute_result", html)]
    nbformat.write(notebook, path)
    (few,) = [each for each in found(path) if each.kind == "small counts"]
    assert few.words == "Counts of 1 to 4 respondents: Insel (3)."


def test_tables_in_markdown_and_in_text(client: al.Client, tmp_path: Path) -> None:
    table = client.crosstab("zufrieden", "region")
    path = saved(tmp_path, (CODE, None), ("Markdown(table.to_markdown())", "x"), ("!crosstab", "x"))
    notebook = nbformat.read(path, 4)
    markdown = {"text/markdown": table.to_markdown(), "text/plain": "<Markdown object>"}
    notebook.cells[1].outputs = [nbformat.v4.new_output("display_data", markdown)]
    text = "                All  Insel   Nord\nBase (n)        600      3    150\nja  48%  50%  47%"
    notebook.cells[2].outputs = [nbformat.v4.new_output("stream", text=text)]
    nbformat.write(notebook, path)
    assert kinds(path) == [("small counts", 2), ("small counts", 3)]


def test_tables_of_interviewers(client: al.Client, tmp_path: Path) -> None:
    path = saved(tmp_path, (CODE, None), ("t", client.crosstab("interviewer", "zufrieden")))
    (finding,) = found(path)
    assert finding.kind == "names"
    series = kunden().interviewer.value_counts()
    notebook = nbformat.read(path, 4)
    plain = {"text/plain": str(series)}
    notebook.cells[1].outputs = [nbformat.v4.new_output("execute_result", plain)]
    nbformat.write(notebook, path)
    assert kinds(path) == [("names", 2)]


@pytest.mark.parametrize(
    ("name", "is_of_people"),
    [
        ("Ankieter (imię i nazwisko)", True),
        ("Intervjuare", True),
        ("E-Mail", True),
        ("調査員番号", True),
        ("PLZ", True),
        ("Name of the brand", False),
        ("E-mail newsletters read", False),
        ("Telefonanbieter", False),
        ("How often the interviewer of a talk show should interrupt", False),
    ],
)
def test_questions_that_name_people_in_many_languages(name: str, is_of_people: bool) -> None:
    assert names_people(name) is is_of_people


def test_demo_has_no_small_counts(tmp_path: Path) -> None:
    path = saved(tmp_path, ("client = al.connect()", None), ("table", "n = 2"))
    assert kinds(path) == [("low base", 2)]


@pytest.mark.parametrize(
    ("code", "result", "kind"),
    [
        ('al.open("/home/lisa/kunden.sav")', None, "path"),
        ("recording.save()", "PosixPath('/Users/lisa/kunden.jsonl')", "path"),
        ("client.to_code()", "\"al.open('/tmp/eget/samhälle.sav')\"", "path"),
        ("where", r"C:\Users\lisa\kunden.sav", "path"),
        ("frame", "mail: ute.wolf@kundenhaus.de", "contact"),
        ("frame", "Tel. +49 30 1234 5678", "contact"),
        ('al.connect("https://x.org", token="s3cr-77aa-12bd")', None, "credential"),
        ("url", "https://lisa:geheim99@x.org/v2", "credential"),
        ('url = "postgresql://ana:geheim99@db.x.pt:5432/inq"', None, "credential"),
        ('DB_PASSWORD = "geheim!!"', None, "credential"),
        ('login = {"senha": "geheim123"}', None, "credential"),
        ("%env API_KEY=geheim-99xk", None, "credential"),
        ("log", "GET /?token=geheim99xk2", "credential"),
        ("frame", "tel 912 345 678", "contact"),
        ("counts", "Tel.: (089) 1234-567", "contact"),
        ("frame", "Fon: +351 912 345 678, from 9", "contact"),
        ("frame", "PT50 0002 0123 1234 5678 9015 4", "contact"),
        ("frame = client.respondents()\nframe.head()", kunden().head(), "respondents"),
        ('client.respondents(text=["kommentar"]).kommentar[3]', "'zu kalt'", "open text"),
        (
            'df = pd.read_csv("k.csv")\nal.open(df.assign(year=1))\ndf.sample(2)',
            kunden().head(2)[["region"]],
            "respondents",
        ),
    ],
)
def test_what_a_cell_gives_away(code: str, result: Any, kind: str, tmp_path: Path) -> None:
    (finding,) = found(saved(tmp_path, (code, result)))
    assert (finding.kind, finding.cell) == (kind, 1)
    assert "geheim" not in finding.words
    assert "s3cr" not in finding.words
    if kind == "path" and "lisa" in code + str(result):
        assert "with 1 user name: lisa" in finding.words


@pytest.mark.parametrize(
    "code",
    [
        "client.respondents().shape",
        'client.respondents().groupby("region").size()',
        "frame = client.respondents()\nfit = model(frame)\nfit.summary()",
        'pd.read_csv("published.csv").head()',
    ],
)
def test_sums_of_respondents_are_no_rows(code: str, tmp_path: Path) -> None:
    assert found(saved(tmp_path, (code, pd.DataFrame({"sum": [120.5]})))) == []


def test_a_credential_of_the_environment_is_found_and_not_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AUDIENCELAB_TOKEN", "Zq8-77aa-12bd-90ff")
    path = saved(tmp_path, ("headers", '{"x": "Zq8-77aa-12bd-90ff"}'))
    assert cli.main(["check", str(path)]) == 1
    text = capsys.readouterr().out
    assert "credential of a service" in text
    assert "77aa" not in text


def test_microdata_beside(tmp_path: Path) -> None:
    kunden().drop(columns="interviewer").to_csv(tmp_path / "kunden.csv")
    kunden().to_csv(tmp_path / "tabelle.csv")
    (tmp_path / "befragung.sav").write_bytes(b"")
    (finding,) = found(saved(tmp_path, (CODE, "done")))
    assert finding.kind == "microdata"
    assert "befragung.sav" in finding.words
    assert "kunden.csv" in finding.words
    assert "tabelle" not in finding.words
    # What is published under a licence may lie there.
    notebook = nbformat.read(tmp_path / "analyse.ipynb", 4)
    record = {"format": "audiencelab-record", "version": 1, "licence": "CC BY 4.0"}
    notebook.cells[0].outputs = [
        nbformat.v4.new_output(
            "display_data", {"text/plain": "t"}, metadata={"audiencelab": record}
        )
    ]
    nbformat.write(notebook, tmp_path / "analyse.ipynb")
    assert found(tmp_path / "analyse.ipynb") == []
    # Names of people may not.
    mails = [f"ute.{n}@wolf.de" for n in range(600)]
    kunden().assign(kontakt=mails).to_csv(tmp_path / "kunden.csv")
    (finding,) = found(tmp_path / "analyse.ipynb")
    assert (finding.kind, finding.severity, finding.file.name) == (
        "microdata",
        "high",
        "kunden.csv",
    )
    assert finding.words.startswith("2 columns: interviewer, kontakt may")


def test_order_and_notebooks_that_were_never_run(tmp_path: Path) -> None:
    path = saved(tmp_path, ("a = 1", None), ("a", "1"))
    notebook = nbformat.read(path, 4)
    notebook.cells[0].execution_count = 5
    nbformat.write(notebook, path)
    assert kinds(path) == [("order", 0)]
    for cell in notebook.cells:
        cell.outputs, cell.execution_count = [], None
    nbformat.write(notebook, path)
    assert kinds(path) == [("never run", 0)]


def test_state_of_widgets_is_taken_out_where_it_is_not_needed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}}
    state = {"widgets": {"application/vnd.jupyter.widget-state+json": {"state": {"1": {"a": 1}}}}}
    path = saved(tmp_path, ("grid", "x"), **state)
    notebook = nbformat.read(path, 4)
    for data, left in ((view, 1), (view | {"text/html": "<p>table"}, 0)):
        notebook.cells[0].outputs = [nbformat.v4.new_output("execute_result", data)]
        nbformat.write(notebook, path)
        assert kinds(path) == [("widget state", 0)]
        assert cli.main(["check", "--fix", str(path)]) == left
    assert "widgets" not in nbformat.read(path, 4).metadata


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path, ("x", "see /home/lisa/a.csv"))
    assert cli.main(["check", str(path), "--json"]) == 1
    (one,) = json.loads(capsys.readouterr().out)
    assert one["findings"][0]["kind"] == "path"
    assert one["read"] == ["1 cell", "0 tables"]


def test_what_stands_between_the_cells_and_beside_them(tmp_path: Path) -> None:
    path = saved(tmp_path, ("1", "x"), authors=[{"name": "Ana", "email": "ana@lima.pt"}])
    notebook = nbformat.read(path, 4)
    text = nbformat.v4.new_markdown_cell("By ana@lima.pt. Respondent: rui@melo.pt")
    notebook.cells.append(text)
    nbformat.write(notebook, path)
    (finding,) = found(path)
    assert (finding.kind, finding.severity) == ("contact", "medium")
    assert "1 e-mail address: rui@" in finding.words
    notebook.cells[1].source = "By ana@lima.pt"
    notebook.cells[0].metadata["papermill"] = {"input": "/home/rui/a.ipynb"}
    state = {"1": {"state": {"value": "<b>rui@melo.pt"}}}
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": state}}
    nbformat.write(notebook, path)
    assert [(each.severity, each.kind) for each in found(path)] == [
        ("high", "contact"),
        ("medium", "path"),
        ("low", "widget state"),
    ]


def test_frames_whose_columns_name_people(tmp_path: Path) -> None:
    people = ["Fernanda Sousa", "Rui de Melo", "Łucja Żak"]
    frame = pd.DataFrame({"Nome": people, "Surname": people, "Idade": [44, 31, 52]})
    brands = pd.DataFrame({"Nome": ["Mavi Fincan", "café", "İnci"], "share": [0.4, 0.3, 0.2]})
    catalogue = frame.assign(code=["q1", "q2", "q3"])[["Nome", "code"]]
    path = saved(tmp_path, ("f", frame), ("brands", brands), ("questions", catalogue))
    (finding,) = found(path)
    assert (finding.kind, finding.cell) == ("names", 1)
    assert finding.words.startswith("2 columns: Nome, Surname may")


def test_bases_that_charts_do_not_tell(tmp_path: Path) -> None:
    path = saved(tmp_path, ("chart", "x"))
    notebook = nbformat.read(path, 4)
    chart = "<svg><text>{}</text><text>Hollow dots: fewer than 100 respondents</text></svg>"
    for label, told in (("Insel", []), ("Insel **", ["Insel (**)"])):
        data = {"image/svg+xml": chart.format(label)}
        notebook.cells[0].outputs = [nbformat.v4.new_output("display_data", data)]
        nbformat.write(notebook, path)
        assert check(path).unread == ("the bases of 1 image",)
        assert [each.words.partition(": ")[2].rstrip(".") for each in found(path)] == told
