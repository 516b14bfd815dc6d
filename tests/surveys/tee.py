"""A small German tracker with all that figures depend on, as an SPSS file.

480 respondents in three waves: weights, strata, clusters, a question for tea drinkers only, a
multiple question, an answer outside of a scale, numbers.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat

WAVES = ("Frühjahr 2025", "Sommer 2025", "Herbst 2025")

_NAMES = {
    "welle": "Welle",
    "gewicht": "Gewichtung",
    "strata": "Schicht",
    "psu": "Klumpen",
    "geschlecht": "Geschlecht",
    "alter": "Alter in Jahren",
    "zufrieden": "Zufriedenheit mit dem Händler",
    "trinkt": "Trinken Sie Tee?",
    "sorte": "Liebste Sorte",
    "kauf_1": "Wo kaufen Sie ein? Wochenmarkt",
    "kauf_2": "Wo kaufen Sie ein? Supermarkt",
    "kauf_3": "Wo kaufen Sie ein? Reformhaus",
    "tassen": "Tassen in der Woche",
}

_CHOSEN = {0: "nicht genannt", 1: "genannt"}

_ANSWERS: dict[str, dict[int, str]] = {
    "welle": dict(enumerate(WAVES, 1)),
    "geschlecht": {1: "Weiblich", 2: "Männlich"},
    "zufrieden": {
        1: "Sehr unzufrieden",
        2: "Eher unzufrieden",
        3: "Teils, teils",
        4: "Eher zufrieden",
        5: "Sehr zufrieden",
        9: "Weiß nicht",
    },
    "trinkt": {1: "Ja", 2: "Nein"},
    "sorte": {1: "Schwarz", 2: "Grün", 3: "Kräuter"},
    "kauf_1": _CHOSEN,
    "kauf_2": _CHOSEN,
    "kauf_3": _CHOSEN,
}


def write(file: Path) -> Path:
    """Write the file (.sav); `al.open(file, "gewicht", wave="welle")` opens it."""
    dice = random.Random(7)
    rows = pd.DataFrame([_respondent(n, dice) for n in range(480)])
    pyreadstat.write_sav(rows, file, column_labels=_NAMES, variable_value_labels=_ANSWERS)
    return file


def _respondent(n: int, dice: random.Random) -> dict[str, Any]:
    stratum = n // 3 % 4 + 1
    cluster = stratum * 10 + n // 12 % 5
    liking = dice.gauss(0, 1) + (cluster % 3 - 1) / 2
    woman, drinks = dice.random() < 0.52, liking + dice.gauss(0, 1) > -0.6
    satisfied = min(5, max(1, round(3 + liking + dice.gauss(0, 0.8))))
    return {
        "welle": n % 3 + 1,
        "gewicht": round(dice.uniform(0.4, 2.6), 2),
        "strata": stratum,
        "psu": cluster,
        "geschlecht": 1 if woman else 2,
        "alter": dice.randint(16, 84),
        "zufrieden": satisfied if dice.random() < 0.95 else 9,
        "trinkt": 1 if drinks else 2,
        "sorte": dice.choice((1, 1, 2, 3)) if drinks else None,
        "kauf_1": int(dice.random() < 0.4 + liking / 8),
        "kauf_2": int(dice.random() < 0.3),
        "kauf_3": int(dice.random() < (0.3 if woman else 0.2)),
        "tassen": dice.randint(0, 30) if drinks else None,
    }
