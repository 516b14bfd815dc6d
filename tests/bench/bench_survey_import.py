"""An import at size: time and peak memory of 1,000,000 respondents × 500 columns, from Parquet.

    python -m tests.bench survey_import
    python -m tests.bench.bench_survey_import ROWS COLUMNS

The file is generated; the import runs in a process of its own, so that its peak is its own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from audiencelab.panel.importing import Codebook, import_survey, parse_codebook

ROWS, COLUMNS = 1_000_000, 500
BUDGET_GB = 2.0
GROUP = 100_000
VALUES = 5


def write_survey(path: Path, rows: int, columns: int) -> None:
    """A Parquet file of single questions q0, q1 … with values 1 to 5, and a weight."""
    rng = np.random.default_rng(11)
    names = [f"q{number}" for number in range(columns - 1)]
    schema = pa.schema([("weight", pa.float64()), *((name, pa.int8()) for name in names)])
    with pq.ParquetWriter(path, schema) as writer:
        for first in range(0, rows, GROUP):
            count = min(GROUP, rows - first)
            answers = rng.integers(1, VALUES + 1, (columns - 1, count), dtype=np.int8)
            arrays = [pa.array(rng.uniform(0.2, 5, count)), *map(pa.array, answers)]
            writer.write_table(pa.table(arrays, schema=schema))


def codebook(columns: int) -> Codebook:
    """The codebook of `write_survey`."""
    labels = {str(value): f"Answer {value}" for value in range(1, VALUES + 1)}
    names = [f"q{number}" for number in range(columns - 1)]
    return parse_codebook(
        {
            "weight": {"column": "weight"},
            "questions": [
                {"code": name, "name": name, "column": name, "labels": labels} for name in names
            ],
        }
    )


def peak_gb() -> float:
    """The most memory that this process has held (Linux; what rusage tells is the parent's too)."""
    status = Path("/proc/self/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / 1e9


def import_alone(source: str, out: str, columns: int) -> None:
    """What the child does: import, and print seconds and GB."""
    start = time.perf_counter()
    import_survey([source], codebook(columns), out)
    print(time.perf_counter() - start, peak_gb())


def measure(folder: Path, rows: int, columns: int) -> tuple[float, float]:
    """Seconds and peak GB of an import in a process of its own."""
    source = folder / "survey.parquet"
    write_survey(source, rows, columns)
    code = (
        "from tests.bench.bench_survey_import import import_alone; "
        f"import_alone({str(source)!r}, {str(folder / 'panel')!r}, {columns})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, peak = map(float, done.stdout.split())
    return seconds, peak


def main(rows: int = ROWS, columns: int = COLUMNS) -> None:
    with tempfile.TemporaryDirectory() as folder:
        seconds, peak = measure(Path(folder), rows, columns)
    print(
        f"{rows:,} × {columns}: {seconds:.0f} s, {rows * columns / seconds / 1e6:.1f} M cells a "
        f"second, peak {peak:.2f} GB; budget {BUDGET_GB:.1f} GB"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
