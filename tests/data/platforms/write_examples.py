"""Write the examples of this folder: one made-up survey in the form of each platform's exports.

`python tests/data/platforms/write_examples.py` writes the same bytes again.
"""

from __future__ import annotations

import csv
import json
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


# ---- survey platforms ----


def qualtrics(rows: list[Row]) -> None:
    """Three header rows; texts and a column for each brand, or codes and one column of brands."""
    items = [*BRANDS, OTHER]
    often = [(f"Q4_{n}", f"{OFTEN_TEXT} - {time}") for n, time in enumerate(TIMES, start=1)]
    known = [(f"Q2_{n}", f"{BRANDS_TEXT} - Selected Choice - {x}") for n, x in enumerate(items, 1)]
    text = ("Q2_4_TEXT", f"{BRANDS_TEXT} - {OTHER} - Text")
    first = [("StartDate", "Start Date"), ("ResponseId", "Response ID"), ("Q1", GENDER_TEXT)]
    last = [("Q3", SATISFACTION_TEXT), *often, ("Q5", "Age"), ("weight", "weight")]
    split, joint = [*first, *known, text, *last], [*first, ("Q2", BRANDS_TEXT), text, *last]

    def head(columns: list[tuple[str, str]]) -> list[list[str]]:
        ids = [json.dumps({"ImportId": name}) for name, _ in columns]
        return [[name for name, _ in columns], [text for _, text in columns], ids]

    def cells(row: Row, brands: list[object], is_code: bool) -> list[object]:
        def shown(options: Sequence[str], name: str) -> object:
            return code(options, row, name) if is_code else row[name]

        return [
            f"{row['date']} 09:00:00", f"R_{row['id']}", shown(GENDERS, "gender"), *brands,
            row["other"], shown(SATISFACTION, "satisfaction"),
            *(shown(OFTEN, time) for time in TIMES), row["age"], row["weight"],
        ]  # fmt: skip

    texts = [
        cells(row, [items[n - 1] if n in chosen(row) else "" for n in (1, 2, 3, 4)], False)
        for row in rows
    ]
    codes = [cells(row, [",".join(map(str, chosen(row)))], True) for row in rows]
    write_csv("qualtrics_texts.csv", [*head(split), *texts], "\ufeff")
    write_csv("qualtrics_codes.csv", [*head(joint), *codes])
    table = [
        *([name, number, label] for name, options in (("Q1", GENDERS), ("Q3", SATISFACTION))
          for number, label in enumerate(options, start=1)),
        *(["Q2", number, label] for number, label in enumerate(items, start=1)),
        *([name, number, label] for name, _ in often
          for number, label in enumerate(OFTEN, start=1)),
    ]  # fmt: skip
    write_csv("qualtrics_labels.csv", [["variable", "value", "label"], *table])


def surveymonkey(rows: list[Row]) -> None:
    """Two header rows: a question goes on over columns without a name."""
    headers = [
        ("Respondent ID", ""), ("Collector ID", ""), ("Date Created", ""),
        (GENDER_TEXT, "Response"),
        *((BRANDS_TEXT if n == 0 else "", item) for n, item in enumerate([*BRANDS, OTHER])),
        (SATISFACTION_TEXT, "Response"),
        *((OFTEN_TEXT if n == 0 else "", time) for n, time in enumerate(TIMES)),
        ("Age", "Open-Ended Response"), ("weight", ""),
    ]  # fmt: skip
    body = [
        [
            11_000_000_000 + int(str(row["id"])), 7, f"{row['date']} 09:00:00", row["gender"],
            *(brand if row[brand] else "" for brand in BRANDS), row["other"],
            row["satisfaction"], *(row[time] for time in TIMES), row["age"], row["weight"],
        ]
        for row in rows
    ]  # fmt: skip
    table = [[name for name, _ in headers], [answer for _, answer in headers], *body]
    write_csv("surveymonkey.csv", table, "\ufeff")


def limesurvey(rows: list[Row]) -> None:
    """All cells quoted after a byte order mark; headers of codes, or of full texts."""
    codes = [
        "id", "submitdate", "lastpage", "startlanguage", "seed", "gender",
        *(f"brands[SQ00{n}]" for n in (1, 2, 3)), "brands[other]", "satisfied",
        "often[SQ001]", "often[SQ002]", "age", "weight",
    ]  # fmt: skip
    texts = [
        "Response ID", "Date submitted", "Last page", "Start language", "Seed", GENDER_TEXT,
        *(f"{BRANDS_TEXT} [{brand}]" for brand in BRANDS), f"{BRANDS_TEXT} [Other]",
        SATISFACTION_TEXT, *(f"{OFTEN_TEXT} [{time}]" for time in TIMES), "Age", "weight",
    ]  # fmt: skip

    def cells(row: Row, yes: str, no: str) -> list[object]:
        return [
            row["id"], f"{row['date']} 09:00:00", 3, "en", 1000 + int(str(row["id"])),
            row["gender"],
            *((yes if row[brand] else no) if row["asked"] else "" for brand in BRANDS),
            row["other"], row["satisfaction"], *(row[time] for time in TIMES), row["age"],
            row["weight"],
        ]  # fmt: skip

    quoted = {"quoting": csv.QUOTE_ALL}
    coded = [codes, *(cells(row, "Y", "") for row in rows)]
    write_csv("limesurvey_codes.csv", coded, "\ufeff", **quoted)
    full = [texts, *(cells(row, "Yes", "No") for row in rows)]
    write_csv("limesurvey_texts.csv", full, "\ufeff", **quoted)
    table = [
        ["gender", "", GENDER_TEXT], ["satisfied", "", SATISFACTION_TEXT],
        *([f"brands[SQ00{n}]", "", f"{BRANDS_TEXT} - {brand}"] for n, brand in
          enumerate(BRANDS, start=1)),
        ["brands[other]", "", f"{BRANDS_TEXT} - Other"],
        *([f"often[SQ00{n}]", "", f"{OFTEN_TEXT} - {time}"] for n, time in
          enumerate(TIMES, start=1)),
    ]  # fmt: skip
    write_csv("limesurvey_labels.csv", [["Variable", "Value", "Label"], *table])


