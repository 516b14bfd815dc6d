"""Write `responses.csv`, a made-up survey of students in the form of a Google Forms export.

`python notebooks/data/class_form/write_form.py` writes the same bytes again.
"""

from __future__ import annotations

import csv
import random
from datetime import datetime, timedelta
from pathlib import Path

STUDENTS = 148
DISTANCES = ("Under 15 minutes", "15 to 35 minutes", "More than 35 minutes")
SLEEP = ("Less than 6 hours", "6 to 7 hours", "7 hours or more")
WAYS = ("On foot", "By bicycle", "By bus, tram or train", "By car")
SERVICES = ("Food on campus", "The library", "Sport", "The wifi")
SATISFIED = (
    "Very satisfied",
    "Rather satisfied",
    "Neither",
    "Rather dissatisfied",
    "Very dissatisfied",
    "I do not use it",
)
YEARS = ("First year", "Second year", "Third year", "Master's")
WISHES = ("Cheaper food", "More seats", "Later lectures", "Better wifi", "A night bus", "Trees")
ENDS = ("please", "at last", "it would help", "as elsewhere", "we asked for it", "that is all")
REASONS = ("for all of us", "before the exams", "in winter", "on Mondays", "near the library")
HEADER = (
    "Timestamp",
    "Email Address",
    "How long is your way to campus?",
    "How long did you sleep last night?",
    "How do you get to campus? (tick all that apply)",
    *(f"How satisfied are you with these? [{service}]" for service in SERVICES),
    "Which year are you in?",
    "How likely are you to recommend this university to a friend?",
    "What should change first?",
)


def answers(draw: random.Random) -> list[str]:
    """The answers of one student: a long way costs sleep, and first years live farther away."""
    year = draw.choices(YEARS, (44, 28, 18, 10))[0]
    far = draw.choices((0, 1, 2), (24, 44, 32) if year == YEARS[0] else (36, 42, 22))[0]
    slept = draw.choices(SLEEP, ((10, 22, 68), (14, 26, 60), (28, 34, 38))[far])[0]
    chances = ((0.8, 0.4, 0.1, 0.03), (0.15, 0.4, 0.6, 0.1), (0, 0.05, 0.9, 0.2))[far]
    ways = [way for way, chance in zip(WAYS, chances, strict=True) if draw.random() < chance]
    shares = ((9, 24, 13, 27, 18, 9), (30, 42, 12, 8, 4, 4), (17, 21, 11, 6, 3, 42))
    satisfied = [draw.choices(SATISFIED, each)[0] for each in (*shares, (8, 30, 18, 26, 18, 0))]
    likely = min(10, max(0, round(draw.gauss(7.4, 2.1))))
    wish = f"{draw.choice(WISHES)} {draw.choice(REASONS)}, {draw.choice(ENDS)}"
    wish = wish if draw.random() < 0.7 else ""
    chosen = ", ".join(ways or [WAYS[min(far, 2)]])
    return [DISTANCES[far], slept, chosen, *satisfied, year, str(likely), wish]


def write_form(path: Path) -> None:
    """Write the answers of all students, in the order in which they came."""
    draw = random.Random(1010)
    minutes = sorted(draw.randint(0, 5 * 24 * 60) for _ in range(STUDENTS))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(HEADER)
        for number, minute in enumerate(minutes, start=1):
            sent = datetime(2026, 10, 5, 9) + timedelta(minutes=minute)
            stamp = f"{sent:%Y/%m/%d} {sent.hour % 12 or 12}:{sent:%M:%S} {sent:%p} GMT+2"
            writer.writerow([stamp, f"student{number:03}@example.org", *answers(draw)])


if __name__ == "__main__":
    write_form(Path(__file__).with_name("responses.csv"))
