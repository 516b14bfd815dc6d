"""The header rows of a CSV file: one, three as Qualtrics writes them, two as SurveyMonkey does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from audiencelab.ingest.codebook import number_of

__all__ = ["READ_AHEAD", "Heading", "heading_of", "is_import_id"]

READ_AHEAD = 3
"""Rows with cells in them that may be header rows."""

_IMPORT_ID = re.compile(r"""\{\s*["']ImportId["']\s*:""")
_ANY_ANSWER = {"response", "open-ended response"}


class Heading(NamedTuple):
    """What the header rows say. names: of the columns; labels: of some of them.

    rows: how many header rows there are. reason: why there are several, in words.
    """

    names: tuple[str, ...]
    labels: Mapping[str, str]
    rows: int = 1
    reason: str = ""


def heading_of(first: Sequence[Sequence[str]]) -> Heading:
    """The heading of a file that begins with some rows."""
    names = tuple(first[0])
    for place, row in enumerate(first[1:READ_AHEAD], start=1):
        if is_import_id(row):
            texts = [] if place == 1 else [" ".join(text.split()) for text in first[1]]
            labels = dict(zip(names, texts, strict=False))
            rows = place + 1
            reason = f"{rows} header rows of Qualtrics: names, question texts, import ids"
            return Heading(names, labels, rows, reason)
    if len(first) > 1 and _is_second_row(first[0], first[1]):
        reason = "2 header rows of SurveyMonkey: questions, answers"
        return Heading(_joint_names(first[0], first[1]), {}, 2, reason)
    return Heading(names, {})


def is_import_id(row: Iterable[object]) -> bool:
    """Whether all texts of a row are the JSON objects in which Qualtrics puts its ids."""
    texts = [cell.strip() for cell in row if isinstance(cell, str) and cell.strip()]
    return bool(texts) and all(map(_IMPORT_ID.match, texts))


def _is_second_row(names: Sequence[str], row: Sequence[str]) -> bool:
    """Whether a row names answers: those of columns without a name, and of no respondent."""
    if len(row) != len(names) or not names[0].strip() or row[0].strip():
        return False
    cells = [cell.strip() for cell in row if cell.strip()]
    if not cells or any(number_of(cell) is not None for cell in cells):
        return False
    nameless = [cell for name, cell in zip(names, row, strict=True) if not name.strip()]
    if nameless:
        return all(cell.strip() for cell in nameless)
    return all(cell.lower() in _ANY_ANSWER for cell in cells)


def _joint_names(names: Sequence[str], answers: Sequence[str]) -> tuple[str, ...]:
    """Names of question and answer, each once; a question goes on over columns without a name."""
    joint: list[str] = []
    times: Counter[str] = Counter()
    question = ""
    for name, answer in zip(names, answers, strict=True):
        question = " ".join(name.split()) or question
        own = " ".join(answer.split())
        full = question if not own or own.lower() in _ANY_ANSWER else f"{question} - {own}"
        times[full] += 1
        joint.append(full if times[full] == 1 else f"{full} ({times[full]})")
    return tuple(joint)
