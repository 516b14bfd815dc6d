"""How long `import audiencelab` takes, in a process of its own."""

from __future__ import annotations

import subprocess
import sys

BUDGET_MS = 150
RUNS = 7
CODE = (
    "import time; start = time.perf_counter(); import audiencelab; "
    "print((time.perf_counter() - start) * 1000)"
)


def import_milliseconds() -> float:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    times = sorted(import_milliseconds() for _ in range(RUNS))
    print(f"import audiencelab: {times[RUNS // 2]:.0f} ms, median of {RUNS}; budget {BUDGET_MS} ms")
