"""What an import and a draft hold in memory: codes of one byte a cell, and not the cells."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.bench_survey_import import write_survey

pytestmark = pytest.mark.slow

ROWS, COLUMNS = 200_000, 320

CHILD = """
import sys
from pathlib import Path
from tests.bench.bench_survey_import import codebook, peak_gb, write_survey
from audiencelab.ingest import draft_codebook
from audiencelab.ingest import import_survey

def work(source, out):
    if {draft}:
        draft_codebook(source)
    else:
        import_survey([source], codebook({columns}), out)

folder = Path(sys.argv[1])
# What is loaded and set up once is no part of what the rows take.
write_survey(folder / "small.parquet", 1_000, {columns})
work(folder / "small.parquet", folder / "small")
before = peak_gb()
work(folder / "survey.parquet", folder / "survey")
print(peak_gb() - before)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("memory")
    write_survey(made / "survey.parquet", ROWS, COLUMNS)
    return made


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process its own peak")
@pytest.mark.parametrize("draft", [False, True])
def test_memory_does_not_hold_the_cells(folder: Path, draft: bool) -> None:
    """Numbers would be eight bytes each."""
    code = CHILD.format(draft=draft, columns=COLUMNS)
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) * 1e9 < ROWS * COLUMNS * 3
