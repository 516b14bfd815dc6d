"""How long `import audiencelab` takes, in a process of its own."""

import subprocess
import sys

BUDGET_MS = 150
CODE = (
    "import time; start = time.perf_counter(); import audiencelab; "
    "print((time.perf_counter() - start) * 1000)"
)


def import_milliseconds() -> float:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    return float(done.stdout)


def test_import_is_quick() -> None:
    best = min(import_milliseconds() for _ in range(5))
    print(f"\nimport audiencelab: {best:.0f} ms of {BUDGET_MS}")
    assert best < BUDGET_MS
