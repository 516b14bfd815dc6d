"""Where the real survey data lie: beside the project, never in it."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
HPS = DATA / "hps_pulse"
MASCULINITY = DATA / "masculinity_2018"
QUANTIPY = DATA / "quantipy_example_a"
