"""One survey file whose labels are attacks, followed through everything that Python makes of it.

What a page does with them is tested in `tests/browser/test_robust.py`, what the editor and the
grid do in `js/tests`.
"""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import nbformat
import numpy as np
import openpyxl
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.cli.tab_book import tab_book
from audiencelab.csv_injection import looks_like_formula
from audiencelab.notebook import export
from audiencelab.widgets.crosstab.file_formats import ExportCells, as_csv, as_long_csv
from tests.render.html_reader import Reader
from tests.widgets.conftest import form_of

pytestmark = pytest.mark.slow

LABELS = (
    "<img src=x onerror=alert(1)>",
    "</script></style></title></textarea><script>alert(1)</script>",
    "javascript:alert(1)",
    "=cmd|' /C calc'!A0",
    "=18 exactly",
    "+1+1",
    "-2+3",
    "@SUM(A1:A9)",
    "a;=1+1;+2",
    '"]}</script><svg onload=alert(1)>',
    "[click](javascript:alert(1)) ![x](https://evil.example/x.png)",
    "`code` **bold** | cell | &lt;b&gt; {{7*7}} ${7*7} {% raw %}",
    "\x1b[2J\x1b]0;owned\x07 bell",
    "\u202eright to left\u2066 zero\u200bwidth \ufeffmark",
    "__proto__",
    "👩‍👩‍👧 é é",
    "'; DROP TABLE x; --",
    "long " * 1_000,
)
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
LETTERS = [chr(ord("a") + place) for place in range(4)]


@pytest.fixture(scope="module")
def survey_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    path = folder / "survey_file.sav"
    draw = np.random.default_rng(3)
    codes = range(1, len(LABELS) + 1)
    frame = pd.DataFrame({name: draw.choice(codes, 400).astype(float) for name in LETTERS})
    # An SPSS file holds 120 bytes of a label; the survey's own editor may write any.
    short = {float(code): label[:60] for code, label in zip(codes, LABELS, strict=True)}
    pyreadstat.write_sav(
        frame,
        str(path),
        column_labels=[LABELS[place][:60] for place in range(len(LETTERS))],
        variable_value_labels=dict.fromkeys(LETTERS, short),
        file_label="<script>alert(1)</script>",
    )
    return path


@pytest.fixture(scope="module")
def survey(survey_file: Path) -> Path:
    ran = cli("import", str(survey_file), "--out", str(survey_file.parent / "survey"))
    assert ran.returncode == 0, ran.stderr
    return survey_file.parent / "survey"


@pytest.fixture(scope="module")
def client(survey: Path) -> Iterator[al.Client]:
    with al.connect(survey=survey) as client:
        yield client


@pytest.fixture(scope="module")
def table(client: al.Client) -> al.CrosstabResult:
    """Names of the survey_file, and names of one's own, which may be of any length."""
    rows = client.catalogue.audiences("a")
    answers = [each.code for each in client.catalogue["b"].datapoints]
    own = [
        al.Audience(label, al.Q("b").any(answer))
        for label, answer in zip(LABELS, answers, strict=False)
    ]
    return client.crosstab(rows=rows, columns=own)


def cli(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "audiencelab", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def assert_inert(html: str) -> Reader:
    """Nothing in a page that runs, loads, or leads away, and no tag that a label opened."""
    page = Reader(html)
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "img", "iframe", "object", "embed", "link", "base", "meta", "svg"}
    for tag, attributes in page.tags:
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            assert name not in ("href", "src", "action", "srcdoc", "formaction"), (tag, value)
    return page


def test_the_labels_came_through_the_import(client: al.Client) -> None:
    kept = [each.name for each in client.catalogue["a"].datapoints]
    whole = [label for label in LABELS if len(label) <= 60 and label.isprintable()]
    assert len(set(kept) & set(whole)) >= 10


def test_html_of_results(client: al.Client, table: al.CrosstabResult) -> None:
    stats = client.stats("a", audiences=list(table.columns[:4]))
    for shown in (stats, table, client.catalogue, client.catalogue["a"]):
        page = assert_inert(shown._repr_html_())  # pyright: ignore[reportPrivateUsage] -- Jupyter's own
        assert page.text
    assert LABELS[0] in assert_inert(table.to_html()).text


def test_widgets_in_their_static_form(client: al.Client, table: al.CrosstabResult) -> None:
    answers = al.Q("a").any(*[each.code for each in client.catalogue["a"].datapoints[:6]])
    widgets = (
        al.QuestionPicker(client, [answers]),
        al.AudienceEditor(client, al.Audience(LABELS[1], answers)),
        al.Crosstab(client, rows=table.rows, columns=table.columns).wait(60),
    )
    for widget in widgets:
        bundle = widget._repr_mimebundle_()
        assert bundle is not None
        assert_inert(bundle[0]["text/html"])
        assert_inert(form_of(widget.get_state()))
        for name, data in bundle[0].items():
            if name.endswith("+json"):
                json.loads(json.dumps(data, allow_nan=False))
        widget.close()


def test_charts_are_pictures_of_words(table: al.CrosstabResult) -> None:
    for draw in (al.charts.bar, al.charts.heatmap):
        root = ElementTree.fromstring(draw(table).svg())
        for element in root.iter():
            assert element.tag.rpartition("}")[2] not in ("script", "image", "foreignObject", "a")
            for name, value in element.attrib.items():
                assert not name.rpartition("}")[2].lower().startswith("on")
                assert "javascript:" not in value or name.rpartition("}")[2] == "aria-label"


