"""Structures of LimeSurvey and exports of responses, written by the tests."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROWS = 240
SID = "612345"


class Question(NamedTuple):
    """A question: kind, code, text, items, items of columns, answers of one or two scales."""

    kind: str
    title: str
    text: str
    items: Mapping[str, str] = {}
    across: Mapping[str, str] = {}
    answers: Mapping[str, str] = {}
    second: Mapping[str, str] = {}
    other: str = ""
    relevance: str = "1"
    attributes: Mapping[str, str] = {}


LEVELS = {"1": "sehr zufrieden", "2": "zufrieden", "3": "unzufrieden", "4": "sehr unzufrieden"}
GERMAN = (
    Question("L", "sex", "Sind Sie &hellip;?", answers={"F": "eine Frau", "M": "ein Mann"},
             other="etwas anderes"),
    Question("M", "marken", "<p>Welche <b>Marken</b><br />kennen Sie?</p>",
             items={"A1": "Alba", "B1": "Brio (alt)", "C1": "Cima &amp; Co"}, other="Eine weitere"),
    Question("F", "zufr", "Wie zufrieden sind Sie mit Alba: ganz allgemein?",
             items={"SQ001": "dem Preis", "SQ002": "dem Service"}, answers=LEVELS,
             relevance='((marken_A1.NAOK == "Y"))'),
    Question("Y", "abo", "Haben Sie ein Abo?", relevance='sex.NAOK == "F" or sex.NAOK == "M"'),
    Question("A", "werte", "Wie gut sind [alle] Marken?", items={"a": "Alba", "b": "Brio"}),
    Question("1", "dual", "Wie wichtig und wie gut?", items={"p": "Preis", "s": "Service"},
             answers={"1": "unwichtig", "2": "mittel", "3": "wichtig"},
             second={"1": "schlecht", "2": "gut", "3": "sehr gut"},
             attributes={"dualscale_headerA": "Wichtigkeit", "dualscale_headerB": "Güte"}),
    Question("R", "rang", "Ihre Reihenfolge?", answers={"r1": "Rot", "r2": "Blau", "r3": "Grün"}),
    Question(":", "wo", "Wo kaufen Sie was?", items={"t": "Tee", "k": "Kaffee"},
             across={"l": "Laden", "n": "Netz"}, attributes={"multiflexible_checkbox": "1"}),
    Question("O", "grund", "Warum?", answers={"g1": "Preis", "g2": "Lage"}),
    Question("P", "hobby", "Was tun Sie gern?", items={"x": "Lesen", "y": "Laufen"}),
    Question("N", "alter", "Wie alt sind Sie?"),
    Question("X", "info", "Danke!"),
    Question("|", "bild", "Ein Bild, bitte"),
    Question("T", "rest", "Noch etwas?"),
)  # fmt: skip
"""Groups have two questions each, in an order of their own in the file."""


# ---- structures ----


def table(name: str, rows: Iterable[Mapping[str, object]]) -> str:
    written = [
        "".join(f"<{key}><![CDATA[{value}]]></{key}>" for key, value in row.items()) for row in rows
    ]
    each = "".join(f"<row>{row}</row>" for row in written)
    return f"<{name}><fields/><rows>{each}</rows></{name}>" if each else ""


def structure(
    path: Path, questions: Sequence[Question], language: str, *, version: int, sid: str = SID
) -> Path:
    """A structure of version 3 (a row for each language) or 6 (texts in tables of their own).

    The second language is not the survey's, and is listed first.
    """
    languages = ("xx", language)
    tables: dict[str, list[dict[str, object]]] = {}

    def add(name: str, texts: str, key: str, text: str, **row: object) -> None:
        """A row with a text in both languages."""
        column = "answer" if name == "answers" else "question"
        both = [
            {column: text if each == language else "??", "language": each} for each in languages
        ]
        rows = tables.setdefault(name, [])
        if version < 4:
            rows += [row | each for each in both]
        else:
            rows.append(row)
            tables.setdefault(texts, []).extend({key: row[key]} | each for each in both)

    place = 1000
    for number, question in enumerate(questions):
        qid, gid = 100 + number, 10 + number // 2
        add("questions", "question_l10ns", "qid", question.text, qid=qid, parent_qid=0, sid=sid,
            gid=gid, type=question.kind, title=question.title, other="NY"[bool(question.other)],
            question_order=number % 2, relevance=question.relevance, scale_id=0)  # fmt: skip
        for scale, items in enumerate((question.items, question.across)):
            for order, (code, text) in enumerate(items.items()):
                place += 1
                add("subquestions", "question_l10ns", "qid", text, qid=place, parent_qid=qid,
                    sid=sid, gid=gid, type="T", title=code, question_order=order,
                    scale_id=scale)  # fmt: skip
        for scale, answers in enumerate((question.answers, question.second)):
            for order, (code, text) in enumerate(answers.items()):
                place += 1
                own = {"aid": place} if version > 3 else {}
                add("answers", "answer_l10ns", "aid", text, qid=qid, code=code, sortorder=order,
                    scale_id=scale, **own)  # fmt: skip
        given = {
            **question.attributes,
            **({"other_replace_text": question.other} if question.other else {}),
        }
        tables.setdefault("question_attributes", []).extend(
            {"qid": qid, "attribute": key, "value": value, "language": language}
            for key, value in given.items()
        )
    groups: list[dict[str, object]]
    groups = [{"gid": 10 + each, "sid": sid, "group_order": each} for each in range(len(questions))]
    tables["groups"] = [*reversed(groups)]
    tables["questions"].reverse()
    tables.get("answers", []).reverse()
    tables["surveys"] = [{"sid": sid, "language": language, "additional_languages": "xx"}]
    tables["surveys_languagesettings"] = [
        {"surveyls_survey_id": sid, "surveyls_language": each, "surveyls_title": f"Tee {each}"}
        for each in languages
    ]
    listed = "".join(f"<language>{each}</language>" for each in languages)
    head = f"<LimeSurveyDocType>Survey</LimeSurveyDocType><DBVersion>{version}</DBVersion>"
    body = "".join(table(name, rows) for name, rows in tables.items())
    text = f"<document>{head}<languages>{listed}</languages>{body}</document>"
    path.write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n{text}', encoding="utf-8")
    return path


# ---- responses ----

Row = dict[str, str]
"""A response by `title`, `title|code` and `title|code|scale`; "" where nothing was answered."""


def responses() -> list[Row]:
    """Responses, drawn at random and the same each time."""
    draw = random.Random(3)
    found: list[Row] = []
    for number in range(ROWS):
        row: Row = {"sex": draw.choice(["F", "M", "M", "-oth-"])}
        row["sex|other"] = "divers" if row["sex"] == "-oth-" else ""
        for code in ("A1", "B1", "C1"):
            row[f"marken|{code}"] = draw.choice(["Y", ""])
        row["marken|other"] = draw.choice(["", "", "Dovo", "Etna, Faro"])
        for code in ("SQ001", "SQ002"):
            row[f"zufr|{code}"] = draw.choice("1234") if row["marken|A1"] else ""
        row["abo"] = draw.choice("YNN") if row["sex"] != "-oth-" else ""
        row |= {f"werte|{code}": draw.choice("12345") for code in "ab"}
        for code in "ps":
            row |= {f"dual|{code}|0": draw.choice("1233"), f"dual|{code}|1": draw.choice("1123")}
        ranked = draw.sample(["r1", "r2", "r3"], 3)
        row |= {f"rang|{place}": each for place, each in enumerate(ranked, start=1)}
        row |= {f"wo|{code}": draw.choice(["1", ""]) for code in ("t_l", "t_n", "k_l", "k_n")}
        row |= {"grund": draw.choice(["g1", "g2"]), "grund|comment": draw.choice(["", "so"])}
        for code in "xy":
            row |= {f"hobby|{code}": draw.choice(["Y", ""])}
            row |= {f"hobby|{code}comment": "oft" if row[f"hobby|{code}"] else ""}
        row |= {
            "alter": f"{draw.randint(18, 79)}",
            "info": "",
            "bild": "[{}]",
            "bild|filecount": "1",
        }
        found.append(row | {"rest": f"Text {number}"})
    return found


def parts(key: str) -> tuple[Question, str, str]:
    """The question of a column, the code of its item, and its scale."""
    title, code, scale = [*key.split("|"), "", ""][:3]
    return next(each for each in GERMAN if each.title == title), code, scale


def plain(text: str) -> str:
    """A text as LimeSurvey flattens it: without tags, with spaces of its own."""
    return re.sub("<[^>]*>", "", text).replace("&hellip;", "…").replace("&amp;", "&")


def heading(key: str) -> str:
    question, code, scale = parts(key)
    row, _, column = code.partition("_")
    texts = {**question.items, "other": "Sonstiges"}
    texts |= {f"{place}": f"Rang {place}" for place in range(1, 4)} if question.kind == "R" else {}
    text = "Kommentar" if code.endswith("comment") else plain(texts.get(row, row))
    given = [text] if code else []
    given += [question.across[column]] if column else []
    given += [f"Skala {int(scale) + 1}"] if scale else []
    return f"{plain(question.text)} " + "".join(f"[{each}]" for each in given)


def brackets(key: str) -> str:
    question, code, scale = parts(key)
    number = f"[{int(scale) + 1}]" if scale else ""
    return f"{question.title}[{code}]{number}" if code else question.title


def underscores(key: str) -> str:
    return key.replace("|", "_")


def sgqa(key: str) -> str:
    question, code, scale = parts(key)
    place = GERMAN.index(question)
    return f"{SID}X{10 + place // 2}X{100 + place}{code}{f'#{scale}' if scale else ''}"


HEADINGS: dict[str, Callable[[str], str]] = {
    "brackets": brackets,
    "underscores": underscores,
    "programs": lambda key: re.sub(r"[\[\]]", ".", brackets(key)),
    "upper": lambda key: sgqa(key).upper(),
    "full": heading,
    "both": lambda key: f"{brackets(key)}. {heading(key)}",
}
YES_NO = {"Y": "Ja", "N": "Nein"}


def labelled(key: str, value: str) -> str:
    """The text of an answer, as people see it."""
    question, _, scale = parts(key)
    labels = question.second if scale == "1" else question.answers
    if question.kind == "Y":
        labels = YES_NO
    return {"-oth-": "Sonstiges", **labels}.get(value, value)


def complete(key: str, row: Row) -> str:
    """The cell of an export of complete answers, where blanks have words."""
    question, code = parts(key)[:2]
    if question.kind in "MP" and code in question.items:
        return YES_NO.get(row[key] or "N", "")
    if question.kind == "Y" and not row[key]:
        return "N/A"
    return plain(labelled(key, row[key]))


def export(path: Path, rows: Sequence[Row], head: str, *, texts: bool = False) -> Path:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        about = ["id", "submitdate", "lastpage", "startlanguage", "seed", "refurl"]
        writer.writerow([*about, *(HEADINGS[head](key) for key in rows[0])])
        for number, row in enumerate(rows, start=1):
            own = [number, "1980-01-01 00:00:00", 3, "de", 1000 + number % 7, "https://a.example"]
            cells = [complete(key, row) if texts else row[key] for key in row]
            writer.writerow([*own, *cells])
    return path
