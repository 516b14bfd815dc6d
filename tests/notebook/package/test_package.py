"""A package of own surveys and the demo survey.

It is run where it was made, and verified elsewhere after respondents were changed.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import nbformat
import numpy as np
import pandas as pd
import pyreadstat
import pytest

from audiencelab.cli import main
from audiencelab.notebook import NotebookError, run_notebook
from audiencelab.notebook.io import read_notebook
from audiencelab.notebook.package import Details, MadePackage, make_package, verify_package
from audiencelab.notebook.package.about import ABOUT, About, File
from audiencelab.notebook.package.archive import SUMS, unpack, write_archive
from audiencelab.notebook.package.rebuilt import beside
from audiencelab.notebook.package.sources import named_files
from tests.notebook.package.test_archive import about as described

pytestmark = pytest.mark.slow

LABELS = {"Frauen": 1, "Männer": 2}
OWN = (
    "import audiencelab as al\nfrom helper import BRAND\n"
    'one = al.open("umfrage.sav", weight="gewicht", quiet=True)',
    "table = one.crosstab(BRAND, 'geschlecht')\ntable",
    "_ = table.to_excel('tabelle.xlsx')",
    'folder = "data"\n'
    'two = al.open(f"{folder}/zwei.sav", weight="gewicht", quiet=True)\ntwo.crosstab(BRAND)',
    'three = al.open(folder + "/drei.sav", weight="gewicht", quiet=True)\nthree.crosstab(BRAND)',
    "one.crosstab('geschlecht', weight=None)",
)
DEMO = ('al.connect().crosstab("q17", "q2")',)


def survey(
    path: Path, *, respondent: int = 1, weight: float = 1.25, label: str = "Öko | <b>x"
) -> Path:
    """A survey of 60 respondents, of which one respondent, one weight or one label may differ."""
    numbers = np.arange(60)
    answers = pd.DataFrame(
        {
            "gewicht": np.where(numbers % 3, 1.0, 0.5),
            "geschlecht": 1 + numbers % 2,
            "marke": 1 + numbers % 3,
            "email": [f"p{number}@example.org" for number in numbers],
        }
    )
    answers.loc[7, "gewicht"] = weight
    answers.loc[9, "marke"] = respondent
    pyreadstat.write_sav(
        answers,  # pyright: ignore[reportArgumentType] -- its types want a protocol of narwhals
        path,
        variable_value_labels={
            "geschlecht": {code: name for name, code in LABELS.items()},
            "marke": {1: "Käse", 2: label, 3: "Keine"},
        },
        column_labels=["Gewicht", "Geschlecht", "Welche Marke kaufen Sie?", "E-Mail"],
    )
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The author's folder, with a notebook that was run and saved."""
    folder = tmp_path_factory.mktemp("Prüfung Ö 1")
    (folder / "data").mkdir()
    survey(folder / "umfrage.sav")
    survey(folder / "data" / "zwei.sav")
    survey(folder / "data" / "drei.sav")
    (folder / "helper.py").write_text('BRAND = "Welche Marke kaufen Sie?"\n')
    (folder / "secret.csv").write_text("name\nEve\n")
    heading = nbformat.v4.new_markdown_cell("# Studie *2026*")
    code = [nbformat.v4.new_code_cell(each) for each in (*OWN, *DEMO)]
    notebook = nbformat.v4.new_notebook(cells=[heading, *code])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, folder / "studie.ipynb")
    nbformat.write(run_notebook(folder / "studie.ipynb").notebook, folder / "studie.ipynb")
    # The same with one survey alone.
    ran: Any = read_notebook(folder / "studie.ipynb")
    ran.cells = [*ran.cells[:4], ran.cells[len(OWN)]]
    nbformat.write(ran, folder / "eine.ipynb")
    return folder


