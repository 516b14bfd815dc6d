"""How long `import audiencelab` takes, and the first chart beyond the import of altair.

Each in a process of its own. The chart is that of a table that was shown, where pandas is loaded.
"""

from __future__ import annotations

import subprocess
import sys

BUDGET_MS, CHART_BUDGET_MS = 150, 400
RUNS = 7

_TIMED = """
import time
start = time.perf_counter()
{timed}
print((time.perf_counter() - start) * 1000)
"""
IMPORT = _TIMED.format(timed="import audiencelab")
# A kernel has loaded IPython, and altair a part of it.
ALTAIR = "import IPython, pandas\n" + _TIMED.format(timed="import altair")
CHART = """
import IPython, pandas
import audiencelab as al
table = al.connect().crosstab("Finding brands", "Gender", waves="latest 1")
table.to_frame()
""" + _TIMED.format(timed="table.chart.bar()")


def milliseconds(code: str) -> float:
    """The median of what some code prints, each time in a new process."""
    command = [sys.executable, "-c", code]
    runs = (
        subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(RUNS)
    )
    return sorted(float(done.stdout) for done in runs)[RUNS // 2]


def main() -> None:
    took = milliseconds(IMPORT)
    print(f"import audiencelab: {took:.0f} ms, median of {RUNS}; budget {BUDGET_MS} ms")
    beyond = milliseconds(CHART) - milliseconds(ALTAIR)
    print(f"first chart: import altair + {beyond:.0f} ms; budget {CHART_BUDGET_MS} ms")
