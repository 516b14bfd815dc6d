"""Write `qualtrics.csv`, a made-up survey about tea in the form of a Qualtrics export.

`python notebooks/data/tea_tracker/write_export.py` writes the same bytes again.
"""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

BRANDS = ("Alba", "Brio", "Cima", "Dovo")
TIMES = ("In the morning", "At work", "In the evening")
OFTEN = ("Every day", "Some days", "Never")
SELECTED = "Which brands of tea have you bought in the last month? - Selected Choice - "
HEADERS = {
    "StartDate": "Start Date",
    "ResponseId": "Response ID",
    "Q1": "What is your gender?",
    "Q2": "How old are you?",
    **{f"Q3_{number}": SELECTED + brand for number, brand in enumerate(BRANDS, start=1)},
    "Q3_5": SELECTED + "Other (please specify)",
    "Q3_5_TEXT": "Which brands of tea have you bought in the last month? - Other - Text",
    **{f"Q4_{at}": f"How often do you drink tea? - {time}" for at, time in enumerate(TIMES, 1)},
    "Q5": "Which matters most when you buy tea?",
    "Q6": "How likely are you to recommend your brand of tea to a friend?",
}


def respondent(number: int, draw: random.Random) -> list[object]:
    """The answers of one respondent: habits differ by age and gender."""
    gender = draw.choices(("Woman", "Man"), (52, 48))[0]
    age = draw.randint(18, 79)
    young, woman = age < 35, gender == "Woman"
    shares = (0.45 - 0.2 * young, 0.2 + 0.25 * young, 0.15 + 0.15 * woman, 0.1)
    bought = [
        brand if draw.random() < share else "" for brand, share in zip(BRANDS, shares, strict=True)
    ]
    other = draw.choice(("Etna", "My own, from the garden", "")) if draw.random() < 0.1 else ""
    often = [
        draw.choices(OFTEN, (0.6 - 0.3 * young, 0.25, 0.15 + 0.3 * young))[0],
        draw.choices(OFTEN, (0.25, 0.35, 0.4))[0],
        draw.choices(OFTEN, (0.2 + 0.2 * woman, 0.4, 0.4 - 0.2 * woman))[0],
    ]
    matters = draw.choices(("Taste", "Price", "Origin"), (6 - young, 2 + 2 * young, 2))[0]
    likely = min(10, max(0, round(draw.gauss(7.4 - 1.1 * young + 0.4 * bool(bought[2]), 2.6))))
    date = f"2026-{draw.choice((1, 2, 3)):02d}-{draw.randint(1, 28):02d} 09:00:00"
    texts = ["Other (please specify)" if other else "", other]
    return [date, f"R_{number}", gender, age, *bought, *texts, *often, matters, likely]


def write_export(path: Path) -> None:
    """Write the export of all respondents."""
    draw = random.Random(2026)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADERS)
        writer.writerow(HEADERS.values())
        writer.writerow(json.dumps({"ImportId": name}) for name in HEADERS)
        writer.writerows(respondent(number, draw) for number in range(1, 901))


if __name__ == "__main__":
    write_export(Path(__file__).with_name("qualtrics.csv"))