@pytest.fixture(scope="module")
def package(folder: Path) -> MadePackage:
    """The notebook with its data."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    found = make_package(
        [folder / "studie.ipynb"],
        folder / "package.zip",
        data="data",
        details=Details(authors=("Müller, Anna",), licence="cc by 4.0"),
    )
    now = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    now.pop(found.path)
    assert {path: now[path] for path in before} == before
    return found


def test_it_has_what_the_notebooks_need_and_nothing_else(package: MadePackage) -> None:
    own = {path: role for path, role in package.files.items() if role not in ("page", "imported")}
    assert own == {
        "studie.ipynb": "notebook",
        "helper.py": "code",
        "umfrage.sav": "data",
        "data/zwei.sav": "data",
        "data/drei.sav": "data",
        "tabelle.xlsx": "written",
        "README.md": "readme",
        "CITATION.cff": "citation",
        "requirements.txt": "requirements",
        "runtime.txt": "runtime",
        ".github/workflows/verify.yml": "workflow",
        "ro-crate-metadata.json": "crate",
        ABOUT: "about",
        SUMS: "sums",
    }
    assert "codebook/umfrage.toml" in package.files
    assert {each.holds for each in package.verified} == {True}
    assert not [note for each in package.verified for note in each.notes]
    # Of a version that is being developed.
    assert any("umfrage.sav: email may name people" in each for each in package.missing)
    assert all("development version" in each for each in package.problems), package.problems


def test_its_texts_say_what_it_is_of(package: MadePackage, tmp_path: Path) -> None:
    about = unpack(package.path, tmp_path / "empty")
    folder = tmp_path / "empty"
    readme = (folder / "README.md").read_text("utf-8")
    assert readme.startswith("# Studie \\*2026\\*\n")
    assert "by Müller, Anna" in readme
    assert hashlib.sha256((folder / "umfrage.sav").read_bytes()).hexdigest() in readme
    assert "studie.ipynb: all 6 outputs hold." in readme
    assert "<b>" not in readme
    assert "email" not in readme
    assert [each["cell"] for each in about.exhibits] == [2, 4, 5, 6, 7]
    assert about.exhibits[0]["sha256"][:12] in readme
    pins = dict(line.split("==") for line in (folder / "requirements.txt").read_text().split())
    assert pins["pandas"] == pd.__version__
    assert pins["pyreadstat"] == pyreadstat.__version__
    assert {"audiencelab", "nbclient", "ipykernel"} <= {*pins}
    assert "pytest" not in pins
    assert (folder / "runtime.txt").read_text().startswith("python-3.")
    citation = (folder / "CITATION.cff").read_text("utf-8")
    assert '  - family-names: "Müller"\n    given-names: "Anna"\n' in citation
    assert "\nlicense: CC-BY-4.0\n" in citation
    crate = json.loads((folder / "ro-crate-metadata.json").read_text("utf-8"))
    entities = {each["@id"]: each for each in crate["@graph"]}
    assert entities["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    root = entities["./"]
    assert {"name", "description", "datePublished", "license", "author"} <= {*root}
    parts = {each["@id"] for each in root["hasPart"]}
    assert parts <= {*entities}
    assert parts == {*package.files} - {"ro-crate-metadata.json"}


@pytest.mark.parametrize(
    ("file", "before", "now", "said"),
    [
        ("studie.html", "Käse", "Kaese", "studie.html: Kaese"),
        ("studie.html", "</body>", "<script>x()</script></body>", "its looks or scripts are not"),
        ("README.md", "| gewicht |", "| unweighted |", "README.md: …"),
        ("README.md", "all 6 outputs hold", "all 7 outputs hold", "README.md: - studie"),
        ("CITATION.cff", '"Müller"', '"Maier"', 'CITATION.cff: - family-names: "Maier"'),
        ("ro-crate-metadata.json", "Müller", "Maier", "ro-crate-metadata.json: "),
        ("requirements.txt", "pandas==", "pandas==1", "requirements.txt: pandas==1"),
        ("runtime.txt", "python-3", "python-2", "runtime.txt: "),
        (".github/workflows/verify.yml", "push", "pull", ".github/workflows/verify.yml: "),
        (ABOUT, '"weight": "gewicht"', '"weight": "andere"', f'{ABOUT}: "weight": "andere"'),
        ("tabelle.xlsx", "", "", "README.md: "),
        ("studie.ipynb", "# Studie *2026*", "# Studie *2027*", "README.md: # Studie"),
    ],
)
def test_what_says_other_things_than_the_notebook_is_named(
    package: MadePackage, tmp_path: Path, file: str, before: str, now: str, said: str
) -> None:
    """By an author who writes new checksums."""
    about = unpack(package.path, tmp_path / "empty")
    path = tmp_path / "empty" / file
    if before:
        text = path.read_text("utf-8")
        assert before in text
        path.write_text(text.replace(before, now), "utf-8")
    else:
        path.write_bytes(b"")
    found = beside(about, tmp_path / "empty", same_versions=True)
    assert any(each.startswith(said) or said in each for each in found.differs), found.differs
    # The description of other programs has the checksum of the page.
    others = [each for each in found.differs if not each.startswith((file, "ro-crate"))]
    assert not others or file in ("studie.ipynb", "tabelle.xlsx")


def test_what_is_as_it_was_made_or_was_added_to_readme_differs_in_nothing(
    package: MadePackage, tmp_path: Path
) -> None:
    about = unpack(package.path, folder := tmp_path / "empty")
    found = beside(about, folder, same_versions=True)
    assert not found.differs
    assert not found.notes
    with (folder / "README.md").open("a", encoding="utf-8") as readme:
        readme.write("\nThanks to all.\n")
    found = beside(about, folder, same_versions=True)
    assert not found.differs
    assert found.notes[0].startswith("README.md: 1 line of others")
    # Another version may have other words, and counts the same.
    other = msgspec.structs.replace(about, packages={**about.packages, "audiencelab": "2.0.0"})
    (folder / "studie.html").write_bytes(b"".join((folder / "studie.html").read_bytes().split()))
    found = beside(other, folder, same_versions=False)
    assert all(each.startswith("studie.html") for each in found.differs)
    assert "not compared word by word" in found.notes[0]


def test_three_changes_of_the_data_are_named_where_they_are_and_nothing_else(
    package: MadePackage, tmp_path: Path
) -> None:
    """One respondent, one label, one weight, by an author who writes new checksums."""
    unpack(package.path, other := tmp_path / "other")
    survey(other / "umfrage.sav", respondent=3)
    survey(other / "data" / "zwei.sav", label="Bio | <b>x")
    survey(other / "data" / "drei.sav", weight=9)
    (other / SUMS).unlink(missing_ok=True)
    files = {
        path.relative_to(other).as_posix(): path for path in other.rglob("*") if path.is_file()
    }
    write_archive(changed := tmp_path / "changed.zip", dict(files))
    (found,) = verify_package(changed)
    assert {each.partition(":")[0] for each in found.beside} == {
        "README.md",
        "ro-crate-metadata.json",
    }
    respondent, label, weight = found.cells[1], found.cells[3], found.cells[4]
    assert {respondent.state, label.state, weight.state} == {"moved"}
    assert "Käse" in str(respondent.changes[0])
    assert "Bio" in str(label.changes[0])
    assert "Weighted base" in str(weight.changes[0])
    assert [cell.number for cell in found.of("holds")][-2:] == [6, 7]
    assert found.notebook == changed / "studie.ipynb"


def test_data_of_its_own_need_a_choice_and_the_demo_none(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["package", str(folder / "studie.ipynb"), "-o", str(folder / "no.zip")])
    assert code == 2
    said = capsys.readouterr().err
    assert "studie.ipynb reads zwei.sav, umfrage.sav. Choose" in said
    assert "--snapshot" in said
    assert not (folder / "no.zip").exists()
    demo = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(DEMO[0])])
    named = named_files([(folder / "demo.ipynb", demo)], ())
    assert not named.opened | named.listed | named.around


def test_a_snapshot_answers_without_the_data(folder: Path, tmp_path: Path) -> None:
    made = make_package([folder / "eine.ipynb"], tmp_path / "eine.zip", data="snapshot")
    roles = {role: path for path, role in made.files.items()}
    assert "data" not in roles
    assert roles["snapshot"] == "eine.audiencelab.jsonl"
    with_data, replayed = made.verified
    assert with_data.holds
    assert [cell.state for cell in replayed.cells] == [cell.state for cell in with_data.cells]
    about = unpack(made.path, tmp_path / "empty")
    assert about.data == "recorded"
    assert [each.path for each in about.left_out] == ["umfrage.sav"]
    readme = (tmp_path / "empty" / "README.md").read_text("utf-8")
    assert "--snapshot eine.audiencelab.jsonl" in readme
    assert "umfrage.sav" in readme
    written = b"".join(
        path.read_bytes() for path in (tmp_path / "empty").rglob("*.*") if path.is_file()
    )
    assert (folder / "umfrage.sav").read_bytes() not in written


def test_a_package_without_its_data_says_which_and_runs_nothing(tmp_path: Path) -> None:
    about = msgspec.json.decode(described(notebooks=[{"path": SUMS}]), type=About)
    left_out = (File("tea.sav", "data", 4, "ab" * 32),)
    about = msgspec.structs.replace(about, data="left out", left_out=left_out, files={})
    write_archive(tmp_path / "p.zip", {ABOUT: msgspec.json.encode(about)})
    with pytest.raises(NotebookError, match="leaves out the data") as error:
        verify_package(tmp_path / "p.zip")
    assert f"{'ab' * 32}  tea.sav" in str(error.value)


def test_it_opens_in_any_program(package: MadePackage) -> None:
    with zipfile.ZipFile(package.path) as opened:
        assert opened.testzip() is None
        assert {each.date_time for each in opened.infolist()} == {(2000, 1, 1, 0, 0, 0)}
