"""Datamaps of Forsta (Decipher), in text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from audiencelab.ingest.columns import Variable
from audiencelab.ingest.dictionaries.base import Dictionary
from audiencelab.ingest.readers.csv_dialect import open_bytes
from audiencelab.ingest.readers.encodings import encoding_of_files

_NAME = re.compile(r"\[?(\w+)\]?:\s*(.*)")
_ITEM = re.compile(r"\s+\[(\w+)\]\s*(.*)")
_VALUE = re.compile(r"\s+(-?\d+)\s+(.*)")


def datamap(path: Path) -> Dictionary | None:
    """A datamap; None for any other text."""
    encoding = encoding_of_files([path], open_bytes)
    variables = _variables(path.read_text(encoding.name or "utf-8-sig").splitlines())
    return Dictionary(path.name, variables, encoding=encoding) if variables else None


def _variables(lines: Iterable[str]) -> dict[str, Variable]:
    """Columns: `[q1]: text`, below it its values, or items `[q2r1] text`."""
    found: dict[str, Variable] = {}
    stem = text = ""
    labels: dict[str, str] = {}
    for line in lines:
        if head := _NAME.match(line):
            if head[1] == "Values":
                continue
            stem, text, labels = head[1], head[2].strip(), {}
            if line.startswith("["):
                found[head[1]] = Variable(label=text, labels=labels)
        elif item := _ITEM.match(line):
            label = " - ".join(filter(None, [text, item[2].strip()]))
            found[item[1]] = Variable(label=label, labels=labels, stem=stem)
        elif value := _VALUE.match(line):
            # The variables above share this dictionary, and get the values that follow them.
            labels[value[1]] = value[2].strip()
    return found
