"""What a file holds that cannot be read, by its first bytes, and what to do with it."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from urllib.parse import urlsplit

from audiencelab.survey.layout import MANIFEST

KINDS: dict[bytes, str] = {
    b"$FL2": ".sav",
    b"$FL3": ".sav",
    b"<stata_dta>": ".dta",
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"PK\x03\x04": ".xlsx",
    b"%PDF": "a PDF",
    b"\xd0\xcf\x11\xe0": "a file of an old version of Excel or Word",
}
"""Kinds of files by their first bytes: the suffix of one that is read, or its name."""

_ALIKE = {".zsav": ".sav", ".pq": ".parquet", ".feather": ".arrow", ".ipc": ".arrow"}
"""Other suffixes of the same kind."""

_PAGE = (b"<!doctype", b"<html")

OTHERS: dict[str, str] = {
    ".json": "Write al.open(pandas.read_json({path})).",
    ".jsonl": "Write al.open(pandas.read_json({path}, lines=True)).",
    **dict.fromkeys(
        (".xls", ".xlsb", ".ods", ".numbers"), "Save it as .xlsx in the program that it comes from."
    ),
    **dict.fromkeys(
        (".rds", ".rda", ".rdata"),
        'Files of R are written for other programs by haven::write_sav(data, "survey.sav").',
    ),
    **dict.fromkeys((".sps", ".do", ".r"), "It holds commands; open the file that they read."),
    **dict.fromkeys(
        (".sqlite", ".sqlite3", ".db", ".duckdb", ".mdb", ".accdb"),
        "A query makes a frame of a database: al.open(pandas.read_sql(query, connection)).",
    ),
    ".qsf": "It holds the questionnaire; export the answers of Qualtrics as SPSS or CSV.",
    ".mdd": "It describes data; export them with their labels as .sav.",
    **dict.fromkeys(
        (".pdf", ".doc", ".docx", ".pptx", ".md"),
        "It is a document. Open the data that it was written from.",
    ),
}
"""What to do with a file of a format that is not read, by its suffix."""

READ = "SPSS, Stata, SAS, Excel (.xlsx), CSV, Parquet, Arrow, Triple-S or fixed-width text"
"""The formats that are read, for people."""

_READERS = {
    **dict.fromkeys((".csv", ".gz", ".txt", ""), "csv"),
    ".json": "json",
    ".parquet": "parquet",
    ".xlsx": "excel",
}
"""Functions of pandas that read a table from an address, by its suffix."""


def unreadable(path: Path, detail: str) -> str:
    """Why a file cannot be read, with what it holds and what to do.

    detail: what the library says of it.
    """
    start = _start(path)
    if not start:
        return "the file is empty. Export it or copy it again."
    kind = next((kind for mark, kind in KINDS.items() if start.startswith(mark)), "")
    is_page = start.lstrip().lower().startswith(_PAGE)
    suffix = _ALIKE.get(path.suffix.lower(), path.suffix.lower())
    if is_page or (kind and kind != suffix):
        found = "a web page, as a link that asks for a login is saved" if is_page else kind
        again = f"Rename it, so that it ends in {kind}." if kind[:1] == "." else "Get the data."
        found = f"the content of a {kind} file" if kind[:1] == "." else found
        return f"cannot be read: it is {found}, whatever its name ends in. {again}"
    if not kind and suffix in KINDS.values() and _is_text(start):
        return "cannot be read: it is plain text. If it is a table, rename it to end in .csv."
    said = detail.strip().rstrip(".")
    return f"cannot be read: {said}. It is cut short or damaged: export it or copy it again."


def of_an_address(address: str) -> str:
    """Why an address is not opened, and what opens the table that it has."""
    suffix = Path(urlsplit(address).path).suffix.lower()
    reader = _READERS.get(suffix, "")
    table = (
        f"A table is read first. Write al.open(pandas.read_{reader}({address!r}))."
        if reader
        else "Download a file first, and open that."
    )
    return (
        f"{address} is an address, and files are opened from this machine. A service is "
        f"connect({address!r}). {table}"
    )


def unknown_format(path: Path) -> str:
    """Why a file of an unknown suffix is not read."""
    suffix = path.suffix.lower()
    advice = OTHERS.get(suffix, f"Export the data as {READ}.")
    return f"{path}: files of {suffix or 'no suffix'} are not read. " + advice.replace(
        "{path}", repr(str(path))
    )


def missing_file(path: Path) -> str:
    """What is known of a file that is not there: the nearest name, or where it was looked for."""
    folder = path.parent
    if not folder.is_dir():
        return f"{path}: there is no such file, and no folder {folder}."
    inside = [*folder.iterdir()]
    surveys = sorted(each for each in inside if each.is_dir() and _is_survey(each))
    also = f" A survey is there: connect(survey={str(surveys[0])!r})." if surveys else ""
    by_name = {each.name.lower(): each.name for each in inside if each.is_file()}
    if close := get_close_matches(path.name.lower(), by_name, 1):
        meant = str(folder / by_name[close[0]])
        return f"{path}: there is no such file. Did you mean {meant!r}?{also}"
    # The path of the working directory is not for readers of a notebook.
    where = "the working directory" if folder == Path() else f"the folder {str(folder)!r}"
    return f"{path}: there is no such file in {where}.{also}"


def _is_survey(folder: Path) -> bool:
    try:
        return (folder / MANIFEST).is_file()
    except OSError:
        return False


def _start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(512)
    except OSError:
        return b"?"


def _is_text(start: bytes) -> bool:
    return b"\0" not in start and all(each >= 32 or each in b"\t\r\n" for each in start)
