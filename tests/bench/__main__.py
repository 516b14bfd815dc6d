"""Run every benchmark: `python -m tests.bench`, or some by name: `python -m tests.bench engine`.

A benchmark is a module `bench_<name>.py` in this folder with a `main()` that prints its findings.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path


def main(names: list[str]) -> int:
    """Run the benchmarks of these names, by default all; 2 for an unknown name."""
    known = sorted(path.stem.removeprefix("bench_") for path in _folder().glob("bench_*.py"))
    if unknown := [name for name in names if name not in known]:
        print(f"No benchmark {', '.join(unknown)}; there are {', '.join(known)}.", file=sys.stderr)
        return 2
    for name in names or known:
        print(f"\n== {name} ==", flush=True)
        import_module(f"tests.bench.bench_{name}").main()
    return 0


def _folder() -> Path:
    return Path(__file__).parent


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
