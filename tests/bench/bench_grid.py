"""The crosstab grid beside other tables for notebooks; see `tests.bench.grid`."""

from tests.bench.grid.__main__ import main

__all__ = ["main"]
