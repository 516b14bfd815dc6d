"""Read a codebook from TOML or JSON, reporting errors with their lines, and write one as TOML."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, cast, get_args

import msgspec

from audiencelab.ingest.codebook import (
    METHODS,
    Codebook,
    CodedDatapoint,
    CodedQuestion,
    CodedSuffix,
    CodedText,
    CodedWave,
)
from audiencelab.ingest.codebook_checks import check_codebook, suggestion
from audiencelab.survey.catalogue import Kind
from audiencelab.survey.errors import SurveyError
from audiencelab.survey.toml_writer import toml_text

Lines = Mapping[tuple[str, int], int]
"""The line on which each table of a list begins, by the list's name and the table's index."""

_FIELDS = {
    field.encode_name
    for kind in (Codebook, CodedQuestion, CodedDatapoint, CodedSuffix, CodedText, CodedWave)
    for field in msgspec.structs.fields(kind)
}


_TABLES = ("pinned", "study", "source", "weight", "design", "wave", "key")
_LISTS = ("waves", "categories", "datasets", "namespaces", "questions", "texts")


def load_codebook(path: str | Path) -> Codebook:
    """The codebook of a .toml or .json file; `SurveyError` names the file and the line.

    >>> import pandas as pd
    >>> from audiencelab import ingest
    >>> frame = pd.DataFrame({"tea": ["yes", "no", "no"], "sex": ["f", "m", "f"]})
    >>> path = ingest.draft_codebook(frame).save(folder / "codebook.toml")
    >>> [question.name for question in ingest.load_codebook(path).questions]
    ['tea', 'sex']
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in (".toml", ".json"):
        raise SurveyError(f"{path}: a codebook is a .toml or a .json file.")
    try:
        text = path.read_text("utf-8")
        data = tomllib.loads(text) if suffix == ".toml" else json.loads(text)
    except FileNotFoundError:
        raise SurveyError(f"{path}: there is no such codebook.") from None
    except OSError as error:
        raise SurveyError(f"{path} cannot be read: {error.strerror}.") from None
    except RecursionError:
        raise SurveyError(f"{path}: it is nested too deeply for a codebook.") from None
    except ValueError as error:  # neither TOML nor JSON nor UTF-8, a number of thousands of digits
        is_bare = "Invalid value" in str(error)
        advice = ". Is it text without its quotation marks?" if is_bare else ""
        raise SurveyError(f"{path}: {error}{advice}") from None
    return parse_codebook(data, str(path), _lines(text) if suffix == ".toml" else {})


def parse_codebook(data: Any, origin: str = "codebook", lines: Lines | None = None) -> Codebook:
    """The codebook of decoded TOML or JSON; `SurveyError` lists every error in it.

    origin: its name in messages. lines: the lines on which its tables begin, if they are known.

    >>> from audiencelab import ingest
    >>> yes = {"code": "q1_1", "name": "Yes", "value": "y"}
    >>> tea = {"code": "q1", "name": "Tea", "column": "tea", "datapoints": [yes]}
    >>> ingest.parse_codebook({"questions": [tea]}).questions[0].name
    'Tea'
    """
    line_of = partial(_line, lines or {})
    try:
        codebook = msgspec.convert(data, Codebook, strict=False, str_keys=True)
        # JSON may hold lone surrogates, which no file of text does.
        msgspec.json.encode(codebook)
    except msgspec.ValidationError as error:
        message = str(error)
        raise SurveyError(f"{origin}: {_explained(message)}{line_of(message)}.") from None
    except UnicodeEncodeError as error:
        half = error.object[error.start : error.end]
        raise SurveyError(f"{origin}: {half!r} is half a character, and not text.") from None
    check_codebook(codebook, origin, line_of)
    return codebook


def _lines(text: str) -> Lines:
    """The line of each `[[questions]]` and the like in TOML."""
    count: Counter[str] = Counter()
    lines: dict[tuple[str, int], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        # `tomllib` does not report positions.
        if found := re.match(r"\s*\[\[\s*(\w+)\s*\]\]", line):
            lines[found[1], count[found[1]]] = number
            count[found[1]] += 1
    return lines


def _line(lines: Lines, pointer: str) -> str:
    """The line of /questions/3/labels or $.questions[3].labels, if it is known."""
    found = re.search(r"[/.](\w+)[/\[](\d+)", pointer)
    line = lines.get((found[1], int(found[2]))) if found else None
    return f" (in the table from line {line})" if line else ""


def _explained(message: str) -> str:
    """A message of msgspec, with valid values where it does not list them."""
    if "enum value" in message and ".kind" in message:
        return f"{message}; a kind is {', '.join(map(repr, get_args(Kind)))}"
    if "enum value" in message and ".replicate_method" in message:
        return f"{message}; a method is {', '.join(map(repr, METHODS))}"
    if "RFC3339" in message:
        return f"{message}; a date is written 2024-03-31"
    if found := re.search("unknown field `(.*?)`", message):
        return message + suggestion(found[1], _FIELDS).replace(" Did", "; did").rstrip("?")
    return message


# ---- writing ----


def codebook_toml(codebook: Codebook, reasons: Mapping[str, Sequence[str]] | None = None) -> str:
    """The codebook as TOML that reads back as the same; fields with their default are left out.

    reasons: comments by what they explain: "" comes first, "pinned", "study", "source", "weight",
    "design", "wave", "waves" and "texts" above those tables, "questions/q1" above the question of
    that code, "end" last.
    """
    fields = written_fields(codebook)
    tables = {name: fields.get(name, {}) for name in _TABLES}
    lists = {name: fields.get(name, ()) for name in _LISTS}
    return toml_text(tables | lists, reasons)


def written_fields(part: msgspec.Struct) -> dict[str, Any]:
    """The fields that differ from their defaults, by the names in which they are written."""
    return {
        written: _plain(value)
        for name, written, default in _defaults(type(part))
        if (value := getattr(part, name)) != default or default is msgspec.NODEFAULT
    }


def _plain(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return written_fields(value)
    return tuple(map(_plain, cast(Sequence[Any], value))) if isinstance(value, tuple) else value


@cache
def _defaults(kind: type[msgspec.Struct]) -> list[tuple[str, str, Any]]:
    """Each field's name, the name in which it is written, and its default."""
    return [
        (each.name, each.encode_name, each.default)
        if each.default_factory is msgspec.NODEFAULT
        else (each.name, each.encode_name, each.default_factory())
        for each in msgspec.structs.fields(kind)
    ]
