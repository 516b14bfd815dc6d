"""Write the examples of this folder: one made-up survey in the form of each platform's exports.

`python tests/data/platforms/write_examples.py` writes the same bytes again.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

FOLDER = Path(__file__).parent
RESPONDENTS = 150
GENDERS = ("Woman", "Man", "Other")
BRANDS = ("Alba", "Brio", "Cima, the new one")
SATISFACTION = ("Very satisfied", "Satisfied", "Not satisfied")
TIMES = ("Morning", "Evening")
OFTEN = ("Never", "Sometimes", "Daily")
OTHERS = ("Dovo", "Etna and Faro", "My own, from home")

GENDER_TEXT = "What is your gender?"
BRANDS_TEXT = "Which brands do you know?"
SATISFACTION_TEXT = "How satisfied are you, overall?"
OFTEN_TEXT = "How often do you drink tea?"
OTHER = "Other (please specify)"

Row = dict[str, object]


def respondents() -> list[Row]:
    """The survey as one plain table. asked: whether the question about brands was asked."""
    draw = random.Random(5)
    rows: list[Row] = []
    for number in range(1, RESPONDENTS + 1):
        asked = draw.random() < 0.9
        known = [asked and draw.random() < share for share in (0.6, 0.4, 0.3)]
        other = draw.choice(OTHERS) if asked and draw.random() < 0.2 else ""
        row: Row = {
            "id": number,
            "date": f"2024-03-{draw.randint(1, 28):02d}",
            "gender": draw.choices(GENDERS, (50, 45, 5))[0],
            "asked": int(asked),
            **{brand: int(each) for brand, each in zip(BRANDS, known, strict=True)},
            "other": other,
            "satisfaction": draw.choice(SATISFACTION),
            **{time: draw.choice(OFTEN) for time in TIMES},
            "age": draw.randint(18, 79),
            "weight": f"{draw.uniform(0.5, 1.9):.3f}",
        }
        rows.append(row)
    return rows


def code(options: Sequence[str], row: Row, name: str) -> int:
    """The number of an answer, from 1."""
    return options.index(str(row[name])) + 1


def chosen(row: Row) -> list[int]:
    """The numbers of the brands that a respondent knows; 4 is another one."""
    known = [number for number, brand in enumerate(BRANDS, start=1) if row[brand]]
    return [*known, 4] if row["other"] else known


def write_csv(
    name: str, rows: Iterable[Sequence[object]], head: str = "", **options: object
) -> None:
    with (FOLDER / name).open("w", encoding="utf-8", newline="") as file:
        file.write(head)
        csv.writer(file, lineterminator="\n", **options).writerows(rows)


# ---- triple-S ----


def triple_s(rows: list[Row]) -> None:
    """Version 1.2 with fixed columns and spread codes; version 2.0 with CSV and bits."""
    lines = [
        "".join(
            [
                f"{row['id']:4d}",
                str(row["date"]).replace("-", ""),
                str(code(GENDERS, row, "gender")),
                "".join(f"{each:2d}" for each in (chosen(row) + [0] * 4)[:4])
                if row["asked"]
                else " " * 8,
                f"{row['other']:<20}",
                f"{code(SATISFACTION, row, 'satisfaction'):02d}",
                *(str(code(OFTEN, row, time)) for time in TIMES),
                f"{row['age']:3d}",
                f"{row['weight']:>6}",
                str(int(int(str(row["age"])) >= 65)),
            ]
        ).rstrip()
        for row in rows
    ]
    (FOLDER / "triple_s.asc").write_bytes("\r\n".join([*lines, ""]).encode("latin-1"))
    (FOLDER / "triple_s.sss").write_text(definitions("1.2", "", is_csv=False), "utf-8")
    records = [
        [
            row["id"],
            str(row["date"]).replace("-", ""),
            code(GENDERS, row, "gender"),
            "".join(str(int(each in chosen(row))) for each in (1, 2, 3, 4)) if row["asked"] else "",
            row["other"],
            code(SATISFACTION, row, "satisfaction"),
            *(code(OFTEN, row, time) for time in TIMES),
            row["age"],
            row["weight"],
            int(int(str(row["age"])) >= 65),
        ]
        for row in rows
    ]
    header = [
        "number", "day", "gender", "brands", "other", "satisfied", "often_1", "often_2", "age",
        "wgt", "retired",
    ]  # fmt: skip
    write_csv("triple_s_csv.csv", [header, *records])
    record = ' href="triple_s_csv.csv" format="csv" skip="1"'
    (FOLDER / "triple_s_csv.xml").write_text(definitions("2.0", record, is_csv=True), "utf-8")


def definitions(version: str, record: str, *, is_csv: bool) -> str:
    """The definitions of the variables. is_csv: positions count cells, and brands are bits."""
    brands = [*BRANDS, "Other brand"]
    age = '<range from="18" to="99"/>'
    wgt = '<range from="0.000" to="9.999"/>'
    spread = "" if is_csv else '<spread subfields="4" width="2"/>'
    variables: list[tuple[str, str, str, int, str]] = [
        ("number", 'quantity" use="serial', "Number", 4, '<range from="1" to="9999"/>'),
        ("day", "date" if is_csv else "character", "Day of the interview", 8, ""),
        ("gender", "single", GENDER_TEXT, 1, values(GENDERS)),
        ("brands", "multiple", BRANDS_TEXT, 8, values(brands)),
        ("other", "character", "Which other brand?", 20, ""),
        ("satisfied", "single", SATISFACTION_TEXT, 2, values(SATISFACTION)),
        ("often_1", "single", f"{OFTEN_TEXT} - {TIMES[0]}", 1, values(OFTEN)),
        ("often_2", "single", f"{OFTEN_TEXT} - {TIMES[1]}", 1, values(OFTEN)),
        ("age", "quantity", "Age", 3, age),
        ("wgt", 'quantity" use="weight', "Weight", 6, wgt),
        ("retired", "logical", "65 or older", 1, ""),
    ]
    parts: list[str] = []
    start = 1
    for number, (name, kind, label, width, inside) in enumerate(variables, start=1):
        place = f'start="{number}"' if is_csv else f'start="{start}" finish="{start + width - 1}"'
        start += width
        text = escape(label)
        if is_csv:
            text = f'<text xml:lang="en">{text}</text><text xml:lang="de">Frage {number}</text>'
        parts.append(
            f'<variable ident="{number}" type="{kind}">\n  <name>{name}</name>\n'
            f"  <label>{text}</label>\n  <position {place}/>\n"
            + (f"  {spread}\n" if name == "brands" and spread else "")
            + (f"  <size>{width}</size>\n" if kind == "character" else "")
            + (f"  <values>{inside}</values>\n" if inside else "")
            + "</variable>\n"
        )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<sss version="{version}">\n'
        "<date>31 March 2024</date>\n<survey>\n<name>DRINKS</name>\n<title>Drinks</title>\n"
        f'<record ident="V"{record}>\n{"".join(parts)}</record>\n</survey>\n</sss>\n'
    )


def values(labels: Sequence[str]) -> str:
    """The categories of a variable."""
    return "".join(
        f'<value code="{number}">{escape(label)}</value>'
        for number, label in enumerate(labels, start=1)
    )


def main() -> None:
    rows = respondents()
    write_csv("respondents.csv", [[*rows[0]], *([*row.values()] for row in rows)])
    triple_s(rows)


if __name__ == "__main__":
    main()
