"""Changes of what a notebook rests on: its data, codebook, code and order. Each needs a run."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import nbformat

from tests.notebook.coffee import CELLS

__all__ = ["CHANGES", "Changed"]


@dataclass(frozen=True, slots=True)
class Changed:
    """One change of a folder: what moves because of it, what holds, and what is named."""

    name: str
    change: Callable[[Path], None]
    cells: tuple[str, ...]
    hold: tuple[str, ...] = ()
    named: tuple[str, ...] = ()


Row = dict[str, str]


def _data(edit: Callable[[list[Row]], object]) -> Callable[[Path], None]:
    """The rows of the survey edited."""

    def change(folder: Path) -> None:
        path = folder / "kahve.csv"
        rows = list(csv.DictReader(StringIO(path.read_text(encoding="utf-8"))))
        edit(rows)
        with path.open("w", encoding="utf-8", newline="") as file:
            written = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            written.writeheader()
            written.writerows(rows)

    return change


def _codebook(before: str, now: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "kahve.toml"
        text = path.read_text(encoding="utf-8")
        assert before in text, before
        path.write_text(text.replace(before, now), encoding="utf-8")

    return change


Edit = Callable[[dict[str, nbformat.NotebookNode], nbformat.NotebookNode], object]


def _notebook(edit: Edit) -> Callable[[Path], None]:
    """The notebook edited, its outputs kept."""

    def change(folder: Path) -> None:
        notebook = nbformat.read(folder / "kahve.ipynb", as_version=4)
        edit(dict(zip(CELLS, notebook.cells, strict=True)), notebook)
        nbformat.write(notebook, folder / "kahve.ipynb")

    return change


def _code(cell: str, before: str, now: str) -> Callable[[Path], None]:
    def edit(cells: dict[str, nbformat.NotebookNode], _: object) -> None:
        assert before in cells[cell].source
        cells[cell].source = cells[cell].source.replace(before, now)

    return _notebook(edit)


def _heavier(rows: list[Row], factor: float = 1.5) -> None:
    rows[4]["agirlik"] = str(float(rows[4]["agirlik"]) * factor)


def _all_heavier(rows: list[Row]) -> None:
    for row in rows:
        row["agirlik"] = str(float(row["agirlik"]) * 2)


def _forgotten(cells: dict[str, nbformat.NotebookNode], _: object) -> None:
    for name in list(CELLS)[7:]:
        cells[name].outputs, cells[name].execution_count = [], None


def _chance(cells: dict[str, nbformat.NotebookNode], _: object) -> None:
    cells["sentence"].source = "import random\nprint(random.random())"
    cells["sentence"].outputs[0].text = "0.5\n"


CHANGES = (
    Changed(
        "one weight",
        _data(_heavier),
        ("table", "letters", "chart", "files"),
        ("unweighted",),
        ("version",),
    ),
    Changed("all weights twice", _data(_all_heavier), ("table",), ("frame", "unweighted")),
    Changed(
        "one respondent less",
        _data(lambda rows: rows.pop(7)),
        ("table", "unweighted", "letters"),
        (),
        ("version",),
    ),
    Changed(
        "one respondent more",
        _data(lambda rows: rows.append({**rows[0], "kimlik": "k9999"})),
        ("table", "unweighted", "letters"),
    ),
    Changed(
        "one answer",
        _data(lambda rows: rows[0].update(bil_3=str(1 - int(rows[0]["bil_3"])))),
        ("table", "unweighted", "overlap", "frame"),
        ("estimate",),
    ),
    Changed(
        "one respondent in another wave",
        _data(lambda rows: rows[2].update(dalga="1")),
        ("trend", "one wave"),
        ("unweighted",),
    ),
    Changed(
        "one amount", _data(lambda rows: rows[0].update(harcama="9")), ("estimate",), ("table",)
    ),
    Changed(
        "the label of an answer",
        _codebook('"Kadın"', '"Kadınlar"'),
        ("table", "letters", "chart", "frame", "files"),
        ("trend",),
        ("Kadınlar",),
    ),
    Changed(
        "the label of a question",
        _codebook('"Bilinen markalar"', '"Sevilen markalar"'),
        ("table", "letters", "trend"),
        ("estimate",),
        ("Sevilen",),
    ),
    Changed(
        "the name of a wave",
        _codebook("Yaz 2025", "Kış 2025"),
        ("trend", "trend chart"),
        (),
        ("Kış",),
    ),
    Changed(
        "the weight of the survey",
        _codebook('"agirlik"\nothers = ["agirlik_b"]', '"agirlik_b"\nothers = ["agirlik"]'),
        ("table", "letters", "files"),
        ("unweighted",),
        ("weight",),
    ),
    Changed(
        "no weight",
        _codebook('[weight]\ncolumn = "agirlik"\nothers = ["agirlik_b"]\n', ""),
        ("table", "other weight"),
        ("unweighted",),
    ),
    Changed(
        "no strata",
        _codebook('strata = "bolge"', ""),
        ("letters", "estimate"),
        ("table",),
        ("strata",),
    ),
    Changed("the limit of a band", _codebook("35, max", "40, max"), ("table",), ("trend",)),
    Changed(
        "a score of a scale",
        _codebook("value = 5, midpoint = 5", "value = 5, midpoint = 6"),
        ("means",),
        ("table", "women"),
    ),
    Changed(
        "boxes not ticked are no answers",
        _codebook('not_selected = ["0"]', 'missing = ["0"]'),
        ("table", "letters"),
    ),
    Changed(
        "code of a test",
        _code("other weight", "pooled=False", "pooled=True"),
        ("other weight",),
        ("table",),
        ("pooled",),
    ),
    Changed(
        "code of a chart",
        _code("trend chart", "trend()", "trend(intervals=False)"),
        ("trend chart",),
        ("trend",),
    ),
    Changed("another question", _code("women", '"memnun"', '"marka"'), ("women",), ("table",)),
    Changed(
        "another base", _code("women", '["Kadın"]', '["Erkek"]'), ("women",), ("table",), ("Erkek",)
    ),
    Changed(
        "all respondents",
        _code("women", ', base_audience=client["cinsiyet"]["Kadın"]', ""),
        ("women",),
        ("table",),
        ("base",),
    ),
    Changed(
        "another wave",
        _code("one wave", "latest 1", "latest 2"),
        ("one wave",),
        ("table",),
        ("wave",),
    ),
    Changed("chance", _notebook(_chance), ("sentence",), ("table",), ("seed|chance",)),
    Changed(
        "half of it was run", _notebook(_forgotten), ("unweighted",), ("table",), ("not been run",)
    ),
    Changed(
        "a cell deleted",
        _notebook(lambda cells, notebook: setattr(cells["letters"], "source", "1")),
        ("letters", "files"),
    ),
)