def google_forms(rows: list[Row]) -> None:
    """Several answers in one cell, divided by a comma, which answers have too."""
    header = [
        "Timestamp", GENDER_TEXT, BRANDS_TEXT, SATISFACTION_TEXT,
        *(f"{OFTEN_TEXT} [{time}]" for time in TIMES), "Age", "weight",
    ]  # fmt: skip
    body = [
        [
            f"{str(row['date']).replace('-', '/')} 9:00:00 AM GMT+1", row["gender"],
            ", ".join([*(brand for brand in BRANDS if row[brand]),
                       *([str(row["other"])] if row["other"] else [])]),
            row["satisfaction"], *(row[time] for time in TIMES), row["age"], row["weight"],
        ]
        for row in rows
    ]  # fmt: skip
    write_csv("google_forms.csv", [header, *body], quoting=csv.QUOTE_ALL)


def kobo(rows: list[Row]) -> None:
    """A column with blanks between the chosen answers, and one of 0 and 1 for each of them."""
    items = [*BRANDS, "Other"]
    header = [
        "start", GENDER_TEXT, BRANDS_TEXT, *(f"{BRANDS_TEXT}/{item}" for item in items),
        "Which other brand?", SATISFACTION_TEXT,
        *(f"{OFTEN_TEXT} - {time}" for time in TIMES), "Age", "weight", "_id", "_uuid",
        "_submission_time", "_validation_status", "_index",
    ]  # fmt: skip
    body = [
        [
            f"{row['date']}T09:00:00.000+01:00", row["gender"],
            " ".join(items[n - 1] for n in chosen(row)),
            *(int(n in chosen(row)) if row["asked"] else "" for n in (1, 2, 3, 4)),
            row["other"], row["satisfaction"], *(row[time] for time in TIMES), row["age"],
            row["weight"], 5000 + int(str(row["id"])), f"0000-{row['id']}",
            f"{row['date']}T10:00:00", "", row["id"],
        ]
        for row in rows
    ]  # fmt: skip
    write_csv("kobo.csv", [header, *body], delimiter=";", quoting=csv.QUOTE_ALL)


def forsta(rows: list[Row]) -> None:
    """A tab-delimited file of codes, and its datamap."""
    header = [
        "record", "uuid", "date", "markers", "status", "q1", "q2r1", "q2r2", "q2r3", "q2r4",
        "q2r4oe", "q3", "q4r1", "q4r2", "q5", "weight",
    ]  # fmt: skip
    body = [
        [
            row["id"], f"u{row['id']}x", row["date"], "qualified", 3, code(GENDERS, row, "gender"),
            *(int(n in chosen(row)) if row["asked"] else "" for n in (1, 2, 3, 4)), row["other"],
            code(SATISFACTION, row, "satisfaction"),
            *(code(OFTEN, row, time) for time in TIMES), row["age"], row["weight"],
        ]
        for row in rows
    ]  # fmt: skip
    write_csv("forsta.tab", [header, *body], delimiter="\t")

    def listed(options: Sequence[str]) -> str:
        return "".join(f"\t{n}\t{option}\n" for n, option in enumerate(options, start=1))

    items = "".join(f"\t[q2r{n}]\t{x}\n" for n, x in enumerate([*BRANDS, "Another brand"], start=1))
    times = "".join(f"\t[q4r{n}]\t{time}\n" for n, time in enumerate(TIMES, start=1))
    (FOLDER / "forsta_datamap.txt").write_text(
        "[record]: Record number\nOpen numeric response\n\n"
        f"[q1]: {GENDER_TEXT}\nValues: 1-3\n{listed(GENDERS)}\n"
        f"q2: {BRANDS_TEXT}\nValues: 0-1\n\t0\tUnchecked\n\t1\tChecked\n{items}\n"
        f"[q3]: {SATISFACTION_TEXT}\nValues: 1-3\n{listed(SATISFACTION)}\n"
        f"q4: {OFTEN_TEXT}\nValues: 1-3\n{listed(OFTEN)}{times}\n"
        "[q5]: Age\nValues: 0-120\nOpen numeric response\n",
        "utf-8",
    )


def main() -> None:
    rows = respondents()
    write_csv("respondents.csv", [[*rows[0]], *([*row.values()] for row in rows)])
    for write in (triple_s, qualtrics, surveymonkey, limesurvey, google_forms, kobo, forsta):
        write(rows)


if __name__ == "__main__":
    main()
