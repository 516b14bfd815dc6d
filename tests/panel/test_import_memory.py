"""What an import holds: about a byte for each cell; a draft holds none of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.bench_survey_import import write_survey

ROWS, COLUMNS = 200_000, 120

CHILD = """
import sys
from pathlib import Path
from tests.bench.bench_survey_import import codebook, peak_gb, write_survey
from audiencelab.panel import draft_codebook
from audiencelab.panel.importing import import_survey

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
work(folder / "survey.parquet", folder / "panel")
print(peak_gb() - before)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("memory")
    write_survey(made / "survey.parquet", ROWS, COLUMNS)
    return made


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process its own peak")
@pytest.mark.parametrize(("draft", "bytes_a_cell"), [(False, 6), (True, 4)])
def test_memory_is_a_few_bytes_a_cell(folder: Path, draft: bool, bytes_a_cell: int) -> None:
    """Buffers and the panel's own bits, mapped, are most of them; numbers alone would be eight."""
    code = CHILD.format(draft=draft, columns=COLUMNS)
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) * 1e9 < ROWS * COLUMNS * bytes_a_cell