def test_no_cell_of_a_workbook_is_a_formula(table: al.CrosstabResult, tmp_path: Path) -> None:
    path = tmp_path / "table.xlsx"
    table.to_excel(path)
    names = 0
    for sheet in openpyxl.load_workbook(path).worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type != "f", cell.coordinate
                assert cell.hyperlink is None
                names += isinstance(cell.value, str) and looks_like_formula(cell.value)
    assert names >= 4, "the names are there as they are, as text"


def test_no_label_is_a_formula_in_the_data_of_a_chart(
    client: al.Client, table: al.CrosstabResult, survey: Path, tmp_path: Path
) -> None:
    stats = client.stats("a", audiences=list(table.columns[:4]))
    results = {
        "crosstab": table,
        "stats": stats,
        "frequencies": client.frequencies("a"),
        "overlap": client.overlap(list(table.columns[2:6])),
        "tabbook": client.tab_book(["b"], ["a"]),
    }
    for name, result in results.items():
        result.to_pptx(tmp_path / f"{name}.pptx")
    table.to_pptx(tmp_path / "tested.pptx", comparison=table.test())
    arguments = (str(survey), "--banner", "b", "--questions", "a", "--quiet")
    tab_book.main([*arguments, "-o", str(tmp_path / "commanded.pptx")], standalone_mode=False)
    decks = sorted(tmp_path.glob("*.pptx"))
    assert len(decks) == len(results) + 2
    for deck in decks:
        books = _embedded(deck)
        assert books, deck
        for sheets, words in books:
            assert "<f" not in sheets, deck
            assert "<hyperlink" not in sheets, deck
            assert not ACTING.search(words), deck
        assert any("=18 exactly" in words for _, words in books), deck


def _embedded(deck: Path) -> list[tuple[str, str]]:
    """The sheets and the text of each workbook in a presentation."""
    with ZipFile(deck) as parts:
        books = [parts.read(name) for name in parts.namelist() if name.endswith(".xlsx")]
    found: list[tuple[str, str]] = []
    for book in books:
        with ZipFile(io.BytesIO(book)) as parts:
            sheets = [name for name in parts.namelist() if "/worksheets/" in name]
            read = [parts.read(name).decode() for name in (*sheets, "xl/sharedStrings.xml")]
            found.append(("".join(read[:-1]), read[-1]))
    return found


def test_no_character_of_a_label_acts_in_a_document(
    client: al.Client, table: al.CrosstabResult, tmp_path: Path
) -> None:
    overlap = client.overlap(list(table.columns[9:14]))
    for result in (table, client.frequencies("a"), overlap):
        table.to_excel(tmp_path / "table.xlsx")
        with ZipFile(tmp_path / "table.xlsx") as parts:
            words = parts.read("xl/sharedStrings.xml").decode()
        forms = (result.to_html(), result.to_markdown(), result.to_latex(), result.to_csv(), words)
        for form in forms:
            assert form is not None
            assert not ACTING.search(form.replace("\r\n", "\n"))
            assert "\ufffd" in form


def test_the_header_of_a_csv_file_is_no_formula(
    client: al.Client, table: al.CrosstabResult
) -> None:
    overlap = client.overlap(list(table.columns[3:7]))
    header = next(csv.reader(io.StringIO(overlap.to_csv() or "")))
    assert "'=cmd|' /C calc'!A0" in header
    assert not any(map(looks_like_formula, header))


@pytest.mark.parametrize("write", [as_csv, as_long_csv])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_no_cell_of_a_csv_file_is_a_formula(
    table: al.CrosstabResult, write: Callable[[ExportCells], bytes], separator: str
) -> None:
    """Whichever sign the reader's spreadsheet takes for the one between cells."""
    written = write(ExportCells.of(table, ["index"])).decode("utf-8-sig")
    lines = csv.reader(io.StringIO(written, newline=""), delimiter=separator)
    cells = [cell for line in lines for cell in line if not _is_number(cell)]
    assert len(cells) > len(LABELS)
    assert [cell for cell in cells if looks_like_formula(cell)] == []


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"-?[\d.,;\t]*", cell) is not None


def test_an_exported_notebook(table: al.CrosstabResult, tmp_path: Path) -> None:
    path = tmp_path / "study.ipynb"
    bundle = table._repr_mimebundle_()
    shown = bundle[0] if isinstance(bundle, tuple) else bundle
    told = nbformat.v4.new_output("stream", text="\n".join(LABELS))
    cells = [
        nbformat.v4.new_code_cell(
            LABELS[1], outputs=[nbformat.v4.new_output("display_data", data=shown), told]
        ),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    page = export(path).read_text("utf-8")
    body = page[page.index("<main") : page.index("</main>")].lower()
    assert not re.findall(r"<(?:script|img|iframe|object|base|meta|svg onload)[\s/>]", body)
    assert not re.findall(r"<[^>]*\son\w+\s*=", body)
    assert not re.findall(r"(?:href|src)\s*=\s*['\"]?\s*javascript:", body)


def test_no_command_lets_a_label_act_on_the_terminal(survey: Path, survey_file: Path) -> None:
    out = str(survey_file.parent / "again.toml")
    for arguments in (
        ("survey", "info", str(survey)),
        ("survey", "check", str(survey)),
        ("codebook", str(survey_file), "--out", out),
        ("codebook", str(survey_file.with_name("\x1b[2Jno.sav")), "--out", f"{out}2"),
    ):
        ran = cli(*arguments)
        assert ran.stdout + ran.stderr
        for line in (ran.stdout + ran.stderr).replace("\r", "").splitlines():
            assert not ACTING.search(line), (arguments, line)


def test_code_that_is_written_for_a_label_names_it_and_runs_nothing(
    table: al.CrosstabResult,
) -> None:
    for audience in table.columns:
        made = eval(audience.to_code(), {"al": al, "__builtins__": {}})
        assert made == audience
