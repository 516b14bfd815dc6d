"""Read a codebook from TOML or JSON, and report errors with their lines."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import msgspec

from audiencelab.errors import Fault, list_faults
from audiencelab.ingest.codebook import (
    Codebook,
    CodedDatapoint,
    CodedQuestion,
    CodedSuffix,
    CodedWave,
)
from audiencelab.ingest.codebook_checks import codebook_faults, suggestion
from audiencelab.survey.catalogue import Kind
from audiencelab.survey.errors import SurveyError

Lines = Mapping[tuple[str, int], int]
"""The line on which each table of a list begins, by the list's name and the table's index."""

_FIELDS = {
    field.encode_name
    for kind in (Codebook, CodedQuestion, CodedDatapoint, CodedSuffix, CodedWave)
    for field in msgspec.structs.fields(kind)
}


def load_codebook(path: Path) -> Codebook:
    """The codebook of a .toml or .json file; `SurveyError` names the file and the place."""
    if path.suffix.lower() not in (".toml", ".json"):
        raise SurveyError(f"{path}: a codebook is a .toml or a .json file.")
    is_toml = path.suffix.lower() == ".toml"
    try:
        text = path.read_text("utf-8")
        data = tomllib.loads(text) if is_toml else json.loads(text)
    except FileNotFoundError:
        raise SurveyError(f"{path}: there is no such codebook.") from None
    except OSError as error:
        raise SurveyError(f"{path} cannot be read: {error.strerror}.") from None
    except RecursionError:
        raise SurveyError(f"{path}: it is nested too deeply for a codebook.") from None
    except ValueError as error:  # no TOML, no JSON, no UTF-8, a number of thousands of digits
        raise SurveyError(f"{path}: {error}{_toml_advice(str(error))}") from None
    return parse_codebook(data, str(path), dict(_lines(text)) if is_toml else {})


def parse_codebook(data: Any, origin: str = "codebook", lines: Lines | None = None) -> Codebook:
    """The codebook of decoded TOML or JSON; `SurveyError` with every fault of meaning.

    origin: what it is called in messages. lines: where its tables begin, if that is known.
    """
    known = lines or {}
    try:
        codebook = msgspec.convert(data, Codebook, strict=False, str_keys=True)
        # A survey is written of it, and JSON may hold what no file of text does.
        msgspec.json.encode(codebook)
    except msgspec.ValidationError as error:
        message = f"{_explained(str(error))}{_line(str(error), known)}"
        raise SurveyError(f"{origin}: {message}.") from None
    except UnicodeEncodeError as error:
        half = error.object[error.start : error.end]
        raise SurveyError(f"{origin}: {half!r} in it is half a character, and no text.") from None
    if faults := list(codebook_faults(codebook)):
        located = [
            Fault(fault.pointer, fault.detail + _line(fault.pointer, known)) for fault in faults
        ]
        raise SurveyError(list_faults(f"{origin} does not hold together:", located))
    return codebook


def _lines(text: str) -> Iterator[tuple[tuple[str, int], int]]:
    """The line of each `[[questions]]` and the like in TOML."""
    count: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if found := re.match(r"\s*\[\[\s*(\w+)\s*\]\]", line):
            name = found.group(1)
            yield (name, count.get(name, 0)), number
            count[name] = count.get(name, 0) + 1


def _line(place: str, lines: Lines) -> str:
    """The line of a place such as /questions/3/labels or $.questions[3].labels, if it is known."""
    found = re.search(r"[/.](\w+)[/\[](\d+)", place)
    line = lines.get((found.group(1), int(found.group(2)))) if found else None
    return f" (in the table from line {line})" if line else ""


def _explained(message: str) -> str:
    """A message of msgspec, with valid values where it does not list them."""
    if "enum value" in message and ".kind" in message:
        return f"{message}; a kind is {', '.join(map(repr, get_args(Kind)))}"
    if "RFC3339" in message:
        return f"{message}; a date is written 2024-03-31"
    if found := re.search("unknown field `(.*?)`", message):
        return message + suggestion(found.group(1), _FIELDS).replace(" Did", "; did").rstrip("?")
    return message


def _toml_advice(message: str) -> str:
    return ". Is it text without its quotation marks?" if "Invalid value" in message else ""
