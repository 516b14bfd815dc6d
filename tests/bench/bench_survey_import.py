"""An import at size: time and peak memory of 1,000,000 respondents × 500 columns, from Parquet.

    python -m tests.bench survey_import
    python -m tests.bench.bench_survey_import ROWS COLUMNS

The file is generated; the import runs in a process of its own. Memory is that of all its processes
together: the most that each has held, added up.
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

from audiencelab.ingest import Codebook, parse_codebook

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


def measure(source: Path, out: Path, columns: int) -> tuple[float, float]:
    """Seconds and peak GB of an import in processes of its own, their start included."""
    code = (
        "import time; start = time.perf_counter()\n"
        "from audiencelab.ingest import import_survey\n"
        "from tests.bench.bench_survey_import import codebook\n"
        f"import_survey([{str(source)!r}], codebook({columns}), {str(out)!r})\n"
        "print(time.perf_counter() - start)"
    )
    peaks: dict[int, int] = {}
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with child:
        while child.poll() is None:
            for process in _family(child.pid):
                peaks[process] = max(peaks.get(process, 0), _most_held(process))
            time.sleep(0.05)
        assert child.stdout is not None
        seconds = float(child.stdout.read())
    return seconds, sum(peaks.values()) / 1e9


def _family(process: int) -> list[int]:
    """A process and those it has started (Linux)."""
    path = Path(f"/proc/{process}/task/{process}/children")
    children = path.read_text().split() if path.exists() else []
    return [process, *(each for child in children for each in _family(int(child)))]


def _most_held(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:  # it has ended meanwhile
        return 0
    lines = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return next((int(line.split()[1]) * 1024 for line in lines), 0)


def main(rows: int = ROWS, columns: int = COLUMNS) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "survey.parquet"
        write_survey(source, rows, columns)
        seconds, peak = measure(source, Path(folder) / "survey", columns)
        print(
            f"{rows:,} × {columns}: {seconds:.0f} s, "
            f"{rows * columns / seconds / 1e6:.1f} M cells a second, peak {peak:.2f} GB; "
            f"budget {BUDGET_GB:.1f} GB"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
