"""Everything that writes, on a disk that is full and on one that may only be read.

Each says so in a line of words, leaves no trace and harms nothing, and does its work once it can.
"""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import nbformat
import pytest

import audiencelab as al
from audiencelab.charts import Chart
from audiencelab.cli import main
from audiencelab.client import Client
from audiencelab.course.records import FILE, ProgressFile
from audiencelab.errors import AudienceError
from audiencelab.service import Service
from audiencelab.service.store import Store, StoreError
from audiencelab.survey import demo_survey
from audiencelab.tables import CrosstabResult
from tests.ingest.sources import CODEBOOK, ROWS, imported, write
from tests.ingest.test_adding import FURTHER, SUMMER
from tests.messages import fails
from tests.reliability.disks import Disk, read_only, small_disk
from tests.service.asking import TOKEN, ask
from tests.service.surveys import build_survey

pytestmark = pytest.mark.slow

Write = Callable[[Path], object]
"""Writes something into a folder; raises `AudienceError` where it cannot."""


def command(*arguments: str | Path) -> None:
    """Run a command as its user does; what it says against it is raised."""
    said = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(said):
        code = main([str(each) for each in arguments])
    if code:
        assert code == 2
        assert said.getvalue().count("\n") == 1
        raise AudienceError(said.getvalue())


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with al.connect(survey=demo_survey(2_400)) as client:
        yield client


@pytest.fixture(scope="module")
def table(client: Client) -> CrosstabResult:
    lines = client.catalogue.audiences("q4")
    return client.crosstab(rows=lines, columns=lines)


@pytest.fixture(scope="module")
def drawing(client: Client) -> Chart:
    drawing = al.charts.bar(client.stats("q4"))
    drawing.svg()  # what draws is loaded, for it is large
    return drawing


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """What is read, on a disk where all is well: a survey, survey files, and a notebook."""
    folder = tmp_path / "sources"
    folder.mkdir()
    imported(folder).path.rename(folder / "p")
    for name, (rows, codebook) in {
        "spring": (ROWS.replace("north", "south"), CODEBOOK),
        "summer": (SUMMER, FURTHER),
    }.items():
        write(folder, f"{name}.csv", rows)
        write(folder, f"{name}.toml", codebook)
    cell = nbformat.v4.new_markdown_cell("# A title\n\n" + "Words. " * 4_000)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), folder / "report.ipynb")
    return folder


@pytest.fixture
def writers(
    sources: Path,
    client: Client,
    table: CrosstabResult,
    drawing: Chart,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, Write]:
    """Each by its name. Some find a survey `p` where they write."""
    spring = (sources / "spring.csv", "--codebook", sources / "spring.toml")
    summer = (sources / "summer.csv", "--codebook", sources / "summer.toml")
    quiet = ("--quiet",)

    def record(folder: Path) -> None:
        with client.recording(folder / "analysis.audiencelab.jsonl"):
            client.stats("q4")
            client.crosstab(rows=client.catalogue.audiences("q4"))

    def keep(folder: Path) -> None:
        kept = ProgressFile.read(folder / FILE)
        kept.students["Ada"] = {}
        kept.entry("Ada", "1.1").hints += 1
        kept.write()

    def connection(folder: Path) -> None:
        monkeypatch.setenv("AUDIENCELAB_CONNECTIONS", str(folder / "settings" / "here.toml"))
        command("connections", "add", "team", "https://research.example")

    def study(folder: Path) -> None:
        bench = al.Workbench(client)
        try:
            bench.save(folder / "study.audiencelab.json")
        finally:
            bench.close()

    return {
        "import": lambda at: command("import", *spring, "--out", at / "new", *quiet),
        "import again": lambda at: command(
            "import", *spring, "--out", at / "p", "--replace", *quiet
        ),
        "add a wave": lambda at: command("survey", "add-wave", at / "p", *summer),
        "survey export": lambda at: command("survey", "export", sources / "p", "--out", at / "out"),
        "codebook": lambda at: command(
            "codebook", sources / "spring.csv", "--out", at / "drafted.toml"
        ),
        "snapshot": record,
        "chart": lambda at: drawing.save(at / "chart.svg"),
        "chart as pixels": lambda at: drawing.save(at / "chart.png"),
        "workbook": lambda at: table.to_excel(at / "table.xlsx"),
        "page": lambda at: command("export", sources / "report.ipynb", "--out", at / "page.html"),
        "study": study,
        "course": lambda at: command("course", "start", at / "course", "--student", "Ada"),
        "progress": keep,
        "connections": connection,
    }


NAMES = (
    *("import", "import again", "add a wave", "survey export", "codebook", "snapshot", "chart"),
    *("chart as pixels", "workbook", "page", "study", "course", "progress", "connections"),
)


def test_every_writer_is_tried(writers: dict[str, Write]) -> None:
    assert tuple(writers) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_full_disk_is_told_and_nothing_is_lost(
    writers: dict[str, Write], sources: Path, tmp_path: Path, name: str
) -> None:
    with small_disk(tmp_path / "disk") as disk:
        shutil.copytree(sources / "p", disk.path / "p")
        before = disk.contents()
        said: list[str] = []
        for room in (0, 4096, 8192, 4 << 20):
            disk.fill(room)
            refusal = refusal_of(writers[name], disk.path)
            disk.empty()
            if not refusal:
                break
            said.append(refusal)
            assert disk.contents() == before
        assert said, "there was room"
        assert [
            each for each in said if not re.search("disk of .* is full.* Free some space", each)
        ] == []
        assert disk.contents() != before
        assert [path for path in disk.path.iterdir() if path.name.startswith(".")] == []


def refusal_of(write: Write, folder: Path) -> str | None:
    """What is said against it; None where it is done."""
    try:
        write(folder)
    except AudienceError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", NAMES)
def test_a_disk_that_may_only_be_read_is_told(
    writers: dict[str, Write], sources: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(sources / "p", folder / "p")
    disk = Disk(folder)
    before = disk.contents()
    with read_only(folder):
        with fails(AudienceError) as caught:
            writers[name](folder)
        assert str(folder) in str(caught.value)
        assert disk.contents() == before
    writers[name](folder)
    assert disk.contents() != before


def test_a_store_on_a_full_disk_keeps_what_it_has_and_goes_on(tmp_path: Path) -> None:
    survey = build_survey(tmp_path / "survey")
    body = {"name": "x", "metrics": ["x" * 1_000] * 10}
    with small_disk(tmp_path / "disk") as disk:
        file = disk.path / "store.db"
        disk.fill(0)
        with fails(StoreError):
            Store.open(file)
        disk.empty()
        with Service(survey, [TOKEN], store=file) as service:
            made = [ask(service, "POST", "/v1/charts", body)]
            disk.fill(40_000)
            while made[-1].status == 200:
                made.append(ask(service, "POST", "/v1/charts", body))
            assert made[-1].status == 507
            assert b"Nothing was changed" in made[-1].body
            assert str(tmp_path).encode() not in made[-1].body
            # What was kept is still answered, and with room again more is kept.
            assert len(service.charts()) == len(made) - 1
            disk.empty()
            made.append(ask(service, "POST", "/v1/charts", body))
            assert made[-1].status == 200
        with Service(survey, [TOKEN], store=file) as service:
            assert len(service.charts()) == len(made) - 1
