"""The engine beside every other way to the same table; see `tests.bench.engine`."""

from tests.bench.engine.__main__ import main

__all__ = ["main"]
