"""Respondents as an SPSS file, and multiple-response sets as the syntax that defines them.

A .sav file can hold such sets, but pyreadstat cannot write them; SPSS makes them with `MRSETS` when
the syntax is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, cast

from audiencelab.survey.errors import SurveyError

if TYPE_CHECKING:
    import pandas as pd

_NAME_BYTES, _LABEL_BYTES, _VALUE_LABEL_BYTES = 64, 255, 120
_LINE = 200
"""Characters of a line of syntax; SPSS takes 255."""

_RESERVED = {"all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with"}
_FORBIDDEN = re.compile(r"[^A-Za-z0-9_.@#$]")


@dataclass(frozen=True, slots=True)
class SpssVariable:
    """A numeric variable of an SPSS file.

    labels: the label of each value. none: whether 0 is a missing value, "no answer".
    """

    name: str
    label: str
    labels: Mapping[int, str]
    none: bool


@dataclass(frozen=True, slots=True)
class SpssResponseSet:
    """The variables of a question with several answers, in which 1 is "selected"."""

    name: str
    label: str
    variables: Sequence[str]


def variable_name(name: str, taken: Iterable[str]) -> str:
    """A name that SPSS takes and that is not taken, however it is capitalised."""
    # SPSS takes a dot at the end of a name for the end of a command.
    made = _FORBIDDEN.sub("_", name).rstrip(".")
    if not made[:1].isalpha() or made.lower() in _RESERVED:
        made = f"v_{made}"
    known = {each.lower() for each in taken}
    made, number = made[:_NAME_BYTES], 1
    free = made
    while free.lower() in known:
        number += 1
        # Six bytes are left for the underscore and five digits.
        free = f"{made[: _NAME_BYTES - 6]}_{number}"
    return free


def write_sav(
    path: Path, frame: pd.DataFrame, variables: Sequence[SpssVariable], label: str
) -> None:
    """Write a frame with the labels and missing values of its variables.

    Raises `SurveyError` without pyreadstat.
    """
    try:
        import pyreadstat
    except ModuleNotFoundError:
        raise SurveyError(
            'An SPSS file needs pyreadstat: pip install "audiencelab[survey]".'
        ) from None
    options: Any = {
        "file_label": _cut(label, 60),
        "row_compress": True,
        "column_labels": {each.name: _cut(each.label, _LABEL_BYTES) for each in variables},
        "variable_value_labels": {
            each.name: {
                number: _cut(words, _VALUE_LABEL_BYTES) for number, words in each.labels.items()
            }
            for each in variables
            if each.labels
        },
        # 0 is "no answer": SPSS then leaves it out of its percentages as this package does.
        "missing_ranges": {each.name: [0] for each in variables if each.none},
        "variable_measure": {each.name: "nominal" for each in variables if each.labels},
        "variable_format": {each.name: "F8.0" for each in variables if each.labels},
    }
    pyreadstat.write_sav(cast(Any, frame), str(path), **options)


def syntax(file: str, weight: str, sets: Sequence[SpssResponseSet]) -> str:
    """SPSS syntax that opens the file, weights it, and defines its multiple-response sets."""
    lines = ["* Encoding: UTF-8.", f"GET FILE={_quoted(file)}.", f"WEIGHT BY {weight}."]
    for each in sets:
        names = wrap(" ".join(each.variables), _LINE, break_long_words=False)
        lines += [
            "MRSETS",
            f"  /MDGROUP NAME=${each.name} LABEL={_quoted(_cut(each.label, _LINE))}",
            "    CATEGORYLABELS=VARLABELS VARIABLES=",
            *(f"    {line}" for line in names),
            "    VALUE=1",
            f"  /DISPLAY NAME=[${each.name}].",
        ]
    return "\n".join(lines) + "\n"


def _quoted(words: str) -> str:
    # A quote is doubled, and a line break would end the string.
    return "'" + " ".join(words.replace("'", "''").split()) + "'"


def _cut(words: str, most: int) -> str:
    """Text of at most so many bytes; characters stay whole."""
    return words.encode()[:most].decode(errors="ignore")
