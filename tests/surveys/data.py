"""Where the real survey data are."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data"
HPS = DATA / "household_pulse"
MASCULINITY = DATA.parents[1] / "notebooks" / "data" / "masculinity_2018"
QUANTIPY = DATA / "quantipy_example_a"
MRSETS = DATA / "pyreadstat" / "simple_alltypes.sav"
